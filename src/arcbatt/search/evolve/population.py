"""The population of an island: members by fitness and size, each behaviour once, never more than a bound."""

from bisect import insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import Any

from arcbatt.program.graph import Program

FOUNDERS = 4  # one member in so many may be a founder


@dataclass(frozen=True, eq=False)
class Member:
    """A program of a population: how fit it is, how many nodes it has, what it does.

    `behaviour` is a digest of its outputs on all inputs of the task. `exact` tells whether every demo sample
    is right. `born` is its generation. Of its single edits the first `edited` have been tried; it is
    `exhausted` after the last.
    """

    program: Program
    fitness: float
    size: int
    behaviour: int
    exact: bool
    born: int = 0
    edited: int = 0
    exhausted: bool = False

    @property
    def rank(self) -> tuple[Any, ...]:
        """Best first: exact ones, then by fitness, then by size; the digest decides between equals."""
        return not self.exact, -self.fitness, self.size, self.program.root.digest


class Population:
    """Members, best first; no two behave alike, the smaller one stays.

    An exact member counts as fitter than all that are not, whatever a fitness of the user's own says. The
    front are the members that no other dominates. Where there are more than `most`, the least fit of
    those behind the front goes, and of the front only if there are no others. Founders stay until all their
    single edits have been tried: a short way may lead from a poor seed to a program that fits, while programs
    that come nearer at first lead nowhere.
    """

    def __init__(self, members: Iterable[Member], most: int) -> None:
        self.members = sorted(members, key=_rank)
        self.most = most
        self._least: float | None = None
        self._by_behaviour = {member.behaviour: member for member in self.members}

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    def __contains__(self, member: Member) -> bool:
        return self._by_behaviour.get(member.behaviour) is member

    def __len__(self) -> int:
        return len(self.members)

    def front(self) -> list[Member]:
        """The members that no other dominates, best first."""
        found: list[Member] = []
        smallest = inf
        for member in self.members:
            if member.size < smallest:
                found.append(member)
                smallest = member.size
        return found

    def founders(self) -> list[Member]:
        """The best of the first generation that have single edits left, and do not fit the task."""
        waiting = (each for each in self.members if not (each.born or each.exhausted or each.exact))
        return list(islice(waiting, self.most // FOUNDERS))

    @property
    def least(self) -> float:
        """A program that is not exact must be fitter than this; all are taken while there is room."""
        if self._least is None:
            self._least = self._worst().fitness if len(self.members) >= self.most else -inf
        return self._least

    def admits(self, fitness: float, size: int, behaviour: int, exact: bool) -> bool:
        """Whether a program may be taken: exact or fit enough, and smaller than one that behaves alike."""
        known = self._by_behaviour.get(behaviour)
        if known is None:
            return exact or fitness > self.least
        return size < known.size and known not in self.founders()

    def take(self, new: Member) -> bool:
        """Add a member if it is admitted; whether it stays."""
        if not self.admits(new.fitness, new.size, new.behaviour, new.exact):
            return False
        known = self._by_behaviour.get(new.behaviour)
        if known is not None:
            self._drop(known)
        self._by_behaviour[new.behaviour] = new
        insort(self.members, new, key=_rank)
        self._least = None
        if len(self.members) > self.most:
            worst = self._worst()
            self._drop(worst)
            return worst is not new
        return True

    def replace(self, member: Member, **changes: Any) -> None:
        """Put a member with other fields in the place of one that may be gone by now."""
        if self._by_behaviour.get(member.behaviour) is member:
            place = self.members.index(member)
            self.members[place] = self._by_behaviour[member.behaviour] = replace(member, **changes)

    def _worst(self) -> Member:
        """The member to go next: the last one behind the front that is no founder, if there is one."""
        staying = {*self.front(), *self.founders()}
        return next((member for member in reversed(self.members) if member not in staying), self.members[-1])

    def _drop(self, member: Member) -> None:
        self._least = None
        self.members.remove(member)
        del self._by_behaviour[member.behaviour]


def _rank(member: Member) -> tuple[Any, ...]:
    return member.rank
