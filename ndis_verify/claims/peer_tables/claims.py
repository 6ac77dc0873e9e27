"""Claims about the printed probabilities of Davies' algorithm, which other projects expect to the last digit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.peer_tables.davies import ASKED, ENTRY_ROWS, IMHOF_ROWS, LAST, PRINTED, ROWS, Law, off
from ndis_verify.claims.peer_tables.expectations import half_unit
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.domain import Point
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits

_CITED = "R. B. Davies, Applied Statistics 29 (1980), AS 155: 13 laws, 39 probabilities"
_TABLE = (
    "R. B. Davies, Applied Statistics 29 (1980), Table 3: 7 of the forms listed by J. P. Imhof, Biometrika 48 (1961)"
)
_ENTRIES = (
    "CompQuadForm 1.4.4, manual of `imhof`: three entries of Table 1, p. 424, of J. P. Imhof, Biometrika 48 (1961)",
    "Q1 = 0.6 X + 0.3 Y + 0.1 Z, each chi-square with one degree of freedom; Q2 the same with two",
    "Q6 = 0.7 X + 0.3 Y, one degree of freedom each, noncentralities 6 and 2",
)
_FOURTH = Fraction(1, 2 * 10**4)
_TABLE_3 = tuple((law, x, printed) for law, x, printed in IMHOF_ROWS if any(law is of for of, *_ in ENTRY_ROWS))
_WORST: Law = PRINTED[1][0]  # 6, 3, 1 times chi-square with two degrees of freedom


def _all_within(limit: Fraction, rows: Sequence[tuple[Law, int, str]] = ROWS) -> Callable[[str], Evidence]:
    def run(effort: str) -> Evidence:
        far = [off(*row)[1] for row in rows]
        right = sum(distance <= half_unit(row[2]) for distance, row in zip(far, rows, strict=True))
        held = all(distance <= limit for distance in far)
        detail = f"greatest distance {float(max(far)):.2g}; {right} of {len(rows)} right to the last printed digit"
        return Evidence(
            Outcome.HELD if held else Outcome.FAILED, "ball arithmetic", detail, count=len(far), counted="values"
        )

    return run


def _beyond(limit: Fraction) -> Callable[[Point], Enclosure]:
    """By how much the printed number misses the true probability of a value of at most x, less `limit`."""

    def violation(point: Point) -> Enclosure:
        true = _WORST.below(int(point["x"]))
        with working_bits(120):
            printed = ball(point["printed"])
            return enclosure(abs(ball(true.lower).union(ball(true.upper)) - printed) - ball(limit))

    return violation


CLAIMS = (
    Claim(
        id="PKG-Davies-table",
        source="PKG",
        title="the printed probabilities of Davies' algorithm are within the error that it is asked for",
        statement=(
            "Each of the 39 probabilities that the driver of Davies' algorithm AS 155 prints is within 1e-4 of the true"
            " one, the absolute error that the driver asks for."
        ),
        formula="|printed - Pr[Q <= x]| <= 1e-4",
        hypotheses=(_CITED,),
        declared=Verdict.CERTIFIED,
        checks=(
            Check(
                "all 39 values enclosed",
                Kind.ENCLOSURE,
                _all_within(ASKED),
                {"to the last printed digit": _all_within(LAST), "to 1e-5": _all_within(ASKED / 10)},
            ),
        ),
    ),
    Claim(
        id="PKG-Davies-digits",
        source="PKG",
        title="the printed probabilities of Davies' algorithm as expected values",
        statement=(
            "The 39 probabilities that the driver of Davies' algorithm AS 155 prints are right to their last digit, as"
            " test suites of other projects expect (to 5e-7, and 21 of them with 21 digits to 1e-7)."
        ),
        formula="|printed - Pr[Q <= x]| <= 5e-7",
        hypotheses=(_CITED,),
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "6, 3 and 1 times chi-square with two degrees of freedom, x = 2",
                _beyond(LAST),
                {"x": Fraction(2), "printed": Fraction("0.006435")},
                {
                    "the error that was asked for": _beyond(ASKED),
                    "the true digits": {"x": Fraction(2), "printed": Fraction("0.006453")},
                },
            ),
        ),
        counterexample=(
            "6 X + 3 Y + Z, each chi-square with two degrees of freedom: Pr[Q <= 2] = 0.0064528820..., printed 0.006435"
            " (expected by chi2comb as 0.0064348332078802972234)."
        ),
        corrected="They are right to 1e-4 (PKG-Davies-table); four of the 39 to the last digit.",
        note=(
            "An implementation that is right fails such a suite, and one that repeats the algorithm's own truncation"
            " passes it. The reference tables of this package have these laws to 40 digits where asked:"
            " `ndis-verify reference query`."
        ),
        tags=("table",),
    ),
    Claim(
        id="PKG-Davies-Imhof",
        source="PKG",
        title="the printed probabilities of the quadratic forms of Imhof",
        statement=(
            "The 21 probabilities that Table 3 of Davies' paper prints for quadratic forms of Imhof's are right to"
            " their fourth decimal."
        ),
        formula="|printed - Pr[Q <= x]| <= 5e-5",
        hypotheses=(_TABLE,),
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "6, 3 and 1 times chi-square with two degrees of freedom, x = 2, to four decimals",
                _beyond(_FOURTH),
                {"x": Fraction(2), "printed": Fraction("0.0064")},
                {
                    "the error that was asked for": _beyond(ASKED),
                    "the true decimals": {"x": Fraction(2), "printed": Fraction("0.0065")},
                },
            ),
            Check(
                "all 21 values enclosed",
                Kind.ENCLOSURE,
                _all_within(ASKED, IMHOF_ROWS),
                {"to the fourth decimal": _all_within(_FOURTH, IMHOF_ROWS)},
            ),
        ),
        counterexample=(
            "6 X + 3 Y + Z, each chi-square with two degrees of freedom: Pr[Q <= 2] = 0.0064528820..., printed 0.0064."
        ),
        corrected=(
            "All are within 1e-4, the error that the algorithm was asked for; 18 of the 21 are right. The others are"
            " 0.0065 (printed 0.0064), 0.9839 (0.9838) and 0.5647 (0.5648)."
        ),
        note=(
            "0.9838 is as a transcription of the paper reads; the algorithm itself gives 0.983897. Imhof's own table,"
            " of these forms among others, is in no text that could be read here; of three of its entries more is said"
            " in PKG-Imhof-entries."
        ),
        tags=("table",),
    ),
    Claim(
        id="PKG-Imhof-entries",
        source="PKG",
        title="three entries of Imhof's table, which CompQuadForm's manual asks for",
        statement=(
            "To four decimals Pr[Q1 > 2] = 0.1240, Pr[Q2 > 6] = 0.0161 and Pr[Q6 > 15] = 0.0223: what an entry of"
            " Imhof's Table 1 has to say there, and what the examples of CompQuadForm, calls without their numbers,"
            " have to print."
        ),
        formula="|stated - Pr[Q > x]| <= 5e-5",
        hypotheses=_ENTRIES,
        declared=Verdict.CERTIFIED,
        checks=(
            Check(
                "three values enclosed",
                Kind.ENCLOSURE,
                _all_within(_FOURTH, ENTRY_ROWS),
                {
                    "to the fifth decimal": _all_within(_FOURTH / 10, ENTRY_ROWS),
                    "what Davies' Table 3 prints of these forms": _all_within(_FOURTH, _TABLE_3),
                },
            ),
        ),
        note=(
            "Davies' Table 3 has the same forms with weights ten times as large, at ten times the value: 0.8760,"
            " 0.9838 and 0.9777 are the complements of 0.1240, 0.0162 and 0.0223, the second one wrong"
            " (PKG-Davies-Imhof). What Imhof himself prints is not known here."
        ),
        tags=("table",),
    ),
)
