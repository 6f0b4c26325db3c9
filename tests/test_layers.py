"""Imports go one way: a folder of the package sees those below it, and no module sees itself again."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "arcbatt"
# From the lowest to the highest; folders in one row do not see each other. Modules beside the folders are
# below all, but for the package itself, whose public names come from everywhere.
LAYERS = (
    ("",),
    ("dsl",),
    ("tasks",),
    ("program",),
    ("library",),
    ("engine",),
    ("archive",),
    ("results",),
    ("search", "batt"),
    ("view", "compat", "testing"),
    ("bench",),
    ("arcbatt",),
    ("commands",),
    ("__main__",),
)
HEIGHTS = {folder: height for height, row in enumerate(LAYERS) for folder in row}
MODULES = {
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): file
    for file in PACKAGE.rglob("*.py")
}
NO_MODULES = {"arcbatt._core", "arcbatt.__version__"}


def folder_of(module: str) -> str:
    """The folder below the package; none for a module that lies beside the folders."""
    top = module.removeprefix("arcbatt.").partition(".")[0]
    return "" if (PACKAGE / f"{top}.py").exists() and top != "__main__" else top


def waits(node: ast.AST) -> bool:
    """Whether code does not run when its module is imported."""
    is_for_readers = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return is_for_readers or isinstance(node, ast.FunctionDef)


def imports(tree: ast.AST, at_once: bool) -> Iterator[str]:
    """The modules of the package that some code imports: all, or those that it imports at once."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "arcbatt")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "arcbatt":
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from {name if name in MODULES or name in NO_MODULES else str(node.module) for name in names}
        elif not (at_once and waits(node)):
            yield from imports(node, at_once)


def needs(module: str, at_once: bool) -> set[str]:
    """What a module imports of the package."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    return set(imports(tree, at_once)) - NO_MODULES


def test_no_folder_looks_upward() -> None:
    for module in MODULES:
        here = folder_of(module)
        for needed in needs(module, at_once=False):
            there = folder_of(needed)
            assert here == there or HEIGHTS[there] < HEIGHTS[here], f"{module} imports {needed}"


def test_no_module_is_imported_by_what_it_imports() -> None:
    graph = {module: needs(module, at_once=True) for module in MODULES}
    assert len(list(TopologicalSorter(graph).static_order())) > 100
