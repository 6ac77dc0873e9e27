"""Why a cell of the cross-check matrix is blank, or has few digits: by what kind of statement the item is, and how it
was decided; by hand only where neither tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ndis_verify.claim import Claim, ClaimKind, Verdict
from ndis_verify.claims.kinds import kind_of
from ndis_verify.court.tolerances import COMPARISONS
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.terms import nodes

# of an item whose statement names quantities, which stand in the place of {}; of one that names none, by its kind
_ASKED: Mapping[str, str] = {
    "peer": "it speaks of {}: no published library with an adapter here computes that",
    "reference rows": "it speaks of {}: no quantity of the line protocol",
}
_ELEMENTARY = frozenset(
    ("log", "Phi", "Phi_inverse", "phi", "pi", "erf", "erfc", "sqrt", "abs", "max", "min", "gamma_q", "gamma_p")
) | {"identity", "det", "trace", "diagonal", "rows", "columns"}
_UNASKED: Mapping[ClaimKind, str] = {
    ClaimKind.DEFINITION: "a definition: it asserts no number that could be asked for",
    ClaimKind.LAW: "the law of a random output: libraries and tables answer with numbers, not with laws",
    ClaimKind.ALGORITHM: "what a program does on its inputs: libraries and tables answer with curves and noise levels",
    ClaimKind.FIGURE: "a table, a plot or an experiment of its own: nobody else computes its numbers",
    ClaimKind.RELATION: "it relates numbers, and names no curve, law or noise level that could be asked for",
}
_FALSE: Mapping[str, str] = {
    "derivation": "false as printed: a certified counterexample decides it",
    "two routes": "false as printed: one violation, certified in ball arithmetic, decides it",
    "float64": "false as printed: the violation is certified, and float64 would add nothing",
}
_OF_KIND: Mapping[str, Mapping[ClaimKind, str]] = {
    "derivation": {
        ClaimKind.FIGURE: "a table, a plot or an experiment: it is computed again, not derived",
        ClaimKind.ALGORITHM: "what a program does on its inputs: it is run, not derived",
    },
    "two routes": {
        ClaimKind.DEFINITION: "a definition: its implementation is held to its words, which is one comparison",
        ClaimKind.LAW: "the law of a random output: its density or moments are derived, no number is computed",
        ClaimKind.ALGORITHM: "a calibration or a sampler: it has to end on the safe side, which a bound decides",
        ClaimKind.FIGURE: "a table, a plot or an experiment: one computation says whether it is as printed",
        ClaimKind.RELATION: "derived for every input, and searched: no value of it is computed twice",
    },
    "certified": {
        ClaimKind.DEFINITION: "a definition: it asserts no number that could be enclosed",
        ClaimKind.LAW: "the law of a random output: its density or moments are derived, no number is enclosed",
        ClaimKind.ALGORITHM: "a release or a run of an auditor: its exact laws are compared in float64 or rationals",
        ClaimKind.FIGURE: "an experiment with random draws, or a plot whose proof is a derivation",
        ClaimKind.RELATION: "derived for every input; what is computed is rational, or a search in float64",
    },
    "float64": {
        ClaimKind.DEFINITION: "a definition that is held to its words by exact or sampled values",
        ClaimKind.LAW: "the law of a random output, derived; the mechanisms that use it have items of their own",
        ClaimKind.ALGORITHM: "decided by certified violations and exact arithmetic; its corrected form has the code",
        ClaimKind.FIGURE: "a table or a plot: computed in exact or ball arithmetic",
        ClaimKind.RELATION: "derived for every input; nothing in float64 rests on it",
    },
}


def reason_of(claims: Sequence[Claim], column: str) -> str:
    """Why a column says nothing of an item, "" where nothing tells."""
    if column in _ASKED:
        named = named_quantities(claims)
        return _ASKED[column].format(", ".join(named)) if named else _UNASKED[kind_of(claims[0])]
    false = all(claim.declared in (Verdict.REFUTED, Verdict.RESTRICTED) for claim in claims)
    if false and column in _FALSE:
        return _FALSE[column]
    return _OF_KIND.get(column, {}).get(kind_of(claims[0]), "")


def named_quantities(claims: Sequence[Claim]) -> list[str]:
    """The quantities that the statements of some claims name, elementary functions apart."""
    terms = [one for claim in claims if claim.stated is not None for one in claim.stated.all_terms()]
    return sorted({node.head for one in terms for node in nodes(one)} & (QUANTITIES.keys() - _ELEMENTARY))


_FEW: Mapping[str, tuple[str, ...]] = {
    "covariances of databases in float64, of condition numbers up to 1e6, against what is certified of their worst": (
        "worst single-record change of real and of adversarial databases, N26-Fig1 ridge",
        "worst single-record change of real and of adversarial databases, smallest ridge",
        "worst single-record change of real databases, the printed ridge",
        "worst single-record change of real databases",
        "worst addition from outside the database",
        "worst single-record change, reading and matrix together",
        "worst single-record change, the mixture over every sample",
        "worst pair, from the laws of the releases",
    ),
    "a mixture over samples of records, by quadrature in float64": ("the sampled mixture by quadrature",),
    "the databases that attain it have many records: float64 eigenvalues of their covariances": (
        "attained by databases with one feature",
        "approached by many small records",
        "what n = 455 needs",
    ),
    "the least noise is compared, to the digits that its calibration promises": (
        "least noise at lambda 3, l 1.5, eps 1, delta 1e-5",
        "no noise at n 16, B 0.5, s^2 250, l 1, eps 1",
        "calibration against certified values",
    ),
    "the sign of a violation is certified, which takes no more digits": (
        "the ridge follows the least eigenvalue, and shows it in every other direction",
    ),
    "an upper bound: it lies above the certified value at every draw": (
        "certified total variation given drawn canaries",
    ),
    "how fast a distance falls: a limit, read off three dimensions or numbers of records": (
        "rate of the distance",
        "exponents of r",
    ),
}
FEW = {check: reason for reason, checks in _FEW.items() for check in checks}


def few_digits(check: str) -> str:
    """Why a check agrees to few digits, "" where nothing tells."""
    return FEW.get(check) or next((grant.reason for grant in COMPARISONS if check in grant.checks), "")
