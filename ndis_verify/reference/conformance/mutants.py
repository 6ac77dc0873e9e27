"""Bugs to plant in a copy of the float64 engine: each is a class of mistake that implementations of these formulas
make.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A bug: its name, and the edits (file of ndis_verify/fast, text that occurs once, what takes its place)."""

    name: str
    edits: tuple[tuple[str, str, str], ...]


def _one(name: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(name, ((f"{file}.py", old, new),))


MUTANTS = (
    # Mean shift, BW-T8 and BW-Alg1.
    _one(
        "factor 1/2 dropped from the shift",
        "mean_shift",
        "a = _difference(shift, size, epsilon, share)",
        "a = share - size",
    ),
    _one("wrong sign of the shift", "mean_shift", "b = share + size / 2", "b = share - size / 2 + 1e-9"),
    _one(
        "difference of tails where they nearly agree",
        "mean_shift",
        "near = (a > -1) & (a < _FAR) & (lower > 0.5 * upper)",
        "near = (a > -1) & (a < -2)",
    ),
    _one("quadrature cut short", "mean_shift", "np.arange(-42, 58) * _STEP", "np.arange(-42, 12) * _STEP"),
    _one(
        "constant with eight digits",
        "mean_shift",
        "_HALF_LOG_2PI = 0.9189385332046727417803297",
        "_HALF_LOG_2PI = 0.91893853",
    ),
    _one(
        "variance for standard deviation",
        "mean_shift",
        "_log_delta(_quotient(sensitivity, std), np.abs(epsilon))",
        "_log_delta(_quotient(sensitivity, std**2), np.abs(epsilon))",
    ),
    Mutant(  # so that the printed ridge l^2/p* is l^2 (N24-TabIV-Song)
        "bisection of a curve that overflows to NaN, which runs to the end of its bracket",
        (
            (
                "random_projection.py",
                "        result[search] = safe_root(lambda x, k: excess(x, search[k]), safe[search], unsafe[search])\n",
                """        low, high = safe[search], np.full(search.size, 36.0)
        for _ in range(100):
            middle = (low + high) / 2
            with np.errstate(all="ignore"):
                odds = np.exp(80 * middle)
                missed = excess(middle, search) + odds - odds > 0
            low, high = np.where(missed, low, middle), np.where(missed, middle, high)
        result[search] = low
""",
            ),
            (
                "random_projection.py",
                'over = to_log_delta(_log_curve(leverage, r, epsilon, "delete")) > goal',
                "over = np.zeros(leverage.shape, dtype=bool)",
            ),
        ),
    ),
    Mutant(
        "calibration from the unsafe end of its bracket",
        (
            (
                "mean_shift.py",
                "result[search] = np.ldexp(std.mantissa, std.exponent - shift.exponent)",
                "result[search] = np.ldexp(std.mantissa, std.exponent - shift.exponent) * (1 - 1e-12)",
            ),
            ("mean_shift.py", "    _widen(sensitivity, result, epsilon, goal, search)\n    say", "    say"),
        ),
    ),
    _one(
        "calibration ignores the scale",
        "mean_shift",
        "std = _quotient(sensitivity[search], shift.above)",
        "std = _quotient(np.ones(search.size), shift.above)",
    ),
    # Random projection.
    _one(
        "deletion and insertion exchanged",
        "random_projection",
        'if direction == "delete":\n        laws',
        'if direction == "insert":\n        laws',
    ),
    _one(
        "leverage in place of p/(1-p)",
        "random_projection",
        "laws = Spectrum(p / (1 - p), 0.0, r.reshape(-1, 1), -np.log1p(-p))",
        "laws = Spectrum(p, 0.0, r.reshape(-1, 1), np.log1p(p))",
    ),
    _one(
        "one column too few",
        "random_projection",
        "laws = Spectrum(p / (1 - p), 0.0, r.reshape(-1, 1), -np.log1p(-p))",
        "laws = Spectrum(p / (1 - p), 0.0, r.reshape(-1, 1) - 1, -np.log1p(-p))",
    ),
    _one(
        "multiplicity dropped under insertion",
        "random_projection",
        "laws = Spectrum(-p, 0.0, r.reshape(-1, 1))",
        "laws = Spectrum(-p, 0.0, 1.0)",
    ),
    _one(
        "leverage returned without the last check, from above",
        "random_projection",
        "result[inner] = _settled(1 / (1 + np.exp(-logit[inner])), r[inner], epsilon[inner], goal[inner])",
        "result[inner] = (1 + 1e-11) / (1 + np.exp(-logit[inner]))",
    ),
    # Least squares, limit and finite sketch.
    _one(
        "number of rows dropped from the mean shift",
        "least_squares/asymptotic_law",
        "gap / (1 - q), r / (1 - q)",
        "gap / (1 - q), 1 / (1 - q)",
    ),
    _one(
        "d instead of d - 1 copies",
        "least_squares/asymptotic_law",
        "Spectrum(alpha, None, [1, d - 1], np.stack",
        "Spectrum(alpha, None, [1, d], np.stack",
    ),
    _one("mean shift whitened by the wrong law", "least_squares/asymptotic_law", "r / (1 - p) ** 2", "r / (1 - q)"),
    _one(
        "largest loss of the limit for the finite sketch",
        "least_squares/asymptotic_law",
        "np.log1p((q - p) / (1 - q)) - np.log1p(-q))",
        "np.log1p((q - p) / (1 - q)))",
    ),
    _one(
        "degrees of freedom off by one",
        "least_squares/finite_law",
        "gain = -0.5 * (self.r + 1)",
        "gain = -0.5 * self.r",
    ),
    _one(
        "dimension off by one",
        "least_squares/finite_law",
        "self.constant + (self.d - 2) / 2",
        "self.constant + (self.d - 1) / 2",
    ),
    _one(
        "normalising constant of another law",
        "least_squares/finite_law",
        "betaln((laws.k + 1) / 2, laws.d / 2)",
        "betaln(laws.k / 2, laws.d / 2)",
    ),
    # From two Gaussians to a quadratic form.
    _one(
        "the wrong covariance whitens",
        "engine/whitening",
        "whitened_pencil(expansion(p, q), expansion(q), expansion(mean_p, mean_q))",
        "whitened_pencil(expansion(p, q), expansion(p), expansion(mean_p, mean_q))",
    ),
    _one(
        "mean shift in the other metric",
        "engine/whitening",
        "shift = _roots(difference, q)",
        "shift = _roots(difference, p)",
    ),
    _one(
        "square root of the mean shift",
        "engine/whitening",
        "shift = _roots(difference, q)",
        "shift = np.sqrt(_roots(difference, q))",
    ),
    _one(
        "copies of an eigenvalue counted once",
        "engine/whitening",
        "return Spectrum(alpha[first], None, count, logs[first],",
        "return Spectrum(alpha[first], None, 1, logs[first],",
    ),
    _one(
        "shifts of equal eigenvalues not added",
        "engine/whitening",
        "shift=_norms(group, shift),",
        "shift=shift[first],",
    ),
    _one(
        "dimension of a multiple of the identity dropped",
        "engine/whitening",
        "return Spectrum(alpha, None, difference.shape[-1], logs,",
        "return Spectrum(alpha, None, 1, logs,",
    ),
    _one(
        "determinant ratio upside down",
        "engine/spectrum",
        "wide = 0.5 * (count * wide_logs).sum(axis=1)",
        "wide = -0.5 * (count * wide_logs).sum(axis=1)",
    ),
    _one(
        "factor 1/2 of the determinant dropped",
        "engine/spectrum",
        "wide = 0.5 * (count * wide_logs).sum(axis=1)",
        "wide = (count * wide_logs).sum(axis=1)",
    ),
    _one(
        "determinant in single precision",
        "engine/spectrum",
        "wide = 0.5 * (count * wide_logs).sum(axis=1)",
        "wide = 0.5 * (count * wide_logs).sum(axis=1).astype(np.float32).astype(np.longdouble)",
    ),
    _one(
        "linear part scaled by the eigenvalue twice",
        "engine/spectrum",
        "b = (np.exp(0.5 * self.log_ratio.reshape(flat)) * shift)",
        "b = (np.exp(self.log_ratio.reshape(flat)) * shift)",
    ),
    _one(
        "linear part not scaled",
        "engine/spectrum",
        "b = (np.exp(0.5 * self.log_ratio.reshape(flat)) * shift)",
        "b = (shift + 0 * self.log_ratio.reshape(flat))",
    ),
    _one(
        "small curvatures taken for none",
        "engine/spectrum",
        "b = (np.exp(0.5 * self.log_ratio.reshape(flat)) * shift)",
        "alpha = np.where(np.abs(alpha) < 1e-8, 0.0, alpha); b = (np.exp(0.5 * self.log_ratio.reshape(flat)) * shift)",
    ),
    _one(
        "half of the squared mean shift dropped",
        "engine/spectrum",
        "offset=wide - 0.5 * wide_shift.sum(axis=1)",
        "offset=wide + 0 * wide_shift.sum(axis=1)",
    ),
    _one(
        "offset of all but the first coordinate",
        "engine/spectrum",
        "offset=wide - 0.5 * wide_shift.sum(axis=1)",
        "offset=wide - 0.5 * wide_shift[:, 0]",
    ),
    # From the form to a number.
    _one(
        "the end of a bounded loss continued",
        "engine/contour",
        "empty = bounded & (edge >= 0)",
        "empty = bounded & (edge >= 1e300)",
    ),
    _one(
        "the end of a bounded loss cut early",
        "engine/contour",
        "empty = bounded & (edge >= 0)",
        "empty = bounded & (edge >= -1e-6 * np.abs(t))",
    ),
    _one(
        "complement given for the value",
        "engine/curve",
        "-np.expm1(complement)), 0.0, 1.0)",
        "np.exp(complement)), 0.0, 1.0)",
    ),
    _one(
        "no logarithm below underflow",
        "engine/curve",
        "np.where(np.isnan(complement), direct, np.log1p",
        "np.where(np.isnan(complement), np.log(np.exp(direct)), np.log1p",
    ),
    _one("first node of the trapezoid rule not halved", "engine/trapezoid", "rules[0] = 1.0", "rules[0] = 2.0"),
    _one("sum stopped at a visible tail", "engine/trapezoid", "_FAINT = -42.0", "_FAINT = -9.0"),
    Mutant(
        "steps too long, and no second look",
        (
            (
                "engine/trapezoid.py",
                "return np.minimum(np.maximum(step, _LONGEST / 10), _LONGEST)",
                "return step * 0 + 1.2",
            ),
            (
                "engine/trapezoid.py",
                "error = np.exp((np.log(aliased) * (_EXPONENT / _RULES[1:])).max(axis=1))",
                "error = 0 * aliased.max(axis=1)",
            ),
        ),
    ),
    _one(
        "multiplicity forgotten in the transform",
        "engine/transform",
        "dofs = np.ascontiguousarray(forms.dof.T)[:, :, None]",
        "dofs = np.ascontiguousarray(np.minimum(forms.dof, 1).T)[:, :, None]",
    ),
    _one(
        "a sign in the quadratic term",
        "engine/transform",
        "inner = inner + s * (_fold(quadratic[0])",
        "inner = inner - s * (_fold(quadratic[0])",
    ),
    # Searches and laws.
    _one("search ended early", "engine/safe_root", "_ULPS = 4.0", "_ULPS = 4e7"),
    _one("epsilon from the unsafe side", "engine/least_epsilon", "-1e300) + kept", "-1e300) - 1e-9"),
    _one(
        "noncentrality not scaled by the weight",
        "generalized_chi2",
        "2 * np.sqrt(nc) * np.abs(w), k",
        "2 * np.sqrt(nc * np.abs(w)), k",
    ),
    _one("noncentrality missing from the shift", "generalized_chi2", '"_pull": float((nc * w).sum())', '"_pull": 0.0'),
    _one(
        "standard deviation for variance of the Gaussian part",
        "generalized_chi2",
        "(b, std), (dof",
        "(b, np.sqrt(std)), (dof",
    ),
    _one(
        "upper and lower tail exchanged",
        "generalized_chi2",
        "value[where] = tail if (sign > 0) == upper else",
        "value[where] = tail if (sign > 0) != upper else",
    ),
    _one(
        "tail as 1 - cdf",
        "generalized_chi2",
        "value[where] = tail if (sign > 0) == upper else np.log1p(-np.exp(tail))",
        "value[where] = np.log1p(-np.clip(-np.expm1(tail), 0, 1)) if (sign > 0) == upper else np.log1p(-np.exp(tail))",
    ),
)
