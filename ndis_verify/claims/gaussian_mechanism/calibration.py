"""Claims about Gaussian noise calibrated by a tail bound, and the accuracy of counting queries."""

from __future__ import annotations

import mpmath
import numpy as np
from flint import arb
from scipy.special import ndtr

from ndis_verify.claim import Verdict
from ndis_verify.court.attack import log_margin
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.certified_numbers import decimals_check
from ndis_verify.court.checks import formula_check
from ndis_verify.court.domain import Domain, continuous, integer
from ndis_verify.court.points import count, log_uniform
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified import gaussian_calibration as calibrated
from ndis_verify.oracle.certified import gaussian_mechanism as certified
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.engine.quadratic_form import quadratic_form as oracle_quadratic_form
from ndis_verify.statements.reading import statement, under
from ndis_verify.statements.statement import integer as whole
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import counting_accuracy, gaussian_mechanism
from ndis_verify.symbolic import gaussian_calibration as derived

_WITH_LOGARITHM = "with ln(k/beta) under the root, eps <= ln(1/delta)"
_TAIL = proof("normal tail", gaussian_mechanism.tail_bound)
_CALIBRATION = proof("tail calibration", derived.tail_calibration)


def _rho(epsilon: arb, delta: arb) -> arb:
    """The rho of (eps, delta): the square of sqrt(2l + 2 eps) - sqrt(2l), l = ln(1/delta)."""
    level = -delta.log()
    return ((2 * level + 2 * epsilon).sqrt() - (2 * level).sqrt()) ** 2


def _slide_ratio(epsilon: str, delta: str) -> Enclosure:
    """The slides' std over the smallest valid one."""
    with working_bits(120):
        return enclosure(1 / (_rho(ball(exact(epsilon)), ball(exact(delta))).sqrt() * _smallest_std(epsilon, delta)))


def _tail_ratio(epsilon: str, delta: str) -> Enclosure:
    """The smallest std with Pr[loss > eps] <= delta over the smallest valid one, delta < 1/2."""
    with working_bits(160), mpmath.workdps(45):
        z = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * to_mpf(exact(delta)))  # Phi(-z) = delta, to be enclosed by two signs
        near, far = (exact(z * (1 + side * mpmath.mpf(10) ** -25)) for side in (-1, 1))
        if not (certified.upper_tail(ball(near)) > ball(exact(delta)) > certified.upper_tail(ball(far))):
            raise ArithmeticError(f"no bracket for the normal quantile at {delta}")
        root = ball(near).union(ball(far))
        return enclosure(1 / (((root * root + 2 * ball(exact(epsilon))).sqrt() - root) * _smallest_std(epsilon, delta)))


def _smallest_std(epsilon: str, delta: str) -> arb:
    return to_exact_ball(calibrated.analytic_std(1, epsilon=epsilon, delta=delta, digits=25))


_SLIDE_ROWS = (
    (("0.1", "1e-5"), "1.564"),
    (("1", "1e-3"), "1.494"),
    (("1", "1e-5"), "1.314"),
    (("1", "1e-10"), "1.169"),
    (("10", "1e-5"), "1.136"),
)
_TAIL_ROWS = (
    (("0.1", "1e-5"), "1.391"),
    (("1", "1e-3"), "1.260"),
    (("1", "1e-5"), "1.174"),
    (("1", "1e-10"), "1.097"),
    (("10", "1e-5"), "1.045"),
)


def _accuracy_margin(constant: float):
    """log beta - log Pr[max error >= alpha] at n = constant sqrt(k ln(1/delta) ln(k/beta))/(eps alpha), smallest valid
    noise.
    """

    def margin(k, share, level, beta):
        epsilon, delta = share * level, np.exp(-level)
        deviations = (
            constant
            * np.sqrt(level * np.log(k / beta))
            / (epsilon * fast_gaussian_std(1.0, epsilon=epsilon, delta=delta))
        )
        failure = -np.expm1(k * np.log1p(-2 * ndtr(-deviations)))
        return log_margin(np.log(beta), np.log(np.maximum(failure, 1e-300)))

    return margin


_ACCURACY = attack_check(
    "failure probability below beta at n of the corrected order",
    _accuracy_margin(1 + 2**0.5),
    Domain(
        (
            integer("k", 1, 10**6, "log"),
            continuous("share", "1e-4", 1, "log"),
            continuous("level", "1e-3", 50, "log"),
            continuous("beta", "1e-9", "0.999", "logit"),
        )
    ),
    mutants={"constant 1/2": _accuracy_margin(0.5)},
    part=_WITH_LOGARITHM,
)


def _levels(effort: str) -> list[tuple[float, float]]:
    rng = np.random.default_rng(44)
    return [(log_uniform(rng, 1e-6, 100), log_uniform(rng, 0.01, 600)) for _ in range(count(effort, 8, 40))]


def _by_the_loss(rho: float, level: float) -> mpmath.mpf:
    """Mean of the loss plus sqrt(2 ln(1/delta)) deviations, the loss law taken from the pair itself."""
    mean, deviation = _loss_moments(rho)
    with mpmath.workdps(45):
        return mean + deviation * mpmath.sqrt(2 * to_mpf(exact(level)))


def _loss_moments(rho: float) -> tuple[mpmath.mpf, mpmath.mpf]:
    with mpmath.workdps(45):
        form = oracle_quadratic_form(GaussianPair([mpmath.sqrt(to_mpf(exact(rho)))], 1, [0], 1), digits=40)
        return -form.c, abs(form.b[0])


_TAIL_ANYWHERE = statement("Phi(-t/sigma) < e^{-t^2/(2 sigma^2)}", "sigma > 0", over=(real("t", -40, 40),))

_ACCURATE = statement(
    "1 - (1 - 2 Phi(-z))^k <= beta",
    *("C > 0", "k >= 1", "eps > 0", "D > 0", "0 < beta < 1"),
    where={"z": "C D sqrt(log(1/delta_shift(D; eps)))/eps"},
    over=(
        real("C", "0.1", 15, "log"),
        whole("k", 1, 10**18, "log"),
        *(real("D", "0.05", 4, "log"), real("eps", "0.05", 20, "log")),
        real("beta", "0.01", 1),
    ),
)

CLAIMS = (
    stated_claim(
        id="SL-2-pure",
        source="SL",
        title="Gaussian noise gives no pure privacy",
        stated=statement(
            "delta_shift(Delta; eps) >= 1/2 Phi(Delta/2 - (eps + log(2))/Delta), and delta_shift(Delta; eps) > 0",
            *("Delta > 0", "eps >= 0"),
            over=(real("Delta", "0.01", 100, "log"),),
        ),
        about=(
            "The Gaussian noise mechanism is not eps-DP for any finite eps; Delta is the distance of two outputs over"
            " the std."
        ),
        declared=Verdict.PROVED,
        checks=(proof("an event of which half is left", derived.no_pure_privacy),),
        note="It is the reason for delta > 0: the smallest delta at eps falls like a normal tail and is never 0.",
    ),
    stated_claim(
        id="SL-2",
        source="SL",
        title="the Gaussian noise mechanism by a tail bound",
        stated=statement(
            "delta_shift(sqrt(rho); eps) <= delta/2, and eps = (sqrt(rho)/2) (sqrt(rho) + 2 sqrt(2 log(1/delta)))",
            *("rho > 0", "0 < delta < 1"),
            where={"eps": "rho/2 + sqrt(2 rho log(1/delta))"},
            over=(real("rho", "1e-9", 1000, "log"), real("delta", "1e-300", "0.999999", "logit")),
        ),
        about=("Noise N(0, (Delta_2^2/rho) I) is (eps, delta)-DP, because it is enough that Pr[loss > eps] <= delta."),
        declared=Verdict.PROVED,
        checks=(
            _TAIL,
            _CALIBRATION,
            formula_check(
                "eps against the loss of the pair itself", derived.tail_calibration, _by_the_loss, _levels, digits=24
            ),
        ),
        note=(
            "It is even (eps, delta/2)-DP. The condition is sufficient, not necessary (SL-2-necessary); how much noise"
            " it costs is in SL-2-slack. The tail inequality needs t >= 0 (SL-2-tail)."
        ),
    ),
    stated_claim(
        id="SL-2-tail",
        source="SL",
        title="tail inequality of a centred normal variable",
        stated=_TAIL_ANYWHERE,
        stands=under(_TAIL_ANYWHERE, "t >= 0"),
        fails_at=({"t": -1, "sigma": 1},),
        parts=("t >= 0", "every real t"),
        about="Pr[Z > t] for Z ~ N(0, sigma^2), printed without a domain for t.",
        declared=Verdict.RESTRICTED,
        checks=(proof("t >= 0", gaussian_mechanism.tail_bound, part="t >= 0"),),
        corrected=(
            "For t >= 0, and then with a factor 1/2 to spare: Pr[Z > t] <= e^{-t^2/(2 sigma^2)}/2, strict for t > 0."
        ),
        note=(
            "The slides use it for t >= 0 only; no consequence. The two-sided form of the accuracy slide, Pr[|Z - mu| >"
            " t] < 2 e^{-t^2/(2 sigma^2)}, holds for t >= 0 likewise, with a factor 2 to spare, and fails below -sigma"
            " sqrt(2 ln 2), where the right side is under 1."
        ),
    ),
    stated_claim(
        id="SL-2-necessary",
        tags=("reading",),
        source="SL",
        title="is Pr[loss > eps] <= delta necessary?",
        stated=statement(
            "Phi(sqrt(rho)/2 - eps/sqrt(rho)) <= delta",
            *("rho > 0", "eps >= 0", "0 < delta < 1", "delta_shift(sqrt(rho); eps) <= delta"),
            over=(real("rho", "0.01", 100, "log"),),
        ),
        fails_at=({"rho": 1, "eps": 1, "delta": "0.13"},),
        about="A Gaussian mechanism that is (eps, delta)-DP has Pr[loss > eps] <= delta.",
        declared=Verdict.REFUTED,
        checks=(),
        corrected=(
            "DP is exactly Pr[loss > eps] - e^eps Pr[loss' < -eps] <= delta (BW-T5); at eps = 0 the tail alone is above"
            " 1/2 for every rho."
        ),
    ),
    stated_claim(
        id="SL-2-slack",
        source="SL",
        title="how much noise the sufficient condition costs",
        stated=statement(
            "1/sqrt(rho) = (sqrt(2 l + 2 eps) + sqrt(2 l))/(2 eps)",
            *("rho > 0", "l > 0"),
            where={"eps": "rho/2 + sqrt(2 rho l)"},
            over=(real("rho", "1e-4", 100, "log"), real("l", "1e-2", 1000, "log")),
        ),
        about=(
            "At the stated points the slides' std at sensitivity 1, 1/sqrt(rho) with l = ln(1/delta), and the least"
            " std with Pr[loss > eps] <= delta, exceed the smallest valid std by the stated factors."
        ),
        declared=Verdict.CERTIFIED,
        parts=("slides", "slides"),
        checks=(
            decimals_check(
                "slides' std over the smallest",
                _slide_ratio,
                _SLIDE_ROWS,
                {"the tail's std": _tail_ratio},
                part="slides",
            ),
            decimals_check(
                "tail's std over the smallest", _tail_ratio, _TAIL_ROWS, {"the slides' std": _slide_ratio}, part="tail"
            ),
        ),
        note=(
            "Factors (slides, exact tail): "
            + "; ".join(
                f"{a} and {b} at eps = {e}, delta = {d}"
                for ((e, d), a), (_, b) in zip(_SLIDE_ROWS, _TAIL_ROWS, strict=True)
            )
            + ". Bounded from below by 1; unbounded as eps -> 0 at fixed delta, where the condition has no solution at"
            " eps = 0."
        ),
    ),
    stated_claim(
        id="SL-2-approximation",
        source="SL",
        title="rho = eps^2/log(1/delta) read as a calibration",
        stated=statement(
            "delta_shift(sqrt(rho); eps) <= delta", *("eps > 0", "0 < delta < 1"), where={"rho": "eps^2/log(1/delta)"}
        ),
        fails_at=({"eps": 1, "delta": "1e-5"},),
        about="To get (eps, delta)-DP take rho = eps^2/ln(1/delta).",
        declared=Verdict.REFUTED,
        checks=(),
        corrected=(
            "eps = rho/2 + sqrt(2 rho ln(1/delta)), so sqrt(rho) = sqrt(2 ln(1/delta) + 2 eps) - sqrt(2 ln(1/delta)),"
            " and rho ~ eps^2/(2 ln(1/delta)) for eps small against ln(1/delta)."
        ),
        note=(
            "The slides write this as an approximation (the curly equals), correct up to the constant 2; taken"
            " literally it is not private."
        ),
        tags=("reading",),
    ),
    stated_claim(
        id="SL-2-variance",
        source="SL",
        title="variance of the loss's linear part",
        stated=statement(
            "rho v^2/Delta^2 = ((rho^2/Delta^2) v^2 Delta^2)/rho",
            *("rho > 0", "Delta > 0", "v > 0"),
            over=(real("rho", "0.01", 100, "log"),),
        ),
        fails_at=({"rho": 1, "Delta": 2, "v": 2},),
        about="The variance of rho <Z, v>/(Delta_2)^2 for Z ~ N(0, (Delta_2^2/rho) I), v = ||v||, and the printed one.",
        declared=Verdict.REFUTED,
        checks=(),
        corrected=(
            "(rho^2/(Delta_2)^4) ||v||^2 (Delta_2)^2/rho = rho ||v||^2/(Delta_2)^2 <= rho, which is what the slides use"
            " next."
        ),
        note="A lost square; the conclusion sigma^2 <= rho is right. No consequence.",
        tags=("misprint",),
    ),
    stated_claim(
        id="SL-2-threshold",
        source="SL",
        title="threshold of the last tail",
        stated=statement(
            "Phi(-(sqrt(2 rho log(1/delta))/rho)/sqrt(rho)) < delta",
            *("rho > 0", "0 < delta < 1"),
            over=(real("rho", "0.01", 100, "log"),),
        ),
        fails_at=({"rho": 4, "delta": "0.01"},),
        about="Pr[rho <Z, v>/(Delta_2)^2 > sqrt(2 rho ln(1/delta))/rho] < delta for ||v|| = Delta_2.",
        declared=Verdict.REFUTED,
        checks=(),
        corrected=(
            "Pr[rho <Z, v>/(Delta_2)^2 > sqrt(2 rho ln(1/delta))] < delta: one of the two rho has to go, as in the line"
            " after it."
        ),
        tags=("misprint",),
    ),
    stated_claim(
        id="SL-3",
        source="SL",
        tags=("reading",),
        title="accuracy of k counting queries under Gaussian noise",
        stated=_ACCURATE,
        stands=under(_ACCURATE, "C >= (1 + sqrt(2)) sqrt(log(k/beta))", "eps <= log(1/delta_shift(D; eps))"),
        about=(
            "With rho set for (eps, delta)-DP, n >> sqrt(k log(1/delta))/(eps alpha), that is C of it, gives Pr[max"
            " error >= alpha] <= beta for k counting queries on n records, one of which changes all k; no factor in k"
            " and beta is printed. Here with the least valid noise, sqrt(k)/(n D), where delta = delta_shift(D; eps),"
            " so that alpha is z deviations."
        ),
        declared=Verdict.RESTRICTED,
        search={"quick": 200, "full": 4_000},
        fails_at=tuple(
            {"k": k, "C": c, "eps": 1, "D": "0.268", "beta": "0.05"} for k, c in ((100, "2.5"), (10**18, 9))
        ),
        parts=(_WITH_LOGARITHM, "no logarithm of k"),
        checks=(
            proof("k of them, by Bernoulli's inequality", counting_accuracy.with_the_logarithm, part=_WITH_LOGARITHM),
            _ACCURACY,
        ),
        corrected=(
            "n >= (1+sqrt 2) sqrt(k ln(1/delta) ln(k/beta))/(eps alpha) is enough for eps <= ln(1/delta). Sharp: n >="
            " sqrt(k) s z/alpha is necessary and sufficient, s the smallest valid std at sensitivity 1 (BW-Alg1) and z"
            " the point with (1 - 2 Phi(-z))^k = 1 - beta."
        ),
        note=(
            "No constant helps: alpha in deviations would not depend on k, and 1 - (1 - 2 Phi(-z))^k tends to 1 (at"
            " nine times the order, 10^18 queries fail). For eps above ln(1/delta) the order fails too: s is at least"
            " 1/sqrt(2 eps) for delta below 1/2 and eps large (BW-T4-corrected). The slide prints max error >= eps and"
            " eps delta in the denominator where the accuracy alpha is meant; >> is read as 'a constant times' (read as"
            " 'any factor that grows' it fails as well, as soon as k grows fast enough against that factor)."
        ),
    ),
)
