"""Claims about the experiments with denoised histograms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from flint import arb

from ndis_verify.claim import Claim, Verdict
from ndis_verify.claims.denoising.experiments import unit_std
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.certified_numbers import at, in_balls, sign_check, smallest
from ndis_verify.court.proof_checks import proof
from ndis_verify.enclosure import Enclosure
from ndis_verify.experiments.histogram_release import histogram
from ndis_verify.oracle.certified import denoising as certified
from ndis_verify.oracle.certified.engine.balls import ball, to_exact_ball
from ndis_verify.symbolic import denoising as derived

_DELTA = "1e-6"


def _soft_share(counts: np.ndarray, epsilon: str) -> arb:
    """Soft threshold's risk over that of the plain release, exactly for these counts."""
    std = to_exact_ball(unit_std(epsilon, _DELTA))
    level = (2 * ball(len(counts)).log()).sqrt()
    levels, times = np.unique(counts, return_counts=True)
    total = sum(
        (int(k) * certified.soft_risk(ball(int(c)) / std, level) for c, k in zip(levels, times, strict=True)), arb(0)
    )
    return total / len(counts)


_THIN = [(kind, epsilon) for kind in ("power law 1", "power law 2") for epsilon in ("0.1", "1")]


def _thin_margin(items_per_bin: int):
    """The least of 1 - (risk over plain risk) over power laws with 1000 bins."""

    def margin() -> arb:
        return smallest(
            *(1 - _soft_share(histogram(kind, 1000, items_per_bin * 1000), epsilon) for kind, epsilon in _THIN)
        )

    return margin


def _tall(point: Mapping[str, Any]) -> Enclosure:
    """Soft threshold's risk over the plain one, less 1, for counts n/k in d bins at eps = 1."""
    counts = np.floor(int(point["n"]) / np.arange(1, int(point["d"]) + 1))
    return in_balls(lambda: _soft_share(counts, "1") - 1)({})


CLAIMS = (
    Claim(
        id="BW-B",
        tags=("reading",),
        source="BW",
        title="histogram release with power-law and sparse counts",
        statement=(
            "Denoised analytic releases of power-law and of sparse histograms have smaller errors than the plain ones."
        ),
        hypotheses=(
            "analytic noise at delta = 1e-6, one item moves one count by 1",
            "soft threshold at sigma sqrt(2 ln d)",
            "mean squared error",
        ),
        declared=Verdict.RESTRICTED,
        checks=(
            counterexample_check(
                "soft threshold worse on a tall power law",
                _tall,
                at(d=100, n=10_000),
                {"counts 10/k": at(d=100, n=10), "1000 bins, counts 100/k": at(d=1000, n=100)},
                part="soft threshold, every power law",
            ),
            proof(
                "James-Stein improves for every mean, d >= 3", derived.james_stein, part="James-Stein, every histogram"
            ),
            proof(
                "oracle inequality", derived.soft_threshold, part="soft threshold, s < d/(1 + 2 ln d) - 1 filled bins"
            ),
            sign_check(
                "soft threshold, 1000 items in 1000 bins by 1/k and 1/k^2",
                _thin_margin(1),
                ((at(), 1),),
                {"100,000 items": _thin_margin(100)},
                part="soft threshold, thin power laws",
            ),
        ),
        counterexample=(
            "100 bins with counts 10000/k, eps = 1, delta = 1e-6 (sigma = 4.22): every count is at least 23 sigma, and"
            " the soft threshold costs (1 + 2 ln 100) sigma^2 = 10.2 sigma^2 a bin"
        ),
        corrected=(
            "James-Stein: every histogram, d >= 3. Soft threshold: s filled bins with s < d/(1 + 2 ln d) - 1, whatever"
            " the counts (risk at most (1 + 2 ln d)(1 + s) sigma^2); thin power laws (1000 bins, 1000 items, 1/k and"
            " 1/k^2, eps 0.1 and 1)."
        ),
        note=(
            "Its appendix is lost. On 1000 bins, 1 % filled, the soft threshold cuts the root mean square from 4.22 to"
            " 1.63 at 100 and at 10,000 items a filled bin; James-Stein to 3.89 with 100 items a filled bin and not at"
            " all with 10,000. Rerun: `ndis-verify experiment bw-b-histograms`."
        ),
    ),
)
