"""One word for each thing: no two classes share a name, and the names of modules say something alone."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "arcbatt"
FILES = {
    file.relative_to(PACKAGE).as_posix(): file
    for file in PACKAGE.rglob("*.py")
    if "library" not in file.relative_to(PACKAGE).parts
}

# Names that classes share until the runners and the stores of searches are rewritten; remove what is done.
SHARED_YET = {"Function", "Job", "Task"}

# Whoever meets such a name in an import or a traceback cannot tell what is in the module.
SAYS_NOTHING = {
    **dict.fromkeys(("lines", "parts", "states", "short", "plain", "chosen", "material", "ways"), "of what?"),
    **dict.fromkeys(
        ("telling", "keeping", "sending", "serving", "searching", "judging", "steering"), "what?"
    ),
    **dict.fromkeys(("crosswise", "idle", "parted", "sightings"), "a word that no other module uses"),
    **dict.fromkeys(("utils", "helpers", "common", "misc", "base", "core"), "holds whatever found no home"),
}
# Modules of the rooms above that have such a name until then, and one that old files import.
NAMED_SO_YET = {
    "compat/utils.py",
    "engine/cluster/sending.py",
    "engine/cluster/serving.py",
    "engine/running/idle.py",
    "search/solve/searching.py",
}
# Folders whose own name says what their modules are, so that these may be called like others.
FOLDERS_SAY_IT = {
    "archive/rows": "rows of programs, of tasks, of results",
    "bench": "the measurements of a module or a folder",
    "commands": "a command is called like what it runs",
    "compat": "old files import these names",
    "dsl/ops": "the groups of the ops",
    "engine/backends": "a backend is called like the devices that it runs on",
    "view/fragments": "fragments of HTML for programs, tasks, results, archives",
}
# Other names of modules that are there more than once, and why.
SHARED_MODULE_NAMES = {
    "errors": "exceptions of the package; errors of own ops, in a folder that says so",
    "files": "until the result writers are rewritten",
    "functions": "function values of the language; functions of a solver file",
    "matching": "types that match parameters; results that match programs",
    "queries": "of ops by type; to an archive",
    "read": "task files; batt files",
    "scores": "scores of solvers by differs; scores as an archive keeps them",
    "results": "what a run gives; the same as findings of a report",
    "types": "types of values at run time; static types, in a folder that says so",
    "work": "what an op costs; a plan with the backend and the options to run it",
}


def classes() -> Iterator[tuple[str, str]]:
    """The classes of the package, each with its file."""
    for name, file in FILES.items():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield node.name.lstrip("_"), name


def test_no_two_classes_share_a_name() -> None:
    files: defaultdict[str, list[str]] = defaultdict(list)
    for name, file in classes():
        files[name].append(file)
    shared = {name: found for name, found in files.items() if len(found) > 1}
    assert {name: found for name, found in shared.items() if name not in SHARED_YET} == {}
    assert shared.keys() == SHARED_YET, "resolved; remove it from SHARED_YET"


def test_names_of_modules_say_something_alone() -> None:
    mute = {name: SAYS_NOTHING[file.stem] for name, file in FILES.items() if file.stem in SAYS_NOTHING}
    assert {name: why for name, why in mute.items() if name not in NAMED_SO_YET} == {}
    assert mute.keys() == NAMED_SO_YET, "renamed; remove it from NAMED_SO_YET"


def test_no_two_modules_share_a_name_without_a_reason() -> None:
    files: defaultdict[str, list[str]] = defaultdict(list)
    for name, file in FILES.items():
        folder = name.rpartition("/")[0]
        if not file.stem.startswith("__") and folder not in FOLDERS_SAY_IT:
            files[file.stem].append(name)
    shared = {name: found for name, found in files.items() if len(found) > 1}
    assert {name: found for name, found in shared.items() if name not in SHARED_MODULE_NAMES} == {}
    assert shared.keys() == SHARED_MODULE_NAMES.keys(), "resolved; remove it from SHARED_MODULE_NAMES"
