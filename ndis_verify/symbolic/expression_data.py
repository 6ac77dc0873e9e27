"""SymPy expressions as nested lists that begin with a head, as statements are written in JSON: for readers that have no
SymPy. Nothing is rearranged or evaluated on the way."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.zero import as_expression

_HEADS = {
    "Abs": "abs",
    "Add": "add",
    "Max": "max",
    "Min": "min",
    "Mul": "mul",
    "Pg": "gamma_p",
    "Phi": "Phi",
    "Pow": "pow",
    "Qg": "gamma_q",
    **{name: name for name in ("cos", "cosh", "cot", "erf", "erfc", "erfinv", "exp", "factorial", "gamma", "log")},
    **{name: name for name in ("atan", "floor", "sin", "sinh", "tan", "tanh")},
}
_NAMED = ("divergence", "gamma_q", "mean_shift", "mills", "Phi", "projection", "projection_insert")
_BINDERS = ("root", "series")  # a variable, two ends and a body
_SIGNS = ("positive", "negative", "nonnegative", "nonpositive", "integer")


class NotExportable(ValueError):
    """An expression with a part that has no head; the text names the part."""


def expression_data(value: Any) -> list[Any]:
    """`value` (a scalar expression or an int) as lists: `["add", ["variable", "x"], ["number", "1/2"]]`."""
    node = as_expression(value)
    if isinstance(node, sp.Rational):
        return ["number", str(node)]
    if isinstance(node, sp.Symbol):
        return ["variable" if node.is_commutative else "letter", node.name]
    if node is sp.pi:
        return ["pi"]
    if node is sp.E:
        return ["exp", ["number", "1"]]
    name = type(node).__name__
    if name in _BINDERS:
        return [name, node.args[0].name, *(expression_data(part) for part in node.args[1:])]
    if isinstance(node, sp.UnevaluatedExpr):
        return expression_data(node.args[0])
    if isinstance(node, sp.Integral) and len(node.limits) == 1 and len(node.limits[0]) == 3:
        variable, *ends = node.limits[0]
        return ["integral", variable.name, *map(_end, ends), expression_data(node.function)]
    if isinstance(node, sp.Derivative):
        found = expression_data(node.expr)
        for variable, times in node.variable_count:
            for _ in range(int(times)):
                found = ["derivative", variable.name, found]
        return found
    head = _HEADS.get(name, name if name in _NAMED else None)
    if head is None:
        raise NotExportable(type(node).__name__)
    return [head, *(expression_data(part) for part in node.args)]


def _end(value: sp.Expr) -> list[Any]:
    """An end of an integral, which may be infinite."""
    if value in (sp.oo, -sp.oo):
        return ["infinity"] if value is sp.oo else ["neg", ["infinity"]]
    return expression_data(value)


def declared_signs(*values: Any) -> dict[str, list[str]]:
    """What the symbols of the expressions are declared to be, by name; raises where two of one name differ."""
    found: dict[str, list[str]] = {}
    for symbol in sorted(set().union(*(as_expression(v).free_symbols for v in values)), key=str):
        if not symbol.is_commutative:
            continue
        words = [word for word in _SIGNS if getattr(symbol, f"is_{word}")]
        words = [w for w in words if not (w.startswith("non") and {"positive", "negative"} & set(words))]
        if found.setdefault(symbol.name, words) != words:
            raise NotExportable(f"two symbols called {symbol.name}")
    return found
