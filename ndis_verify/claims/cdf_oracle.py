"""The claim that two distribution functions with a stated error give the divergence with a stated error."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import mpmath

from ndis_verify import oracle
from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims.checks import formula_check, proof
from ndis_verify.claims.points import projections
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.symbolic import cdf_oracle, generalized_chi2, ndis_lemma, privacy_loss


def _worst_errors(share: Callable[[float, float], float]) -> Callable[[str], Evidence]:
    """The two certified distribution functions of projection pairs, each off by its full share in every sign pattern."""

    def run(effort: str) -> Evidence:
        points = [point for point in projections(effort) if point[2] < 20 and 1e-3 < point[0] < 0.999]
        largest = mpmath.mpf(0)
        for leverage, r, epsilon in points:
            with mpmath.workdps(40):
                ratio = 1 / (1 - to_mpf(exact(leverage)))
                t = -(mpmath.mpf(r) / 2 * mpmath.log(ratio) + epsilon)
                laws = [(1 - ratio) / 2, (1 - ratio) / (2 * ratio)]
                first, second = (oracle.certified_generalized_chi2_cdf([w], [r], [0], 0, 0, t, digits=25).mid for w in laws)
                truth = oracle.certified_rp_hockey_stick(leverage, r, epsilon, "delete", digits=25).mid
                alpha, error = mpmath.mpf("1e-6"), mpmath.mpf(share(1e-6, epsilon))
                for a, b in product((-1, 1), repeat=2):
                    answer = (first + a * error) - mpmath.exp(epsilon) * (second + b * error)
                    largest = max(largest, abs(answer - truth) / alpha)
        held = largest <= 1 + mpmath.mpf("1e-9")
        detail = f"largest error of the answer over alpha {mpmath.nstr(largest, 9)}"
        return Evidence(Outcome.HELD if held else Outcome.FAILED, "certified twice", detail, 9, len(points))

    return run


CLAIMS = (
    Claim(
        id="N26-T7.1",
        source="N26",
        title="two oracle calls give the divergence within alpha",
        statement="With error alpha/(1+e^eps) per call, p1 - e^eps p2 from two calls is within alpha of the divergence; an answer above a "
        "claimed delta by more than alpha refutes the claim.",
        formula="|(p1 - e^eps p2) - delta| <= alpha/(1+e^eps) + e^eps alpha/(1+e^eps) = alpha",
        hypotheses=("a CDF oracle whose error per call is at most alpha/(1 + e^eps)", "alpha > 0", "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(
            proof("two calls", cdf_oracle.two_calls),
            proof("first law", generalized_chi2.first_law),
            proof("second law", generalized_chi2.second_law),
            proof("difference of two distribution functions", generalized_chi2.hockey_stick),
            proof("divergence as a hinge expectation", ndis_lemma.hockey_stick),
            proof("DP and the divergence", privacy_loss.dp_iff_hockey_stick),
            formula_check("error per call", cdf_oracle.two_calls, lambda alpha, epsilon: alpha / (1 + math.exp(epsilon)),
                          lambda effort: [(1e-6, 1.0), (0.01, 10.0), (1e-20, 0.5)], digits=13),
            Check("full errors in every sign pattern", Kind.CROSSCHECK, _worst_errors(lambda a, e: a / (1 + math.exp(e))), {
                "error alpha for each call": _worst_errors(lambda a, e: a),
                "half of alpha for each call": _worst_errors(lambda a, e: a / 2),
            }),
        ),
        note="The bound is attained by two full errors. It is absolute: at eps = 10 a delta of 1e-6 needs calls within 4.5e-11 for alpha = "
        "1e-6. The oracles that the source names (Davies, Imhof) certify no error; what an audit concludes is judged with the audit (N26-D9).",
    ),
)  # fmt: skip
