"""Terms and statements that the tests of the language share."""

from fractions import Fraction

from hypothesis import strategies as st

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.oracle.certified.engine.balls import ball
from ndis_verify.statements.terms import Term, apply, extremum, term, variable

X, Y = variable("x"), variable("y")


ORDER, CLOSED_FORM, STANDING = (find(claim_id).stated for claim_id in ("N26-L3", "N26-P1", "KM-6.1"))


STATED = tuple({claim.stated: claim.id for claim in all_claims() if claim.stated is not None}.items())


_LEAVES = st.one_of(
    st.sampled_from([X, Y]), st.fractions(min_value=-3, max_value=3, max_denominator=8).map(lambda value: term(value))
)


def _grown(children):
    pair = st.tuples(children, children)
    return st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "div", "max", "min"]), pair).map(lambda t: Term(t[0], t[1])),
        st.tuples(st.sampled_from(["neg", "abs", "exp", "log", "sqrt", "Phi", "erf", "erfc"]), children).map(
            lambda t: Term(t[0], (t[1],))
        ),
        st.tuples(children, st.integers(0, 3)).map(lambda t: t[0] ** t[1]),
        children.map(lambda t: apply("gamma_q", Fraction(3, 2), t)),
        children.map(lambda t: extremum("sup", "s", 0, 1, t * variable("s"))),
    )


TERMS = st.recursive(_LEAVES, _grown, max_leaves=8)


def in_balls(value):
    return ball(value) if isinstance(value, Fraction) else value
