"""What a notebook and a page show: TeX as MathML, plain text with its symbols typeset, long formulas folded, tables.

The TeX is what this package writes: statements, SymPy's expressions, records. Only what browsers agree on is used
(MathML Core): no script, no font. A command that is not known is refused, never shown raw.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from ndis_verify.exact_number import InputError

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.S)
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi"
    " varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell infty partial hbar"
)
_GREEK = dict(zip(_GREEK_NAMES.split(), "αβγδεεζηθικλμνξπρστυϕφχψωΓΔΘΛΞΠΣΥΦΨΩℓ∞∂ħ", strict=True))
_OPERATORS = "log ln exp sin cos tan cot sinh cosh tanh coth arctan arcsin arccos det arg dim Pr min max sup inf lim"
_WORDS = _OPERATORS.split()
_UNDER = {"sum": "∑", "prod": "∏", **{word: word for word in ("min", "max", "sup", "inf", "lim")}}
_RELATIONS = {
    "=": "=",
    "<": "&lt;",
    ">": "&gt;",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "neq": "≠",
    "ne": "≠",
    "in": "∈",
    "iff": "⟺",
    "implies": "⟹",
    "to": "→",
    "rightarrow": "→",
    "sim": "∼",
    "approx": "≈",
    "mapsto": "↦",
    "equiv": "≡",
    "subseteq": "⊆",
    "subset": "⊂",
}
_SIGNS = {"+": "+", "-": "−", "pm": "±", "mp": "∓"}
_OTHERS = {
    "cdot": "⋅",
    "times": "×",
    "forall": "∀",
    "exists": "∃",
    "mid": "|",
    "ldots": "…",
    "dots": "…",
    "cdots": "⋯",
    "vdots": "⋮",
    "ddots": "⋱",
    "cup": "∪",
    "cap": "∩",
    "circ": "∘",
    "prime": "′",
    "ast": "∗",
    "top": "⊤",
    "wedge": "∧",
    "vee": "∨",
    "int": "∫",
    "otimes": "⊗",
}
_FENCES = {"{": "{", "}": "}", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "|": "‖", "langle": "⟨"}
_FENCES |= {"rangle": "⟩", "lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖"}
_SPACES = {",": 0.1667, ":": 0.2222, ";": 0.2778, "!": -0.1667, "quad": 1, "qquad": 2, " ": 0.25}
_BIG = {f"{size}{side}": em for size, em in (("big", 1.2), ("Big", 1.8)) for side in ("", "l", "r")}
_ACCENTS = {
    "hat": "^",
    "widehat": "^",
    "widetilde": "~",
    "bar": "¯",
    "overline": "¯",
    "tilde": "~",
    "dot": "˙",
    "vec": "→",
}
_DOUBLE = dict(zip("RZNECP", "ℝℤℕ𝔼ℂℙ", strict=True))
_SCRIPT = dict(zip("NPMLDF", "𝒩𝒫ℳℒ𝒟ℱ", strict=True))
_SHORT, _LONG = 3, 60  # characters up to which a relation stays beside its left side; after which products are broken


def mathml(tex: str, display: bool = False) -> str:
    """One `<math>` element; `display`: as a paragraph of its own. Raises `InputError` for TeX that is not known."""
    body = "".join(text for text, _ in _Reader(tex).all())
    return _math(f"<mrow>{body}</mrow>", tex, ' display="block"' if display else ' displaystyle="true"')


def wrapping(tex: str) -> str:
    """`<math>` elements in a row that lines may be broken between: before relations and signs, behind commas.

    No browser breaks a line inside of one element. The first carries the TeX of the whole as its annotation.
    """
    pieces: list[str] = []
    piece, size = "", 0
    for text, breaks in _Reader(tex).all():
        if (breaks == "before" and size > _SHORT) or (breaks == "factor" and size > _LONG):
            pieces.append(piece)
            piece, size = "", 0
        piece += text
        size += len(re.sub(r"<[^>]*>", "", text))
        if breaks == "behind":
            pieces.append(piece)
            piece, size = "", 0
    pieces += [piece] * bool(piece)
    made = [_math(f"<mrow>{p}</mrow>", tex if k == 0 else "", ' displaystyle="true"') for k, p in enumerate(pieces)]
    return "<wbr>".join(made)


def _math(body: str, tex: str, attributes: str) -> str:
    note = f'<annotation encoding="application/x-tex">{escape(tex)}</annotation>' if tex else ""
    inside = f"<semantics>{body}{note}</semantics>" if note else body
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{attributes}>{inside}</math>'


def _fence(text: str) -> str:
    return f'<mo stretchy="true" fence="true" lspace="0" rspace="0">{escape(text)}</mo>'


class _Reader:
    """The tokens of a TeX text, read from left to right. What is read is (MathML, where a line may be broken)."""

    def __init__(self, tex: str):
        self.tex = tex
        self.tokens = _TOKEN.findall(tex)
        self.at = 0

    def all(self) -> list[tuple[str, str]]:
        found = list(self.until(()))
        if self.at < len(self.tokens):
            raise self.wrong(self.tokens[self.at])
        return found

    def wrong(self, token: str) -> InputError:
        return InputError("tex", token, f"is not known, or not closed, in {self.tex[:80]}")

    def peek(self) -> str:
        """The next token that is no white space, "" at the end."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        if not token:
            raise self.wrong("the end")
        self.at += 1
        return token

    def until(self, stops: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        first = True
        while (token := self.peek()) and token not in (*stops, "}", r"\right", r"\end", "&", r"\\"):
            yield self.scripted(first)
            first = False

    def row(self, stops: tuple[str, ...] = ()) -> str:
        parts = [text for text, _ in self.until(stops)]
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def group(self) -> str:
        """An argument: a group in braces, or one token; of a number its first digit."""
        if self.peek() != "{":
            if (token := self.take())[:1].isdigit() and len(token) > 1:
                self.at -= 1
                self.tokens[self.at : self.at + 1] = [token[0], token[1:]]
                token = self.take()
            return self.atom(token, True)[0]
        self.take()
        inside = self.row()
        self.expect("}")
        return inside

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise self.wrong(token)

    def word(self) -> str:
        """The text of a group in braces, as it stands, or one letter."""
        if self.peek().isalpha():
            return self.take()
        self.expect("{")
        start = self.at
        while self.at < len(self.tokens) and self.tokens[self.at] != "}":
            self.at += 1
        self.at += 1
        return "".join(self.tokens[start : self.at - 1]).replace("\\", "")

    def scripted(self, first: bool) -> tuple[str, str]:
        token = self.take()
        base, breaks = self.atom(token, first)
        scripts: dict[str, str] = {}
        while self.peek() in ("^", "_", r"\limits", "'"):
            mark = self.take()
            if mark == "'":
                scripts["^"] = "<mo>′</mo>"
            elif mark == "^" and scripts.get(mark) == "<mo>′</mo>":
                scripts[mark] = f"<mrow>{scripts[mark]}{self.group()}</mrow>"
            elif mark != r"\limits":
                if mark in scripts:
                    raise self.wrong(mark)
                scripts[mark] = self.group()
        name = token[1:]
        if scripts:
            over = ("munder", "mover", "munderover") if name in _UNDER else ("msub", "msup", "msubsup")
            tag = over[2 if len(scripts) == 2 else "^" in scripts]
            ends = "".join(scripts[mark] for mark in "_^" if mark in scripts)
            base = f"<{tag}>{base}{ends}</{tag}>"
        if token.startswith("\\") and (name in _WORDS or name == "operatorname"):
            base += "<mo>⁡</mo>" if self.opens() else '<mspace width="0.1667em"/>'
        return base, breaks

    def opens(self) -> bool:
        """Whether a bracket follows, or a group that begins with one."""
        token = self.peek()
        return token in ("(", r"\left", "") or "".join(self.tokens[self.at : self.at + 2]).replace(" ", "") == r"{\left"

    def atom(self, token: str, first: bool) -> tuple[str, str]:
        """One node. `first`: in its row, so that a sign is a prefix."""
        name = token.removeprefix("\\") if len(token) > 1 else token
        command = token.startswith("\\") and len(token) > 1
        if token == "{":
            self.at -= 1
            return self.group(), ""
        if name in _RELATIONS and (command or name in "=<>"):
            return f'<mo form="infix">{_RELATIONS[name]}</mo>', "before"
        if name in _SIGNS and (command or name in "+-"):
            form, breaks = ("prefix", "") if first else ("infix", "before")
            return f'<mo form="{form}">{_SIGNS[name]}</mo>', breaks
        if command:
            return self.command(name)
        if token[0].isdigit():
            return f"<mn>{token}</mn>", ""
        if token.isalpha():
            return f"<mi>{token}</mi>", ""
        if token == ",":
            return "<mo>,</mo>", "behind"
        if token in "()[]|/;:.!*'":
            return f'<mo stretchy="false">{token}</mo>', ""
        raise self.wrong(token)

    def command(self, name: str) -> tuple[str, str]:
        if name in _GREEK:
            upright = ' mathvariant="normal"' if name[0].isupper() or name in ("infty", "partial") else ""
            return f"<mi{upright}>{_GREEK[name]}</mi>", ""
        if name in _UNDER and len(_UNDER[name]) == 1:
            return f'<mo movablelimits="false">{_UNDER[name]}</mo>', ""
        if name in _WORDS:
            return f"<mi>{name}</mi>", ""
        if name in _OTHERS:
            return f"<mo>{_OTHERS[name]}</mo>", ""
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}em"/>', "behind" if name in ("quad", "qquad") else ""
        if name in _FENCES:
            return f'<mo stretchy="false">{_FENCES[name]}</mo>', ""
        if name in ("frac", "dfrac", "tfrac"):
            return f"<mfrac>{self.group()}{self.group()}</mfrac>", "factor"
        if name == "sqrt":
            return self.root(), ""
        if name in _BIG:
            return f'<mo stretchy="true" minsize="{_BIG[name]}em">{self.fence_sign()}</mo>', ""
        if name == "left":
            return self.fenced(), "factor"
        if name == "begin":
            return self.table(), ""
        if name == "substack":
            return self.stack(), ""
        if name in _ACCENTS:
            return f'<mover accent="true">{self.group()}<mo>{_ACCENTS[name]}</mo></mover>', ""
        return self.lettered(name), ""

    def lettered(self, name: str) -> str:
        if name == "text":
            return f"<mtext>{escape(self.word())}</mtext>"
        if name in ("operatorname", "mathrm"):
            word = self.word()
            return f'<mi mathvariant="normal">{word}</mi>' if len(word) == 1 else f"<mi>{escape(word)}</mi>"
        if name in ("mathbb", "mathcal"):
            word = self.word()
            return f"<mi>{(_DOUBLE if name == 'mathbb' else _SCRIPT).get(word, word)}</mi>"
        if name == "rm":
            letters = ""
            while self.peek().isalpha():
                letters += self.take()
            return f"<mi>{letters}</mi>"
        if name in ("displaystyle", "textstyle"):
            return ""
        raise self.wrong(f"\\{name}")

    def root(self) -> str:
        if self.peek() != "[":
            return f"<msqrt>{self.group()}</msqrt>"
        self.take()
        index = self.row(("]",))
        self.expect("]")
        return f"<mroot>{self.group()}{index}</mroot>"

    def fence(self) -> str:
        text = self.fence_sign()
        return _fence(text) if text else ""

    def fence_sign(self) -> str:
        token = self.take()
        return _FENCES.get(token[1:], "") if token.startswith("\\") else token.replace(".", "")

    def fenced(self) -> str:
        left = self.fence()
        inside = self.row()
        self.expect(r"\right")
        return f"<mrow>{left}{inside}{self.fence()}</mrow>"

    def stack(self) -> str:
        """What is put in for several symbols at once, one below the other."""
        self.expect("{")
        rows = [self.row()]
        while (token := self.take()) != "}":
            if token != r"\\":
                raise self.wrong(token)
            rows.append(self.row())
        return "<mtable>" + "".join(f"<mtr><mtd>{row}</mtd></mtr>" for row in rows) + "</mtable>"

    def table(self) -> str:
        name = self.word()
        if name not in ("matrix", "pmatrix", "cases", "aligned"):
            raise self.wrong(name)
        rows = [[self.row()]]
        while (token := self.take()) != r"\end":
            if token == "&":
                rows[-1].append(self.row())
            elif token == r"\\":
                rows.append([self.row()])
            else:
                raise self.wrong(token)
        if self.word() != name:
            raise self.wrong(name)
        cells = "".join("<mtr>" + "".join(f"<mtd>{cell}</mtd>" for cell in row) + "</mtr>" for row in rows)
        fences = {"pmatrix": ("(", ")"), "cases": ("{", "")}.get(name, ("", ""))
        left, right = (_fence(one) if one else "" for one in fences)
        return f"<mrow>{left}<mtable>{cells}</mtable>{right}</mrow>"


_NAMES = (
    "eps epsilon delta Delta sigma Sigma lam lambda mu nu rho tau kappa alpha beta gamma Gamma theta omega phi Phi pi"
    " psi xi"
)
_LETTERS = dict(zip(_NAMES.split(), "εεδΔσΣλλμνρτκαβγΓθωφΦπψξ", strict=True))
_NAME = re.compile(
    r"(?<![\w.`])(?<!--)({})(?=\d*(?:_|(?!\w)))".format("|".join(sorted(_LETTERS, key=len, reverse=True)))
)
_RAISED = (
    r"\{([^{}]*)\}|([-−]?(?:\d+|[A-Za-zα-ωΑ-Ω](?![A-Za-z])))"  # what is raised: a group in braces, a number, a letter
)
_POWER = re.compile(rf"(?<=[\w)\]>}}'′‖|])\^(?:{_RAISED}|([α-ω])|(\|[^|]{{1,40}}\|)|((?:max|min|log)\([^()]*\)))")
# behind one letter or a bracket: words, the last one with a digit
_SPELT = r"((?:(?<=(?<!\w)\w_)|(?<=\]_))[A-Za-z]{2,12}\d?(?:_[a-z]{2,12})?)(?!\w|[.]\w)"
_INDEX = re.compile(rf"(?<=[\w)\]>}}∑∏])_(?:{_RAISED}|{_SPELT})")
_NUMBERED = re.compile(r"(?<![\w./^-])(?<!\^-)([A-Za-z])(\d)(?!\w|[.]\w)")  # S1, t0: no part of a name
_CODE = re.compile(r"(?<![\w.`/-])((?:[a-z]\w+[.])?[a-z]{3,}(?:_[a-z\d]{2,})+)(?![\w`/]|[.]\w)")  # hockey_stick
_INDEXED = {*_LETTERS, "sum", "prod", "max", "min", "sup", "inf", "log"}
_FOLD = 700  # characters of TeX that are shown at once


def prose(text: str) -> str:
    """Plain text of the ledger as HTML: symbols by their letters, powers raised, indices lowered, code as code."""
    parts = re.split(r"`([^`]*)`", _CODE.sub(_as_code, text))
    return "".join(f"<code>{escape(part)}</code>" if k % 2 else _typeset(part) for k, part in enumerate(parts))


def letters(text: str) -> str:
    """The names of letters by the letters themselves, for places that hold no markup."""
    return _NAME.sub(lambda m: _LETTERS[m.group(1)], text).replace("->", "→").replace("→ infinity", "→ ∞")


def _as_code(found: re.Match[str]) -> str:
    """A name of the package between backticks; an index of a letter that is written out is none."""
    return found[0] if found[0].partition("_")[0] in _INDEXED else f"`{found[0]}`"


def _typeset(text: str) -> str:
    text = letters(re.sub(r"\bchi(?='?\^2)", "χ", text))
    text = re.sub(r"\bsqrt (?=\d)", "√", _NUMBERED.sub(r"\1_{\2}", text))
    text = re.sub(r"(?<=[α-ωΓΔΣΦ])(\d+)(?![\d.]*\w)", r"_{\1}", text)
    text = re.sub(r"(?<=[α-ω])_([A-Z]{2})_([a-z]+)\b", r"_{\1, \2}", text)
    text = re.sub(r"(?<![\w-])-(?=[α-ω\d(])|(?<= )-(?= )", "−", text)
    text = re.sub(r"\bsum(?=_| \w_)", "∑", re.sub(r"\bprod(?=_| \w_)", "∏", text))
    text = escape(text.replace("<=", "≤").replace(">=", "≥").replace("||", "‖"), quote=False)
    for _ in range(3):  # from the inside
        text = _INDEX.sub(_script("sub"), _POWER.sub(_script("sup"), text))
    return text.replace("sqrt(", "√(").replace(" +/- ", " ± ")


def _script(tag: str) -> Callable[[re.Match[str]], str]:
    def made(found: re.Match[str]) -> str:
        inside = next(part for part in found.groups() if part is not None)
        inside = re.sub("^-", "−", inside).replace("chi2", "χ²")
        inside = re.sub(r"(?<=[A-Za-z]{2})_(?=[a-z]{2})", ", ", inside)
        return f"<{tag}>{_LETTERS.get(inside, inside)}</{tag}>"

    return made


def style_sheet() -> str:
    """How every page of this package looks."""
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def folded(formula: str, size: int) -> str:
    """A formula in a box that scrolls by itself; behind a line to open where it is long, never cut."""
    box = f'<div class="formula" tabindex="0">{formula}</div>'
    return box if size <= _FOLD else f"<details><summary>A long formula: show it</summary>{box}</details>"


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and HTML values, one a line; empty values are left out."""
    cells = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{html}</td></tr>' for name, html in rows if html)
    return f"<table>{cells}</table>"


def field_table(record: Any, title: str = "") -> str:
    """The fields of a record; a field that is a record or an enclosure is shown as such."""
    rows = table((name.replace("_", " "), _value(getattr(record, name))) for name in record.__dataclass_fields__)
    return f"<p><b>{escape(title or type(record).__name__)}</b></p>{rows}"


def _value(value: Any) -> str:
    if value is None or (isinstance(value, (tuple, str)) and not value):
        return ""
    shown = getattr(value, "_repr_html_", None)
    if shown is not None and not isinstance(value, type):
        return str(shown())
    if isinstance(value, Mapping):
        return table((str(name), _value(entry)) for name, entry in value.items())
    if hasattr(value, "__dataclass_fields__"):
        return table((name.replace("_", " "), _value(getattr(value, name))) for name in value.__dataclass_fields__)
    text = str(value.tolist() if hasattr(value, "tolist") else value)  # an array is shown whole
    return escape(text) if len(text) <= _FOLD else f"<details><summary>show</summary>{escape(text)}</details>"
