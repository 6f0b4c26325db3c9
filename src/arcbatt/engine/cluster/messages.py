"""What the pool of a cluster and its broker, a process that speaks to Ray, say to each other."""

from typing import NamedTuple, TypeAlias


class Function(NamedTuple):
    """The pickled function that all units are for; the first message to a broker."""

    digest: str
    pickled: bytes


class Unit(NamedTuple):
    """A pickled item to answer, by its number."""

    number: int
    item: bytes


class Ready(NamedTuple):
    """The cluster as it is now: nodes, and places where a unit can run at the same time."""

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


class Hopeless(NamedTuple):
    """A reason why no work can go on: one sentence."""

    text: str


ToBroker: TypeAlias = Function | Unit
FromBroker: TypeAlias = Ready | Done | Trouble | Hopeless
