"""Auditors of score samples: what they return, bad input, how samples are split and streamed."""

import ast
import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import ndis_verify.audit as audit
from ndis_verify.audit import audit_scores
from ndis_verify.audit.histogram import METHODS, audit_by_methods, bin_width, equal_edges
from ndis_verify.audit.limits import tv_radius
from ndis_verify.audit.samples import CHOOSE, LEARN, PERIOD, ArraySample, _placer, bin_counts, survey
from ndis_verify.commands import audit_scores as command
from ndis_verify.exact_number import InputError

PACKAGE = Path(audit.__file__).parent
LIMITED = ("best-set", "family", "dkw", "tv", "threshold")


def samples(n, seed=0, shift=1.0):
    rng = np.random.default_rng([seed, n])
    return rng.normal(shift, 1, n), rng.normal(0, 1, n)


# --- the package


def test_audit_imports_only_fast_the_records_and_itself():
    allowed = {
        "audit",
        "facade",
        "fast",
        "exact_number",
        "gaussian_pair",
        "quadratic_form",
        "enclosure",
        "claim",
        "arguments",
        "tables",
        "plain_text",
        "rich",
        "runs",
    }
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("ndis_verify."):
                assert node.module.split(".")[1] in allowed, f"{path.name}: {node.module}"
            if isinstance(node, ast.ImportFrom) and node.module == "ndis_verify":
                assert {alias.name for alias in node.names} <= allowed, path.name


def test_the_command_offers_every_method():
    assert command._METHODS == METHODS


def test_public_names_exist():
    assert all(getattr(audit, name) is not None for name in audit.__all__)
    with pytest.raises(AttributeError):
        audit.no_such_name


# --- auditors


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n, m", [(50, 80), (10_000, 3_000)])
def test_every_method_on_a_gaussian_pair(method, n, m):
    p, q = samples(n)[0], samples(m, 1)[1]
    found = audit_scores(p, q, method=method, delta=1e-3)
    assert found.scores == (n, m) and found.method == method
    assert (found.confidence == 0) == (method == "plug-in")
    values = [float(found.delta(e)) for e in (0, 0.5, 1, 2, 8)]
    assert all(0 <= v <= 1 for v in values) and values == sorted(values, reverse=True)
    if method in LIMITED:
        assert found.basis == "guaranteed" and float(found.epsilon(1e-3)) <= 3.14  # the truth is 3.139
        if n == 10_000:
            assert found.delta(0) > 0.005


def test_methods_together_are_the_methods_alone():
    p, q = samples(2_000)
    together = audit_by_methods(p, q, METHODS, delta=1e-3)
    for method in METHODS:
        assert together[method].epsilon(1e-3) == audit_scores(p, q, method=method, delta=1e-3).epsilon(1e-3)


@pytest.mark.parametrize("method", LIMITED)
def test_auditors_do_not_look_at_the_scale_of_the_score(method):
    p, q = samples(4_000)
    plain = audit_scores(p, q, method=method, delta=1e-3, epsilon=None)
    moved = audit_scores(8 * p + 32, 8 * q + 32, method=method, delta=1e-3)
    assert moved.epsilon(1e-3) == pytest.approx(plain.epsilon(1e-3), abs=0.05)
    turned = audit_scores(q, p, method=method, delta=1e-3)
    assert abs(turned.delta(0) - plain.delta(0)) < 0.1


@pytest.mark.parametrize("method", LIMITED)
@pytest.mark.parametrize("kind", ["ties", "two values", "huge", "Cauchy", "one constant", "tiny spread"])
def test_awkward_scores(method, kind):
    rng = np.random.default_rng(5)
    n = 3_000
    p, q = {
        "ties": (rng.poisson(3, n), rng.poisson(2, n)),
        "two values": (rng.random(n) < 0.4, rng.random(n) < 0.2),
        "huge": (rng.standard_cauchy(n) * 1e300, rng.standard_cauchy(n) * 1e300),
        "Cauchy": (rng.standard_cauchy(n) ** 3, rng.standard_cauchy(n) ** 3),
        "one constant": (np.ones(n), rng.normal(0, 1, n)),
        "tiny spread": (1 + 1e-15 * rng.integers(0, 4, n), 1 + 1e-15 * rng.integers(0, 3, n)),
    }[kind]
    p, q = (np.clip(np.asarray(x, float), -1.7e308, 1.7e308) for x in (p, q))
    found = audit_scores(p, q, method=method, delta=1e-3)
    value = float(found.epsilon(1e-3))
    assert np.isfinite(value) and value >= 0
    if kind in ("huge", "Cauchy"):
        assert value == 0.0  # equal laws
    if kind == "two values":
        assert value <= math.log(0.4 / 0.2) + 0.1  # true 0.69, and 1 - 1e-6 of the time below
    if kind in ("two values", "one constant") and method != "tv":
        assert value > 0.2


def test_best_set_finds_sets_that_no_threshold_is():
    rng = np.random.default_rng(3)
    n = 20_000
    p, q = rng.normal(0, 2, n), rng.normal(0, 1, n)  # likelier under P in both tails
    middle = rng.normal(0, 0.2, n)
    two_sided = audit_scores(p, q, epsilon=0.0, delta=None)
    assert two_sided.delta(0) > audit_scores(p, q, epsilon=0.0, method="threshold").delta(0) + 0.1
    inside = audit_scores(middle, q, epsilon=0.5)
    assert len(two_sided.sets[0]) >= 2 and inside.delta(0.5) > 0.5


def test_fixed_bins_let_every_row_count_and_equal_the_hand_count():
    p, q = samples(1_000)
    found = audit_scores(p, q, method="plug-in", epsilon=1.0, bins=(-3.0, 4.0, 14))
    edges = np.concatenate([[-np.inf], np.linspace(-3, 4, 15)[1:-1], [np.inf]])
    shares = [np.histogram(np.clip(x, -1e9, 1e9), np.clip(edges, -1e10, 1e10))[0] / 1_000 for x in (p, q)]
    by_hand = max(np.maximum(a - math.e * b, 0).sum() for a, b in (shares, shares[::-1]))
    assert found.delta(1.0) == pytest.approx(by_hand, abs=1e-12) and found.bins == 14
    assert audit_scores(p, q, method="tv", epsilon=0.0, bins=(-3.0, 4.0, 14)).rows == (1_000, 1_000)
    limit = audit_scores(p, q, method="tv", epsilon=0.0, bins=(-3.0, 4.0, 14)).delta(0)
    plug_in = audit_scores(p, q, method="plug-in", epsilon=0.0, bins=(-3.0, 4.0, 14)).delta(0)
    assert limit == pytest.approx(plug_in - 2 * tv_radius(1_000, 14, 0.025), abs=1e-12)


def test_rule_of_the_bin_width():
    assert bin_width(1.0, 1) == pytest.approx(3.4908, abs=1e-4)
    p, q = samples(80_000)
    found = audit_scores(p, q, method="tv", delta=1e-3)
    learning = np.concatenate([p[::PERIOD], q[::PERIOD]])
    expected = (learning.max() - learning.min()) / bin_width(
        math.hypot(p[::PERIOD].std(), q[::PERIOD].std()) / math.sqrt(2), 70_000
    )
    assert abs(found.bins - expected) <= 1


# --- errors


@pytest.mark.parametrize(
    "change, argument",
    [
        ({"p": [0.0, float("nan")] * 20}, "p"),
        ({"p": [[1.0, 2.0]] * 20}, "p"),
        ({"q": [1.0] * 7}, "q"),
        ({"q": "text"}, "q"),
        ({"p": np.arange(100.0)}, "p"),
        ({"p": [2.5] * 50, "q": [2.5] * 60}, "p and q"),
        ({"method": "magic"}, "method"),
        ({"delta": 1.5}, "delta"),
        ({"delta": None}, "delta, epsilon"),
        ({"delta": None, "epsilon": -1.0}, "epsilon"),
        ({"confidence": 1.0}, "confidence"),
        ({"method": "tv", "bins": "wide"}, "bins"),
        ({"method": "tv", "bins": 1}, "bins"),
        ({"method": "tv", "bins": (2.0, 1.0, 5)}, "bins"),
    ],
)
def test_bad_input_names_the_argument(change, argument):
    p, q = samples(100)
    arguments = {"p": p, "q": q, "delta": 1e-3, **change}
    with pytest.raises(InputError) as error:
        audit_scores(arguments.pop("p"), arguments.pop("q"), **arguments)
    assert error.value.argument == argument


def test_equal_edges_reach_from_a_to_b():
    assert equal_edges(0.0, 1.0, 4) == pytest.approx([0.25, 0.5, 0.75])


# --- splitting and streams


def test_parts_share_no_row_and_leave_none_out():
    values = np.arange(1_000.0)[np.random.default_rng(0).permutation(1_000)]
    sample = ArraySample(values, "p")
    edges = np.arange(0.5, 999.5)
    choose, bound, rest, every = bin_counts(sample, edges, ("choose", "bound", "rest", "all"))
    seen = survey(sample)
    learned = np.bincount(np.searchsorted(edges, seen.learning, side="right"), minlength=1_000)
    assert (learned + choose + bound == 1).all() and (every == 1).all() and (rest == choose + bound).all()
    assert [seen.size(part) for part in ("choose", "bound", "rest", "all")] == [
        counts.sum() for counts in (choose, bound, rest, every)
    ]
    assert values[LEARN] in seen.learning and choose[int(values[CHOOSE])] == 1


def test_a_thinned_copy_holds_learning_rows_only():
    order = np.random.default_rng(1).permutation(1_200_000).astype(float)
    row = np.empty(order.size, dtype=int)
    row[order.astype(int)] = np.arange(order.size)
    kept = survey(ArraySample(order, "p")).learning
    assert 30_000 < kept.size <= 65_536 and (row[kept.astype(int)] % PERIOD == LEARN).all()


def test_memory_does_not_grow_with_the_sample():
    class Drawn:
        name = "p"

        def __init__(self, seed, blocks):
            self.seed, self.blocks = seed, blocks

        def chunks(self):
            rng = np.random.default_rng(self.seed)
            for _ in range(self.blocks):
                yield rng.standard_normal(1 << 15)

    peaks = []
    for blocks in (32, 128):
        tracemalloc.start()
        found = audit_scores(Drawn(1, blocks), Drawn(2, blocks), delta=1e-5)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.scores[0] == blocks << 15
    assert peaks[1] < 1.2 * peaks[0] < 20e6


def test_equal_bins_are_found_like_any_others():
    """At the edges, next to them, far outside: the number of edges at or below each value."""
    rng = np.random.default_rng(12)
    for _ in range(60):
        low, width, count = (
            rng.normal() * 10 ** rng.uniform(-8, 8),
            10 ** rng.uniform(-6, 6),
            int(rng.integers(16, 2000)),
        )
        edges = np.unique(np.linspace(low, low + width * count, count))
        near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [1e308, -1e308, 0.0]])
        values = np.concatenate([near, rng.uniform(low - width * count, low + 2 * width * count, 1000)])
        assert (_placer(edges)(values) == np.searchsorted(edges, values, side="right")).all()
