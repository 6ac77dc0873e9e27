"""Sides and steps of derivations as TeX and as HTML with MathML."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter

from ndis_verify.rich import folded, prose, wrapping
from ndis_verify.symbolic.heads import head_tex, meanings

_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}
_LETTER = re.compile(r"([A-Za-z])(i?)(t?)(\d*)")
_RAISED = 45  # letters of TeX up to which an exponent with a fraction is raised
_WHOLE = {"eps": "epsilon", "lam": "lambda"}


class _Printer(LatexPrinter):
    """SymPy's TeX with the letters of block algebras as what they stand for: zt is z^T, Ri is R^{-1}."""

    _apart = False  # whether numbers that are products of letters are factors of one product

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        name = expr.name
        if found := re.fullmatch(r"logdet([A-Z])_?(\d)", name):
            return rf"\log\det {found[1]}_{{{found[2]}}}"
        if not expr.is_commutative and (found := _LETTER.fullmatch(name)):
            return _letter(found)
        head = re.match(r"[A-Za-z]*", name)
        if head and head.group() in _WHOLE:
            name = _WHOLE[head.group()] + name[head.end() :]
        text = str(super()._print_Symbol(sp.Symbol(name)))
        return re.sub(r"(?<![\\A-Za-z])([A-Za-z]{2,})", r"\\mathrm{\1}", text)

    def _print_Pow(self, expr: Any) -> str:
        found = _LETTER.fullmatch(getattr(expr.base, "name", "")) if not expr.base.is_commutative else None
        if found and expr.exp.is_Integer and (found.group(2) or found.group(3)):
            return _letter(found, int(expr.exp))
        if isinstance(expr.base, sp.UnevaluatedExpr):  # what is held may be a power itself: never two exponents
            return rf"\left({self._print(expr.base)}\right)^{{{self._print(expr.exp)}}}"
        return str(super()._print_Pow(expr))

    def _print_UnevaluatedExpr(self, expr: Any) -> str:
        return str(self._print(expr.args[0]))

    def _print_Function(self, expr: Any, exp: str = "") -> str:
        inside = list(map(self._print, expr.args))
        if expr.func.__name__ == "transpose" and "^" in inside[0]:  # never two exponents
            inside[0] = rf"\left({inside[0]}\right)"
        found = head_tex(expr.func.__name__, inside)
        if found is None:
            return str(super()._print_Function(expr, exp or None))
        return rf"\left({found}\right)^{{{exp}}}" if exp else found

    def _print_ExpBase(self, expr: Any, exp: str = "") -> str:
        """A power of e; a long exponent with fractions is not raised, where nobody could read it."""
        inside = self._print(expr.exp)
        if not exp and r"\frac" in inside and len(inside) > _RAISED:
            return rf"\exp\left({inside}\right)"
        return str(super()._print_ExpBase(expr, exp or None))

    def _print_Mul(self, expr: Any) -> str:
        """Numbers that are products of letters stand in brackets beside one another: they are no longer product."""
        numbers = sum(factor.func.__name__ == "scalar" for factor in expr.args)
        before, self._apart = self._apart, numbers > 1
        try:
            return str(super()._print_Mul(expr))
        finally:
            self._apart = before

    def _print_scalar(self, expr: Any, exp: str = "") -> str:
        apart, self._apart = self._apart, False
        inside = self._print(expr.args[0])
        self._apart = apart
        if exp:
            return rf"\left({inside}\right)^{{{exp}}}"
        return rf"\left({inside}\right)" if apart else str(inside)


def _letter(found: re.Match[str], power: int = 1) -> str:
    base, inverse, transposed, index = found.groups()
    up = (f"-{power}" if inverse else str(power) if power > 1 else "") + "T" * bool(transposed)
    return base + (f"_{{{index}}}" if index else "") + (f"^{{{up}}}" if up else "")


@lru_cache(maxsize=4096)
def _printed(side: Any) -> str:
    return str(_Printer({"fold_short_frac": False, "mat_str": "matrix"}).doprint(side))


def side_tex(side: Any) -> str:
    """A side of a step in TeX: a SymPy expression, a matrix, a product of letters, a number."""
    return _printed(sp.ImmutableMatrix(side) if isinstance(side, sp.MatrixBase) else sp.S(side))


def relation_tex(step: Any) -> str:
    """Both sides of a `Step`, as they stand, and the relation between them; "" for prose."""
    if step.lhs is None or step.rhs is None:
        return ""
    return f"{side_tex(step.lhs)} {_SIGNS[step.relation]} {side_tex(step.rhs)}"


def step_html(step: Any, outcome: str = "", caught: tuple[str, ...] = (), named: Any = escape) -> str:
    """A `Step`: name, method, both sides, the witness of an inequality, reason, premises, planted faults that it
    catches. `named`: how the name of a premise is written (a link, on a page that holds it).
    """
    lines = [
        f'<p class="head"><b>{prose(step.name)}</b> <small class="method">{escape(method(step))}</small> {outcome}</p>'
    ]
    if step.lhs is not None and step.relation == "=" and step.lhs == step.rhs:
        tex = side_tex(step.rhs)
        lines.append("<p>Worked out, both sides are</p>" + folded(wrapping(tex), len(tex)))
    elif tex := relation_tex(step):
        lines.append(folded(wrapping(tex), len(tex)))
    if step.witness is not None and step.witness != step.lhs:
        tex = side_tex(step.witness)
        lines.append("<p>The difference of the sides, whose sign is seen:</p>" + folded(wrapping(tex), len(tex)))
    lines.append(f'<p class="why">{prose(step.why)}</p>')
    if text := _premises(step, named):
        scrolls = ' tabindex="0"' if "<math" in text else ""  # where a condition is wider than a phone
        lines.append(f'<p class="premises"{scrolls}>From: {text}</p>')
    if caught:
        faults = "".join(f"<li>{prose(fault)}</li>" for fault in caught)
        lines.append(f'<div class="caught"><p>Faults that it catches:</p><ul>{faults}</ul></div>')
    return "".join(lines)


def _premises(step: Any, named: Any) -> str:
    given = [named(p) if isinstance(p, str) else _use(p, named) for p in step.premises]
    shown = [
        f"{prose(name)}: {named(one) if isinstance(one, str) else _condition(one)}"
        for name, one in step.conditions.items()
    ]
    return "; ".join([*([prose(step.fact)] if step.fact else []), *given, *shown])


def _condition(step: Any) -> str:
    """A small `Step` that shows a condition of a fact, within a line."""
    tex = relation_tex(step)
    return wrapping(tex) if tex else prose(step.text)


def _use(use: Any, named: Any) -> str:
    return named(use.step) if use.of is None else f"{prose(use.step)} of {prose(use.lemma.title)}"


def method(step: Any) -> str:
    """How a step is settled, in a word or two."""
    if step.kind != "identity":
        words = {"argument": "argued in words", "fact": "standard fact", "inference": "inference from its premises"}
        return words.get(step.kind, str(step.kind))
    if step.relation != "=":
        return "inequality with witness"
    return "identity of matrices" if step.algebra is not None else "identity"


def derivation_html(derivation: Any, outcomes: Any = None, prefix: str = "step") -> str:
    """A `Derivation`: what is given, and its numbered steps. `outcomes`: step name -> text beside the name."""
    numbers = {step.name: k for k, step in enumerate(derivation.steps, 1)}

    def named(name: str) -> str:
        number = numbers.get(name)
        return f'<a href="#{prefix}-{number}">({number}) {prose(name)}</a>' if number else prose(name)

    given = "".join(f"<li>{prose(h)}</li>" for h in derivation.given)
    steps = "".join(
        f'<li id="{prefix}-{k}">'
        + step_html(
            step,
            (outcomes or {}).get(step.name, ""),
            tuple(fault.name for fault in derivation.faults if fault.step == step.name),
            named,
        )
        + "</li>"
        for k, step in enumerate(derivation.steps, 1)
    )
    small = [one for step in derivation.steps for one in step.conditions.values() if not isinstance(one, str)]
    sides = [side for step in (*derivation.steps, *small) for side in (step.lhs, step.rhs)]
    words = "; ".join(prose(text) for text in meanings(sides))
    head = f'<p><b>{prose(derivation.title)}</b></p><ul class="given">{given}</ul>'
    head += f'<p class="soft">Here {words}.</p>' if words else ""
    return f'<div class="derivation">{head}<ol class="steps">{steps}</ol></div>'
