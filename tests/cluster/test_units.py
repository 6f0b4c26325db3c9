"""Batches of a run on a cluster: every program of every task once, in batches that fit the cluster."""

from itertools import count, pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

import arcbatt as ab
from arcbatt.engine.chunks import TRIAL, Chunk, ChunkQueue, packed_indices
from arcbatt.engine.cluster.node_judge import SECONDS, NodeBatches

TASKS = list(ab.load_tasks("arc1/training"))[:40]
PACE = 2e-7  # seconds of a program, for each unit of the weight of a task


def batches_of(wanted: list[tuple[int, ...]], whole: bool) -> NodeBatches:
    chunks = list(map(Chunk, count(), TASKS, wanted))
    return NodeBatches(ChunkQueue(chunks, whole), sum(chunk.work for chunk in chunks))


def lengths(programs: int, slots: int) -> list[float]:
    """The seconds that the batches of a run take, at a steady pace."""
    batches = batches_of([tuple(range(programs))] * len(TASKS), whole=False)
    batches.slots = slots
    taken = []
    for number, batch in enumerate(batches):
        taken.append(sum(chunk.work for chunk in batch) * PACE)
        batches.done(number, taken[-1])
    return taken


@given(st.integers(0, 2**32), st.integers(1, 60), st.booleans())
def test_batches_have_every_wanted_program_of_a_task_once(seed: int, programs: int, whole: bool) -> None:
    random = Random(seed)
    wanted = [tuple(random.sample(range(programs), random.randint(0, programs))) for _ in TASKS]
    batches = batches_of(wanted, whole)
    found: dict[str, list[int]] = {task.id: [] for task in TASKS}
    for number, batch in enumerate(batches):
        assert len({chunk.task.id for chunk in batch}) == len(batch)
        for chunk in batch:
            found[chunk.task.id] += chunk.programs
        batches.done(number, random.uniform(0, 2))
    assert found == {task.id: list(some) for task, some in zip(TASKS, wanted)}


def test_batches_take_a_second_and_less_at_the_end() -> None:
    taken = lengths(40_000, slots=2)
    middle = taken[len(taken) // 2]
    assert 0.8 * SECONDS < middle < 1.5 * SECONDS
    assert taken[-1] < 3 * TRIAL < middle


def test_batches_of_a_large_cluster_become_shorter_sooner() -> None:
    few, many = (sum(length > SECONDS / 2 for length in lengths(40_000, slots)) for slots in (2, 8))
    assert few > many > 0


@given(st.lists(st.integers(0, 30), unique=True))
def test_indices_are_those_that_were_packed(indices: list[int]) -> None:
    packed = packed_indices(indices)
    assert list(packed) == indices
    is_run = all(after == before + 1 for before, after in pairwise(indices))
    assert isinstance(packed, range) == is_run
