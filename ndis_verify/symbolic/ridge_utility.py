"""What a ridged projection is good for: the debiased Gram matrix and its error."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.notation import held, transpose
from ndis_verify.symbolic.special_functions import Phi, phi

zero = sp.Integer(0)
level, r = sp.symbols("sigma2 r", positive=True)
_ENTRIES = "G has independent standard normal entries"


def _concentration_steps() -> tuple[Step, ...]:
    """From sqrt(r) +- (sqrt d + s) for the singular values to the stated rate."""
    d, t, deviation = sp.symbols("d t b", positive=True)
    share = sp.Symbol("x", positive=True)
    upper = 2 * deviation + deviation**2
    return (
        by_fact(
            "singular values",
            "With s = sqrt(2t) and b = (sqrt d + sqrt(2t))/sqrt r all lie in sqrt(r) (1 +- b) but for 2 e^{-t}.",
            "singular values of a normal matrix",
            {"off": sp.Symbol("off", nonnegative=True), "d": d, "s": sp.sqrt(2 * t)},
            {
                "entries": _ENTRIES,
                "excess": Step("s >= 0", "as said.", sp.sqrt(2 * t), sp.Integer(0), ">=", sp.sqrt(2 * t)),
            },
        ),
        Step(
            "from above",
            "(1 + b)^2 - 1 = 2b + b^2;",
            lhs=(1 + deviation) ** 2 - 1,
            rhs=upper,
            premises=("singular values",),
        ),
        Step(
            "from below, b <= 1",
            "1 - (1 - b)^2 is less,",
            lhs=upper,
            rhs=1 - (1 - deviation) ** 2,
            relation=">=",
            witness=2 * deviation**2,
            premises=("from above",),
        ),
        Step(
            "from below, b > 1",
            "and for b = 1 + w nothing is below -1 anyway.",
            lhs=upper.subs(deviation, 1 + share),
            rhs=sp.Integer(1),
            relation=">=",
            witness=2 + 4 * share + share**2,
            premises=("from above",),
        ),
        Step(
            "b^2",
            "(sqrt d + sqrt(2t))^2 <= 3 (d + t),",
            lhs=3 * (d + t),
            rhs=(sp.sqrt(d) + sp.sqrt(2 * t)) ** 2,
            relation=">=",
            witness=sp.Abs(sp.sqrt(2 * d) - sp.sqrt(t)) ** 2,
            premises=("t > 0",),
        ),
        Step(
            "rate",
            "so with x = (d + t)/r: 2b + b^2 <= 2 sqrt(3x) + 3x <= 2 sqrt 3 (sqrt x + x).",
            lhs=2 * sp.sqrt(3) * (sp.sqrt(share) + share),
            rhs=2 * sp.sqrt(3 * share) + 3 * share,
            relation=">=",
            witness=(2 * sp.sqrt(3) - 3) * share,
            premises=("from below, b <= 1", "from below, b > 1", "b^2"),
        ),
    )


@cache
def utility() -> Derivation:
    """`M M^T/r - sigma^2 I` is unbiased for D^T D, and within `C (sqrt x + x)(||D||^2 + sigma^2)`, x = (d+t)/r
    (N26-T5.2).

    Holds with C = 2 sqrt 3 and probability 1 - 2 e^{-t}. `number`: the bound at `dimension` = d, `r`, `t`, `norm2` =
    ||D||^2 and `ridge`.
    """
    z = sp.Symbol("z", real=True)
    d, t, norm2 = sp.symbols("d t D2", positive=True)
    D, Dt, u = (letter(name) for name in ("D", "Dt", "u"))
    algebra = BlockAlgebra(
        {(Dt, D, u): norm2 * u},
        {
            D: sp.Matrix([[2, 0], [0, 1]]),
            Dt: sp.Matrix([[2, 0], [0, 1]]),
            u: sp.Matrix([1, 0]),
            norm2: sp.Integer(4),
            level: sp.Integer(3),
        },
        ("output",),
    )
    A, R, g = letter("A"), letter("R"), letter("g")
    square, antiderivative = sp.Integral(z**2 * phi(z), (z, -sp.oo, sp.oo)), Phi(z) - z * phi(z)
    between = sp.limit(antiderivative, z, sp.oo) - sp.limit(antiderivative, z, -sp.oo)
    share = (d + t) / r
    bound = 2 * sp.sqrt(3) * (sp.sqrt(share) + share) * (norm2 + level)
    steps = (
        Step(
            "output",
            "M = A^T G, A = [D; sigma I] and S = A^T A = D^T D + sigma^2 I. The d x r entries of S^{-1/2} M are"
            " standard normal, too. u is the top right singular vector of D: D^T D u = ||D||^2 u.",
            kind="definition",
            premises=(_ENTRIES,),
        ),
        Step(
            "second moment of an entry: antiderivative",
            "Phi(z) - z phi(z) differentiates to z^2 phi(z),",
            lhs=sp.Derivative(antiderivative, z),
            rhs=z**2 * phi(z),
        ),
        Step(
            "second moment of an entry",
            "so E z^2 = 1.",
            lhs=square,
            rhs=sp.Integer(1),
            reduce=lambda lhs, rhs: lhs.xreplace({square: between}) - rhs,
            premises=("second moment of an entry: antiderivative",),
        ),
        *integral_steps("first moment of an entry", z * phi(z), (z, -sp.oo, sp.oo), -phi(z), zero, "So E z = 0."),
        by_fact(
            "one column",
            "With A = [D; sigma I] A^T A is D^T D + sigma^2 I, and so is the mean over r columns.",
            "second moments of a linear image",
            {"A": A, "A^T": transpose(A), "g": g, "g^T": transpose(g), "z": z},
            {"first": "first moment of an entry", "second": "second moment of an entry", "independent": _ENTRIES},
        ),
        Step(
            "unbiased",
            "Subtracting sigma^2 leaves every entry of D^T D.",
            lhs=held(norm2 + level) - level,
            rhs=norm2,
            premises=("output", "one column"),
        ),
        Step(
            "largest eigenvalue",
            "D^T D u = ||D||^2 u for the top right singular vector: (D^T D + sigma^2 I) u = (||D||^2 + sigma^2) u, and"
            " no eigenvalue is larger.",
            lhs=(Dt * D + level) * u,
            rhs=(norm2 + level) * u,
            algebra=algebra,
            premises=("output",),
        ),
        *_concentration_steps(),
        by_fact(
            "error",
            "With N = S^{-1/2} M, R = S^{1/2}, its own transpose, and X = N N^T/r - I, M M^T/r - S = R X R^T has norm"
            " at most ||S|| ||X||.",
            "norm of a product",
            {"R": R, "R^T": transpose(R), "X": letter("X")},
            {},
        ),
        Step(
            "bound",
            "C = 2 sqrt 3.",
            lhs=2 * (sp.sqrt(3 * share) + sp.sqrt(3) * share) * (norm2 + level),
            rhs=bound,
            premises=("error", "largest eigenvalue", "rate"),
        ),
    )
    return Derivation(
        id="ridge_utility.utility",
        title="The debiased Gram matrix of a ridged projection",
        sources=("N26-T5.2",),
        hypotheses=(_ENTRIES, Hypothesis("t > 0", t > 0)),
        steps=steps,
        result_step="bound",
        symbols={"dimension": d, "r": r, "t": t, "norm2": norm2, "ridge": level},
        faults=(
            Fault("ridge not subtracted", "unbiased", lambda rhs: norm2 + level),
            Fault("ridge missing from the norm", "largest eigenvalue", lambda rhs: norm2 * u),
            Fault("constant 1", "rate", lambda rhs: rhs / (2 * sp.sqrt(3))),
            Fault("linear term dropped", "bound", lambda rhs: 2 * sp.sqrt(3 * share) * (norm2 + level)),
        ),
        concludes=(
            Conclusion("N26-T5.2", "unbiased", part="unbiased"),
            Conclusion("N26-T5.2", "bound", part="the error, with C = 2 sqrt 3"),
        ),
    )
