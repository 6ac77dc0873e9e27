"""Claims about how little noise a Gaussian mechanism can do with: pure delta privacy, the noise floor, the
tight delta.
"""

from __future__ import annotations

from ndis_verify.claim import Verdict
from ndis_verify.claims.mean_shift.claims import AT_THE_SENSITIVITY
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.statements.reading import statement, under
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import circulated_threshold, mean_shift_order, privacy_loss
from ndis_verify.symbolic import gaussian_mechanism as derived

_FLOOR_BELOW = statement(
    "D <= sqrt(2 eps)",
    *("eps > 0", "0 < delta < 1/2 - e^{-3 eps}/sqrt(4 pi eps)", "delta_shift(D; eps) <= delta", "D > 0"),
    over=(real("eps", "1e-3", 20, "log"), real("D", "0.01", 20, "log")),
)

CLAIMS = (
    stated_claim(
        id="BW-T2",
        source="BW",
        title="pure delta privacy: sigma = Delta/(2 delta), and no better rate",
        stated=statement(
            "delta_shift(Delta/sigma; 0) = 2 Phi(Delta/(2 sigma)) - 1,"
            " and delta_shift(Delta/sigma; 0) < Delta/(sigma sqrt(2 pi)), and delta_shift(2 delta; 0) < delta",
            *("Delta > 0", "sigma > 0", "delta > 0"),
            over=(real("delta", "1e-12", 1, "log"),),
        ),
        about=(
            "sigma = Delta/(2 delta) gives (0, delta)-DP, and no sigma of order o(1/delta) does: delta sigma/Delta ->"
            " 1/sqrt(2 pi) as delta -> 0."
        ),
        declared=Verdict.PROVED,
        checks=(proof("total variation and its rate", derived.zero_epsilon),),
        note=(
            "The constant 1/2 comes from Pinsker's inequality and is not sharp: sigma = Delta/(sqrt(2 pi) delta), a"
            " variance 1.57 times smaller, is enough at every delta, as 2 Phi(x/2) - 1 < x/sqrt(2 pi). The remark after"
            " the source's proof belongs to the proof of its Theorem 4: at sigma = Delta/sqrt(2 eps) the mechanism has"
            " delta = delta_0(eps), BW-T4-corrected."
        ),
    ),
    stated_claim(
        id="BW-T4",
        tags=("reading",),
        source="BW",
        title="noise floor Delta/sqrt(2 eps), threshold in circulation",
        stated=_FLOOR_BELOW,
        stands=under(_FLOOR_BELOW, "eps <= 1/5"),
        fails_at=({"eps": 1, "delta": "0.4", "D": "1.6"},),
        parts=("eps <= 1/5", "every eps"),
        about="D is Delta/sigma: (eps, delta)-DP forces sigma >= Delta/sqrt(2 eps).",
        declared=Verdict.RESTRICTED,
        checks=(
            proof("the form is below the exact threshold up to eps = 1/5", derived.circulated_floor, part="eps <= 1/5"),
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
    stated_claim(
        id="BW-T4-step",
        source="BW",
        title="the Mills-ratio step of the noise floor",
        stated=statement("e^eps Phi(-sqrt(2 eps)) <= e^{-3 eps}/sqrt(4 pi eps)", "eps > 0"),
        fails_at=({"eps": 1},),
        about="Gordon's inequality gives:",
        declared=Verdict.REFUTED,
        checks=(),
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
    stated_claim(
        id="BW-T4-corrected",
        source="BW",
        title="noise floor Delta/sqrt(2 eps), exact threshold",
        stated=statement(
            "delta_shift(sqrt(2 eps); eps) = d, and 1/2 - 1/sqrt(4 pi eps) < d < 1/2",
            "eps > 0",
            where={"d": "1/2 - e^eps Phi(-sqrt(2 eps))"},
            over=(real("eps", "1e-3", 50, "log"),),
        ),
        about=(
            "(eps, delta)-DP forces sigma >= Delta/sqrt(2 eps) if and only if delta is at most d, the divergence at"
            " that sigma; d increases from 0 to 1/2 in eps."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("the threshold, and its bounds", derived.exact_floor),
            proof("exactly that threshold, which rises from 0 to 1/2", derived.noise_floor),
        ),
        note="delta_0 is 0.178 at eps = 0.2, 0.286 at 1, 0.415 at 10, 0.472 at 100.",
    ),
    stated_claim(
        id="BW-T4-range",
        source="BW",
        title="where the threshold in circulation stops being valid",
        stated=statement(
            "e^{4 a} sqrt(4 pi a) Phi(-sqrt(2 a)) < 1, and e^{4 b} sqrt(4 pi b) Phi(-sqrt(2 b)) > 1",
            "0 < a <= 0.216282",
            "b >= 0.216283",
            over=(real("a", "1e-6", "0.25", "log"), real("b", "0.2", 10, "log")),
        ),
        about=(
            "The threshold 1/2 - e^{-3 eps}/sqrt(4 pi eps) is valid where e^{4 eps} sqrt(4 pi eps) Phi(-sqrt(2 eps))"
            " <= 1: up to an eps* in (0.216282, 0.216283), and too large beyond."
        ),
        declared=Verdict.PROVED,
        checks=(proof("one crossing, and its digits", circulated_threshold.crossing),),
    ),
    stated_claim(
        id="N24-C4",
        source="N24",
        title="the Gaussian mechanism's tight (eps, delta)",
        stated=AT_THE_SENSITIVITY,
        about=(
            "With Delta at least the global sensitivity the mechanism is (eps, delta)-DP with the closed form, tight"
            " where Delta is the global sensitivity: pairs lie s Delta apart."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("DP and the divergence", privacy_loss.dp_iff_hockey_stick),
            proof("worst pair", mean_shift_order.worst_pair),
            proof("every pair", mean_shift_order.every_pair),
        ),
    ),
)
