"""That what a fact says of laws is said of those laws: false proofs that once passed."""

import pytest
import sympy as sp
from whole_proofs import infer, passes

from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.symbolic.covariance_order import scale_order
from ndis_verify.symbolic.derivation import Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.notation import rate, scaled, unscaled
from ndis_verify.symbolic.notation import x as place
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
lam, m, a = sp.symbols("lambda m a", real=True)
eps, W = sp.symbols("epsilon W", nonnegative=True)
P, Q = scaled(lam, m, 0), unscaled(m)
HYPOTHESES = (
    Hypothesis("lam_i >= 1", entry(lam) >= 1),
    Hypothesis("m_i >= 1", entry(m) >= 1),
    Hypothesis("eps >= 0", eps >= 0),
)
SYMBOLS = {"lam": lam, "m": m, "eps": eps}


def _bounded(letters, **shown):
    """That Q's loss against P is never above eps, with a statistic, a share and a level that are 0."""
    loss = Step("no loss", "", sp.UnevaluatedExpr(a) - a, zero)
    none = Step("W", "", sp.UnevaluatedExpr(zero), zero, relation=">=", witness=zero)
    most = Step("most", "", -W / 2, eps, relation="<=", witness=-W / 2 - eps)
    known = {"P": P, "Q": Q, "epsilon": eps, "statistic": zero, "share": zero, "level": zero, "value": W}
    conditions = {"loss": loss, "level": "words", "sign": none, "bounded": most, **shown}
    return (
        Step("words", "Words.", kind="definition"),
        meaning("divergence", "centred_reverse", lam, m, eps),
        by_fact(
            "spectrum",
            "",
            "spectrum of two centred normal laws, exchanged",
            {"lam": lam, "m": m, "epsilon": eps},
            {"least": "lam_i >= 1", "counts": "m_i >= 1"},
        ),
        by_fact("none", "", "a bounded loss", {**known, **letters}, conditions),
        infer("end", quantity("centred_reverse", lam, m, eps), "=", zero, "divergence", "spectrum", "none"),
    )


@pytest.mark.parametrize("letters", [{"variance": one}, {"variance": sp.Max(1, entry(lam))}])
def test_a_loss_is_that_of_the_laws(letters):
    """log p - log q was any number less itself: so was every divergence of Q from P 0."""
    stated = statement("delta_{Q,P}(lam, m; eps) = 0", "lam_i >= 1", "m_i >= 1", "eps >= 0")
    same = Step("variance", "", sp.UnevaluatedExpr(letters["variance"]), letters["variance"])
    assert not passes(stated, _bounded(letters, variance=same), SYMBOLS, HYPOTHESES)


def _instance(name, **other):
    step = next(one_ for one_ in scale_order().steps if one_.name == name)
    return FACTS[step.fact].instance({**step.letters, **other}), step


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("bounded loss", {"Q": scaled(lam, m, 0)}),
        ("order on the path", {"r": sp.Symbol("s", real=True)}),
        ("order on the path", {"inside": {}}),
        ("two slopes", {"terms": ((sp.Symbol("s", real=True), one),)}),
        ("two slopes", {"terms": ((a, rate(a)),)}),
        ("nearby scales", {"P": unscaled(m)}),
    ],
)
def test_what_is_no_letter_of_a_fact_about_scaled_laws_is_refused(name, other):
    found, step = _instance(name)
    assert found == (step.lhs, step.relation, step.rhs)
    with pytest.raises(InputError):
        found, step = _instance(name, **other)
        for relation in FACTS[step.fact].required.values():
            relation({**step.letters, **other})


def test_a_share_speaks_of_no_point():
    step = next(one_ for one_ in scale_order().steps if one_.name == "bounded loss")
    with pytest.raises(InputError, match="the same at every point"):
        FACTS[step.fact].required["level"]({**step.letters, "share": entry(place) ** 2})


def test_the_order_on_the_path_is_of_losses_from_0_on():
    """Below 0 it is the other way round."""
    step = next(one_ for one_ in scale_order().steps if one_.name == "order on the path")
    assert FACTS[step.fact].required["epsilon"](step.letters) == (step.letters["epsilon"], ">=", zero)


def test_a_density_is_of_one_law():
    """With one f for two laws both would be one."""
    fact = FACTS["density of a positive form"]
    assert fact.brings == ("f",)
    step = next(one_ for one_ in scale_order().steps if one_.name == "density of W")
    assert step.letters["P"] in fact.instance(step.letters)[0].args
