"""What the pool of a cluster and its broker, a process that speaks to Ray, say to each other."""

from typing import NamedTuple, TypeAlias


class Function(NamedTuple):
    """The pickled function that all units are for; the first message to a broker.

    `release` is the release of arcbatt that a node must have. The function runs on the CPUs of nodes, on
    their GPUs, or on both.
    """

    digest: str
    pickled: bytes
    release: str
    on_cpus: bool = True
    on_devices: bool = False


class Unit(NamedTuple):
    """A pickled item to answer, by its number."""

    number: int
    item: bytes


class Ready(NamedTuple):
    """The cluster as it is now: nodes, and places where a unit can run at the same time.

    A broker says it every second: from one that is silent for long nothing more is to be expected.
    """

    nodes: int
    places: int
    devices: int = 0


class Done(NamedTuple):
    """The pickled answer to a unit."""

    number: int
    answer: bytes


class Trouble(NamedTuple):
    """An event that the person should know of; work goes on."""

    text: str


class Loss(NamedTuple):
    """Why a broker has lost its cluster, or could not start it: its last message. Another may succeed."""

    text: str


class Hopeless(NamedTuple):
    """A reason why no work can go on: one sentence."""

    text: str


ToBroker: TypeAlias = Function | Unit
FromBroker: TypeAlias = Ready | Done | Trouble | Loss | Hopeless
