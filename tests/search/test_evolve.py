"""`evolve`: what it finds, that it finds the same again, and what ends it."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest

import arcbatt as ab
from arcbatt.dsl.static.queries import op_index
from arcbatt.dsl.types import Grid
from arcbatt.engine.candidates import Judgements
from arcbatt.errors import ArcbattError
from arcbatt.program.graph import Node, topological
from arcbatt.program.mutation.edit import Candidate
from arcbatt.program.mutation.mutate import Mutator
from arcbatt.program.typed import NodeType, type_of_node, type_of_parts
from arcbatt.search.evolve.breeder import Breeder, EvolveSettings
from arcbatt.search.evolve.epochs import Goal
from arcbatt.search.evolve.island import Island, IslandProgress, island_from
from arcbatt.search.evolve.population import Member
from support.searches import SEEDS, finds, tasks


def generations(breeder: Breeder, island: Island, number: int) -> Island:
    for _ in range(number):
        island, _ = breeder.next(island)
    return island


def test_program_that_is_an_edit_away_is_found() -> None:
    found = ab.evolve(tasks("67a3c6ac,8be77c9e"), SEEDS, steps=2000, workers=1)
    assert [find.task.id for find in found.winners] == ["67a3c6ac", "8be77c9e"]
    assert all(find.outcome.solved for find in found.winners)
    assert found.summary()["fits"] == found.summary()["solved"] == 2


def test_best_is_reported_even_if_nothing_fits() -> None:
    told: list[Any] = []
    found = ab.evolve(tasks("0520fde7"), SEEDS, steps=600, workers=1, on_found=told.append)
    assert not found.winners
    assert found.best["0520fde7"] is told[-1]
    assert [find.score for find in told] == sorted(find.score for find in told)
    assert found.ended == {("0520fde7", 0): "steps"}


def test_any_number_of_workers_finds_the_same() -> None:
    one, two = (ab.evolve(tasks(), SEEDS, steps=1500, workers=workers, beyond=500) for workers in (1, 2))
    assert finds(one) == finds(two)
    assert one.steps == two.steps


def test_another_seed_finds_another_way() -> None:
    (task,), settings = tasks("0520fde7"), EvolveSettings(tuple(SEEDS))
    one, other = (
        generations(Breeder(task, 0, replace(settings, seed=seed)), Island(), 9).text() for seed in (1, 2)
    )
    assert one != other


def test_expected_outputs_of_test_samples_change_nothing() -> None:
    def blind(task: ab.Task) -> ab.Task:
        return replace(task, test=tuple(ab.Sample(sample.input, None) for sample in task.test))

    seeing = ab.evolve(tasks(), SEEDS, steps=800, workers=1)
    unseeing = ab.evolve([blind(task) for task in tasks()], SEEDS, steps=800, workers=1)
    assert finds(seeing) == finds(unseeing)


def test_generations_depend_on_the_state_alone() -> None:
    (task,), settings = tasks("0520fde7"), EvolveSettings(tuple(SEEDS), seed=7, generation=32)
    straight = generations(Breeder(task, 0, settings), Island(), 20)
    island = Island()
    for _ in range(20):
        island = island_from(generations(Breeder(task, 0, settings), island, 1).text())
    assert island.text() == straight.text()


def test_every_member_comes_from_a_program_that_was_taken_before() -> None:
    breeder, island = Breeder(tasks("0520fde7")[0], 0, EvolveSettings(tuple(SEEDS), generation=32)), Island()
    known: set[str] = set()
    for _ in range(20):
        island, born = breeder.next(island)
        for program, parents, _, _ in born:
            assert known.issuperset(parents)
            assert bool(parents) == bool(program.changes)
        known |= {program.hash for program, *_ in born}
        assert known >= {member.program.hash for member in island.members}


def test_verdicts_and_scores_of_what_was_taken_are_those_of_a_run() -> None:
    task = tasks("00d62c1b")[0]
    _, born = Breeder(task, 0, EvolveSettings(tuple(SEEDS))).next(Island())
    programs = [program for program, *_ in born]
    record = ab.run(programs, task, "all", partial_scores=True).records[task.id]
    assert record.verdicts == b"".join(verdicts for _, _, verdicts, _ in born)
    assert record.scores == b"".join(scores for _, _, _, scores in born)


SOMEBODY = Member(SEEDS[0], 1, 1, 1, False)


@pytest.mark.parametrize(
    ("progress", "reason"),
    [
        (IslandProgress(), None),
        (IslandProgress(1, 10), "no program to breed from"),
        (IslandProgress(1, 10, 10, None, SOMEBODY), None),
        (IslandProgress(9, 100, 80, None, SOMEBODY), "steps"),
        (IslandProgress(9, 60, 30, 40, SOMEBODY), "fits"),
        (IslandProgress(9, 59, 10, 40, SOMEBODY), "no better program"),
        (IslandProgress(9, 59, 30, 40, SOMEBODY), None),
    ],
)
def test_island_ends_by_its_goal(progress: IslandProgress, reason: str | None) -> None:
    assert Goal(steps=100, beyond=20, patience=40).reached(progress) == reason


def test_search_goes_on_beyond_the_first_fit_for_a_smaller_one() -> None:
    wordy = ab.parse_programs("def solve_a(I): return rot180(rot180(hmirror(rot180(I))))")
    at_once = ab.evolve(tasks("67a3c6ac"), wordy, steps=3000, workers=1)
    beyond = ab.evolve(tasks("67a3c6ac"), wordy, steps=3000, workers=1, beyond=None)
    assert at_once.best["67a3c6ac"].fits
    assert beyond.best["67a3c6ac"].size == 2 < at_once.best["67a3c6ac"].size
    assert at_once.steps < beyond.steps


def test_search_without_seeds_ends_at_once() -> None:
    found = ab.evolve(tasks("67a3c6ac"), [], workers=1)
    assert found.ended == {("67a3c6ac", 0): "no program to breed from"}
    assert found.best == {}


def test_search_ends_after_its_seconds() -> None:
    found = ab.evolve(tasks("0520fde7"), SEEDS, seconds=0.01, workers=1)
    assert found.ended == {}
    assert found.steps > 0


def test_interrupted_search_tells_what_it_found() -> None:
    calls = count()

    def on_progress(progress: object) -> None:
        if next(calls) == 6:
            raise KeyboardInterrupt

    with pytest.raises(ab.EvolutionInterrupted) as caught:
        ab.evolve(tasks("0520fde7,007bbfb7"), SEEDS, steps=10**6, workers=2, on_progress=on_progress)
    assert caught.value.evolution.interrupted
    assert caught.value.evolution.best


def test_several_islands_breed_on_one_task() -> None:
    found = ab.evolve(tasks("0520fde7"), SEEDS, steps=400, workers=1, islands=2, beyond=None)
    assert sorted(found.ended) == [("0520fde7", 0), ("0520fde7", 1)]
    assert found.steps >= 800


def test_library_is_what_a_search_starts_with() -> None:
    found = ab.evolve(tasks("00d62c1b"), steps=1, workers=1)
    assert found.best["00d62c1b"].outcome.solved


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"steps": -1}, "steps: expected an integer >= 0, got -1"),
        ({"members": 0}, "members: expected an integer >= 1, got 0"),
        ({"islands": 1.5}, "islands: expected an integer from 1 to 100,000, got 1.5"),
        ({"seconds": "long"}, "seconds: expected a number >= 0, got 'long'"),
        ({"seed": None}, "seed: expected an integer, got None"),
        ({"archive": "night.db"}, r"expected an archive, got 'night.db'; arcbatt.Archive\(...\) opens one"),
        ({"fitness": 3}, "fitness"),
        ({"resume": True}, "a search can only be resumed from an archive; name one"),
        ({"limits": 3}, "expected limits, got 3; arcbatt.Limits"),
        ({"exchange": -1}, "exchange: expected an integer >= 0, got -1"),
        ({"deterministic": "yes"}, "deterministic"),
        (
            {"islands": 2, "exchange": 0, "deterministic": True},
            "deterministic is for islands that exchange members, and exchange is 0; leave one of both out",
        ),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ArcbattError, match=sentence):
        ab.evolve(tasks(), SEEDS, **wrong)


def test_task_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ArcbattError, match="task 67a3c6ac stands twice"):
        ab.evolve([*tasks("67a3c6ac"), *tasks("67a3c6ac")], SEEDS)


# Plug-ins


def exact_only(judged: Judgements) -> Any:
    return judged.demo_exact


def mirrored(mutator: Mutator, member: Member, random: Random) -> Iterable[Candidate]:
    (mirror,) = ab.parse_programs("def solve_m(I): return vmirror(I)")
    return [Candidate(mirror.root, ())]


def test_fitness_is_what_the_search_goes_by() -> None:
    found = ab.evolve(tasks("0520fde7"), SEEDS, steps=300, workers=1, fitness=exact_only)
    assert found.best["0520fde7"].fitness == 0


def test_program_that_fits_is_found_even_if_the_fitness_does_not_care() -> None:
    def fitness(judged: Judgements) -> Any:
        return -judged.score

    found = ab.evolve(tasks("67a3c6ac"), SEEDS, steps=5000, workers=1, members=4, fitness=fitness)
    assert found.ended == {("67a3c6ac", 0): "fits"}
    assert [find.outcome.solved for find in found.winners] == [True]


def test_selection_chooses_the_parents() -> None:
    chosen: list[Member] = []

    def selection(members: Sequence[Member], random: Random) -> Member:
        chosen.append(members[-1])
        return chosen[-1]

    ab.evolve(tasks("0520fde7"), SEEDS, steps=1500, workers=1, selection=selection)
    assert chosen


def test_mutation_makes_the_candidates() -> None:
    far = ab.parse_programs("def solve_far(I): return hconcat(canvas(ZERO, UNITY), I)")
    found = ab.evolve(tasks("67a3c6ac"), far, steps=700, workers=1, mutation=mirrored)
    assert str(found.best["67a3c6ac"].program.root) == "vmirror(I)"


@pytest.mark.parametrize(
    "fitness",
    [
        lambda judged: 3,
        lambda judged: np.full(len(judged), np.inf),
        lambda judged: ["much"] * len(judged),
        lambda judged: 1 / 0,
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_fitness_that_gives_no_numbers_is_an_error(fitness: Any, workers: int) -> None:
    with pytest.raises(ArcbattError, match=r"breeding on task .* failed"):
        ab.evolve(tasks(), SEEDS, steps=300, workers=workers, fitness=fitness)


def test_types_of_nodes_do_not_depend_on_how_they_were_bred() -> None:
    index, island = op_index(), Island()
    breeder = Breeder(tasks("0520fde7")[0], 0, EvolveSettings(tuple(SEEDS)))
    for _ in range(12):
        island, _ = breeder.next(island)
    inferred: dict[Node, NodeType] = {}
    for node in topological(member.program.root for member in island.members):
        types = tuple(inferred[arg].type for arg in node.args)
        inferred[node] = type_of_parts(node.kind, node.head, types, index)
        assert type_of_node(node, index) == inferred[node]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_an_op_that_never_ends_is_stopped_on_a_single_island_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(grid: Grid) -> Grid:
        while True:
            pass

    monkeypatch.setattr("arcbatt.search.evolve.evolve.OWN_SECONDS", 2.0)
    with ab.own_ops(spin):
        seeds = ab.parse_programs("def solve_a(I): return spin(I)")
        found = ab.evolve(ab.load_tasks("67a3c6ac"), seeds, steps=50, workers=1)
    assert found.ended == {("67a3c6ac", 0): "timeout"}
    assert found.stopped == [
        "task 67a3c6ac, island 0: is not bred further, since its worker was stopped: timeout"
    ]


# Differs

WIDTHS = ab.parse_programs("""
def differ_width(S, I, C): return astuple(branch(equality(width(I), width(C)), 1000, 0), I)
""")


def test_differs_add_their_marks_to_the_fitness() -> None:
    task = tasks("00d62c1b")[0]
    one, none = (Breeder(task, 0, EvolveSettings(tuple(SEEDS), differs=tuple(used))) for used in (WIDTHS, ()))
    fitness, without = (
        {member.program.hash: member.fitness for member in breeder.next(Island())[0].members}
        for breeder in (one, none)
    )
    marks = [fitness[program.hash] - without[program.hash] for program in SEEDS]
    assert marks == [0, 5000, 5000]  # the first of them makes a grid twice as wide


def test_program_that_is_exact_has_the_most_that_differs_can_give() -> None:
    found = ab.evolve(tasks("67a3c6ac"), SEEDS, differs=[*WIDTHS, *WIDTHS], steps=2000, workers=1)
    assert found.winners[0].fitness == 3 * 2000


def test_a_fitness_of_ones_own_sees_the_marks() -> None:
    seen: list[tuple[int, int]] = []

    def fitness(judged: Judgements) -> Any:
        seen.append((judged.differs, int(judged.marks.max())))
        return judged.marks

    ab.evolve(tasks("67a3c6ac"), SEEDS, differs=WIDTHS, steps=1, workers=1, fitness=fitness)
    assert seen == [(1, 3000)]


def test_solver_among_differs_is_refused() -> None:
    with pytest.raises(ArcbattError, match="differs has program solve_a, which is a solver"):
        ab.evolve(tasks(), SEEDS, differs=SEEDS)


def long_program(lines: int) -> str:
    ops = ("hmirror", "vmirror")
    body = [f"    x{k} = {ops[k % 2]}({f'x{k - 1}' if k else 'I'})" for k in range(lines)]
    return "\n".join(["def solve_long(I):", *body, f"    return x{lines - 1}\n"])


def test_a_seed_of_very_many_lines_is_left_out_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    long = long_program(1001)
    both = ab.parse_programs(f"{long}def solve_short(I): return hmirror(I)")
    found = ab.evolve("67a3c6ac", both, steps=2000, workers=1)
    assert found.summary()["fits"] == 1
    sentence = "expected start programs of at most 1,000 lines, got solve_long with 1,001"
    assert sentence in capsys.readouterr().err
    with pytest.raises(ArcbattError, match=sentence):
        ab.evolve("67a3c6ac", ab.parse_programs(long), workers=1)
