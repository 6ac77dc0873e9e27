"""The ledger: every claim that the package has a record of, in the order of the sources."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ndis_verify.claim import Claim
from ndis_verify.claims.attack_checks import owned
from ndis_verify.claims.attacks import attacks_by_id, with_attacks
from ndis_verify.exact_number import InputError

SOURCES = {
    "N26": "NDIS and its application to privacy-preserving machine learning (arXiv 2309.01243v4)",
    "N24": "NDIS and its application to privacy-preserving machine learning, earlier version (arXiv 2309.01243)",
    "BW": "Balle and Wang, the analytic Gaussian mechanism (arXiv 1805.06530)",
    "SL": "lecture slides on the Gaussian noise mechanism",
    "KM": "Koskela and Mohammadi, auditing by density estimation (arXiv 2406.04827)",
    "DATA": "statements of this package about real records",
    "PKG": "statements of this package about its own mechanisms",
    "OWN": "claims of your own",
}
_TOPICS = (
    "definitions",
    "lemma",
    "mean_shift",
    "gaussian_mechanism",
    "classical_gaussian",
    "classical_gaussian_order",
    "analytic_gaussian",
    "gaussian_calibration",
    "denoising",
    "experiments_gaussian",
    "experiments_graph",
    "experiments_projection",
    "experiments_regression",
    "baselines",
    "covariance_shift",
    "covariance_order",
    "covariance_box",
    "general_bound",
    "gaussian_output",
    "random_projection",
    "leverage",
    "projection_mechanism",
    "calibration_hunt",
    "relative_projection",
    "sensitivity",
    "joint_shift",
    "output_hunt",
    "estimator",
    "least_squares",
    "least_squares_mechanism",
    "least_squares_worst",
    "relative_least_squares",
    "privacy_loss",
    "trade_off",
    "audit_gdp",
    "histogram_auditing",
    "score_auditing",
    "score_figures",
    "tv_inference",
    "random_canaries",
    "dp_sgd",
    "dp_sgd_figures",
    "composed_profile",
    "misprints",
    "real_data",
    "mechanism_table",
    "releases",
    "cdf_oracle",
)


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every record; ids are unique."""
    stated = [claim for topic in _TOPICS for claim in import_module(f"ndis_verify.claims.{topic}").CLAIMS]
    attacks = attacks_by_id()
    claims = [owned(with_attacks(claim, attacks)) for claim in stated]
    ids = [claim.id for claim in claims]
    doubled = sorted({i for i in ids if ids.count(i) > 1})
    if doubled:
        raise ValueError(f"claims with two records: {', '.join(doubled)}")
    order = list(SOURCES)
    return tuple(sorted(claims, key=lambda claim: order.index(claim.source)))


def find(claim_id: str) -> Claim:
    """The record with that id, in capitals or not; InputError with the nearest ids where there is none."""
    by_id = {claim.id.lower(): claim for claim in all_claims()}
    if claim_id.lower() not in by_id:
        import difflib

        near = [by_id[i].id for i in difflib.get_close_matches(claim_id.lower(), by_id, n=3)]
        hint = f"; did you mean {', '.join(near)}?" if near else "; `ndis-verify claims` lists them"
        raise InputError("ID", claim_id, "is not in the ledger" + hint)
    return by_id[claim_id.lower()]


def missing(ids: list[str]) -> list[str]:
    """Those of `ids` that have no record, in the order given."""
    known = {claim.id for claim in all_claims()}
    return [i for i in ids if i not in known]
