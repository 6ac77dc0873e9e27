"""The variables that statements speak of, each with the range it is searched in where a statement gives no other.

The ranges are wider than most hypotheses, so that a hypothesis that is left out is missed.
"""

from __future__ import annotations

from collections.abc import Mapping

from ndis_verify.statements.statement import Variable, integer, real, vector


def _named(*variables: Variable) -> Mapping[str, Variable]:
    return {v.name: v for v in variables}


VOCABULARY = _named(
    real("eps", -6, 40),
    real("delta", 0, 1),
    real("D", "1e-4", 40, "log"),
    real("Delta", "0.1", 10, "log"),
    real("sigma", "0.1", 10, "log"),
    real("std", "0.1", 20, "log"),
    real("p", "1e-6", "0.999999", "logit"),
    real("q", "1e-6", "0.999999", "logit"),
    real("alpha", "1e-9", "0.999999999", "logit"),
    real("beta", "1e-9", "0.999999999", "logit"),
    real("l", "1e-2", 100, "log"),
    real("v", "1e-3", 1000, "log"),
    real("x", -6, 6),
    real("y", -6, 6),
    real("z", -6, 6),
    integer("r", 1, 1000, "log"),
    integer("d", 1, 100, "log"),
    integer("n", 1, 10**6, "log"),
    vector("lam", "reals", 3, "1e-2", "1e4", "log"),
    vector("m", "integers", 3, 1, 30, "log"),
)
