"""Terms as plain text and as TeX, in the author's order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.terms import Term

_GREEK = {
    "eps": r"\varepsilon",
    **{name: f"\\{name}" for name in ("alpha", "beta", "delta", "rho", "sigma", "tau", "nu", "mu", "kappa")},
    "lam": r"\lambda",
    "Delta": r"\Delta",
}
_OPEN, _SUM, _PRODUCT, _POWER, _ATOM = range(5)  # how tightly a text holds together
_SIGNS = {"add": " + ", "sub": " - "}
_BAR_AS_FACTOR = re.compile(r"[\w)}\]|] \|")  # inside bars it would be read as their end
_DIGIT_FIRST = re.compile(r"(?:\\frac{)*\d")  # behind a number it would be read as part of that number
_BETWEEN = {"beside": ", ", "above": "; "}
_BIG = {"sum": r"\sum_i", "product": r"\prod_i"}


def plain(term: Term) -> str:
    """`term` in the plain text of the ledger."""
    return _plain(term)[0]


def tex(term: Term) -> str:
    """`term` in TeX, for a mathematical environment."""
    return _tex(term)[0]


def tex_name(name: str) -> str:
    """A variable in TeX: Greek letters as such, words upright, a number at the end or after _ as an index."""
    head, _, index = name.partition("_")
    if not index and (found := re.fullmatch(r"([A-Za-z]+?)(\d+)", name)):
        head, index = found.groups()
    body = _GREEK.get(head) or (head if len(head) == 1 else f"\\mathrm{{{head}}}")
    return f"{body}_{{{index}}}" if index else body


def number_text(value: Fraction) -> str:
    """A whole number, or numerator/denominator."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _decimal(value: Fraction) -> str:
    """A short decimal as such; nothing for a unit fraction, or where there is no short one."""
    text = f"{float(value):.6g}" if abs(value.numerator) < 10**6 * value.denominator else "e"
    short = value.denominator > 1 and abs(value.numerator) > 1 and "e" not in text and Fraction(text) == value
    return text if short and value.denominator > 3 else ""


def _wrapped(found: tuple[str, int], least: int, brackets: tuple[str, str] = ("(", ")")) -> str:
    text, level = found
    return text if level >= least else f"{brackets[0]}{text}{brackets[1]}"


def _plain(term: Term) -> tuple[str, int]:
    args = [_plain(arg) for arg in term.args]
    match term.head:
        case "number":
            return _decimal(term.number) or number_text(term.number), _number_level(term.number)
        case "variable":
            return term.name, _ATOM
        case "coordinate":
            return f"{term.name}_i", _ATOM
        case "neg":
            return "-" + _wrapped(args[0], _PRODUCT), _SUM
        case "add" | "sub":
            least = _SUM if term.head == "add" and not args[1][0].startswith("-") else _PRODUCT
            return _wrapped(args[0], _SUM) + _SIGNS[term.head] + _wrapped(args[1], least), _SUM
        case "mul":
            if term.args[0].head == "div":
                return f"({args[0][0]}) {_wrapped(args[1], _POWER)}", _PRODUCT
            return f"{_wrapped(args[0], _PRODUCT)} {_wrapped(args[1], _POWER)}", _PRODUCT
        case "div":
            numbers = re.fullmatch(r"\(?-?\d+\)?", args[0][0]) and args[1][0].isdigit()  # without brackets, one number
            above = _wrapped(args[0], _PRODUCT)
            slope = re.search(r"\bd$", above) and re.match(r"d[A-Za-z]", args[1][0])  # without brackets, d/dx
            below = f"({args[1][0]})" if numbers or slope else _wrapped(args[1], _POWER)
            return f"{above}/{below}", _PRODUCT
        case "pow":
            return f"{_wrapped(args[0], _ATOM)}^{_wrapped(args[1], _ATOM, ('{', '}'))}", _POWER
        case "exp":
            return f"e^{_wrapped(args[0], _ATOM, ('{', '}'))}", _POWER
        case "sum" | "product":
            return f"{'sum' if term.head == 'sum' else 'prod'}_i {_wrapped(args[0], _PRODUCT)}", _OPEN
        case "sup" | "inf":
            return f"{term.head}_{{{args[0][0]} <= {term.name} <= {args[1][0]}}} {_wrapped(args[2], _PRODUCT)}", _OPEN
        case "derivative":
            return f"d/d{term.name} ({args[0][0]})", _POWER
        case "transpose":
            return f"{_wrapped(args[0], _ATOM)}^T", _POWER
        case "vector":
            return f"({', '.join(text for text, _ in args)})", _ATOM
        case "beside" | "above":
            return f"[{_BETWEEN[term.head].join(text for text, _ in args)}]", _ATOM
        case "abs" if _BAR_AS_FACTOR.search(args[0][0]):
            return f"|({args[0][0]})|", _ATOM
    return QUANTITIES[term.head].plain.format(*(text for text, _ in args)), _ATOM


def _tex(term: Term) -> tuple[str, int]:
    args = [_tex(arg) for arg in term.args]
    round_ = (r"\left(", r"\right)")
    match term.head:
        case "number":
            value = term.number
            size = f"\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
            text = str(value.numerator) if value.denominator == 1 else ("-" if value < 0 else "") + size
            return _decimal(value) or text, _number_level(value)
        case "variable":
            return tex_name(term.name), _ATOM
        case "coordinate":
            return tex_name(term.name + "_i"), _ATOM
        case "neg":
            return "-" + _wrapped(args[0], _PRODUCT, round_), _SUM
        case "add" | "sub":
            least = _SUM if term.head == "add" and not args[1][0].startswith("-") else _PRODUCT
            return _wrapped(args[0], _SUM, round_) + _SIGNS[term.head] + _wrapped(args[1], least, round_), _SUM
        case "mul":
            second = _wrapped(args[1], _PRODUCT, round_)
            between = r" \cdot " if term.args[1].head == "number" or _DIGIT_FIRST.match(second) else r"\,"
            return _wrapped(args[0], _PRODUCT, round_) + between + second, _PRODUCT
        case "div":
            return f"\\frac{{{args[0][0]}}}{{{args[1][0]}}}", _PRODUCT
        case "pow":
            return f"{_wrapped(args[0], _ATOM, round_)}^{{{args[1][0]}}}", _POWER
        case "exp":
            return f"e^{{{args[0][0]}}}", _POWER
        case "sum" | "product":
            return f"{_BIG[term.head]} {_wrapped(args[0], _PRODUCT, round_)}", _OPEN
        case "sup" | "inf":
            under = f"{args[0][0]} \\le {tex_name(term.name)} \\le {args[1][0]}"
            return f"\\{term.head}_{{{under}}} {_wrapped(args[2], _PRODUCT, round_)}", _OPEN
        case "derivative":
            return rf"\frac{{d}}{{d{tex_name(term.name)}}}\left({args[0][0]}\right)", _POWER
        case "transpose":
            return f"{_wrapped(args[0], _ATOM, round_)}^{{T}}", _POWER
        case "vector":
            return rf"\left({', '.join(text for text, _ in args)}\right)", _ATOM
        case "beside":
            blocks = r" \;\; ".join(text for text, _ in args)
            return rf"\left[{blocks}\right]", _ATOM
        case "above":
            rows = r" \\ ".join(text for text, _ in args)
            return rf"\left[\begin{{matrix}}{rows}\end{{matrix}}\right]", _ATOM
    return QUANTITIES[term.head].tex.format(*(text for text, _ in args)), _ATOM


def _number_level(value: Fraction) -> int:
    return _SUM if value < 0 else _ATOM if value.denominator == 1 or _decimal(value) else _PRODUCT


def meanings(heads: Mapping[str, None] | list[str]) -> list[str]:
    """What the named quantities among `heads` stand for, each once, in that order."""
    return [QUANTITIES[head].means for head in dict.fromkeys(heads) if head in QUANTITIES and QUANTITIES[head].means]
