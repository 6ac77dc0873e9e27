"""The unknowns of a table solved for, and each of its noise levels judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from ndis_verify.exact_number import InputError
from ndis_verify.forensics.declaration import Declaration, PrintedLevel
from ndis_verify.forensics.rules import LEAST, RULES, Interval, Rule, Setting

_MOST = 10**6  # r and d are looked for up to here
_LARGEST_EPSILON = Fraction(1000)
Verdict = Literal["meets", "misses", "not decided"]


@dataclass(frozen=True)
class Judgement:
    """One printed level. ratio: over the bound. delivered: all deltas that the levels printed so deliver at epsilon.
    epsilon: the least at which the greatest of them is certainly met, None above 1000. needed: the least level of its
    mechanism, all of those for the bounds that are possible; None where no rule gives it.
    """

    row: PrintedLevel
    verdict: Verdict
    ratio: Interval
    delivered: Interval
    epsilon: Fraction | None
    needed: Interval | None

    def as_dict(self) -> dict[str, Any]:
        """Plain data: decimals rounded outward."""
        return {
            "label": self.row.label,
            "mechanism": self.row.mechanism,
            "printed": self.row.noise,
            "verdict": self.verdict,
            "over_bound": decimals(self.ratio),
            "delta": decimals(self.delivered),
            "epsilon_at_most": None if self.epsilon is None else decimals((self.epsilon, self.epsilon))[1],
            "needed": None if self.needed is None else decimals(self.needed),
        }


@dataclass(frozen=True)
class Solved:
    """The table with what was unknown: the interval of its bound, the sizes that print the level which fixes them."""

    declaration: Declaration
    setting: Setting
    bound: Interval
    sizes: tuple[tuple[str, int, int], ...]  # name, least and greatest

    def corners(self) -> list[Setting]:
        """The settings of the least and of the greatest sizes that are possible."""
        least, most = self.setting, self.setting
        for name, low, high in self.sizes:
            least, most = least.sized(name, low), most.sized(name, high)
        return [least] if least == most else [least, most]


def judged(declaration: Declaration) -> tuple[Solved, list[Judgement]]:
    """The unknowns, and every row judged. Raises `InputError` where no value of an unknown prints what is printed."""
    found = solved(declaration)
    return found, [judgement(found, row) for row in declaration.rows]


def solved(declaration: Declaration) -> Solved:
    """Norm bound first, then r, then d: each from the row that fixes it."""
    setting, bound, sizes = declaration.setting, declaration.bound, []
    fixing = {row.fixes: row for row in declaration.rows}
    if "bound" in fixing:
        if set(RULES[fixing["bound"].mechanism].needs) & set(declaration.unknown):
            raise InputError("bound", "unknown", "must be fixed by a mechanism whose sizes are known")
        low, high = RULES[fixing["bound"].mechanism].level(setting)
        least, most = fixing["bound"].interval
        bound = least / high, most / low
    if bound is None:
        raise InputError("bound", "none", "must be given or fixed by a row")
    for name in ("r", "d"):
        if name in fixing:
            first, last = _sizes(fixing[name], name, setting, bound)
            sizes.append((name, first, last))
            setting = setting.sized(name, first)
    return Solved(declaration, setting, bound, tuple(sizes))


def _sizes(row: PrintedLevel, name: str, setting: Setting, bound: Interval) -> tuple[int, int]:
    """The least and the greatest size whose level may be printed so: levels grow with both sizes."""
    rule, (least, most) = RULES[row.mechanism], row.interval
    if name not in rule.needs:
        raise InputError("fixes", name, f"must be a size of {row.mechanism}")

    def level(size: int) -> Interval:
        low, high = rule.level(setting.sized(name, size))
        return low * bound[0], high * bound[1]

    first = _first(lambda size: level(size)[1] >= least)
    last = _first(lambda size: level(size)[0] > most) - 1
    if not 1 <= first <= last <= _MOST:
        raise InputError(name, row.noise, f"has no value from 1 to {_MOST} for which {row.mechanism} prints that level")
    return first, last


def _first(holds: Callable[[int], bool]) -> int:
    """The least whole number from 1 on at which a condition that stays true holds; one above the largest if none."""
    high = 1
    while high <= _MOST and not holds(high):
        high *= 2
    low, high = high // 2, min(high, _MOST + 1)  # false at low, true at high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def judgement(found: Solved, row: PrintedLevel) -> Judgement:
    """What one printed level delivers, against what it needs."""
    rule, bound, target = RULES[row.mechanism], found.bound, found.setting
    corners = found.corners()
    ratio = row.interval[0] / bound[1], row.interval[1] / bound[0]
    if row.fixes == "bound":  # which is where it is because of this level: the ratio is the rule's own
        ratio = rule.level(target)
    if ratio[0] <= 0:
        raise InputError("noise", row.noise, "must be above half of its last digit")
    delivered = (
        min(rule.delivered(ratio[1], target.epsilon, corner)[0] for corner in corners),
        max(rule.delivered(ratio[0], target.epsilon, corner)[1] for corner in corners),
    )
    least = RULES[LEAST[row.mechanism]]
    needed = None if least.asked is None else _hull([least.level(corner) for corner in corners])
    verdict: Verdict = "not decided"
    if delivered[1] <= target.delta:
        verdict = "meets"
    elif delivered[0] > target.delta:
        verdict = "misses"
    return Judgement(
        row,
        verdict,
        ratio,
        delivered,
        _epsilon(rule, ratio[0], corners),
        None if needed is None else (needed[0] * bound[0], needed[1] * bound[1]),
    )


def _hull(intervals: Sequence[Interval]) -> Interval:
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _epsilon(rule: Rule, level: Fraction, corners: Sequence[Setting]) -> Fraction | None:
    """An epsilon, within 10^-4 of the least, at which the level certainly delivers the target's delta."""

    def meets(epsilon: Fraction) -> bool:
        return all(rule.delivered(level, epsilon, corner)[1] <= corner.delta for corner in corners)

    high = Fraction(1, 64)
    while not meets(high):
        if high >= _LARGEST_EPSILON:
            return None
        high *= 2
    low = high / 2 if high > Fraction(1, 64) else Fraction(0)
    if not low and meets(low):
        return low
    while high - low > high / 10**4:
        middle = (low + high) / 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def decimals(interval: Interval, digits: int = 6) -> tuple[str, str]:
    """Both ends with that many digits, the lower one rounded down and the upper one up."""
    return _rounded(interval[0], digits, -1), _rounded(interval[1], digits, 1)


def _rounded(value: Fraction, digits: int, way: int) -> str:
    if value == 0:
        return "0"
    exponent = _length(value.numerator) - _length(value.denominator) - digits
    scaled = value / Fraction(10) ** exponent
    whole = -(-scaled.numerator // scaled.denominator) if way > 0 else scaled.numerator // scaled.denominator
    found = Decimal(whole).scaleb(exponent).normalize()
    return format(found, "f") if -6 <= found.adjusted() <= 8 else str(found).replace("E", "e")


def _length(number: int) -> int:
    """Decimal digits of a positive number, which may have more of them than Python prints."""
    most = int(number.bit_length() * 0.30103) + 1
    return most - (number < 10 ** (most - 1))
