"""The line protocol under good and hostile input."""

import json

import mpmath
import numpy as np
import pytest

from ndis_verify.exact_number import InputError
from ndis_verify.fast.engine.exact_moment import Inputs
from ndis_verify.reference.engines import ENGINES
from ndis_verify.reference.protocol import answer_line
from ndis_verify.reference.quantities import QUANTITIES

SAMPLE = (
    '{"id": 7, "quantity": "hockey_stick", "inputs": {"mean_p": ["0.5"], "cov_p": [["2"]], '
    '"mean_q": ["0"], "cov_q": [["1"]], "epsilon": "1"}, "digits": 30}'
)
SAMPLE_VALUE = "0.0861509684526509859978810791809"  # the contract's sample answer
PAIR = {"mean_p": ["1"], "cov_p": "1", "mean_q": ["0"], "cov_q": "1"}
INPUTS = {
    "hockey_stick": json.loads(SAMPLE)["inputs"],
    "log_hockey_stick": json.loads(SAMPLE)["inputs"],
    "epsilon_for_delta": {"mean_p": ["0.5"], "cov_p": "2", "mean_q": ["0"], "cov_q": ["1"], "delta": "0.05"},
    "generalized_chi2_cdf": {
        "weights": ["1", "-0.5"],
        "dofs": [1, 3],
        "noncentralities": ["0.25", "0"],
        "std": "0.5",
        "shift": "1",
        "x": "2",
    },
    "gaussian_hockey_stick": {"sensitivity": "1", "std": "2", "epsilon": "0.5"},
    "gaussian_std": {"sensitivity": "1", "epsilon": "0.5", "delta": "0.00001"},
    "rp_hockey_stick": {"leverage": "0.25", "r": 10, "epsilon": "1", "direction": "delete"},
    "rp_leverage": {"r": 10, "epsilon": "1", "delta": "0.00001"},
    "rp_ridge": {"norm_bound": "2", "r": 10, "epsilon": "1", "delta": "0.00001"},
}
INPUTS["als_hockey_stick"] = INPUTS["als_exact_hockey_stick"] = {
    "leverage": "0.125",
    "augmented_leverage": "0.25",
    "d": 3,
    "r": "20",
    "epsilon": "0.5",
    "direction": "delete",
}
INPUTS["generalized_chi2_sf"] = INPUTS["generalized_chi2_cdf"]


def ask(request, engine="fast"):
    return answer_line(request if isinstance(request, (str, bytes)) else json.dumps(request), ENGINES[engine])


@pytest.mark.parametrize("engine", ENGINES)
def test_the_sample_request_gives_the_sample_value(engine):
    answer = ask(SAMPLE, engine)
    assert answer["id"] == 7
    assert abs(float(answer["value"]) - float(SAMPLE_VALUE)) <= 1e-15
    if engine != "fast":
        assert answer["value"] == SAMPLE_VALUE and float(answer["radius"]) <= 1e-30
    assert answer["basis"] == {"fast": "estimate", "oracle": "agreement", "certified": "bound"}[engine]


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_three_engines_agree_on_every_quantity(quantity):
    answers = {e: ask({"id": 1, "quantity": quantity, "inputs": INPUTS[quantity], "digits": 20}, e) for e in ENGINES}
    assert all("value" in answer for answer in answers.values()), answers
    certified = float(answers["certified"]["value"])
    assert answers["certified"]["basis"] == "bound"
    assert float(answers["oracle"]["value"]) == pytest.approx(certified, rel=1e-15)
    assert float(answers["fast"]["value"]) == pytest.approx(certified, rel=1e-11)


def changed(**fields):
    request = json.loads(SAMPLE)
    for key, value in fields.items():
        target = request["inputs"] if key not in ("id", "quantity", "inputs", "digits", "extra") else request
        target[key] = value
    return request


@pytest.mark.parametrize(
    "request_, kind, argument",
    [
        ("{", "parse", None),
        ("[" * 100_000, "parse", None),
        (b"\xff\xfe{", "parse", None),
        ("[]", "request", None),
        ("null", "request", None),
        ('{"id": 1, "id": 2}', "request", None),
        ('{"quantity": "hockey_stick"}', "request", "inputs"),
        (changed(id=[1]), "type", "id"),
        (changed(id=True), "type", "id"),
        (changed(extra=1), "request", "extra"),
        (changed(quantity="__import__"), "quantity", "quantity"),
        (changed(quantity=["hockey_stick"]), "quantity", "quantity"),
        (changed(digits="30"), "type", "digits"),
        (changed(digits=0), "size", "digits"),
        (changed(digits=10**9), "size", "digits"),
        (changed(inputs=[]), "request", "inputs"),
        (changed(surplus="1"), "request", "surplus"),
        (changed(epsilon=1.5), "type", "epsilon"),
        (changed(epsilon=True), "type", "epsilon"),
        (changed(epsilon=None), "type", "epsilon"),
        (changed(epsilon="1" * 30_000), "size", "epsilon"),
        (changed(epsilon="nan"), "domain", "epsilon"),
        (changed(epsilon="__import__('os')"), "domain", "epsilon"),
        (changed(epsilon="1e999999999"), "domain", "epsilon"),
        (changed(mean_p="0.5"), "type", "mean_p"),
        (changed(mean_p=[]), "domain", "mean_p"),
        (changed(mean_p=["0.5", "1"]), "domain", "mean_q"),
        (changed(cov_p=[["2", "1"], ["1"]]), "domain", "cov_p"),
        (changed(cov_p=[["-2"]]), "domain", "cov_p"),
        (changed(cov_p={"a": 1}), "type", "cov_p"),
        (changed(cov_p=[["1"]] * 5000), "size", "cov_p"),
    ],
)
@pytest.mark.parametrize("engine", ["fast", "certified"])
def test_a_bad_request_gets_an_error_object_that_names_the_argument(request_, kind, argument, engine):
    answer = ask(request_, engine)
    assert set(answer) == {"id", "error"}
    assert (answer["error"]["kind"], answer["error"]["argument"]) == (kind, argument), answer
    assert answer["error"]["message"]


def test_beyond_float64_is_a_domain_error_of_the_fast_engine():
    request = {
        "id": 1,
        "quantity": "gaussian_hockey_stick",
        "inputs": {"sensitivity": "1e400", "std": "1e400", "epsilon": "1"},
    }
    assert ask(request)["error"]["kind"] == "domain"
    assert ask(request, "certified")["value"].startswith("0.126936737506")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("digits", [4300, 4301, 19_990])
def test_decimals_longer_than_pythons_integers_are_read_exactly(engine, digits):
    """A mean of 1.000...01 as a string, a sensitivity and a std of 10...0 as JSON integers."""
    close = "1." + "0" * (digits - 2) + "1"
    inputs = PAIR | {"mean_p": [close], "epsilon": "0"}
    answer = ask({"id": 1, "quantity": "hockey_stick", "inputs": inputs, "digits": 20}, engine)
    assert float(answer["value"]) == pytest.approx(0.38292492254802624, rel=1e-11), answer  # 2 Phi(1/2) - 1
    one = "1" + "0" * digits  # sensitivity and std alike, as JSON integers
    inputs = f'{{"sensitivity": {one}, "std": {one}, "epsilon": "1"}}'
    answer = ask(f'{{"id": 1, "quantity": "gaussian_hockey_stick", "inputs": {inputs}, "digits": 12}}', engine)
    if engine == "fast":
        assert answer["error"]["kind"] == "domain"
    else:
        assert answer["value"] == "0.126936737507"  # Phi(-1/2) - e Phi(-3/2)


def test_an_id_that_is_too_long_is_refused():
    rest = f'"quantity": "gaussian_std", "inputs": {json.dumps(INPUTS["gaussian_std"])}'
    long, longer = ('"' + "x" * length + '"' for length in (1000, 1001))
    for text, argument in ((longer, "id"), ("1" * 5000, "id"), ("1" * 1001, "id"), (long, None)):
        answer = ask(f'{{"id": {text}, {rest}}}')
        assert answer.get("error", {"argument": None})["argument"] == argument
        assert (answer["id"] is None) == (argument == "id")


@pytest.mark.parametrize(
    ("quantity", "inputs", "argument"),
    [
        ("epsilon_for_delta", {"delta": "0"}, "delta"),
        ("log_hockey_stick", {"cov_p": "0.5", "epsilon": "1000"}, "epsilon"),
        ("log_hockey_stick", {"mean_p": ["0"], "epsilon": "1"}, "epsilon"),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_infinite_value_is_a_domain_error_of_every_engine(engine, quantity, inputs, argument):
    answer = ask({"id": 1, "quantity": quantity, "inputs": PAIR | inputs}, engine)
    assert (answer["error"]["kind"], answer["error"]["argument"]) == ("domain", argument)


@pytest.mark.parametrize(("value", "kind"), [("nan", "precision"), ("inf", "domain"), ("-inf", "domain")])
def test_no_engine_can_print_what_is_no_number(value, kind):
    answer = answer_line(SAMPLE, {"hockey_stick": lambda inputs, digits: (value, "0", "estimate")})
    assert "value" not in answer and (answer["error"]["kind"], answer["error"]["argument"]) == (kind, "epsilon")


def test_a_failing_engine_is_an_error_object():
    def crash(inputs, digits):
        raise RuntimeError("inside\nsecret second line")

    answer = answer_line(SAMPLE, {"hockey_stick": crash})
    assert answer["error"] == {"kind": "internal", "argument": None, "message": "RuntimeError: inside"}
    assert answer_line(SAMPLE, {})["error"]["kind"] == "quantity"


def test_an_error_shows_integers_that_python_does_not_write():
    for value in (10**5000, [1, -(10**5000)]):
        error = InputError("n", value, "must be small")
        assert "too long" in str(error) and error.argument == "n"


@pytest.mark.parametrize(
    ("quantity", "changes"),
    [
        ("epsilon_for_delta", {"delta": "1." + "0" * 4400 + "1"}),
        ("epsilon_for_delta", {"delta": "-" + "9" * 4400}),
        ("generalized_chi2_cdf", {"std": "-" + "9" * 4400}),
        ("generalized_chi2_sf", {"noncentralities": ["-" + "9" * 4400, "0"]}),
        ("gaussian_hockey_stick", {"std": "-" + "9" * 4400}),
        ("gaussian_std", {"delta": "9" * 4400}),
        ("rp_hockey_stick", {"leverage": "9" * 4400}),
        ("rp_ridge", {"norm_bound": "-" + "9" * 4400}),
        ("rp_leverage", {"delta": "9" * 4400}),
        ("als_hockey_stick", {"augmented_leverage": "9" * 4400}),
        ("als_exact_hockey_stick", {"leverage": "-" + "9" * 4400}),
        ("hockey_stick", {"cov_p": "-" + "9" * 4400}),
        ("log_hockey_stick", {"cov_q": [["1." + "0" * 4400 + "1", "2"], ["2", "1"]]}),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_long_number_out_of_range_is_refused_like_a_short_one(engine, quantity, changes):
    answer = ask({"id": 1, "quantity": quantity, "inputs": INPUTS[quantity] | changes, "digits": 5}, engine)
    if engine == "fast" and changes == {"delta": "1." + "0" * 4400 + "1"}:  # which is 1.0 in float64
        assert answer["value"] == "0.0"
    else:
        assert answer["error"]["kind"] == "domain" and len(answer["error"]["message"]) < 300, answer


def test_a_dense_pair_beyond_the_exact_moments_is_refused():
    """The fixed point of 448 bits rounds an eigenvalue of the first law to 0."""
    p, q, mean = np.diag([2.0, 1.0]), np.array([[1e200, 1.0], [1.0, 1.0]]), np.array([[0.5, 0.0]])
    with mpmath.workprec(448), pytest.raises(InputError, match="within a factor of 2\\^448"):
        Inputs(p[None], q[None], mean, 0 * mean).log_moment(0, 0)
