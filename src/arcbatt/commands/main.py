"""The command `arcbatt`: imports the command that the first word names, and ends with its exit code."""

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from io import StringIO, TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import arcbatt
from arcbatt.commands import COMMANDS, DONE, GROUPS, NOTHING_DONE, PIPE_CLOSED
from arcbatt.errors import ArcbattError
from arcbatt.notices import tell
from arcbatt.signals import interrupted_code

# This is click's UsageError: typer stands on click, or holds it within itself, by its release.
WrongUsage: type[Exception] = typer.BadParameter.__bases__[0]

GLOSSARY = {
    "task": "A puzzle of ARC: a few demo pairs of grids, input and output, and test inputs.",
    "solver": "A program that makes the output grid of a task from an input grid. A program is a function "
    "of grid operations, the ops, in a .py file. It is read as data, never executed as Python.",
    "differ": "A program that compares an output with the expected one and scores it; 1000 is best.",
    "batt": "A file in which many solvers and differs are merged, so that what they share runs once. "
    "`card` makes such a file, `run-batt` runs it.",
    "pile": "The oldest style of batt file, in which every line runs, whether or not others have failed.",
}


class Commands(TyperGroup):
    """The commands, by name; an error becomes one sentence and an exit code, never a traceback."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"commands": dict.fromkeys(COMMANDS)})  # none is imported yet

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Read the words before the command; --help and --version are answered here."""
        with _guarded():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run a command and leave with its exit code."""
        with _guarded():
            code = super().invoke(ctx)
            sys.stdout.flush()
        raise typer.Exit(code or DONE)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command and make its parser; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        from arcbatt.commands.old_flags import CommandWithOldFlags  # --help does without
        from arcbatt.commands.options import with_settings

        module = import_module(f"arcbatt.commands.{cmd_name.replace('-', '_')}")
        actions = getattr(module, "ACTIONS", None)
        group = typer.Typer(
            name=cmd_name,
            help=COMMANDS[cmd_name],
            no_args_is_help=actions is not None,
            add_completion=False,
            rich_markup_mode=None,
            pretty_exceptions_enable=False,
        )
        for name, function in (actions or {cmd_name: module.execute}).items():
            group.command(name, cls=CommandWithOldFlags)(with_settings(function))
        return typer.main.get_command(group)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the part of the help that lists the commands and explains the words of the trade."""
        width = max(map(len, COMMANDS))  # so that the sentences of all groups begin in one column
        for title, entries in (*GROUPS.items(), ("Words", GLOSSARY)):
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), sentence) for name, sentence in entries.items()])


@contextmanager
def _guarded() -> Iterator[None]:
    """Leave with an exit code, and a sentence, after an error."""
    try:
        yield
        return
    except ArcbattError as error:
        tell(str(error))
        code = NOTHING_DONE
    except WrongUsage as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        tell(_in_a_sentence(error))
        code = NOTHING_DONE
    except KeyboardInterrupt:
        tell("interrupted")
        code = interrupted_code()
    except BrokenPipeError:
        code = PIPE_CLOSED
    except OSError as error:
        tell(f"{error.filename or 'the output'}: {error.strerror or error}")
        code = NOTHING_DONE
    discard_output()
    raise typer.Exit(code)


def _in_a_sentence(error: Any) -> str:
    """A usage error in a sentence, with the command that shows the help."""
    if type(error).__name__ == "NoSuchOption" and error.option_name == "--ops" and error.ctx:
        command = error.ctx.command_path.removeprefix("arcbatt ")
        return f"--ops stands before the command: arcbatt --ops FILE {command} ..."
    wrong = error.format_message().rstrip(".")
    if not error.ctx:
        return str(wrong)
    return f"{wrong}{'' if wrong.endswith('?') else ';'} {error.ctx.command_path} -h tells more"


def discard_output() -> None:
    """Redirect streams that cannot be written to the null device, so that Python ends without an error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


app = typer.Typer(
    cls=Commands,
    name="arcbatt",
    help="Run very many small ARC programs on very many grids: exactly, safely and fast.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `arcbatt`; ends with SystemExit."""
    _prepare_streams()
    app(arguments, prog_name="arcbatt")


def _prepare_streams() -> None:
    """Prevent errors of streams: a closed one, or one whose encoding cannot show a name."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, StringIO())
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def version() -> str:
    """The version, and how the compiled core was built.

    >>> version()
    'arcbatt ...'
    """
    return f"arcbatt {arcbatt.__version__}, Python {platform.python_version()}, {_core()}"


def _core() -> str:
    if find_spec("arcbatt._core") is None:
        return "without the compiled core"
    try:
        built: dict[str, Any] = import_module("arcbatt._core").build_info()
    except ImportError as error:
        return f"the compiled core cannot be loaded: {error}"
    return "compiled core: " + ", ".join(f"{name} {value}" for name, value in built.items())


def _show_version(wanted: bool) -> None:
    if wanted:
        print(version(), flush=True)
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    ops_file: Annotated[
        str | None,
        typer.Option(
            "--ops",
            metavar="FILE",
            help="A Python file that registers ops of your own. Unlike programs, it is executed.",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and the compiled core."
        ),
    ] = False,
) -> None:
    context.obj = [ops_file] if ops_file else []  # the files that no command may overwrite
    if ops_file is not None:
        from arcbatt.commands.own_ops import import_ops

        import_ops(ops_file)
