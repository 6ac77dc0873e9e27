"""Judge one answer of an implementation under test against one reference row; one-sided where safety is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import InputError, exact

# Which side of the true value is safe: a divergence, an epsilon or a noise level may be too large, a leverage too
# small.
# Distribution functions enter a divergence with both signs, so neither side of theirs is.
SAFE_SIDE = {
    "hockey_stick": 1,
    "log_hockey_stick": 1,
    "epsilon_for_delta": 1,
    "generalized_chi2_cdf": 0,
    "generalized_chi2_sf": 0,
    "gaussian_hockey_stick": 1,
    "gaussian_std": 1,
    "rp_hockey_stick": 1,
    "rp_leverage": -1,
    "rp_ridge": 1,
    "als_hockey_stick": 1,
    "als_exact_hockey_stick": 1,
}
# What noise is drawn with and budgets are spent by: an error on the unsafe side breaks a promise, however small it is.
ONE_SIDED = ("epsilon_for_delta", "gaussian_std", "rp_leverage", "rp_ridge")
HALF = Fraction(1, 2)
OUTCOMES = ("tight", "loose", "unsafe", "invalid", "refused", "crashed", "timeout", "inconclusive")
FAILING = ("unsafe", "invalid", "crashed", "timeout")
HALF_ULP = Fraction(1, 2**53)
TINY = Fraction(1, 2**1022)  # below it binary64 loses digits: an error of one step, 2^-1074, is granted there
STEP = Fraction(1, 2**1074)


@dataclass(frozen=True)
class Judgement:
    """One row's outcome (of `OUTCOMES`), why, the answer as given, its error relative to the value and in ulps, the
    time.
    """

    quantity: str
    row: str
    flags: tuple[str, ...]
    outcome: str
    message: str
    answer: str | None = None
    relative_error: float | None = None
    ulps: float | None = None
    seconds: float = 0.0

    @property
    def key(self) -> str:
        return f"{self.quantity}/{self.row}"


def judge(
    quantity: str,
    row: dict[str, Any],
    answer: dict[str, Any],
    tolerance: Fraction,
    seconds: float = 0.0,
    unsafe_ulps: Fraction | None = HALF,
) -> Judgement:
    """The outcome of one well-formed answer object: `{"value": ...}` or `{"error": ...}`.

    tight: within `tolerance` of the value, relatively. Beyond it: loose on the safe side, unsafe on the other.
    Calibrations and epsilons are granted `unsafe_ulps` units in the last place on the unsafe side and no more (None:
    the tolerance). invalid: no finite number, or a number for an input that has to be refused. refused: a valid input
    declined. inconclusive: the row's own radius is wider than the tolerance. An error that is null, false or "" is
    none; an error beside a value is invalid.
    """
    facts = {"quantity": quantity, "row": row["name"], "flags": tuple(row["flags"]), "seconds": seconds}
    text, error = answer.get("value"), answer.get("error")
    refuses = "error" in answer and error is not None and error is not False and error != ""
    if refuses and text is None:
        return _refusal(row, error, facts)
    if refuses:
        return Judgement(**facts, outcome="invalid", message="a value and an error in one answer", answer=_shown(text))
    if "error" in row:
        return Judgement(
            **facts,
            outcome="unsafe",
            message=f"answered, and must refuse {row['error']['argument']}",
            answer=_shown(text),
        )
    try:
        given = exact(text, "value") if isinstance(text, (str, int)) else None
    except InputError:
        given = None
    if given is None:
        return Judgement(
            **facts, outcome="invalid", message="the value is no finite decimal number", answer=_shown(text)
        )
    granted = None if unsafe_ulps is None or quantity not in ONE_SIDED else 2 * HALF_ULP * unsafe_ulps
    return _compared(quantity, row, given, _shown(text), tolerance, granted, facts)


def _refusal(row: dict[str, Any], error: Any, facts: dict[str, Any]) -> Judgement:
    message = str(error.get("message", ""))[:200] if isinstance(error, dict) else str(error)[:200]
    if "error" in row:
        named = error.get("argument") if isinstance(error, dict) else None
        right = (
            ""
            if named in (None, row["error"]["argument"])
            else f", but names {_shown(named)} and not {row['error']['argument']}"
        )
        return Judgement(**facts, outcome="tight", message=f"refused as it must be{right}")
    return Judgement(**facts, outcome="refused", message=message or "refused")


def _compared(
    quantity: str,
    row: dict[str, Any],
    given: Fraction,
    shown: str,
    tolerance: Fraction,
    granted: Fraction | None,
    facts: dict[str, Any],
) -> Judgement:
    """`granted`: the relative error that is allowed on the unsafe side; None: the tolerance."""
    value, radius = Fraction(row["value"]), Fraction(row["radius"])
    gap, size = given - value, abs(value)
    relative = _ratio(gap, size)
    measured: dict[str, Any] = {"answer": shown, "relative_error": relative, "ulps": _ratio(abs(gap), _ulp(value))}
    allowed = size * tolerance + (STEP if size < TINY else 0)
    if radius > max(allowed, size * HALF_ULP) and radius:
        return Judgement(
            **facts, **measured, outcome="inconclusive", message="the row's radius is wider than the tolerance"
        )
    side = SAFE_SIDE[quantity]
    wrong_way = side == 0 or gap * side < 0
    if granted is not None and wrong_way:
        allowed = size * granted
    if abs(gap) <= allowed + radius:
        return Judgement(**facts, **measured, outcome="tight", message="")
    words = f"{shown} against {_short(row['value'])}, relative error {relative:.2g}"
    return Judgement(**facts, **measured, outcome="unsafe" if wrong_way else "loose", message=words)


def _ulp(value: Fraction) -> Fraction:
    """The spacing of binary64 numbers at `value`."""
    return max(Fraction(math.ulp(float(abs(value)))), STEP)


def _ratio(number: Fraction, size: Fraction) -> float:
    if number == 0:
        return 0.0
    try:
        return float(number / size)
    except (OverflowError, ZeroDivisionError):  # the answer may be any number that can be written
        return math.inf if number > 0 else -math.inf


def _short(value: str) -> str:
    """The first digits of a decimal, with its exponent."""
    digits, sign, exponent = value.partition("e")
    return digits[:20] + sign + exponent


def _shown(text: Any) -> str:
    shown = text if isinstance(text, str) else repr(text)
    return shown if len(shown) <= 60 else shown[:57] + "..."
