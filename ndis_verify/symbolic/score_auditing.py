"""From counts of scores to limits that hold: sets, families, whole histograms, curves of samples, one parameter."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.gaussian_mechanism import zero_epsilon
from ndis_verify.symbolic.learning import bins as k
from ndis_verify.symbolic.learning import deviation, distance, mean_distance, t
from ndis_verify.symbolic.learning import draws as n
from ndis_verify.symbolic.notation import average, best_test, chance, curve_of, held, rejected, trade_off, variation
from ndis_verify.symbolic.notation import x as point
from ndis_verify.symbolic.score_sets import (
    BINS,
    DENSITIES,
    FIXED,
    GRANTED,
    INDEPENDENT,
    LIMITS,
    PROFILE,
    confidence_steps,
    failure,
    growth,
    level,
    one_set_steps,
    one_test_steps,
    power,
    set_below_distance,
    shares,
    shares_are_a_law,
    slack,
    spare,
)
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

_LIMITS = f"{DENSITIES}, P(S) >= a and Q(S) <= b"

gain = sp.Symbol("g", positive=True)
draws, bins, members = sp.symbols("n k m", positive=True)
tau, zero = sp.Symbol("tau", nonnegative=True), sp.Integer(0)
_BINNED, _HISTOGRAMS = sp.symbols("P Q", real=True), sp.symbols("P_n Q_n", real=True)


@cache
def set_limits() -> Derivation:
    """P(S) >= a and Q(S) <= b bound the profile, the epsilon and the trade-off curve below, for any set
    (KM-Alg2-corrected).

    `number`: the epsilon log(g/b) that a set proves at delta, where g = a - delta > 0.
    """
    delta = sp.Symbol("delta", nonnegative=True)
    mass_p, mass_q = power + spare, level - slack
    other_level = sp.Symbol("b2", positive=True)
    coin = sp.Symbol("w", nonnegative=True)
    steps = (
        *one_set_steps(mass_p, mass_q),
        Step(
            "limits",
            "P(S) = a + x, Q(S) = b - y, c = e^eps.",
            lhs=mass_p - growth * mass_q,
            rhs=power - growth * level,
            relation=">=",
            witness=spare + growth * slack,
        ),
        Step(
            "profile",
            "delta(eps) is the largest P(S) - e^eps Q(S) (KM-2.2): at least the limit of this set.",
            lhs=PROFILE,
            rhs=power - growth * level,
            relation=">=",
            kind="inference",
            premises=("any set", "limits"),
        ),
        Step(
            "the complement, free",
            "In the other order: Q(not S) = 1 - Q(S), P(not S) = 1 - P(S).",
            lhs=(1 - mass_q) - growth * (1 - mass_p),
            rhs=(1 - level) - growth * (1 - power),
            relation=">=",
            witness=slack + growth * spare,
            premises=("room of P(S)", "room of Q(S)"),
        ),
        Step(
            "delta reached",
            "At c = g/b, with a = delta + g, the limit is delta; it falls with c, so every smaller eps has a larger"
            " delta.",
            lhs=held(delta + gain) - held(gain / level) * level,
            rhs=delta,
            premises=("profile",),
        ),
        *one_test_steps(),
        Step(
            "point of the curve",
            "So T(Q, P) at b is at most 1 - a;",
            lhs=trade_off(level),
            rhs=1 - power,
            relation="<=",
            kind="inference",
            premises=("its point", Use("error of the second kind", weight=-1)),
        ),
        by_fact(
            "the curve",
            "and it is convex: between two such points (the empty set and the whole line give (0, 1) and (1, 0)),",
            "trade-off curves are convex",
            {"x": level, "y": other_level, "c": coin / (1 + coin)},
            {
                name: Step(name, why, lhs=coin / (1 + coin), rhs=end, relation=sign, witness=gap)
                for name, why, end, sign, gap in (
                    ("share", "c = w/(1 + w) runs over [0, 1):", sp.Integer(0), ">=", coin / (1 + coin)),
                    ("other share", "it is below 1.", sp.Integer(1), "<=", -1 / (1 + coin)),
                )
            },
        ),
        Step(
            "below the hull",
            "it lies below their chord, here with one of them put in: so below the convex hull of all.",
            lhs=trade_off(coin / (1 + coin) * level + (1 - coin / (1 + coin)) * other_level),
            rhs=coin / (1 + coin) * (1 - power) + (1 - coin / (1 + coin)) * trade_off(other_level),
            relation="<=",
            kind="inference",
            premises=("the curve", Use("point of the curve", weight=coin / (1 + coin))),
        ),
        *confidence_steps(),
        Step(
            "both limits",
            "theta gamma for a, the rest for b, theta = v/(1 + v).",
            lhs=shares[0] * failure + shares[1] * failure,
            rhs=failure,
            premises=("over the learning rows",),
        ),
        Step(
            "a family",
            "m sets, gamma/m each: all limits hold together, hence at every eps and delta.",
            lhs=members * held(failure / members),
            rhs=failure,
            premises=("both limits",),
        ),
        Step(
            "epsilon",
            "Of one set.",
            lhs=sp.log(gain) - sp.log(level),
            rhs=sp.log(gain / level),
            premises=("delta reached",),
        ),
    )
    return Derivation(
        id="score_auditing.set_limits",
        title="What limits of the two masses of sets prove",
        sources=("KM-Alg2",),
        hypotheses=(INDEPENDENT, FIXED, DENSITIES, *LIMITS),
        steps=steps,
        result_step="epsilon",
        symbols={"g": gain, "b": level},
        faults=(
            Fault("masses exchanged", "epsilon", lambda rhs: -rhs),
            Fault("upper limit of the power", "limits", lambda rhs: rhs + 2 * spare + growth * slack + 1),
            Fault("complement in the same order", "the complement, free", lambda rhs: 2 - rhs),
            Fault("failure counted once", "both limits", lambda rhs: rhs / 2),
        ),
        concludes=tuple(
            Conclusion("KM-Alg2-corrected", end, part=part)
            for end, part in (
                ("epsilon", f"the epsilon of a set, where {_LIMITS}"),
                ("the complement, free", f"the other order, where {_LIMITS}"),
                ("below the hull", f"the trade-off curve, where {_LIMITS}"),
                ("a family", "with which confidence"),
            )
        ),
    )


@cache
def simultaneous_limits() -> Derivation:
    """`sqrt(k/n)/2 + sqrt(log(1/gamma)/(2n))` bounds the error of every union of k bins; `sqrt(log(2/gamma)/(2n))` of
    every prefix.

    `number`: the first radius at `n`, `k` and `gamma`.
    """
    radius = sp.sqrt(bins / draws) / 2 + sp.sqrt(sp.log(1 / failure) / (2 * draws))
    odds = sp.Symbol("l", positive=True)  # log(1/gamma)
    least = sp.sqrt(k / n) / 2
    steps = (
        shares_are_a_law(),
        *set_below_distance("upwards", 1),
        *set_below_distance("downwards", -1),
        Step(
            "event",
            "E TV <= sqrt(k/n)/2, as in KM-4.2: TV is that and t only where it is its mean and t.",
            lhs=distance - least - t,
            rhs=distance - average(distance) - t,
            relation="<=",
            kind="inference",
            premises=(Use("least", of=mean_distance, granted=GRANTED),),
        ),
        Step(
            "more often",
            "So not more often.",
            lhs=chance(distance - least - t),
            rhs=chance(distance - average(distance) - t),
            relation="<=",
            kind="fact",
            fact="larger events",
            letters={"f": distance - least - t, "g": distance - average(distance) - t},
            conditions={"contained": "event"},
        ),
        Step(
            "mean",
            "Pr[TV >= sqrt(k/n)/2 + t] <= exp(-2 n t^2).",
            lhs=chance(distance - least - t),
            rhs=sp.exp(-2 * n * t**2),
            relation="<=",
            kind="inference",
            premises=("more often", Use("deviation", of=deviation, granted=GRANTED)),
        ),
        Step(
            "deviation",
            "t = sqrt(log(1/gamma)/(2n)), log(1/gamma) = l.",
            lhs=sp.exp(-2 * draws * held(sp.sqrt(odds / held(2 * draws))) ** 2),
            rhs=sp.exp(-odds),
        ),
        Step(
            "half the printed",
            "KM-4.2 at gamma = delta/2 prints the larger of sqrt(k/n) and sqrt(2 l/n); their mean is this radius.",
            lhs=held(sp.sqrt(bins / draws) + sp.sqrt(2 * odds / draws)) / 2,
            rhs=sp.sqrt(bins / draws) / 2 + sp.sqrt(odds / (2 * draws)),
        ),
        Step(
            "both samples",
            "gamma/2 each: delta(eps) >= H^ - tau_P - e^eps tau_Q (KM-4.3), at every eps, in both orders.",
            lhs=2 * held(failure / 2),
            rhs=failure,
            premises=("upwards: all at once", "downwards: all at once", "mean"),
        ),
        Step(
            "prefixes of an order",
            "(Massart 1990) Pr[sup |F_n - F| > r] <= 2 exp(-2 n r^2); the rank in the order is a score, ties allowed.",
            lhs=2 * sp.exp(-2 * draws * held(sp.sqrt(held(odds + sp.log(2)) / held(2 * draws))) ** 2),
            rhs=sp.exp(-odds),
        ),
        Step(
            "radius",
            "Mean plus deviation.",
            lhs=sp.sqrt(bins / draws) / 2 + sp.sqrt(-sp.log(failure) / (2 * draws)),
            rhs=radius,
            premises=("0 < gamma < 1", "deviation", "half the printed", "both samples"),
            reduce=lambda lhs, rhs: sp.expand_log(lhs - rhs, force=True),
        ),
    )
    return Derivation(
        id="score_auditing.simultaneous_limits",
        title="Limits of every set of a histogram at once",
        sources=("KM-Alg2", "KM-4.2", "KM-4.3"),
        hypotheses=(INDEPENDENT, BINS, Hypothesis("0 < gamma < 1", failure < 1)),
        steps=steps,
        result_step="radius",
        symbols={"n": draws, "k": bins, "gamma": failure},
        faults=(
            Fault("mean forgotten", "radius", lambda rhs: rhs - sp.sqrt(bins / draws) / 2),
            Fault("one side of the band", "prefixes of an order", lambda rhs: rhs / 2),
            Fault("half the deviation", "deviation", lambda rhs: rhs**2),
        ),
        concludes=(
            Conclusion("KM-Alg2-corrected", "radius", part=f"every union of bins, for 0 < gamma < 1: {BINS}"),
            Conclusion(
                "KM-Alg2-corrected",
                "prefixes of an order",
                part=f"every prefix of an order of the bins, for 0 < gamma < 1: {BINS}",
            ),
        ),
    )


def _within_steps(name: str, level: sp.Expr, one: tuple[sp.Symbol, ...], other: tuple[sp.Symbol, ...]) -> list[Step]:
    """The best test of the pair `one` at a level is a test of the pair `other` at tau more, and misses tau more."""
    test = best_test(*one, level)
    way = "" if other == _HISTOGRAMS else ", exchanged"
    back = ", exchanged" if other == _HISTOGRAMS else ""
    laws = [dict(zip(("first", "second"), pair, strict=True)) for pair in zip(_BINNED, _HISTOGRAMS, strict=True)]
    letters = {"first": one[0], "second": one[1], "level": level}
    return [
        Step(f"level{name}", "The level is not negative.", level, zero, ">=", level),
        by_fact(
            f"best set{name}",
            "The best (randomised) set of bins of the one pair",
            "the most powerful test, its size",
            letters,
            {"level": f"level{name}"},
        ),
        by_fact(
            f"best set{name}: missed",
            "misses what the curve of that pair says.",
            "the most powerful test, what it misses",
            letters,
            {"level": f"level{name}"},
        ),
        by_fact(
            f"its size{name}",
            "Under the other Q it has at most the total variation more,",
            f"a test under two laws{back}",
            {**laws[1], "test": test},
            {},
        ),
        inferred(
            f"its level{name}",
            "which is at most tau more.",
            level + tau,
            ">=",
            rejected(other[1], test),
            *(Use(f"best set{name}", weight=-1), Use(f"its size{name}", weight=-1), "error of Q"),
        ),
        by_fact(
            f"a test{name}",
            "So it is a test of the other pair there,",
            "a test and the trade-off curve",
            {"first": other[0], "second": other[1], "test": test, "level": level + tau},
            {"size": f"its level{name}"},
        ),
        by_fact(
            f"its error{name}",
            "and misses at most the total variation more.",
            f"a test under two laws{way}",
            {**laws[0], "test": test},
            {},
        ),
    ]


@cache
def trade_off_of_samples() -> Derivation:
    """The curve of two histograms is within tau of the binned laws' in both errors, tau a bound on both TV errors
    (KM-Fig5).

    `number`: the missed mass 1 - p + tau that a set of P-mass p can show at most.
    """
    p, alpha = sp.symbols("p alpha", nonnegative=True)
    errors = [variation(*pair) for pair in zip(_BINNED, _HISTOGRAMS, strict=True)]
    gap, most = sp.Symbol("m", positive=True), sp.Max(*errors)

    def by_size(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        return sp.expand((left - right).rewrite(sp.Abs))

    steps = (
        Step(
            "laws",
            "P and Q are the binned laws, P_n and Q_n the histograms of their draws. curve_of(P_n, Q_n, a) is the least"
            " 1 - P_n(S) over (randomised) sets of bins with Q_n(S) <= a. "
            f"{INDEPENDENT}; {BINS}.",
            kind="definition",
            premises=(INDEPENDENT, BINS),
        ),
        named(tau, "tau is at least as large as both total variations, tau = max + x.", most + spare, "laws"),
        *(
            Step(
                f"error of {name}",
                "One of the two.",
                lhs=most + spare,
                rhs=error,
                relation=">=",
                witness=sp.Max(0, other - error) + spare,
                reduce=by_size,
            )
            for name, error, other in (("P: size", *errors), ("Q: size", *errors[::-1]))
        ),
        *(
            inferred(f"error of {name}", "It is at most tau.", tau, ">=", error, f"error of {name}: size", "tau")
            for name, error in zip("PQ", errors, strict=True)
        ),
        *_within_steps("", alpha, _BINNED, _HISTOGRAMS),
        inferred(
            "above",
            "The curve of the histograms from above,",
            curve_of(*_HISTOGRAMS, alpha + tau),
            "<=",
            curve_of(*_BINNED, alpha) + tau,
            *("a test", "its error", Use("error of P", weight=-1), "best set: missed"),
        ),
        *_within_steps(" of the histograms", alpha, _HISTOGRAMS, _BINNED),
        inferred(
            "below",
            "the curve of the histograms from below.",
            curve_of(*_HISTOGRAMS, alpha),
            ">=",
            curve_of(*_BINNED, alpha + tau) - tau,
            Use("a test of the histograms", weight=-1),
            Use("its error of the histograms", weight=-1),
            "error of P",
            "best set of the histograms: missed",
        ),
        Step(
            "binning",
            "T <= T~ (fewer tests), and T~ - T is at most the largest gap between T and the chords of the bins.",
            kind="argument",
            premises=("above", "below"),
        ),
        Step("0 < gamma < 1", "For gamma = 1/(1 + m)", 1 / (1 + gap), sp.Integer(1), "<", -gap / (1 + gap)),
        Step(
            "tau of draws",
            "the radius of simultaneous_limits at gamma/2 bounds both total variations but for gamma, and is a tau.",
            kind="argument",
            premises=(
                "laws",
                Use(
                    "radius",
                    of=simultaneous_limits,
                    at={failure: 1 / (1 + gap)},
                    granted={"0 < gamma < 1": "0 < gamma < 1"},
                ),
            ),
        ),
        Step("missed mass", "1 - (p - tau).", lhs=1 - held(p - tau), rhs=1 - p + tau, premises=("error of P",)),
    )
    return Derivation(
        id="score_auditing.trade_off_of_samples",
        title="How far the trade-off curve of two histograms is from that of the binned laws",
        sources=("KM-Fig5", "KM-Fig6"),
        hypotheses=(INDEPENDENT, BINS),
        steps=steps,
        result_step="missed mass",
        symbols={"p": p, "tau": tau},
        faults=(
            Fault("sign of the error", "missed mass", lambda rhs: rhs - 2 * tau),
            Fault("no error", "missed mass", lambda rhs: 1 - p),
            Fault("level raised", "its level", lambda rhs: rhs + 1),
            Fault("one error only", "below", lambda rhs: rhs + tau),
            Fault("half the error", "above", lambda rhs: rhs - tau / 2),
        ),
        concludes=tuple(
            Conclusion(
                claim, step, part=part, granted={INDEPENDENT: "10^5 independent draws from each law", BINS: drawn_in}
            )
            for claim, drawn_in in (
                ("KM-Fig5", "112 bins on [-1.3, 2.3], the outer two open"),
                ("KM-Fig6", "100 bins on [-10, 11], the outer two open"),
            )
            for step, part in (
                ("binning", "sampling error, in both errors of the curve"),
                ("missed mass", "sampling error of what one set misses"),
                ("tau of draws", "how large it is"),
            )
        ),
    )


@cache
def value_at_half() -> Derivation:
    """q delta_shift(1/s; 0) is what one threshold at 1/2 shows, `q Phi(1/(2s)) + (1 - q) Phi(-1/(2s)) - Phi(-1/(2s))`,
    and `q (2 Phi(1/(2s)) - 1)` (KM-S7-interval-corrected).

    `number`: that total variation at `rate` and `std`.
    """
    q, s = sp.symbols("q s", positive=True)
    y = sp.Symbol("y", real=True)
    above = Phi(1 / (2 * s))
    distance = q * quantity("mean_shift", 1 / s, sp.Integer(0))
    steps = (
        inferred(
            "value",
            "The share q of the exact delta at eps = 0 (BW-T2).",
            distance,
            "=",
            q * (2 * above - 1),
            Use("exact delta", of=zero_epsilon, at={mean_shift.shift: 1 / s}),
        ),
        Step(
            "reflection",
            "Phi(-y) = 1 - Phi(y).",
            lhs=Phi(-y),
            rhs=1 - Phi(y),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
        ),
        inferred(
            "two masses",
            "The masses of both laws beyond 1/2.",
            distance,
            "=",
            q * above + (1 - q) * Phi(-1 / (2 * s)) - Phi(-1 / (2 * s)),
            *("value", Use("reflection", at={y: 1 / (2 * s)})),
        ),
    )
    return Derivation(
        id="score_auditing.value_at_half",
        title="The total variation that one threshold shows",
        sources=("KM-S7-example",),
        hypotheses=(mean_shift.DEFINITE,),
        steps=steps,
        result_step="value",
        symbols={"rate": q, "std": s},
        faults=(
            Fault("rate forgotten", "value", lambda rhs: rhs / q),
            Fault("one law twice", "two masses", lambda rhs: q * above),
        ),
        concludes=tuple(
            Conclusion("KM-S7-interval-corrected", end, {"q": q, "s": s}) for end in ("two masses", "value")
        ),
    )


@cache
def threshold_at_half() -> Derivation:
    """TV of q N(1, s^2) + (1-q) N(0, s^2) and N(0, s^2) is P(x >= 1/2) - Q(x >= 1/2), for every q and s
    (KM-S7-interval-corrected).

    `number`: that total variation at `rate` and `std`.
    """
    q, s, x = sp.Symbol("q", positive=True), sp.Symbol("s", positive=True), point
    exponent = (x**2 - (x - 1) ** 2) / (2 * s**2)
    steps = (
        Step(
            "ratio of the two normals",
            "Exponents of N(1, s^2) over N(0, s^2).",
            lhs=exponent,
            rhs=(2 * x - 1) / (2 * s**2),
        ),
        Step(
            "where P exceeds Q",
            "P/Q - 1 = q (e^{(2x-1)/(2 s^2)} - 1), positive exactly for x > 1/2.",
            lhs=q * sp.exp(exponent) + (1 - q) - 1,
            rhs=q * (sp.exp((2 * x - 1) / (2 * s**2)) - 1),
            premises=("0 < q <= 1", "ratio of the two normals"),
        ),
        by_fact(
            "the best set",
            "TV is P(S) - Q(S) at S = {P >= Q} = {x >= 1/2}: two bins cut at 1/2 hide nothing, and no bins finer than"
            " these do.",
            "largest integral over a set, its set",
            {"f": (q * sp.exp(exponent) + (1 - q) - 1) * phi(x / s) / s},
            {"integrable": "s > 0"},
        ),
        Step(
            "two limits",
            "p in [p1, p2] and r in [r1, r2], each of four ends failing with at most gamma/4: p - r in [p1 - r2, p2 -"
            " r1].",
            lhs=4 * held(failure / 4),
            rhs=failure,
        ),
        Step(
            "the std",
            "TV falls with s (KM-7.1), and so does the epsilon of P against Q: ends change sides.",
            kind="argument",
            premises=("two limits",),
        ),
        Step(
            "value",
            "P(x >= 1/2) - Q(x >= 1/2) = q (Phi(1/(2s)) - Phi(-1/(2s))).",
            lhs=q * held(Phi(1 / held(2 * s)) - held(1 - Phi(1 / held(2 * s)))),
            rhs=q * (2 * Phi(1 / (2 * s)) - 1),
            premises=("where P exceeds Q", "the best set"),
        ),
    )
    return Derivation(
        id="score_auditing.threshold_at_half",
        title="One threshold that hides no total variation",
        sources=("KM-S7-example",),
        hypotheses=("0 < q <= 1", "s > 0"),
        steps=steps,
        result_step="value",
        symbols={"rate": q, "std": s},
        faults=(
            Fault("rate forgotten", "value", lambda rhs: rhs / q),
            Fault("threshold at 1", "ratio of the two normals", lambda rhs: rhs - 1 / (2 * s**2)),
            Fault("half the failures", "two limits", lambda rhs: rhs / 2),
        ),
        concludes=(
            Conclusion("KM-S7-interval-corrected", "value", part="that no set tells the two laws better apart"),
            Conclusion("KM-S7-interval-corrected", "the std", part="the interval of s and epsilon"),
        ),
    )
