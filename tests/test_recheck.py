"""The second reader: it finds nothing wrong in an export, shares no line with the package, and catches what is planted
in a copy."""

import ast
import json
import random
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from flint import acb, arb, ctx, fmpq

from ndis_verify.claims.ledger import find
from ndis_verify.report.ledger_export import export_lines, step_records
from ndis_verify.symbolic import classical_gaussian, mean_shift, ndis_lemma
from ndis_verify.symbolic.expression_data import expression_data

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
laws = pytest.importorskip("tools.recheck.laws")
records = pytest.importorskip("tools.recheck.records")
READER = ROOT / "tools" / "recheck"
CLAIMS = (
    "N26-P1",
    "N26-L3",
    "BW-T1-every-epsilon",
    "KM-6.1-any-attack",
    "N26-L2",
    "SL-2-slack",
    "BW-T4-range",
    "SL-2-tail",
    "KM-AppE-log",
)
BRACKETS = ("-40", "40", "1/1000", "10000")  # between which a root is looked for: others hold the same one
SHARP = "BW-T4-range"  # its two relations change over at one point, which samples do not meet
NOTHING = ["=", ["number", "0"], ["number", "0"]]
WANTED = (  # without which a statement of the sample is false somewhere in the ranges searched
    [">=", ["coordinate", "lam"], ["number", "1"]],
)
TURNED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}


@cache
def sample() -> tuple[str, ...]:
    derivations = (classical_gaussian.private(), mean_shift.hockey_stick())
    return tuple(export_lines([find(name) for name in CLAIMS], derivations))


def test_the_reader_imports_python_flint_and_the_standard_library_alone():
    allowed = {"flint", "tools", *sys.stdlib_module_names}
    for file in READER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {name.partition(".")[0] for name in names} <= allowed
            assert not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("eval", "exec", "compile"))
            assert not any(name.startswith("tools") and not name.startswith("tools.recheck") for name in names)


def test_a_sample_of_the_ledger_holds():
    found = records.recheck(sample())
    assert [detail for _, outcome, detail in found if outcome == "refuted"] == []
    assert sum(outcome in ("decided", "agrees") for _, outcome, _ in found) > 0.8 * len(found)


@pytest.mark.parametrize(
    "text", ["__import__('os')", "1.5", "1e400", "1/0", "--1", "", "0x10", "9" * 5000, None, 3, ["number", "1"]]
)
def test_a_number_is_digits_and_nothing_else(text):
    step = next(r for r in map(json.loads, sample()) if r["kind"] == "step")
    step["sides"][0][0] = ["number", text]
    assert records.judged(step, None)[0] == "refuted"


def test_the_reader_s_divergence_is_that_of_a_second_route():
    """Against the closed form of one chi-square, and the symmetry delta_{P,Q}(0) = delta_{Q,P}(0)."""
    one, two, three = fmpq(1), fmpq(2), fmpq(3)
    with ctx.workprec(200):
        forth = laws.divergence(fmpq(0), 1 / two, three, one, fmpq(5), one, fmpq(1, 4))
        back = laws.divergence(fmpq(0), two, three, two, fmpq(1, 5), one, fmpq(1, 20))
        assert forth.overlaps(back) and forth.rad() < arb("1e-20")
        edge = (2 + 2 * arb(2).log()) * 2  # beyond which |x|^2 loses more than 1: two coordinates of variance 2
        chance = (-edge / 4).exp() - arb(1).exp() * (-edge / 2).exp()
        assert laws.divergence(one, two, two, fmpq(0)).overlaps(chance)


def test_a_ball_around_a_number_is_not_that_number():
    """A ball that holds 0 or 1 is not taken for it."""
    balls = pytest.importorskip("tools.recheck.balls")
    with ctx.workprec(100):
        wide = arb(0, 1)
        assert balls.FUNCTIONS["exp"](wide).contains(arb("0.5").exp())
        assert balls.FUNCTIONS["log"](1 + wide / 2).contains(arb("1.4").log())
        assert not balls.FUNCTIONS["log"](fmpq(-3)).is_finite() and not balls.FUNCTIONS["exp"](arb("nan")).is_finite()


@pytest.mark.parametrize("width", [fmpq(3), fmpq(1, 30), fmpq(1, 2674), fmpq(1, 10**6)])
def test_an_integral_of_a_narrow_peak_is_right_or_left(width):
    values = pytest.importorskip("tools.recheck.values")
    x, s = ["variable", "x"], ["variable", "s"]
    ratio = ["mul", ["pow", x, ["number", "2"]], ["pow", s, ["number", "-2"]]]
    body = ["mul", ratio, ["pow", s, ["number", "-1"]], ["exp", ["neg", ratio]]]
    with ctx.workprec(300):
        try:
            found = values.value(
                ["integral", "x", ["neg", ["infinity"]], ["infinity"], body], {"s": width, "numerically": True}
            )
        except values.NotReadable:
            assert width < fmpq(1, 10)
            return
        assert abs(found - arb.pi().sqrt() / 2) < arb("1e-15")


# what is planted, by rule; each rule gives the places of a record that it changes


def places(data, wanted, path=()):
    """Paths of the parts of `data` for which `wanted` holds."""
    found = [path] if wanted(data) else []
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return found + [p for key, part in inner for p in places(part, wanted, (*path, key))]


def put(data, path, change):
    *outer, last = path
    for key in outer:
        data = data[key]
    data[last] = change(data[last])


def is_number(part):
    return isinstance(part, list) and len(part) == 2 and part[0] == "number"


def is_relation(part):
    return isinstance(part, list) and len(part) == 3 and part[0] in TURNED


def digit(part):
    return ["number", str(Fraction(part[1]) + Fraction(1, 7))]


def sign(part):
    return ["number", str(-Fraction(part[1]))]


def turned(part):
    return [TURNED[part[0]], *part[1:]]


def exchanged(part):
    return [part[0], part[2], part[1]]


def is_text(part):
    return isinstance(part, str) and part != "0"


def other_text(part):
    return str(Fraction(part) / 10**6)


def last_digit(part):
    return part[:-1] + str((int(part[-1]) + 5) % 10)


def without_proof(checks):
    return [check | {"kind": "crosscheck"} for check in checks]


def planted():
    """(what, records, those that were changed): corrupted copies; a seed draws the places among all that a rule has."""
    chosen = random.Random(5)
    exported = [json.loads(line) for line in sample()]

    def copies(what, kind, key, wanted, change, count):
        every = [
            (k, (key, *p))
            for k, r in enumerate(exported)
            if r["kind"] == kind and (kind, r.get("claim")) != ("statement", SHARP)
            for p in places(r.get(key), wanted)
            if p != ("Delta",)  # the scale cancels
        ]
        for k, path in chosen.sample(every, min(count, len(every))):
            copy = json.loads(json.dumps(exported))
            put(copy[k], path, change)
            if copy != exported:
                yield f"{what}: {kind} {k} {path}", copy, [k]

    yield from copies("digit", "step", "sides", is_number, digit, 12)
    yield from copies("sign", "step", "sides", lambda p: is_number(p) and p[1] != "0", sign, 8)
    yield from copies("digit", "step", "witness", is_number, digit, 4)
    yield from copies("digit", "statement", "claimed", is_number, digit, 6)
    yield from copies("direction", "statement", "claimed", is_relation, turned, 3)
    yield from copies("direction", "step", "relation", lambda p: p in TURNED, TURNED.get, 5)
    yield from copies("exchanged sides", "counterexample", "claimed", is_relation, exchanged, 3)
    yield from copies("exchanged sides", "sign", "holds", is_relation, exchanged, 2)
    yield from copies("direction", "counterexample", "claimed", is_relation, turned, 3)
    yield from copies("direction", "sign", "holds", is_relation, turned, 2)
    yield from copies("digit", "counterexample", "claimed", is_number, digit, 6)
    yield from copies("digit", "counterexample", "violation", is_text, other_text, 4)
    yield from copies("point that violates nothing", "counterexample", "point", is_text, other_text, 5)
    yield from copies("decimal", "number", "text", is_text, last_digit, 5)
    yield from copies("digit", "number", "value", lambda p: is_number(p) and p[1] not in BRACKETS, digit, 5)
    yield from copies("box too wide", "box", "axes", lambda p: p == "5/2", lambda p: "25", 1)
    yield from copies("digit", "box", "margin", lambda p: is_number(p) and p[1] == "5/4", digit, 2)
    yield from copies("hypotheses dropped", "statement", "hypotheses", lambda p: p in WANTED, lambda p: NOTHING, 4)
    yield from copies("verdict", "claim", "declared", lambda p: True, lambda p: "open", 4)
    yield from copies("evidence", "claim", "checks", lambda p: isinstance(p, list), without_proof, 3)
    for k in chosen.sample(range(1, len(exported)), 4):
        yield f"record {k} left out", exported[:k] + exported[k + 1 :], []
        yield f"record {k} twice", [*exported, exported[k]], []


def is_caught(copy, changed):
    """Whether the reader refuses the copy; only the records that were changed, and those of their claim, are read."""
    try:
        ledger = records.Ledger(records.read(map(json.dumps, copy)))
    except records.Wrong:
        return True
    claims = {copy[k].get("claim", copy[k].get("id")) for k in changed} - {None}
    near = {k for k, r in enumerate(copy) if claims & {r.get("claim"), r.get("id")}}
    return any(records.judged(copy[k], ledger)[0] == "refuted" for k in {*changed, *near})


def test_what_is_planted_is_caught():
    copies = list(planted())
    assert len(copies) >= 30
    assert [what for what, copy, changed in copies if not is_caught(copy, changed)] == []


def test_unevaluated_text_has_no_form():
    with pytest.raises(TypeError):
        expression_data("x + 1")


def test_arrays_of_the_reader():
    """Against determinants, inverses and forms written out, and hinges against their own density."""
    matrices, values = (pytest.importorskip(f"tools.recheck.{name}") for name in ("matrices", "values"))
    chosen = random.Random(5)
    number = lambda: fmpq(chosen.randint(-30, 30), 7)
    turn = matrices.drawn("orthogonal", 3, None, number)
    at = {"U": turn, "S": [[fmpq(2), fmpq(1)], [fmpq(1), fmpq(3)]], "v": [fmpq(1), fmpq(-2)], "t": fmpq(5)}
    u, s, v = (["variable", name] for name in "USv")
    eye, transpose = ["identity"], lambda x: ["transpose", x]
    form = lambda x: ["mul", ["mul", transpose(v), x], v]
    assert values.value(["mul", transpose(u), u], at) == [[fmpq(i == j) for j in range(3)] for i in range(3)]
    assert values.value(form(s), at) == 10 and values.value(form(["pow", s, ["number", "-1"]]), at) == 3
    assert values.value(["det", ["sub", s, ["mul", ["variable", "t"], eye]]], at) == 5
    assert values.value(["trace", ["above", transpose(v), transpose(v)]], at) == -1
    holds = records.holds
    assert holds([">", s, ["number", "0"]], at) and holds(["<", s, ["mul", ["number", "4"], eye]], at)
    assert holds([">", s, ["mul", ["number", "2"], eye]], at) is False
    flat = {"S": [[fmpq(0), fmpq(0)], [fmpq(0), fmpq(2)]]}
    assert holds([">=", s, ["number", "0"]], flat) and not holds([">", s, ["number", "0"]], flat)
    assert holds([">=", s, ["number", "0"]], {"S": [[fmpq(0), fmpq(1)], [fmpq(1), fmpq(2)]]}) is False
    assert holds(["=", s, transpose(s)], at) and holds(["=", s, ["mul", ["number", "2"], s]], at) is False
    with pytest.raises((records.Wrong, records.NotReadable)):
        values.value(["mul", u, s], at)


@pytest.mark.parametrize(("c", "a", "r"), [(1, -2, 3), (-1, -2, 3), (-1, "1/2", 3), (-2, 3, 4), (1, 2, 3), (-1, 1, 5)])
def test_the_reader_s_hinge_is_the_integral_of_its_density(c, a, r):
    c, a, r = Fraction(c), Fraction(a), Fraction(r)
    edge = max(-2 * c / a, Fraction(0))

    def inside(root, _):  # over the root of T, in which the density is analytic
        t, k = root * root, arb(fmpq(r.numerator, 2))
        density = root ** (r.numerator - 1) * (-t / 2).exp() * 2 / (arb(2) ** k * k.gamma())
        return density * (
            1 - (arb(fmpq(c.numerator, c.denominator)) + arb(fmpq(a.numerator, a.denominator)) * t / 2).exp()
        )

    low, high = (edge, 400) if a < 0 else (0, edge)
    with ctx.workprec(150):
        ends = [arb(fmpq(*Fraction(x).as_integer_ratio())).sqrt() for x in (low, high)]
        whole = acb.integral(inside, *ends).real
        found = laws.chi2_hinge(*(fmpq(x.numerator, x.denominator) for x in (c, a, r)))
    assert abs(found - whole) < arb("1e-8")


def test_a_pair_on_the_line_is_one_of_numbers():
    matrices = pytest.importorskip("tools.recheck.matrices")
    with ctx.workprec(200):
        found = matrices.normal_pair(fmpq(7, 3), fmpq(9), fmpq(1, 3), fmpq(4), fmpq(1, 3))
        same = laws.independent([fmpq(1)], [fmpq(3, 2)], fmpq(1, 3))
        equal = matrices.normal_pair(arb(2).sqrt(), fmpq(2), fmpq(0), fmpq(2), fmpq(1, 3))
        assert equal.overlaps(laws.independent([fmpq(1)], [fmpq(1)], fmpq(1, 3)))
    assert found.overlaps(same) and found.rad() < arb("1e-12")


def test_a_pair_in_the_plane_is_one_of_independent_coordinates():
    matrices = pytest.importorskip("tools.recheck.matrices")
    mean, deviations, eps = [fmpq(1), fmpq(-1, 2)], [fmpq(3, 2), fmpq(2, 3)], fmpq(1, 3)
    shear = [[fmpq(2), fmpq(1)], [fmpq(1), fmpq(1)]]
    turned = matrices.OF_ARRAYS["mul"]
    first = matrices.ALWAYS["diagonal"]([s * s for s in deviations])
    across = matrices.ALWAYS["transpose"](shear)
    pair = [turned(shear, mean), turned(shear, first, across), [fmpq(0), fmpq(0)], turned(shear, across), eps]
    with ctx.workprec(200):
        one, other = matrices.normal_pair(*pair), laws.independent(mean, deviations, eps)
    assert one.overlaps(other) and one.rad() < arb("1e-12") and other.rad() < arb("1e-12")


def test_rules_of_transposes_are_exported_as_letters():
    """`transpose(R)` is a letter of its own; the whole export ended where a rule had one."""
    found = {record["step"]: record for record in step_records(ndis_lemma.log_density_ratio())}
    rules = [word for word, _ in found["A is symmetric"]["rules"]]
    assert rules == [["R^T"]]
    assert records.words(found["A is symmetric"], None)[0] == records.words(found["whitening of P"], None)[0]
