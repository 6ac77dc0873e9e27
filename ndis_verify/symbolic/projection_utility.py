"""What a private projection keeps: distances of columns (N24-TabI), and least squares as one of its functions
(N24-TabII).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import divergence, held

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
        by_fact(
            "plain",
            "E chi^2 = r: the mean of a chi variable is below sqrt r, and without a ridge the expected ratio is below"
            " 1.",
            "square of a mean and mean square",
            {"X": sp.Symbol("chi", nonnegative=True)},
            {"spread": "mean of chi"},
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


@cache
def least_squares_of_projection() -> Derivation:
    """Sketch and solve above a ridge is a function of the projection of [B b] above it: it costs no more (N24-TabII,
    N24-TabIV).

    `number`: the ridge l^2 (1/p* - 1) that is enough for both, at `leverage` = p*, `length2` = l^2.
    """
    length2, target = sp.symbols("l2 p", positive=True)
    x, y = sp.Matrix(sp.symbols("x1:4", real=True)), sp.Matrix(sp.symbols("y1:4", real=True))
    sketch = sp.Matrix.hstack(x, y)
    gram = sketch.T * sketch
    X, Xt, target_b, A, c, t = (letter(name) for name in ("X", "Xt", "b", "A", "c", "t"))
    tall, answer = sp.Matrix([[1, 0], [1, 1], [0, 2]]), sp.Matrix([1, 2, 3])
    model = {X: tall, Xt: tall.T, target_b: answer, A: tall.T * tall, c: tall.T * answer, t: sp.Matrix([2, 5])}
    algebra = BlockAlgebra({(Xt, X): A, (Xt, target_b): c}, model)
    first, second = sp.symbols("P Q")
    epsilon = sp.Symbol("epsilon", real=True)
    solved = sp.Function("solved")
    solution = sp.Symbol("t", real=True)
    excess = ((y - x * solution).T * (y - x * solution))[0]
    steps = (
        Step(
            "the sketch",
            "Pi [B b; sigma I] = M^T, M the projection of [B b] above the ridge sigma^2; its columns are those of Pi B"
            " and Pi b, the ridge included.",
            kind="definition",
        ),
        Step(
            "its solution",
            "minimises |Pi b - Pi B t|^2: with M M^T = [A c; c^T .] the solution of A t = c, and no other number of M"
            " enters,",
            lhs=sp.diff(excess, solution) / -2,
            rhs=gram[0, 1] - gram[0, 0] * solution,
            reduce=lambda lhs, rhs: sp.expand(lhs - rhs),
        ),
        Step(
            "any d",
            "(Pi B)^T (Pi b - Pi B t) = c - A t.",
            lhs=Xt * (target_b - X * t),
            rhs=c - A * t,
            algebra=algebra,
        ),
        by_fact(
            "post-processing",
            "The solution is a function of the release: delta_exact(eps; p, q, d, r) <= delta_r(eps; q), q the"
            " leverage of the"
            " record in [B b].",
            "data processing",
            {
                "P": first,
                "Q": second,
                "image of P": solved(first),
                "image of Q": solved(second),
                "epsilon": epsilon,
            },
            {"map": "any d"},
        ),
        Step(
            "ridge",
            "The smallest ridge of the projection keeps q at p* or below, where delta_r(eps; p*) = delta:",
            lhs=sp.Subs(length2 / (level + length2), level, length2 * (1 / target - 1)),
            rhs=target,
        ),
        Step(
            "enough for both",
            "so it is enough for sketch and solve, whose own least ridge is no larger.",
            lhs=length2 * (1 / target - 1),
            rhs=length2 * (1 - target) / target,
        ),
        by_fact(
            "a set",
            "Over the pairs of a set of databases likewise.",
            "suprema keep the order",
            {"f": divergence(solved(first), solved(second), epsilon), "g": divergence(first, second, epsilon)},
            {"pointwise": "post-processing"},
        ),
    )
    return Derivation(
        id="projection_utility.least_squares_of_projection",
        title="Sketch and solve needs no more noise than the projection",
        sources=("N24-TabII", "N24-TabIV"),
        hypotheses=("every record of [B b] has norm at most l", "r >= d", "0 < p* < 1"),
        steps=steps,
        result_step="enough for both",
        symbols={"length2": length2, "leverage": target},
        faults=(
            Fault("ridge l^2/p*", "enough for both", lambda rhs: length2 / target),
            Fault("sign of the target's product", "its solution", lambda rhs: -rhs),
            Fault("leverage twice", "ridge", lambda rhs: 2 * target),
        ),
        covers={"N24-TabII": "part: noise of the sketch against noise of the projection"},
    )
