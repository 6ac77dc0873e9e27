"""The attacks on the claims about Gaussian outputs."""

from __future__ import annotations

NO_MARGIN = {
    "N26-D3": "it defines Gaussian-output algorithms; what holds for all of them is attacked in N26-D6-corrected",
    "N26-D4": (
        "it names the law of a sum of independent normal variables; the bounds for that law are attacked in"
        " N26-T6.1-corrected"
    ),
    "N26-D5": (
        "it defines the three sensitivities; the bounds built on them are attacked in N26-D6-corrected and N26-D6-exact"
    ),
}
