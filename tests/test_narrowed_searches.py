"""Searches of claims that were once attacked another way: faults near the corners that those reached are found."""

from dataclasses import replace

import numpy as np
import pytest

from ndis_verify.claim import Kind, Outcome
from ndis_verify.claims.ledger import find
from ndis_verify.court.attack_checks import AttackRun
from ndis_verify.court.scaled_floats import power, scaled
from ndis_verify.court.statement_checks import statement_of
from ndis_verify.court.statement_domains import problem_of
from ndis_verify.court.statement_floats import StatementMargin
from ndis_verify.statements.reading import saying, statement

# claim -> what its statement says -> faults in its place: true but near a corner of the domain
FAULTS = {
    "N26-L2": {
        "<= e^{2 s g}": [
            "<= 0.05 e^{2 s g}",
            "<= -(sum_i max(0, |log(lam_i)| - 4)) + e^{2 s g}",
            "<= min(0, 10^4 g - 1) + e^{2 s g}",
        ]
    },
    "N26-L2-corrected": {
        "<= B, and": ["<= B/3, and", "<= min(1, 50/s) B, and", "<= B e^{-20 sum_i max(0, log(lam_i) - 4)}, and"]
    },
    "N26-P3": {
        "+ e^x (": ["+ e^{x - 1/100} (", "+ e^{x - max(0, y - 3)/4} (", "+ e^{x - max(0, x - 5/2)/4} ("],
    },
    "N26-T5.3": {
        ", and": [" + s/10^4, and"],
        "<= s (": ["<= min(1, 20 s) s (", "<= e^{-max(0, eps - 6)/100} s ("],
    },
    "N26-T6.1-corrected": {
        "+ e^x C": ["+ e^x C/4", "+ e^x C min(1, 5/t)^2", "+ e^x C min(1, 100 t)"],
    },
}
CASES = [(i, old, new) for i, faults in FAULTS.items() for old, several in faults.items() for new in several]


def _search(claim_id):
    claim = find(claim_id)
    (check,) = [c for c in claim.checks if c.kind is Kind.ATTACK and statement_of(c) is not None]
    return check.run


@pytest.mark.parametrize(("claim_id", "old", "new"), CASES)
def test_a_fault_near_a_corner_is_found(claim_id, old, new):
    run: AttackRun = _search(claim_id)
    true = run.problem.margin.statement
    text = true.claimed.plain()
    assert old in text
    false = saying(true, text.replace(old, new, 1))
    problem = replace(problem_of(false, "planted", starts=run.problem.starts), certify=None)
    planted = replace(run, problem=problem, mutant=True, owner="")
    assert planted("quick").outcome is Outcome.FAILED


def test_the_root_of_nothing_is_nothing():
    """It was 1, and a statement without a mean shift was searched as if it had one."""
    root = power(scaled(np.array([0.0, 4.0, 0.0]), np.array([0.0, 0.0, 1e-16])), 0.5)
    assert root.value().tolist() == [0.0, pytest.approx(2.0), 0.0]
    assert root.slack()[0] == 0 and root.slack()[2] == pytest.approx(1e-8)


def test_an_equality_that_holds_hides_no_inequality():
    both = statement("delta_{P,Q}(lam, m; eps) = delta_{P,Q}(lam, m; eps), and eps <= 3", "eps >= 0", "lam_i >= 1")
    columns = {f"{name}_{k}": np.array([2.0, 2.0]) for name in ("lam", "m") for k in (1, 2, 3)}
    columns = {p.name: columns.get(p.name, np.array([2.0, 2.0])) for p in problem_of(both, "both").domain.parameters}
    columns["eps"] = np.array([1.0, 2.9])
    near, far = StatementMargin(both)(**columns)[::-1]
    assert 0 < near < far
