"""The printed probabilities of Davies' algorithm, as public test suites take them over.

R. B. Davies, "The distribution of a linear combination of chi-squared random variables", Applied Statistics 29 (1980),
algorithm AS 155; the driver asks for an absolute error of 1e-4 and prints six decimals. The suites of Hail
(`GeneralizedChiSquaredDistributionSuite`, all 39, to 5e-7) and of chi2comb (21 of them, to some 17 more digits that the
algorithm gives, to 1e-7) expect what it gives.
Table 3 of the paper has 21 of them to four decimals, as "some of the quadratic forms listed by Imhof (1961)",
Biometrika 48. Of that table itself (Table 1, p. 424) no text with its digits could be read here; the manual of
CompQuadForm (`man/imhof.Rd`, version 1.4.4) names three of its entries, as calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf

ASKED = Fraction(1, 10**4)
LAST = Fraction(1, 2 * 10**6)  # half of the last printed digit
_DIGITS = 20


@dataclass(frozen=True)
class Law:
    """sum_i weights_i X_i, X_i noncentral chi-square with `dofs` and `noncentralities`."""

    weights: tuple[int, ...]
    dofs: tuple[int, ...]
    noncentralities: tuple[int, ...]

    def below(self, x: int) -> Enclosure:
        """The certified probability of a value of at most x."""
        return generalized_chi2_cdf(self.weights, self.dofs, self.noncentralities, 0, 0, x, _DIGITS)


def _central(weights: tuple[int, ...], dofs: tuple[int, ...]) -> Law:
    return Law(weights, dofs, (0,) * len(weights))


_THREE, _NINE = (6, 3, 1), (6, 4, 2)
_SHIFTED = (7, 3, 7, 3)
PRINTED: tuple[tuple[Law, tuple[tuple[int, str], ...]], ...] = (
    (_central(_THREE, (1, 1, 1)), ((1, "0.054213"), (7, "0.493555"), (20, "0.876027"))),
    (_central(_THREE, (2, 2, 2)), ((2, "0.006435"), (20, "0.600208"), (60, "0.983897"))),
    (_central(_THREE, _NINE), ((10, "0.002697"), (50, "0.564753"), (120, "0.991229"))),
    (_central(_THREE, _NINE[::-1]), ((10, "0.033357"), (30, "0.580446"), (80, "0.991283"))),
    (Law((7, 3), (6, 2), (6, 2)), ((20, "0.006125"), (100, "0.591339"), (200, "0.977914"))),
    (Law((7, 3), (1, 1), (6, 2)), ((10, "0.045126"), (60, "0.592431"), (150, "0.977648"))),
    (_central((6, 3, 1, 12, 6, 2), _NINE + _NINE[::-1]), ((45, "0.010950"), (120, "0.654735"), (210, "0.984606"))),
    (Law(_SHIFTED, (6, 2, 1, 1), (6, 2, 6, 2)), ((70, "0.043679"), (160, "0.584765"), (260, "0.953774"))),
    (Law((7, 3, -7, -3), (6, 2, 1, 1), (6, 2, 6, 2)), ((-40, "0.078208"), (40, "0.522108"), (140, "0.960370"))),
    (
        Law(_THREE * 2 + _SHIFTED, _NINE + _NINE[::-1] + (6, 2, 1, 1), (0,) * 6 + (6, 2, 6, 2)),
        ((120, "0.015844"), (240, "0.573625"), (400, "0.988332")),
    ),
    (_central((30, 1), (1, 10)), ((5, "0.015392"), (25, "0.510819"), (100, "0.916340"))),
    (_central((30, 1), (1, 20)), ((10, "0.004925"), (40, "0.573251"), (100, "0.896501"))),
    (_central((30, 1), (1, 30)), ((20, "0.017101"), (50, "0.566488"), (100, "0.871323"))),
)
ROWS = tuple((law, x, printed) for law, rows in PRINTED for x, printed in rows)
_OF_IMHOF = {  # which of the laws, and what Table 3 of the paper prints at the same three values
    0: ("0.0542", "0.4936", "0.8760"),
    1: ("0.0064", "0.6002", "0.9838"),
    2: ("0.0027", "0.5648", "0.9912"),
    4: ("0.0061", "0.5913", "0.9779"),
    5: ("0.0451", "0.5924", "0.9777"),
    7: ("0.0437", "0.5848", "0.9538"),
    8: ("0.0782", "0.5221", "0.9604"),
}
IMHOF_ROWS = tuple(
    (PRINTED[number][0], x, printed)
    for number, table in _OF_IMHOF.items()
    for (x, _), printed in zip(PRINTED[number][1], table, strict=True)
)

# Entries of Imhof's Table 1 that CompQuadForm's manual names: which of the laws, ten times the value x there (as the
# weights are ten times those there), and Pr[Q > x] to four decimals, which the manual asks for and does not print.
ENTRIES: tuple[tuple[str, Law, int, str], ...] = (
    ("Q1", PRINTED[0][0], 20, "0.1240"),
    ("Q2", PRINTED[1][0], 60, "0.0161"),
    ("Q6", PRINTED[5][0], 150, "0.0223"),
)
ENTRY_ROWS = tuple((law, x, str(1 - Decimal(above))) for _, law, x, above in ENTRIES)


def off(law: Law, x: int, printed: str) -> tuple[Fraction, Fraction]:
    """Between which two numbers the distance of the printed probability from the true one lies."""
    true, said = law.below(x), Fraction(printed)
    return max(said - true.upper, true.lower - said, Fraction(0)), max(true.upper - said, said - true.lower)
