"""The search in the core: exact, bounded, the same every time."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from arcbatt import ArcbattError, load_tasks, merge, register_op, run, unregister_op
from arcbatt.dsl.types import Grid
from arcbatt.program.graph import Program
from arcbatt.search.solve.enumeration import Budget, Enumerator, SearchResult
from arcbatt.search.solve.templates import load_templates, parse_templates
from arcbatt.tasks import Sample, Task

STEPS = Budget(steps=6000)
TASKS = load_tasks("arc1/training:0ca9ddb6,3af2c5a8,67a3c6ac,b775ac94,5521c0d9,d631b094")


@pytest.fixture(scope="module")
def shipped() -> Enumerator:
    return Enumerator(load_templates())


def grids(*rows: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, row)) for row in rows)


def task(*pairs: tuple[tuple[str, ...], tuple[str, ...]], test: tuple[str, ...]) -> Task:
    demo = tuple(Sample(grids(*given), grids(*wanted)) for given, wanted in pairs)
    return Task("made", demo, (Sample(grids(*test), None),))


def search(templates: str, on: Task, budget: Budget = STEPS) -> SearchResult:
    return Enumerator(parse_templates(templates)).search(on, budget)


MIRRORED = task((("12", "34"), ("21", "43")), (("500",), ("005",)), test=("789",))


def test_a_state_that_is_every_output_is_an_explanation() -> None:
    found = search("grid 1: I\ngrid 2: vmirror(?grid)\ngrid 2: hmirror(?grid)", MIRRORED)
    best = found.explanations[0]
    assert (repr(best.root), best.cost, best.demos, best.layers) == ("vmirror(I)", 3, 2, 1)
    assert best.templates == ("grid 1: I", "grid 2: vmirror(?grid)")


def test_equal_vectors_are_kept_once_with_the_cheapest_expression() -> None:
    found = search("grid 1: I\ngrid 2: vmirror(?grid)\ngrid 3: dmirror(rot270(?grid))", MIRRORED)
    # The two mirrors give one vector, and twice a mirror is the input: two states, whatever the level.
    assert (found.vectors, found.ended) == (2, "exhausted")
    assert repr(found.explanations[0].root) == "vmirror(I)"


def test_a_template_that_fails_on_one_sample_gives_no_state() -> None:
    found = search("grid 1: I\ngrid 1: upscale(I, index(I, (1, 0)))", MIRRORED)
    assert (found.vectors, found.failures) == (1, 0)  # what fails without holes is not even tried
    found = search("grid 1: I\ncolor 1: index(?grid, (1, 0))", MIRRORED)
    assert (found.vectors, found.failures) == (1, 1)


def test_values_that_do_not_play_their_sort_are_dropped() -> None:
    found = search("grid 1: I\ncolor 1: size(merge(?grid))\nnumber 1: size(merge(?grid))", MIRRORED)
    assert found.vectors == 3
    found = search("grid 1: I\ncolor 1: multiply(size(merge(?grid)), TEN)", MIRRORED)
    assert found.vectors == 1


def test_layers_lie_on_a_bottom() -> None:
    framed = task(
        (("000", "050", "000"), ("222", "252", "222")), (("00", "70"), ("22", "72")), test=("0300", "0000")
    )
    found = search("grid 1: I\nindices 2: ofcolor(I, ZERO)", framed)
    best = found.explanations[0]
    assert (repr(best.root), best.layers, best.demos) == ("fill(I, 2, ofcolor(I, 0))", 2, 2)


def test_a_layer_may_be_wrong_below_a_layer_that_is_right() -> None:
    covered = task(
        (("120", "000", "000"), ("121", "111", "111")),
        (("02", "21"), ("12", "21")),
        test=("000", "020", "000"),
    )
    found = search("vector 1: shape(I)\nindices 1: asindices(I)\nindices 2: ofcolor(I, TWO)", covered)
    best = next(one for one in found.explanations if one.demos == 2)
    outputs = run(Program("best", "solver", ("I",), best.root), [covered], pairs="all")
    assert outputs["best", "made"].outputs == (
        *(pair[1] for pair in covered.pairs),
        grids("111", "121", "111"),
    )


def test_two_regions_make_a_layer() -> None:
    crossing = task(
        (("100", "010", "101"), ("300", "010", "303")), (("111", "101"), ("313", "303")), test=("11", "01")
    )
    # Cells of colour 1 in a corner become 3.
    both = search("grid 1: I\nindices 2: ofcolor(I, ONE)\nindices 2: corners(asindices(I))", crossing)
    wanted = [one for one in both.explanations if one.demos == 2]
    assert "intersection" in repr(wanted[0].root)


def test_colours_become_others_as_learnt_from_the_demos() -> None:
    recolored = task((("12", "21"), ("34", "43")), (("11",), ("33",)), test=("2221",))
    best = search("grid 1: I", recolored).explanations[0]
    assert repr(best.root) == "fill(fill(I, 3, ofcolor(I, 1)), 4, ofcolor(I, 2))"


def test_explanations_of_some_demos_come_last() -> None:
    odd_one = task((("12",), ("21",)), (("34",), ("43",)), (("12",), ("12",)), test=("78",))
    found = search("grid 1: I\ngrid 2: vmirror(?grid)", odd_one)
    assert [(repr(one.root), one.demos) for one in found.explanations[:2]] == [("vmirror(I)", 2), ("I", 1)]


@pytest.mark.filterwarnings("ignore::arcbatt.NothingRunWarning")  # a task without explanations
def test_every_explanation_holds_when_it_is_replayed(shipped: Enumerator) -> None:
    replayed = 0
    for given in TASKS:
        explanations = shipped.search(given, STEPS).explanations
        programs = [Program(f"p{k}", "solver", ("S", "I"), one.root) for k, one in enumerate(explanations)]
        results = run(merge(programs), [given], pairs="all", threads=1)
        for one, program in zip(explanations, programs):
            assert sum(map(bool, results[program, given.id].demo)) >= one.demos, repr(one.root)
            replayed += 1
    assert replayed > 10


def test_the_same_steps_find_the_same_on_any_thread(shipped: Enumerator) -> None:
    alone = [shipped.search(given, STEPS) for given in TASKS]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda given: shipped.search(given, STEPS), TASKS))
    for a, b in zip(alone, together):
        assert (a.explanations, a.steps, a.vectors, a.ended) == (b.explanations, b.steps, b.vectors, b.ended)


def test_a_budget_of_steps_is_kept(shipped: Enumerator) -> None:
    found = shipped.search(load_tasks("b775ac94")[0], Budget(steps=777))
    assert (found.steps, found.ended) == (777, "steps")


def test_memory_ends_a_search_cleanly(shipped: Enumerator) -> None:
    given = load_tasks("b775ac94")[0]
    found = shipped.search(given, Budget(steps=200_000, memory=4 << 20))
    assert found.ended == "memory"
    assert found.peak_bytes < 8 << 20
    assert found.explanations == shipped.search(given, Budget(steps=200_000, memory=4 << 20)).explanations


def test_a_search_is_exhausted_when_no_level_can_bring_more() -> None:
    dear = search("grid 9: I\ngrid 9: vconcat(?grid1, ?grid2)", MIRRORED, Budget(steps=2))
    assert (dear.steps, dear.level, dear.ended) == (2, 45, "steps")  # the third is a pair of 9 and 27
    assert search("grid 9: I", MIRRORED).level == 46


def test_a_stopped_search_ends_at_once() -> None:
    stopped = Enumerator(load_templates())
    stopped.stop()
    found = stopped.search(TASKS[0], Budget(steps=10_000_000))
    assert (found.ended, found.steps) == ("stopped", 0)


def test_a_task_without_demos_has_no_explanation(shipped: Enumerator) -> None:
    found = shipped.search(Task("made", (), (Sample(grids("12"), None),)), Budget(steps=100))
    assert (found.explanations, found.ended) == ([], "steps")


def test_ops_of_the_user_are_refused_in_templates() -> None:
    @register_op
    def twisted(grid: Grid) -> Grid:
        """The grid turned by half."""
        return tuple(row[::-1] for row in grid[::-1])

    try:
        templates = parse_templates("grid 1: I\ngrid 2: twisted(?grid)", "mine.dsl")
        with pytest.raises(
            ArcbattError, match=r"mine.dsl:2: 'twisted' is an op of your own; a template has ops"
        ):
            Enumerator(templates)
    finally:
        unregister_op("twisted")
