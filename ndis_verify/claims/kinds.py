"""What kind of statement each claim is: most are relations between quantities that can be evaluated; the others are
listed here.
"""

from __future__ import annotations

from collections.abc import Mapping

from ndis_verify.claim import Claim, ClaimKind

_LISTED: Mapping[ClaimKind, str] = {
    ClaimKind.DEFINITION: "N26-D1 N26-D3 N26-D5 N24-D6 N24-D7",
    # the law of a random output, or what it tends to
    ClaimKind.LAW: "N26-D2 N26-D4 N26-D7 N26-D8 N24-C2 N24-L1 N24-P11 N24-6.3-exact-law BW-L3 BW-L6 KM-8.1",
    # what a mechanism, an auditor or a calibrator does
    ClaimKind.ALGORITHM: (
        "N26-D9 N26-Fig1 N26-Fig1-safe-side N26-Fig3 N26-Fig3-safe-side N26-Fig4 N26-Fig5 N26-Fig5-safe-side N26-T5.1"
        " N26-T5.3 N26-T5.4 N26-T5.4-clamped N26-T5.4-smaller-ridge N26-T6.1 N26-T6.1-corrected N24-C1 N24-C7 N24-T3"
        " N24-T5 N24-T6 N24-T6-afresh N24-Fig3 N24-Fig4 N24-Fig8 N24-Fig8-safe-side N24-Fig11 N24-Fig12 N24-Fig13"
        " N24-Fig13-afresh N24-Fig13-corrected N24-Fig14 BW-Alg1 BW-Alg1-float BW-Alg1-safe-side BW-T9 KM-Alg1 KM-Alg2"
        " KM-Alg2-corrected KM-Alg2-limit KM-Alg3 KM-Alg4 PKG-mechanism-table PKG-release-declared"
        " PKG-release-gaussian PKG-release-laplace PKG-release-least-squares PKG-release-logistic PKG-release-process"
        " PKG-release-projection PKG-release-relative-least-squares PKG-release-relative-projection PKG-release-sketch"
        " PKG-release-subsampled PKG-release-tested"
    ),
    # numbers of an experiment, a table, a plot, or of real records
    ClaimKind.FIGURE: (
        "N26-Fig2-ridges N24-Fig6 N24-Fig9 N24-Fig10 N24-Tab-sizes N24-TabI N24-TabII"
        " N24-TabIII N24-TabIII-DPR N24-TabIV BW-B BW-Fig1 BW-Fig1-high-dimension BW-Fig2 BW-Fig2-every-signal"
        " PKG-Davies-table PKG-Davies-digits PKG-Davies-Imhof PKG-google-gaussian PKG-google-small-delta"
        " PKG-Imhof-entries PKG-chi2comb-readme"
        " PKG-dp-accounting-subsampled PKG-dp-accounting-std PKG-google-variances PKG-google-log3"
        " PKG-printed-clt PKG-printed-moments PKG-printed-scale PKG-printed-tutorial"
        " KM-Fig4 KM-Fig5 KM-Fig6 KM-Fig7 KM-Fig8 KM-Fig10 KM-Fig11 KM-Fig12 KM-S7-example DATA-breast_cancer"
        " DATA-diabetes"
    ),
}
KINDS: Mapping[str, ClaimKind] = {claim_id: kind for kind, ids in _LISTED.items() for claim_id in ids.split()}

# Relations that no object states, and why.
_TEXTS: Mapping[str, str] = {
    "it speaks of every pair of laws, of functions or of attacks, which no numbers are a point of": (
        "KM-2.5 KM-CI KM-CI-binned KM-T4.4 KM-T4.4-corrected KM-eq2.5 KM-eq2.5-limit KM-eq9.1"
    ),
    "a table of parameters of two laws, or which laws are meant: every entry is compared": (
        "N24-T4 N24-TabVI N24-C3 N24-P16"
    ),
    "it holds below some leverage, or from some epsilon on, which it does not name": "N24-T5-assumption-corrected",
    "a rate, or a constant that is not named": "N26-T5.2 N24-6.3-gap BW-T11 BW-T12 BW-eq7 KM-G-L2",
    "a supremum that is approached and not attained": "N26-Pr7-joint-approached",
    "a reading that does not stand; what stands is an object (N26-Pr8)": "N26-Pr8-smaller-n",
    "suprema in figures, each enclosed by a branch and bound of its own": "N24-6.3-worst-value N24-T5-worst-value",
}
WHY_TEXT: Mapping[str, str] = {claim_id: why for why, ids in _TEXTS.items() for claim_id in ids.split()}


def kind_of(claim: Claim) -> ClaimKind:
    """The kind of a claim: as listed, otherwise a relation."""
    return KINDS.get(claim.id, ClaimKind.RELATION)
