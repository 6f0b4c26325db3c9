"""A Ray cluster that a command starts for itself: on loopback, with a token and a folder of its own."""

import os
import re
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from threading import Event
from time import sleep

from arcbatt.files import lock_descriptor

LOCAL = "local"  # the address of such a cluster
SERVERS = ("gcs_server", "raylet")  # the processes of Ray without which there is no cluster
BETWEEN_CHECKS = 0.25  # seconds
REMOVALS, PAUSE = 40, 0.1  # attempts to remove a folder in which dying processes still write, seconds between

PREFIX = "arcbatt-ray-"
FOLDER_NAME = re.compile(rf"{PREFIX}\w{{8}}")
RAY_SUBFOLDER = "ray"  # Ray makes it writable for all users, so the folder around it is private
# The most bytes of the path to our folder: systems limit the paths of sockets, and Ray makes this one in it.
LONGEST_PARENT = (103 if sys.platform == "darwin" else 107) - len(
    f"/{PREFIX}12345678/{RAY_SUBFOLDER}/session_2026-01-01_00-00-00_123456_1234567/sockets/plasma_store"
)

# Runs as a process of its own, since SIGKILL for a group ends the sender too.
CLEANER = """
import sys
sys.path[:] = {path!r}
from arcbatt.engine.cluster.local import end_group
end_group({group}, {folder!r})
"""


def local_environment() -> dict[str, str]:
    """The environment of a local cluster, with a new token that no command line shows.

    Ray binds to loopback on machines that it thinks cannot be part of a cluster. Workers stay in the process
    group of the broker, so that they end with it.
    """
    return {
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_process_group_cleanup_enabled": "0",
    }


def exposure_warning(address: str) -> str:
    """A sentence for a local cluster that other machines can reach; "" if they cannot.

    >>> exposure_warning("127.0.0.1")
    ''
    >>> exposure_warning("10.0.0.1")[:37]
    'Ray listens on 10.0.0.1, not on loopb'
    """
    if ip_address(address).is_loopback:
        return ""
    return (
        f"Ray listens on {address}, not on loopback alone: other machines can reach its ports, and only the "
        "token of this run keeps them from running code here"
    )


class RayFolder:
    """A folder for the files of a local cluster.

    It is locked as long as the process that made it lives, or one that got `descriptor` from it. So a folder
    of ours without a lock was left by killed processes, and the next one removes it.
    """

    def __init__(self) -> None:
        parent = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
        if len(os.fsencode(parent)) > LONGEST_PARENT:
            parent = "/tmp"
        _remove_abandoned(Path(parent))
        while True:
            self.path = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
            with suppress(FileNotFoundError):  # another process took it for an abandoned one
                self.descriptor = os.open(self.path, os.O_RDONLY)
                lock_descriptor(self.descriptor)
                if Path(self.path).exists():
                    return
                os.close(self.descriptor)

    def close(self) -> None:
        """Give up the lock."""
        os.close(self.descriptor)


def _remove_abandoned(parent: Path) -> None:
    """Remove the folders of killed processes: ours by name, owner, mode and content, and not locked."""
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            is_private = stat.S_ISDIR(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o700
            if not is_private or status.st_uid != os.getuid() or not FOLDER_NAME.fullmatch(folder.name):
                continue
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                is_left = lock_descriptor(descriptor, wait=False)
                if is_left and {file.name for file in folder.iterdir()} <= {RAY_SUBFOLDER}:
                    remove_folder(str(folder))
            finally:
                os.close(descriptor)


def remove_folder(folder: str) -> None:
    """Remove a folder, also one in which processes write that are about to end."""
    for _ in range(REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            return
        sleep(PAUSE)


def watch_servers(lost: Callable[[str], None], stop: Event) -> None:
    """Call `lost` with a reason as soon as one of Ray's servers, a child of this process, dies."""
    import psutil  # Ray brings it

    servers: dict[str, psutil.Process] = {}
    while not stop.wait(BETWEEN_CHECKS):
        if len(servers) < len(SERVERS):
            with suppress(psutil.NoSuchProcess):  # a child that has just ended, such as one that counts GPUs
                children = {child.name(): child for child in psutil.Process().children()}
                servers |= {name: children[name] for name in SERVERS if name in children}
        for name, server in servers.items():
            is_dead = True
            with suppress(psutil.NoSuchProcess):
                is_dead = server.status() == psutil.STATUS_ZOMBIE
            if is_dead and not stop.is_set():
                lost(f"Ray's process {name} has died")
                return


def start_cleaner(folder: str) -> None:
    """Start a process that ends the group of this one and removes its folder."""
    program = CLEANER.format(path=sys.path, group=os.getpgrp(), folder=folder)
    subprocess.Popen([sys.executable, "-c", program], start_new_session=True)


def end_group(group: int, folder: str) -> None:
    """End a group of processes with SIGKILL, and remove the folder of its local cluster, if it has one."""
    with suppress(ProcessLookupError, PermissionError):  # macOS does not permit it if all are dead
        os.killpg(group, signal.SIGKILL)
    if folder:
        remove_folder(folder)
