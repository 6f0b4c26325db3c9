"""The process of the broker, as the pool sees it."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic

from arcbatt.engine.cluster.messages import FromBroker, Function, ToBroker
from arcbatt.signals import heed

SILENCE = 120.0  # seconds without a word, after which a broker is given up; it says something every second
SECONDS_TO_LEAVE = 15.0  # more than the grace of a broker

# The process looks for modules where this one does; with `-m` it would look in the working folder first.
PROGRAM = "import sys; sys.path[:] = {path!r}; from arcbatt.engine.cluster.serving import main; main()"


class BrokerProcess:
    """The process that speaks to Ray, and the connection to it."""

    def __init__(self, address: str, function: Function) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            program = PROGRAM.format(path=sys.path)
            words = [sys.executable, "-c", program, str(theirs.fileno()), address]
            self._process = subprocess.Popen(
                words,
                pass_fds=[theirs.fileno()],
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
                heed()
                if monotonic() > deadline:
                    return None
            message: FromBroker = self._connection.recv()
            return message
        except (EOFError, OSError):
            return None

    def close(self) -> None:
        """Hang up; the process leaves the cluster and ends by itself, or is killed if it does not."""
        self._connection.close()
        try:
            self._process.wait(SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the process now, which is dead already or hangs, and all processes of a local cluster."""
        self._connection.close()
        with suppress(ProcessLookupError, PermissionError):  # macOS does not permit it if all are dead
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
