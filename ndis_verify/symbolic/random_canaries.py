"""Scores of random canaries: how close their law is to independent normal scores, and what the histogram then
tends to.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.gaussian_mechanism import zero_epsilon
from ndis_verify.symbolic.notation import bin_of_sum, held
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity

draws, dimension, std = sp.symbols("n d s", positive=True)
norm_squared = sp.Symbol("X2", nonnegative=True)
zero = sp.Integer(0)
_SPHERE, _APART = "canaries independent and uniform on the sphere", "X independent of the canaries"
_NOISE = "noise N(0, s^2 I)"
_GROWTH, _WIDTH = "n -> infinity under the hypotheses of KM-8.1", "bin width C n^{-1/3}"


@cache
def joint_scores() -> Derivation:
    """Given the canaries, TV(scores, N((1, 0), s^2 I))^2 <= (F^2 + M^2/s^2)/4 with small means of F^2, M^2 (KM-8.1).

    F = |C^T C - I| in Frobenius norm (at most 1/2), M the displacement of the mean. `number`: the bound on the mean of
    (F^2 + M^2/s^2)/4 at `n` canaries of each kind, dimension `d`, `std` = s and `norm_squared` = |X|^2.
    """
    eigenvalue = sp.Symbol("l", positive=True)  # 1 + the eigenvalue of C^T C - I
    shifted = eigenvalue - 1
    excess = shifted**2 - shifted + sp.log(eigenvalue)
    gram, mean = sp.symbols("F2 M2", nonnegative=True)
    gram_mean = 2 * draws * (2 * draws - 1) / dimension
    displacement = 2 * (draws * (draws - 1) + draws**2) / dimension + 4 * draws * norm_squared / dimension
    steps = (
        Step(
            "scores given the canaries",
            "N((1, 0) + tau + C^T X, s^2 C^T C): C has unit columns; tau_i is the sum of inner products with the other"
            " training canaries. Where F <= 1/2 the eigenvalues of C^T C are at least 1/2.",
            kind="argument",
            premises=(_NOISE, _SPHERE),
        ),
        by_fact(
            "divergence",
            "From N((1, 0), s^2 I): (1/2) (sum (l - log(1 + l)) + M^2/s^2), l = k - 1 the eigenvalues of C^T C - I.",
            "divergence of two normal laws",
            {
                "divergence": sp.Symbol("KL", real=True),
                "eigenvalue": sp.Function("k", positive=True)(bin_of_sum),
                "shift": mean,
                "variance": std**2,
            },
            {},
            premises=("scores given the canaries",),
        ),
        Step(
            "log bound: derivative",
            "l^2 - l + log(1 + l) is 0 at l = 0 and its derivative has the sign of l for l > -1/2:",
            lhs=sp.diff(excess, eigenvalue),
            rhs=shifted * (2 * eigenvalue - 1) / eigenvalue,
            premises=("divergence",),
        ),
        Step(
            "log bound: at 0",
            "So l - log(1 + l) <= l^2 where F <= 1/2, as every |l| <= F.",
            lhs=sp.Subs(excess, eigenvalue, 1),
            rhs=zero,
            premises=("log bound: derivative",),
        ),
        Step(
            "Pinsker",
            "TV^2 <= KL/2.",
            lhs=held(gram + mean / std**2) / 2 / 2,
            rhs=(gram + mean / std**2) / 4,
            premises=("divergence", "log bound: at 0"),
        ),
        Step(
            "inner products",
            "For independent uniform unit vectors the d squared coordinates have equal means and sum to 1.",
            lhs=dimension * held(1 / dimension),
            rhs=sp.Integer(1),
            premises=(_SPHERE,),
        ),
        Step(
            "mean of F^2",
            "2n (2n - 1) ordered pairs of columns.",
            lhs=2 * draws * held(2 * draws - 1) * held(1 / dimension),
            rhs=gram_mean,
            premises=("inner products",),
        ),
        Step(
            "mean of tau^2",
            "n training scores with n - 1 terms, n test scores with n terms, pairwise uncorrelated.",
            lhs=draws * (draws - 1) / dimension + draws * draws / dimension,
            rhs=(draws * (draws - 1) + draws**2) / dimension,
            premises=("inner products",),
        ),
        Step(
            "mean of (C^T X)^2",
            "2n columns; |a + b|^2 <= 2 |a|^2 + 2 |b|^2 joins it to tau.",
            lhs=2 * ((draws * (draws - 1) + draws**2) / dimension + 2 * draws * norm_squared / dimension),
            rhs=displacement,
            premises=("mean of tau^2", _APART),
        ),
        Step(
            "bound",
            "Both means.",
            lhs=(gram_mean + displacement / std**2) / 4,
            rhs=draws * (2 * draws - 1) / (2 * dimension)
            + (draws * (2 * draws - 1) + 2 * draws * norm_squared) / (2 * dimension * std**2),
            premises=("Pinsker", "mean of F^2", "mean of (C^T X)^2"),
        ),
        Step(
            "limit",
            "If d = omega(n^2) and |X| = o(sqrt(d/n)) both means tend to 0; by Markov F <= 1/2 and TV is small with"
            " probability tending to 1. The printed d = omega(n^3 log n), |X| = o(sqrt(d/(n log n))) are more.",
            kind="argument",
            premises=("bound",),
        ),
        Step(
            "of |X|^2",
            "At |X|^2 = c d/n the term is 4 c: it vanishes with c.",
            lhs=sp.Subs(4 * draws * norm_squared / dimension, norm_squared, norm_squared * dimension / draws),
            rhs=4 * norm_squared,
            premises=("mean of (C^T X)^2",),
        ),
    )
    return Derivation(
        id="random_canaries.joint_scores",
        title="Scores of random canaries are nearly independent normal variables",
        sources=("KM-8.1",),
        hypotheses=(_SPHERE, _APART, _NOISE),
        steps=steps,
        result_step="bound",
        symbols={"n": draws, "d": dimension, "std": std, "norm_squared": norm_squared},
        faults=(
            Fault(
                "X forgotten", "bound", lambda rhs: rhs - norm_squared * draws / (dimension * std**2) - 1 / dimension
            ),
            Fault("half of the pairs", "mean of F^2", lambda rhs: rhs / 2),
            Fault("log bound with the wrong sign", "log bound: derivative", lambda rhs: -rhs),
        ),
        concludes=(
            Conclusion("KM-8.1", "bound", part="the bound on the distance and its mean"),
            Conclusion("KM-8.1", "limit", part="the limit, under weaker growth conditions"),
            Conclusion("KM-8.1", "of |X|^2", part="what the length of X has to do with it"),
        ),
    )


@cache
def largest_angle() -> Derivation:
    """sqrt(d/log n) times the largest deviation from a right angle among n random unit vectors does not exceed 3
    (KM-G-L2).

    `number`: the bound n^{2 - a^2/2} on the chance that it exceeds `a` at `n` vectors.
    """
    level = sp.Symbol("a", positive=True)
    steps = (
        Step("vectors", "n vectors, independent and uniform on the sphere of R^d.", kind="definition"),
        Step(
            "one pair",
            "Pr[|x.y| >= t] <= 2 e^{-d t^2/2} for uniform unit vectors (a cap of the sphere); fewer than n^2/2 pairs.",
            kind="argument",
            premises=("vectors",),
        ),
        Step(
            "union bound",
            "t = a sqrt(log n/d).",
            lhs=draws**2 * sp.exp(-dimension * (level**2 * sp.log(draws) / dimension) / 2),
            rhs=draws ** (2 - level**2 / 2),
            premises=("one pair",),
        ),
        Step(
            "angles and cosines",
            "log n/d tends to 0, so the largest cosine does, and arcsin t/t tends to 1.",
            kind="argument",
            premises=("union bound", "log n/d -> 0"),
        ),
        Step(
            "at a = 3",
            "The chance tends to 0: the limit cannot be 4.",
            lhs=sp.Subs(draws ** (2 - level**2 / 2), level, 3),
            rhs=draws ** sp.Rational(-5, 2),
            premises=("union bound", "angles and cosines", "n -> infinity"),
        ),
        Step(
            "cosine at which the union bound is 1",
            "a = 2, which is the limit (Cai and Jiang 2012).",
            lhs=sp.Subs(2 - level**2 / 2, level, 2),
            rhs=zero,
            premises=("union bound", "angles and cosines"),
        ),
    )
    return Derivation(
        id="random_canaries.largest_angle",
        title="How far random unit vectors are from orthogonal",
        sources=("KM-8.1",),
        hypotheses=("n -> infinity", "log n/d -> 0"),
        steps=steps,
        result_step="union bound",
        symbols={"n": draws, "a": level},
        faults=(
            Fault("exponent of one vector", "union bound", lambda rhs: draws ** (1 - level**2 / 2)),
            Fault("square dropped", "union bound", lambda rhs: draws ** (2 - level / 2)),
        ),
        concludes=(
            Conclusion("KM-G-L2", "at a = 3", part="that the constant is not 4"),
            Conclusion("KM-G-L2", "cosine at which the union bound is 1", part="that it is at most 2"),
        ),
    )


@cache
def limit_at_zero() -> Derivation:
    """The divergence of N(1, s^2) from N(0, s^2) at eps = 0 is `2 Phi(1/(2 s)) - 1` (KM-C8.2-corrected).

    `number`: that total variation at `std`.
    """
    value = 2 * Phi(1 / (2 * std)) - 1
    steps = (
        inferred(
            "total variation",
            "The exact delta at eps = 0 (BW-T2) of two laws 1/s apart.",
            quantity("mean_shift", 1 / std, zero),
            "=",
            value,
            Use("exact delta", of=zero_epsilon, at={mean_shift.shift: 1 / std}),
        ),
    )
    return Derivation(
        id="random_canaries.limit_at_zero",
        title="The total variation of two normal laws a unit apart",
        sources=("KM-C8.2",),
        hypotheses=(mean_shift.DEFINITE,),
        steps=steps,
        result_step="total variation",
        symbols={"std": std},
        faults=(
            Fault("two equal laws", "total variation", lambda rhs: zero),
            Fault("overlap for distance", "total variation", lambda rhs: 1 - rhs),
        ),
        concludes=(Conclusion("KM-C8.2-corrected", "total variation", {"s": std}),),
    )


@cache
def histogram_limit() -> Derivation:
    """The histogram's divergence tends to H_{e^eps}(N(1,s^2)||N(0,s^2)) (KM-C8.2); at eps = 0 see `limit_at_zero`.

    `number`: the slope of the limit at eps = 0 in `x` = 1/s.
    """
    x = sp.Symbol("x", real=True)
    chance, error = sp.symbols("t e", nonnegative=True)
    density = lambda mean: sp.exp(-((x - mean) ** 2) / (2 * std**2)) / (std * sp.sqrt(2 * sp.pi))  # noqa: E731
    steps = (
        Step(
            "coupling",
            "Given the canaries the scores and 2n independent normal scores can be drawn together so that they differ"
            " with probability TV, which tends to 0 in probability (KM-8.1): so do the two histograms.",
            kind="argument",
            premises=(_GROWTH,),
        ),
        Step(
            "normal scores",
            "Their histograms with h = C n^{-1/3} have divergence within O(n^{-1/3}) of H in the mean"
            " (KM-T4.4-corrected: normal laws have a second moment and a density of bounded variation); n -> infinity.",
            kind="argument",
            premises=(_WIDTH,),
        ),
        Step(
            "order does not matter",
            "Reflecting x to 1 - x swaps the two normal laws.",
            lhs=sp.Subs(density(1), x, 1 - x),
            rhs=density(0),
        ),
        Step(
            "both",
            "Off by more than e: chance at most that of a difference plus Markov's.",
            lhs=held(chance + error) - error,
            rhs=chance,
            premises=("coupling", "normal scores", "order does not matter"),
        ),
        Step(
            "not two equal laws",
            "N(1,s^2) twice, as printed, would give max(0, 1 - e^eps); the limit at eps = 0 is increasing in 1/s"
            " from 0:",
            lhs=sp.Derivative(2 * Phi(x / 2) - 1, x),
            rhs=sp.exp(-(x**2) / 8) / sp.sqrt(2 * sp.pi),
        ),
    )
    return Derivation(
        id="random_canaries.histogram_limit",
        title="The limit of the histogram's divergence for random canaries",
        sources=("KM-C8.2",),
        hypotheses=(_GROWTH, _WIDTH),
        steps=steps,
        result_step="not two equal laws",
        symbols={"x": x},
        faults=(
            Fault("two equal laws", "not two equal laws", lambda rhs: zero),
            Fault("the difference forgotten", "both", lambda rhs: zero),
        ),
        concludes=(
            Conclusion("KM-C8.2-corrected", "both", part="the limit"),
            Conclusion("KM-C8.2-corrected", "not two equal laws", part="that it is not the printed one"),
        ),
    )
