"""Claims about two Gaussians with one covariance, and the Gaussian mechanism's exact profile."""

from __future__ import annotations

from ndis_verify.claim import Verdict
from ndis_verify.court.checks import agreement, formula_check
from ndis_verify.court.points import shifts_and_epsilons
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real, vector
from ndis_verify.symbolic import hinge, mean_shift, mean_shift_order, privacy_loss

_SLOPES = vector("b", "reals", 3, -3, 3)


def _pair(shift: float) -> GaussianPair:
    return GaussianPair([shift], 1, [0], 1)


def _certified(shift: float, epsilon: float):
    return certified_hockey_stick(_pair(shift), epsilon, digits=25)


def _signed(effort: str) -> list[tuple[float, float]]:
    """The same points, and negative epsilons."""
    return shifts_and_epsilons(effort) + [(shift, -epsilon) for shift, epsilon in shifts_and_epsilons(effort)[:6]]


_FORMULA = formula_check(
    "closed form against the certified contour integral of the pair",
    mean_shift.hockey_stick,
    _certified,
    _signed,
    digits=24,
)
_FAST = agreement(
    "float64 closed form against the certified value",
    "fast, certified",
    lambda shift, epsilon: fast_gaussian_hockey_stick(shift, 1.0, epsilon),
    _certified,
    shifts_and_epsilons,
    digits=11,
    mutants={
        "sensitivity and standard deviation swapped": lambda shift, epsilon: fast_gaussian_hockey_stick(
            1.0, shift, epsilon
        ),
        "epsilon doubled": lambda shift, epsilon: fast_gaussian_hockey_stick(shift, 1.0, 2 * epsilon),
    },
)

_CLOSED = "Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D)"
_GROWING = statement(
    f"d/dD ({_CLOSED}) = phi(D/2 - eps/D), and delta_shift(E; eps) > delta_shift(D; eps)",
    *("D > 0", "E > D"),
    over=(real("E", "1e-4", 60, "log"), real("eps", -6, 6)),
)

AT_THE_SENSITIVITY = statement(
    f"delta_shift(s D; eps) <= {_CLOSED}, and delta_shift(D; eps) = {_CLOSED}",
    *("Delta > 0", "sigma > 0", "0 <= s <= 1", "eps >= 0"),
    where={"D": "Delta/sigma"},
    over=(real("s", 0, 2),),
)

CLAIMS = (
    stated_claim(
        id="N26-P1",
        source="N26",
        title="closed form of the divergence under a mean shift",
        stated=statement(f"delta_shift(D; eps) = {_CLOSED}, and delta_shift(0; eps) = 0", "D > 0", "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(
            proof("from the lemma to the closed form", mean_shift.hockey_stick),
            proof("where the two laws are one", mean_shift.no_shift),
            _FORMULA,
            _FAST,
        ),
        note="At D = 0 the two laws are one and delta = 0 = the limit of the formula, for eps >= 0.",
    ),
    stated_claim(
        id="N24-L2",
        source="N24",
        title="the mean-shift closed form through erf",
        stated=statement(
            "delta_shift(D; eps) = (1 - e^eps + erf((D/2 - eps/D)/sqrt(2)) + e^eps erf((D/2 + eps/D)/sqrt(2)))/2",
            *("D > 0",),
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("closed form", mean_shift.hockey_stick),
            proof("from Phi to erf", mean_shift.erf_form),
        ),
    ),
    stated_claim(
        id="N24-P5",
        source="N24",
        title="hinge expectation of a linear exponent",
        stated=statement(
            "hinge_q(0 b_i, b; c) = Phi(-c/s) - e^{c + s^2/2} Phi(-c/s - s)",
            "s > 0",
            where={"s": "sqrt(sum_i b_i^2)"},
            over=(_SLOPES, real("c", -8, 8)),
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("the two masses", hinge.linear_exponent),
            formula_check(
                "at c = eps - D^2/2, |b| = D it is the certified divergence",
                hinge.linear_exponent,
                lambda c, slope: certified_hockey_stick(_pair(slope), _exact_sum(c, slope), digits=25),
                lambda effort: [(epsilon - shift**2 / 2, shift) for shift, epsilon in shifts_and_epsilons(effort)],
                digits=24,
            ),
        ),
    ),
    stated_claim(
        id="N24-P6",
        source="N24",
        title="the mean-shift divergence increases with D",
        stated=_GROWING,
        declared=Verdict.PROVED,
        checks=(proof("derivative in D", mean_shift_order.derivative_in_shift),),
    ),
    stated_claim(
        id="N24-P7",
        source="N24",
        title="the Gaussian mechanism's spectrum is the pair at the global sensitivity",
        stated=AT_THE_SENSITIVITY,
        about="Pairs of neighbouring databases lie s Delta apart, Delta the global sensitivity.",
        declared=Verdict.PROVED,
        checks=(
            proof("the worst pair", mean_shift_order.worst_pair),
            proof("every pair", mean_shift_order.every_pair),
        ),
        note=(
            "Where the supremum of the sensitivity is not attained the statement holds with a supremum, by continuity"
            " in D."
        ),
    ),
    stated_claim(
        id="BW-L3",
        source="BW",
        title="the Gaussian mechanism's privacy loss is N(eta, 2 eta)",
        stated=statement(
            "F_q(0 b_i, b; t - v) = Phi((t - v)/sqrt(2 v))",
            "v > 0",
            where={"v": "(sum_i b_i^2)/2"},
            over=(_SLOPES, real("t", -8, 8)),
        ),
        about=(
            "The privacy loss of a Gaussian output perturbation on a pair whose means are b apart in units of the"
            " standard deviation, b.Z + |b|^2/2, is normal with variance 2 v twice its mean v: at t, both sides are"
            " Pr[L <= t]."
        ),
        declared=Verdict.PROVED,
        checks=(proof("law of the loss", mean_shift.privacy_loss),),
    ),
    stated_claim(
        id="BW-L6",
        source="BW",
        title="both tails of the loss through Phi",
        stated=statement(
            "1 - F_q(0 b_i, b; eps - D^2/2) = Phi(D/2 - eps/D), and F_q(0 b_i, b; -eps - D^2/2) = Phi(-D/2 - eps/D)",
            *("D > 0", "eps >= 0"),
            where={"D": "sqrt(sum_i b_i^2)"},
            over=(_SLOPES,),
        ),
        about=(
            "Pr[L >= eps] and Pr[L' <= -eps] of the loss L = b.Z + D^2/2 of a Gaussian mechanism, the same law in"
            " both directions."
        ),
        declared=Verdict.PROVED,
        checks=(proof("law of the loss", mean_shift.privacy_loss), proof("the two tails", mean_shift.tails)),
    ),
    stated_claim(
        id="BW-L7",
        source="BW",
        title="the tail difference is monotonically increasing in the sensitivity",
        stated=_GROWING,
        about="D = sqrt(2 eta), eta the mean of the loss.",
        declared=Verdict.PROVED,
        checks=(proof("derivative in D", mean_shift_order.derivative_in_shift),),
    ),
    stated_claim(
        id="KM-2.3",
        source="KM",
        title="the Gaussian mechanism's exact profile",
        stated=statement(
            "delta_shift(Delta/sigma; eps) = Phi(-eps sigma/Delta + Delta/(2 sigma))"
            " - e^eps Phi(-eps sigma/Delta - Delta/(2 sigma))",
            *("Delta > 0", "sigma > 0"),
        ),
        declared=Verdict.PROVED,
        checks=(proof("closed form", privacy_loss.gaussian_profile), _FORMULA, _FAST),
        note=(
            "The source allows sigma = 0 and equal means, where the formula divides by zero; it is read there as its"
            " limit."
        ),
    ),
)


def _exact_sum(c: float, slope: float):
    from ndis_verify.exact_number import exact

    return exact(c) + exact(slope) ** 2 / 2
