"""Claims about two Gaussians with one covariance, and the Gaussian mechanism's exact profile."""

from __future__ import annotations

from ndis_verify.claim import Claim, Verdict
from ndis_verify.claims.mean_shift.monotone import increases_with_shift
from ndis_verify.claims.mean_shift.stated import CLOSED_FORM, SHIFT_TOO_LARGE, SIGN_TURNED
from ndis_verify.court.checks import agreement, formula_check, proof
from ndis_verify.court.points import shifts_and_epsilons
from ndis_verify.court.statement_checks import stated_claim, statement_attack
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.symbolic import mean_shift, privacy_loss


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

_CLOSED = "delta(eps) = Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D)"

CLAIMS = (
    stated_claim(
        id="N26-P1",
        source="N26",
        title="closed form of the divergence under a mean shift",
        stated=CLOSED_FORM,
        declared=Verdict.PROVED,
        checks=(
            proof("from the lemma to the closed form", mean_shift.hockey_stick),
            proof("where the two laws are one", mean_shift.no_shift),
            _FORMULA,
            _FAST,
            statement_attack(
                "the statement over its own domain",
                CLOSED_FORM,
                {"shift 0.1 % too large": SHIFT_TOO_LARGE, "the two terms added": SIGN_TURNED},
                quick=400,
                full=8_000,
            ),
        ),
        note="At D = 0 the two laws are one and delta = 0 = the limit of the formula, for eps >= 0.",
    ),
    Claim(
        id="N24-L2",
        source="N24",
        title="the mean-shift closed form through erf",
        statement="The Gaussian mechanism's pair has the closed form written with the error function.",
        formula="delta(eps) = (1 - e^eps + erf((D/2 - eps/D)/sqrt 2) + e^eps erf((D/2 + eps/D)/sqrt 2))/2",
        hypotheses=("D = ||f(X) - f(X')||/sigma > 0", "real eps"),
        declared=Verdict.PROVED,
        checks=(
            proof("closed form", mean_shift.hockey_stick),
            proof("from Phi to erf", mean_shift.erf_form),
            formula_check(
                "erf form against the certified contour integral", mean_shift.erf_form, _certified, _signed, digits=24
            ),
        ),
    ),
    Claim(
        id="N24-P5",
        source="N24",
        title="hinge expectation of a linear exponent",
        statement="The expectation of the hinge max(0, 1 - e^{c + b.Z}) for a standard normal vector Z.",
        formula="E[max(0, 1 - e^{c + b.Z})] = Phi(-c/|b|) - e^{c + |b|^2/2} Phi(-c/|b| - |b|)",
        hypotheses=("b nonzero", "real c"),
        declared=Verdict.PROVED,
        checks=(
            proof("the two masses", mean_shift.hinge_expectation),
            formula_check(
                "at c = eps - D^2/2, |b| = D it is the certified divergence",
                mean_shift.hinge_expectation,
                lambda c, slope: certified_hockey_stick(_pair(slope), _exact_sum(c, slope), digits=25),
                lambda effort: [(epsilon - shift**2 / 2, shift) for shift, epsilon in shifts_and_epsilons(effort)],
                digits=24,
            ),
        ),
    ),
    Claim(
        id="N24-P6",
        source="N24",
        title="the mean-shift divergence increases with D",
        statement="For every eps the closed form is increasing in D = Delta/sigma.",
        formula="d delta/dD = phi(D/2 - eps/D) > 0",
        hypotheses=("D > 0", "real eps"),
        declared=Verdict.PROVED,
        checks=(proof("derivative in D", mean_shift.derivative_in_shift), _FORMULA, increases_with_shift()),
    ),
    Claim(
        id="N24-P7",
        source="N24",
        title="the Gaussian mechanism's spectrum is the pair at the global sensitivity",
        statement=(
            "The largest divergence over neighbouring databases is the closed form at D = (global sensitivity)/sigma."
        ),
        formula=_CLOSED,
        hypotheses=("sigma > 0", "the global sensitivity is attained or approached"),
        declared=Verdict.PROVED,
        checks=(
            proof("one pair", mean_shift.hockey_stick),
            proof("the worst pair", mean_shift.derivative_in_shift),
            _FORMULA,
        ),
        note=(
            "Where the supremum of the sensitivity is not attained the statement holds with a supremum, by continuity"
            " in D."
        ),
    ),
    Claim(
        id="BW-L3",
        source="BW",
        title="the Gaussian mechanism's privacy loss is N(eta, 2 eta)",
        statement=(
            "The privacy loss of a Gaussian output perturbation on a pair is normal with variance twice its mean."
        ),
        formula="L ~ N(eta, 2 eta), eta = ||f(x) - f(x')||^2/(2 sigma^2)",
        hypotheses=("sigma > 0",),
        declared=Verdict.PROVED,
        checks=(proof("law of the loss", mean_shift.privacy_loss),),
    ),
    Claim(
        id="BW-L6",
        source="BW",
        title="both tails of the loss through Phi",
        statement="Pr[L >= eps] and Pr[L' <= -eps] for the Gaussian mechanism's loss in the two directions.",
        formula="Pr[L >= eps] = Phi(D/2 - eps/D), Pr[L' <= -eps] = Phi(-D/2 - eps/D)",
        hypotheses=("D > 0", "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(proof("law of the loss", mean_shift.privacy_loss), proof("the two tails", mean_shift.tails)),
    ),
    Claim(
        id="BW-L7",
        source="BW",
        title="the tail difference is monotonically increasing in the sensitivity",
        statement=(
            "For every eps >= 0 the map eta -> Pr[N(eta, 2 eta) >= eps] - e^eps Pr[N(eta, 2 eta) <= -eps] is"
            " increasing."
        ),
        formula="d/dD = phi(D/2 - eps/D) > 0, D = sqrt(2 eta)",
        hypotheses=("eta > 0", "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(proof("derivative in D", mean_shift.derivative_in_shift), _FORMULA, increases_with_shift()),
    ),
    Claim(
        id="KM-2.3",
        source="KM",
        title="the Gaussian mechanism's exact profile",
        statement=(
            "Hockey-stick divergence of two Gaussians with covariance sigma^2 I whose means are Delta apart, for every"
            " real eps."
        ),
        formula="delta(eps) = Phi(-eps sigma/Delta + Delta/(2 sigma)) - e^eps Phi(-eps sigma/Delta - Delta/(2 sigma))",
        hypotheses=("sigma > 0", "Delta > 0", "real eps"),
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
