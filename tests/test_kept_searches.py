"""Searches that stand beside the object of a claim because they reach further: a fault that shows only beyond the
ranges of the object is found by them and by nothing else of the claim.
"""

from dataclasses import replace

import numpy as np
import pytest

from ndis_verify.claim import Kind, Outcome
from ndis_verify.claims.ledger import find
from ndis_verify.court.statement_checks import statement_of

# claim, its search, where the object does not look in the search's names, and the bound of the object's variable
BEYOND = {
    "N24-Fig7-monotone": ("one step up in eps", lambda c: c["delta"] < 1e-9, "delta", "low", "1e-9"),
    "N24-6.3-worst-record": ("finite-r divergence", lambda c: _most(c) * c["position"] > 10, "eps", "high", 10),
    "N26-L3-three-eigenvalues": ("the more spread law first", lambda c: c["lam_2"] > 4.1, "lam", "high", 4),
    "KM-S7-interval-corrected": ("the mass beyond 1/2", lambda c: c["std"] > 20, "s", "high", 20),
    "SL-1": ("sqrt(k)/n", lambda c: c["n"] > 50, "n", "high", 50),
}


def _most(c):
    """The largest privacy loss of a sketch at residual share q."""
    return np.where(c["way"] == 0, c["extra"] + 1, c["d"] + c["extra"]) * -np.log1p(-c["q"]) / 2


@pytest.mark.parametrize("claim_id", BEYOND)
def test_a_fault_beyond_the_ranges_of_the_object_is_found_by_the_search_beside_it(claim_id):
    name, beyond, variable, end, bound = BEYOND[claim_id]
    claim = find(claim_id)
    ranges = {v.name: v for v in claim.stated.variables}
    hypotheses = [h.plain() for h in claim.stated.hypotheses]
    assert (
        getattr(ranges[variable], end) == type(ranges[variable].low)(bound) or f"{variable}_i <= {bound}" in hypotheses
    )
    (check,) = [
        c for c in claim.checks if c.kind is Kind.ATTACK and statement_of(c) is None and c.name.startswith(name)
    ]
    margin = check.run.problem.margin
    spoilt = replace(check.run.problem, margin=lambda **c: np.where(beyond(c), -1.0, margin(**c)), certify=None)
    assert replace(check.run, problem=spoilt, mutant=True, owner="")("quick").outcome is Outcome.FAILED
