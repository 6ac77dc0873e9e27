"""Three claims of one's own: two inequalities that hold, and one that looks right and is not.

ndis-verify attack examples/my_claims.py:LEVERAGE_BOUND
ndis-verify verify examples/my_claims.py
"""

import math

from ndis_verify.claims.own_claims import (
    continuous,
    enclosed_difference,
    enclosure_of,
    integer,
    relative_margin,
    universal_claim,
)
from ndis_verify.fast import gaussian_hockey_stick, rp_hockey_stick
from ndis_verify.oracle import certified_rp_hockey_stick

projection = [
    continuous("p", "1e-12", "0.999999", "logit"),
    integer("r", 1, 1000, "log"),
    continuous("epsilon", "1e-6", 20, "log"),
]


def exact_leverage_margin(point):
    p, r, epsilon = point["p"], point["r"], point["epsilon"]
    return enclosed_difference(enclosure_of(p, p), certified_rp_hockey_stick(p, r, epsilon))


LEVERAGE_BOUND = universal_claim(
    "leverage bounds delta",
    "A random projection to r columns has delta at most p, the leverage of the deleted record, at every epsilon > 0.",
    lambda p, r, epsilon: relative_margin(p, rp_hockey_stick(p, r, epsilon)),
    projection,
    certify=exact_leverage_margin,
    declared="refuted",
    counterexample={"p": "0.5", "r": 100, "epsilon": 1},
    mutants={"with r p in place of p": lambda p, r, epsilon: relative_margin(r * p, rp_hockey_stick(p, r, epsilon))},
)

DELETION_IS_WORSE = universal_claim(
    "deletion is worse",
    "Deleting a record from a random projection never shows less than inserting it.",
    lambda p, r, epsilon: relative_margin(rp_hockey_stick(p, r, epsilon), rp_hockey_stick(p, r, epsilon, "insert")),
    projection,
    mutants={
        "insertion is worse": lambda p, r, epsilon: relative_margin(
            rp_hockey_stick(p, r, epsilon, "insert"), rp_hockey_stick(p, r, epsilon)
        )
    },
)

SLOPE_AT_ZERO = universal_claim(
    "linear in the shift",
    "The Gaussian mechanism with sensitivity / std = D has delta at most D / sqrt(2 pi), at every epsilon.",
    lambda shift, epsilon: relative_margin(shift / math.sqrt(2 * math.pi), gaussian_hockey_stick(shift, 1.0, epsilon)),
    [continuous("shift", "1e-30", 100, "log"), continuous("epsilon", 0, 50)],
    mutants={
        "a constant one per cent too small": lambda shift, epsilon: relative_margin(
            0.99 * shift / math.sqrt(2 * math.pi), gaussian_hockey_stick(shift, 1.0, epsilon)
        )
    },
)
