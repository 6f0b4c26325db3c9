"""An op registered at run time works in every way into the engine; unregistered, it is gone."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import arcbatt as ab
from arcbatt.batt import runtime
from arcbatt.batt.context import batch_dsl_context
from arcbatt.batt.coordinator import MegaBatchCoordinator
from arcbatt.batt.operations import GPUDSLOperations
from arcbatt.batt.residency.gpu_env import GPUEnv
from arcbatt.batt.scoring import score
from arcbatt.bench.drop_ins import module_of
from arcbatt.dsl.own_ops import NUMBERED, RESERVED
from arcbatt.dsl.table import TABLE
from arcbatt.program.batt_files.write import STYLES
from arcbatt.program.mutation.mutate import Mutator
from support.backends import HERE

PROGRAM = "def solve_x(I): return brighten(rot90(I), brighten(I, 1))\ndef solve_y(I): return brighten(I, TWO)"


def brighten(grid: "Grid", by: "Integer") -> "Grid":  # type: ignore[name-defined]  # noqa: F821
    """Every colour raised."""
    return tuple(tuple(color + by for color in row) for row in grid)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    ab.register_op(brighten)
    yield
    if "brighten" in TABLE:
        ab.unregister_op("brighten")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(ab.batt_source(ab.batt_of(ab.parse_programs(PROGRAM), []), "pile"))
    return path


@pytest.mark.process
def test_every_way_in_gives_the_same(file: Path, backend: str) -> None:
    task = ab.load_tasks("67a3c6ac")["67a3c6ac"]
    calls = [(task.id, task.pairs, sample.input, sample.output, None) for sample in task.samples]
    module = module_of(file)
    plain = [module.batt(*call) for call in calls]
    assert [[entry[-1].ok for entry in o] for o, _ in plain] == [[True, True]] * len(calls)
    with batch_dsl_context(backend) as batch:
        assert batch.map(module.batt, calls) == plain
        assert not batch.report.plain
    with MegaBatchCoordinator(str(file), backend=backend) as coordinator:
        results = coordinator.process_batch(coordinator.collect_inputs({task.id: task}))
    assert [(list(result.o_result), list(result.s_result)) for result in results] == plain
    module.Env = GPUEnv
    assert [module.batt(*call) for call in calls] == plain


@pytest.mark.process
def test_columns_and_programs_use_it(backend: str) -> None:
    assert GPUDSLOperations(backend=backend).batch("brighten", [((1,),), ((2,),)], 3) == [((4,),), ((5,),)]
    result = ab.run(ab.parse_programs(PROGRAM), ab.load_tasks("67a3c6ac"), "all", backend)
    assert result.stats.failures["TYPE"] == 4  # brighten by a grid


def test_mutation_uses_it() -> None:
    programs = ab.parse_programs("def solve_z(I): return upscale(rot90(I), TWO)")
    mutants = Mutator(3).mutants(programs[0], 300)
    assert any("brighten" in mutant.source() for mutant in mutants)


@pytest.mark.parametrize(
    "name",
    [
        "t1", "t01", "x3", "O", "o", "s", "env", "Env", "OKT", "I", "S", "C", "_get_safe_default", "batt",
        "batch_process_samples_gpu", "Exception", "log_path", "find", "__all__", "def", "class", "None",
        "two words", "1st", "ZERO", "F0", "rot90",
    ],
)  # fmt: skip
def test_a_name_that_means_something_else_in_files_is_refused(name: str) -> None:
    before = list(TABLE)
    with pytest.raises(
        ab.ArcbattError,
        match=rf"(name for an op, got '{name}'|'{name}' is (taken|a name that written files use))",
    ):
        ab.register_op(brighten, name=name)
    assert list(TABLE) == before


def words_of_files() -> set[str]:
    """The names in a program and in a batt of each style, but for those of its one op and of itself."""
    program = ab.parse_programs("def solve_w(I): return identity(I)")[0]
    texts = [program.source(), *(ab.batt_source(ab.batt_of([program], []), style) for style in STYLES)]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    names = {getattr(node, field, None) for node in nodes for field in ("id", "arg", "name")}
    return {name for name in names if isinstance(name, str)} - {"identity", "solve_w"}


def test_every_name_that_files_use_is_reserved() -> None:
    words = words_of_files() | {name for name in vars(runtime) if not name.startswith("__")}
    assert "env" in words
    assert {name for name in words if not NUMBERED.fullmatch(name)} == RESERVED


@pytest.mark.parametrize("name", ["t", "x", "T1", "environment", "_dim", "match", "tone1"])
def test_any_other_name_will_do(name: str) -> None:
    ab.register_op(brighten, name=name)
    try:
        batt = ab.batt_of(ab.parse_programs(f"def solve_x(I): return {name}(I, ONE)"), [])
        assert ab.parse_batt(ab.batt_source(batt, "hybrid")).programs == batt.programs
    finally:
        ab.unregister_op(name)


def test_unregistered_it_is_gone(file: Path) -> None:
    ab.unregister_op("brighten")
    with pytest.raises(ab.ArcbattError, match="brighten"):
        ab.load_batt(file, strict=True)
    assert any("brighten" in str(oddity) for oddity in ab.load_batt(file).warnings)
    with pytest.raises(ab.ArcbattError, match="brighten"):
        GPUDSLOperations().batch("brighten", [((1,),)], 3)
    with pytest.raises(ImportError, match="brighten"):
        module_of(file)
    programs = ab.parse_programs("def solve_z(I): return upscale(rot90(I), TWO)")
    assert not any("brighten" in mutant.source() for mutant in Mutator(3).mutants(programs[0], 300))


@pytest.mark.parametrize("name", HERE)
def test_outputs_that_hold_an_own_op_are_scored(name: str) -> None:
    solvers = ab.parse_programs(
        "def plain(I): return I\ndef bright(I): return brighten(I, TWO)\n"
        "def function(I): return lbind(brighten, I)"
    )
    differs = ab.parse_programs(
        "def differ_bright(S, I, C): return astuple(size(brighten(I, ONE)), C)\n"
        "def differ_called(S, I, C): return astuple(size(I(ONE)), C)"
    )
    task = ab.Task("00000001", (ab.Sample(((1, 2), (3, 4)), ((3, 4), (5, 6))),), ())
    scores = score(solvers, [task], differs, "all", name, on_failure="fail")
    found = {one.program.name: (one.demo_exact, one.mean) for one in scores}
    assert found == {"plain": (0, 1.0), "bright": (1, 1000.0), "function": (0, 1.0)}
