"""Printed slips that no other record carries: swapped table rows, a lost logarithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from flint import arb

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict

_TEXT = {"Song": 515345, "Flight": 327346}  # section 7.2, with 91 and 2 features
_TABLES = {"Song": 327346, "Flight": 515345}


def _sizes_differ(rows: Mapping[str, int]) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        wrong = [name for name, size in rows.items() if size != _TEXT[name]]
        swapped = wrong and {rows[name] for name in wrong} == {_TEXT[name] for name in wrong}
        detail = f"{', '.join(wrong)} exchanged" if swapped else "rows as in the text"
        return Evidence(
            Outcome.HELD if swapped else Outcome.FAILED, "printed numbers", detail, count=len(rows), counted="rows"
        )

    return run


def _two_bins(epsilon: Callable[[Fraction], arb]) -> Callable[[str], Evidence]:
    """P = (3/4, 1/4), Q = (1/4, 3/4), delta = 1/4: is the divergence at the printed epsilon provably not delta?"""

    def run(effort: str) -> Evidence:
        p, q, delta = (arb(3) / 4, arb(1) / 4), (arb(1) / 4, arb(3) / 4), Fraction(1, 4)
        factor = epsilon((Fraction(3, 4) - delta) / Fraction(1, 4)).exp()
        divergence = sum(((a - factor * b).max(arb(0)) for a, b in zip(p, q)), arb(0))
        gap = divergence - arb(delta.numerator) / delta.denominator
        held = bool(gap > 0) or bool(gap < 0)
        return Evidence(Outcome.HELD if held else Outcome.FAILED, "Arb", f"H - delta = {gap.str(5)}", count=1)

    return run


CLAIMS = (
    Claim(
        id="N24-Tab-sizes",
        source="N24",
        title="sizes of the Song and Flight data in the tables",
        statement="Tables I to IV label their rows Song n = 327346 and Flight n = 515345.",
        hypotheses=("the sizes of section 7.2's text",),
        declared=Verdict.REFUTED,
        checks=(
            Check(
                "tables against the text",
                Kind.COUNTEREXAMPLE,
                _sizes_differ(_TABLES),
                {"rows as in the text": _sizes_differ(_TEXT)},
            ),
        ),
        counterexample=(
            "The text: the flight data have 327346 records and 2 features, the song data 515345 records and 91"
            " features."
        ),
        corrected="Song n = 515345, Flight n = 327346.",
        note=(
            "Whether the labels or the whole rows are exchanged cannot be read off; whoever compares with these rows"
            " must ask which."
        ),
        tags=("misprint", "words"),
    ),
    Claim(
        id="KM-AppE-log",
        source="KM",
        title="epsilon from two bins, Appendix E",
        statement=(
            "Setting the two-bin divergences equal to delta gives eps = (p1 - delta)/q1 and eps = (q2 - delta)/p2."
        ),
        hypotheses=("two bins", "p1 > q1", "0 <= delta < p1"),
        declared=Verdict.REFUTED,
        checks=(
            Check(
                "two bins with delta = 1/4",
                Kind.COUNTEREXAMPLE,
                _two_bins(lambda ratio: arb(ratio.numerator) / ratio.denominator),
                {"with the logarithm": _two_bins(lambda ratio: (arb(ratio.numerator) / ratio.denominator).log())},
            ),
        ),
        counterexample=(
            "P = (3/4, 1/4), Q = (1/4, 3/4), delta = 1/4: printed eps = 2, where the divergence is 0; eps = log 2 gives"
            " 1/4."
        ),
        corrected="eps = log((p1 - delta)/q1) and eps = log((q2 - delta)/p2), as the lemma itself prints (KM-6.1).",
        note="Code written from the appendix reports an epsilon that is too large, e^eps in place of eps.",
        tags=("misprint",),
    ),
)
