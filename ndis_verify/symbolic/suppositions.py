"""Which hypotheses in words say what a condition of a standard fact says that no relation and no form decides."""

from __future__ import annotations

from collections.abc import Mapping

from ndis_verify.statements.quantities import QUANTITIES

_DRAWS = ("independent draws", "n independent draws from each law", "independent draws of scores within each sample")
_FIXED_TEST = "a test fixed before the samples are drawn, which are independent"
_FIXED = (_FIXED_TEST, "sets fixed by other rows")
_DEFINITE = ("S1, S2 symmetric positive definite",)
_PROJECTED = (QUANTITIES["projection"].means,)
_NORMAL_SKETCH = "Pi r x n with independent standard normal entries"
_NORMAL_MATRIX = "G has independent standard normal entries"

# (fact, condition) -> hypotheses of proofs, word for word
SUPPOSITIONS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("Hoeffding's inequality", "independent"): _DRAWS,
    ("a test of a mu-GDP pair", "GDP"): ("a mu-GDP pair",),
    ("bounded differences", "independent"): _DRAWS,
    **{(f"a record of leverage p, {name}", "full rank"): _PROJECTED for name in ("R S R", "R v", "v^T R", "w^T w")},
    **{(f"exact {end} limit of a proportion", "fixed"): _FIXED for end in ("lower", "upper")},
    **{(f"exact {end} limit of a proportion", "independent"): (_FIXED_TEST, *_DRAWS) for end in ("lower", "upper")},
    ("least value from 0 on, without jumps", "up to oo"): ("cov is continuous in l, eps and s, up to oo",),
    ("least squares with normal errors", "invertible"): ("[B b] fixed, B^T B invertible",),
    ("least squares with normal errors", "normal"): (_NORMAL_SKETCH,),
    ("mean of a share", "draws"): _DRAWS,
    ("mutual information and any reference law", "laws"): (
        "laws of the release for each record of norm at most l, and for none",
    ),
    ("second moments of a linear image", "independent"): (_NORMAL_MATRIX,),
    ("shares of draws", "draws"): _DRAWS,
    ("singular values of a normal matrix", "entries"): (_NORMAL_MATRIX,),
    **{
        (f"the root of a covariance, {name}", "positive definite"): _DEFINITE
        for name in ("R R^{-1}", "R^{-1} R", "R^T")
    },
    ("uncorrelated normal vectors are independent", "normal"): (_NORMAL_SKETCH,),
    ("variance of a share", "independent"): _DRAWS,
}
