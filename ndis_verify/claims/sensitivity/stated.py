"""What the bounds of sensitivities say of the matrices of two neighbouring databases."""

from __future__ import annotations

from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer, matrix, real, vector

_GRAM = {"W": "X^T X", "S": "v I + (lam I + W/4)^{-1}", "R": "v I + (lam I + (W + u u^T)/4)^{-1}"}
_SURROGATES = (real("lam", "0.01", 10, "log"), real("v", 0, 10), real("l", "0.1", 10, "log"))
_RECORDS_OF = (matrix("X", 3, 2, -3, 3), vector("u", "reals", 2, -3, 3))
SURROGATE = statement(
    "R <= S, and S <= k R, and det(S) <= k^{cols(X)} det(R)",
    *("lam > 0", "v >= 0", "u^T u <= l^2", "tr(X^T X) <= rows(X) l^2"),
    where=_GRAM | {"k": "(v + 1/lam)/(v + 1/(lam + (rows(X) + 1) l^2/4))"},
    over=(*_SURROGATES, *_RECORDS_OF),
)
ONE_EIGENVALUE = statement(
    "R <= S, and S <= k R, and det(S) <= k det(R)",
    *("lam > 0", "v >= 0", "u^T u <= l^2"),
    where=_GRAM | {"k": "(v + 1/lam)/(v + 1/(lam + l^2/4))"},
    over=(*_SURROGATES, *_RECORDS_OF),
)
OF_ONE_FEATURE = statement(
    "log((v + 1/(lam + x/4))/(v + 1/(lam + (x + y^2)/4))) <= log((v + 1/lam)/(v + 1/(lam + n l^2/4)))",
    *("lam > 0", "v >= 0", "|y| <= l", "0 <= x <= n l^2"),
    over=(*_SURROGATES, real("x", 0, 100), real("y", -10, 10), integer("n", 0, 20)),
)
_PREDICTED = {  # from features X and labels y at a query g; then with a record (u, c) more
    "Z": "[X; u^T]",
    "K": "(X X^T + s^2 I)^{-1}",
    "L": "(Z Z^T + s^2 I)^{-1}",
    "m": "g^T X^T K y",
    "k": "g^T Z^T L [y; c]",
    "S": "v + g^T g - g^T X^T K X g",
    "R": "v + g^T g - g^T Z^T L Z g",
}
_BOUNDED = ("l >= 0", "B >= 0", "u^T u <= l^2", "g^T g <= l^2", "y^T y <= rows(X) B^2", "|c| <= B", "s > 0", "v > 0")
_PREDICTIONS = (
    matrix("X", 3, 2, -2, 2),
    *(vector(name, "reals", 2, -2, 2) for name in "ug"),
    vector("y", "reals", 3, -3, 3),
    real("c", -3, 3),
    *(real("l", 1, 3), real("B", "0.1", 3), real("s", "0.1", 10, "log"), real("v", "0.01", 10, "log")),
)
PREDICTION = statement(
    "|k - m|/sqrt(R) <= l B sqrt(rows(X) + 1)/(s sqrt(v)), and R <= S, and log(S/R) <= log((v + l^2)/v)",
    *_BOUNDED,
    where=_PREDICTED,
    over=_PREDICTIONS,
)
HALVED = statement(
    "|k - m|/sqrt(R) <= B t x/((1 + t^2) sqrt(v)), and R <= S"
    ", and log(S/R) <= log((v + l^2)/(v + l^2 s^2/(l^2 + s^2)))",
    *(*_BOUNDED, "tr(X X^T) <= rows(X) l^2"),
    where=_PREDICTED | {"x": "l sqrt(rows(X) + 1)/s", "t": "min(1, x)"},
    over=_PREDICTIONS,
)
_NONE = {f"X_{i}_{j}": 0 for i in (1, 2, 3) for j in (1, 2)}
_ALONG = {**_NONE, "X_1_1": 1, "X_2_1": 1, "X_3_1": 1, "u_1": 1, "u_2": 0, "g_1": 1, "g_2": 0}
OPPOSED = {**_ALONG, "y_1": -1, "y_2": -1, "y_3": -1, "c": 1, "l": 1, "B": 1, "s": "1.5", "v": "0.01"}
FIRST = {**_NONE, "u_1": 1, "u_2": 0, "l": 1, "lam": 1, "v": "0.5"}
