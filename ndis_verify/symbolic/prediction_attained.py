"""Every pair of the family of a Gaussian-process prediction is one of outputs of two neighbouring databases."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import scalar, transpose
from ndis_verify.symbolic.prediction_family import (
    ORDERS,
    added,
    epsilon,
    family_laws,
    in_order,
    shift_of,
    stated_laws,
    tau,
    witnessed,
    x,
    z,
)
from ndis_verify.symbolic.prediction_features import (
    in_letters,
    inverse_steps,
    labels,
    length,
    noise,
    one,
    others,
    zero,
)
from ndis_verify.symbolic.statement_terms import quantity

_ATTAINED = "N26-Pr8-joint-attained"


@cache
def attained() -> Derivation:
    """Every pair of the family is the pair of outputs of two neighbouring databases with one feature: k(a, b) = a b,
    other records of features f e_i and labels -B e_i, of which m = e^T e counts, e = (1, ..., 1) for m records; the new
    one of feature c and label B, the query l (N26-Pr8).

    z = m f^2/(s^2 + m f^2), x = c^2/(s^2 + m f^2). `number`: the shift sqrt(w X) r at `length`, `labels`, `noise` (s),
    `others` (m), `z`, `x`.
    """
    f, c, M = sp.symbols("f c M", nonnegative=True)
    e = letter("e")
    et = transpose(e)
    g, G, H = f * e, letter("G"), letter("H")
    h, targets = quantity("above", g, c), quantity("above", -labels * e, labels)
    ht = transpose(h)
    here, there = noise**2 + f**2 * M, noise**2 + f**2 * M + c**2
    inner, whole = f**2 * e * et + noise**2, h * ht + noise**2
    algebra = without_rules((e, et, h, ht, targets, G, H), (f, c, M, noise, labels))
    lettered = lambda name, why, lhs, rhs, *premises: in_letters(  # noqa: E731
        name, why, lhs, rhs, *premises, algebra=algebra
    )
    blocks = "a product of blocks, one above the other"
    released = lambda features, matrix, of: (  # noqa: E731
        scalar(length * transpose(features) * inverse(matrix) * of),
        length**2 - scalar(length**2 * transpose(features) * inverse(matrix) * features),
    )
    outputs = released(g, inner, -labels * e), released(h, whole, targets)
    mean, mean_then = -length * labels * f * M / here, length * labels * (c - f * M) / there
    spread, spread_then = length**2 * noise**2 / here, length**2 * noise**2 / there
    moved = sp.Symbol("D", real=True)
    family_z, family_x = M * f**2 / (noise**2 + M * f**2), c**2 / (noise**2 + M * f**2)
    steps = [
        *(
            step
            for name, matrix, whose in (
                (G, inner, "The other records have features f e and labels -B e, the query l."),
                (H, whole, "The new one has the feature c and the label B."),
            )
            for step in (
                *inverse_steps(name, matrix, f"{whose} {name} is the inverse of the kernel matrix with its noise:"),
                by_fact(
                    f"{name} in full",
                    "no matrix has another one.",
                    "an inverse from one side",
                    {"X": name, "Y": matrix},
                    {"product": f"{name} from the left"},
                ),
            )
        ),
        by_fact("e^T e", "A squared length:", "squared length", {"w": e, "w^T": et}, {}),
        Step("M", "the number m.", lhs=M, rhs=scalar(et * e), kind="definition", premises=("e^T e",)),
        lettered("M in letters", "A product that is a number:", et * e, M, "M"),
        by_fact("h^T h", "The new feature below the other ones,", blocks, {"A": g, "B": c, "C": g, "D": c}, {}),
        by_fact(
            "h^T y",
            "times itself and times the labels.",
            blocks,
            {"A": g, "B": c, "C": -labels * e, "D": labels},
            {},
        ),
        lettered(
            "h in letters",
            "Both are numbers:",
            ht * h,
            f**2 * M + c**2,
            Use("h^T h", between=(one, one)),
            Use("M in letters", between=(f**2, one)),
        ),
        lettered(
            "labels in letters",
            "the second one.",
            ht * targets,
            labels * (c - f * M),
            Use("h^T y", between=(one, one)),
            Use("M in letters", between=(-f * labels, one)),
        ),
        lettered(
            "through G",
            "As e^T (f^2 e e^T + s^2 I) = (f^2 M + s^2) e^T, G goes through,",
            et * G,
            et / here,
            Use("G from the right", between=(et / here, one)),
            Use("M in letters", between=(-(f**2) / here, et * G)),
        ),
        lettered(
            "through H",
            "and H.",
            ht * H,
            ht / there,
            Use("H from the right", between=(ht / there, one)),
            Use("h in letters", between=(-one / there, ht * H)),
        ),
        lettered(
            "mean",
            "The outputs: without the new record the mean",
            outputs[0][0],
            mean,
            "G in full",
            Use("through G", between=(-length * labels * f, e)),
            Use("M in letters", between=(-length * labels * f / here, one)),
        ),
        lettered(
            "variance",
            "and the variance,",
            outputs[0][1],
            spread,
            "G in full",
            Use("through G", between=(-(length**2) * f**2, e)),
            Use("M in letters", between=(-(length**2) * f**2 / here, one)),
        ),
        lettered(
            "mean with",
            "with it the mean",
            outputs[1][0],
            mean_then,
            "H in full",
            Use("through H", between=(length, targets)),
            Use("labels in letters", between=(length / there, one)),
        ),
        lettered(
            "variance with",
            "and the variance.",
            outputs[1][1],
            spread_then,
            "H in full",
            Use("through H", between=(-(length**2), h)),
            Use("h in letters", between=(-(length**2) / there, one)),
        ),
        Step("z", "z = m f^2/(s^2 + m f^2)", lhs=z, rhs=family_z, kind="definition"),
        Step("x", "and x = c^2/(s^2 + m f^2):", lhs=x, rhs=family_x, kind="definition"),
        Step("D", "D, how far the mean moves,", lhs=moved, rhs=mean_then - mean, kind="definition"),
        inferred("shift", "is the family's shift.", moved, "=", shift_of(1 - z, M), "D", "z", "x"),
        witnessed("v + w", "Not negative,", added + spread),
        witnessed("v + w (1 - X)", "neither of them.", added + spread_then),
    ]
    count = scalar(et * e)
    in_full = {M: count, **{one: value.subs(M, count) for one, value in ((z, family_z), (x, family_x))}}
    steps += [
        inferred(f"{one} in full", "As products of letters.", one, "=", in_full[one], str(one), "M") for one in (z, x)
    ]
    for order in ORDERS:
        stated = meaning(
            f"released, {order}", "normal_pair", *stated_laws(order, *((m, added + more) for m, more in outputs))
        )
        laws = {"mean": zero, "variance": added + spread}, {"mean": moved, "variance": added + spread_then}
        translated = by_fact(
            f"translated, {order}",
            "The mean without the new record may be taken off,",
            "a common translation",
            {**in_order(order, *laws), "shift": mean, "epsilon": epsilon},
            in_order(order, {"variance": "v + w"}, {"variance": "v + w (1 - X)"}),
        )
        family = meaning(f"family, {order}", "normal_pair", *stated_laws(order, *family_laws(1 - z, M)))
        put = inferred(
            f"outputs, {order}",
            "What is released,",
            stated.rhs,
            "=",
            translated.lhs,
            *("mean", "variance", "mean with", "variance with", "D"),
        )
        member = inferred(
            f"in the family, {order}",
            "and this is the family's pair at (z, x).",
            stated.lhs,
            "=",
            family.lhs,
            *(stated.name, put.name, translated.name, "shift", family.name, "z", "x"),
        )
        steps += [
            *(stated, translated, put, family, member),
            inferred(
                f"attained, {order}",
                "Written out.",
                stated.lhs,
                "=",
                family.lhs.subs(in_full, simultaneous=True),
                *(member.name, "z in full", "x in full", "M"),
            ),
        ]
    return Derivation(
        id="prediction_joint.attained",
        title="Every pair of the family is the pair of outputs of two neighbouring databases with one feature",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(),
        steps=tuple(steps),
        result_step="shift",
        symbols={"length": length, "labels": labels, "noise": noise, "others": M, "z": z, "x": x},
        faults=(
            Fault("own feature forgotten", "h in letters", lambda rhs: f**2 * M),
            Fault("others' labels forgotten", "labels in letters", lambda rhs: labels * c),
            Fault("noise left out", "through G", lambda rhs: rhs * here / (f**2 * M)),
            Fault("variance kept", "variance with", lambda rhs: spread),
            Fault("l for l^2", "variance", lambda rhs: rhs / length),
            Fault("shift of the other sign", "shift", lambda rhs: -rhs),
            Fault("no other record", "mean", lambda rhs: rhs.subs(M, one)),
        ),
        concludes=tuple(
            Conclusion(
                _ATTAINED,
                f"attained, {order}",
                {"e": e, "f": f, "c": c, "l": length, "B": labels, "s": noise, "v": added, "eps": epsilon},
            )
            for order in ORDERS
        ),
    )


_RANGES = "z <= m l^2/(s^2 + m l^2)", "x <= (1 - z) l^2/s^2"


@cache
def in_range() -> Derivation:
    """At every z and x of the ranges of the family other records and a new one have its features: R = s^2 z/(1 - z) is
    the sum of the squares of the others', at most m l^2, and s^2 x/(1 - z) the square of the new one's (N26-Pr8).

    `number`: R at `noise` (s), `z`.
    """
    room = noise**2 + others * length**2
    total, own = noise**2 * z / (1 - z), noise**2 * x / (1 - z)
    least = noise**2 / room
    steps = (
        Step("least", "Positive.", lhs=least, rhs=zero, relation=">", witness=least),
        inferred("1 - z", "z is below 1.", 1 - z, ">", zero, Use(_RANGES[0], weight=-1), "least"),
        Step("tau", "tau = 1 - z.", lhs=tau, rhs=1 - z, kind="definition", premises=("1 - z",)),
        inferred(
            "features of the others",
            "There is room for z in the features of the others,",
            total,
            "<=",
            others * length**2,
            Use(_RANGES[0], weight=room / tau),
            "tau",
        ),
        inferred(
            "feature of the new record",
            "and for x in that of the new record,",
            own,
            "<=",
            length**2,
            Use(_RANGES[1], weight=noise**2 / tau),
            "tau",
        ),
        Step("z of the features", "of which z", lhs=total / (noise**2 + total), rhs=z),
        Step("x of the features", "and x are made.", lhs=own / (noise**2 + total), rhs=x),
    )
    return Derivation(
        id="prediction_joint.in_range",
        title="Every z and x of the ranges of the family are those of features that are no longer than allowed",
        sources=("N26-Pr8",),
        hypotheses=(
            Hypothesis(_RANGES[0], sp.Le(z, others * length**2 / room)),
            Hypothesis(_RANGES[1], sp.Le(x, (1 - z) * length**2 / noise**2)),
        ),
        steps=steps,
        result_step="features of the others",
        symbols={"length": length, "others": others},
        faults=(
            Fault("features half as long", "features of the others", lambda rhs: rhs / 4),
            Fault("new feature half as long", "feature of the new record", lambda rhs: rhs / 4),
            Fault("noise forgotten", "z of the features", lambda rhs: rhs / noise**2),
            Fault("z forgotten", "x of the features", lambda rhs: rhs * (1 - z)),
        ),
        concludes=tuple(
            Conclusion(_ATTAINED, name, {"z": z, "x": x, "m": others, "l": length, "s": noise})
            for name in (
                *("features of the others", "feature of the new record"),
                *("z of the features", "x of the features"),
            )
        ),
    )
