"""The package's own engines behind the line protocol: fast (float64), oracle (two routes) and certified (Arb)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ndis_verify import fast
from ndis_verify.exact_number import InputError, exact
from ndis_verify.fast.accuracy import MARGINS, PROMISES, SEARCHED, margin, projection_error, promise, sketch_error
from ndis_verify.reference.exact_engines import CERTIFIED, ORACLE, arguments_of
from ndis_verify.reference.quantities import QUANTITIES, Answer

SMALLEST = 5e-324  # a radius below it would be printed as 0
_CHI2_ARGUMENTS = ("weights", "dofs", "noncentralities", "std", "shift", "x")


def _fast_value(name: str, inputs: dict[str, Any]) -> float:
    if name.startswith("generalized_chi2"):
        for argument in _CHI2_ARGUMENTS[1:3]:
            if len(inputs[argument]) != len(inputs["weights"]):  # the class would broadcast a list of one
                raise InputError(argument, len(inputs[argument]), "must have as many entries as weights")
        law = fast.GeneralizedChi2(*(_floats(inputs[key], key) for key in _CHI2_ARGUMENTS[:-1]))
        method = law.cdf if name.endswith("cdf") else law.sf
        return float(method(_floats(inputs["x"], "x")))
    given = arguments_of(name, inputs)
    exactly = ("pair", "d", "r", "direction")
    return float(
        getattr(fast, name)(**{key: value if key in exactly else _floats(value, key) for key, value in given.items()})
    )


def _floats(value: Any, argument: str) -> Any:
    if isinstance(value, list):
        return [float(exact(entry, argument)) for entry in value]
    return float(exact(value, argument))


def _relative_error(name: str, value: float, inputs: dict[str, Any]) -> float:
    """What `ndis_verify.fast` documents, never less than for a curve of any pair."""
    if name == "als_exact_hockey_stick":
        return float(sketch_error(value, float(inputs["r"])))
    if name.startswith("rp_"):
        return SEARCHED * float(projection_error(float(inputs["r"])))
    kept = (margin(name) if name in MARGINS else 0.0, promise(name) if name in PROMISES else 0.0)
    return max(*kept, promise("hockey_stick"))


def _fast_answer(name: str) -> Callable[[dict[str, Any], int], Answer]:
    # Loaded now: a process that answers under a bound on memory must not meet it while it imports.
    _ = fast.GeneralizedChi2 if name.startswith("generalized_chi2") else getattr(fast, name)

    def answer(inputs: dict[str, Any], digits: int) -> Answer:
        value = _fast_value(name, inputs)
        radius = "0" if value == 0 else f"{max(abs(value) * _relative_error(name, value, inputs), SMALLEST):.0e}"
        return repr(value), radius, "estimate"

    return answer


ENGINES: dict[str, dict[str, Callable[[dict[str, Any], int], Answer]]] = {
    "fast": {name: _fast_answer(name) for name in QUANTITIES},
    "oracle": ORACLE,
    "certified": CERTIFIED,
}
