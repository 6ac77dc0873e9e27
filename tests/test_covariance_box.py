"""The boxes that certify N26-L3 for three eigenvalues cover the whole stated domain."""

import numpy as np

from ndis_verify.claim import Outcome
from ndis_verify.claims.covariance_shift.box import _QUICK, BoxOrder, _boxes, _partition


def test_every_ordered_point_lies_in_a_settled_box():
    levels, wrong = _partition(_QUICK, True)
    assert wrong is None
    boxes = _boxes(_QUICK, levels)
    (low, high), (first, last) = _QUICK
    rng = np.random.default_rng(0)
    spectra = np.sort(rng.uniform(low, high, (4000, 3)), axis=1)[:, ::-1]
    spectra[:8] = [[a, b, c] for a in (low, high) for b in (low, high) for c in (low, high)]
    spectra = np.sort(spectra, axis=1)[:, ::-1]
    points = np.column_stack([spectra, rng.choice([first, last, *rng.uniform(first, last, 50)], 4000)])
    inside = (points[:, None, :] >= boxes[None, :, :4]) & (points[:, None, :] <= boxes[None, :, 4:])
    assert inside.all(axis=2).any(axis=1).all()


def test_the_reverse_order_is_refuted():
    assert BoxOrder(False)("quick").outcome is Outcome.FAILED
