"""Statements: variables with ranges, hypotheses, and a relation that holds wherever the hypotheses do.

The ranges say where a statement is searched, the hypotheses where it speaks. The searched domain is the ranges cut down
by the hypotheses as they are printed, and by nothing else: leave a hypothesis out, and the search goes where it kept
it from going.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_letters
from typing import Any, Literal

from ndis_verify.exact_number import InputError, exact
from ndis_verify.rich import folded, wrapping
from ndis_verify.statements.printing import meanings, plain, tex, tex_name
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.shapes import Shape, compared, shape_of
from ndis_verify.statements.terms import Term, coordinate_names, free_names, nodes, term, variable

Sign = Literal["=", "<=", ">=", "<", ">"]
Scale = Literal["linear", "log", "logit"]
VariableKind = Literal["real", "integer", "reals", "integers", "law", "matrix", "square", "symmetric", "orthogonal"]
_MATRICES = ("matrix", "square", "symmetric", "orthogonal")
_MOST_ENTRIES = 64
_SIGNS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">"}
_TURNED: dict[Sign, Sign] = {">": "<", ">=": "<="}
_KIND_WORDS = {  # of one, of several; {1} and {2} are the letters of their sizes
    "real": ("real {0}", "real {0}"),
    "integer": ("whole {0}", "whole {0}"),
    "reals": ("real vector {0}", "real vectors {0}"),
    "integers": ("vector {0} of whole numbers", "vectors {0} of whole numbers"),
    "law": ("law {0} on {1} points", "laws {0} on {1} points"),
    "matrix": ("real {1} x {2} matrix {0}", "real {1} x {2} matrices {0}"),
    "square": ("real {1} x {2} matrix {0}", "real {1} x {2} matrices {0}"),
    "symmetric": ("symmetric {1} x {2} matrix {0}", "symmetric {1} x {2} matrices {0}"),
    "orthogonal": ("orthogonal {1} x {2} matrix {0}", "orthogonal {1} x {2} matrices {0}"),
}
_TEX_SETS = {
    "real": r"\mathbb{{R}}",
    "integer": r"\mathbb{{Z}}",
    "reals": r"\mathbb{{R}}^{0}",
    "integers": r"\mathbb{{Z}}^{0}",
    "law": r"\mathcal{{P}}_{0}",
    "matrix": r"\mathbb{{R}}^{{{0} \times {1}}}",
    "square": r"\mathbb{{R}}^{{{0} \times {1}}}",
    "symmetric": r"\mathbb{{S}}^{0}",
    "orthogonal": r"\mathrm{{O}}({0})",
}
_NAME = re.compile(r"(?!.*_i$)[A-Za-z][A-Za-z0-9_]*")
_NOTATION = {"i", "and", "if", "only", "where", *(q.plain.partition("(")[0] for q in QUANTITIES.values())}
_SIZES = "kndmjh" + "".join(sorted(set(ascii_letters) - set("kndmjh") - set("eiIT")))  # letters of them


@dataclass(frozen=True)
class Variable:
    """A variable and where it is searched.

    kind "real" and "integer": numbers in [low, high]. "reals" and "integers": vectors of `size` such numbers. "law": a
    probability law on `size` points, searched by positive weights in [low, high]. "matrix": of `size` rows and
    `columns` columns; "square", "symmetric" and "orthogonal": of `size` rows. Entries off the diagonal of a symmetric
    matrix go from -high to high; an orthogonal one is (I - K)(I + K)^{-1} with signs of its columns, which every one is
    for a skew K of entries in [-1, 1]: searched by those above its diagonal and, on it, by the signs. scale: of the
    search ("linear", "log" or "logit").
    """

    name: str
    kind: VariableKind
    low: Any  # exact numbers; Fractions from then on
    high: Any
    scale: Scale = "linear"
    size: int = 1
    columns: int = 1

    def __post_init__(self) -> None:
        _require_name(self.name)
        if self.kind not in _KIND_WORDS:
            raise InputError("kind", self.kind, f"must be one of {', '.join(_KIND_WORDS)}")
        for name in ("low", "high"):
            object.__setattr__(self, name, exact(getattr(self, name), f"{name} of {self.name}"))
        if self.low > self.high or (self.kind == "law" and self.low <= 0):
            raise InputError(f"range of {self.name}", f"[{self.low}, {self.high}]", "must not be empty; weights > 0")
        if self.kind == "orthogonal" and (self.low, self.high) != (-1, 1):
            raise InputError(
                f"range of {self.name}", f"[{self.low}, {self.high}]", "must be [-1, 1], which meets them all"
            )
        if self.scale not in ("linear", "log", "logit"):
            raise InputError("scale", self.scale, "must be linear, log or logit")
        single = self.kind in ("real", "integer")
        if not isinstance(self.size, int) or self.size < 1 or (single and self.size > 1):
            raise InputError(f"size of {self.name}", self.size, "must be a whole number >= 1; 1 for a scalar")
        if not isinstance(self.columns, int) or self.columns < 1 or (self.kind != "matrix" and self.columns > 1):
            raise InputError(f"columns of {self.name}", self.columns, "must be whole, >= 1; 1 but for n x d matrices")
        if self.kind in _MATRICES and self.size * self.columns > _MOST_ENTRIES:
            raise InputError(f"size of {self.name}", self.size, f"must leave at most {_MOST_ENTRIES} entries")

    @property
    def is_vector(self) -> bool:
        return self.kind in ("reals", "integers", "law")

    @property
    def shape(self) -> Shape:
        """() of a number, (k,) of a vector, (n, d) of a matrix."""
        if self.kind in _MATRICES:
            return (self.size, self.columns if self.kind == "matrix" else self.size)
        return (self.size,) if self.is_vector else ()

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of the numbers that it is searched by: x; x_1, x_2; x_1_1, x_1_2, ... by rows."""
        if self.kind not in _MATRICES:
            return tuple(f"{self.name}_{i + 1}" for i in range(self.size)) if self.is_vector else (self.name,)
        least = {"symmetric": 0, "orthogonal": 0}.get(self.kind, -self.size)
        rows, columns = self.shape
        places = [(i, j) for i in range(rows) for j in range(columns) if j - i >= least]
        return tuple(f"{self.name}_{i + 1}_{j + 1}" for i, j in places)


@dataclass(frozen=True)
class Relation:
    """left sign right; a relation between coordinates holds for every one of them."""

    left: Any  # a Term; numbers are made one
    sign: Sign
    right: Any

    def __post_init__(self) -> None:
        if self.sign not in _SIGNS:
            raise InputError("sign", self.sign, f"must be one of {', '.join(_SIGNS)}")
        object.__setattr__(self, "left", term(self.left))
        object.__setattr__(self, "right", term(self.right))

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.left, self.right

    def plain(self) -> str:
        return f"{plain(self.left)} {self.sign} {plain(self.right)}"

    def tex(self) -> str:
        return f"{tex(self.left)} {_SIGNS[self.sign]} {tex(self.right)}"


@dataclass(frozen=True)
class Joined:
    """Two or more relations: all of them ("and"), or each exactly where the other holds ("iff", two of them)."""

    how: Literal["and", "iff"]
    parts: tuple[Relation | Joined, ...]

    def __post_init__(self) -> None:
        if self.how not in ("and", "iff") or len(self.parts) < 2 or (self.how == "iff" and len(self.parts) != 2):
            raise InputError("how", self.how, "must be `and` of two or more relations, or `iff` of two")

    @property
    def terms(self) -> tuple[Term, ...]:
        return tuple(t for part in self.parts for t in part.terms)

    def plain(self) -> str:
        """The relations, those that are joined themselves in brackets."""
        between = ", and " if self.how == "and" else " if and only if "
        return between.join(f"({p.plain()})" if isinstance(p, Joined) else p.plain() for p in self.parts)

    def tex(self) -> str:
        between = r" \quad\text{and}\quad " if self.how == "and" else r" \iff "
        inner = [rf"\left({p.tex()}\right)" if isinstance(p, Joined) else p.tex() for p in self.parts]
        return between.join(inner)


Claimed = Relation | Joined


def plain_relations(claimed: Claimed) -> list[Relation]:
    """The relations that a claimed one is made of."""
    return [claimed] if isinstance(claimed, Relation) else [r for part in claimed.parts for r in plain_relations(part)]


@dataclass(frozen=True)
class Statement:
    """For all `variables` that satisfy the `hypotheses`, `claimed` holds; `where` names terms, later ones of earlier.

    Raises `InputError` for a name that is used and not declared, declared twice, or declared and not used, and for one
    that is printed as notation or as another name is: e^x of a variable e, x^T of a variable T, x1 beside x_1.
    """

    variables: tuple[Variable, ...]
    hypotheses: tuple[Relation, ...]
    claimed: Claimed
    where: tuple[tuple[str, Term], ...] = ()

    def __post_init__(self) -> None:
        names = [v.name for v in self.variables] + [name for name, _ in self.where]
        if len(set(names)) < len(names):
            raise InputError("variables", ", ".join(names), "must have different names")
        _require_apart(names, [node for t in self.all_terms() for node in nodes(t)])
        known = {v.name for v in self.variables}
        for name, value in self.where:
            _require_known(value, known)
            known.add(name)
        for one in (*self.claimed.terms, *(t for h in self.hypotheses for t in h.terms)):
            _require_known(one, known)
        for one in (*self.claimed.terms, *(value for _, value in self.where)):
            _require_indexed(one)
        for one in self.all_terms():
            self._require_fixed(one)
        self.require_shapes()
        used = set().union(*(free_names(t) for t in self.all_terms()))
        if idle := [name for name in names if name not in used]:
            raise InputError("variables", ", ".join(idle), "must be spoken of in the statement")

    def all_terms(self) -> tuple[Term, ...]:
        """The terms of the relation, of the definitions and of the hypotheses."""
        defined = tuple(value for _, value in self.where)
        return (*self.claimed.terms, *defined, *(t for h in self.hypotheses for t in h.terms))

    def _require_fixed(self, one: Term) -> None:
        """That no named term stands under a slope or an extremum in a variable that it speaks of."""
        for node in nodes(one):
            if node.head in ("sup", "inf", "derivative"):
                for name, value in self.named_in([node.args[-1]]):
                    if node.name == name and node.head == "derivative":
                        raise InputError("derivative", name, "must be in a variable, and not in a named term")
                    if node.name in free_names(value):
                        raise InputError(node.head, name, f"must be written out under {node.head} in {node.name}")

    def named_in(self, terms: Sequence[Term] | None = None) -> list[tuple[str, Term]]:
        """The named terms in their order; where `terms` are given, those alone that they speak of, directly or not."""
        if terms is None:
            return list(self.where)
        spoken, found = set().union(*map(free_names, terms)), []
        for name, value in reversed(self.where):
            if name in spoken:
                spoken |= free_names(value)
                found.append((name, value))
        return found[::-1]

    @property
    def shapes(self) -> dict[str, Shape]:
        """Of every variable and named term, whether it is a number, a vector or a matrix."""
        found = {v.name: v.shape for v in self.variables}
        for name, value in self.where:
            found[name] = shape_of(value, found)
        return found

    def require_shapes(self) -> bool:
        """Whether matrices are compared; raises `InputError` where vectors and matrices do not fit together."""
        shapes = self.shapes
        relations = (*plain_relations(self.claimed), *self.hypotheses)
        for hypothesis in self.hypotheses:
            names = coordinate_names(hypothesis.left) | coordinate_names(hypothesis.right)
            if len({shapes[name] for name in names}) > 1:
                raise InputError("hypothesis", hypothesis.plain(), "must be of coordinates of vectors of one length")
        ordered = [compared(r.left, r.sign, r.right, shapes) for r in relations]
        return any(ordered)

    def under(self, *hypotheses: Relation) -> Statement:
        """The statement under further hypotheses: the half of a restricted claim that stands."""
        return replace(self, hypotheses=(*self.hypotheses, *hypotheses))

    @property
    def formula(self) -> str:
        """The relation in plain text, with the terms that it names."""
        named = "; ".join(f"{name} = {plain(value)}" for name, value in self.where)
        return self.claimed.plain() + (f", where {named}" if named else "")

    @property
    def hypothesis_lines(self) -> tuple[str, ...]:
        """The hypotheses in plain text, two bounds of one term in one line; then what the variables are."""
        given, kinds = [text for text, _ in _chained(self.hypotheses)], _kinds(self._of_a_set(), self._sizes)
        return (*kinds, *given) if self._of_matrices else (*given, *kinds)

    @property
    def sentence(self) -> str:
        """The whole statement as a sentence that explains its symbols."""
        glossary = meanings([node.head for t in self.all_terms() for node in nodes(t)])
        if self.require_shapes():
            glossary.append(
                "A > B says of matrices that A - B is positive definite, and A >= B that it is semidefinite"
            )
        explained = "".join(f" Here {text}." for text in glossary)
        conditions = ", ".join(self.hypothesis_lines)
        return f"For all {conditions}: {self.formula}.{explained}"

    @property
    def tex(self) -> str:
        """The statement in TeX, for a mathematical environment."""
        given = [text for _, text in _chained(self.hypotheses)]
        sizes = self._sizes
        sets = [(v.name, _TEX_SETS[v.kind].format(*(sizes[size] for size in v.shape))) for v in self._of_a_set()]
        kinds = [rf"{tex_name(name)} \in {among}" for name, among in sets]
        conditions = r",\; ".join([*kinds, *given] if self._of_matrices else [*given, *kinds])
        named = r",\; ".join(f"{tex_name(name)} = {tex(value)}" for name, value in self.where)
        return rf"\forall\, {conditions}:\quad {self.claimed.tex()}" + (
            rf",\quad\text{{where}}\; {named}" if named else ""
        )

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.tex}$"

    def _repr_html_(self) -> str:
        return folded(wrapping(self.tex), len(self.tex))

    @property
    def _sizes(self) -> dict[int, str]:
        """The letter of each size of vectors and matrices: one that is no name of the statement, n x d if it may be."""
        taken = {v.name for v in self.variables} | {node.name for t in self.all_terms() for node in nodes(t)}
        taken |= {name for name, _ in self.where}
        found: dict[int, str] = {}
        for v in sorted(self.variables, key=lambda v: v.kind not in _MATRICES):
            wanted = {0: "", 1: "k", 2: "nd"}[len(v.shape)] if len(set(v.shape)) == len(v.shape) else "dd"
            for size, letter in zip(v.shape, wanted, strict=True):
                free = (x for x in letter + _SIZES if x not in taken and x not in found.values())
                found.setdefault(size, next(free, str(size)))
        return found

    @property
    def _of_matrices(self) -> bool:
        """Whether it speaks of matrices: hypotheses about them read better after what they are."""
        return any(v.kind in _MATRICES for v in self.variables)

    def _of_a_set(self) -> list[Variable]:
        """The variables of which more has to be said than the hypotheses do."""
        spoken = set().union(*(free_names(t) for h in self.hypotheses for t in h.terms))
        said = ("real",) if self._of_matrices else ("real", "reals")
        return [v for v in self.variables if v.name not in spoken or v.kind not in said]


def _chained(hypotheses: tuple[Relation, ...]) -> list[tuple[str, str]]:
    """(plain, TeX) of the hypotheses; a lower bound and the upper bound that follows it are one: 0 < p < 1."""
    lines: list[tuple[str, str]] = []
    left = list(hypotheses)
    while left:
        first = left.pop(0)
        if left and first.sign in _TURNED and left[0].left == first.left and left[0].sign in ("<", "<="):
            second = left.pop(0)
            turned = Relation(first.right, _TURNED[first.sign], first.left)
            lines.append(
                (
                    f"{turned.plain()} {second.sign} {plain(second.right)}",
                    f"{turned.tex()} {_SIGNS[second.sign]} {tex(second.right)}",
                )
            )
        else:
            lines.append((first.plain(), first.tex()))
    return lines


def _kinds(variables: list[Variable], sizes: Mapping[int, str]) -> list[str]:
    """`whole r`; `laws p, q on k points`: variables of one kind, laws and matrices of one size, in one line."""
    groups: dict[tuple[VariableKind, tuple[str, ...]], list[str]] = {}
    for v in sorted(variables, key=lambda v: list(_KIND_WORDS).index(v.kind)):
        letters = () if v.kind in ("reals", "integers") else tuple(sizes[size] for size in v.shape)
        groups.setdefault((v.kind, letters), []).append(v.name)
    return [
        _KIND_WORDS[kind][len(names) > 1].format(", ".join(names), *letters)
        for (kind, letters), names in groups.items()
    ]


def _require_name(name: Any) -> None:
    """That a name is printed as itself: not as a quantity, as a word of a sentence or as a coordinate."""
    if not (isinstance(name, str) and _NAME.fullmatch(name)) or name in _NOTATION:
        raise InputError(
            "name", name, "must be an identifier of A-Z, a-z, 0-9 and _ that is no notation, as i and x_i are"
        )


def _require_apart(names: Sequence[str], spoken: Sequence[Term]) -> None:
    """That no name is printed as another one, or as notation where it stands."""
    every = dict.fromkeys([*names, *(node.name for node in spoken if node.name)])
    for name in every:
        _require_name(name)
    shown: dict[str, str] = {}
    for name in every:
        if (other := shown.setdefault(tex_name(name), name)) != name:
            raise InputError("variables", f"{other}, {name}", "must look different in TeX")
    powers = [node.args for node in spoken if node.head == "pow"]
    if any(base == variable("e") for base, _ in powers):
        raise InputError("variables", "e", "must not be raised to a power, as that is the exponential")
    turned = any(node.head == "transpose" for node in spoken)
    if "T" in every and (turned or any(exponent == variable("T") for _, exponent in powers)):
        raise InputError("variables", "T", "must not stand beside transposes or as an exponent, as x^T is one")


def _require_indexed(one: Term) -> None:
    """Sums and products run over coordinates, and coordinates stand in them."""
    if coordinate_names(one):
        raise InputError("statement", plain(one), "must have coordinates inside sums and products only")
    for node in nodes(one):
        if node.head in ("sum", "product") and not coordinate_names(node.args[0]):
            raise InputError(node.head, plain(node), "must run over the coordinates of a vector")


def _require_known(value: Term, known: set[str]) -> None:
    if unknown := sorted(free_names(value) - known):
        raise InputError("statement", ", ".join(unknown), "must be declared as variables or before their use")


def real(name: str, low: Any, high: Any, scale: Scale = "linear") -> Variable:
    """A real variable, searched in [low, high]."""
    return Variable(name, "real", low, high, scale)


def integer(name: str, low: int, high: int, scale: Scale = "linear") -> Variable:
    """A whole variable, searched in low..high."""
    return Variable(name, "integer", low, high, scale)


def vector(name: str, kind: VariableKind, size: int, low: Any, high: Any, scale: Scale = "linear") -> Variable:
    """A vector ("reals", "integers") or a law of any length, searched at length `size`.

    Sizes that are equal are printed as one letter, and others as others: what is said is what is searched.
    """
    return Variable(name, kind, low, high, scale, size)


def matrix(name: str, rows: int, columns: int, low: Any, high: Any, scale: Scale = "linear") -> Variable:
    """A matrix of any shape, searched at `rows` times `columns`: n x d where these differ, square where they do not."""
    return Variable(name, "matrix", low, high, scale, rows, columns)


def square(name: str, size: int, low: Any, high: Any, scale: Scale = "linear") -> Variable:
    """A square matrix, searched with `size` rows."""
    return Variable(name, "square", low, high, scale, size)


def symmetric(name: str, size: int, low: Any, high: Any, scale: Scale = "linear") -> Variable:
    """A symmetric matrix, searched with `size` rows, its diagonal in [low, high]."""
    return Variable(name, "symmetric", low, high, scale, size)


def orthogonal(name: str, size: int) -> Variable:
    """An orthogonal matrix: a rotation or a reflection, by any angle."""
    return Variable(name, "orthogonal", -1, 1, "linear", size)


def both(*parts: Claimed) -> Joined:
    """All of the relations."""
    return Joined("and", parts)


def iff(first: Claimed, second: Claimed) -> Joined:
    """Each relation exactly where the other one holds."""
    return Joined("iff", (first, second))
