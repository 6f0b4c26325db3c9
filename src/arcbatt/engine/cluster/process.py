"""The process of the broker, as the pool sees it."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic

from arcbatt.engine.cluster.local import LOCAL, RayFolder, end_group
from arcbatt.engine.cluster.messages import FromBroker, Function, ToBroker
from arcbatt.signals import raise_pending_interrupt

SILENCE = 120.0  # seconds without a word, after which a broker is given up; it says something every second
SECONDS_TO_LEAVE = 15.0  # more than the grace of a broker

# The process looks for modules where this one does; with `-m` it would look in the working folder first.
PROGRAM = "import sys; sys.path[:] = {path!r}; from arcbatt.engine.cluster.serving import main; main()"


class BrokerProcess:
    """The process that speaks to Ray, the connection to it, and the folder of a local cluster."""

    def __init__(self, address: str, function: Function) -> None:
        self._folder = RayFolder() if address == LOCAL else None
        ours, theirs = socket.socketpair()
        with theirs:
            program = PROGRAM.format(path=sys.path)
            words = [sys.executable, "-c", program, str(theirs.fileno()), address, self._folder_path]
            self._process = subprocess.Popen(
                words,
                pass_fds=[theirs.fileno(), *([self._folder.descriptor] if self._folder else [])],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is not for it, and SIGKILL can be for all it starts
            )
        self._connection = Connection(ours.detach())
        self.send(function)

    def send(self, message: ToBroker) -> None:
        """Send a message; one that is lost is noticed when the next one is to be received."""
        with suppress(OSError):
            self._connection.send(message)

    def receive(self) -> FromBroker | None:
        """The next message; None if the process has ended, or is silent for too long."""
        deadline = monotonic() + SILENCE
        try:
            while not self._connection.poll(1.0):
                raise_pending_interrupt()
                if monotonic() > deadline:
                    return None
            message: FromBroker = self._connection.recv()
            return message
        except (EOFError, OSError):
            return None

    @property
    def _folder_path(self) -> str:
        return self._folder.path if self._folder else ""

    def close(self) -> None:
        """Hang up; the process leaves the cluster and ends by itself, or is killed if it does not."""
        try:
            with suppress(OSError), socket.socket(fileno=os.dup(self._connection.fileno())) as ours:
                ours.shutdown(socket.SHUT_WR)
            self._drain()
        finally:
            self.kill()

    def _drain(self) -> None:
        """Read until the process has ended, so that it never waits for us, or has taken too long."""
        deadline = monotonic() + SECONDS_TO_LEAVE
        with suppress(EOFError, OSError):
            while self._connection.poll(max(0.0, deadline - monotonic())):
                self._connection.recv_bytes()

    def kill(self) -> None:
        """End the process now, and all processes of a local cluster, and remove its files."""
        self._connection.close()
        end_group(self._process.pid, self._folder_path)
        self._process.wait()
        if self._folder is not None:
            self._folder.close()
