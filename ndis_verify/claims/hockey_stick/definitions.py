"""Definitions that everything else rests on, checked to mean what they say."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.claim import Claim, Kind, Verdict
from ndis_verify.court.checks import agreement
from ndis_verify.court.points import count, log_uniform, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_sf as certified_generalized_chi2_sf
from ndis_verify.symbolic import generalized_chi2, random_projection


def _laws(effort: str) -> list[tuple[tuple, float]]:
    """(parameters, x): weights of one sign or both, with and without a Gaussian part, x in the body or a tail."""
    rng = np.random.default_rng(18)
    points = [
        (([1.0], [1], [0.0], 0.0, 0.0), 1.0),
        (([1.0, -0.5], [2, 3], [0.25, 0.0], 0.5, 1.0), 2.0),
        (([-2.0], [3], [1.0], 0.0, 0.0), -4.0),
    ]
    while len(points) < count(effort, 12, 60):
        terms = int(rng.integers(1, 4))
        weights = [float(rng.choice([-1, 1])) * log_uniform(rng, 0.1, 10) for _ in range(terms)]
        dofs = [int(k) for k in rng.integers(1, 6, terms)]
        noncentralities = [short(v) for v in rng.uniform(0, 3, terms)]
        std, shift = float(rng.choice([0.0, 0.5, 2.0])), short(rng.uniform(-3, 3))
        law = GeneralizedChi2(weights, dofs, noncentralities, std, shift)
        x = short(law.mean() + np.sqrt(law.var()) * rng.uniform(-1.5, 6))
        if law.logsf(x) > -600:  # a float can hold it
            points.append(((weights, dofs, noncentralities, std, shift), x))
    return points


def _sf(law: tuple[Any, ...], x: float) -> float:
    return float(GeneralizedChi2(*law).sf(x))


def _certified_sf(law: tuple[Any, ...], x: float) -> Enclosure:
    weights, dofs, noncentralities, std, shift = law
    return certified_generalized_chi2_sf(weights, dofs, noncentralities, std, shift, x, digits=15)


CLAIMS = (
    Claim(
        id="N26-D1",
        source="N26",
        title="the generalized chi-square law",
        statement=(
            "The law of a weighted sum of independent noncentral chi-square variables, a normal variable and a"
            " constant; weights of either sign."
        ),
        formula="W = sum_i w_i chi'^2(k_i, nu_i) + s N(0,1) + m",
        hypotheses=("k_i >= 1", "nu_i >= 0", "s >= 0"),
        declared=Verdict.DEFINITION,
        checks=(
            proof("moment generating function and moments", generalized_chi2.definition, part="law"),
            agreement(
                "float64 survival function against the certified one",
                "fast, certified",
                _sf,
                _certified_sf,
                _laws,
                digits=11,
                mutants={
                    "cdf in place of sf": lambda law, x: GeneralizedChi2(*law).cdf(x),
                    "signs of the weights flipped": lambda law, x: _sf(([-w for w in law[0]], *law[1:]), x),
                    "noncentralities left out": lambda law, x: _sf((*law[:2], [0.0] * len(law[2]), *law[3:]), x),
                },
                kind=Kind.MEANING,
            ),
        ),
        note=("What is proved is that the law is well defined; the implementations mean the same law."),
    ),
    Claim(
        id="N26-D2",
        source="N26",
        title="Gaussian projection: columns independent N(0, D^T D); leverage",
        statement=(
            "The columns of D^T G, G an n x r standard normal matrix, are independent N(0, D^T D); the leverage of row"
            " i is p_i = d_i^T (D^T D)^{-1} d_i."
        ),
        formula="D^T G e_j ~ N(0, D^T D) independently for j = 1..r",
        hypotheses=("D has full column rank",),
        declared=Verdict.PROVED,
        checks=(proof("law of the projection", random_projection.projected_covariance),),
    ),
)
