"""What a private projection keeps: distances of columns (N24-TabI)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import eigenvalue_threshold, random_projection_pairs
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import chi_variable, held

level, square, r = sp.symbols("sigma2 D2 r", positive=True)
zero = sp.Integer(0)


@cache
def distances() -> Derivation:
    """The expected ratio of the distance of two projected columns, over sqrt r, to their distance D: it grows with the
    ridge (N24-TabI).

    `number`: that ratio at `ridge`, `square` = D^2, `r`.
    """
    a, b, c = sp.symbols("c_ii c_jj c_ij", real=True)
    chi = sp.sqrt(2) * sp.gamma((r + 1) / 2) / sp.gamma(r / 2)
    stretch = sp.sqrt(1 + 2 * level / square)
    letters = {"chi": chi_variable(r), "r": r}
    more = sp.Symbol("m", positive=True)
    delta, spare = 1 / (1 + more), 3 * sp.log(4) - 1  # 1/n
    older, full_rank = eigenvalue_threshold.below_the_target, random_projection_pairs.FULL_RANK.text
    granted = {full_rank: "columns", **{text: text for text in ("delta < 1", eigenvalue_threshold.LIMIT)}}
    at = {eigenvalue_threshold.epsilon: sp.Integer(1), eigenvalue_threshold.delta: delta}
    steps = (
        Step(
            "columns",
            f"{full_rank}. eps = 1 and delta = 1/n, n > 1.",
            kind="definition",
        ),
        Step(
            "delta < 1",
            "So delta < 1",
            lhs=delta,
            rhs=sp.Integer(1),
            relation="<",
            witness=-more / (1 + more),
            premises=("columns",),
        ),
        Step(
            eigenvalue_threshold.LIMIT,
            "and eps is at most 3 log(4 n).",
            lhs=sp.Integer(1),
            rhs=3 * sp.log(4 / delta),
            relation="<=",
            witness=-spare * (1 + 3 * sp.log(1 + more) / spare),
        ),
        Step(
            "less noise",
            "At the leverage that the older ridge enforces a deletion costs less than delta/4: the ridge that meets"
            " delta is smaller.",
            lhs=older().step("statement").lhs.subs(at),
            rhs=delta / 4,
            relation="<",
            kind="inference",
            premises=(Use("statement", of=older, at=at, granted=granted),),
        ),
        Step(
            "variance",
            "M = D^T G + sigma H, G and H of independent standard normals. Row i less row j of M has r independent"
            " entries of variance",
            lhs=(held(a + level) + held(b + level)) - 2 * c,
            rhs=a + b - 2 * c + 2 * level,
        ),
        Step(
            "the distance",
            "where a + b - 2c = D^2 is the squared distance of the columns: its norm is sqrt(D^2 + 2 sigma^2) times a"
            " chi variable with r degrees of freedom; D > 0, for the columns are different.",
            kind="argument",
            premises=("variance",),
        ),
        Step(
            "stretch",
            "Over D:",
            lhs=sp.sqrt(square + 2 * level) / sp.sqrt(square),
            rhs=stretch,
            premises=("the distance",),
        ),
        Step(
            "grows with the ridge",
            "for every pair of columns and every draw,",
            lhs=sp.diff(stretch, level),
            rhs=zero,
            relation=">",
            witness=1 / (square * stretch),
            premises=("stretch",),
        ),
        Step(
            "mean of chi",
            "The mean of a chi variable: the integral of t^r e^{-t^2/2} over that of t^{r-1} e^{-t^2/2}, each 2^{k/2 -"
            " 1} Gamma(k/2),",
            lhs=2 ** ((r + 1) / 2 - 1) * sp.gamma((r + 1) / 2) / (2 ** (r / 2 - 1) * sp.gamma(r / 2)),
            rhs=chi,
            reduce=lambda lhs, rhs: sp.simplify(lhs - rhs),
        ),
        by_fact("mean square of chi", "Its square:", "mean square of a chi variable", letters, {}),
        by_fact(
            "plain",
            "E chi^2 = r: the mean of a chi variable is below sqrt r, and without a ridge the expected ratio is below"
            " 1.",
            "square of a mean and mean square",
            letters,
            {"square": "mean square of chi"},
        ),
        Step(
            "expected ratio",
            "So the expected ratio, over sqrt r, is",
            lhs=chi / sp.sqrt(r) * stretch,
            rhs=chi * sp.sqrt((square + 2 * level) / (r * square)),
            reduce=lambda lhs, rhs: sp.simplify(lhs**2 - rhs**2),
            premises=("stretch", "mean of chi"),
        ),
    )
    return Derivation(
        id="projection_utility.distances",
        title="Distances of columns under a private projection",
        sources=("N24-TabI", "N24-TabIII"),
        hypotheses=(),
        steps=steps,
        result_step="expected ratio",
        symbols={"ridge": level, "square": square, "r": r},
        faults=(
            Fault("noise of one column only", "variance", lambda rhs: rhs - level),
            Fault("squared", "expected ratio", lambda rhs: rhs**2),
            Fault("falls with the ridge", "grows with the ridge", lambda rhs: 2 * sp.diff(stretch, level)),
        ),
        concludes=tuple(
            Conclusion(claim, step, part=part)
            for claim in ("N24-TabI", "N24-TabIII")
            for step, part in (
                ("less noise", "a leverage at which the older ridge leaves a quarter of the target"),
                ("grows with the ridge", "pairwise distances grow with the ridge"),
                ("plain", "pairwise distances without a ridge"),
                ("expected ratio", "pairwise distances, their expected ratio"),
            )
        ),
    )
