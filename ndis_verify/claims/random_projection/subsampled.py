"""Claims about random projection above a ridge, of a sample of the records."""

from __future__ import annotations

import math

from ndis_verify.claim import Check, Kind, Verdict
from ndis_verify.claims.random_projection.mechanism_checks import subsampled
from ndis_verify.claims.random_projection.white_box import SAMPLED
from ndis_verify.court.checks import formula_check
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.oracle.certified.random_projection import inner_epsilon
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real, vector
from ndis_verify.symbolic import ridge_wrappers, subsampled_laws

_MIXED = (
    proof("the sample of the other records", ridge_wrappers.subsampling),
    proof("record added", subsampled_laws.record_added),
    proof("record removed", subsampled_laws.record_removed),
)
_SAMPLED_LAWS = statement(
    "sum_i max(0, (1 - s) q_i + s p_i - e^eps q_i) = s (sum_i max(0, p_i - e^y q_i)),"
    " and sum_i max(0, q_i - e^eps ((1 - s) q_i + s p_i)) <= s (sum_i max(0, q_i - e^y p_i))",
    *("0 < s <= 1", "eps >= 0"),
    where={"y": "log(1 + (e^eps - 1)/s)"},
    over=(
        *(vector(name, "law", 4, "1e-6", 1, "log") for name in "pq"),
        real("s", "0.01", 2, "log"),
        real("eps", -1, 8),
    ),
)
_SAMPLE = (
    Check(
        "the sampled mixture by quadrature",
        Kind.CROSSCHECK,
        subsampled(lambda e, q: math.log1p(math.expm1(e) / q)),
        {
            "eps' = eps": subsampled(lambda e, q: e),
            "eps' = eps/q": subsampled(lambda e, q: e / q),
        },
    ),
)
_SAMPLE_NOTE = (
    "For delta >= q the inner delta' is at least 1: there is no p* and none is needed, the two laws being within q in"
    " total variation. In the deletion direction the divergence is exactly q delta_{r}(eps'): the parameters cannot be"
    " improved."
)

CLAIMS = (
    stated_claim(
        id="N26-Fig3",
        source="N26",
        title="Poisson subsampling before the ridged projection",
        stated=_SAMPLED_LAWS,
        about=(
            "Keep each row with probability s, then run N26-Fig1, whose laws with and without a record are p and q,"
            " at eps' = y and delta' = delta/s, delta < s."
        ),
        declared=Verdict.PROVED,
        checks=(*_MIXED, *_SAMPLE, SAMPLED),
        note=_SAMPLE_NOTE,
    ),
    stated_claim(
        id="N26-T5.3",
        source="N26",
        title="the subsampled mechanism is (eps, delta)-DP",
        stated=_SAMPLED_LAWS,
        about=(
            "A record that is kept with probability s turns the law q without it into (1 - s) q + s p; the mechanism"
            " of N26-Fig3 is (eps, delta)-DP under add/remove with delta' = delta/s at eps' = y."
        ),
        declared=Verdict.PROVED,
        checks=(
            *_MIXED,
            *_SAMPLE,
            formula_check(
                "eps' against its formula in ball arithmetic",
                ridge_wrappers.subsampling,
                inner_epsilon,
                lambda effort: [(e, q) for e in (0.01, 1.0, 8.0) for q in (0.001, 0.25, 1.0)],
                digits=20,
            ),
        ),
        note=_SAMPLE_NOTE,
    ),
)
