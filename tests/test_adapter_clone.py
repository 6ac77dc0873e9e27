"""The adapter for a local clone of other research code, against stand-in clones written here: right, swapped, and
broken ones.
"""

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ndis_verify.reference.adapters import clone as adapter
from ndis_verify.reference.adapters.clone import Arguments, Attribute, Entry, Input, by_call, by_program, parsed_call
from ndis_verify.reference.adapters.serving import Refused
from ndis_verify.reference.conformance.run import conform
from ndis_verify.reference.conformance.selection import table_rows
from ndis_verify.reference.conformance.summary import shares
from ndis_verify.reference.loader import FOLDER

# One coordinate: the privacy loss is a quadratic in x, so the set where it is above epsilon lies between or beyond two
# roots.
SPECTRUM = """
import math
from . import tails
print("a clone may print")

def delta(m1, v1, m2, v2, eps, *, swap=False):
    if v1.shape != (1, 1) or v1[0, 0] == v2[0, 0]:
        raise ValueError("one coordinate, two variances")
    m, v, n, w = float(m1[0]), float(v1[0, 0]), float(m2[0]), float(v2[0, 0])
    if swap:
        m, v, n, w = n, w, m, v
    a, b = 1 / w - 1 / v, m / v - n / w
    c = n * n / w - m * m / v + math.log(w / v) - 2 * eps
    root = math.sqrt(max(b * b - a * c, 0.0))
    low, high = sorted([(-b - root) / a, (-b + root) / a])
    if b * b <= a * c:
        return (0.0 if a < 0 else 1 - math.exp(eps)), "the loss is on one side of epsilon"
    if a > 0:
        parts = [tails.outside(low, high, m, v), tails.outside(low, high, n, w)]
    else:
        parts = [tails.inside(low, high, m, v), tails.inside(low, high, n, w)]
    return parts[0] - math.exp(eps) * parts[1], "two parts"
"""
TAILS = """
import math
def upper(x, mean, variance): return math.erfc((x - mean) / math.sqrt(2 * variance)) / 2
def outside(low, high, mean, variance): return upper(-low, -mean, variance) + upper(high, mean, variance)
def inside(low, high, mean, variance): return upper(low, mean, variance) - upper(high, mean, variance)
"""
CALL = "hockey_stick=research/spectrum.py:delta(mean_p, cov_p, mean_q, cov_q, eps=epsilon%s)[0]"
ADAPTER = [sys.executable, "-m", "ndis_verify.reference.adapters.clone", "--path"]


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "their-code"
    (folder / "research").mkdir(parents=True)
    for name, text in (("__init__", ""), ("spectrum", SPECTRUM), ("tails", TAILS)):
        (folder / "research" / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "normal.py").write_text(
        "import math, sys\ndef cdf(x): return math.erfc(-x / math.sqrt(2)) / 2\n", encoding="utf-8"
    )
    return folder


def one_coordinate():
    rows = table_rows(FOLDER, ["hockey_stick"])
    body = [
        (name, row)
        for name, row in rows
        if row["name"].startswith("scalar") and Fraction(row.get("value", "0")) > Fraction(1, 1000)
    ]
    assert len(body) >= 20
    return body[:40]


def outcomes(clone, rows, *options):
    result = conform([*ADAPTER, str(clone), *options], rows, tolerance=Fraction(1, 10**9), seconds=20)
    assert result.name == clone.name and not result.ending
    (share,) = shares(result, "quantity")
    return share.outcomes


def test_a_right_clone_is_tight_and_untouched(clone):
    rows = one_coordinate()
    before = sorted(clone.rglob("*"))
    assert outcomes(clone, rows, "--call", CALL % "") == {"tight": len(rows)}
    assert sorted(clone.rglob("*")) == before


def test_a_swapped_clone_and_a_swapped_mapping_are_unsafe_somewhere(clone):
    rows = one_coordinate()
    by_code = outcomes(clone, rows, "--call", CALL % ", swap=True")
    by_mapping = outcomes(
        clone, rows, "--call", CALL.replace("mean_p, cov_p, mean_q, cov_q", "mean_q, cov_q, mean_p, cov_p") % ""
    )
    assert by_code == by_mapping and by_code["unsafe"] >= 5 and by_code["loose"] >= 5


def test_a_program_is_a_clone_too(clone):
    script = clone / "delta.py"
    script.write_text(
        "import sys, math\nfrom normal import cdf\nprint('working...')\ns, e = float(sys.argv[1]),"
        " float(sys.argv[2].split('=')[1])\nprint(repr(cdf(s / 2 - e / s) - math.exp(e) * cdf(-s / 2 - e / s)))\n",
        encoding="utf-8",
    )
    rows = [
        (name, row)
        for name, row in table_rows(FOLDER, ["gaussian_hockey_stick"], core=True)
        if row["inputs"]["std"] == "1"
    ][:4]
    program = f"gaussian_hockey_stick={sys.executable} {{path}}/delta.py {{sensitivity}} eps={{epsilon}}"
    assert outcomes(clone, rows, "--program", program)["tight"] >= 2
    words = [sys.executable, "-c", "import sys; print(sys.argv[1])", "{mean_p}|{cov_p}"]
    line = (
        '{"id": 1, "quantity": "hockey_stick", "inputs": {"mean_p": ["0.1", "1"], "cov_p": ["2", "3"], "mean_q": ["0",'
        ' "0"], "cov_q": "1", "epsilon": "1"}}'
    )
    command = [*ADAPTER, str(clone), "--program", "hockey_stick=" + " ".join(f"'{word}'" for word in words)]
    answer = subprocess.run(command, input=line + "\n", capture_output=True, text=True, check=True).stdout
    assert "0.10000000000000001,1|2,0;0,3" in answer  # no number, so it is refused with these words


def test_a_hanging_program_is_ended_with_its_group(clone):
    result = conform(
        [*ADAPTER, str(clone), "--program", f"hockey_stick={sys.executable} -c 'import time; time.sleep(600)'"],
        one_coordinate()[:1],
        tolerance=Fraction(1, 10**9),
        seconds=1.5,
    )
    assert [judgement.outcome for judgement in result.judgements] == ["timeout"]


def test_forms_of_the_inputs():
    inputs = {
        "mean_p": ["1", "2"],
        "cov_p": "3",
        "mean_q": ["0", "0"],
        "cov_q": [["2", "1"], ["1", "2"]],
        "epsilon": "0.5",
        "r": 7,
        "direction": "delete",
    }
    assert np.array_equal(Input("cov_p").of(inputs), 3 * np.eye(2)) and Input("mean_p", "list").of(inputs) == [1.0, 2.0]
    assert Input("cov_p", "diagonal").of(inputs).tolist() == [3.0, 3.0] and Input("epsilon", "scalar").of(inputs) == 0.5
    assert Input("r").of(inputs) == 7 and Input("direction").of(inputs) == "delete"
    for name, form in (("cov_q", "diagonal"), ("mean_p", "scalar")):
        with pytest.raises(Refused, match=name):
            Input(name, form).of(inputs)
    assert Input("cov_p", "scalar").of(inputs | {"mean_p": ["1"]}) == 3.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a.py", "FILE:FUNCTION"),
        ("a.py:f", "FILE:FUNCTION"),
        ("a.py:f(", "FILE:FUNCTION"),
        ("a.py:m", "FILE:FUNCTION"),
        ("a.py:m.f", "FILE:FUNCTION"),
        ("a.py:(m + 1)(epsilon)", "FILE:FUNCTION"),
        ("a.py:m(epsilon).f(epsilon=1)[m]", "a constant"),
        ("a.py:m(epsilon).f(**epsilon)", "FILE:FUNCTION"),
        ("a.py:m(epsilon)[0].f(delta)", "has the inputs"),
        ("a.py:f(delta)", "has the inputs"),
        ("a.py:f(epsilon.square)", "the forms are"),
        ("a.py:f(__import__('os'))", "a constant or an input"),
        ("a.py:f(epsilon + 1)", "a constant or an input"),
        ("a.py:f(**epsilon)", "FILE:FUNCTION"),
        ("a.py:f(*mean_p)", "a constant or an input"),
        ("a.py:f(epsilon)[epsilon]", "a constant"),
        ("../normal.py:cdf(epsilon)", "no Python file in the clone"),
        ("/etc/passwd:f(epsilon)", "no Python file"),
        ("normal.py:sys(epsilon)", "has no function"),
        ("normal.py:nothing(epsilon)", "has no function"),
        ("normal.py:math.nothing(epsilon)", "has no function"),
        ("normal.py:nothing.at.all(epsilon)", "has no function"),
        ("normal.py:math.pi(epsilon)", "has no function"),
    ],
)
def test_a_call_is_read_as_syntax_and_its_file_lies_in_the_clone(clone, text, says):
    with pytest.raises(ValueError, match=says):
        by_call((clone / "research").resolve() if text.startswith("..") else clone.resolve(), "hockey_stick", text)


def test_constants_and_entries_are_literals():
    call = parsed_call("hockey_stick", "a.py:f(epsilon, -1e-3, 'davies', samples=[1, 2])[0]['delta']")
    assert call.steps == (Arguments((Input("epsilon"), -1e-3, "davies"), {"samples": [1, 2]}), Entry(0), Entry("delta"))


CLASS = "hockey_stick=estimators.py:BasicEstimator%s(mean_p, cov_p, mean_q, cov_q%s).estimate(epsilon)['delta']"
ESTIMATORS = """
from research.spectrum import delta
class BasicEstimator:
    def __init__(self, mean_p, cov_p, mean_q, cov_q, swap=False):
        self.pair, self.swap = (mean_p, cov_p, mean_q, cov_q), swap
    @classmethod
    def made(cls, *arguments, **options): return cls(*arguments, **options)
    def estimate(self, eps): return {"delta": delta(*self.pair, eps=eps, swap=self.swap)[0], "eps": eps}
class Lazy:
    Estimator = BasicEstimator
"""


def test_a_class_and_its_method_are_a_clone_too(clone):
    (clone / "estimators.py").write_text(ESTIMATORS, encoding="utf-8")
    rows = one_coordinate()
    assert outcomes(clone, rows[:10], "--call", CLASS % (".made", ", swap=False")) == {"tight": 10}
    swapped = outcomes(clone, rows, "--call", CLASS % ("", ", swap=True"))
    assert swapped["unsafe"] >= 5 and swapped["loose"] >= 5
    made = "Lazy.Estimator.made(mean_p, cov_p, mean_q, cov_q)"
    attribute = f"hockey_stick=estimators.py:{made}.estimate(eps=epsilon)['delta'].real"
    assert outcomes(clone, rows[:10], "--call", attribute) == {"tight": 10}


def test_a_method_that_is_missing_refuses_its_rows(clone):
    (clone / "estimators.py").write_text(ESTIMATORS, encoding="utf-8")
    call = "estimators.py:BasicEstimator(mean_p, cov_p, mean_q, cov_q).absent(epsilon)"
    value = by_call(clone.resolve(), "hockey_stick", call)
    with pytest.raises(AttributeError, match="absent"):
        value(one_coordinate()[0][1]["inputs"])


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--call", "no_quantity=a.py:f()"],
        ["--program", "hockey_stick="],
        ["--call", "hockey_stick=broken.py:f(epsilon)"],
    ],
)
def test_what_cannot_be_set_up_ends_with_a_line_on_stderr(clone, options):
    (clone / "broken.py").write_text("import no_such_module_at_all\n", encoding="utf-8")
    done = subprocess.run([*ADAPTER, str(clone), *options], input="", capture_output=True, text=True, env=os.environ)
    assert (
        done.returncode == 1
        and not done.stdout
        and done.stderr.startswith("their-code: ")
        and len(done.stderr.splitlines()) == 1
    )


def test_the_examples_of_the_documentation_are_read_as_they_are_meant(clone, monkeypatch):
    page = (Path(__file__).resolve().parents[1] / "docs" / "conformance.md").read_text(encoding="utf-8")
    (call,) = re.findall(r"--call '(hockey_stick=src[^']*)'", page)
    parsed = parsed_call("hockey_stick", call.partition("=")[2])
    pair = tuple(map(Input, ("mean_p", "cov_p", "mean_q", "cov_q")))
    assert parsed.name == "delta"
    assert parsed.steps == (Arguments(pair, {"eps": Input("epsilon"), "samples": 100_000}), Entry(0))
    (call,) = re.findall(r"--call '(hockey_stick=\S*estimator[^']*)'", page)
    parsed = parsed_call("hockey_stick", call.partition("=")[2])
    method = (Attribute("estimate"), Arguments((Input("epsilon"),), {}), Entry("delta"))
    assert parsed.steps == (Arguments(pair, {}), *method)
    seen = []
    monkeypatch.setattr(
        adapter.subprocess,
        "run",
        lambda words, **_: seen.append(words) or subprocess.CompletedProcess(words, 0, "ans = 0.25\n"),
    )
    inputs = {"mean_p": ["1", "2"], "cov_p": "3", "mean_q": ["0", "0"], "cov_q": ["1", "0.5"], "epsilon": "0.125"}
    programs = re.findall(r"^    'hockey_stick=((?:octave|Rscript).*)'$", page, re.M)
    assert [by_program(clone, "hockey_stick", program)(inputs) for program in programs] == [0.25, 0.25]
    octave, r = seen
    assert octave == [
        "octave-cli",
        "--quiet",
        "--path",
        str(clone),
        "--eval",
        'printf("%.17g", delta([1,2], [3,0;0,3], [0,0], [1,0;0,0.5], 0.125))',
    ]
    assert r == [
        "Rscript",
        "-e",
        f'source("{clone}/delta.R"); cat(sprintf("%.17g", delta(c(1,2), c(3,3), c(1,0.5), 0.125)))',
    ]
