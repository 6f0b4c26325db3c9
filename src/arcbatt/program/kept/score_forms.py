"""Scores and times of kept programs in two forms: means and microseconds, and the historical sums."""

import math

from arcbatt.dsl.contract import BEST_SCORE
from arcbatt.errors import TaskError
from arcbatt.program.graph import KeptScore, KeptSum
from arcbatt.tasks import Task
from arcbatt.tasks.published import published_task

LONGEST_TIME = 11  # of the historical form: what takes a second has 11, what takes longer has less


def historical_time(seconds: float) -> int:
    """A time as the historical form has it: a number that is larger for what is faster.

    >>> [historical_time(seconds) for seconds in (1, 0.05, 0.0004)]
    [11, 13, 18]
    """
    return LONGEST_TIME - int(math.log(max(seconds, 1e-9)))


def seconds_of_historical(time: float) -> float:
    """A time in seconds that has this number in the historical form.

    >>> [historical_time(seconds_of_historical(time)) for time in (8, 11, 18)]
    [8, 11, 18]
    """
    exponent = LONGEST_TIME - time
    return math.exp(exponent + math.copysign(0.5, exponent) if exponent else 0.0)


def known_outputs(task: Task) -> int:
    """The number of samples whose output is known: the highest score of the historical form."""
    return sum(sample.output is not None for sample in task.samples)


def known_outputs_of(task_id: str) -> int | None:
    """The same of a published task; None if there is no such task."""
    try:
        return known_outputs(published_task(task_id))
    except TaskError:
        return None


def in_means(kept: KeptScore, samples: int) -> KeptScore:
    """Score and time of a program as the mean of so many samples, from those of the historical form.

    >>> in_means(KeptSum(3, 17), 4)
    KeptScore(score=750.0, time=376)
    """
    if not kept.is_sum:
        return kept
    share = min(kept.score / samples, 1)
    return KeptScore(BEST_SCORE * share, max(1, round(seconds_of_historical(kept.time) * 1e6 / samples)))


def in_sums(score: float, time: float, samples: int) -> KeptSum:
    """Score and time of a program in the historical form, from those of the mean of so many samples.

    >>> in_sums(750, 376, 4)
    KeptSum(score=3, time=17)
    """
    exact = int(score * samples / BEST_SCORE + 1e-6)
    return KeptSum(exact, historical_time(time * samples / 1e6))
