"""Claims about single numbers that public tests and pages of other projects expect: which are right, which not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.domain import Point
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick

_GO = "google/differential-privacy, go/noise/gaussian_noise_test.go (commit b5b0286e)"
_PYTHON = "google/differential-privacy, python/dp_accounting, pld/privacy_loss_mechanism_test.py (commit b5b0286e)"
_CHI2COMB = "limix/chi2comb-py, README.md (commit 9a09a327)"
GAUSSIAN = (  # sensitivity, std, epsilon, the delta that is expected
    (1, "10", "0.1", "0.008751768145810"),
    (1, "0.5", "0", "0.6826894921370859"),
    (1, "1", "1", "0.12693674"),
    (3, "1", "1", "0.78760074"),
    (1, "1", "2", "0.02092364"),
    (1, "1", "2", "0.020923636"),
    (1, "1", "0", "0.38292492"),
    (2, "1", "1", "0.50986166"),
    (2, "1", "2", "0.331897999"),
)


def half_unit(printed: str) -> Fraction:
    """Half of the last printed digit."""
    digits, _, exponent = printed.partition("e")
    return Fraction(1, 2) * Fraction(10) ** (int(exponent or 0) - len(digits.partition(".")[2]))


def _right(units: Fraction) -> Callable[[str], Evidence]:
    """Whether every expected delta is within `units` halves of its last digit."""

    def run(effort: str) -> Evidence:
        held, nearest = True, Fraction(0)
        for sensitivity, std, epsilon, printed in GAUSSIAN:
            true = gaussian_hockey_stick(sensitivity, std, epsilon, 25)
            off = max(abs(true.upper - Fraction(printed)), abs(true.lower - Fraction(printed))) / half_unit(printed)
            held, nearest = held and off <= units, max(nearest, off)
        outcome = Outcome.HELD if held else Outcome.FAILED
        detail = f"at most {float(nearest):.3f} halves of a last digit away"
        return Evidence(outcome, "ball arithmetic", detail, count=len(GAUSSIAN), counted="values")

    return run


def _beyond(true: Callable[[], Enclosure], unit: Fraction) -> Callable[[Point], Enclosure]:
    def violation(point: Point) -> Enclosure:
        found = true()
        with working_bits(700):
            return enclosure(abs(ball(found.lower).union(ball(found.upper)) - ball(point["printed"])) - ball(unit))

    return violation


def _small() -> Enclosure:
    return gaussian_hockey_stick(10, 500, "0.5", 25)


def _readme() -> Enclosure:
    return generalized_chi2_cdf((6, 3, 1), (1, 1, 2), (Fraction(1, 2), 0, 0), 2, 0, 1, 20)


def false_number(id: str, true: Callable[[], Enclosure], printed: str, right: str, wide: int, **texts: Any) -> Claim:
    return Claim(
        id=id,
        source="PKG",
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "the number as it stands there",
                _beyond(true, half_unit(printed)),
                {"printed": Fraction(printed)},
                {
                    "the true digits": {"printed": Fraction(right)},
                    "fewer digits": _beyond(true, half_unit(printed) * 10**wide),
                },
            ),
        ),
        tags=("table",),
        **texts,
    )


CLAIMS = (
    Claim(
        id="PKG-google-gaussian",
        source="PKG",
        title="the deltas of Gaussian noise that Google's tests expect",
        statement="Nine deltas of the Gaussian mechanism, with 7 to 16 digits, are right to their last digit.",
        formula="|printed - delta(eps)| <= half of the last digit",
        hypotheses=(_GO, _PYTHON),
        declared=Verdict.CERTIFIED,
        checks=(
            Check(
                "all nine enclosed",
                Kind.ENCLOSURE,
                _right(Fraction(1)),
                {"to a tenth of that": _right(Fraction(1, 10)), "to a third of that": _right(Fraction(1, 3))},
            ),
        ),
        tags=("table",),
    ),
    false_number(
        "PKG-google-small-delta",
        _small,
        "3.129776773173962e-141",
        "3.129776772980134e-141",
        7,
        title="a small delta in the tests of Google's Go library",
        statement="Noise 500 at sensitivity 10 has delta(1/2) = 3.129776773173962e-141, as a comment says.",
        formula="|3.129776773173962e-141 - delta(1/2)| <= 5e-157",
        hypotheses=(_GO,),
        counterexample="delta(1/2) = 3.129776772980134...e-141: the tenth digit is wrong, and all after it.",
        corrected="delta(1/2) = 3.129776772980134e-141.",
        note="A difference of two tails, of which the second has e^eps before it, loses these digits.",
    ),
    false_number(
        "PKG-chi2comb-readme",
        _readme,
        "0.0587",
        "0.0509",
        3,
        title="the example on chi2comb's page",
        statement="6 X + 3 Y + Z + 2 G of the example on that page is below 1 with probability 0.0587.",
        formula="|0.0587 - Pr[Q < 1]| <= 5e-5",
        hypotheses=(_CHI2COMB, "X noncentral with 0.5 and one degree, Y with one, Z with two, G standard normal"),
        counterexample="Pr[Q < 1] = 0.0508639236...",
        corrected="0.0509; the program's own 0.050870657 beside it is right to 7e-6, within the 1e-4 that it asks for.",
    ),
)
