"""Claims about the mechanism that makes random projection private by a ridge: which ridge, and what it is worth."""

from __future__ import annotations

from ndis_verify.claim import Check, Claim, Kind, Verdict
from ndis_verify.claims.random_projection.gram_error import CHANCE
from ndis_verify.claims.random_projection.mechanism_checks import (
    PRIVACY,
    SHARP,
    certified_threshold,
    coverage,
)
from ndis_verify.claims.random_projection.white_box import ridged
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.statements.reading import statement, under
from ndis_verify.statements.statement import Statement, integer, real
from ndis_verify.symbolic import eigenvalue_threshold, leverage_beside_a_ridge, random_projection_ridges, ridge_utility

_RIDGE_NOTE = (
    "The ridge l^2/p* leaves a leverage of p*/(1+p*) only: it is l^2 larger than the smallest valid one"
    " (N26-Fig1-smallest-ridge)."
)
_OLDER = {"L": "log(4/delta)", "w": "eps/(4 (sqrt(2 r L) + L))"}
_WIDE = integer("r", 1, 10**6, "log"), real("eps", "1e-6", 200, "log"), real("delta", "1e-30", "0.999", "log")
_EVERY_EPSILON = statement(
    "delta_delete(w, r; eps) <= delta/4", *("0 < delta < 1", "r >= 1", "eps > 0", "w < 1"), where=_OLDER, over=_WIDE
)
_RIDGES = (
    real("l", "1e-2", 100, "log"),
    real("P", "1e-3", "0.999", "logit"),
    *(real(name, "1e-4", "1e6", "log") for name in "vw"),
    real("eps", 0, 20),
)

# A lone record of norm l beside the least ridge, where an insertion costs nothing at all.
_AT_LEAST = {"starts": ({"l": 2, "P": "0.5", "v": 4, "p": "0.5", "eps": 1},)}
_AT_LEAST_COLUMNS = {"starts": ({**_AT_LEAST["starts"][0], "r": 1},)}
_AT_SUMMED = {"starts": ({**_AT_LEAST_COLUMNS["starts"][0], "v": 8, "p": "0.333"},)}
_LEVERAGE = "0 <= p <= l^2/(l^2 + v)"  # of a record of norm at most l


def _ridge_is_enough(least: str) -> Statement:
    """Beside a ridge of at least `least`, a record costs no more than the leverage P in either direction."""
    return statement(
        "delta_delete(p, r; eps) <= delta_delete(P, r; eps), and delta_insert(p, r; eps) <= delta_delete(P, r; eps)",
        *("l > 0", "0 < P < 1", f"v >= {least}", _LEVERAGE, "r >= 1", "eps >= 0"),
        over=_RIDGES,
    )


_SUMMED = _ridge_is_enough("l^2/P")
_LEAST = _ridge_is_enough("l^2 (1/P - 1)")
_ONE_COLUMN = statement(
    "delta_delete(p, 1; eps) <= delta_delete(P, 1; eps), and delta_insert(p, 1; eps) <= delta_delete(P, 1; eps)",
    *("l > 0", "0 < P < 1", "v >= l^2 (1/P - 1)", _LEVERAGE, "eps >= 0"),
    over=_RIDGES,
)
_OPTIMAL = statement(
    "delta_delete(l^2/(l^2 + w), r; eps) > delta_delete(P, r; eps)",
    *("l > 0", "0 < P < 1", "0 < w < l^2/P", "r >= 1", "eps >= 0"),
    over=_RIDGES,
)
_RIDGED = (
    "Every record has norm at most l, so that its leverage p beside a ridge v is at most l^2/(l^2 + v); one is added or"
    " removed, and P is the leverage at which the target is met, delta_delete(P, r; eps) = delta."
)
_RECORD = proof("leverage of a record beside a ridge", leverage_beside_a_ridge.of_a_record)
_ABOVE = proof("what a record costs beside the ridge", random_projection_ridges.beside_a_ridge)
_FROM_THE_LEAST = proof("what a record costs beside the ridge", random_projection_ridges.beside_the_smallest_ridge)
_BELOW_THE_LEAST = proof("a smaller ridge", random_projection_ridges.below_the_smallest_ridge)
_IN_ONE_COLUMN = proof("what a record costs beside the ridge", random_projection_ridges.one_column_beside_a_ridge)

CLAIMS = (
    stated_claim(
        id="N26-Fig1",
        source="N26",
        title="random projection of the database above a public ridge l^2/p*",
        stated=_SUMMED,
        about=(
            f"{_RIDGED} Found by bisection; sigma I with v = sigma^2 = l^2/P is appended and the whole projected:"
            " (eps, delta)-DP."
        ),
        declared=Verdict.PROVED,
        search=_AT_SUMMED,
        checks=(_RECORD, _ABOVE, PRIVACY[0], ridged("N26-Fig1")),
        note=_RIDGE_NOTE + " A bisection has to end on the side delta_r <= delta.",
    ),
    stated_claim(
        id="N26-Fig1-smallest-ridge",
        source="N26",
        title="the smallest public ridge is l^2 (1/p* - 1)",
        stated=statement(
            "delta_delete(p, r; eps) <= delta_delete(P, r; eps), and delta_insert(p, r; eps) <= delta_delete(P, r; eps)"
            ", and delta_delete(l^2/(l^2 + w), r; eps) > delta_delete(P, r; eps)",
            *("l > 0", "0 < P < 1", "v >= l^2 (1/P - 1)", _LEVERAGE, "0 < w < l^2 (1/P - 1)", "r >= 1", "eps >= 0"),
            over=_RIDGES,
        ),
        about=(
            "Projection above the ridge v = l^2 (1/P - 1), or a larger one, depending on nothing private, is (eps,"
            f" delta)-DP; above a smaller one, w, deleting a lone record of norm l costs more than delta. {_RIDGED}"
        ),
        declared=Verdict.PROVED,
        search={"starts": ({**_AT_LEAST_COLUMNS["starts"][0], "w": "3.6"},)},
        checks=(_RECORD, _FROM_THE_LEAST, _BELOW_THE_LEAST, SHARP, PRIVACY[1], ridged("smallest")),
        note=(
            "Certified ridge/l^2 at eps = 1, delta = 1e-6: 15.419396 for r = 10 and 35.540172 for r = 100, where"
            " l^2/p* has 1 more."
        ),
    ),
    stated_claim(
        id="N26-T5.1",
        source="N26",
        title="the ridged random projection is (eps, delta)-DP",
        stated=_SUMMED,
        about=(f"The mechanism of N26-Fig1 is (eps, delta)-DP under add/remove. {_RIDGED}"),
        declared=Verdict.PROVED,
        search=_AT_SUMMED,
        checks=(_RECORD, _ABOVE, PRIVACY[0]),
        note=_RIDGE_NOTE,
    ),
    Claim(
        id="N26-T5.2",
        source="N26",
        title="the debiased Gram matrix is unbiased, with spectral error of the stated rate",
        statement=(
            "M M^T/r - sigma^2 I has expectation D^T D, and with probability at least 1 - 2 e^{-t} its spectral error"
            " is at most C (sqrt((d+t)/r) + (d+t)/r)(||D||^2 + sigma^2) for an absolute constant C."
        ),
        formula="C = 2 sqrt 3",
        hypotheses=("t > 0", "G has independent standard normal entries"),
        declared=Verdict.PROVED,
        checks=(
            proof("bias and error", ridge_utility.utility),
            Check(
                "bias and errors over seeded runs",
                Kind.CROSSCHECK,
                coverage(),
                {
                    "ridge not taken off": coverage(ridge_taken_off=0.0),
                    "constant 1/4": coverage(constant=0.25),
                },
            ),
            CHANCE,
        ),
        note=(
            "The source cites a constant without a value. The singular-value bound of Davidson and Szarek is cited here"
            " and gives 2 sqrt 3."
        ),
    ),
    stated_claim(
        id="N26-Fig2",
        source="N26",
        title="the leverage threshold exceeds the one of the least-eigenvalue analysis",
        stated=statement(
            "delta_delete(w, r; eps) <= delta/4",
            *("0 < delta < 1", "r >= 1", "0 < eps <= 3 log(4/delta)"),
            where=_OLDER,
            over=_WIDE,
        ),
        about=(
            "p* exceeds w, the threshold of the least-eigenvalue analysis: at delta = 1e-6 for every r and every eps"
            " up to 45.6."
        ),
        search={"starts": ({"r": 1, "delta": "1e-6", "eps": 1},)},
        declared=Verdict.PROVED,
        checks=(
            proof("tail at the older threshold", eigenvalue_threshold.below_the_target),
            Check(
                "certified at points, delta = 1e-6",
                Kind.CROSSCHECK,
                certified_threshold(4.0),
                {
                    "threshold forty times": certified_threshold(0.1),
                },
            ),
        ),
        note=(
            "The figure's grid of eps and list of r were lost from the text; any grid below 45.6 is covered. The ratio"
            " falls from about 11 (r = 1, eps = 0.1) to about 1.5 (r = 1, eps = 45). A reading of the older ridge with"
            " larger constants only raises it."
        ),
    ),
    stated_claim(
        id="N26-Fig2-every-epsilon",
        source="N26",
        tags=("reading",),
        title="the same comparison without a limit on eps",
        stated=_EVERY_EPSILON,
        stands=under(_EVERY_EPSILON, "eps <= 3 log(4/delta)"),
        about=(
            "p* exceeds w, the threshold of the least-eigenvalue analysis, for every eps; the source's delta is 1e-6."
        ),
        declared=Verdict.RESTRICTED,
        fails_at=({"r": 1, "eps": 80, "delta": "1e-6"},),
        parts=("statement", "every eps"),
        checks=(proof("tail at the older threshold", eigenvalue_threshold.below_the_target),),
        corrected="True for eps <= 3 log(4/delta), whatever r.",
        note=(
            "Where the older threshold exceeds 1 its ridge is smaller than l^2 and it says nothing about this"
            " mechanism's privacy; its own theorem is not for such eps."
        ),
    ),
    stated_claim(
        id="N24-Fig3",
        source="N24",
        tags=("reading",),
        title="random projection plus a Gaussian noise matrix, the noise parameter called optimal",
        stated=_OPTIMAL,
        about=(
            "D^T G plus a matrix of independent N(0, sigma^2) entries, sigma^2 = l^2/P, is (eps, delta)-DP, and that"
            f" sigma is optimal: a smaller ridge w costs a lone record of norm l more than delta. {_RIDGED}"
        ),
        declared=Verdict.RESTRICTED,
        fails_at=({"l": 1, "P": "0.3442", "w": "1.91", "r": 1, "eps": 1},),
        stands=under(_OPTIMAL, "w < l^2 (1/P - 1)"),
        parts=("statement", "sigma^2 = l^2/p* is optimal"),
        checks=(_BELOW_THE_LEAST, SHARP, PRIVACY[1]),
        corrected="sigma^2 = l^2 (1/p* - 1) is valid and no smaller one is.",
        note="The formula for sigma was lost from the text. Bounding the leverage by the eigenvalues above sigma^2, as"
        " the proof does, gives l^2/p*, the ridge of N26; if l^2 (1/p* - 1) was printed, the statement is true as"
        " it stands.",
    ),
    stated_claim(
        id="N24-T3",
        source="N24",
        title="the noisy random projection is (eps, delta)-DP",
        stated=_LEAST,
        about=(
            "The mechanism of N24-Fig3 is (eps, delta)-DP, with v = sigma^2 = l^2 (1/P - 1) and so with any larger"
            f" one. {_RIDGED}"
        ),
        declared=Verdict.PROVED,
        search=_AT_LEAST_COLUMNS,
        checks=(_RECORD, _FROM_THE_LEAST, *PRIVACY),
        note="Adding noise to the projection and appending sigma I to the database give one law.",
    ),
    stated_claim(
        id="N24-Fig8",
        source="N24",
        title="a private random linear combination",
        stated=_ONE_COLUMN,
        about=(
            "The mechanism of N24-Fig3 with one column, r = 1: D^T g + sigma h, g and h standard normal, v ="
            f" sigma^2. {_RIDGED}"
        ),
        declared=Verdict.PROVED,
        search=_AT_LEAST,
        checks=(_RECORD, _IN_ONE_COLUMN, *PRIVACY),
        note="The formula for sigma was lost from the text; l^2/p* and l^2 (1/p* - 1) are both valid.",
    ),
    stated_claim(
        id="N24-C7",
        source="N24",
        title="the private random linear combination is (eps, delta)-DP",
        stated=_ONE_COLUMN,
        about=(f"The mechanism of N24-Fig8 is (eps, delta)-DP. {_RIDGED}"),
        declared=Verdict.PROVED,
        search=_AT_LEAST,
        checks=(_RECORD, _IN_ONE_COLUMN, *PRIVACY),
        note=(
            "The text sends its proof to that of another theorem (N24-T6); the proof of N24-T3 is the one that applies."
        ),
    ),
)
