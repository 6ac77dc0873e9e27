"""Printed noise levels judged: unknowns solved for, verdicts one-sided, declarations that are none refused."""

import json
from decimal import Decimal
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.forensics.declaration import load, parsed, shipped
from ndis_verify.forensics.report import as_text
from ndis_verify.forensics.rules import LEAST, RULES, Setting, root
from ndis_verify.forensics.verdicts import decimals, judged, solved
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick

SONG = {
    "title": "a row",
    "epsilon": "1",
    "delta": "1/515345",
    "r": 20000,
    "bound": "unknown",
    "rows": [
        {"label": "fixing", "mechanism": "random projection, Sheffet 2019", "noise": "12.496", "fixes": "bound"},
        {"label": "printed", "mechanism": "random projection", "noise": "0.224"},
    ],
}


def declared(**changes):
    return parsed(json.dumps({**SONG, **changes}))


def row(mechanism, noise, **more):
    return {"mechanism": mechanism, "noise": noise, **more}


def test_the_row_of_song_misses_its_target():
    found, rows = judged(load("n24-table-iv-song"))
    assert found.bound[0] < Fraction("0.22413") < found.bound[1] and found.bound[1] - found.bound[0] < Fraction(
        1, 10**4
    )
    assert [one.verdict for one in rows] == ["meets", "misses"] and rows[1].epsilon is None
    low, high = rows[1].needed
    assert Fraction("4.55") < low < Fraction("4.559") < high < Fraction("4.56")  # 20.34 bounds, N24-TabIV-Song


def test_one_level_gives_the_columns_of_the_flights():
    declaration = load("n24-table-iv-flight")
    assert solved(declaration).sizes == (("r", 1199, 1201),)


def test_one_level_gives_the_features_of_cancer():
    """Twelve features print the level of least squares, eleven and thirteen do not; the search ends at what does."""
    declaration = load("n24-table-iv-cancer")
    (fixing,) = (one for one in declaration.rows if one.fixes == "d")
    (scale,) = (one for one in declaration.rows if one.fixes == "bound")
    bound = [end / RULES[scale.mechanism].level(declaration.setting)[0] for end in scale.interval]
    level = [RULES[fixing.mechanism].level(declaration.setting.sized("d", d)) for d in (11, 12, 13)]
    low, high = fixing.interval
    assert (
        level[0][1] * bound[1] < low < level[1][0] * bound[1] and level[1][1] * bound[0] < high < level[2][0] * bound[0]
    )


def test_a_search_for_a_size_ends_at_all_that_print_the_level():
    small = {"title": "t", "epsilon": "1", "delta": "0.01", "r": 4, "d": "unknown", "bound": "1"}
    low, high = RULES["least squares, as printed"].level(Setting(Fraction(1), Fraction(1, 100), 4, 3))
    noise = f"{float((low + high) / 2):.3f}"
    found = solved(parsed(json.dumps({**small, "rows": [row("least squares, as printed", noise, fixes="d")]})))
    (name, least, most) = found.sizes[0]
    assert name == "d" and least <= 3 <= most


def test_every_shipped_declaration_is_read():
    assert len(shipped()) >= 13
    assert all(load(name).rows for name in shipped())


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([name for name in RULES if not name.startswith(("least", "subsampled"))]),
    st.integers(1, 400),
    st.fractions(Fraction(1, 50), 3, max_denominator=50),
    st.sampled_from(["0.01", "0.0001", "1e-6"]),
    st.integers(2, 3000),
)
def test_what_a_rule_asks_for_is_what_it_needs(mechanism, r, epsilon, delta, bound):
    """A level a little above the least meets its target, one a little below misses it."""
    setting = Setting(epsilon, Fraction(delta), r)
    low, high = RULES[LEAST[mechanism]].level(setting)
    assert low <= high <= low * (1 + Fraction(1, 10**6))
    delivered = RULES[mechanism].delivered
    assert delivered(high * Fraction(1001, 1000), epsilon, setting)[1] <= setting.delta
    assert delivered(low * Fraction(999, 1000), epsilon, setting)[0] > setting.delta


def test_a_verdict_holds_for_every_number_that_is_printed_so():
    """At the least std itself, rounded to few digits, neither side is certain."""
    setting = {"epsilon": "1", "delta": "1e-5", "bound": "1"}
    for noise, verdict in (("3.7306", "not decided"), ("3.74", "meets"), ("3.72", "misses"), ("3.7", "not decided")):
        _, (found,) = judged(parsed(json.dumps({"title": "t", **setting, "rows": [row("gaussian", noise)]})))
        assert found.verdict == verdict, noise
        low, high = found.row.interval
        assert gaussian_hockey_stick(1, high, 1).lower >= found.delivered[0]
        assert gaussian_hockey_stick(1, low, 1).upper <= found.delivered[1] * (1 + Fraction(1, 10**9))


def test_the_epsilon_that_is_delivered_is_met_there_and_not_far_below():
    _, rows = judged(declared(r=50, bound="1", rows=[row("random projection", "3.0")]))
    level, epsilon = rows[0].ratio[0], rows[0].epsilon
    there, below = (rp_hockey_stick(1 / (1 + level**2), 50, eps) for eps in (epsilon, epsilon * Fraction(999, 1000)))
    assert there.upper <= Fraction(1, 515345) < below.lower


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"bound": None}, "bound"),
        ({"bound": "-1"}, "must be positive"),
        ({"bound": "1", "rows": [row("gaussian", 3.7)]}, "in quotes"),
        ({"bound": "1", "rows": [row("gaussian", "1e3")]}, "as it is printed"),
        ({"bound": "1", "rows": [row("gaussian", "0.0")]}, "positive decimal"),
        ({"bound": "1", "rows": [row("none", "1.0")]}, "mechanism"),
        ({"bound": "1", "rows": [row("gaussian", "1.0", colour="red")]}, "no other keys"),
        ({"bound": "1", "rows": [row("least squares", "1.0")]}, "d ="),
        ({"bound": "1", "rows": [row("random projection", "1.0")], "r": 0}, "whole number"),
        ({"bound": "1", "rows": [row("gaussian", "1.0", fixes="bound")]}, "fixes"),
        ({"rows": [row("random projection", "0.224")]}, "exactly one row"),
        ({"epsilon": "1/0"}, "epsilon"),
        ({"delta": "1"}, "epsilon, delta"),
        ({"rows": []}, "rows"),
        ({"bound": "1", "rows": [row("subsampled gaussian", "1.0")]}, "steps"),
        ({"bound": "1", "steps": 5, "rows": [row("subsampled gaussian", "1.0")]}, "rate"),
        ({"bound": "1", "steps": 5, "rate": "3/2", "rows": [row("subsampled gaussian", "1.0")]}, "rate"),
        ({"bound": "1", "steps": "unknown", "rows": [row("gaussian", "1.0")]}, "whole number"),
        ({"bound": "1", "rows": [row("gaussian", "1.0", exact="yes")]}, "true or false"),
        ({"more": 1}, "no other keys"),
    ],
)
def test_what_is_no_declaration_is_refused(change, match):
    with pytest.raises(InputError, match=match):
        declared(**change)


def test_a_level_that_no_size_prints_is_refused():
    with pytest.raises(InputError, match="no value"):
        judged(declared(r="unknown", bound="1", rows=[row("random projection", "0.001", fixes="r")]))


def test_text_that_is_no_json_and_files_that_are_not_there(tmp_path, capsys):
    with pytest.raises(InputError, match="JSON"):
        parsed("__import__('os')")
    assert main(["forensics", str(tmp_path / "none.json")]) == 2
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(SONG), encoding="utf-8")
    assert main(["forensics", str(path), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert [one["verdict"] for one in data["rows"]] == ["meets", "misses"] and data["bound"] == ["0.224117", "0.224136"]


def test_a_limit_law_of_training_misses_what_it_prints():
    """Every number that is printed 1.06, at fewer than all of the steps of 20 epochs."""
    declaration = load("hdsr-2020-epoch-20")
    (clt, moments) = declaration.rows
    assert (clt.noise, moments.noise, declaration.setting.steps) == ("1.06", "1.3", 4680)
    low = RULES[clt.mechanism].delivered(clt.interval[1], Fraction("1.34"), declaration.setting)[0]
    assert low > Fraction("1.2e-5")
    high = RULES[moments.mechanism].delivered(moments.interval[0], Fraction("1.34"), declaration.setting)[1]
    assert moments.interval[0] == Fraction("1.3") and high < Fraction(1, 10**6)


@pytest.mark.parametrize("data", ["cifar-10", "cifar-100", "imagenet"])
def test_the_settings_of_training_at_scale_meet_their_targets(data):
    declaration = load(f"de-2022-{data}")
    (level,), setting = declaration.rows, declaration.setting
    delivered = partial(RULES[level.mechanism].delivered, epsilon=setting.epsilon, setting=setting)
    assert delivered(level.interval[0])[1] <= setting.delta < delivered(level.interval[0] / 2)[0]


def test_a_level_of_training_is_judged():
    setting = {"title": "t", "epsilon": "2", "delta": "1e-3", "bound": "1", "rate": "1/2", "steps": 2}
    found, rows = judged(
        parsed(
            json.dumps({**setting, "rows": [row("subsampled gaussian", noise, exact=True) for noise in ("0.9", "4.0")]})
        )
    )
    assert [one.verdict for one in rows] == ["misses", "meets"] and rows[0].needed is None
    assert "not sought" in as_text(found, rows)


def test_decimals_of_numbers_that_python_does_not_print():
    tiny = Fraction(3, 10**9000 + 1)
    low, high = decimals((tiny, tiny))
    assert low.endswith("e-9000") and high.endswith("e-9000") and Decimal(low) < Decimal(high)
    assert Decimal(low) >= Decimal("2.9999e-9000") and Decimal(high) <= Decimal("3.0001e-9000")


@settings(max_examples=200)
@given(st.fractions(min_value=0, max_value=10**9, max_denominator=10**9))
def test_roots_and_decimals_are_rounded_outward(value):
    low, high = root(value)
    assert low**2 <= value <= high**2
    below, above = (Fraction(text) for text in decimals((value, value)))
    assert below <= value <= above and (value == 0 or above - below <= value / 10**4)
