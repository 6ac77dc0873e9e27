"""The calculator in a real browser: its digits are those of the engine here, on 200 reference rows and more."""

import json
import os
import time
from pathlib import Path

import pytest
from test_browser import PROGRAM_REASON, browser

from ndis_verify.claims.ledger import all_claims
from ndis_verify.reference.calculator import answered
from ndis_verify.reference.conformance.selection import table_rows
from ndis_verify.reference.exact_engines import CERTIFIED
from ndis_verify.reference.loader import FOLDER
from ndis_verify.reference.protocol import answer_line
from ndis_verify.report.calculator import PARTS
from ndis_verify.report.site import write_calculator

PLACE = Path(os.environ.get("NDIS_PARTS") or Path(__file__).resolve().parents[1] / "build" / "parts")
pytestmark = [
    pytest.mark.skipif(not browser.PROGRAM, reason=PROGRAM_REASON),
    pytest.mark.skipif(
        not all((PLACE / name).exists() for name in PARTS), reason="needs python -m tools.parts build/parts"
    ),
]
ROWS = 200
DIGITS = 30


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_calculator(folder, all_claims(), PLACE)
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory, site):
    shown = browser.Browser(tmp_path_factory.mktemp("profile"))
    shown.open(site / "calculator.html")
    yield shown
    shown.close()


def answer(page, address="", script=""):
    """What the page says once it has answered an address, or a script in the page."""
    page.value(script or f"place.answer.replaceChildren(); location.hash = {address!r}; 0")
    end = time.monotonic() + 240
    while time.monotonic() < end:
        time.sleep(0.1)
        if page.value("form.elements.stop.disabled && place.answer.children.length > 0"):
            return page.value("place.answer.innerText")
    raise AssertionError(page.value("place.state.textContent"))


def test_200_reference_rows_have_the_digits_of_the_engine_here(page):
    rows = table_rows(FOLDER, core=True)
    rows = [row for row in rows if "value" in row[1]][:ROWS] + [row for row in rows if "error" in row[1]]
    requests = [{"quantity": quantity, "inputs": row["inputs"], "digits": DIGITS} for quantity, row in rows]
    assert len([row for _, row in rows if "value" in row]) == ROWS
    for first in range(0, len(requests), 20):
        part = requests[first : first + 20]
        found = page.value(f"Promise.all({json.dumps(part)}.map(ask))")
        for request, there in zip(part, found, strict=True):
            here = answer_line(json.dumps({**request, "id": there["id"]}), CERTIFIED)
            if "error" in here:  # the words may speak of numpy, or of its absence
                assert there["error"]["kind"] == here["error"]["kind"], request
                assert there["error"]["argument"] == here["error"]["argument"], request
            else:
                assert there == here, request


@pytest.mark.parametrize(
    "quantity, inputs",
    [
        ("hockey_stick", {"mean_p": "0.5,1", "cov_p": "2,0.5;0.5,1", "mean_q": "0, 0", "cov_q": "1", "epsilon": "1.5"}),
        ("gaussian_std", {"sensitivity": "1", "epsilon": "0.5", "delta": "1e-9"}),
        ("rp_ridge", {"norm_bound": "1", "r": "50", "epsilon": "1", "delta": "1e-6"}),
    ],
)
def test_an_address_is_answered_with_50_digits(page, site, quantity, inputs):
    text = answer(page, "&".join(f"{k}={v}" for k, v in {"quantity": quantity, "digits": 50, **inputs}.items()))
    lists = {
        key: [part.split(",") for part in text.split(";")] if ";" in text else text.replace(" ", "").split(",")
        for key, text in inputs.items()
        if key.startswith("mean_") or ";" in text
    }
    here = answer_line(
        json.dumps({"id": 1, "quantity": quantity, "inputs": {**inputs, **lists}, "digits": 50}), CERTIFIED
    )
    assert ("The privacy loss log p/q under P" in text) == (quantity == "hockey_stick")
    assert len(here["value"]) > 50 and f"{here['value']} ± {here['radius']}" in text and "certified" in text
    assert page.of("Runtime.exceptionThrown") == [] and page.of("Log.entryAdded") == []
    asked = [event["request"]["url"] for event in page.of("Network.requestWillBeSent")]
    assert all(url.startswith((site.as_uri(), "blob:", "data:")) for url in asked), asked


def test_every_counterexample_fails_there_as_it_does_here(page):
    statements = page.value("asked.statements.map(({name, statement, inputs}) => ({name, statement, inputs}))")
    assert len({given["name"].partition("/")[0] for given in statements}) >= 25
    for given in statements:
        request = {"statement": given["statement"], "point": given["inputs"]}
        there = page.value(f"ask({json.dumps(request)})")
        assert there["outcome"] == "violated", given["name"]
        assert there == json.loads(answered(json.dumps({**request, "id": there["id"]}))), given["name"]


def test_a_claim_fails_at_its_counterexample_and_a_wrong_field_is_named(page):
    assert "fails at this point" in answer(page, "quantity=N26-L2/1")
    assert page.value("document.querySelector('.fields label').innerHTML").startswith("λ<sub>1</sub>")
    assert "delta = 2: must lie strictly between 0 and 1" in answer(page, "quantity=gaussian_std&delta=2")
    assert "must be positive definite" in answer(page, "quantity=hockey_stick&cov_p=-1")


def test_a_curve_is_drawn_and_what_takes_too_long_is_stopped(page, site):
    answer(page, "quantity=gaussian_hockey_stick")
    answer(page, script="form.elements.curve.click()")
    assert page.value("document.querySelectorAll('#curve circle').length") == 24
    for unit in ("δ (a probability)", "ε (nats)"):  # of the values, upwards, and of what they are drawn along
        assert unit in page.value("document.querySelector('#curve').innerText")
    page.value(
        "location.hash = 'quantity=hockey_stick&digits=1000&mean_p=1,2,3&cov_p=1,2,3&mean_q=0,0,0&cov_q=3,1,2'; 0"
    )
    while page.value("place.state.textContent") != "Computing":
        time.sleep(0.1)
    said = answer(page, script="form.elements.stop.click()")
    assert "stopped" in said or "±" in said
    assert "±" in answer(page, "quantity=gaussian_hockey_stick&epsilon=2")  # the engine is started again
    page.open(site / "calculator.html", 375, "dark")
    assert page.value("document.documentElement.scrollWidth") <= 375
