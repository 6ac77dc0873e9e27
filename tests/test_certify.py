"""Branch and bound: what it certifies is true, what it refutes is false, and it says when it cannot tell."""

from fractions import Fraction
from functools import partial

import pytest
from flint import arb, arb_series
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.claim import Claim, Outcome, Verdict
from ndis_verify.court.certify import certify_nonnegative, monotone
from ndis_verify.court.certify_box import as_balls, axis, bisect, sides_text, text_sides
from ndis_verify.court.certify_checks import certified_box_check
from ndis_verify.court.judge import judge
from ndis_verify.court.statement_balls import margin_on_boxes
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.balls import ball, working_bits
from ndis_verify.runs.journal import Journal
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real

UNIT = [axis("x", 0, 1)]
SQUARE = [axis("x", -1, 1), axis("y", -1, 1)]


def hill(x):
    return x * (1 - x)


def saddle(x, y):
    return (x * y).exp() - x * y - 1 + x * x / 100 + arb(1) / 10


def series_derivative(function, index):
    """The partial derivative of `function` along axis `index`, by power series in ball arithmetic.

    `function` must accept `arb_series` for every argument: + - * / ** and the methods that arb and arb_series share.
    """

    def derivative(*balls: arb) -> arb:
        arguments = [arb_series([x, 1] if j == index else [x], prec=2) for j, x in enumerate(balls)]
        value = function(*arguments)
        return value[1] if isinstance(value, arb_series) else arb(0)

    return derivative


def series_gradient(function, size):
    """All `size` partial derivatives of `function`, as `series_derivative`."""
    parts = [series_derivative(function, j) for j in range(size)]
    return lambda *balls: [part(*balls) for part in parts]


saddle_gradient = series_gradient(lambda x, y: (x * y).exp() - x * y - 1 + x * x / 100, 2)


@given(*(st.fractions(min_value=-5, max_value=5, max_denominator=20) for _ in range(3)))
def test_verdicts_on_parabolas_are_right(a, b, c):
    def parabola(x):
        return ball(a) * x * x + ball(b) * x + ball(c)

    def exactly(x):
        return a * x * x + b * x + c

    vertices = [Fraction(0), Fraction(1)] + ([-b / (2 * a)] if a and 0 < -b / (2 * a) < 1 else [])
    least = min(map(exactly, vertices))
    record = certify_nonnegative(parabola, UNIT, max_boxes=400)
    if record.outcome == "certified":
        assert least >= 0
    elif record.outcome == "refuted":
        assert exactly(record.point["x"]) < 0 and record.value.contains(exactly(record.point["x"]))
    else:
        assert abs(least) < Fraction(1, 1000)


@given(st.fractions(), st.fractions(min_value=0, max_value=100))
def test_balls_contain_their_sides(low, width):
    with working_bits(64):
        (whole,) = as_balls(((low, low + width),))
        assert whole.contains(ball(low)) and whole.contains(ball(low + width))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_halves_cover_the_side_and_share_only_the_cut(scale):
    box = (axis("x", "1e-20", 3, scale), axis("y", 0, 0))
    sides = ((box[0].low, box[0].high), (Fraction(0), Fraction(0)))
    (left, _), (right, _) = bisect(sides, box, 1e-9)
    assert left[0] == box[0].low and right[1] == box[0].high and left[1] == right[0]
    assert text_sides(sides_text(sides)) == sides
    assert bisect(((Fraction(1), Fraction(1) + Fraction(1, 10**12)), sides[1]), box, 1e-9) is None


def test_a_touching_minimum_is_undecided_until_it_is_divided_out():
    plain = certify_nonnegative(hill, UNIT, max_boxes=200)
    assert plain.outcome == "undecided" and 1 <= len(plain.remaining) <= 3
    factored = certify_nonnegative(lambda x: arb(1), UNIT, factors=((0, 0, 1), (0, 1, 1)), margin=hill)
    assert factored.outcome == "certified" and factored.boxes == 1
    for factors in (((0, 0, 2), (0, 1, 1)), ((0, "0.5", 2),), ((0, 0, 0),)):
        with pytest.raises(InputError, match="factors"):
            certify_nonnegative(lambda x: arb(1), UNIT, factors=factors, margin=hill)
    with pytest.raises(InputError, match="margin"):
        certify_nonnegative(lambda x: arb(1), UNIT, factors=((0, 0, 1),))


def test_a_refutation_is_a_point_with_a_proved_sign():
    record = certify_nonnegative(lambda x: hill(x) - arb("0.2499999"), [axis("x", "0.4", "0.6")])
    assert record.outcome == "refuted" and record.value.sign() == -1
    x = record.point["x"]
    assert x * (1 - x) < Fraction("0.2499999") and "refuted at x" in record.line()


def test_a_gradient_saves_boxes():
    plain, clever = (certify_nonnegative(saddle, SQUARE, gradient=g) for g in (None, saddle_gradient))
    assert plain.outcome == clever.outcome == "certified"
    assert clever.boxes < plain.boxes and clever.worst_lower >= 0 and clever.worst_box is not None


def test_precision_rises_where_rounding_hides_the_sign():
    def hidden(x):
        return (1 + x * arb("1e-40")) - 1

    box = [axis("x", 1, 2)]
    record = certify_nonnegative(hidden, box, digits=20, max_digits=80)
    assert record.outcome == "certified" and record.bits > 130
    assert certify_nonnegative(hidden, box, digits=20, max_digits=20, max_boxes=50).outcome == "undecided"


def test_a_function_without_a_finite_enclosure_is_never_certified():
    record = certify_nonnegative(lambda x: 1 / (x - ball(Fraction(1, 3))) ** 2, UNIT, max_boxes=300)
    assert record.outcome == "undecided"
    assert all(
        low <= Fraction(1, 3) <= high or high - low < Fraction(1, 2**20) for ((low, high),), _ in record.remaining
    )


def test_a_monotone_function_is_enclosed_by_its_ends():
    wide = arb(3).union(arb("3.5"))
    tight, loose = monotone(lambda x: x.gamma_upper(arb(5), 1), wide), wide.gamma_upper(arb(5), 1)
    assert tight.rad() < loose.rad() / 4
    assert all(tight.contains(x.gamma_upper(arb(5), 1)) for x in (arb(3), arb("3.2"), arb("3.5")))
    assert monotone(arb.exp, arb(2)).overlaps(arb(2).exp()) and not monotone(arb.exp, arb("nan")).is_finite()


def test_series_derivatives_are_the_derivatives():
    slopes = series_gradient(lambda x, y: x * x * y + y.exp(), 2)(arb(3), arb(0))
    assert slopes[0].overlaps(arb(0)) and slopes[1].overlaps(arb(10))


def test_a_run_cut_into_pieces_ends_as_one():
    whole = certify_nonnegative(saddle, SQUARE)
    record = certify_nonnegative(saddle, SQUARE, max_boxes=40)
    assert record.outcome == "undecided"
    while record.outcome == "undecided":
        record = certify_nonnegative(saddle, SQUARE, max_boxes=40, resume=record)
    assert (record.outcome, record.boxes, record.worst_box) == (whole.outcome, whole.boxes, whole.worst_box)
    with pytest.raises(InputError, match="resume"):
        certify_nonnegative(hill, UNIT, resume=certify_nonnegative(saddle, SQUARE, max_boxes=5))


def test_a_run_that_has_spent_its_boxes_goes_on_from_its_journal(tmp_path):
    journal, whole = tmp_path / "certify.jsonl", certify_nonnegative(saddle, SQUARE)
    calls, outcome = 0, "undecided"
    while outcome == "undecided":
        record = certify_nonnegative(saddle, SQUARE, max_boxes=100, journal=journal, name="saddle")
        calls, outcome = calls + 1, record.outcome
        assert journal.exists() == (outcome == "undecided") and record.boxes == min(100 * calls, whole.boxes)
    assert calls > 1 and (record.outcome, record.worst_box) == (whole.outcome, whole.worst_box)


def test_an_interrupted_run_goes_on_from_its_journal(tmp_path):
    journal = tmp_path / "certify.json"

    def stop(done, known, label):
        if done == 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        certify_nonnegative(saddle, SQUARE, journal=journal, name="saddle", progress=stop)
    first = []
    record = certify_nonnegative(
        saddle, SQUARE, journal=journal, name="saddle", progress=lambda d, k, t: first.append(d)
    )
    assert first[0] == 101 and record.boxes == certify_nonnegative(saddle, SQUARE).boxes
    assert not journal.exists()
    with pytest.raises(InputError, match="name"):
        certify_nonnegative(hill, UNIT, journal=journal)


def _rises(x):
    return 1 + x


@pytest.mark.parametrize("text", ["{}", '{"certify": "other", "remaining": [[[["0", "1"]], 0]]}', "[1", "a,b\n1,2\n"])
def test_a_file_that_is_no_journal_is_refused_and_left(tmp_path, text):
    file = tmp_path / "certify.json"
    file.write_text(text)
    with pytest.raises(InputError, match="journal"):
        certify_nonnegative(_rises, UNIT, journal=file, name="t")
    assert file.read_text() == text


def test_a_journal_of_another_certificate_is_started_over(tmp_path, capsys):
    file = tmp_path / "certify.json"
    file.write_text("")  # as a run leaves it that ends before its first line
    assert certify_nonnegative(_rises, UNIT, journal=file, name="t").boxes == 1
    with Journal(file, "of another certificate", kept=True) as other:
        other.append("1", [])
    assert certify_nonnegative(_rises, UNIT, journal=file, name="t").boxes == 1
    assert "started over" in capsys.readouterr().err and not file.exists()


@pytest.mark.parametrize(
    "make",
    [
        lambda: axis("x", 1, 0),
        lambda: axis("x", 0, 1, "log"),
        lambda: certify_nonnegative(hill, []),
        lambda: certify_nonnegative(hill, UNIT, max_boxes=0),
        lambda: certify_nonnegative(hill, UNIT, digits=50, max_digits=20),
    ],
)
def test_bad_boxes_are_refused(make):
    with pytest.raises(InputError):
        make()


def _claim(check, declared):
    return Claim("T", "N26", "t", " and ".join(map(str, SQUARE)), declared, (check,))


def test_a_box_check_certifies_a_claim_and_kills_its_mutants():
    check = certified_box_check(
        "t",
        saddle,
        SQUARE,
        gradient=saddle_gradient,
        mutants={"a sign flipped": lambda x, y: saddle(x, y) - arb(1) / 5},
    )
    judgement = judge(_claim(check, Verdict.CERTIFIED))
    assert judgement.agrees and "boxes" in judgement.evidence[0] and judgement.mutants_killed == 1
    survivor = certified_box_check("t", saddle, SQUARE, mutants={"larger": lambda x, y: saddle(x, y) + 1})
    assert "mutant survived" in judge(_claim(survivor, Verdict.CERTIFIED)).failures[0]


def test_a_box_check_that_runs_out_is_undecided_and_a_false_one_fails():
    mutants = {"negated": lambda x: -hill(x) - 1}
    assert certified_box_check("t", hill, UNIT, mutants=mutants, max_boxes=50).run("quick").outcome is Outcome.UNDECIDED
    assert certified_box_check("t", mutants["negated"], UNIT, mutants=mutants).run("quick").outcome is Outcome.FAILED


def test_a_record_is_gone_on_from_for_its_own_box_and_function_alone():
    def hidden(x):  # 0.05 at least on [0, 1], -99.7 at 1 + 10^-18
        return x * x - x + arb("0.3") - arb(10) ** 20 * (x - 1).max(arb(0))

    first = certify_nonnegative(hidden, UNIT, max_boxes=1)
    assert first.outcome == "undecided"
    with pytest.raises(InputError, match="same box"):
        certify_nonnegative(hidden, [axis("x", 0, 1 + Fraction(1, 10**18))], resume=first)
    with pytest.raises(InputError, match="same function"):
        certify_nonnegative(lambda x: hidden(x) - 1, UNIT, resume=first)


def _lowered(by, x):
    return x * x - x + arb("0.3") - by * (arb("0.1") - x).max(arb(0))


class _Lowered:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return _lowered(self.by, x)


@pytest.mark.parametrize(
    "lowered",
    [
        lambda by: partial(_lowered, by),
        lambda by: lambda x: _lowered(by, x),
        lambda by: lambda x, by=by: _lowered(by, x),
        lambda by: partial(_lowered, arb(by)),
        _Lowered,
        lambda by: _Lowered(by).__call__,
        lambda by: margin_on_boxes(statement(f"x^2 - x + 3/10 >= {by} max(0, 1/10 - x)", over=(real("x", 0, 1),))),
    ],
    ids=["partial", "closure", "default", "ball", "object", "method", "statement"],
)
def test_a_journal_is_of_what_the_function_holds(tmp_path, capsys, lowered):
    options = {"journal": tmp_path / "certify.jsonl", "name": "lowered"}
    assert certify_nonnegative(lowered(0), UNIT, **options, max_boxes=2).outcome == "undecided"
    assert certify_nonnegative(lowered(0), UNIT, **options, max_boxes=2).boxes == 4
    assert certify_nonnegative(lowered(100), UNIT, **options).outcome == "refuted"
    assert "started over" in capsys.readouterr().err
    with pytest.raises(InputError, match="resume"):
        certify_nonnegative(lowered(100), UNIT, resume=certify_nonnegative(lowered(0), UNIT, max_boxes=2))


def test_a_function_whose_values_cannot_be_told_apart_has_no_journal(tmp_path):
    never = iter(())
    lines = (line for line in never)
    with pytest.raises(InputError, match="told"):
        certify_nonnegative(lambda x: x + bool(lines), UNIT, journal=tmp_path / "c.jsonl", name="t")
