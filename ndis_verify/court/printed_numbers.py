"""Whether what is typed is what is checked: the numbers of a counterexample, and the ends of a certified box, stand in
the texts.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ndis_verify.claim import Claim
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.certify_checks import BoxRun

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NUMBER = re.compile(r"(\d{1,40}(?:\.\d{1,40})?(?:e[-+]?\d{1,3})?)(?:/(\d{1,40}))?")
_POWER = re.compile(r"(\d{1,3})\^(-?\d{1,4})")


def numbers(text: str) -> set[Fraction]:
    """The numbers that a text has: 12, 1,797, 0.25, 1e-6, 1/4 (and 1, and 4), 10^9; without their signs."""
    plain = _THOUSANDS.sub("", text)
    found = set()
    for match in _NUMBER.finditer(plain):
        above = Fraction(match[1])
        found.add(above)
        if match[2]:
            found.add(Fraction(match[2]))
            found.add(above / int(match[2]) if int(match[2]) else above)
    return found | {Fraction(int(m[1])) ** int(m[2]) for m in _POWER.finditer(plain) if int(m[1])}


def unprinted(claim: Claim) -> list[str]:
    """What is checked at other numbers than the claim prints."""
    return [*_unprinted_points(claim), *_unprinted_boxes(claim)]


def _unprinted_boxes(claim: Claim) -> list[str]:
    """Boxes with an end that neither the claim nor the name of the check says."""
    if claim.source == "OWN":
        return []
    texts = [claim.statement, *claim.hypotheses, claim.formula or "", claim.corrected or "", claim.note, claim.reason]
    return [
        f"{check.name}: {side} is certified, and no text of the claim has its ends"
        for check in claim.checks
        if isinstance(check.run, BoxRun)
        for said in [numbers(" ".join([*texts, check.name]))]
        for side in check.run.box
        if not {abs(side.low), abs(side.high)} <= said
    ]


def _unprinted_points(claim: Claim) -> list[str]:
    """What is wrong with a typed counterexample: no certified point has all of its numbers in the claim's texts."""
    points = [check.run.point for check in claim.checks if isinstance(check.run, PointRun)]
    if claim.stated is not None or claim.source == "OWN" or not points:
        return []
    said = numbers(" ".join([claim.counterexample or "", claim.statement, *claim.hypotheses]))
    missing = [
        [
            name
            for name, value in point.items()
            if isinstance(value, (int, Fraction)) and abs(Fraction(value)) not in said
        ]
        for point in points
    ]
    fewest = min(missing, key=len)
    wrong = [f"counterexample: its text has not the {', '.join(fewest)} that is checked"] if fewest else []
    return wrong + [
        f"counterexample: {name} is {', '.join(sorted(map(str, stated)))}, checked is {', '.join(map(str, checked))}"
        for name in dict.fromkeys(name for point in points for name in point)
        if (checked := [abs(Fraction(p[name])) for p in points if isinstance(p.get(name), (int, Fraction))])
        and (stated := _stated(name, claim.counterexample or ""))
        and not stated & set(checked)
    ]


def _stated(name: str, text: str) -> set[Fraction]:
    """Every number that a text gives a name: `n = 12`."""
    pattern = rf"(?<![\w'/^*]){re.escape(name)} = ({_NUMBER.pattern})(?![\w^(*.])"
    return set().union(*(numbers(match[1]) for match in re.finditer(pattern, _THOUSANDS.sub("", text))))
