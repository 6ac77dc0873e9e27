"""Standard facts about draws: exact limits, union bounds, concentration, what is given and what is averaged."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.notation import exceeds, given

OF_SAMPLES: Mapping[str, Fact] = {
    "exact limit of a proportion": Fact(
        text="The exact lower limit a at level gamma of the probability p of a set, from how many of n independent"
        " draws fall into it, is above p with probability at most gamma, whatever p is.",
        tex=r"\Pr[a(\mathrm{Bin}(n, p)) > p] \le \gamma",
        letters=("limit", "probability", "level"),
        conditions={
            "fixed": "the set is fixed by what is given",
            "independent": "what is given apart, the draws are independent, of one law",
        },
        reference="Clopper and Pearson (1934); Lehmann and Romano, Testing Statistical Hypotheses, section 3.5",
        instance=lambda a: (given(a["limit"] - a["probability"]), "<=", a["level"]),
    ),
    "one of two events": Fact(
        text="One of two events happens with at most the sum of their probabilities.",
        tex=r"\Pr[A \cup B] \le \Pr[A] + \Pr[B]",
        letters=("one", "other", "bound", "other bound"),
        conditions={"one": "the probability of the one", "other": "that of the other"},
        reference="Billingsley, Probability and Measure, section 2",
        instance=lambda a: (given(sp.Max(a["one"], a["other"])), "<=", a["bound"] + a["other bound"]),
        required={
            "one": lambda a: (given(a["one"]), "<=", a["bound"]),
            "other": lambda a: (given(a["other"]), "<=", a["other bound"]),
        },
    ),
    "in the mean over what is given": Fact(
        text="What has at most one probability whatever is given has at most that probability.",
        tex=r"\Pr[A \mid G] \le \gamma \implies \Pr[A] = \mathbb{E} \Pr[A \mid G] \le \gamma",
        letters=("event", "bound"),
        conditions={"given": "the conditional probability is at most the bound"},
        reference="Billingsley, Probability and Measure, section 33",
        instance=lambda a: (exceeds(a["event"]), "<=", a["bound"]),
        required={"given": lambda a: (given(a["event"]), "<=", a["bound"])},
    ),
}
