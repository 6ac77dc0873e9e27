"""Claims about how little noise a Gaussian mechanism can do with: pure delta privacy, the noise floor, the
tight delta.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import arb

from ndis_verify.claim import Claim, Verdict
from ndis_verify.court.attack_checks import counterexample_check
from ndis_verify.court.certified_numbers import at, in_balls, sign_check, smallest
from ndis_verify.court.checks import formula_check, proof
from ndis_verify.court.points import count, log_uniform, shifts_and_epsilons
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified import gaussian_mechanism as certified
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.symbolic import gaussian_mechanism as derived
from ndis_verify.symbolic import mean_shift, privacy_loss


def _floor_form(epsilon: arb) -> arb:
    """1/2 - e^{-3 eps}/sqrt(4 pi eps), the threshold in circulation."""
    return ball(Fraction(1, 2)) - (-3 * epsilon).exp() / (4 * arb.pi() * epsilon).sqrt()


def _floor_broken(threshold):
    """Positive where delta is below `threshold`, the mechanism is DP and its std is below 1/sqrt(2 eps)."""

    def violation(epsilon: arb, delta: arb, std: arb) -> arb:
        return smallest(
            threshold(epsilon) - delta,
            delta - certified.profile(1 / std, epsilon),
            1 / (2 * epsilon).sqrt() - std,
        )

    return in_balls(violation)


def _circulated_ratio(epsilon: arb) -> arb:
    """e^{4 eps} sqrt(4 pi eps) Phi(-sqrt(2 eps)) - 1: positive where the form in circulation is too large."""
    return (4 * epsilon).exp() * (4 * arb.pi() * epsilon).sqrt() * certified.upper_tail((2 * epsilon).sqrt()) - 1


def _at_floor(epsilon: float) -> Enclosure:
    """The divergence at std = Delta/sqrt(2 eps), by the contour integral; 60 digits of the shift leave nothing to see
    at 24.
    """
    with working_bits(240):
        shift = exact(enclosure((2 * ball(exact(epsilon))).sqrt()).mid)
    return certified_hockey_stick(GaussianPair([shift], 1, [0], 1), epsilon, digits=25)


def _epsilons(effort: str) -> list[tuple[float]]:
    rng = np.random.default_rng(42)
    return [(1.0,), (0.2,)] + [(log_uniform(rng, 1e-4, 100),) for _ in range(count(effort, 8, 40))]


_DP_PROOFS = (
    proof("DP and the divergence", privacy_loss.dp_iff_hockey_stick),
    proof("profile of one pair", mean_shift.hockey_stick),
    proof("worst pair", mean_shift.derivative_in_shift),
)
_FLOOR = proof("exact threshold and Mills bounds", derived.noise_floor)

CLAIMS = (
    Claim(
        id="BW-T2",
        source="BW",
        title="pure delta privacy: sigma = Delta/(2 delta), and no better rate",
        statement="sigma = Delta/(2 delta) gives (0, delta)-DP, and no sigma of order o(1/delta) does.",
        formula=(
            "delta(0) = 2 Phi(Delta/(2 sigma)) - 1 < Delta/(sigma sqrt(2 pi)); delta sigma/Delta -> 1/sqrt(2 pi) as"
            " delta -> 0"
        ),
        hypotheses=("0 < delta < 1", "Delta > 0"),
        declared=Verdict.PROVED,
        checks=(
            proof("total variation and its rate", derived.zero_epsilon),
            *_DP_PROOFS,
            formula_check(
                "total variation against the certified contour integral",
                derived.zero_epsilon,
                lambda shift: certified_hockey_stick(GaussianPair([shift], 1, [0], 1), 0, digits=25),
                lambda effort: [(shift,) for shift, _ in shifts_and_epsilons(effort)],
                digits=24,
            ),
        ),
        note=(
            "The constant 1/2 comes from Pinsker's inequality and is not sharp: sigma = Delta/(sqrt(2 pi) delta), a"
            " variance 1.57 times smaller, is enough at every delta, as 2 Phi(x/2) - 1 < x/sqrt(2 pi). The remark after"
            " the source's proof belongs to the proof of its Theorem 4: at sigma = Delta/sqrt(2 eps) the mechanism has"
            " delta = delta_0(eps), BW-T4-corrected."
        ),
    ),
    Claim(
        id="BW-T4",
        tags=("reading",),
        source="BW",
        title="noise floor Delta/sqrt(2 eps), threshold in circulation",
        statement=(
            "For eps > 0 and 0 < delta < 1/2 - e^{-3 eps}/sqrt(4 pi eps), (eps, delta)-DP forces sigma >= Delta/sqrt(2"
            " eps)."
        ),
        formula="delta < 1/2 - e^{-3 eps}/sqrt(4 pi eps)",
        hypotheses=("eps > 0", "delta below the threshold", "Gaussian output perturbation"),
        declared=Verdict.RESTRICTED,
        checks=(
            counterexample_check(
                "DP with less noise, delta below the threshold",
                _floor_broken(_floor_form),
                at(epsilon=1, delta="0.4", std="0.6"),
                {
                    "the exact threshold": _floor_broken(certified.floor_delta),
                    "std 0.5, which is not DP": at(epsilon=1, delta="0.4", std="0.5"),
                },
                part="every eps",
            ),
            proof("the form is below the exact threshold up to eps = 1/5", derived.circulated_floor, part="eps <= 1/5"),
            proof("the exact threshold", derived.noise_floor, part="eps <= 1/5"),
        ),
        counterexample=(
            "eps = 1, delta = 0.4 < 0.486, Delta = 1, sigma = 0.6 < 0.707: Phi(7/30) - e Phi(-43/30) = 0.386 <= 0.4"
        ),
        corrected=(
            "sigma >= Delta/sqrt(2 eps) is forced exactly for delta <= 1/2 - e^eps Phi(-sqrt(2 eps)) (BW-T4-corrected);"
            " what the source's own argument proves is delta < 1/2 - 1/sqrt(4 pi eps)."
        ),
        note=(
            "The display is lost in the source; the threshold is the form in circulation, which tends to 1/2 as the"
            " text says. It is right up to eps = 0.21628 (BW-T4-range) and too large beyond: at eps = 1 it promises the"
            " floor up to delta = 0.486, the truth is 0.286. The conclusion drawn from it, that noise of order"
            " 1/sqrt(eps) is unavoidable for every delta < 1/2 as eps grows, stands. Nothing unsafe follows for the"
            " mechanism: the theorem is a lower bound on noise."
        ),
    ),
    Claim(
        id="BW-T4-step",
        source="BW",
        title="the Mills-ratio step of the noise floor",
        statement="Gordon's inequality gives e^eps Phi(-sqrt(2 eps)) <= e^{-3 eps}/sqrt(4 pi eps).",
        hypotheses=("eps > 0",),
        declared=Verdict.REFUTED,
        checks=(
            counterexample_check(
                "the tail above the printed bound",
                in_balls(_circulated_ratio),
                at(epsilon=1),
                {
                    "eps = 0.2": at(epsilon="0.2"),
                    "without e^{-3 eps}": in_balls(
                        lambda epsilon: (_circulated_ratio(epsilon) + 1) * (-3 * epsilon).exp() - 1
                    ),
                },
                part="step",
            ),
        ),
        counterexample="eps = 1: e Phi(-sqrt 2) = 0.214 > e^{-3}/sqrt(4 pi) = 0.0140",
        corrected=(
            "e^eps Phi(-sqrt(2 eps)) < e^eps phi(sqrt(2 eps))/sqrt(2 eps) = 1/sqrt(4 pi eps): phi(sqrt(2 eps)) ="
            " e^{-eps}/sqrt(2 pi), so e^eps cancels in full (proved with BW-T4-corrected)."
        ),
        note=(
            "The factor e^{-3 eps} is what e^eps times e^{-4 eps} leaves: the argument 2 eps squared without the half. "
            "The display is lost in the source and rebuilt from the form in circulation."
        ),
        tags=("misprint", "reading"),
    ),
    Claim(
        id="BW-T4-corrected",
        source="BW",
        title="noise floor Delta/sqrt(2 eps), exact threshold",
        statement=(
            "(eps, delta)-DP forces sigma >= Delta/sqrt(2 eps) if and only if delta <= delta_0(eps); delta_0 increases"
            " from 0 to 1/2, and 1/2 - 1/sqrt(4 pi eps) < delta_0(eps) < 1/2."
        ),
        formula="delta_0(eps) = 1/2 - e^eps Phi(-sqrt(2 eps))",
        hypotheses=("eps > 0", "Gaussian output perturbation, global sensitivity Delta"),
        declared=Verdict.PROVED,
        checks=(
            _FLOOR,
            *_DP_PROOFS,
            formula_check(
                "threshold against the certified divergence at Delta/sqrt(2 eps)",
                derived.noise_floor,
                _at_floor,
                _epsilons,
                digits=24,
            ),
        ),
        note="delta_0 is 0.178 at eps = 0.2, 0.286 at 1, 0.415 at 10, 0.472 at 100.",
    ),
    Claim(
        id="BW-T4-range",
        source="BW",
        title="where the threshold in circulation stops being valid",
        statement=(
            "The threshold 1/2 - e^{-3 eps}/sqrt(4 pi eps) is valid up to an eps* in (0.216282, 0.216283), and too"
            " large beyond."
        ),
        formula="e^{4 eps*} sqrt(4 pi eps*) Phi(-sqrt(2 eps*)) = 1",
        hypotheses=("eps > 0",),
        declared=Verdict.CERTIFIED,
        checks=(
            sign_check(
                "signs around the crossing",
                _circulated_ratio,
                ((at(epsilon="0.216282"), -1), (at(epsilon="0.216283"), 1)),
                {"e^{3 eps} for e^{4 eps}": lambda epsilon: (_circulated_ratio(epsilon) + 1) * (-epsilon).exp() - 1},
                part="number",
            ),
            proof("one crossing: the ratio increases", derived.circulated_floor, part="one crossing"),
        ),
    ),
    Claim(
        id="N24-C4",
        source="N24",
        title="the Gaussian mechanism's tight (eps, delta)",
        statement=(
            "With Delta at least the global sensitivity, the mechanism is (eps, delta)-DP with delta the closed form at"
            " Delta/sigma, tight where Delta is the global sensitivity."
        ),
        formula="delta(eps) = Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D), D = Delta/sigma",
        hypotheses=("sigma > 0", "eps >= 0", "Delta >= global l2 sensitivity > 0"),
        declared=Verdict.PROVED,
        checks=(
            *_DP_PROOFS,
            formula_check(
                "closed form against the certified contour integral",
                mean_shift.hockey_stick,
                lambda shift, epsilon: certified_hockey_stick(GaussianPair([shift], 1, [0], 1), epsilon, digits=25),
                shifts_and_epsilons,
                digits=24,
            ),
        ),
    ),
)
