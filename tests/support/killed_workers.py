"""A pool whose workers are killed at random moments; in a process of its own, whose only children they are.

`python -m support.killed_workers` prints how many were killed, and how many items were answered.
"""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator

from arcbatt.engine.records.replies import Reply
from arcbatt.engine.running.worker_pool import WorkerPool
from support.processes import children

KILLS, ITEMS = 50, 300


def answer(n: int) -> tuple[int, bytes]:
    """What a worker does with an item: some results are large."""
    time.sleep(0.002)
    return n, bytes(n % 7 * 30_000)


def main() -> None:
    """Answer items until so many workers have been killed; each item must be answered once, in order."""
    chance = random.Random(1)
    done = threading.Event()
    killed: list[int] = []

    def kill_now_and_then() -> None:
        while len(killed) < KILLS and not done.wait(chance.uniform(0, 0.03)):
            victims = children()
            if victims:
                killed.append(chance.choice(victims))
                os.kill(killed[-1], signal.SIGKILL)
        done.set()

    def items() -> Iterator[int]:
        n = 0
        while n < ITEMS or not done.is_set():
            yield n
            n += 1

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    with WorkerPool(answer, workers=3, tries=30) as pool:
        found = list(pool.map(items()))
    killer.join()
    assert found == [Reply("ok", (n, bytes(n % 7 * 30_000))) for n in range(len(found))]
    print(len(killed), len(found))


if __name__ == "__main__":
    main()
