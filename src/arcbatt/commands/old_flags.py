"""Words of a command line as older tools had them, in the words that the commands have today."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

# The flags of the tools that `card` and `run-batt` follow, with the options that mean the same.
OLD_FLAGS: Mapping[str, Mapping[str, str]] = {
    "card": {"--file-name": "--file", "--task-ids": "--ids", "--task-id": "--ids"},
    "run-batt": {"--batt-import": "--batt", "--task-ids": "--ids", "--task-id": "--ids"},
}
IDS = ("-i", "--ids")  # without a value, it means all; several may follow
_ID = re.compile(r"(solve_)?[0-9a-f]{8}(~[0-9a-f]+)?")


class CommandWithOldFlags(TyperCommand):
    """A command that takes options with underscores, and those of older tools under their names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command line."""
        return super().parse_args(ctx, list(modern(args, OLD_FLAGS.get(ctx.info_name or "", {}))))


def modern(words: Sequence[str], old: Mapping[str, str]) -> Iterator[str]:
    """The words of a command in today's options; what stands behind `--` stays as it is.

    >>> list(modern(["--file_name=a.py", "-i", "-c", "3", "--freeze_solvers"], OLD_FLAGS["card"]))
    ['--file=a.py', '-c', '3', '--freeze-solvers']
    >>> list(modern(["-i", "67a3c6ac", "74dd1130", "mine.py"], OLD_FLAGS["card"]))
    ['-i', '67a3c6ac', '-i', '74dd1130', 'mine.py']
    """
    before, is_behind_id = "", False
    for place, word in enumerate(words):
        if word == "--":
            yield from words[place:]
            return
        if word.startswith("--"):
            name, is_given, value = word.partition("=")
            name = name.replace("_", "-")
            word = f"{old.get(name, name)}{is_given}{value}"
        if old and word in IDS and not _has_value(words[place + 1 :]):
            continue
        is_first_id = bool(old) and before in IDS
        is_next_id = is_behind_id and _is_id_and_no_file(word)
        if is_next_id:
            yield IDS[0]
        yield word
        before, is_behind_id = word, is_first_id or is_next_id


def _has_value(rest: Sequence[str]) -> bool:
    """Whether the words behind an option begin with a value for it."""
    return bool(rest) and not rest[0].startswith("-")


def _is_id_and_no_file(word: str) -> bool:
    return _ID.fullmatch(word) is not None and not Path(word).exists()
