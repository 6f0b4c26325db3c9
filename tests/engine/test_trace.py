"""`trace`: steps as they stand in the file, and failures down to the application and its element."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.dsl.failures import MEANINGS
from arcbatt.dsl.limits import Limits
from arcbatt.engine.tracing.recording import MOST_INNER
from arcbatt.library import load_library
from arcbatt.tasks import Grid, Sample, Task, load_tasks
from arcbatt.testing.programs import random_program

GRID = ((0, 1, 1, 2), (6, 1, 6, 2), (0, 0, 1, 3))
ANSWER = ((1,),)
TINY = Limits(items=2_000, calls=40, depth=8, work=20_000)
REPEATABLE = ("TYPE", "EMPTY", "ZERO", "INDEX", "RANGE")  # kinds that do not come of a limit


def task_of(grid: Grid = GRID, answer: Grid | None = ANSWER) -> Task:
    return Task("t", demo=(Sample(GRID, ANSWER),), test=(Sample(grid, answer),))


def failure_of(expression: str, parameters: str = "I") -> ab.FailedApplication:
    found = ab.trace(f"def solve_x({parameters}):\n    return {expression}", task_of(), 0)
    assert isinstance(found.output, ab.Failure)
    assert found.failure is not None
    assert found.failure.kind == found.output.kind
    return found.failure


HEIGHT_OF_A_ROW = [
    ("apply(fork(add, height, width), I)", "apply fork height"),
    ("mapply(fork(astuple, height, width), I)", "mapply fork height"),
    ("apply(compose(double, height), I)", "apply compose height"),
    ("apply(chain(double, increment, height), I)", "apply chain height"),
    ("apply(lbind(add, ONE), apply(height, I))", "apply height"),
    ("apply(rbind(matcher, ONE)(height), I)", "apply matcher height"),
    ("sfilter(I, matcher(height, ONE))", "sfilter matcher height"),
    ("mfilter(I, compose(even, height))", "mfilter compose height"),
    ("extract(I, compose(even, height))", "extract compose height"),
    ("order(I, height)", "order height"),
    ("argmax(I, height)", "argmax height"),
    ("valmin(I, height)", "valmin height"),
    ("rapply(initset(height), first(I))", "rapply height"),
    ("apply(power(compose(height, identity), TWO), I)", "apply compose compose height"),
    ("apply(rbind(apply, I), initset(height))", "apply rbind apply height"),
    ("compose(height, first)(I)", "compose height"),
    ("lbind(apply, height)(I)", "lbind apply height"),
    ("apply(lbind(apply, fork(add, height, size)), initset(I))", "apply lbind apply fork height"),
    ("get_arg_rank(I, compose(height, identity), F0)", "get_arg_rank compose height"),
]


@pytest.mark.parametrize(("expression", "path"), HEIGHT_OF_A_ROW)
def test_height_of_a_row_is_found_however_deep_it_is(expression: str, path: str) -> None:
    failure = failure_of(expression)
    assert failure.op == "height"
    assert failure.arguments[0] in GRID
    assert [each.name for each in failure.path] == path.split()
    assert (failure.line, failure.kind) == (2, "TYPE")
    assert "a Tuple of 4 Integers; height takes a Grid or a Patch" in failure.reason


def test_the_element_is_the_one_that_fails_first() -> None:
    source = "def solve_x(I):\n    f = fork(divide, first, second)\n    return apply(f, I)"
    grid = ((4, 2), (9, 3), (5, 0), (1, 0))
    failure = ab.trace(source, task_of(grid), 1).failure
    assert failure.places == ("element 3 of 4",)
    assert (failure.op, failure.arguments) == ("divide", (5, 0))
    assert (failure.line, failure.source) == (3, "return apply(f, I)")
    assert str(failure) == (
        "line 3: ZERO in apply -> fork -> divide at element 3 of 4: "
        "its argument 'b' is 0; it must be another number than 0"
    )


def test_a_row_is_called_a_row() -> None:
    assert "'piece' is the row (0, 1, 1, 2), a Tuple of 4 Integers" in failure_of("apply(height, I)").reason


REASONS = [
    ("vconcat(I, rot90(I))", "its grids are 4 and 3 columns wide; they must be equally wide"),
    (
        "sfilter(I, identity)",
        "for element 1 of 3 its function gives (0, 1, 1, 2), a Tuple of 4 Integers; a condit",
    ),
    ("mapply(size, I)", "for element 3 of 3 its function gives the Integer 4; it must give Containers"),
    ("order(insert(ONE, initset(I)), identity)", "the keys that its function gives are of different kinds"),
    ("apply(add, I)", "'function' is add, a Function of 2 arguments; apply takes a Function of one argument"),
    ("height(I)(I)", "what is called is the Integer 3; only a Function can be called"),
    ("lbind(add, ONE)(I, I)", "lbind(add, 1) takes 1 argument, not 2"),
    ("power(add, TWO)", "a Function of 2 arguments cannot be composed with itself"),
    ("joined(initset(I))", "'rows' is"),
    ("paint(I, asindices(I))", "'obj' is Indices of 12 locations; paint takes an Object"),
    ("first(())", "'container' is empty, (); first takes one that is not empty"),
    ("mostcolor(crop(I, ORIGIN, (0, 0)))", "'element' is empty"),
    ("hmirror(initset(ONE))", "'piece' is {1}, a Set of 1 Integer"),
    ("divide(ONE, ZERO)", "'b' is 0; it must be another number than 0"),
    ("divide((1, 1), (1, 0))", "'b' is (1, 0), which holds a 0"),
    ("index(I, (5, 1))", "(5, 1) is outside a Grid of 3 x 4; rows go from 0 to 2, columns from 0 to 3"),
    ("get_nth_t(I, THREE)", "there is no rank 3 among 3; ranks go from 0 to 2, or from -1 to -3"),
    ("get_color_rank_t(I, NINE)", "there is no rank 9 among 5"),
    ("second((1,))", "there is no second element in (1,), a Tuple of 1 Integer"),
    ("other((1, 1), ONE)", "every element of (1, 1), a pair of Integers, equals 1"),
    ("extract(I, matcher(size, NINE))", "the condition holds for none of 3 elements"),
    ("cellwise(upscale(I, TWO), I, ZERO)", "its second grid, 3 x 4, does not cover its first one, 6 x 8"),
    ("o_g(I, NINE)", "'type' is 9; it must be from 0 to 7"),
    ("multiply(100000, 100000)", "10,000,000,000 does not fit 32 bits; an Integer goes from -2,147,483,648"),
    ("add(5000000000, ONE)", "5000000000 does not fit 32 bits"),
    ("upscale(I, 400)", "its result would weigh 1,921,201; the limit is 262,144 items"),
    ("apply(rbind(canvas, (500, 500)), interval(ZERO, NINE, ONE))", "after element 2 of 9"),
    ("power(rot90, ZERO)", "its argument 'n' is 0; it must be 1 or more"),
    ("power(rot90, 200)", "its result would be nested 200 deep; the limit is 100"),
]


@pytest.mark.parametrize(("expression", "words"), REASONS, ids=[reason[0] for reason in REASONS])
def test_reason_says_what_was_wrong_and_what_would_be_right(expression: str, words: str) -> None:
    assert words in failure_of(expression).reason


def test_reasons_of_limits_name_the_limit() -> None:
    endless = "def solve_x(I):\n    f = fork(rapply, initset, identity)\n    return f(f)"
    assert "more than 100 deep, which is the limit" in ab.trace(endless, task_of(), 0).failure.reason
    cells = "def solve_x(I):\n    return apply(rbind(apply, I), repeat(size, NINE))"
    few = ab.trace(cells, task_of(), 0, limits=Limits(calls=20)).failure
    assert "more than 20 applications, which is the limit" in few.reason
    poor = ab.trace(cells, task_of(), 0, limits=Limits(work=200)).failure
    assert "the work of the program is more than the limit of 200" in poor.reason


def test_a_long_path_is_told_by_its_ends() -> None:
    endless = "def solve_x(I):\n    f = fork(rapply, initset, identity)\n    return f(f)"
    failure = ab.trace(endless, task_of(), 0, limits=Limits(depth=250)).failure
    assert len(failure.path) == 251
    assert "fork -> rapply -> fork -> rapply -> fork -> ... -> " in str(failure)
    assert len(str(failure)) < 500


def test_a_call_of_what_is_no_function_has_no_op() -> None:
    failure = failure_of("height(I)(I)")
    assert (failure.op, failure.arguments) == (None, (3, GRID))
    assert str(failure) == "line 2: TYPE: what is called is the Integer 3; only a Function can be called"


def test_a_solver_that_reads_the_answer_is_told_so() -> None:
    failure = failure_of("hconcat(I, C)", "S, I, C")
    assert (failure.op, failure.arguments, failure.path) == (None, (), ())
    assert failure.reason == "C, the expected output, is not there for a solver; it gets I and S"


def test_error_of_an_own_op_is_the_reason() -> None:
    def sour(grid: ab.dsl.types.Grid) -> ab.dsl.types.Grid:  # type: ignore[name-defined]
        raise ValueError("no lemons")

    ab.register_op(sour)
    try:
        failure = failure_of("apply(sour, initset(I))")
    finally:
        ab.unregister_op("sour")
    assert (failure.op, failure.arguments) == ("sour", (GRID,))
    assert "ValueError: no lemons (test_trace.py, line" in failure.reason


STEPS = """
def turned(grid):
    y = rot90(grid)
    return first(y)

def solve_x(I):
    unused = height(first(I))
    x1 = turned(I)
    x2 = width(x1)
    x3 = rot90(I)
    return canvas(x2, shape(x3))
"""


def test_steps_are_the_lines_of_the_file_with_their_values() -> None:
    found = ab.trace(STEPS, task_of(), 0)
    assert [(step.line, step.name, step.function, step.calls) for step in found.steps] == [
        (7, "unused", "", ()),
        (3, "y", "turned", (8,)),
        (4, "return", "turned", (8,)),
        (8, "x1", "", ()),
        (9, "x2", "", ()),
        (10, "x3", "", ()),
        (11, "return", "", ()),
    ]
    values = {step.line: step.value for step in found.steps}
    assert values[4] == values[8] == (0, 6, 0)
    assert values[10] == values[3] == ab.call("rot90", GRID)


def test_a_line_that_the_result_does_not_need_cannot_be_the_failure() -> None:
    found = ab.trace(STEPS, task_of(), 0)
    unused, failed = found.steps[0], found.steps[4]
    assert not unused.used
    assert unused.failure.op == "height"
    assert found.failure == failed.failure
    assert (failed.failure.op, failed.failure.line) == ("width", 9)


def test_a_line_that_needs_a_failed_one_has_no_failure_of_its_own() -> None:
    last = ab.trace(STEPS, task_of(), 0).steps[-1]
    assert isinstance(last.value, ab.Failure)
    assert last.failure is None
    assert last.used


def test_a_failure_in_a_called_function_stands_in_its_line() -> None:
    text = "def helper(a):\n    return height(a)\ndef solve_x(I):\n    return helper(first(I))"
    found = ab.trace(text, task_of(), 0)
    assert (found.failure.line, found.failure.source) == (2, "return height(a)")
    assert found.steps[found.failure.step].calls == (4,)


def test_the_first_sample_that_is_not_exact_is_traced() -> None:
    task = Task("t", demo=(Sample(GRID, GRID), Sample(GRID, ANSWER)), test=(Sample(GRID, None),))
    assert ab.trace("def solve_x(I): return I", task).sample == 1
    right = Task("t", demo=(Sample(GRID, GRID),), test=(Sample(GRID, None),))
    found = ab.trace("def solve_x(I): return I", right)
    assert (found.sample, found.sample_name, found.exact) == (0, "demo 1", True)
    assert ab.trace("def solve_x(I): return I", right, "test 1").exact is None


@pytest.mark.parametrize(("sample", "number"), [(0, 0), (1, 1), ("demo 1", 0), ("test1", 1), (" Test 01", 1)])
def test_a_sample_is_named_by_place_or_by_name(sample: int | str, number: int) -> None:
    assert ab.trace("def solve_x(I): return I", task_of(), sample).sample == number


@pytest.mark.parametrize("sample", [2, -1, "demo 2", "test 0", "", "first", 0.0, True, b"demo 1"])
def test_a_sample_that_is_not_there_is_one_sentence(sample: object) -> None:
    with pytest.raises(
        ab.ArcbattError, match=r"has no sample .*; it has 1 demo and 1 test: demo 1 and test 1"
    ):
        ab.trace("def solve_x(I): return I", task_of(), sample)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (5, "expected a program, got 5"),
        ("nonsense", "there is no program|outside a function"),
        ("def solve_a(I): return I\ndef solve_b(I): return I", "there are 2 programs; a trace is of one"),
        ("def solve_a(I): return nosuch(I)", "there is no op or variable 'nosuch'"),
    ],
)
def test_a_wrong_program_is_one_sentence(program: object, words: str) -> None:
    with pytest.raises(ab.ArcbattError, match=words):
        ab.trace(program, task_of())  # type: ignore[arg-type]


def test_a_wrong_task_or_limit_is_one_sentence() -> None:
    with pytest.raises(ab.ArcbattError, match="expected a task, got "):
        ab.trace("def solve_a(I): return I", GRID)  # type: ignore[arg-type]
    with pytest.raises(ab.ArcbattError, match="expected limits, got 5"):
        ab.trace("def solve_a(I): return I", task_of(), limits=5)  # type: ignore[arg-type]
    with pytest.raises(ab.ArcbattError, match="has no samples"):
        ab.trace("def solve_a(I): return I", Task("t", (), ()))


def test_inside_a_line_are_its_expressions_and_their_applications() -> None:
    found = ab.trace("def solve_x(I):\n    return apply(compose(double, first), rot90(I))", task_of(), 0)
    ((step, (_, inner, outer)),) = found.into(2)
    assert step == found.steps[0]
    assert (inner.source, inner.value) == ("rot90(I)", ab.call("rot90", GRID))
    assert (outer.value, outer.application.name) == ((0, 0, 2, 6), "apply")
    third = outer.application.inner[2]
    assert (str(third.element), third.arguments, third.result) == ("element 3 of 4", ((1, 6, 1),), 2)
    assert [(each.name, each.arguments, each.result) for each in third.inner] == [
        ("first", ((1, 6, 1),), 1),
        ("double", (1,), 2),
    ]


def test_inside_a_line_the_first_applications_are_kept_and_the_one_that_fails() -> None:
    text = "def solve_x(I):\n    return apply(lbind(divide, NINE), interval(TEN, NEG_TWO, NEG_ONE))"
    outer = ab.trace(text, task_of(), 0).into(2)[0][1][-1]
    tree = outer.application
    assert len(tree.inner) == MOST_INNER + 1
    assert tree.left_out == 2
    assert (tree.inner[-1].kind, tree.inner[-1].arguments) == ("ZERO", (0,))


def test_inside_of_a_line_that_does_not_run_there_are_no_applications() -> None:
    found = ab.trace("def solve_x(I):\n    y = height(ONE)\n    return apply(identity, y)", task_of(), 0)
    ((_, (part,)),) = found.into(3)
    assert part.application is None
    assert part.value == found.output


def test_a_line_of_a_function_that_is_called_twice_is_there_twice() -> None:
    helper = "def helper(a):\n    return hmirror(a)\n"
    text = f"{helper}def solve_x(I):\n    return hconcat(helper(I), helper(rot90(I)))"
    assert len(ab.trace(text, task_of(), 0).into(2)) == 2


def test_a_line_outside_of_the_program_is_one_sentence() -> None:
    found = ab.trace(STEPS, task_of(), 0)
    with pytest.raises(ab.ArcbattError, match="line 99 is no line of solve_x; its lines are 7 to 11"):
        found.into(99)


def test_the_trace_says_in_short_what_it_is_of() -> None:
    assert repr(ab.trace(STEPS, task_of())) == "<trace of solve_x on t, demo 1: it fails with TYPE in line 9>"
    assert repr(ab.trace("def solve_x(I): return I", task_of())).endswith("it is wrong>")


def test_values_that_are_too_heavy_together_are_not_all_kept() -> None:
    lines = "".join(f"    x{n} = canvas({n}, (400, 600))\n" for n in range(1, 20))
    pairs = "".join(
        f"    y{n} = astuple(size(x{n}), {f'y{n - 1}' if n > 1 else 'I'})\n" for n in range(1, 10)
    )
    found = ab.trace(
        f"def solve_x(I):\n{lines}{pairs}    return y9", task_of(), 0, limits=Limits(memory=64 << 20)
    )
    assert found.failure is None
    values = [step.value for step in found.steps]
    assert values[-1] == found.output
    assert None in values


def test_trace_of_the_library_gives_what_a_run_gives() -> None:
    tasks = load_tasks("arc1/training")
    solvers = [program for program in load_library("solvers") if program.task_id in tasks][::6]
    results = ab.run(solvers, tasks)
    for program in solvers:
        task = tasks[program.task_id]
        found = ab.trace(program, task, len(task.samples) - 1)
        assert found.output == results[program, task].outputs[-1]
        assert found.steps[-1].value == found.output
        assert found.failure is None


@settings(max_examples=150)
@given(seed=st.integers(0, 100_000), limits=st.sampled_from([Limits(), TINY]))
def test_trace_of_a_random_program_gives_what_a_run_gives_and_its_failure_can_be_repeated(
    seed: int, limits: Limits
) -> None:
    program, task = random_program(seed, well_typed=False), load_tasks("007bbfb7")[0]
    found = ab.trace(program, task, 0, limits=limits)
    output = ab.run(program, task, "all", limits=limits)[program, task].outputs[0]
    assert found.output == output
    if not isinstance(output, ab.Failure):
        assert found.failure is None
        return
    failure = found.failure
    assert failure is not None
    assert failure.kind == output.kind
    assert failure.reason != MEANINGS[failure.kind]
    step = found.steps[failure.step]
    assert (step.line, step.source) == (failure.line, failure.source)
    assert step.failure == failure
    for line in {each.line for each in found.steps}:
        assert found.into(line)
    if failure.kind in REPEATABLE and failure.op is not None:
        assert ab.call(failure.op, *failure.arguments, limits=limits) == ab.Failure(failure.kind)


def test_the_programs_of_a_text_stand_for_the_one_that_they_are() -> None:
    programs = ab.parse_programs("def solve_x(I): return rot90(I)")
    assert ab.trace(programs, task_of()) == ab.trace(programs[0], task_of())


def test_a_trace_is_printed_as_the_command_prints_it() -> None:
    printed = str(ab.trace("def solve_x(I):\n    return apply(height, I)", task_of()))
    assert "height takes a Grid or a Patch" in " ".join(printed.split())
    assert "\x1b" not in printed
