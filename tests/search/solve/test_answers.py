"""Explanations as answers: replayed, simplified where nothing changes, refused where they claim too much."""

import pytest

import arcbatt as ab
from arcbatt.program.graph import Node
from arcbatt.search.solve.answers import answers_from
from arcbatt.search.solve.enumeration import Explanation
from arcbatt.search.solve.library_pass import library_programs, run_library_pass
from support.searches import tasks

(TASK,) = tasks("67a3c6ac")


def explained(text: str, cost: int = 3, demos: int = 3) -> Explanation:
    (program,) = ab.parse_programs(f"def solve_x(I): return {text}")
    return Explanation(program.root, cost, demos, 1, (text,))


def test_an_explanation_that_claims_too_much_is_counted_and_no_answer() -> None:
    found = answers_from(TASK, [explained("hmirror(I)"), explained("vmirror(I)", 9)], 2, {})
    assert found.replay_failures == 1
    assert [str(answer.program.root) for answer in found.answers] == ["vmirror(I)"]


def test_programs_are_simplified_and_named_after_the_task() -> None:
    ((answer,), failures) = answers_from(TASK, [explained("identity(hmirror(rot180(I)))")], 2, {})
    assert failures == 0
    assert answer.program.root is Node.op("vmirror", Node.input("I"))
    assert answer.program.name == f"solve_67a3c6ac~{answer.program.hash[:6]}"


def test_a_simpler_program_that_does_something_else_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcbatt.search.solve.answers.simplify", lambda root: Node.input("I"))
    ((answer,), _) = answers_from(TASK, [explained("vmirror(I)")], 2, {})
    assert str(answer.program.root) == "vmirror(I)"


def test_steps_that_change_nothing_on_this_task_are_left_out() -> None:
    ((answer,), _) = answers_from(TASK, [explained("replace(trim(I), NINE, ONE)", demos=0)], 2, {})
    assert str(answer.program.root) == "trim(I)"  # there is no nine in this task
    idle = explained("paint(vmirror(fill(I, NINE, ofcolor(I, NINE))), difference(asobject(I), asobject(I)))")
    ((answer,), failures) = answers_from(TASK, [idle], 2, {})
    assert (str(answer.program.root), failures) == ("vmirror(I)", 0)


def test_partial_fits_come_after_fits_and_equal_outputs_once() -> None:
    given = [
        explained("rot90(I)", 1, 0),
        explained("vmirror(identity(I))", 5),
        explained("hmirror(rot180(I))", 4),
    ]
    found = answers_from(TASK, given, 2, {"version": "1"})
    assert [(answer.cost, answer.demos, answer.fits) for answer in found.answers] == [
        (4, 3, True),
        (1, 0, False),
    ]
    assert found.answers[0].provenance == {
        "templates": ["hmirror(rot180(I))"],
        "cost": 4,
        "layers": 1,
        "version": "1",
    }


def test_a_program_of_the_library_is_found_for_another_task() -> None:
    found = run_library_pass(tasks("67a3c6ac,0520fde7"), library_programs(), "library", others=True)
    assert list(found) == ["67a3c6ac"]
    assert all(answer.fits and answer.test == (True,) for answer in found["67a3c6ac"])
    assert {answer.provenance["program"] for answer in found["67a3c6ac"]}.isdisjoint({"solve_67a3c6ac"})


def test_programs_of_the_task_itself_count_unless_they_are_left_out() -> None:
    (own,) = ab.parse_programs("def solve_67a3c6ac(I): return vmirror(I)")
    assert list(run_library_pass([TASK], [own], "archive")) == ["67a3c6ac"]
    assert run_library_pass([TASK], [own], "archive", others=True) == {}


def test_a_program_that_fits_the_first_sample_alone_is_no_answer() -> None:
    first = ab.Task("x", (ab.Sample(((1, 1),), ((1, 1),)), ab.Sample(((1, 2),), ((2, 1),))), ())
    found = run_library_pass(
        [first], ab.parse_programs("def a(I): return I\ndef b(I): return vmirror(I)"), "archive"
    )
    assert [answer.provenance["program"] for answer in found["x"]] == ["b"]


def test_programs_that_read_the_demo_samples_see_all_of_them() -> None:
    program = ab.parse_programs("def solve_a(S, I, C): return canvas(size(S), astuple(size(S), size(S)))")
    threes = ((3, 3, 3),) * 3
    task = ab.Task("x", tuple(ab.Sample(((n,),), threes) for n in range(3)), (ab.Sample(((7,),), None),))
    (answer,) = run_library_pass([task], program, "library")["x"]
    assert answer.outputs == (threes,)
