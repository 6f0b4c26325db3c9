"""Units of work that the nodes of a cluster import."""

import time


def slept(seconds: float) -> float:
    """A unit that takes so many seconds, and gives their number."""
    time.sleep(seconds)
    return seconds
