"""The process of the broker.

Ray may end a process that loses the head of its cluster. So the process that has the results does not speak
to Ray: it starts this one, and starts it anew if it ends.
"""

import os
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Thread
from time import sleep
from typing import Any

from arcbatt.engine.cluster.broker import LONGEST_REASON, Broker
from arcbatt.engine.cluster.messages import FromBroker, Hopeless, Trouble, Unit
from arcbatt.engine.cores import cores

LOCAL = "local"
LONGEST_GREETING = 10.0  # seconds until somebody answers at an address
GRACE = 10.0  # seconds to leave the cluster in, after the other side has hung up

# Ray must not ask the network for anything but its own cluster, and writes no lines of its own.
SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}

Inbox = SimpleQueue[Unit | None]  # None: the other side has hung up


class HungUp(Exception):
    """The process that wants the answers is gone, or wants no more."""


def connect(address: str) -> Any:
    """Ray, connected to a cluster; `local` is a new one on the cores of this process."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    own: dict[str, Any] = {}
    if address == LOCAL:
        own = {"num_cpus": cores(), "include_dashboard": False}
    else:
        _require_somebody(address)
    import ray

    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False, **own)
    except ConnectionError as error:  # though somebody listens there
        raise ConnectionError(f"{error}; if it wants a token, set RAY_AUTH_MODE=token") from None
    return ray


def _require_somebody(address: str) -> None:
    """Refuse an address `HOST:PORT` where nobody listens: Ray would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), LONGEST_GREETING).close()


def main() -> None:
    """Serve on a cluster; the arguments are the number of a socket, and the address of the cluster."""
    serve(Connection(int(sys.argv[1])), sys.argv[2])


def serve(connection: Connection, address: str) -> None:
    """Answer units until the other side hangs up."""

    def say(message: FromBroker) -> None:
        try:
            connection.send(message)
        except OSError:
            raise HungUp from None

    try:
        function = connection.recv()
    except (EOFError, OSError):
        return
    inbox = Inbox()
    Thread(target=_read, args=(connection, inbox), daemon=True).start()
    try:
        ray = connect(address)
    except Exception as error:
        connection.send(Hopeless(_in_a_line(error)))
        return
    try:
        broker = Broker(ray, function, say)
        while True:
            for unit in _arrived(inbox, broker.spare):
                broker.add(unit)
            broker.step()
    except HungUp:
        pass
    except Exception as error:  # Ray's ways to say that it has lost its cluster are many
        connection.send(Trouble(_in_a_line(error)))
    ray.shutdown()


def _read(connection: Connection, inbox: Inbox) -> None:
    """Take all that is sent at once, so that the other side never waits; end with it.

    The main thread may hang in a call of Ray. So this thread ends the process if the main thread does not,
    and with it those of a local cluster: they are a group.
    """
    try:
        while True:
            inbox.put(connection.recv())
    except (EOFError, OSError):
        inbox.put(None)
        sleep(GRACE)
        os.killpg(os.getpgrp(), signal.SIGKILL)


def _arrived(inbox: Inbox, wait: float) -> Iterator[Unit]:
    """The units that were sent meanwhile; the first one is waited for."""
    try:
        while True:
            unit = inbox.get(timeout=wait) if wait else inbox.get_nowait()
            if unit is None:
                raise HungUp
            wait = 0
            yield unit
    except Empty:
        return


def _in_a_line(error: Exception) -> str:
    return " ".join("".join(traceback.format_exception_only(error)).split())[:LONGEST_REASON]
