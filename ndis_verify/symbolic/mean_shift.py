"""Two Gaussians with one covariance: loss law, closed form of the divergence, and its derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import ndis_lemma
from ndis_verify.symbolic.block_algebra import BlockAlgebra
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact, inferred, named
from ndis_verify.symbolic.hinge import MASSES, hinge, hinge_steps, rotated
from ndis_verify.symbolic.meanings import Ri, distance_between_means, g, gt, meaning, q
from ndis_verify.symbolic.ndis_lemma import POSITIVE_DEFINITE
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.normal_images import Q, R, U, Ut, log_det_1, log_det_2, zt
from ndis_verify.symbolic.notation import held, normal_mean, scalar, transpose, x
from ndis_verify.symbolic.notation import z as vector
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

shift = sp.Symbol("Delta", positive=True)
std = sp.Symbol("sigma", positive=True)
epsilon, z = sp.symbols("epsilon z", real=True)
zero = sp.Integer(0)

closed_form = Phi(shift / 2 - epsilon / shift) - sp.exp(epsilon) * Phi(-shift / 2 - epsilon / shift)


DEFINITE = Hypothesis("S positive definite", of="mean_shift")
SETTING: Mapping[str, Any] = {  # of a derivation about the closed form
    "hypotheses": (DEFINITE, Hypothesis("Delta > 0", shift > 0)),
    "symbols": {"shift": shift, "epsilon": epsilon},
}


_RULES = {(transpose(R),): R, (transpose(Ri),): Ri, (R, Ri): 1, (Ri, R): 1, (U, Ut): 1}


def _model() -> dict[sp.Symbol, sp.Matrix]:
    root, turn = sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([[3, -4], [4, 3]]) / 5
    at, shifted = sp.Matrix([1, -3]), sp.Matrix([3, 5])
    found = {R: root, Ri: root.inv(), U: turn, g: shifted, vector: at, Ut: turn.T, gt: shifted.T, zt: at.T}
    return found | {transpose(R): root, transpose(Ri): root.inv()}


_MODEL = _model()
_LETTERS = BlockAlgebra({}, _MODEL)


def _lemma_at(distance: sp.Expr) -> Use:
    """The lemma where S1 = S2 = S."""
    at = {ndis_lemma.q(x): q(x, distance), log_det_2: log_det_1, Q: Ri}
    return Use("lemma, with U^T A U", of=ndis_lemma.hockey_stick, at=at, granted=_GRANTED)


def _by_letters(step: str, *between: Any) -> Use:
    """What the lemma says of R = S^{1/2}, its inverse and U, multiplied from left and right."""
    return Use(step, of=ndis_lemma.log_density_ratio, granted=_GRANTED, between=between or None)


def _by_rules(name: str, why: str, left: sp.Expr, right: sp.Expr, rules: Mapping[Any, str | Use]) -> Step:
    """An identity by rules: word -> the premise that says it."""
    algebra = BlockAlgebra({word: _RULES[word] for word in rules}, _MODEL)
    return Step(name, why, lhs=left, rhs=right, algebra=algebra, premises=tuple(rules.values()))


_GRANTED = {POSITIVE_DEFINITE: "one covariance"}
_both_covariances = Step(
    "one covariance",
    f"S is both covariances: {POSITIVE_DEFINITE}.",
    kind="definition",
    premises=(DEFINITE.text,),
)
_BT = -gt * transpose(Ri) * Ri * R * U
_B = -Ut * transpose(R) * transpose(Ri) * Ri * g
_root = (
    by_fact(
        "transposed",
        "S^{1/2} has an inverse: of this, transposed,",
        "transposes of equal arrays",
        {"X": R * Ri, "Y": sp.Integer(1)},
        {"equal": inferred("R R^{-1}", "R = S^{1/2}.", R * Ri, "=", sp.Integer(1), _by_letters("R R^{-1}"))},
    ),
    inferred(
        "R^{-T}",
        "it is seen that it is symmetric, as S^{1/2} is.",
        *(transpose(Ri), "=", Ri),
        Use("transposed", between=(1, Ri)),
        _by_letters("R^T", -transpose(Ri), Ri),
        _by_letters("R R^{-1}", -transpose(Ri), 1),
        algebra=_LETTERS,
    ),
)
_vanishes = _by_rules(
    "A vanishes",
    "S^{1/2} S^{-1} S^{1/2} = I, so A = 0: q_eps is linear.",
    *(zt * Ut * R * transpose(Ri) * Ri * R * U * vector, zt * Ut * U * vector),
    {(transpose(Ri),): "R^{-T}", (R, Ri): _by_letters("R R^{-1}"), (Ri, R): _by_letters("R^{-1} R")},
)


@cache
def hockey_stick() -> Derivation:
    """`delta(eps) = Phi(Delta/2 - eps/Delta) - e^eps Phi(-Delta/2 - eps/Delta)` (N26-P1, N24-L2, BW-T8, KM-2.3).

    `number`: at `shift` = Delta = ||S^{-1/2}(m1 - m2)|| > 0 (sensitivity over standard deviation) and `epsilon`.
    """
    divergence = quantity("mean_shift", shift, epsilon)
    constant = epsilon - shift**2 / 2
    steps = (
        meaning("divergence", "mean_shift", shift, epsilon),
        distance_between_means("distance", shift),
        _both_covariances,
        *_root,
        _vanishes,
        inferred(
            "form",
            "S^{-1} = S^{-1/2} S^{-1/2}.",
            *(scalar(gt * transpose(Ri) * Ri * g), "=", scalar(gt * Ri * Ri * g)),
            Use("R^{-T}", between=(gt, Ri * g)),
            algebra=_LETTERS,
        ),
        a_density("density of Q", "q, of the law that is D away.", q(x, shift), DEFINITE.text),
        Step(
            "hinge",
            "The lemma with S1 = S2: b = -U^T S^{-1/2} (m1 - m2), and the log determinants in c cancel.",
            lhs=divergence,
            rhs=normal_mean(hinge(constant, scalar(_BT * vector))),
            kind="inference",
            premises=("divergence", _lemma_at(shift), "A vanishes", "form", "distance", "density of Q"),
        ),
        _by_rules(
            "b^T b",
            "b^T b = (m1 - m2)^T S^{-1} (m1 - m2).",
            *(_BT * _B, gt * Ri * Ri * g),
            {
                (transpose(Ri),): "R^{-T}",
                (transpose(R),): _by_letters("R^T"),
                (R, Ri): _by_letters("R R^{-1}"),
                (Ri, R): _by_letters("R^{-1} R"),
                (U, Ut): replace(_by_letters("U U^T"), at={Q: Ri}),
            },
        ),
        Step(
            "length of b",
            "So |b| = Delta.",
            lhs=scalar(_BT * _B),
            rhs=shift**2,
            kind="inference",
            premises=("b^T b", "distance"),
        ),
        rotated(constant, _BT, _B, shift, "length of b"),
        *hinge_steps(constant, shift),
        Step(
            "closed form",
            "The mass less the tilted mass.",
            lhs=divergence,
            rhs=closed_form,
            kind="inference",
            premises=("hinge", "one direction", *MASSES),
        ),
    )
    return Derivation(
        id="mean_shift.hockey_stick",
        title="Closed form of the divergence of two Gaussians with one covariance",
        sources=("N26-P1", "N24-L2", "BW-T8", "KM-2.3"),
        steps=steps,
        result_step="closed form",
        **SETTING,
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("sign of eps flipped", "closed form", lambda rhs: rhs.subs(epsilon, -epsilon)),
            Fault("P and Q terms swapped", "closed form", lambda rhs: -rhs),
            Fault("Delta not halved", "closed form", lambda rhs: rhs.subs(shift, 2 * shift)),
        ),
        concludes=(Conclusion("N26-P1", "closed form", {"D": shift, "eps": epsilon}),),
    )


@cache
def no_shift() -> Derivation:
    """Where the means are one the divergence is 0, for eps >= 0 (N26-P1).

    `number`: that 0, at `epsilon` >= 0.
    """
    eps, growth = sp.Symbol("epsilon", nonnegative=True), sp.Symbol("t", nonnegative=True)
    divergence = quantity("mean_shift", 0, eps)
    lemma = _lemma_at(sp.Integer(0))
    at = {**lemma.at, g: sp.Integer(0), gt: sp.Integer(0), epsilon: eps}
    steps = (
        meaning("divergence", "mean_shift", 0, eps),
        _both_covariances,
        *_root,
        _vanishes,
        a_density("density of Q", "q, of the one law.", q(x, 0), DEFINITE.text),
        Step(
            "hinge",
            "The lemma with S1 = S2 and m1 - m2 = 0: q_eps = eps.",
            lhs=divergence,
            rhs=normal_mean(sp.Max(0, 1 - sp.exp(eps))),
            kind="inference",
            premises=("divergence", replace(lemma, at=at), "A vanishes", "density of Q"),
        ),
        Step(
            "no gap",
            "e^eps = 1 + t with t >= 0.",
            lhs=sp.Max(0, 1 - sp.exp(eps)),
            rhs=sp.Integer(0),
            reduce=lambda left, right: (left - right).subs(eps, sp.log(1 + growth)),
        ),
        Step(
            "zero",
            "The expectation of 0.",
            lhs=divergence,
            rhs=sp.Integer(0),
            kind="inference",
            premises=("hinge", "no gap"),
        ),
    )
    return Derivation(
        id="mean_shift.no_shift",
        title="The divergence of a law from itself",
        sources=("N26-P1",),
        hypotheses=(DEFINITE, Hypothesis("eps >= 0", eps >= 0)),
        steps=steps,
        result_step="zero",
        symbols={"epsilon": eps},
        faults=(
            Fault("hinge of -eps", "hinge", lambda rhs: normal_mean(sp.Max(0, 1 - sp.exp(-eps)))),
            Fault("gap without its zero", "no gap", lambda rhs: 1 - sp.exp(eps)),
        ),
        concludes=(Conclusion("N26-P1", "zero", {"eps": eps}),),
    )


@cache
def erf_form() -> Derivation:
    """The closed form through the error function: `Phi(x) = (1 + erf(x/sqrt 2))/2` (N24-L2).

    `number`: at `shift` = Delta > 0 and `epsilon`.
    """
    root2 = sp.sqrt(2)
    in_erf = (1 - sp.exp(epsilon)) / 2 + (
        sp.erf((shift / 2 - epsilon / shift) / root2) + sp.exp(epsilon) * sp.erf((shift / 2 + epsilon / shift) / root2)
    ) / 2
    in_erf_at = (1 + sp.erf(z / root2)) / 2
    steps = (
        Step(
            "density",
            "Phi and (1 + erf(x/sqrt 2))/2 have one derivative,",
            lhs=sp.Derivative(in_erf_at, z),
            rhs=phi(z),
        ),
        Step(
            "value at 0",
            "and one value at 0.",
            lhs=held(in_erf_at).subs(z, 0),
            rhs=Phi(sp.Integer(0)),
            reduce=lambda left, right: left - right.rewrite(sp.erfc),
        ),
        Step(
            "Phi",
            "So they are one function.",
            lhs=Phi(z),
            rhs=in_erf_at,
            kind="fact",
            fact="one derivative and one value",
            letters={"f": Phi(z), "g": in_erf_at, "argument": z},
            conditions={"derivative": "density", "value": "value at 0"},
        ),
        Step(
            "erf form",
            "The closed form of the pair, with erf odd.",
            lhs=quantity("mean_shift", shift, epsilon),
            rhs=in_erf,
            kind="inference",
            premises=(
                Use("closed form", of=hockey_stick),
                *(Use("Phi", at={z: sign * shift / 2 - epsilon / shift}) for sign in (1, -1)),
            ),
        ),
    )
    return Derivation(
        id="mean_shift.erf_form",
        title="The mean-shift closed form through erf",
        sources=("N24-L2",),
        steps=steps,
        result_step="erf form",
        **SETTING,
        faults=(
            Fault("1/sqrt 2 dropped", "erf form", lambda rhs: rhs.subs(root2, 2)),
            Fault(
                "sign of the second erf flipped",
                "erf form",
                lambda rhs: rhs - sp.exp(epsilon) * sp.erf((shift / 2 + epsilon / shift) / root2),
            ),
        ),
        concludes=(Conclusion("N24-L2", "erf form", {"D": shift, "eps": epsilon}),),
    )


@cache
def privacy_loss() -> Derivation:
    """The privacy loss of N(f, std^2 I) against N(f', std^2 I) is N(v, 2 v), v = ||f - f'||^2/(2 std^2) (BW-L3).

    `number`: the probability that it is at most `t`, at `v`.
    """
    mean = sp.Symbol("v", positive=True)
    step, level, b = sp.symbols("h t b", real=True)
    loss = -((std * z) ** 2) / (2 * std**2) + (std * z + step) ** 2 / (2 * std**2)
    squares = total_of(entry(b) ** 2)
    below_level = quantity("quadratic_cdf", zero, b, level - squares / 2)
    steps = (
        Step(
            "one coordinate",
            "At f + std z the loss is affine in the noise: with b = (f - f')/std it is |b|^2/2 and b^T z.",
            lhs=loss,
            rhs=step**2 / (2 * std**2) + step * z / std,
        ),
        inferred("spread", "b is not 0.", squares, ">", zero, Use("v > 0", weight=2)),
        meaning("probability", "quadratic_cdf", zero, b, level - squares / 2),
        by_fact(
            "normal sum",
            "A sum of independent normal variables is normal.",
            "a normal sum below a level",
            {"b": entry(b), "level": level - squares / 2},
            {"spread": "spread"},
        ),
        named(mean, "v = |b|^2/2.", squares / 2, "v > 0"),
        inferred(
            "law",
            "The loss has mean v and variance 2 v.",
            below_level,
            "=",
            Phi((level - mean) / sp.sqrt(2 * mean)),
            *("probability", "normal sum", "v"),
        ),
        inferred(
            "in b",
            "In the terms of the two means.",
            below_level,
            "=",
            Phi((level - squares / 2) / sp.sqrt(squares)),
            *("law", "v"),
        ),
    )
    return Derivation(
        id="mean_shift.privacy_loss",
        title="The privacy loss of the Gaussian mechanism is N(v, 2 v)",
        sources=("BW-L3",),
        hypotheses=(Hypothesis("v > 0", total_of(entry(b) ** 2) / 2 > 0),),
        steps=steps,
        result_step="law",
        symbols={"t": level, "v": mean},
        faults=(
            Fault("variance v instead of 2 v", "law", lambda rhs: Phi((level - mean) / sp.sqrt(mean))),
            Fault("sign of the linear term flipped", "one coordinate", lambda rhs: rhs - 2 * step * z / std),
            Fault("mean left out", "in b", lambda rhs: Phi(level / sp.sqrt(squares))),
        ),
        concludes=(
            Conclusion("BW-L3", "in b", {"b": b, "t": level}),
            Conclusion("BW-L3", "one coordinate", part="the loss is affine in the noise"),
        ),
    )


@cache
def tails() -> Derivation:
    """`Pr[L >= eps] = Phi(D/2 - eps/D)` and `Pr[L' <= -eps] = Phi(-D/2 - eps/D)` (BW-L6).

    `number`: Pr[L >= eps] - e^eps Pr[L' <= -eps], at `shift` = D = ||f - f'||/std > 0 and `epsilon`.
    """
    lemma = privacy_loss()
    b, level = (lemma.concludes[0].symbols[name] for name in ("b", "t"))
    y = sp.Symbol("y", real=True)  # any number
    squares = total_of(entry(b) ** 2)

    def at_most(threshold: sp.Expr) -> sp.Expr:
        return quantity("quadratic_cdf", zero, b, threshold - squares / 2)

    root = sp.sqrt(squares)
    steps = (
        named(shift, "D = |b|.", root, "D > 0"),
        Step("D^2 > 0", "Positive.", shift**2 / 2, zero, ">", shift**2 / 2),
        inferred("|b|^2", "D squared.", squares, "=", shift**2, "Delta"),
        inferred("v > 0", "So is v = D^2/2.", squares / 2, ">", zero, *("D^2 > 0", "Delta")),
        Step(
            "reflection",
            "Phi(-y) = 1 - Phi(y).",
            lhs=1 - Phi(y),
            rhs=Phi(-y),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
        ),
        *(
            inferred(
                f"at {name}",
                "The law of the loss, N(v, 2 v), at this threshold.",
                at_most(threshold),
                "=",
                Phi((threshold - squares / 2) / root),
                Use("in b", of=privacy_loss, at={level: threshold}, granted={"v > 0": "v > 0"}),
            )
            for name, threshold in (("eps", epsilon), ("-eps", -epsilon))
        ),
        inferred(
            "Pr[L >= eps]",
            "The loss has no atoms.",
            1 - at_most(epsilon),
            "=",
            Phi(root / 2 - epsilon / root),
            *("at eps", "|b|^2", Use("reflection", at={y: (epsilon - shift**2 / 2) / shift})),
        ),
        inferred(
            "Pr[L' <= -eps]",
            "L' has the law of L: both depend on the distance alone.",
            at_most(-epsilon),
            "=",
            Phi(-root / 2 - epsilon / root),
            "at -eps",
        ),
        inferred(
            "difference",
            "The two tails are the two terms of the closed form.",
            1 - at_most(epsilon) - sp.exp(epsilon) * at_most(-epsilon),
            "=",
            closed_form,
            *("Pr[L >= eps]", "Pr[L' <= -eps]", "Delta"),
        ),
    )
    names = {"b": b, "eps": epsilon}
    return Derivation(
        id="mean_shift.tails",
        title="Both tails of the privacy loss of the Gaussian mechanism",
        sources=("BW-L6",),
        hypotheses=(Hypothesis("D > 0", sp.sqrt(total_of(entry(b) ** 2)) > 0),),
        steps=steps,
        result_step="difference",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("sign of eps flipped", "Pr[L >= eps]", lambda rhs: rhs.subs(epsilon, -epsilon)),
            Fault("mean of the wrong sign", "Pr[L' <= -eps]", lambda rhs: Phi(root / 2 - epsilon / root)),
            Fault("factor e^eps dropped", "difference", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
        ),
        concludes=(
            *(Conclusion("BW-L6", end, names) for end in ("Pr[L >= eps]", "Pr[L' <= -eps]")),
            Conclusion("BW-L6", "difference", names, part="their difference is the closed form"),
        ),
    )
