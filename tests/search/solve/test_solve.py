"""`solve`: what it finds, that every answer holds, that it finds the same again, and what ends it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arcbatt as ab
from arcbatt.errors import ArcbattError
from arcbatt.search.solve.solution import SearchStage
from arcbatt.tasks import Sample
from support.searches import tasks

IDS = "67a3c6ac,0ca9ddb6,00d62c1b,0b148d64,1fad071e,0520fde7"
HOW: dict[str, Any] = {"steps": 8_000, "own": False, "threads": 1}


def solve(ids: str = IDS, **changes: Any) -> ab.Solution:
    solution = ab.solve(tasks(ids), **HOW | changes)
    assert solution.replay_failures == 0
    return solution


def answers(solution: ab.Solution) -> list[Any]:
    """What a search found, to be compared byte for byte."""
    return [
        (name, answer.program.name, answer.program.source(), answer.cost, answer.outputs, answer.provenance)
        for name, found in solution.found.items()
        for answer in found.answers
    ]


def without_test_outputs(task: ab.Task) -> ab.Task:
    return ab.Task(task.id, task.demo, tuple(Sample(sample.input, None) for sample in task.test))


def test_tasks_are_solved_by_programs_that_can_be_read() -> None:
    solution = solve()
    assert solution["67a3c6ac"].answers[0].program.source().splitlines()[1] == "    O = vmirror(I)"
    drawn = solution["0ca9ddb6"].answers[0]
    assert drawn.layers > 1
    assert drawn.test == (True,)
    assert {"templates", "cost", "layers", "budget", "stage", "version"} <= drawn.provenance.keys()


def test_every_answer_does_alone_what_it_claims() -> None:
    for found in solve(guesses=3).found.values():
        for answer in found.answers:
            (again,) = ab.parse_programs(answer.program.source())
            outcome = ab.run(again, found.task, "all", "reference")[again, found.task]
            assert sum(exact is True for exact in outcome.demo) == answer.demos
            outputs = outcome.outputs[len(found.task.demo) :]
            assert all(told is None or told == given for told, given in zip(answer.outputs, outputs))


def test_programs_that_fit_come_first_and_each_brings_another_output() -> None:
    for found in solve(guesses=3).found.values():
        assert [answer.rank for answer in found.answers] == sorted(answer.rank for answer in found.answers)
        for place, grids in enumerate(found.guesses(3)):
            assert len(set(grids)) == len(grids) <= 3
            assert set(grids) <= {answer.outputs[place] for answer in found.answers}
        assert len({answer.outputs for answer in found.answers}) == len(found.answers)


def test_the_same_is_found_with_any_number_of_threads_and_again() -> None:
    first = answers(solve())
    assert first == answers(solve(threads=2)) == answers(solve())


def test_test_outputs_have_no_part_in_the_search() -> None:
    blind = ab.solve([without_test_outputs(task) for task in tasks(IDS)], **HOW)
    assert answers(blind) == answers(solve())
    assert {answer.test for answer in blind.answers} == {(None,)}


def test_tasks_that_fit_get_the_small_budget_alone() -> None:
    solution = solve("67a3c6ac,0520fde7", library=False)
    assert (solution["67a3c6ac"].stage, solution["67a3c6ac"].steps) == (SearchStage.small, 1_000)
    assert solution["0520fde7"].stage == SearchStage.large or solution["0520fde7"].fits


def test_results_are_told_as_they_come() -> None:
    found: list[ab.Answer] = []
    done: list[str] = []
    progress: list[Any] = []
    told = {"on_answer": found.append, "on_progress": progress.append}
    solution = solve(on_task=lambda each: done.append(each.task.id), **told)
    assert sorted(done) == sorted(IDS.split(","))
    assert {answer.task.id: answer for answer in found} == {
        answer.task.id: answer for answer in solution.answers
    }
    over = [each.over for each in progress]  # a search that did not end a task is told, too
    assert over == sorted(over)
    assert set(over) >= set(range(1, len(done) + 1))
    assert len(over) > len(done)


@pytest.mark.parametrize("how", [{"seconds": 0.2}, {"budget": 0.4}, {"seconds": 10.0, "budget": 0.4}])
def test_budgets_in_time_end(how: dict[str, Any]) -> None:
    solution = ab.solve(tasks("67a3c6ac,05269061"), threads=1, library=False, **how)
    assert solution["67a3c6ac"].fits
    assert solution["05269061"].stage == SearchStage.large
    assert sum(found.seconds for found in solution.found.values()) < 2  # clock: budgets in time end


def test_templates_of_ones_own_are_used(tmp_path: Path) -> None:
    file = tmp_path / "mine.dsl"
    file.write_text(f"# mine\n{DOUBLED}\n")
    (program,) = ab.parse_programs(f"def solve_x(I): return {DOUBLED[8:].replace('?grid', 'I')}")
    inputs = [((1, 2), (3, n)) for n in (4, 5, 6)]
    bare = ab.Task("x", (), tuple(Sample(grid, None) for grid in inputs))
    outputs: Any = ab.run(program, bare, "all")[program, bare].outputs
    pairs = tuple(map(Sample, inputs, outputs))
    best = ab.solve(ab.Task("x", pairs[:2], pairs[2:]), steps=2_000, templates=[file]).answers[0]
    assert DOUBLED in best.provenance["templates"]
    assert best.program.root is program.root


DOUBLED = "grid 1: hconcat(upscale(?grid, FIVE), upscale(cmirror(?grid), FIVE))"


def test_interruption_stops_the_search_and_hands_over_what_is_done() -> None:
    def interrupt(found: ab.TaskAnswers) -> None:
        if found.task.id == "0ca9ddb6":
            raise KeyboardInterrupt

    with pytest.raises(ab.SolveInterrupted) as caught:
        ab.solve(tasks("67a3c6ac,0ca9ddb6,05269061"), steps=10**9, threads=2, on_task=interrupt)
    solution = caught.value.solution
    assert solution.interrupted
    assert solution["67a3c6ac"].fits


def test_predictions_are_two_distinct_grids_for_every_test_input() -> None:
    one = ab.Task("one", (Sample(((1,),), ((2,),)),), (Sample(((0,),), None), Sample(((5, 5),), None)))
    solution = ab.solve([*tasks(IDS), one], **HOW)
    for name, inputs in solution.predictions().items():
        assert len(inputs) == len(solution[name].task.test)
        assert all(len(grids) == len(set(grids)) == 2 for grids in inputs)
    assert solution.predictions()["67a3c6ac"][0][0] == tasks("67a3c6ac")[0].test[0].output


def test_a_task_without_test_inputs_is_solved_all_the_same() -> None:
    (task,) = tasks("67a3c6ac")
    solution = ab.solve(ab.Task("67a3c6ac", task.demo, ()), **HOW)
    assert [answer.program.root for answer in solution.answers] == [ab.parse_programs(MIRROR)[0].root]
    assert solution.right(1).known_samples == 0


MIRROR = "def solve_x(I): return vmirror(I)"


def test_steps_do_not_go_with_a_clock() -> None:
    with pytest.raises(ArcbattError, match="which seconds and budget do not; give one of them"):
        ab.solve(tasks(), steps=5, seconds=1)
    with pytest.raises(ArcbattError, match="a search can only be resumed from an archive"):
        ab.solve(tasks(), resume=True)


# Archives

Opened = Callable[[str], ab.Archive]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    return lambda name: ab.Archive(tmp_path / f"{name}.db")


def exported(archive: ab.Archive, folder: Path) -> bytes:
    archive.export(folder / "out.jsonl")
    return (folder / "out.jsonl").read_bytes()


def test_answers_that_fit_are_kept_with_results_and_outputs(opened: Opened, tmp_path: Path) -> None:
    blind = [without_test_outputs(task) for task in tasks(IDS)]
    with opened("a") as archive:
        solution = ab.solve(blind, archive=archive, **HOW)
        fitting = [each for found in solution.found.values() for each in found.answers if each.fits]
        assert fitting
        for answer in fitting:
            (kept,) = archive.results(answer.program, answer.task)
            assert kept.demo_exact == len(answer.task.demo)
            assert kept.outputs == {len(answer.task.demo): answer.outputs[0]}
        assert archive.check(replay=True).faults == []
        (run,) = archive.runs()
        assert (run.kind, run.done) == ("solve", solution.steps)


@pytest.mark.parametrize("after", [1, 3, 5])
def test_resumed_search_leaves_what_a_whole_one_leaves(opened: Opened, tmp_path: Path, after: int) -> None:
    done = 0

    def interrupt(_: ab.TaskAnswers) -> None:
        nonlocal done
        done += 1
        if done == after:
            raise KeyboardInterrupt

    with opened("whole") as whole, opened("parts") as parts:
        straight = ab.solve(tasks(IDS), archive=whole, **HOW)
        with pytest.raises(ab.SolveInterrupted):
            ab.solve(tasks(IDS), archive=parts, on_task=interrupt, **HOW)
        resumed = ab.solve(tasks(IDS), archive=parts, resume=True, **HOW | {"threads": 2})
        assert answers(resumed) == answers(straight)
        assert exported(parts, tmp_path) == exported(whole, tmp_path)
        again = ab.solve(tasks(IDS), archive=parts, resume=True, **HOW)
        assert answers(again) == answers(straight)
        with pytest.raises(ArcbattError, match=r"holds this search already, for task 67a3c6ac .* resume it"):
            ab.solve(tasks(IDS), archive=parts, **HOW)


def test_two_processes_on_one_archive_share_the_tasks(opened: Opened) -> None:
    told = iter(range(100))
    with opened("a") as one, opened("a") as other:

        def overtake(_: ab.TaskAnswers) -> None:
            if next(told) == 0:
                ab.solve(tasks(IDS), archive=other, resume=True, **HOW)

        found = ab.solve(tasks(IDS), archive=one, on_task=overtake, **HOW)
        assert answers(found) == answers(solve())


def test_programs_of_the_archive_are_tried_on_other_tasks(opened: Opened) -> None:
    (mirror,) = ab.parse_programs(MIRROR)
    with opened("a") as archive:
        archive.add(ab.run(mirror, tasks("67a3c6ac"), "all"))
        flipped = ab.Task("00000001", (Sample(((1, 2),), ((2, 1),)),), (Sample(((3, 4, 5),), None),))
        (answer,) = ab.solve(flipped, archive=archive, steps=1, library=False).answers
    assert (answer.source, answer.provenance, answer.outputs) == (
        "archive",
        {"program": "solve_x"},
        (((5, 4, 3),),),
    )
