"""Invariances that need no reference value, for the fast, the two-route and the certified engine alike."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import GaussianPair, fast, oracle
from ndis_verify.exact_number import exact

TOLERANCE = {"fast": Fraction(1, 10**10), "oracle": Fraction(1, 10**11), "certified": Fraction(1, 10**17)}
# The ordinary run; a hunt draws as many for each engine. An example of two routes costs as much as sixty of the others.
EXAMPLES = {"fast": 40, "oracle": 2, "certified": 12}
ENGINES = sorted(TOLERANCE)
epsilons = st.sampled_from([0.0, 0.125, 0.5, 1.0, 3.0])


def delta(engine: str, pair: GaussianPair, epsilon) -> Fraction:
    if engine == "fast":
        return exact(float(fast.hockey_stick(pair, float(epsilon))))
    function = {"oracle": oracle.hockey_stick, "certified": oracle.certified_hockey_stick}[engine]
    return exact(function(pair, epsilon, digits={"oracle": 12, "certified": 20}[engine]).mid)


def close(engine: str, left: Fraction, right: Fraction, scale: Fraction | None = None) -> bool:
    return abs(left - right) <= TOLERANCE[engine] * (scale if scale is not None else max(abs(left), abs(right)))


@st.composite
def pairs(draw, largest=3):
    """Means and dense covariances with short dyadic entries; condition numbers up to about a hundred."""
    d = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))

    def covariance():
        factor = rng.integers(-2, 3, (d, d)) / 2 + np.diag(rng.integers(1, 5, d))
        return factor @ factor.T + np.eye(d) / 4

    return GaussianPair(rng.integers(-4, 5, d) / 4, covariance(), np.zeros(d), covariance())


def rebuilt(pair: GaussianPair, matrix: np.ndarray, offset: np.ndarray) -> GaussianPair:
    """The pair after x -> matrix x + offset, exactly (Fractions)."""
    m = np.vectorize(Fraction, otypes=[object])(matrix)
    means = [m @ np.array([Fraction(v) for v in mean], dtype=object) + offset for mean in (pair.mean_p, pair.mean_q)]
    covs = [m @ cov.dense() @ m.T for cov in (pair.cov_p, pair.cov_q)]
    return GaussianPair(means[0], covs[0], means[1], covs[1])


def product(first: GaussianPair, second: GaussianPair) -> GaussianPair:
    """Independent copies side by side."""

    def block(a, b):
        a, b = a.dense(), b.dense()
        zero = np.full((len(a), len(b)), Fraction(0), dtype=object)
        return np.block([[a, zero], [zero.T, b]])

    join = lambda a, b: [Fraction(v) for v in (*a, *b)]
    return GaussianPair(
        join(first.mean_p, second.mean_p),
        block(first.cov_p, second.cov_p),
        join(first.mean_q, second.mean_q),
        block(first.cov_q, second.cov_q),
    )


def over(engine, *strategies):
    """A property test with as many examples as the engine's speed allows."""

    usual = settings.default.derandomize
    examples = EXAMPLES[engine] if usual else settings.default.max_examples

    def decorate(check):
        settings(max_examples=examples, parent=settings.default)(given(*strategies)(check))()

    return decorate


@pytest.mark.parametrize("engine", ENGINES)
def test_affine_change_of_variables(engine):
    @over(engine, pairs(), epsilons, st.integers(0, 10**6))
    def check(pair, epsilon, seed):
        rng, d = np.random.default_rng(seed), pair.dimension
        matrix = rng.integers(-2, 3, (d, d)) + np.diag([5] * d)
        changed = rebuilt(pair, matrix, rng.integers(-3, 4, d))
        assert close(engine, delta(engine, changed, epsilon), delta(engine, pair, epsilon))


@pytest.mark.parametrize("engine", ENGINES)
def test_orthogonal_rotation(engine):
    @over(engine, pairs(), epsilons, st.integers(-8, 8), st.integers(1, 8))
    def check(pair, epsilon, a, b):
        matrix = np.array(
            [[Fraction(int(i == j)) for j in range(pair.dimension)] for i in range(pair.dimension)], dtype=object
        )
        if pair.dimension > 1:  # a rational rotation in the first two coordinates
            cosine, sine = Fraction(b * b - a * a, a * a + b * b), Fraction(2 * a * b, a * a + b * b)
            matrix[:2, :2] = [[cosine, -sine], [sine, cosine]]
        else:
            matrix[0, 0] = Fraction(-1)
        assert close(engine, delta(engine, rebuilt(pair, matrix, 0 * matrix[0]), epsilon), delta(engine, pair, epsilon))


@pytest.mark.parametrize("engine", ENGINES)
def test_splitting_and_merging_equal_eigenvalues(engine):
    @over(
        engine, st.sampled_from(["0.25", "3", "1"]), st.integers(2, 5), epsilons, st.sampled_from([0, Fraction(3, 4)])
    )
    def check(variance, d, epsilon, shift):
        # One mean of length 5 s/5 against the same length spread as (3 s/5, 4 s/5, 0, ...): one group either way.
        together = GaussianPair([shift] + [0] * (d - 1), variance, [0] * d, 1)
        spread = GaussianPair(
            [shift * Fraction(3, 5), shift * Fraction(4, 5)] + [0] * (d - 2), [variance] * d, [0] * d, 1
        )
        assert close(engine, delta(engine, together, epsilon), delta(engine, spread, epsilon))


@pytest.mark.parametrize("engine", ENGINES)
def test_total_variation_is_symmetric(engine):
    @over(engine, pairs())
    def check(pair):
        assert close(engine, delta(engine, pair, 0), delta(engine, pair.swapped(), 0))


@pytest.mark.parametrize("engine", ["oracle", "certified"])
def test_reflection(engine):
    @over(engine, pairs(), epsilons)
    def check(pair, epsilon):
        with mpmath.workdps(40):
            factor = exact(mpmath.exp(epsilon))
        reflected = 1 - factor + factor * delta(engine, pair.swapped(), -epsilon)
        assert close(engine, delta(engine, pair, epsilon), reflected, scale=1 + factor)


@pytest.mark.parametrize("engine", ENGINES)
def test_decreasing_and_convex_in_the_exponential_of_epsilon(engine):
    @over(engine, pairs(), epsilons, st.sampled_from([0.25, 1.0, 4.0]))
    def check(pair, epsilon, step):
        points = [epsilon, epsilon + step, epsilon + 2 * step]
        values = [delta(engine, pair, e) for e in points]
        assert values[0] >= values[1] >= values[2]
        with mpmath.workdps(40):
            x = [exact(mpmath.exp(e)) for e in points]
        chord = values[0] + (values[2] - values[0]) * (x[1] - x[0]) / (x[2] - x[0])
        assert values[1] <= chord + TOLERANCE[engine] * values[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_products(engine):
    @over(engine, pairs(largest=2), pairs(largest=2), epsilons)
    def check(first, second, epsilon):
        shared = GaussianPair(second.mean_q, second.cov_q, second.mean_q, second.cov_q)
        alone, slack = delta(engine, first, epsilon), 1 + TOLERANCE[engine]
        assert close(engine, delta(engine, product(first, shared), epsilon), alone)
        both = delta(engine, product(first, second), epsilon)
        assert both * slack >= max(alone, delta(engine, second, epsilon))
        # Composition by the triangle inequality through the law that shares the first factor's Q.
        assert both <= (alone + exact(mpmath.exp(epsilon)) * delta(engine, second, 0)) * slack


@pytest.mark.parametrize("engine", ENGINES)
def test_post_processing_drops_coordinates(engine):
    @over(engine, pairs(), epsilons)
    def check(pair, epsilon):
        kept = max(1, pair.dimension - 1)
        marginal = GaussianPair(
            pair.mean_p[:kept], pair.cov_p.dense()[:kept, :kept], pair.mean_q[:kept], pair.cov_q.dense()[:kept, :kept]
        )
        assert delta(engine, marginal, epsilon) <= delta(engine, pair, epsilon) * (1 + TOLERANCE[engine])
