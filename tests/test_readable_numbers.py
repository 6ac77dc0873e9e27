"""Numbers that nobody can read back are refused by name, however long their exponents are."""

import json

import mpmath
import pytest

from ndis_verify.enclosure import Enclosure
from ndis_verify.reference.engines import ENGINES
from ndis_verify.reference.protocol import answer_line
from ndis_verify.reference.readable import decimals


def test_a_number_beyond_all_decimals_is_refused_and_others_are_printed():
    small, far = (Enclosure(mpmath.ldexp(1, -k), mpmath.mpf(0), "bound") for k in (3, 10**4400))
    assert decimals(small, 5)[0].startswith("0.125")
    with pytest.raises(ArithmeticError, match=r"2\^\(-1\.0e\+4400\), beyond 10"):
        decimals(far, 5)


@pytest.mark.parametrize("length", [30, 4200, 4300])
def test_a_point_of_thousands_of_digits_has_a_tail_that_is_refused(length):
    inputs = {"weights": ["1"], "dofs": ["1"], "noncentralities": ["0"], "std": "0", "shift": "0.75", "x": "9" * length}
    line = json.dumps({"id": 1, "quantity": "generalized_chi2_sf", "inputs": inputs, "digits": 20})
    error = answer_line(line, ENGINES["certified"])["error"]
    assert error["kind"] == "precision" and len(error["message"]) < 200
