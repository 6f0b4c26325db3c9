"""Submissions: fits come first, programs of one output are votes, and portions change nothing."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.library import load_library
from arcbatt.search.solve.answers import KnownProgram, known_answers
from arcbatt.search.solve.ranking import bits, guessed
from arcbatt.search.submit import submit as submitting
from arcbatt.search.submit.finalists import MOST

LIBRARY = list(load_library("solvers"))
SEEN = ab.Sample(((1, 1), (1, 1)), ((1, 1), (1, 1)))  # every symmetry fits
SYMMETRIC = ab.Task("symmetric", demo=(SEEN,), test=(ab.Sample(((1, 2), (3, 4)), None),))
HMIRROR, VMIRROR, INPUT = ((3, 4), (1, 2)), ((2, 1), (4, 3)), ((1, 2), (3, 4))


def programs(*bodies: str) -> list[ab.Program]:
    return list(ab.parse_programs("\n".join(f"def p{k}(I): return {body}" for k, body in enumerate(bodies))))


def first_two(*bodies: str, task: ab.Task = SYMMETRIC) -> Any:
    found = ab.submit(programs(*bodies), task, None, threads=1)
    return found.predictions()[task.id][0]


def test_shorter_program_comes_first_and_the_input_fills_up() -> None:
    assert first_two("vmirror(vmirror(hmirror(I)))", "vmirror(I)") == [VMIRROR, HMIRROR]
    assert first_two("vmirror(I)") == [VMIRROR, INPUT]
    assert first_two("height(I)") == [INPUT, ((0,),)]


def test_program_that_fits_comes_before_shorter_ones_that_do_not() -> None:
    seen = ab.Sample(((1, 2),), ((2, 1),))
    task = ab.Task("mirror", demo=(seen, seen), test=(ab.Sample(((3, 4),), None),))
    assert first_two("I", "hconcat(I, I)", "hmirror(hmirror(vmirror(I)))", task=task)[0] == ((4, 3),)


def test_of_programs_that_do_not_fit_the_nearest_comes_first() -> None:
    seen = ab.Sample(((1, 2, 3), (4, 5, 6)), ((1, 2, 3), (4, 5, 0)))
    task = ab.Task("nearly", demo=(seen,), test=(ab.Sample(((7, 8, 9), (1, 2, 3)), None),))
    assert first_two("vmirror(I)", "hmirror(I)", "replace(replace(I, 9, 9), 9, 9)", task=task) == [
        ((7, 8, 9), (1, 2, 3)),
        ((9, 8, 7), (3, 2, 1)),
    ]


def test_programs_of_one_output_are_votes_for_it() -> None:
    """One program of 4 bits is worth as much as four of 6 bits: a fifth makes the difference."""
    alone, others = (
        "vmirror(replace(I, 9, 9))",
        [f"hmirror(replace(replace(I, {k}, {k}), 0, 0))" for k in (5, 6, 7)],
    )
    assert first_two(alone, *others)[0] == VMIRROR
    more = [f"hmirror(replace(replace(I, {k}, {k}), 8, 8))" for k in (5, 6)]
    assert first_two(alone, *others, *more)[0] == HMIRROR


def test_same_program_twice_is_one_vote() -> None:
    found = ab.submit(programs(*["vmirror(I)"] * 3, "hmirror(I)"), SYMMETRIC, None, threads=1)
    assert len(found["symmetric"].answers) == 2


def test_outputs_that_arc_does_not_allow_are_no_attempts() -> None:
    assert first_two("upscale(I, THREE)", "replace(I, 2, 11)", "crop(I, ORIGIN, ORIGIN)")[1] == INPUT
    wide = ab.Task("wide", SYMMETRIC.demo, (ab.Sample(((1,) * 30,), None),))
    assert first_two("hconcat(I, I)", "I", task=wide) == [((1,) * 30,), ((0,),)]


@given(st.lists(st.integers(0, 300), min_size=1), st.integers(0, 300))
def test_a_vote_more_never_makes_an_output_dearer(costs: list[int], more: int) -> None:
    assert bits([*costs, more]) <= bits(costs) + 1e-9
    assert bits(costs) <= min(costs)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    chosen=st.lists(st.sampled_from(LIBRARY), min_size=1, max_size=12, unique=True),
    numbers=st.lists(st.integers(0, 399), min_size=1, max_size=3, unique=True),
    portion=st.integers(1, 12),
)
def test_submission_of_any_programs_is_sound_and_portions_change_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chosen: list[ab.Program],
    numbers: list[int],
    portion: int,
) -> None:
    training = ab.load_tasks("arc1/training")
    tasks = [training[number] for number in numbers]
    file = tmp_path / "submission.json"
    ab.submit(chosen, tasks, file, threads=1)
    check = ab.check_submission(file, tasks)
    assert (check.faults, check.remarks) == ((), ())
    whole = file.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(submitting, "PORTION", portion)
        ab.submit(chosen, tasks, file, threads=1)
    assert file.read_bytes() == whole


def test_only_the_best_programs_are_looked_at_again() -> None:
    many = programs(*(f"replace(I, {k}, {color})" for k in range(5, 10) for color in range(10) if k != color))
    assert len(many) > MOST
    answers = ab.submit(many, SYMMETRIC, None, threads=1)["symmetric"].answers
    assert len(answers) == MOST
    ranked = guessed(SYMMETRIC, answers, 2)
    assert ranked == [[INPUT]]
    assert known_answers(SYMMETRIC, []) == []
    (answer,) = known_answers(SYMMETRIC, [KnownProgram(many[0], 3, "program")])
    assert (answer.cost, answer.source, answer.provenance) == (3, "program", {"program": "p0"})


def test_what_searches_return_are_sources() -> None:
    task = ab.load_tasks("67a3c6ac")[0]
    found = ab.submit(programs("vmirror(I)"), task, None, threads=1)
    again = ab.submit(found, task, None, threads=1)
    assert again.predictions() == found.predictions()
    assert again["67a3c6ac"].answers[0].source == "program"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (([], "67a3c6ac"), "there is no solver in what a submission is to be made of; name a program file"),
        (
            (3, "67a3c6ac"),
            "expected a collection, each item a source of programs, got 3; name a program file or folder",
        ),
        (([3], "67a3c6ac"), "3 has no programs; name a program file"),
        (("none.py", "67a3c6ac"), "none.py:1:1: the file cannot be read: No such file or directory"),
        ((LIBRARY[0], 3), "expected a task, got 3; tasks are those of arcbatt.load_tasks(...)"),
        ((LIBRARY[0], []), "tasks: no task has a test input; a submission answers test inputs"),
        ((LIBRARY[0], [SYMMETRIC] * 2), "tasks: task symmetric stands twice; ids must be distinct"),
        ((LIBRARY[0], SYMMETRIC, 3), "path: expected a path, a Python str or a pathlib.Path, got 3"),
        ((LIBRARY[0], SYMMETRIC, "no/such.json"), "no/such.json: cannot be written: "),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(arguments: Any, told: str) -> None:
    with pytest.raises(ab.ArcbattError) as caught:
        ab.submit(*arguments)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"threads": 0}, "threads: expected an integer from 1 to 1,024, got 0"),
        ({"backend": "abacus"}, "there is no backend 'abacus'; use one of "),
        ({"limits": 3}, "expected limits, got 3; arcbatt.Limits(...) makes them"),
        ({"on_progress": 3}, "on_progress: expected a function, got 3"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(option: Any, told: str) -> None:
    with pytest.raises(ab.ArcbattError) as caught:
        ab.submit(LIBRARY[0], SYMMETRIC, None, **option)
    assert str(caught.value).startswith(told)
