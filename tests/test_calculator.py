"""What the calculator of the site asks, where there is no numpy and no scipy, and the page that it is asked by."""

import io
import json
import re
import subprocess
import sys
import zipfile
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify.claims.ledger import find
from ndis_verify.exact_number import InputError
from ndis_verify.reference.calculator import answered
from ndis_verify.reference.quantities import QUANTITIES
from ndis_verify.report import calculator
from ndis_verify.report.calculator_words import AXES, INPUTS, WORDS
from ndis_verify.report.claim_page import claim_body

LISTS = ("mean_p", "mean_q", "weights", "dofs", "noncentralities")
REFUTED = ("N26-L2", "KM-S3", "BW-T4")


def asked(**request):
    return json.loads(answered(json.dumps({"id": 1, **request})))


def statement(claim_id):
    """The first entry of the page for a claim."""
    return next(iter(calculator._statements([find(claim_id)])))


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_quantity_has_words_and_an_example_that_is_answered(name):
    words = WORDS[name]
    assert words["along"] in words["example"] and set(words["example"]) == set(QUANTITIES[name].inputs) <= set(INPUTS)
    assert re.search(r"\S \([^()]+\)$", words["value"]) and re.search(r"\([^()]+\)", AXES[words["along"]])  # units
    inputs = {key: text.split(", ") if key in LISTS else text for key, text in words["example"].items()}
    answer = asked(quantity=name, inputs=inputs, digits=20)
    assert answer["basis"] == "bound" and Fraction(answer["radius"]) <= abs(Fraction(answer["value"])) / 10**19


@pytest.mark.parametrize("claim_id", REFUTED)
def test_a_counterexample_is_violated_at_its_point_and_a_broken_point_is_refused(claim_id):
    given = statement(claim_id)
    answer = asked(statement=given["statement"], point=given["inputs"])
    assert answer["outcome"] == "violated" and Fraction(answer["margin"]) + Fraction(answer["radius"]) < 0
    assert answer["sides"]
    for spoilt in ("", "x", "1/0", "1e99999999", "nan"):
        name = next(iter(given["inputs"]))
        wrong = asked(statement=given["statement"], point={**given["inputs"], name: spoilt})
        assert wrong["error"]["kind"] == "domain" and name in wrong["error"]["message"]
    absent = asked(statement=given["statement"], point={})
    assert "must be given" in absent["error"]["message"]


def test_a_statement_that_holds_is_said_to():
    given = statement("KM-S3")
    held = [asked(statement=given["statement"], point={"z": z})["outcome"] for z in ("1/2", "1", "3/2")]
    assert held[-1] == "violated" and set(held) <= {"held", "violated"}


@pytest.mark.parametrize(
    "mean_p, cov_p, mean_q, cov_q",
    [
        (["0.5"], "2", ["0"], "1"),
        (["1", "0"], "1", ["0", "0"], "1"),
        (["1", "2", "3"], ["1", "2", "0.5"], ["0", "0", "0"], ["1", "1", "2"]),
        (["0.5", "1"], [["2", "0.5"], ["0.5", "1"]], ["0", "0.25"], [["1", "0.25"], ["0.25", "1"]]),
    ],
)
def test_the_law_of_the_loss_has_its_mean_and_variance(mean_p, cov_p, mean_q, cov_q):
    """The mean is the divergence of Kullback and Leibler; the variance that of a quadratic form under P."""
    found = asked(loss={"mean_p": mean_p, "cov_p": cov_p, "mean_q": mean_q, "cov_q": cov_q})
    w, k, nc = (np.array(list(map(float, found[name]))) for name in ("weights", "dofs", "noncentralities"))
    d, (p, q) = len(mean_p), (dense(cov, len(mean_p)) for cov in (cov_p, cov_q))
    gap, inverse = np.array(mean_p, float) - np.array(mean_q, float), np.linalg.inv(q)
    kl = (np.trace(inverse @ p) - d + gap @ inverse @ gap - np.log(np.linalg.det(p) / np.linalg.det(q))) / 2
    form = (inverse - np.linalg.inv(p)) @ p
    variance = np.trace(form @ form) / 2 + gap @ inverse @ p @ inverse @ gap
    assert (w * (k + nc)).sum() + float(found["shift"]) == pytest.approx(kl, rel=1e-9)
    assert (2 * w**2 * (k + 2 * nc)).sum() + float(found["std"]) ** 2 == pytest.approx(variance, rel=1e-9)


def dense(cov, d):
    given = np.array(cov, float)
    return given if given.ndim == 2 else np.diag(np.broadcast_to(given, d))


def test_a_law_of_what_is_no_pair_is_refused():
    wrong = asked(loss={"mean_p": ["0"], "cov_p": "-1", "mean_q": ["0"], "cov_q": "1"})
    assert wrong["error"]["argument"] == "cov_p"


def test_the_engine_is_whole_and_has_nothing_of_float64():
    with zipfile.ZipFile(io.BytesIO(calculator._engine())) as archive:
        names = archive.namelist()
        assert all(name.startswith("ndis_verify/") for name in names)
        assert not [name for name in names if "/fast/" in name or "/symbolic/" in name or "float_" in name]
        assert {"ndis_verify/oracle/__init__.pyi", "ndis_verify/reference/calculator.py"} <= set(names)


def test_a_part_that_is_another_file_is_refused(tmp_path):
    name, *_ = calculator.PARTS
    with pytest.raises(InputError, match="--calculator"):
        calculator.checked(tmp_path)
    (tmp_path / name).write_bytes(b"another")
    with pytest.raises(InputError, match="must have the SHA-256"):
        calculator.checked(tmp_path)


def test_nothing_of_numpy_is_needed_to_answer():
    code = (
        "import sys; sys.modules.update(numpy=None, scipy=None, sympy=None);"
        " from ndis_verify.reference.calculator import answered; print(answered(sys.argv[1]))"
    )
    given = statement("N26-L2")
    request = json.dumps({"id": 1, "statement": given["statement"], "point": given["inputs"]})
    output = subprocess.run([sys.executable, "-c", code, request], capture_output=True, text=True, check=True).stdout
    assert output.strip() == answered(request)


def test_a_refuted_claim_leads_to_the_calculator_where_there_is_one():
    link = 'href="../calculator.html#quantity=N26-L2/1"'
    bodies = [claim_body(find("N26-L2"), None, (), (), calculator) for calculator in (True, False)]
    assert [link in body for body in bodies] == [True, False]
    assert "calculator.html" not in claim_body(find("N26-P1"), None, (), (), True)


def test_the_page_holds_its_data_and_ends_no_script():
    body = calculator.calculator_body([find(claim_id) for claim_id in REFUTED])
    data = body.partition('id="asked">')[2].partition("</script>")[0]
    found = json.loads(data)
    assert "<" not in data and {one["name"] for one in found["quantities"]} == set(QUANTITIES)
    assert {one["name"].partition("/")[0] for one in found["statements"]} == set(REFUTED)
