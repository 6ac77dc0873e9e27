"""A Gaussian-process prediction in feature space: what a new record can do, bounded without eigenvalues.

Phi has the features of the other m records as rows, phi and f are those of the new record and of the query,
S = (I + Phi^T Phi/s^2)^{-1}, G = (Phi Phi^T + s^2 I)^{-1}. At the new point and at the query, both given the other
records: U and V are the variances, c the covariance; beta = G Phi phi.
"""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held, scalar

noise, length = sp.symbols("s l", positive=True)
added, rest = sp.symbols("v r", nonnegative=True)
shift, epsilon = sp.symbols("mu epsilon", real=True)
others, U, w, kept = sp.symbols("m U w tau", positive=True)
P, Pt, S, Si, G = (letter(name) for name in ("Phi", "Phi^T", "S", "S^{-1}", "G"))
p, pt, f, ft = (letter(name) for name in ("phi", "phi^T", "f", "f^T"))

_zero = sp.Integer(0)
_ROWS = sp.Matrix([[1, 1], [0, 2]])
_NEW, _QUERY = sp.Matrix([1, 3]), sp.Matrix([2, 1])
_KEPT = sp.eye(2) + _ROWS.T * _ROWS / 4
algebra = BlockAlgebra(
    {
        (G, P, Pt): 1 - noise**2 * G,
        (Pt, P): noise**2 * (Si - 1),
        (S, Si): 1,
        (Si, S): 1,
    },
    {
        P: _ROWS,
        Pt: _ROWS.T,
        Si: _KEPT,
        S: _KEPT.inv(),
        G: (_ROWS * _ROWS.T + 4 * sp.eye(2)).inv(),
        p: _NEW,
        pt: _NEW.T,
        f: _QUERY,
        ft: _QUERY.T,
        noise: sp.Integer(2),
    },
)
variance, left = scalar(pt * S * p), scalar(pt * S * S * p)  # U and |S phi|^2
covariance = scalar(ft * S * p)

KERNEL = "k is the covariance function of a Gaussian process"
AT_QUERY = Hypothesis("k(x, x) <= l^2 at the query", sp.Le(scalar(ft * f), length**2))
AT_NEW = Hypothesis("k(x, x) <= l^2 at the new record", sp.Le(scalar(pt * p), length**2))
AT_OTHERS = "k(x, x) <= l^2 at the m other records"


def posterior_steps() -> tuple[Step, ...]:
    """The posterior of the weights, any number of records and features: U = phi^T S phi, c = f^T S phi, |beta|^2."""
    return (
        by_fact(
            "features",
            "k at all points that occur, finitely many: the rows of F are those of Phi, and phi and f.",
            "Gram matrix",
            {"A": letter("K"), "F": letter("F"), "F^T": letter("F^T")},
            {"semidefinite": KERNEL},
        ),
        Step(
            "push through",
            "Phi^T Phi = s^2 (S^{-1} - I):",
            lhs=(P * Pt + noise**2) * P * S,
            rhs=noise**2 * P,
            algebra=algebra,
        ),
        Step(
            "pushed through",
            "so, times G from the left,",
            lhs=G * P,
            rhs=P * S / noise**2,
            kind="inference",
            algebra=algebra,
            premises=(Use("push through", between=(-G / noise**2, sp.Integer(1))),),
        ),
        Step(
            "posterior covariance",
            "The covariance given the other records, of phi and f with themselves and one another, is that of S: U ="
            " phi^T S phi, V = f^T S f, c = f^T S phi.",
            lhs=1 - Pt * G * P,
            rhs=S,
            kind="inference",
            algebra=algebra,
            premises=(Use("pushed through", between=(-Pt, sp.Integer(1))),),
        ),
        Step(
            "beta",
            "beta = G Phi phi, the weights of the other labels in the mean at the new point: s^2 |beta|^2 = U - |S"
            " phi|^2.",
            lhs=noise**2 * scalar(pt * Pt * G * G * P * p),
            rhs=variance - left,
            kind="inference",
            algebra=algebra,
            premises=(
                Use("pushed through", between=(noise**2 * pt * Pt * G, p)),
                Use("pushed through", between=(pt * Pt, S * p)),
            ),
        ),
        Step("U", "The variance at the new point, phi not 0.", lhs=U, rhs=variance, kind="definition"),
        Step(
            "tau",
            "tau = 1 - z, z = s^2 |beta|^2/U, is the share |S phi|^2/U.",
            lhs=kept,
            rhs=left / U,
            kind="definition",
        ),
        Step("w", "w = c^2/U; where c = 0 nothing moves.", lhs=w, rhs=covariance**2 / U, kind="definition"),
    )


def bound_steps() -> tuple[Step, ...]:
    """c^2 <= V U, w <= l^2 tau, U <= l^2 tau, tau >= s^2/(s^2 + m l^2)."""
    return (
        Step(
            "S is semidefinite",
            "S = S S^{-1} S is a sum of squares:",
            lhs=S,
            rhs=S * S + S * Pt * P * S / noise**2,
            algebra=algebra,
        ),
        by_fact(
            "c, V and U",
            "so c^2 <= V U,",
            "Cauchy-Schwarz inequality of a form",
            {
                "A": S,
                "u": f,
                "u^T": ft,
                "v": p,
                "v^T": pt,
                "B": S,
                "B^T": S,
                "C": P * S / noise,
                "C^T": S * Pt / noise,
            },
            {"semidefinite": "S is semidefinite"},
        ),
        Step(
            "V at least w",
            "and V is at least w:",
            lhs=w,
            rhs=scalar(ft * S * f),
            relation="<=",
            kind="inference",
            premises=(Use("c, V and U", weight=1 / U), "w", "U"),
        ),
        by_fact(
            "c, f and S phi",
            "c is the inner product of f and S phi,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": f, "u^T": ft, "v": S * p, "v^T": pt * S},
            {"features": "features"},
        ),
        Step(
            "w bounded",
            "so w is at most l^2 (1 - z),",
            lhs=w,
            rhs=length**2 * kept,
            relation="<=",
            kind="inference",
            premises=(Use("c, f and S phi", weight=1 / U), Use(AT_QUERY.text, weight=kept), "w", "tau"),
        ),
        by_fact(
            "U, phi and S phi",
            "U that of phi and S phi,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": p, "u^T": pt, "v": S * p, "v^T": pt * S},
            {"features": "features"},
        ),
        Step(
            "U bounded",
            "so U is, too: x = U/s^2 <= (1 - z) l^2/s^2.",
            lhs=U,
            rhs=length**2 * kept,
            relation="<=",
            kind="inference",
            premises=(Use("U, phi and S phi", weight=1 / U), Use(AT_NEW.text, weight=kept), "tau", "U"),
        ),
        Step(
            "U in two parts",
            "U = |S phi|^2 + |Phi S phi|^2/s^2,",
            lhs=variance,
            rhs=left + scalar(pt * S * Pt * P * S * p) / noise**2,
            algebra=algebra,
        ),
        by_fact(
            "m rows",
            "and the m rows of Phi are at most l long:",
            "image under rows of bounded length",
            {"M": P, "M^T": Pt, "v": S * p, "v^T": pt * S, "count": others, "length": length},
            {"rows": AT_OTHERS},
        ),
        Step(
            "tau bounded",
            "1 - z is at least",
            lhs=noise**2 / (noise**2 + others * length**2),
            rhs=kept,
            relation="<=",
            kind="inference",
            premises=(
                Use("m rows", weight=1 / (U * (noise**2 + others * length**2))),
                "tau",
                "U",
                "U in two parts",
            ),
        ),
    )


def noise_steps() -> tuple[Step, ...]:
    """The outputs are N(0, v + w) and N(mu, v + w s^2/h) plus one independent noise of variance r = V - w."""
    stds = sp.sqrt(added + w), sp.sqrt(added + w * noise**2 / (U + noise**2))
    noisy = sp.sqrt(added + w + rest), sp.sqrt(added + w + rest - w * U / (U + noise**2))
    shown = noisy[0], sp.sqrt(added + rest + w * noise**2 / (U + noise**2))
    means = sp.Integer(0), shift
    definition = Step(
        "r",
        "V = w + r: what is left of the variance.",
        lhs=rest,
        rhs=scalar(ft * S * f) - w,
        kind="definition",
        premises=("V at least w",),
    )
    why = "N(0, v + V) and N(mu, v + V - c^2/h), c^2 = w U, h = U + s^2, are N(0, v + w) and N(mu, v + w s^2/h) with"
    names = {
        "noise taken away": (0, 1, f"{why} noise of variance r."),
        "noise taken away, exchanged": (1, 0, "So they are the other way round."),
    }
    return definition, *(
        by_fact(
            name,
            text,
            "noise on independent normal coordinates",
            {
                "mean": means[one],
                "other mean": means[two],
                "std": stds[one],
                "other std": stds[two],
                "noise": rest,
                "noisy": noisy[one],
                "other noisy": noisy[two],
                "epsilon": epsilon,
            },
            {
                "noise": Step("noise", "r >= 0.", lhs=rest, rhs=_zero, relation=">=", witness=rest),
                "std": _positive(stds[one], stds[one]),
                "other std": _positive(stds[two], stds[two]),
                "noisy": _positive(noisy[one], shown[one]),
                "other noisy": _positive(noisy[two], shown[two]),
                "variance": _sum(noisy[one], stds[one]),
                "other variance": _sum(noisy[two], stds[two]),
            },
        )
        for name, (one, two, text) in names.items()
    )


def _positive(value: sp.Expr, witness: sp.Expr) -> Step:
    return Step("positive", "Positive.", lhs=value, rhs=_zero, relation=">", witness=witness)


def _sum(noisy: sp.Expr, std: sp.Expr) -> Step:
    return Step("variances add", "Variances add.", lhs=held(noisy) ** 2, rhs=held(std) ** 2 + rest)
