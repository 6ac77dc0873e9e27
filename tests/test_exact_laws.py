"""Solutions, minimisers and predictions are the rounding of their draws."""

from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from exact_releases import RNG, ends, stream

from ndis_verify import mechanisms
from ndis_verify.mechanisms.exact import normals, outputs
from ndis_verify.mechanisms.exact.outputs import float_law, release_draw
from ndis_verify.mechanisms.exact.solutions import normal_solution, student_solution


def forced_records(d, n=6, seed=5):
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.5, 0.5, (n, d + 1))


@pytest.mark.parametrize("law", (normal_solution, student_solution))
@pytest.mark.parametrize("d, ridge", ((1, 0.25), (2, 0.0), (3, 1e-9)))
def test_a_solution_is_the_rounding_of_its_draw(law, d, ridge):
    records, r = forced_records(d), 5
    found = law(records, ridge, r, stream(9), -40)
    z = normals.standard_normals(stream(9), "coefficients", 0, d)
    squares = normals.standard_normals(stream(9), "chi-square", 0, r - d + 1)

    def value(batch, k):
        low = ends(batch, k, 400)[0]
        return mpmath.mpf(low.numerator) / low.denominator

    with mpmath.workdps(80):
        augmented = mpmath.matrix(np.vstack([records, np.zeros((d + 1, d + 1))]).tolist())
        for i in range(d + 1):
            augmented[len(records) + i, i] = mpmath.sqrt(ridge)
        b, target = augmented[:, :d], augmented[:, d]
        inverse = (b.T * b) ** -1
        best = inverse * (b.T * target)
        rest = target - b * best
        scale = mpmath.sqrt(
            (rest.T * rest)[0]
            / (r if law is normal_solution else sum(value(squares, k) ** 2 for k in range(r - d + 1)))
        )
        root = mpmath.cholesky(b.T * b).T  # upper: root^T root = b^T b
        moved = root**-1 * mpmath.matrix([value(z, k) for k in range(d)]) * scale
        assert [int(mpmath.nint((best[i] + moved[i]) * 2**40)) for i in range(d)] == [int(x * 2.0**40) for x in found]


def test_a_declared_law_is_the_rounding_of_its_draw():
    cov, mean = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1e-3 + 0.1]]), np.array([100.0, -3.0, 1e-20])
    draw, count = float_law(mean, cov, 0.375)
    found = release_draw(draw, count, stream(2), -30)
    batch = normals.standard_normals(stream(2), "output", 0, 3)
    with mpmath.workdps(60):
        root = mpmath.cholesky(mpmath.matrix(cov.tolist()) + 0.375 * mpmath.eye(3))
        z = mpmath.matrix([mpmath.mpf((x := ends(batch, k, 200)[0]).numerator) / x.denominator for k in range(3)])
        true = mpmath.matrix(mean.tolist()) + root * z
        assert [int(mpmath.nint(x * 2**30)) for x in true] == [int(Fraction(float(x)) * 2**30) for x in found]


def test_the_minimiser_is_in_its_balls():
    rng = np.random.default_rng(4)
    features = rng.uniform(-1, 1, (12, 2))
    signed = features * rng.choice([-1.0, 1.0], 12)[:, None]
    for penalty, start in ((0.5, [0.0, 0.0]), (1e-3, [5.0, -5.0]), (1e-3, [30.0, 30.0])):
        with mpmath.workdps(60):

            def gradient(*theta):
                shares = [
                    row / (1 + mpmath.exp(sum(mpmath.mpf(float(x)) * t for x, t in zip(row, theta)))) for row in signed
                ]
                return [penalty * t - sum(mpmath.mpf(1) * s[i] for s in shares) for i, t in enumerate(theta)]

            for bits in (128, 300):
                with flint.ctx.workprec(bits):
                    found = outputs._minimiser(signed, penalty, np.array(start), bits)
                assert max(float(x.rad()) for x in found) < 2.0 ** (-bits // 2 + 6)
                middle = [mpmath.mpf(x.mid().str(50, radius=False)) for x in found]
                true = mpmath.findroot(gradient, middle)
                assert all(
                    abs(t - m) <= mpmath.mpf(float(x.rad())) + mpmath.mpf(10) ** -40
                    for t, m, x in zip(true, middle, found)
                )


def test_a_logistic_release_is_the_rounding_of_its_draw():
    rng = np.random.default_rng(5)
    features, labels, penalty = rng.uniform(-1, 1, (9, 2)), rng.choice([-1.0, 1.0], 9), 0.5
    draw, count = outputs.logistic_law(features, labels, penalty, np.zeros(2), 0.25)
    found = release_draw(draw, count, stream(4), -30)
    batch = normals.standard_normals(stream(4), "output", 0, 4)
    with flint.ctx.workprec(300):
        best = [
            mpmath.mpf(x.mid().str(40, radius=False))
            for x in outputs._minimiser(features * labels[:, None], penalty, np.zeros(2), 300)
        ]
    with mpmath.workdps(40):
        z = [mpmath.mpf((x := ends(batch, k, 200)[0]).numerator) / x.denominator for k in range(4)]
        held = mpmath.matrix(features.tolist())
        root = mpmath.cholesky(held.T * held + 4 * penalty * mpmath.eye(2)).T
        own = root**-1 * mpmath.matrix(z[:2])  # the covariance of twice it is (penalty I + X^T X/4)^{-1}
        true = [best[i] + 2 * own[i] + z[2 + i] / 2 for i in range(2)]
        assert [int(mpmath.nint(x * 2**30)) for x in true] == [int(x * 2.0**30) for x in found]


@pytest.mark.parametrize("penalty, size", ((1e-20, 1.0), (1.0, 1e100), (1e-130, 1e-100)))
def test_every_database_of_a_logistic_regression_has_a_release(penalty, size):
    mechanism = mechanisms.logistic_regression(2, penalty=penalty, norm_bound=2 * size, epsilon=1, delta=1e-5)
    for rows in ([[1, 1, 1]] * 3 + [[1, 1, -1]], [[1, 0.5, 1], [0.2, 1e-9, 1]], [[0, 0, 1]], [[5e-324, 1, -1]]):
        data = np.array(rows, dtype=float) * [size, size, 1]
        assert np.isfinite(mechanism.release(data, RNG)).all()


def test_every_database_of_a_process_has_a_release():
    mechanism = mechanisms.gaussian_process(
        mechanisms.linear_kernel,
        [0.5, 0.5],
        noise_variance=1e-20,
        label_bound=1,
        norm_bound=1,
        records=30,
        epsilon=1,
        delta=1e-3,
    )
    for data in (
        np.tile([[0.3, 0.4, 1.0]], (30, 1)),
        np.zeros((0, 3)),
        np.zeros((3, 3)),
        np.array([[5e-324, 1, 1], [1, 0, -1]]),
    ):
        assert np.isfinite(mechanism.release(data, RNG)).all()


def test_a_prediction_is_the_rounding_of_its_draw():
    points, labels = np.array([[0.1, 0.2], [0.5, -0.3], [0.4, 0.4]]), np.array([0.5, -1.0])
    for kernel, scale, variance in (
        (mechanisms.linear_kernel, 0.25, 0.0),
        (mechanisms.squared_exponential(0.7), 1e-9, 0.5),
    ):
        draw, count = outputs.prediction_law(lambda bits: kernel.balls(points), labels, scale, variance, 2.0)
        found = release_draw(draw, count, stream(3), -30)
        with mpmath.workdps(60):

            def value(x, y):
                gap = sum((mpmath.mpf(a) - mpmath.mpf(b)) ** 2 for a, b in zip(x, y))
                dot = sum(mpmath.mpf(a) * mpmath.mpf(b) for a, b in zip(x, y))
                return dot if kernel is mechanisms.linear_kernel else mpmath.exp(-gap / (2 * mpmath.mpf(0.7) ** 2))

            k = mpmath.matrix(3, 3)
            for i, j in np.ndindex(3, 3):
                k[i, j] = value(points[i].tolist(), points[j].tolist())
            inverse, cross = (k[:2, :2] + scale * mpmath.eye(2)) ** -1, k[:2, 2]
            low = ends(normals.standard_normals(stream(3), "output", 0, 1), 0, 200)[0]
            mean = (cross.T * inverse * mpmath.matrix(labels.tolist()))[0]
            spread = k[2, 2] - (cross.T * inverse * cross)[0] + variance
            true = mean + mpmath.sqrt(spread) * mpmath.mpf(low.numerator) / low.denominator
            assert int(mpmath.nint(true * 2**30)) == int(Fraction(float(found[0])) * 2**30)
