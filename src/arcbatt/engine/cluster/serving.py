"""The process of the broker.

Ray may end a process that loses the head of its cluster. So the process that has the results does not speak
to Ray: it starts this one, and starts it anew if it ends.
"""

import os
import socket
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import sleep
from typing import Any

from arcbatt.engine.cluster.broker import LONGEST_REASON, Broker
from arcbatt.engine.cluster.local import (
    LOCAL,
    RAY_SUBFOLDER,
    exposure_warning,
    local_environment,
    remove_folder,
    start_cleaner,
    watch_servers,
)
from arcbatt.engine.cluster.messages import FromBroker, Function, Hopeless, Loss, Trouble, Unit
from arcbatt.engine.cores import cores

LONGEST_GREETING = 10.0  # seconds until somebody answers at an address
GRACE = 10.0  # seconds to leave the cluster in, after the other side has hung up

# Ray must not ask the network for anything but its own cluster, and writes no lines of its own.
SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}

Inbox = SimpleQueue[Unit | None]  # None: the other side has hung up


class HungUp(Exception):
    """The process that wants the answers is gone, or wants no more."""


def connect(address: str) -> Any:
    """Ray, connected to the cluster at an address."""
    _require_somebody(address)
    import ray

    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except ConnectionError as error:  # though somebody listens there
        raise ConnectionError(f"{error}; if it wants a token, set RAY_AUTH_MODE=token") from None
    return ray


def _require_somebody(address: str) -> None:
    """Refuse an address `HOST:PORT` where nobody listens: Ray would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), LONGEST_GREETING).close()


def main() -> None:
    """Serve on a cluster.

    The arguments are the number of a socket, the address of the cluster, and the folder of a local one.
    """
    number, address, folder = sys.argv[1:]
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    _Service(Connection(int(number)), address, folder).run()


class _Service:
    """Answers units until the other side hangs up.

    The main thread speaks to Ray, and may hang in a call of it. Two threads end the process and those of a
    local cluster, which are a group, if the main thread does not: one reads the connection, and one watches
    Ray's servers.
    """

    def __init__(self, connection: Connection, address: str, folder: str) -> None:
        self._connection, self._address, self._folder = connection, address, folder
        self._inbox = Inbox()
        self._speaking = Lock()
        self._leaving = Event()

    def run(self) -> None:
        """Reach the cluster, answer units, and leave it."""
        try:
            with suppress(EOFError, OSError, HungUp):
                function = self._connection.recv()
                Thread(target=self._read, daemon=True).start()
                ray = self._reach()
                if ray is not None:
                    self._serve(ray, function)
        finally:
            if self._folder:
                remove_folder(self._folder)

    def _reach(self) -> Any:
        """Ray, connected to the cluster; None, after a message that says why, if that fails."""
        is_local = self._address == LOCAL
        try:
            if not is_local:
                return connect(self._address)
            return self._start()
        except Exception as error:
            self._leaving.set()
            self._say((Loss if is_local else Hopeless)(_in_a_line(error)))
            return None

    def _start(self) -> Any:
        """Ray, connected to a new cluster on the cores of this process."""
        os.environ.update(local_environment())
        import ray

        Thread(target=watch_servers, args=(self._lose, self._leaving), daemon=True).start()
        ray.init(
            address=LOCAL,
            log_to_driver=False,
            configure_logging=False,
            num_cpus=cores(),
            include_dashboard=False,
            _temp_dir=str(Path(self._folder, RAY_SUBFOLDER)),
        )
        return ray

    def _serve(self, ray: Any, function: Function) -> None:
        """Answer units until the other side hangs up, or the cluster is lost."""
        try:
            if self._address == LOCAL and (warning := exposure_warning(ray.nodes()[0]["NodeManagerAddress"])):
                self._say(Trouble(warning))
            broker = Broker(ray, function, self._say)
            while True:
                for unit in _arrived(self._inbox, broker.spare):
                    broker.add(unit)
                broker.step()
        except HungUp:
            pass
        except Exception as error:  # Ray's ways to say that it has lost its cluster are many
            self._say(Loss(_in_a_line(error)))
        finally:
            self._leaving.set()
            ray.shutdown()

    def _say(self, message: FromBroker) -> None:
        try:
            with self._speaking:
                self._connection.send(message)
        except OSError:
            raise HungUp from None

    def _read(self) -> None:
        """Take all that is sent at once, so that the other side never waits; end with it."""
        try:
            while True:
                self._inbox.put(self._connection.recv())
        except (EOFError, OSError):
            self._inbox.put(None)
            sleep(GRACE)
            start_cleaner(self._folder)

    def _lose(self, reason: str) -> None:
        """Report the loss of the cluster; the other side then ends this process."""
        with suppress(HungUp):
            self._say(Loss(reason))


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
