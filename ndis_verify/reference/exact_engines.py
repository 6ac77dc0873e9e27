"""The engines of the line protocol that need neither numpy nor scipy: oracle (two routes) and certified (Arb)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ndis_verify import oracle
from ndis_verify.enclosure import Enclosure
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.reference.quantities import QUANTITIES, Answer
from ndis_verify.reference.readable import decimals

Engine = dict[str, Callable[[dict[str, Any], int], Answer]]


def arguments_of(name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs by the names of the arguments, which the three witnesses share."""
    if "mean_p" in inputs:
        (last,) = (key for key in inputs if key in ("epsilon", "delta"))
        pair = GaussianPair(inputs["mean_p"], inputs["cov_p"], inputs["mean_q"], inputs["cov_q"])
        return {"pair": pair, last: inputs[last]}
    return {key: inputs[key] for key in QUANTITIES[name].inputs}


def _answer(function: Callable[..., Enclosure], name: str) -> Callable[[dict[str, Any], int], Answer]:
    def answer(inputs: dict[str, Any], digits: int) -> Answer:
        enclosure = function(**arguments_of(name, inputs), digits=digits)
        return (*decimals(enclosure, digits), enclosure.basis)

    return answer


def _engine(prefix: str) -> Engine:
    return {
        name: _answer(getattr(oracle, prefix + name), name) for name in QUANTITIES if hasattr(oracle, prefix + name)
    }


ORACLE = _engine("")
CERTIFIED = _engine("certified_")
