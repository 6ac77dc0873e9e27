"""A step put in the place of the one of its name in a derivation, and what the court says of it then."""

from collections.abc import Callable
from dataclasses import replace

from ndis_verify.court.proof_structure import problems
from ndis_verify.symbolic.derivation import Derivation, Step


def said_of(derive: Callable[[], Derivation], step: Step) -> str:
    """The problems of the derivation with `step` in it."""
    whole = derive()
    steps = tuple(step if one.name == step.name else one for one in whole.steps)
    return "; ".join(problems(replace(whole, steps=steps, faults=())))
