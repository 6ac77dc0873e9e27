"""Claims about approximate least squares: its limit law, its privacy curve in (p, q, d, r), the chi-square table."""

from __future__ import annotations

from dataclasses import replace

from ndis_verify.claim import Claim, Verdict
from ndis_verify.claims.least_squares.law_checks import (
    EIGENVALUES,
    FAST,
    FORMS,
    LAW,
    LEMMA,
    QUADRATIC,
    SHARES,
    SINGULAR,
    SINGULAR_TEXT,
    TABLE,
    ZERO_CURVATURE,
)
from ndis_verify.claims.least_squares.student import WITHIN
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, real, vector
from ndis_verify.symbolic import (
    generalized_chi2,
    least_squares_decomposition,
    least_squares_moments,
    leverage_with_answers,
    normal_moments,
    random_projection,
    rows,
)
from ndis_verify.symbolic import least_squares as derived
from ndis_verify.symbolic import least_squares_laws as laws
from ndis_verify.symbolic import least_squares_limit as limit

_FULL = ("B^T B invertible and residual not 0, with and without the record",)
_LAW_TEXT = (
    "delete: A has 1 - (1-p)^2/(1-q) once and 1 - (1-p)/(1-q) d-1 times, |b| = sqrt(r p (q-p)) (1-p)/(1-q); insert: the"
    " inverse eigenvalues, |b| = sqrt(r p (q-p) (1-q))/(1-p)^2"
)
_OFF = "q != 2p - p^2, that is q - p != p(1-p)"
_DATA = matrix("B", 3, 2, -3, 3), vector("b", "reals", 3, -3, 3)
_RECORD = vector("v", "reals", 2, -3, 3), real("c", -3, 3)
_FITTED = {  # with a record (v, c) more, of leverage p in E and q in [E, y], and without it
    "E": "[B; v^T]",
    "y": "[b; c]",
    "x": "(E^T E)^{-1} E^T y",
    "w": "y - E x",
    "p": "v^T (E^T E)^{-1} v",
    "q": "[v; c]^T ([E, y]^T [E, y])^{-1} [v; c]",
}
_BOTH_LAWS = _FITTED | {
    "z": "(B^T B)^{-1} B^T b",
    "S": "(w^T w/r) (E^T E)^{-1}",
    "R": "((b - B z)^T (b - B z)/r) (B^T B)^{-1}",
    "k": "(1 - p)/(1 - q)",
}
_DECOMPOSED = statement(
    "det(S - t R) = det(R) (k (1 - p) - t) (k - t)^{cols(B) - 1}"
    ", and (x - z)^T R^{-1} S R^{-1} (x - z) = r p (q - p) k^2"
    ", and det(R - t S) = det(S) (1/(k (1 - p)) - t) (1/k - t)^{cols(B) - 1}"
    ", and (x - z)^T S^{-1} R S^{-1} (x - z) = r p (q - p) (1 - q)/(1 - p)^4",
    *("B^T B > 0", "(b - B z)^T (b - B z) > 0", "r > 0", "t <= 0"),
    where=_BOTH_LAWS,
    over=(*_DATA, *_RECORD, real("r", 1, 100, "log"), real("t", -3, 0)),
)
_PROJECTED = proof("rows of a projected matrix", random_projection.projected_covariance)
_MOMENTS = proof("moments of one row", least_squares_moments.second_moments)

CLAIMS = (
    Claim(
        id="N24-L1",
        source="N24",
        title="sketched least squares is asymptotically normal",
        statement=(
            "For a fixed database of full column rank the output (Pi B)^+ Pi b is, as r grows, asymptotically N(x_opt, "
            "(||w||^2/r)(B^T B)^{-1}), w the residual."
        ),
        formula="sqrt(r) (x - x_opt) -> N(0, ||w||^2 (B^T B)^{-1}) in distribution, r -> infinity",
        hypotheses=("[B b] fixed, B^T B invertible", "Pi r x n with independent standard normal entries"),
        declared=Verdict.PROVED,
        checks=(
            proof("the finite-r law, Student t", derived.student_law),
            proof("its limit", limit.limit_law),
            proof("its rate", limit.distance_rate),
            _PROJECTED,
            _MOMENTS,
            WITHIN,
        ),
        note=(
            "It holds in total variation, with a distance of order 1/r that depends on d and r alone. With w = 0 both"
            " sides are the point x_opt. It is a statement for one database at a time about probabilities of the order"
            " of 1: for tails of size delta see N24-6.3-gap."
        ),
    ),
    Claim(
        id="N24-P11",
        source="N24",
        title="rows of the sketch are independent normal",
        statement="The rows of Pi B are independent N(0, B^T B) and the entries of Pi w independent N(0, ||w||^2).",
        formula="B^T pi_i ~ N(0, B^T B), w^T pi_i ~ N(0, ||w||^2), independent over i = 1..r",
        hypotheses=("Pi r x n with independent standard normal entries",),
        declared=Verdict.PROVED,
        checks=(_PROJECTED, _MOMENTS),
        note=(
            "The display is lost; read from its proof (a linear map of a standard normal row). With B^T w = 0 the two"
            " are independent too."
        ),
    ),
    stated_claim(
        id="N24-P12",
        source="N24",
        title="second and fourth moment of a centred normal variable",
        stated=statement(
            "E_normal(2; 0, s^2) = s^2, and E_normal(4; 0, s^2) = 3 s^4",
            "s > 0",
            over=(real("s", "1e-3", 1000, "log"),),
        ),
        declared=Verdict.PROVED,
        checks=(proof("derivatives of the moment generating function", normal_moments.second_and_fourth),),
        note="The mean was lost with the display; for another mean both moments are larger.",
    ),
    stated_claim(
        id="N24-P13",
        source="N24",
        title="mean and covariance of one row's share of B^T Pi^T Pi w",
        stated=statement(
            "w^T B B^T w = 0, and B^T (m I + 2 w w^T) B = m B^T B",
            "B^T B > 0",
            where={"w": "b - B (B^T B)^{-1} B^T b", "m": "w^T w"},
            over=_DATA,
        ),
        about=(
            "The row of Pi is standard normal: with g this row and w the residual of least squares, X = B^T g g^T w has"
            " mean B^T w = 0 and covariance E X X^T = B^T (|w|^2 I + 2 w w^T) B."
        ),
        declared=Verdict.PROVED,
        checks=(proof("the residual's moments", least_squares_moments.residual_moments), _MOMENTS),
    ),
    Claim(
        id="N24-C3",
        source="N24",
        title="the lemma applied to the two limit laws",
        statement=(
            "The spectrum of the limit laws with and without a record is the lemma's expectation with means x_opt,"
            " x_opt' and covariances (||w||^2/r)(B^T B)^{-1}, (||w'||^2/r)(B'^T B')^{-1}."
        ),
        formula="delta = E max(0, 1 - exp q_eps(Z)) with (A, b, c) of N24-T1 at these laws",
        hypotheses=(*_FULL, "eps >= 0"),
        declared=Verdict.PROVED,
        checks=(*LEMMA, *QUADRATIC, FAST),
    ),
    stated_claim(
        id="N24-P15",
        source="N24",
        title="the quadratic forms of a deleted and of an inserted record",
        stated=_DECOMPOSED,
        about=(
            "S and R are the covariances of the limit laws with and without a record (v, c) of leverage p in E and q in"
            " [E, y]. delete: A has the eigenvalues 1 - k (1 - p) once and 1 - k d-1 times, and |b|^2 = r p (q-p) k^2;"
            " insert: the inverse eigenvalues, |b|^2 = r p (q-p) (1-q)/(1-p)^4."
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("eigenvalues and shift of both pairs", least_squares_decomposition.eigenvalues_and_shift),
            *(*FORMS, EIGENVALUES),
        ),
        note="The table is lost; derived from the matrices.",
    ),
    Claim(
        id="N24-T4",
        source="N24",
        title="the curve depends on (p, q, d, r) alone, and its two chi-square laws",
        statement=(
            "Leverage p, the leverage q in [B b], d and r determine the spectrum in both directions; it is a difference"
            " of two generalized chi-square CDFs with the parameters of Table VI."
        ),
        formula=_LAW_TEXT,
        hypotheses=(*_FULL, "eps >= 0"),
        declared=Verdict.RESTRICTED,
        checks=(
            *(replace(check, part="dependence") for check in (*QUADRATIC, LAW)),
            proof("the two laws, every entry", laws.chi_square_laws, part="away from q = 2p - p^2"),
            TABLE,
            SINGULAR,
        ),
        counterexample=SINGULAR_TEXT,
        corrected=(
            "The dependence on (p, q, d, r) holds always; the two laws hold where q != 2p - p^2. At q = 2p - p^2 the"
            " first coordinate is a normal term: standard deviation |b| under both laws, mean shifted by b^2 under the"
            " second (N26-T4.1)."
        ),
        note=(
            "An implementation of the table fails or loses all digits near q - p = p(1-p), which lies inside every"
            " admissible set."
        ),
    ),
    Claim(
        id="N24-P16",
        tags=("reading",),
        source="N24",
        title="the expectation as two generalized chi-square probabilities",
        statement=(
            "For every diagonal A with entries below 1 the expectation of max(0, 1 - exp q(Z)) is Pr[X <= t] minus a"
            " factor times Pr[Y <= t], noncentralities (b/a)^2 and b^2/(a^2 (1-a))."
        ),
        formula=(
            "X: a, (b/a)^2; Y: a/(1-a), b^2/(a^2(1-a)); factor e^eps where c is that of two Gaussians, else e^eps E"
            " e^{q_0}"
        ),
        hypotheses=("a_i < 1",),
        declared=Verdict.RESTRICTED,
        checks=(
            *(
                proof(name, build, part="all a_i != 0")
                for name, build in (
                    ("law of y", generalized_chi2.change_of_measure),
                    ("law of the first square", generalized_chi2.first_law),
                    ("law of the second square", generalized_chi2.second_law),
                    ("difference of the two laws", generalized_chi2.hockey_stick),
                )
            ),
            ZERO_CURVATURE,
        ),
        counterexample=(
            "One coordinate with a = 0, b = 1, c = -1/2, eps = 0.1: (b/a)^2 is 1 over 0; the expectation is 0.3523252"
        ),
        corrected=(
            "Holds where every a_i != 0 (a coordinate with a_i = b_i = 0 drops out); one with a_i = 0, b_i != 0 adds a"
            " normal term b_i z."
        ),
        note=(
            "The hypotheses' displays are lost; the proof of N24-T4 applies it after showing a_i < 1 alone. The two-law"
            " form holds for any real eps, so for any real c: a change of c is a change of eps and of the factor."
        ),
    ),
    Claim(
        id="N24-TabVI",
        source="N24",
        title="weights, degrees of freedom and noncentralities of the two laws",
        statement="The parameters of X and Y in both directions.",
        formula=(
            "g = p(1-p) - (q-p). delete: X: g/(1-q), -(q-p)/(1-q), nc r p (q-p)(1-p)^2/g^2; Y: g/(1-p)^2, -(q-p)/(1-p),"
            " nc r p (q-p)(1-q)/g^2; dof (1, d-1). insert: X and Y exchanged with the signs of the weights flipped"
        ),
        hypotheses=(*_FULL, "0 <= p <= q < 1"),
        declared=Verdict.RESTRICTED,
        checks=(
            proof("every entry, both directions", laws.chi_square_laws, part="away from q = 2p - p^2"),
            TABLE,
            SINGULAR,
        ),
        counterexample=SINGULAR_TEXT,
        corrected=(
            f"Holds where {_OFF}; there the first weight vanishes and a normal term sqrt(r p (q-p)) (1-p)/(1-q) z"
            " stays."
        ),
        note=(
            "The entries are lost; derived. At q = p the second weight is 0, harmless as its noncentrality is 0: the"
            " group drops out."
        ),
    ),
    stated_claim(
        id="N24-P4",
        source="N24",
        title="leverage plus residual share is the leverage in [B b]",
        stated=statement(
            "p + (c - v^T x)^2/(w^T w) = q, and q <= 1",
            *("E^T E > 0", "w^T w > 0"),
            where=_FITTED,
            over=(*_DATA, *_RECORD),
        ),
        about="(v, c) is a row of [E, y], w the residual: leverage plus the share of the squared residual.",
        declared=Verdict.PROVED,
        checks=(
            proof("leverage in [E, y], any d", leverage_with_answers.share_of_the_residual),
            SHARES,
        ),
    ),
    stated_claim(
        id="N24-P14",
        source="N24",
        title="leverages are below 1 where the smaller matrix has full rank",
        stated=statement(
            "p < 1, and det(B^T B) = (1 - p) det(E^T E)",
            "B^T B > 0",
            where={name: _FITTED[name] for name in "Ep"},
            over=(_DATA[0], _RECORD[0]),
        ),
        about="v is the row of E that is deleted.",
        declared=Verdict.PROVED,
        checks=(
            proof("one row more", rows.of_a_new_row),
            SHARES,
        ),
        note=(
            "For q the same with [B b]: q < 1 exactly if the smaller database still has a nonzero residual. Both are"
            " hypotheses of the laws."
        ),
    ),
)
