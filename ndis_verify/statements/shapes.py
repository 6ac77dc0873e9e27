"""Which terms are numbers, vectors and matrices: what does not fit together is refused when a statement is made."""

from __future__ import annotations

from collections.abc import Mapping

from ndis_verify.exact_number import InputError
from ndis_verify.statements.printing import plain
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.terms import Term

Shape = tuple[int, ...]  # () a number, (k,) a vector, (n, d) a matrix
IDENTITY: Shape = (0, 0)  # a number times the identity, which takes the size of what stands beside it
_ANY = (IDENTITY, ())


def shape_of(root: Term, shapes: Mapping[str, Shape]) -> Shape:
    """The shape of a term, its variables having `shapes`. Raises `InputError` where its parts do not fit together."""
    if root.head == "number":
        return ()
    if root.head in ("variable", "coordinate"):
        whole = shapes[root.name]
        if root.head == "coordinate" and len(whole) != 1:
            raise InputError("statement", plain(root), "must be the coordinate of a vector")
        return whole if root.head == "variable" else ()
    inner = {**shapes, root.name: ()} if root.head in ("sup", "inf") else shapes
    given = [shape_of(arg, inner) for arg in root.args]
    found = _shape(root, given)
    if found is None:
        raise InputError("statement", plain(root), f"must have arguments that fit together, not {_words(given)}")
    return found


def compared(left: Term, sign: str, right: Term, shapes: Mapping[str, Shape]) -> bool:
    """Whether a relation orders matrices; raises `InputError` for sides that no sign compares."""
    one, other = shape_of(left, shapes), shape_of(right, shapes)
    arrays = [s for s, t in ((one, left), (other, right)) if s != () and s != IDENTITY]
    zero = [t for s, t in ((one, left), (other, right)) if s == () and t.head == "number" and t.number == 0]
    same = one == other or (len(arrays) == 1 and (bool(zero) or (IDENTITY in (one, other) and _square(arrays[0]))))
    if not same or one == other == IDENTITY:
        raise InputError(
            "relation", f"{plain(left)} {sign} {plain(right)}", f"must have like sides: {_words([one, other])}"
        )
    if arrays and sign != "=" and not _square(arrays[0]):
        raise InputError("relation", f"{plain(left)} {sign} {plain(right)}", "must order numbers or square matrices")
    return bool(arrays) and sign != "="


def _words(given: list[Shape]) -> str:
    words = {0: "a number", 1: "a vector", 2: "a matrix"}
    return " and ".join(
        "a multiple of I" if s == IDENTITY else words[len(s)] + (f" of {' x '.join(map(str, s))}" if s else "")
        for s in given
    )


def _square(shape: Shape) -> bool:
    return shape == () or (len(shape) == 2 and shape[0] == shape[1] and shape != IDENTITY)


def _as_matrix(shape: Shape) -> Shape:
    return (*shape, *(1,) * (2 - len(shape))) if shape else (1, 1)


def _collapsed(rows: int, columns: int) -> Shape:
    """One number is a number, one column a vector."""
    return () if rows == columns == 1 else (rows,) if columns == 1 else (rows, columns)


def _shape(root: Term, given: list[Shape]) -> Shape | None:
    """The shape from those of the arguments; None where they do not fit."""
    match root.head:
        case "neg":
            return given[0]
        case "add" | "sub":
            return _sum(*given)
        case "mul":
            return _product(*given)
        case "div":
            return given[0] if given[1] == () else None
        case "pow":
            return given[0] if given[1] == () and (given[0] == () or _whole_power(root, given[0])) else None
        case "abs":
            return () if len(given[0]) < 2 else None
        case "transpose":
            return None if given[0] == IDENTITY else _collapsed(*_as_matrix(given[0])[::-1])
        case "identity":
            return IDENTITY
        case "vector":
            return (len(given),) if set(given) == {()} else None
        case "beside" | "above":
            return _blocks(root.head, given)
        case "diagonal":
            return (given[0][0], given[0][0]) if len(given[0]) == 1 else None
    quantity = QUANTITIES.get(root.head)
    count = quantity.vectors if quantity else 0
    takes = (quantity.takes if quantity else "") or "n" * (len(given) - count)
    fits = len({s for s in given[:count] if s}) <= 1 and all(len(s) <= 1 for s in given[:count])
    if not (fits and _taken(takes, given[count:])):
        return None
    return _collapsed(_as_matrix(given[0])[1], 1) if quantity and quantity.gives else ()


def _sum(one: Shape, other: Shape) -> Shape | None:
    if one == other:
        return one
    if IDENTITY in (one, other):
        whole = other if one == IDENTITY else one
        return whole if _square(whole) else None
    return None


def _product(one: Shape, other: Shape) -> Shape | None:
    if one in _ANY or other in _ANY:
        if one in _ANY and other in _ANY:
            return IDENTITY if IDENTITY in (one, other) else ()
        return other if one in _ANY else one
    (rows, inner), (outer, columns) = _as_matrix(one), _as_matrix(other)
    return _collapsed(rows, columns) if inner == outer else None


def _whole_power(root: Term, base: Shape) -> bool:
    power = root.args[1].number
    return _square(base) and power is not None and power.denominator == 1 and 0 < abs(power) <= 4


def _blocks(head: str, given: list[Shape]) -> Shape | None:
    if IDENTITY in given:
        return None
    along = 1 if head == "beside" else 0
    blocks = [_as_matrix(shape) for shape in given]
    if len({block[1 - along] for block in blocks}) > 1:
        return None
    total, across = sum(block[along] for block in blocks), blocks[0][1 - along]
    return _collapsed(across, total) if along else _collapsed(total, across)


def _taken(takes: str, given: list[Shape]) -> bool:
    sizes = set()
    for kind, shape in zip(takes, given, strict=True):
        fits = {"n": shape == (), "v": len(shape) < 2, "m": _square(shape), "a": shape != IDENTITY}[kind]
        if not fits:
            return False
        if kind in "vm":
            sizes.add(shape[0] if shape else 1)
    return len(sizes) <= 1
