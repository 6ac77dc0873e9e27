"""Which derivations one run of the court has decided, so that each is decided by one of its processes.

The derivations of the ledger stand on one another, and most are the proof of several claims: the processes of a run
would each decide nearly all of them. A run decides them first, one by one, by whichever process is free (`proved`), and
then tells all of them which were found true (`told`): every step, and how the steps hang together. What was found false
or was not decided is not told, and is decided again where it is met.

Told is the name of a function of this package under the hash of the sources; it is believed by a process with the same
sources, of the very object that the function gives. A planted fault is another object, whatever its id: of it only the
steps are taken that it shares with the derivation, as ever. Nothing is read from a file, and nothing outlasts the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import NamedTuple

from ndis_verify.court.proof_structure import problems
from ndis_verify.runs.identity import identity
from ndis_verify.symbolic import builders
from ndis_verify.symbolic.derivation import DECIDED, Derivation


class Builder(NamedTuple):
    """The name of a function that gives a derivation."""

    module: str
    function: str

    def __str__(self) -> str:
        return f"{self.module.rpartition('.')[2]}.{self.function}"

    def derivation(self) -> Derivation:
        """What it gives, the same object every time."""
        derivation: Derivation = getattr(import_module(self.module), self.function)()
        return derivation


class Told(NamedTuple):
    """What a run knows: the hash of its sources, and by the ids of derivations that are true the functions."""

    sources: str
    true: dict[str, Builder]


_told: ContextVar[Told | None] = ContextVar("derivations that this run has decided", default=None)


def all_builders() -> tuple[Builder, ...]:
    """The functions behind all derivations of the package; none of them is called."""
    return tuple(Builder(build.__module__, build.__qualname__) for build in builders())


def proved(builder: Builder) -> tuple[str, str] | None:
    """The id of a derivation all of whose steps are true and hang together, and the hash of the sources; None of any
    other.
    """
    derivation = builder.derivation()
    if builder.derivation() is not derivation:
        return None
    if not all(derivation.holds(step) is True for step in derivation.steps if step.kind in DECIDED):
        return None
    return None if problems(derivation) else (derivation.id, sources())


def told_by(found: Iterable[tuple[Builder, tuple[str, str] | None]]) -> Told:
    """What `proved` said of derivations; of processes that have other sources than this one nothing is taken."""
    own = sources()
    return Told(own, {one[0]: builder for builder, one in found if one is not None and one[1] == own})


@contextmanager
def told(known: Told | None) -> Iterator[None]:
    """Inside, the derivations that `known` has are true, in a process that has the same sources."""
    token = _told.set(known if known is not None and known.sources == sources() else None)
    try:
        yield
    finally:
        _told.reset(token)


def is_told(derivation: Derivation) -> bool:
    """Whether this run has decided that it is true: this object, not one with its id."""
    known = _told.get()
    builder = None if known is None else known.true.get(derivation.id)
    return builder is not None and builder.derivation() is derivation


def sources() -> str:
    """The hash of the package as this process found it."""
    return identity("proofs of a run")
