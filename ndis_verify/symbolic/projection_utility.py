"""What a private projection keeps: distances of columns (N24-TabI)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held

level, square, r = sp.symbols("sigma2 D2 r", positive=True)
zero = sp.Integer(0)
_chi = sp.Symbol("chi", nonnegative=True)


@cache
def distances() -> Derivation:
    """The expected ratio of the distance of two projected columns, over sqrt r, to their distance D: it grows with the
    ridge (N24-TabI).

    `number`: that ratio at `ridge`, `square` = D^2, `r`.
    """
    a, b, c = sp.symbols("c_ii c_jj c_ij", real=True)
    chi = sp.sqrt(2) * sp.gamma((r + 1) / 2) / sp.gamma(r / 2)
    stretch = sp.sqrt(1 + 2 * level / square)
    steps = (
        Step(
            "variance",
            "Row i less row j of M = D^T G + sigma H has r independent entries of variance",
            lhs=(held(a + level) + held(b + level)) - 2 * c,
            rhs=a + b - 2 * c + 2 * level,
        ),
        Step(
            "the distance",
            "where a + b - 2c = D^2 is the squared distance of the columns: its norm is sqrt(D^2 + 2 sigma^2) times a"
            " chi variable with r degrees of freedom.",
            kind="argument",
        ),
        Step("stretch", "Over D:", lhs=sp.sqrt(square + 2 * level) / sp.sqrt(square), rhs=stretch),
        Step(
            "grows with the ridge",
            "for every pair of columns and every draw,",
            lhs=sp.diff(stretch, level),
            rhs=zero,
            relation=">",
            witness=1 / (square * stretch),
        ),
        Step(
            "mean of chi",
            "The mean of a chi variable: the integral of t^r e^{-t^2/2} over that of t^{r-1} e^{-t^2/2}, each 2^{k/2 -"
            " 1} Gamma(k/2),",
            lhs=2 ** ((r + 1) / 2 - 1) * sp.gamma((r + 1) / 2) / (2 ** (r / 2 - 1) * sp.gamma(r / 2)),
            rhs=chi,
            reduce=lambda lhs, rhs: sp.simplify(lhs - rhs),
        ),
        Step("chi", "A chi variable with r degrees of freedom.", kind="definition"),
        by_fact(
            "mean square of chi", "Its square:", "mean square of a chi variable", {"chi": _chi, "r": r}, {"law": "chi"}
        ),
        by_fact(
            "plain",
            "E chi^2 = r: the mean of a chi variable is below sqrt r, and without a ridge the expected ratio is below"
            " 1.",
            "square of a mean and mean square",
            {"X": _chi},
            {"square": "mean square of chi", "spread": "mean of chi"},
        ),
        Step(
            "expected ratio",
            "So the expected ratio, over sqrt r, is",
            lhs=chi / sp.sqrt(r) * stretch,
            rhs=chi * sp.sqrt((square + 2 * level) / (r * square)),
            reduce=lambda lhs, rhs: sp.simplify(lhs**2 - rhs**2),
        ),
    )
    return Derivation(
        id="projection_utility.distances",
        title="Distances of columns under a private projection",
        sources=("N24-TabI", "N24-TabIII"),
        hypotheses=("M = D^T G + sigma H, G and H of independent standard normals", "two different columns"),
        steps=steps,
        result_step="expected ratio",
        symbols={"ridge": level, "square": square, "r": r},
        faults=(
            Fault("noise of one column only", "variance", lambda rhs: rhs - level),
            Fault("squared", "expected ratio", lambda rhs: rhs**2),
            Fault("falls with the ridge", "grows with the ridge", lambda rhs: 2 * sp.diff(stretch, level)),
        ),
        covers={"N24-TabI": "part: pairwise distances", "N24-TabIII": "part: pairwise distances"},
    )
