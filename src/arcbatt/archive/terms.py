"""Terms: the settings that results depend on, and the version of the language."""

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, get_args

from arcbatt import __version__
from arcbatt.arguments import listed, require_flags, require_kind, require_one_of, shown
from arcbatt.dsl.limits import DEFAULT_LIMITS, Limits
from arcbatt.dsl.table import TABLE, names_of_own_ops
from arcbatt.engine.backend import FailureMode, RunOptions
from arcbatt.errors import ArcbattError, ValueRefused
from arcbatt.json_lines import canonical
from arcbatt.program.graph import Batt, BattLine, Node, Program, ops_named
from arcbatt.text import shorten

if TYPE_CHECKING:
    from arcbatt.engine.scoring.scores import Scorer

DIGEST_SIZE = 16  # bytes


def digest_of(content: str) -> str:
    """The digest of a text, in hexadecimal digits."""
    return blake2b(content.encode(), digest_size=DIGEST_SIZE).hexdigest()


def storable(what: str, text: str) -> str:
    """The text itself; one that is no Unicode, or that SQLite would cut off at a null, is refused."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ArcbattError(f"{what} {shorten(text)} is no Unicode text and cannot be kept") from None
    if "\0" in text:
        raise ArcbattError(f"{what} {shorten(text)} has a null character and cannot be kept")
    return text


def language_version() -> str:
    """The version of the package with a digest of its ops; a user's own ops are no part of it.

    >>> language_version().startswith(__version__ + "+")
    True
    """
    known = [
        (op.declaration, [param.requirement for param in op.params]) for op in TABLE.values() if op.trusted
    ]
    return f"{__version__}+{blake2b(repr(known).encode(), digest_size=8).hexdigest()}"


@dataclass(frozen=True)
class Terms:
    """The settings that a result depends on, besides program and task.

    `differs` are the hashes of the differs, where a score is theirs. `batt` is the digest of the batt in mode
    `pile`, where programs depend on each other. `own_ops` are the user's ops that the program uses, by name,
    with digests of their source. `origin` tells where a result of unknown settings comes from. With
    `tells_failures` a solver of a batt has the failure of a line as its verdict, although it gave an output.

    >>> Terms("default").digest == Terms("default").digest != Terms("fail").digest
    True
    """

    on_failure: FailureMode = "fail"
    limits: Limits = DEFAULT_LIMITS
    differs: tuple[str, ...] = ()
    batt: str | None = None
    own_ops: tuple[tuple[str, str], ...] = ()
    origin: str | None = None
    tells_failures: bool = False
    language: str = field(default_factory=language_version)

    def __post_init__(self) -> None:
        require_one_of("on_failure", self.on_failure, get_args(FailureMode))
        require_kind(self.limits, Limits, "limits; arcbatt.Limits(...) makes them")
        require_flags(tells_failures=self.tells_failures)

    @classmethod
    def of_run(cls, options: RunOptions, batt: Batt | None = None) -> "Terms":
        """The terms of a run with some options; in mode `pile` the batt is part of them."""
        require_kind(options, RunOptions, "options of a run; those of results are results.options")
        if batt is not None:
            require_kind(batt, Batt, "batt; arcbatt.merge(...) makes them")
        whole = batt_digest(batt) if batt is not None and options.on_failure == "pile" else None
        return cls(options.on_failure, options.limits, batt=whole)

    @classmethod
    def of_scorer(cls, scorer: "Scorer") -> "Terms":
        """The terms of scores by differs."""
        if not isinstance(getattr(scorer, "differs", None), tuple):
            raise ArcbattError(f"{shown(scorer)} is no scorer; that of scores is scores.scorer")
        differs = tuple(sorted({differ.hash for differ in scorer.differs}))
        known = names_of_own_ops()
        names = {name for differ in scorer.differs for name in own_ops_in(differ, known)}
        return cls(scorer.on_failure, scorer.limits, differs).with_ops(names)

    @classmethod
    def from_settings(cls, settings: dict[str, Any]) -> "Terms":
        """The terms that `settings` gives; anything else is refused."""
        try:
            return cls._from(settings)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            if isinstance(error, ArcbattError):
                raise
            told = f"{shown(settings)} has no settings of terms; `settings` of terms has them"
            raise ValueRefused(told) from None

    @classmethod
    def _from(cls, settings: dict[str, Any]) -> "Terms":
        require_kind(settings, dict, "dict of settings; `settings` of terms is one")
        own = tuple((str(name), str(digest)) for name, digest in settings["own_ops"])
        differs = tuple(str(differ) for differ in settings["differs"])
        rest = {name: settings[name] for name in ("on_failure", "batt", "origin", "language")}
        rest["tells_failures"] = bool(settings.get("tells_failures", False))
        return cls(limits=Limits(**settings["limits"]), differs=differs, own_ops=own, **rest)

    @property
    def settings(self) -> dict[str, Any]:
        """The terms as plain data."""
        settings = asdict(self)
        if not self.tells_failures:
            del settings["tells_failures"]
        return settings

    @property
    def digest(self) -> str:
        """The identity of the terms."""
        return digest_of(canonical(self.settings))

    def with_ops(self, names: Iterable[str]) -> "Terms":
        """The terms of programs that use some own ops."""
        used = {
            (name, _digest_of_op(name))
            for name in listed(names, str, "name of an op; names are texts such as rot90")
        }
        return replace(self, own_ops=tuple(sorted({*self.own_ops, *used}))) if used else self


def terms_by_program(terms: Terms, programs: Sequence[Program]) -> list[Terms]:
    """The terms of each program: with the own ops that it uses."""
    known = names_of_own_ops()
    if not known:
        return [terms] * len(programs)
    used = [own_ops_in(program, known) for program in programs]
    by_names = {names: terms.with_ops(names) for names in set(used)}
    return [by_names[names] for names in used]


def own_ops_in(program: Program, known: frozenset[str]) -> tuple[str, ...]:
    """The names of the known own ops that a program uses."""
    if not known:
        return ()
    return tuple(sorted({name for node in program.nodes for name in ops_named(node) if name in known}))


def _digest_of_op(name: str) -> str:
    """A digest of all that a user's op may depend on: the file that it stands in, if there is one."""
    op = TABLE.get(name)
    if op is None:
        raise ArcbattError(f"there is no op {shorten(name)}; arcbatt.register_op(...) makes one")
    return digest_of(f"{op.declaration}\n{_source_of(op.body)}")


@lru_cache(1000)  # the file may change after the op was imported
def _source_of(body: Any) -> str:
    body = inspect.unwrap(body)
    try:
        file = inspect.getsourcefile(body)
        if file is not None and Path(file).is_file():
            return Path(file).read_text("utf-8", "replace")
        return inspect.getsource(body)
    except (OSError, TypeError):  # typed at a prompt, or no function
        code = getattr(body, "__code__", None)
        return _text_of_code(code) if isinstance(code, CodeType) else type(body).__name__


def _text_of_code(code: CodeType) -> str:
    constants = [_text_of_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return repr((code.co_code.hex(), code.co_names, code.co_varnames, constants))


def batt_digest(batt: Batt) -> str:
    """The digest of the lines of a batt, with their order, arguments and conditions."""
    return digest_of(repr([_line(line) for line in batt.listing.lines]))


def _line(line: BattLine) -> tuple[Any, ...]:
    args = [arg.digest.hex() if isinstance(arg, Node) else arg for arg in line.args]
    return line.node.digest.hex(), args, line.condition
