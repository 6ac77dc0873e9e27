"""The epsilon of a threshold attack, whose true and false positive rates are the shares of two bins."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named

zero, one = sp.Integer(0), sp.Integer(1)


@cache
def two_bins() -> Derivation:
    """At e^eps = max((TPR - delta)/FPR, (TNR - delta)/FNR) >= 1, TNR = 1 - FPR, FNR = 1 - TPR, both divergences of two
    bins are at most delta (KM-6.1).

    `number`: e^eps at which TPR - e^eps FPR equals `delta`, from `tpr` and `fpr`.
    """
    tpr, fpr, miss, rest, growth, x = sp.symbols("t f g r z x", positive=True)
    level = sp.Symbol("delta", nonnegative=True)
    y, u, v = sp.symbols("y u v", real=True)
    gap, line = tpr - fpr - level, tpr - x * fpr - level
    up, down = sp.Max(0, y), sp.Max(0, -y)
    bound = up * (1 / fpr + 1 / miss) - down
    first, second = (tpr - level) / fpr, (rest - level) / miss
    larger = sp.Max(first, second)
    at = {y: gap}
    excess = down.subs(at)
    below = Hypothesis("TPR < 1", tpr < 1), Hypothesis("FPR < 1", fpr < 1)
    lemma = Hypothesis("z >= 1", larger.subs({rest: 1 - fpr, miss: 1 - tpr}) >= 1)
    in_numbers = ("z", "r", "g")
    steps = (
        named(miss, "FNR = 1 - TPR.", 1 - tpr, "TPR < 1"),
        named(rest, "TNR = 1 - FPR.", 1 - fpr, "FPR < 1"),
        Step("TPR", "FNR is below 1,", tpr, zero, ">", tpr),
        inferred("FNR < 1", "as TPR > 0.", miss, "<", one, Use("TPR", weight=-1), "g"),
        inferred("ratios", "By the lemma eps >= 0:", larger, ">=", one, Use("z >= 1"), "r", "g"),
        Step("one", "As 1 > 0,", one, zero, ">", witness=one),
        inferred("growth", "the larger ratio is positive.", larger, ">", zero, "ratios", "one"),
        named(growth, "z = e^eps is its name.", larger, "growth"),
        inferred("eps >= 0", "It is at least 1.", growth, ">=", one, "ratios", "z"),
        Step("positive part", "Of a number y the positive part is not below 0;", up, zero, ">=", up),
        *(
            inferred(
                f"y/{part}",
                why,
                y / part,
                "<=",
                bound,
                *(Use("positive part", weight=-1 / other), Use(f"{rate} < 1", weight=down / part)),
            )
            for part, other, rate, why in (
                (fpr, miss, "FPR", "y/f is at most this, as f = FPR < 1,"),
                (miss, fpr, "FNR", "and so is y/g, as g = FNR < 1:"),
            )
        ),
        by_fact(
            "larger quotient",
            "The larger one of both has the sign of y.",
            "larger of two numbers",
            {"one": y / fpr, "other": y / miss, "bound": bound},
            {"one": "y/f", "other": "y/g"},
        ),
        Step("1 more", "1 more in both is 1 more:", sp.Max(1 + u, 1 + v), 1 + sp.Max(u, v)),
        Step("first at y", "At y = TPR - FPR - delta the first ratio is 1 + y/f", first, 1 + gap / fpr),
        inferred("second at y", "and the second one 1 + y/g,", second, "=", 1 + gap / miss, "r", "g"),
        inferred(
            "larger at y",
            "so that the larger of y/f and y/g is not negative,",
            sp.Max(gap / fpr, gap / miss),
            ">=",
            zero,
            *("ratios", "first at y", "second at y", Use("1 more", at={u: gap / fpr, v: gap / miss})),
        ),
        Step("square", "A square is not negative,", up.subs(at) ** 2, zero, ">=", up.subs(at) ** 2),
        inferred(
            "squares",
            "and this y has no negative part,",
            down.subs(at) ** 2,
            "<=",
            up.subs(at) ** 2,
            Use("larger quotient", at=at, weight=excess),
            Use("larger at y", weight=-excess),
            Use("square", weight=-1),
        ),
        by_fact(
            "parts",
            "which would be above its positive part:",
            "a number and a larger square",
            {"a": down.subs(at), "b": up.subs(at)},
            {"squares": "squares", "sign": Step("its sign", "", up.subs(at), zero, ">=", up.subs(at))},
        ),
        inferred("gain", "TPR - FPR >= delta.", gap, ">=", zero, Use("parts", weight=-1)),
        Step("delta", "delta is not negative.", zero, level, "<=", -level),
        *_at_most(
            "second bin",
            "FNR - z TNR <= FNR - TNR <= 0: the second bin adds nothing to the first order,",
            (miss - growth * rest, zero),
            (Use("gain", weight=-1), Use("eps >= 0", weight=-rest), "delta", "r", "g"),
        ),
        *_at_most(
            "first bin, other order",
            "nor, as FPR - z TPR <= FPR - TPR <= 0, the first one to the other.",
            (fpr - growth * tpr, zero),
            (Use("gain", weight=-1), Use("eps >= 0", weight=-tpr), "delta"),
        ),
        Step("first ratio", "z is at least this ratio,", first, larger, "<=", -sp.Max(0, second - first)),
        *_at_most(
            "first bin",
            "so that the first bin is at most delta,",
            (tpr - growth * fpr, level),
            (Use("first ratio", weight=fpr), "z"),
        ),
        Step("second ratio", "and this one,", second, larger, "<=", -sp.Max(0, first - second)),
        *_at_most(
            "second bin, other order",
            "and so is the second one in the other order.",
            (rest - growth * miss, level),
            (Use("second ratio", weight=miss), "z"),
        ),
        inferred(
            "first order",
            "Both bins together, in the first order",
            _two_parts(tpr, fpr, larger).subs({rest: 1 - fpr, miss: 1 - tpr}),
            "<=",
            level,
            *("first bin", "second bin", *in_numbers),
        ),
        inferred(
            "other order",
            "and in the other one.",
            _two_parts(fpr, tpr, larger).subs({rest: 1 - fpr, miss: 1 - tpr}),
            "<=",
            level,
            *("first bin, other order", "second bin, other order", *in_numbers),
        ),
        Step(
            "solution",
            "TPR - x FPR - delta, a line in x of slope -FPR, is 0 at its value at 0 over FPR: at the first ratio.",
            lhs=sp.Subs(line, x, 0) / fpr,
            rhs=first,
        ),
    )
    rates = {"TPR": tpr, "FPR": fpr, "delta": level}
    return Derivation(
        id="threshold_attack.two_bins",
        title="The epsilon of a threshold attack is that of a two-bin histogram",
        sources=("KM-6.1",),
        hypotheses=(*below, lemma),
        steps=steps,
        result_step="solution",
        symbols={"tpr": tpr, "fpr": fpr, "delta": level},
        faults=(
            Fault("delta added", "solution", lambda rhs: (tpr + level) / fpr),
            Fault("ratio inverted", "solution", lambda rhs: fpr / (tpr - level)),
            Fault("half of delta", "first order", lambda rhs: level / 2),
            Fault("smaller ratio", "first ratio", lambda rhs: sp.Min(first, second)),
        ),
        concludes=(
            *(Conclusion("KM-6.1", end, rates) for end in ("first order", "other order")),
            Conclusion("KM-6.1", "solution", part="where the first order is delta"),
        ),
    )


def _two_parts(first: sp.Expr, second: sp.Expr, growth: sp.Expr) -> sp.Expr:
    """The divergence of two bins, of the shares `first` and `second` in one of them."""
    return sp.Max(0, first - growth * second) + sp.Max(0, 1 - first - growth * (1 - second))


def _at_most(name: str, why: str, sides: tuple[sp.Expr, sp.Expr], premises: tuple[str | Use, ...]) -> tuple[Step, Step]:
    """A number, and with it its positive part, is at most a bound that is not negative."""
    value, bound = sides
    letters = {"one": zero, "other": value, "bound": bound}
    least = Step("least", "", zero, bound, "<=", -bound)
    return (
        inferred(f"{name}, as it is", why, value, "<=", bound, *premises),
        by_fact(name, "0 is no more.", "larger of two numbers", letters, {"one": least, "other": f"{name}, as it is"}),
    )


@cache
def any_attack() -> Derivation:
    """At e^eps = max(1, (TPR - delta)/FPR, (TNR - delta)/FNR, (FPR - delta)/TPR, (FNR - delta)/TNR) both divergences of
    two bins are at most delta, whatever the rates are (KM-6.1-any-attack-corrected).

    `number`: the larger ratio of the lemma, at `tpr`, `fpr` and `delta`.
    """
    tpr, fpr, miss, rest, growth = sp.symbols("t f g r z", positive=True)
    level = sp.Symbol("delta", nonnegative=True)
    x, y, w = sp.symbols("x y w", real=True)
    ratios = {
        x: [_over(tpr, fpr, level), _over(rest, miss, level)],
        y: [_over(fpr, tpr, level), _over(miss, rest, level)],
    }
    largest = sp.Max(one, w)
    steps = [
        named(miss, "FNR = 1 - TPR.", 1 - tpr, "TPR < 1"),
        named(rest, "TNR = 1 - FPR.", 1 - fpr, "FPR < 1"),
        named(x, "x is the larger ratio of the lemma,", sp.Max(*ratios[x])),
        named(y, "y that with the two laws exchanged,", sp.Max(*ratios[y])),
        named(w, "w the larger of both.", sp.Max(x, y)),
        Step("z > 0", "The larger of 1 and w is positive:", largest, zero, ">", one + sp.Max(zero, w - 1)),
        named(growth, "it is z = e^eps,", largest, "z > 0"),
        Step("1 at most z", "at least 1", one, largest, "<=", -sp.Max(zero, w - 1)),
        Step("w at most z", "and at least w,", w, largest, "<=", -sp.Max(zero, 1 - w)),
        Step("x at most w", "which is no less than x", x, sp.Max(x, y), "<=", -sp.Max(zero, y - x)),
        Step("y at most w", "and y.", y, sp.Max(x, y), "<=", -sp.Max(zero, x - y)),
        Step("delta", "delta is not negative.", zero, level, "<=", -level),
    ]
    bins = {"first": ((tpr, fpr, x), (miss, rest, y)), "other": ((fpr, tpr, y), (rest, miss, x))}
    for order, both in bins.items():
        for place, (gain, loss, name) in zip(("one", "other"), both, strict=True):
            ratio = _over(gain, loss, level)
            rival = next(one_ for one_ in ratios[name] if one_ != ratio)
            steps += [
                Step(
                    f"ratio, {place} bin, {order} order",
                    f"{name} is no less than this ratio:",
                    ratio,
                    sp.Max(ratio, rival),
                    "<=",
                    -sp.Max(zero, rival - ratio),
                ),
                inferred(
                    f"{place} bin, {order} order",
                    "so that this bin is at most delta.",
                    gain - growth * loss,
                    "<=",
                    level,
                    *(
                        Use(premise, weight=loss)
                        for premise in (f"ratio, {place} bin, {order} order", f"{name} at most w", "w at most z")
                    ),
                    *("z", "w", str(name)),
                ),
            ]
        shares = [(gain, loss) for gain, loss, _ in both]
        steps += _two_at_most(order, [gain - growth * loss for gain, loss in shares], level)
        steps.append(
            inferred(
                f"{order} order",
                "In the terms of the rates.",
                _two_parts(*shares[0], sp.Max(one, sp.Max(*ratios[x]), sp.Max(*ratios[y]))).subs(
                    {rest: 1 - fpr, miss: 1 - tpr}
                ),
                "<=",
                level,
                *(f"both bins, {order} order", "z", "w", "x", "y", "r", "g"),
            )
        )
    rates = {"TPR": tpr, "FPR": fpr, "delta": level}
    return Derivation(
        id="threshold_attack.any_attack",
        title="The epsilon of any threshold attack is that of a two-bin histogram",
        sources=("KM-6.1",),
        hypotheses=(Hypothesis("TPR < 1", tpr < 1), Hypothesis("FPR < 1", fpr < 1)),
        steps=tuple(steps),
        result_step="g",
        symbols={"tpr": tpr},
        faults=(
            Fault("half of delta", "first order", lambda rhs: level / 2),
            Fault("smaller ratio", "ratio, one bin, first order", lambda rhs: sp.Min(*ratios[x])),
            Fault("1 less", "1 at most z", lambda rhs: w),
        ),
        concludes=tuple(Conclusion("KM-6.1-any-attack-corrected", f"{order} order", rates) for order in bins),
    )


def _over(gain: sp.Expr, loss: sp.Expr, level: sp.Expr) -> sp.Expr:
    return (gain - level) / loss


def _two_at_most(order: str, bins: list[sp.Expr], level: sp.Expr) -> list[Step]:
    """Of two numbers at most delta, whose sum is not positive, the positive parts are together at most delta: only one
    of them is not 0.
    """
    a, b = bins
    part = sp.Max(zero, a)
    no_less, one_bin, other_bin = "delta", f"one bin, {order} order", f"other bin, {order} order"
    return [
        inferred(
            f"sum, {order} order",
            "Both bins are together 1 - z, which is not positive:",
            a + b,
            "<=",
            zero,
            *("1 at most z", "z", "r", "g"),
        ),
        by_fact(
            f"beside the other, {order} order",
            "the one is positive by no more than the other is short of delta,",
            "larger of two numbers",
            {"one": zero, "other": a, "bound": level - b},
            {
                "one": inferred("short", "as that is at most delta,", zero, "<=", level - b, other_bin),
                "other": inferred("as it is", "and so is the one.", a, "<=", level - b, f"sum, {order} order", no_less),
            },
        ),
        by_fact(
            f"alone, {order} order",
            "and by no more than delta,",
            "larger of two numbers",
            {"one": zero, "other": a, "bound": level},
            {"one": no_less, "other": one_bin},
        ),
        by_fact(
            f"rest, {order} order",
            "so that the other is positive by no more than is left.",
            "larger of two numbers",
            {"one": zero, "other": b, "bound": level - part},
            {
                "one": inferred("left", "Something is left,", zero, "<=", level - part, f"alone, {order} order"),
                "other": inferred(
                    "other", "as much as that.", b, "<=", level - part, f"beside the other, {order} order"
                ),
            },
        ),
        inferred(
            f"both bins, {order} order",
            "So both are at most delta.",
            part + sp.Max(zero, b),
            "<=",
            level,
            f"rest, {order} order",
        ),
    ]
