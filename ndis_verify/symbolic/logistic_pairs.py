"""The logistic-regression surrogate with a record and without it: the pair of laws in the envelope of one direction."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, squared
from ndis_verify.symbolic.joint_shift import ORDERS, rank_one_worst
from ndis_verify.symbolic.meanings import PULLS, meaning
from ndis_verify.symbolic.notation import anything, each, pull, scalar, transpose
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
added, penalty, length = sp.symbols("v lambda l", positive=True)
epsilon = sp.Symbol("epsilon", nonnegative=True)
Z, z, S = letter("Z"), letter("z"), letter("S")
Zt, zt, yt = transpose(Z), transpose(z), transpose(anything)
_fit, _refit = (quantity("logistic_fit", records, penalty) for records in (Z, quantity("above", Z, transpose(z))))
shift = _refit - _fit
_shape = Zt * Z / 4 + penalty  # S^{-1}
_kept = 4 * penalty / length**2
_step = length**2 / (penalty * (4 * penalty + length**2))  # the greatest |w|^2
_HYPOTHESES = {
    "a record": Hypothesis("m > 0", sp.Gt(scalar(zt * z), 0)),
    "its length": Hypothesis("m <= l^2", sp.Le(scalar(zt * z), length**2)),
    "a shift": Hypothesis("g > 0", sp.Gt(scalar(transpose(shift) * shift), 0)),
}
_FORMS = without_rules((Z, Zt, z, zt, S, transpose(S), anything, yt))


@cache
def logistic_worst() -> Derivation:
    """No pair of neighbouring outputs N(theta, v I + S), N(theta', v I + S') of the surrogate reveals more than the
    one in the plane at y = 1, |u| = l/lambda in `joint_shift.rank_one_worst` (N26-Pr7).

    `number`: the largest squared length of w, at `length`, `penalty`.
    """
    h, A, m, g = sp.symbols("h A m g", positive=True)
    f, b, c, j = sp.symbols("f b c j", real=True)
    B = sp.Symbol("B", nonnegative=True)
    names: dict[sp.Symbol, Any] = {
        A: scalar(zt * S * z),
        h: scalar(zt * S * S * z),
        m: scalar(zt * z),
        g: scalar(transpose(shift) * shift),
        f: scalar(zt * S * shift),
        j: scalar(transpose(shift) * z),
        B: scalar(yt * S * anything),
        b: scalar(yt * S * z),
        c: scalar(zt * S * anything),
    }
    more, less = (1 + _kept) / (4 + A), _kept / (4 + A)  # times w w^T without its length: S z z^T S
    square = S * z * zt * S
    noise = S - more * square
    p = pull(zt * _refit)
    pulled = scalar(zt * _refit)
    logit = sp.Symbol("s", real=True)

    def named(symbol: sp.Symbol, why: str, *premises: str) -> Step:
        return Step(str(symbol), why, lhs=symbol, rhs=names[symbol], kind="definition", premises=premises)

    spread = (
        Step("S", "S is the inverse of lambda I + Z^T Z/4.", lhs=S, rhs=inverse(_shape), kind="definition"),
        from_side(S, _shape, "left", "so it is from the left"),
        from_side(S, _shape, "right", "and from the right,"),
        by_fact("S^T", "symmetric,", "a symmetric inverse", {"X": S, "Y": _shape}, {"product": "S from the left"}),
        inferred("(S z)^T", "(S z)^T = z^T S,", transpose(S * z), "=", zt * S, "S^T"),
        inferred(
            "two squares",
            "a sum of two squares:",
            S,
            "=",
            penalty * S * S + S * Zt * Z * S / 4,
            Use("S from the right", between=(-S, one)),
            algebra=_FORMS,
        ),
        by_fact(
            "S z",
            "S z is not 0, as z is not;",
            "no vector but 0 goes to 0 alone",
            {"X": S, "Y": _shape, "v": z, "image^T": zt * S},
            {"product": "S from the right", "vector": "m > 0", "transpose": "(S z)^T"},
        ),
        squared("|Z S z|^2", "a square,", Z * S * z),
        inferred(
            "z^T S z",
            "so z^T S z = lambda |S z|^2 + |Z S z|^2/4",
            scalar(zt * S * z),
            "=",
            penalty * scalar(zt * S * S * z) + scalar(zt * S * Zt * Z * S * z) / 4,
            Use("two squares", between=(zt, z)),
            algebra=_FORMS,
        ),
        inferred(
            "positive form",
            "is positive.",
            scalar(zt * S * z),
            ">",
            zero,
            "z^T S z",
            Use("S z", weight=penalty),
            Use("|Z S z|^2", weight=one / 4),
            "S^T",
        ),
        named(A, "A = z^T S z,", "positive form"),
        named(h, "h = |S z|^2", "S z"),
        named(m, "and m = |z|^2.", "m > 0"),
        inferred(
            "first spread",
            "lambda h <= A,",
            A,
            ">=",
            penalty * h,
            Use("|Z S z|^2", weight=one / 4),
            "A",
            "h",
            "z^T S z",
            "S^T",
        ),
        by_fact(
            "both",
            "A^2 <= m h:",
            "Cauchy-Schwarz inequality of vectors",
            {"u": z, "u^T": zt, "v": S * z, "v^T": transpose(S * z)},
            {},
        ),
        inferred("m at most", "m is at most l^2,", m, "<=", length**2, Use("m <= l^2"), "m"),
        inferred(
            "lambda A <= l^2",
            "A is at most l^2/lambda.",
            A,
            "<=",
            length**2 / penalty,
            Use("both", weight=1 / A),
            Use("first spread", weight=-m / (A * penalty)),
            Use("m at most", weight=1 / penalty),
            *("A", "h", "m", "S^T"),
        ),
    )
    update = (
        inferred("A in letters", "z^T S z is the number A.", zt * S * z, "=", A, "A", algebra=_FORMS),
        inferred(
            "update",
            "The inverse with the record, times what it is the inverse of:",
            (S - square / (4 + A)) * (_shape + z * zt / 4),
            "=",
            one,
            Use("S from the left", between=(one, one)),
            Use("S from the left", between=(-S * z * zt / (4 + A), one)),
            Use("A in letters", between=(-S * z / (4 * (4 + A)), zt)),
            algebra=BlockAlgebra({}, {**_FORMS.model, A: sp.Integer(3), penalty: sp.Integer(2)}),
        ),
        by_fact(
            "S'",
            "S' = S - w w^T, w = S z/sqrt(4 + A).",
            "an inverse from one side",
            {"X": S - square / (4 + A), "Y": _shape + z * zt / 4},
            {"product": "update"},
        ),
    )
    form = (
        squared("|S y|^2", "Of any vector y, S y", S * anything),
        squared("|Z S y|^2", "and Z S y have squares,", Z * S * anything),
        inferred(
            "y^T S y",
            "y^T S y >= 0;",
            scalar(yt * S * anything),
            ">=",
            zero,
            "y^T S y in two squares",
            Use("|S y|^2", weight=penalty),
            Use("|Z S y|^2", weight=one / 4),
            "S^T",
        ),
        inferred(
            "S is semidefinite",
            "S is of two squares, as it is symmetric;",
            S,
            "=",
            penalty * transpose(S) * S + transpose(S) * Zt * Z * S / 4,
            "S^T",
            Use("two squares", between=(one, one)),
            algebra=_FORMS,
        ),
        named(B, "B = y^T S y,", "y^T S y"),
        named(b, "b = y^T S z and"),
        named(c, "c = z^T S y."),
        *(
            by_fact(
                f"{name}^2 <= A B",
                why,
                "Cauchy-Schwarz inequality of a form",
                {
                    "A": S,
                    "u": u,
                    "u^T": ut,
                    "v": v,
                    "v^T": vt,
                    "B": sp.sqrt(penalty) * S,
                    "B^T": sp.sqrt(penalty) * transpose(S),
                    "C": Z * S / 2,
                    "C^T": transpose(Z * S) / 2,
                },
                {"semidefinite": "S is semidefinite"},
            )
            for name, why, u, ut, v, vt in (
                ("b", "b^2 <= A B,", anything, yt, z, zt),
                ("c", "c^2 <= A B,", z, zt, anything, yt),
            )
        ),
        Step("(b - c)^2", "and", lhs=(b - c) ** 2, rhs=zero, relation=">=", witness=(b - c) ** 2),
        Step(
            "y^T w w^T y",
            "with b c, two numbers side by side, one product",
            lhs=scalar(yt * square * anything),
            rhs=scalar(yt * S * z) * scalar(zt * S * anything),
            algebra=_FORMS,
        ),
        inferred(
            "noise",
            "S - (1 + kappa) w w^T is a covariance, kappa = 4 lambda/l^2:",
            scalar(yt * noise * anything),
            ">=",
            zero,
            Use("b^2 <= A B", weight=-more / 2),
            Use("c^2 <= A B", weight=-more / 2),
            Use("(b - c)^2", weight=more / 2),
            Use("lambda A <= l^2", weight=-B * _kept / (4 + A)),
            *("y^T w w^T y", "B", "b", "c", "A"),
        ),
        inferred("noise^T", "symmetric.", transpose(noise), "=", noise, "S^T"),
    )
    shifts = (
        meaning("theta", "logistic_fit", Z, penalty),
        meaning("theta'", "logistic_fit", quantity("above", Z, transpose(z)), penalty),
        Step(
            "falls",
            "1/(1 + e^s) falls,",
            lhs=sp.Derivative(1 / (1 + sp.exp(logit)), logit),
            rhs=zero,
            relation="<=",
            witness=-sp.exp(logit) / (1 + sp.exp(logit)) ** 2,
        ),
        by_fact(
            "others",
            "so the others' pulls do not move along.",
            "a falling function, coordinate by coordinate",
            {"f": 1 / (1 + sp.exp(logit)), "argument": logit, "a": Z * _refit, "b": Z * _fit},
            {"falls": "falls"},
        ),
        named(g, "g = |u|^2", "g > 0"),
        named(j, "and j = u^T z:"),
        inferred(
            "pulls",
            "the difference of the two equations, times u = theta' - theta.",
            penalty * g,
            "<=",
            p * j,
            Use("others", weight=one),
            Use("theta'", between=(penalty * transpose(shift), one)),
            Use("theta", between=(-penalty * transpose(shift), one)),
            *("g", "j"),
            algebra=without_rules(
                (
                    *(Z, Zt, z, zt, _fit, _refit, transpose(_fit), transpose(_refit)),
                    *(each(PULLS, Z * _refit), each(PULLS, Z * _fit)),
                )
            ),
        ),
        meaning("p", "pull", zt * _refit),
        Step(
            "below 1",
            "The new one's is below 1:",
            lhs=1 / (1 + sp.exp(pulled)),
            rhs=one,
            relation="<=",
            witness=-sp.exp(pulled) / (1 + sp.exp(pulled)),
        ),
        inferred("p <= 1", "p <= 1.", p, "<=", one, "below 1", "p"),
        by_fact(
            "u and z",
            "j^2 <= g m,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": shift, "u^T": transpose(shift), "v": z, "v^T": zt},
            {},
        ),
        Step(
            "(sqrt(g m) - j)^2",
            "and",
            lhs=(sp.sqrt(g) * sp.sqrt(m) - j) ** 2,
            rhs=zero,
            relation=">=",
            witness=(sp.sqrt(g) * sp.sqrt(m) - j) ** 2,
        ),
        inferred(
            "j at most",
            "so",
            j,
            "<=",
            sp.sqrt(g) * sp.sqrt(m),
            Use("u and z", weight=1 / (2 * sp.sqrt(g) * sp.sqrt(m))),
            Use("(sqrt(g m) - j)^2", weight=-1 / (2 * sp.sqrt(g) * sp.sqrt(m))),
            *("g", "m", "j"),
        ),
        inferred(
            "t <= U",
            "|u| <= l/lambda.",
            length / penalty,
            ">=",
            sp.sqrt(g),
            Use("m at most", weight=-1 / (penalty * (length + sp.sqrt(m)))),
            Use("p <= 1", weight=-sp.sqrt(m) / penalty),
            Use("j at most", weight=-p / (penalty * sp.sqrt(g))),
            Use("pulls", weight=-1 / (penalty * sp.sqrt(g))),
        ),
    )
    place = (
        by_fact(
            "share",
            "f = z^T S u has f^2 <= h g,",
            "Cauchy-Schwarz inequality of vectors",
            {"u": S * z, "u^T": transpose(S * z), "v": shift, "v^T": transpose(shift)},
            {},
        ),
        named(f, "f = z^T S u;"),
        inferred(
            "c <= 1",
            "the share of |u|^2 that is along w is at most 1.",
            f**2 / (h * g),
            "<=",
            one,
            Use("share", weight=1 / (h * g)),
            *("f", "h", "g", "S^T"),
        ),
        inferred(
            "y <= 1",
            "|w|^2 = h/(4 + A) is at most W^2 = l^2/(lambda (4 lambda + l^2)).",
            h / ((4 + A) * _step),
            "<=",
            one,
            Use("first spread", weight=-(4 * penalty + length**2) / (length**2 * (4 + A))),
            Use("lambda A <= l^2", weight=4 * penalty / (length**2 * (4 + A))),
        ),
        Step("v > 0", "v is positive.", lhs=added, rhs=zero, relation=">", witness=added),
        Step("step >= 0", "(1 + kappa)/(4 + A) and", lhs=more, rhs=zero, relation=">=", witness=more),
        Step("other step >= 0", "kappa/(4 + A) are too.", lhs=less, rhs=zero, relation=">=", witness=less),
    )
    steps = [*spread, *update, *form, *shifts, *place]
    steps.insert(
        steps.index(form[2]),
        inferred(
            "y^T S y in two squares",
            "of which",
            scalar(yt * S * anything),
            "=",
            penalty * scalar(yt * S * S * anything) + scalar(yt * S * Zt * Z * S * anything) / 4,
            Use("two squares", between=(yt, anything)),
            algebra=_FORMS,
        ),
    )
    at: dict[Any, Any] = {
        **dict(
            zip(sp.symbols("k g y c", nonnegative=True), (_kept * _step, _step, h / ((4 + A) * _step), f**2 / (h * g)))
        ),
        sp.Symbol("U", nonnegative=True): length / penalty,
        sp.Symbol("t", nonnegative=True): sp.sqrt(g),
    }
    identity = quantity("identity")
    share = sp.Symbol("C", nonnegative=True)
    in_full = _in_full(f**2 / ((4 + A) * g * _step), {symbol: names[symbol] for symbol in (A, f, g)})
    steps += [
        Step("C", "The share at the corner,", lhs=share, rhs=f**2 / ((4 + A) * g * _step), kind="definition"),
        inferred("C in full", "written out.", share, "=", in_full, *("C", "A", "f", "g", "S")),
        inferred(
            "C <= 1",
            "which is c y, at most 1,",
            share,
            "<=",
            one,
            Use("c <= 1", weight=h / ((4 + A) * _step)),
            *("y <= 1", "C"),
        ),
        inferred("C in full <= 1", "written out, too.", in_full, "<=", one, "C <= 1", "C in full"),
    ]
    laws = {
        "first": (_fit, added * identity + inverse(_shape)),
        "second": (_refit, added * identity + inverse(_shape + z * zt / 4)),
    }
    whole = {"first": (_fit, added + S), "second": (_refit, added + S - square / (4 + A))}
    for order in (("first", "second"), ("second", "first")):
        called = f"{order[0]} law first"
        stated = meaning(f"outputs, {called}", "normal_pair", *(part for law in order for part in laws[law]), epsilon)
        letters: dict[str, Any] = {"noise": noise, "epsilon": epsilon}
        for whose, law in zip(("", "other "), order):
            letters |= {
                f"{whose}mean": whole[law][0],
                f"{whose}covariance": added + (more if law == "first" else less) * square,
            }
        apart = by_fact(
            f"noise taken away, {called}",
            "Without the noise that they share the two laws are further apart,",
            "independent noise on both of two normal laws",
            letters,
            {"form": "noise", "symmetric": "noise^T"},
        )
        covariances = inferred(
            f"covariances, {called}",
            "With the covariances as they were found:",
            stated.rhs,
            "=",
            apart.lhs,
            *("S'", "S"),
        )
        plane = by_fact(
            f"plane, {called}",
            "and differ in the plane of w and u alone:",
            "two normal laws that differ along one vector" + ("" if order[0] == "first" else ", exchanged"),
            {
                "mean": _fit,
                "u": shift,
                "v": added,
                "step": more,
                "other step": less,
                "w": S * z,
                "w^T": zt * S,
                "epsilon": epsilon,
                "length": h,
                "size": g,
                "product": f,
            },
            {
                "variance": "v > 0",
                "step": "step >= 0",
                "other step": "other step >= 0",
                "direction": "S z",
                "shift": "g > 0",
                "transpose": "(S z)^T",
                "length": "h",
                "size": "g",
                "product": "f",
            },
        )
        use = Use(
            f"worst, {called}",
            of=rank_one_worst,
            at=at,
            granted={name: name for name in ("y <= 1", "c <= 1", "t <= U")},
        )
        lent = rank_one_worst().step(use.step)
        pair = meaning(f"pair, {called}", "normal_pair", *at_values(lent.lhs, at).args)
        corner = {name: _corner(order, share) for name, share in (("C", share), ("in full", in_full))}
        steps += [
            *(stated, apart, covariances, plane, pair),
            inferred(
                f"in the envelope, {called}",
                "a pair of the envelope, whose worst one is known.",
                stated.lhs,
                "<=",
                corner["C"],
                *(use, apart.name, stated.name, covariances.name, plane.name, pair.name, "C"),
            ),
            inferred(
                f"worst, {called}",
                "Written out.",
                stated.lhs,
                "<=",
                corner["in full"],
                *(f"in the envelope, {called}", "C in full"),
                *((Use("C in full <= 1", weight=0),) if called == ORDERS[0] else ()),  # known from there on
            ),
        ]
    return Derivation(
        id="logistic_pairs.logistic_worst",
        title="The surrogate with a record and without it: no pair beyond the worst of its rank-one envelope",
        sources=("N26-D7", "N26-Pr7"),
        hypotheses=tuple(_HYPOTHESES.values()),
        steps=tuple(steps),
        result_step="lambda A <= l^2",
        symbols={"length": length, "penalty": penalty},
        faults=(
            Fault("Hessian without its quarter", "two squares", lambda rhs: rhs + 3 * S * Zt * Z * S / 4),
            Fault("lambda forgotten", "first spread", lambda rhs: rhs / penalty),
            Fault("l for l^2", "lambda A <= l^2", lambda rhs: rhs / length),
            Fault("update forgotten", "update", lambda rhs: 2 * rhs),
            Fault("more noise than there is", "noise", lambda rhs: rhs + B),
            Fault("pull of the others added", "pulls", lambda rhs: rhs - p * j / 2),
            Fault("half a pull", "p <= 1", lambda rhs: rhs / 2),
            Fault("shift without its root", "t <= U", lambda rhs: rhs**2),
            Fault("w longer", "y <= 1", lambda rhs: rhs / 2),
            Fault("larger share", "c <= 1", lambda rhs: rhs / 2),
            Fault("record forgotten in the share", "C in full", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion(
                "N26-Pr7-joint",
                f"worst, {called}",
                {"v": added, "lambda": penalty, "l": length, "Z": Z, "z": z, "eps": epsilon},
            )
            for called in ORDERS
        ),
    )


def _in_full(share: sp.Expr, names: dict[sp.Symbol, Any]) -> sp.Expr:
    """With products of letters in the place of the numbers, S written out."""
    for symbol, product in names.items():
        share = share.subs(symbol, product)
    return share.subs(S, inverse(_shape))


def _corner(order: tuple[str, str], share: sp.Expr) -> sp.Expr:
    """The divergence of the worst pair of the envelope, as the statement writes it."""
    e = quantity("vector", one, zero)
    along, moved = e * quantity("transpose", e), quantity("vector", sp.sqrt(share), sp.sqrt(1 - share))
    laws = {"first": (zero, along / penalty), "second": (length / penalty * moved, along / (penalty + length**2 / 4))}
    parts = ((mean, added * quantity("identity") + more) for mean, more in (laws[law] for law in order))
    return quantity("normal_pair", *(part for both in parts for part in both), epsilon)
