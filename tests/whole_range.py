"""Draws over the whole range of floats for every export of `fast`, each judged by the certified engine.

Draws hold subnormal numbers, exact powers of two, the ends of the range and thresholds next to where the answer turns.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
from scipy.special import ndtri

from ndis_verify import GaussianPair, fast, oracle
from ndis_verify.fast.accuracy import margin, promise

LARGEST, DIGITS = float(np.finfo(float).max), 15


TINY = -1e290  # of a logarithm: far below, it is rounded to -inf


class Wrong(Exception):
    """A value that is not what is documented."""


def need(condition, *shown):
    if not condition:
        raise Wrong(*map(repr, shown))


# Draws.


def size(rng):
    """A positive float from anywhere."""
    kind = rng.randrange(5)
    if kind == 0:
        return math.ldexp(1.0, rng.randint(-1074, 1023))
    if kind == 1:
        return math.ldexp(rng.randint(1, 2**52), -1074)
    if kind == 2:
        return rng.choice([5e-324, 2.0**-1022, 1.0, LARGEST, 1e308, 1e-155, 1e155])
    return math.ldexp(rng.uniform(0.5, 1), rng.randint(-1073, 1024)) if kind == 3 else 10 ** rng.uniform(-3, 3)


def share(rng):
    """A float inside (0, 1)."""
    kind = rng.randrange(4)
    if kind == 0:
        return min(size(rng), 0.5)
    return (
        math.ldexp(1.0, rng.randint(-1074, -1))
        if kind == 1
        else 1 - 2.0 ** rng.uniform(-53, -1)
        if kind == 2
        else rng.uniform(0.001, 0.999)
    )


def spot(rng, centre, spread, least=0.0):
    """A float at a few spreads from the centre, or from anywhere."""
    if rng.random() < 0.2:
        return max(rng.choice([-1, 1]) * size(rng), least)
    place = float(centre) + float(spread) * rng.uniform(-3, 8)
    return min(max(place, least), LARGEST) if math.isfinite(place) else 0.0


def shift_pair(rng):
    """(pair, sensitivity, std) of equal covariances whose root is a float."""
    std, moved = math.ldexp(1.0, rng.randint(-530, 500)), size(rng)
    if rng.random() < 0.6:
        moved = min(std * 10 ** rng.uniform(-6, 3), LARGEST)
    mean, cov = ([moved], [std * std]) if rng.random() < 0.5 else ([moved, 0.0], [[std * std, 0.0], [0.0, std * std]])
    return GaussianPair(mean, cov, [0.0] * len(mean), cov), moved, std


def coordinate(rng):
    """(mean, variance of P, variance of Q) of one coordinate."""
    q = size(rng)
    factor = rng.choice(
        [1.0, 2.0, 0.25, 1 + 2.0**-30, 1 - 2.0**-52, 10 ** rng.uniform(-6, 6), 2.0 ** rng.randint(-200, 200)]
    )
    p = float(q) * factor
    mean = rng.choice([0.0, math.sqrt(q) * 10 ** rng.uniform(-4, 3), size(rng)])
    return rng.choice([-1, 1]) * min(mean, LARGEST), p if 0 < p < math.inf else q, q


def any_pair(rng):
    mean, p, q = map(list, zip(*(coordinate(rng) for _ in range(rng.randint(1, 2)))))
    if len(mean) == 2 and rng.random() < 0.3:  # dense, with an exact correlation of 1/2
        scale = math.ldexp(1.0, rng.randint(-530, 500))
        p, q = (
            [[s * scale * scale, r * scale * scale], [r * scale * scale, s * scale * scale]]
            for s, r in ((1.0, 0.5), (2.0, rng.choice([0.5, -1.0])))
        )
        mean = [scale * rng.uniform(-3, 3), 0.0]
    return GaussianPair(mean, p, [0.0] * len(mean), q)


def loss(pair):
    """(mean, std) of the privacy loss, for choosing epsilons; wide numbers become large ones."""
    forms = fast.spectrum(pair).loss_forms()
    return tuple(min(float(part[0]), LARGEST) for part in (forms.mean, forms.std))


def law(rng):
    """Arguments of GeneralizedChi2."""
    groups = rng.randint(1, 2)
    scale = size(rng)
    weights = [
        rng.choice([-1, 1]) * rng.choice([scale, min(scale * 10 ** rng.uniform(-3, 3), LARGEST), size(rng)])
        for _ in range(groups)
    ]
    dofs = [rng.choice([1, 2, 3, 50, 1000]) for _ in range(groups)]
    ncs = [rng.choice([0.0, 10 ** rng.uniform(-3, 3), min(size(rng), 1e6)]) for _ in range(groups)]
    std, shift = rng.choice([0.0, 0.0, scale, size(rng)]), rng.choice([0.0, 0.0, scale, -size(rng)])
    return weights, dofs, ncs, std, shift


# Judgements: `value` is what fast gave; each compares with the certified engine and says what it compared with.


def agree(value, log_value, exact, epsilon, tolerance, log_tolerance=1e-11, slack=Fraction(2, 10**15)):
    """The value of the curve `exact` to a relative tolerance from 1e-290 on, below, its logarithm; or between the
    values at epsilons a relative 2e-15 (`slack`) to either side, which is what is documented of thresholds that large
    sums enter.
    """
    with mpmath.workdps(60):
        here = exact(epsilon).mid
        if _near(value, log_value, here, tolerance, log_tolerance) or epsilon == 0:
            need(epsilon != 0 or _near(value, log_value, here, tolerance, log_tolerance), value, log_value, here)
            return
        step = abs(Fraction(epsilon)) * slack
        high, low = (exact(Fraction(epsilon) + side * step).mid for side in (-1, 1))
        if value is not None:
            need(low * (1 - tolerance) - 1e-290 <= value <= high * (1 + tolerance) + 1e-290, value, low, here, high)
        if log_value is not None:
            least, most = (mpmath.log(end) if end else -mpmath.inf for end in (low, high))
            need(
                least * (1 + log_tolerance) - tolerance <= log_value <= most * (1 - log_tolerance) + tolerance,
                log_value,
                least,
                here,
                most,
            )


def _near(value, log_value, here, tolerance, log_tolerance):
    if value is not None:
        need(0 <= value <= 1, value)
        return abs(value - here) <= tolerance * here + 1e-320 if here >= 1e-290 else value <= 1.1e-290
    if here == 0:
        return log_value == -math.inf
    exact = mpmath.log(here)
    near = abs(log_value - exact) <= (tolerance if here >= 1e-290 else log_tolerance * abs(exact))
    return near or (log_value == -math.inf and exact < TINY)


def shift_delta(sensitivity, std, epsilon):
    return oracle.certified_gaussian_hockey_stick(sensitivity, std, epsilon, digits=DIGITS)


def gaussian(rng, name):
    sensitivity, std = size(rng), size(rng)
    ratio = Fraction(sensitivity) / Fraction(std)
    if ratio > 2**300 or ratio < Fraction(1, 2**300):
        epsilon = spot(rng, 0.0, 0.0, -LARGEST)
    else:
        epsilon = spot(rng, float(ratio) ** 2 / 2, float(ratio), -LARGEST)
    value = float(getattr(fast, name)(sensitivity, std, epsilon))
    pair = (None, value) if name.startswith("log") else (value, None)
    here = shift_delta(sensitivity, std, epsilon).mid
    with mpmath.workdps(60):
        need(_near(*pair, here, 1e-12, 1e-12), value, here)


def gaussian_std(rng, name):
    sensitivity, epsilon, delta = size(rng), rng.choice([0.0, min(size(rng), 1e15)]), share(rng)
    std = float(fast.gaussian_std(sensitivity, epsilon=epsilon, delta=delta))
    need(0 < std <= LARGEST, std)
    need(shift_delta(sensitivity, std, epsilon).mid <= delta, std, delta)
    less = min(Fraction(std) * (1 - Fraction(2, 10**12)), Fraction(np.nextafter(std, 0)))
    need(less == 0 or shift_delta(sensitivity, less, epsilon).mid > delta * (1 - 1e-11), std, delta)


def curve(pair, epsilon, value, log_value=None, copies=1):
    def exact(place):
        if copies > 1:
            return oracle.certified_composed_hockey_stick(pair, copies, place, digits=DIGITS)
        return oracle.certified_hockey_stick(pair, place, digits=DIGITS)

    agree(value, log_value, exact, epsilon, 1e-11)


def hockey_stick(rng, name):
    if rng.random() < 0.4:
        pair, sensitivity, std = shift_pair(rng)
        centre, spread = loss(pair)
        epsilon = spot(rng, centre, spread, rng.choice([0.0, -LARGEST]))
    else:
        pair = any_pair(rng)
        centre, spread = loss(pair)
        epsilon, sensitivity = spot(rng, centre, spread, rng.choice([0.0, -LARGEST])), None
    log = name.startswith("log")
    if name == "PrivacyProfile":
        epsilon = abs(epsilon)
        value = float(fast.PrivacyProfile(pair)(epsilon))
    elif name == "PairBatch":
        batch = fast.PairBatch(
            *(
                np.array([part])
                for part in (pair.mean_p, pair.cov_p.float_entries(), pair.mean_q, pair.cov_q.float_entries())
            )
        )
        value = float(fast.hockey_stick(batch, epsilon)[0])
    else:
        value = float(getattr(fast, name)(pair, epsilon))
    if sensitivity is not None:
        agree(
            *((None, value) if log else (value, None)),
            lambda place: shift_delta(sensitivity, std, place),
            epsilon,
            1e-11,
        )
    else:
        curve(pair, epsilon, *((None, value) if log else (value, None)))


def composed(rng, name):
    pair, copies = any_pair(rng), rng.choice([1, 2, 10, 1000])
    laws = fast.compose(pair, copies)
    centre, spread = loss(laws)
    epsilon = spot(rng, centre, spread)
    value = float(
        fast.hockey_stick(laws, epsilon) if name == "compose" else fast.composed_hockey_stick(pair, copies, epsilon)
    )
    curve(pair, epsilon, value, copies=copies)


def given_spectrum(rng, name):
    alpha = [rng.choice([0.0, size(rng), -share(rng)]) for _ in range(rng.randint(1, 2))]
    shift = [rng.choice([0.0, size(rng), 10 ** rng.uniform(-3, 2)]) for _ in alpha]
    laws = fast.Spectrum(alpha, shift=shift)
    pair = GaussianPair(shift, [1 + Fraction(a) for a in alpha], [0] * len(alpha), [1] * len(alpha))
    centre, spread = loss(laws)
    epsilon = spot(rng, centre, spread)
    curve(pair, epsilon, float(fast.hockey_stick(laws, epsilon)))


def whitened(rng, name):
    mean, p, q = coordinate(rng)
    pair = GaussianPair([mean], [p], [0.0], [q])
    laws = fast.spectrum(pair)
    if name == "quadratic_form":
        form = fast.quadratic_form(pair)
        alpha, linear = -form.a[0], form.b[0] ** 2 if abs(form.b[0]) < 1e150 else None
        exact = Fraction(mean) ** 2 * Fraction(p) / Fraction(q) ** 2
    else:
        alpha, linear = float(laws.alpha[0]), Fraction(float(laws.shift[0])) ** 2
        exact = Fraction(mean) ** 2 / Fraction(q)
    ratio = Fraction(p) / Fraction(q) - 1
    need(abs(Fraction(alpha) - ratio) <= abs(ratio) * Fraction(4, 2**53), alpha, float(ratio))
    small = exact < Fraction(1, 10**600)
    if linear is not None:
        need(
            small or abs(Fraction(linear) - exact) <= exact * Fraction(1, 10**14) + Fraction(1, 10**320), linear, exact
        )


def smallest_epsilon(rng, name):
    pair, sensitivity, std = shift_pair(rng) if rng.random() < 0.5 else (any_pair(rng), None, None)
    delta = share(rng)
    epsilon = float(fast.epsilon_for_delta(pair, delta))
    need(epsilon >= 0, epsilon)

    def exact(place):
        if sensitivity is not None:
            return shift_delta(sensitivity, std, place).mid
        return oracle.certified_hockey_stick(pair, place, digits=DIGITS).mid

    if epsilon == math.inf:
        need(exact(LARGEST) > delta, delta)
        return
    need(exact(epsilon) <= delta, epsilon, delta)
    less = Fraction(epsilon) * (1 - Fraction(1, 10**11))
    tight = 1 - margin("epsilon_for_delta") - promise("hockey_stick")
    need(epsilon < 1e-322 or exact(less) > delta * tight, epsilon, delta)


def chi2(rng, name):
    arguments = law(rng)
    found = fast.GeneralizedChi2(*arguments)
    middle, spread = found.mean(), math.sqrt(min(found.var(), LARGEST))
    x = spot(rng, middle, spread, -LARGEST)
    values = float(found.cdf(x)), float(found.sf(x)), float(found.pdf(x))
    need(values[2] >= 0 and not math.isnan(values[2]), values)
    for value, log, certified in (
        (values[0], found.logcdf(x), oracle.certified_generalized_chi2_cdf),
        (values[1], found.logsf(x), oracle.certified_generalized_chi2_sf),
    ):
        here = certified(*arguments, x, digits=DIGITS).mid
        with mpmath.workdps(60):
            need(
                _near(value, None, here, 1e-11, 1e-11) and _near(None, float(log), here, 1e-11, 1e-11),
                x,
                value,
                log,
                here,
            )
    q = share(rng)
    places = float(found.ppf(q)), float(found.isf(q))
    need(not any(map(math.isnan, places)), places)
    for place, certified in zip(places, (oracle.certified_generalized_chi2_cdf, oracle.certified_generalized_chi2_sf)):
        if math.isfinite(place):  # a step of the float on either side holds the level
            beside = [math.nextafter(place, side) for side in (-math.inf, math.inf)]
            beside = [b + side * 1e-10 * abs(place - arguments[4]) for b, side in zip(beside, (-1, 1))]
            if not np.isfinite(beside).all():
                continue
            low, high = sorted(certified(*arguments, float(b), digits=DIGITS).mid for b in beside)
            need(low * (1 - 1e-10) <= q <= high * (1 + 1e-10), place, q, low, high)


def trade_off(rng, name):
    pair, sensitivity, std = shift_pair(rng)
    alpha = share(rng)
    if name == "pair_gdp":
        exact = Fraction(sensitivity) / Fraction(std)
        need(abs(Fraction(fast.pair_gdp(pair)) - exact) <= exact * Fraction(1, 10**15), float(exact))
        return
    value = float(fast.pair_trade_off(pair, alpha))
    with mpmath.workdps(40):
        place = mpmath.mpf(float(ndtri(alpha)))
        for _ in range(4):
            place -= (mpmath.log(mpmath.ncdf(place)) - mpmath.log(alpha)) * mpmath.ncdf(place) / mpmath.npdf(place)
        moved = mpmath.mpf(sensitivity) / std
        with mpmath.workdps(500):
            exact = mpmath.ncdf(-place - moved) if moved < 1e6 else 0
        need(abs(value - exact) <= 1e-10 * exact + 1e-290, value, exact)


def projection(rng, name):
    leverage, r, direction = share(rng), rng.choice([1, 2, 7, 1000, 10**6]), rng.choice(["delete", "insert"])
    odds = leverage / (1 - leverage) if direction == "delete" else leverage
    epsilon = spot(rng, r * min(odds, odds * odds) / 2, odds * math.sqrt(r))
    value = float(getattr(fast, name)(leverage, r, epsilon, direction))
    values = (None, value) if name.startswith("log") else (value, None)
    agree(
        *values,
        lambda place: oracle.certified_rp_hockey_stick(leverage, r, place, direction, digits=DIGITS),
        epsilon,
        1e-11,
    )


def target(rng):
    return rng.choice([1, 2, 7, 1000, 10**6]), rng.choice([0.0, min(size(rng), 1e10)]), share(rng)


def projection_leverage(rng, name):
    r, epsilon, delta = target(rng)
    leverage = float(fast.rp_leverage(r, epsilon=epsilon, delta=delta))
    need(0 <= leverage < 1, leverage)
    need(oracle.certified_rp_hockey_stick(leverage, r, epsilon, digits=DIGITS).mid <= delta, leverage, delta)
    if leverage < 1 - 1e-12:
        more = Fraction(leverage) + max(
            Fraction(1, 10**9) * Fraction(leverage) * (1 - Fraction(leverage)), 8 * Fraction(math.ulp(leverage))
        )
        more = max(more, Fraction(2.0**-1021))
        need(
            oracle.certified_rp_hockey_stick(more, r, epsilon, digits=DIGITS).mid > delta * (1 - 1e-10), leverage, delta
        )


def projection_ridge(rng, name):
    r, epsilon, delta = target(rng)
    length, rate = size(rng), share(rng)
    arguments = (length, r, epsilon, delta) if name == "rp_ridge" else (length, rate, r, epsilon, delta)
    ridge = float(getattr(fast, name)(*arguments[:-2], epsilon=epsilon, delta=delta))
    need(ridge >= 0, ridge)
    if ridge == 0:
        need(name == "sampled_rp_ridge" and delta >= rate, delta, rate)
        return
    certified, lower = getattr(oracle, "certified_" + name), Fraction(delta) * (1 - Fraction(4, 10**11))
    with mpmath.workdps(60):
        exact, loose = (
            certified(*arguments[:-2], epsilon=epsilon, delta=level, digits=DIGITS).mid for level in (delta, lower)
        )
        square = mpmath.mpf(length) ** 2
        need(ridge >= exact, ridge, exact)
        if ridge < math.inf:  # the least is what is kept where any leverage will do
            need(ridge <= max(loose * (1 + 1e-9), 2.5e-16 * square) + 1e-323, ridge, exact, loose)
        else:
            need(loose > LARGEST * (1 - 1e-8) or loose > square * 2e307, loose)


def lone_record(rng, name):
    length, ridge, r = size(rng), size(rng), rng.choice([1, 2, 7, 1000])
    if rng.random() < 0.6:
        ridge = min(max(length * 10 ** rng.uniform(-3, 3) * length, 5e-324), LARGEST)
    leverage = Fraction(length) ** 2 / (Fraction(length) ** 2 + Fraction(ridge))
    odds = min(float(min(leverage / (1 - leverage), Fraction(10**300))), 1e300)
    epsilon = spot(rng, r * min(odds, odds * odds if odds < 1 else odds) / 2, odds * math.sqrt(r))
    value = float(fast.rp_ridge_hockey_stick(length, ridge, r, epsilon))
    agree(
        value, None, lambda place: oracle.certified_rp_hockey_stick(leverage, r, place, digits=DIGITS), epsilon, 1e-11
    )


def sampled(rng, name):
    epsilon, rate = rng.choice([0.0, size(rng), share(rng)]), share(rng)
    value = float(fast.sampled_epsilon(epsilon=epsilon, rate=rate))
    with mpmath.workdps(50):
        exact = mpmath.log1p(mpmath.expm1(epsilon) / rate) if epsilon < 1000 else epsilon - mpmath.log(rate)
        exact = exact if epsilon else mpmath.mpf(0)
        need(exact * (1 - mpmath.mpf(3e-15)) - 1e-323 <= value <= exact, value, exact)


def record(rng):
    """(leverage, augmented leverage, d, r, direction)."""
    p, q = sorted((share(rng), share(rng)))
    return p, q, rng.choice([1, 2, 10]), rng.choice([10, 30, 1000, 10**5]), rng.choice(["delete", "insert"])


def least_squares(rng, name):
    p, q, d, r, direction = record(rng)
    top = float(fast.als_max_privacy_loss(p, q, d, r, direction))
    if name == "als_max_privacy_loss":
        exact = oracle.certified_als_max_privacy_loss(p, q, d, r, direction, digits=DIGITS).mid
        need(abs(top - exact) <= 4e-15 * exact + 5e-324, top, exact)
        return
    epsilon = rng.choice([spot(rng, 0.0, top / 30), top * rng.random(), top * share(rng)])
    exact_law = "exact" in name
    if name == "als_spectrum":
        value, name = float(fast.hockey_stick(fast.als_spectrum(p, q, d, r, direction), epsilon)), "als_hockey_stick"
    else:
        value = float(getattr(fast, name)(p, q, d, r, epsilon, direction))
    log = name.startswith("log")
    certified = getattr(oracle, "certified_" + name.removeprefix("log_"))
    values = (None, value) if log else (value, None)
    tolerance, log_tolerance, slack = 1e-11, 1e-11, Fraction(2, 10**15)
    if exact_law:
        likely = float(certified(p, q, d, r, epsilon, direction, digits=DIGITS).mid) > 0.5
        tolerance, log_tolerance, slack = 2e-9 if likely else 2e-10, 1e-9, Fraction(1, 10**14)
    agree(
        *values,
        lambda place: certified(p, q, d, r, place, direction, digits=DIGITS),
        epsilon,
        tolerance,
        log_tolerance,
        slack,
    )


def gap(rng, name):
    p, q, d, r, direction = record(rng)
    found = fast.als_asymptotic_gap(p, q, d, min(r, 1000), direction)
    need(
        0 <= found.overstated <= 1
        and 0 <= found.understated <= 1
        and found.overstated_at >= 0
        and found.understated_at >= 0,
        found,
    )


def worst_record(rng, name):
    _, cap, d, r, _ = record(rng)
    r = min(r, 1000)
    exact = "exact" in name
    top = float(fast.als_max_privacy_loss(cap, cap, d, r))
    epsilon = spot(rng, 0.0, top / 30)
    found = (fast.als_exact_worst_case if exact else fast.als_worst_case)(cap, d, r, epsilon)
    need(
        isinstance(found, fast.WorstRecord) and 0 <= float(found.delta) <= 1 and 0 <= float(found.leverage) <= cap,
        found,
    )
    if exact and 1 - cap < 2.0**-30:
        return
    certified = oracle.certified_als_exact_hockey_stick if exact else oracle.certified_als_hockey_stick
    here = float(found.leverage), cap, d, r
    agree(
        float(found.delta),
        None,
        lambda place: certified(*here, place, str(found.direction), digits=DIGITS),
        epsilon,
        3e-9 if exact else 1e-11,
        slack=Fraction(1, 10**14),
    )
    other = certified(cap * rng.random(), cap, d, r, epsilon, rng.choice(["delete", "insert"]), digits=DIGITS).mid
    need(other <= float(found.delta) * (1 + 1e-6) + 1e-290, found, other)


def cap(rng, name):
    _, _, d, r, direction = record(rng)
    r, epsilon, delta = min(r, 1000), rng.choice([0.0, min(size(rng), 100.0)]), share(rng)
    found = float(getattr(fast, name)(d, r, epsilon=epsilon, delta=delta))
    need(0 <= found < 1, found)
    certified = oracle.certified_als_exact_hockey_stick if "exact" in name else oracle.certified_als_hockey_stick
    value = certified(Fraction(found) * Fraction(rng.random()), found, d, r, epsilon, direction, digits=DIGITS).mid
    need(value <= delta * (1 + 1e-9), found, value, delta)


CASES = {
    "GeneralizedChi2": chi2,
    "PairBatch": hockey_stick,
    "PrivacyProfile": hockey_stick,
    "Spectrum": given_spectrum,
    "WorstRecord": worst_record,
    "als_asymptotic_gap": gap,
    "als_cap": cap,
    "als_exact_cap": cap,
    "als_exact_hockey_stick": least_squares,
    "als_exact_worst_case": worst_record,
    "als_hockey_stick": least_squares,
    "als_max_privacy_loss": least_squares,
    "als_spectrum": least_squares,
    "als_worst_case": worst_record,
    "compose": composed,
    "composed_hockey_stick": composed,
    "epsilon_for_delta": smallest_epsilon,
    "gaussian_hockey_stick": gaussian,
    "gaussian_std": gaussian_std,
    "hockey_stick": hockey_stick,
    "log_als_exact_hockey_stick": least_squares,
    "log_als_hockey_stick": least_squares,
    "log_gaussian_hockey_stick": gaussian,
    "log_hockey_stick": hockey_stick,
    "log_rp_hockey_stick": projection,
    "pair_gdp": trade_off,
    "pair_trade_off": trade_off,
    "quadratic_form": whitened,
    "rp_hockey_stick": projection,
    "rp_leverage": projection_leverage,
    "rp_ridge": projection_ridge,
    "rp_ridge_hockey_stick": lone_record,
    "sampled_epsilon": sampled,
    "sampled_rp_ridge": projection_ridge,
    "spectrum": whitened,
}
