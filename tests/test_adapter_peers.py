"""The adapters of published libraries, against stand-ins with the libraries' documented interfaces."""

import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest

from ndis_verify.reference.adapters import peers
from ndis_verify.reference.adapters.serving import Refused
from ndis_verify.reference.conformance.run import conform
from ndis_verify.reference.conformance.selection import table_rows
from ndis_verify.reference.loader import FOLDER

# chi2comb's interface: ChiSquared(coef, ncent, dof), chi2comb_cdf(q, chi2s, gcoef, lim, atol) -> (value, error, trace).
CHI2COMB = """
from collections import namedtuple
from ndis_verify.fast import GeneralizedChi2
ChiSquared = namedtuple("ChiSquared", "coef ncent dof")
def chi2comb_cdf(q, chi2s, gcoef, lim=1000, atol=1e-4):
    if lim < 1_000_000 or atol > 1e-8:
        return 0.0, 1, None
    law = GeneralizedChi2([t.coef for t in chi2s], [t.dof for t in chi2s], [t.ncent for t in chi2s], gcoef, 0.0)
    print("stand-in")
    return float(law.cdf(q)), 0, None
"""
# gx2's: cdf(x, w, k, l, s, m, side=...).
GX2 = """
import numpy as np
from ndis_verify.fast import GeneralizedChi2
__version__ = "0"
def cdf(x, w, k, l, s, m, side="lower", **options):
    law = GeneralizedChi2(w, k, l, s, m)
    return np.atleast_1d(law.cdf(x) if side == "lower" else law.sf(x))
"""


def judged(tmp_path, name, text, quantity):
    (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    rows = [(quantity, row) for quantity, row in table_rows(FOLDER, [quantity], core=True) if "value" in row]
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from ndis_verify.reference.adapters.peers import main;"
        f" sys.argv[1:] = [{name!r}]; main()"
    )
    result = conform([sys.executable, "-W", "ignore", "-c", code], rows, tolerance=Fraction(1, 10**9), seconds=20)
    assert not result.ending and not result.oddities.garbage
    return Counter(judgement.outcome for judgement in result.judgements), len(rows)


@pytest.mark.parametrize(
    ("name", "text", "quantity"),
    [
        ("chi2comb", CHI2COMB, "generalized_chi2_cdf"),
        ("gx2", GX2, "generalized_chi2_cdf"),
        ("gx2", GX2, "generalized_chi2_sf"),
    ],
)
def test_the_law_arrives_as_it_was_sent(tmp_path, name, text, quantity):
    outcomes, rows = judged(tmp_path, name, text, quantity)
    assert outcomes == {"tight": rows}


def test_a_pair_goes_through_two_distribution_functions(tmp_path):
    outcomes, rows = judged(tmp_path, "chi2comb", CHI2COMB, "hockey_stick")
    assert outcomes["tight"] >= rows / 3 and sum(outcomes.values()) == rows


def test_an_absent_library_says_so_and_ends(tmp_path):
    (tmp_path / "chi2comb.py").write_text("raise RuntimeError('it does not build here')\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "ndis_verify.reference.adapters.peers", "chi2comb"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "it does not build here" in done.stderr and not done.stdout


def test_the_noise_of_a_pair_of_equal_covariances():
    inputs = {
        "mean_p": ["1", "2"],
        "cov_p": [["2", "1"], ["1", "2"]],
        "mean_q": ["0", "0"],
        "cov_q": [["2", "1"], ["1", "2"]],
    }
    assert abs(peers._std_of(inputs) - 2**-0.5) < 1e-15  # (1, 2) S^-1 (1, 2)' = 2
    with pytest.raises(Refused, match="equal covariances"):
        peers._std_of(inputs | {"cov_q": "1"})
