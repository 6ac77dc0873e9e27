"""Vectors and matrices as lists of exact numbers and balls: a vector is a list, a matrix a list of its rows, a multiple
of the identity ("identity", factor) until it stands beside a matrix.
"""

from __future__ import annotations

from flint import arb_mat, fmpq, fmpq_mat

from tools.recheck.balls import FUNCTIONS, NotReadable, Wrong, divide, is_whole, power, product, real, total
from tools.recheck.laws import divergence

_IDENTITY = "identity"


def is_array(x):
    return isinstance(x, (list, tuple))


def rows_of(x):
    """As a matrix: a number is 1 x 1, a vector a column."""
    if not isinstance(x, list):
        return [[x]]
    return x if isinstance(x[0], list) else [[a] for a in x]


def _collapsed(rows):
    """A matrix of one row and one column as a number, one of one column as a vector."""
    if len(rows[0]) > 1:
        return rows
    return rows[0][0] if len(rows) == 1 else [row[0] for row in rows]


def _turned(rows):
    return [list(column) for column in zip(*rows)]


def _each(function, *arrays):
    if any(isinstance(x, tuple) for x in arrays):
        if all(isinstance(x, tuple) for x in arrays):
            return (_IDENTITY, function(*(x[1] for x in arrays)))
        size = len(next(x for x in arrays if isinstance(x, list)))
        arrays = [_scalar_matrix(x[1], size) if isinstance(x, tuple) else x for x in arrays]
    wide = [rows_of(x) for x in arrays]
    if len({(len(x), len(x[0])) for x in wide}) != 1:
        raise Wrong("arrays of several sizes are added")
    return _collapsed([[function(*parts) for parts in zip(*rows)] for rows in zip(*wide)])


def _scalar_matrix(factor, size):
    return [[factor if i == j else fmpq(0) for j in range(size)] for i in range(size)]


def _product(one, other):
    if not is_array(one) or not is_array(other):
        factor, array = (one, other) if is_array(other) else (other, one)
        if isinstance(array, tuple):
            return (_IDENTITY, product([factor, array[1]]))
        return _each(lambda x: product([factor, x]), array)
    if isinstance(one, tuple) or isinstance(other, tuple):
        (_, factor), array = (one, other) if isinstance(one, tuple) else (other, one)
        return _product(factor, array)
    left, right = rows_of(one), _turned(rows_of(other))
    if len(left[0]) != len(right[0]):
        raise Wrong("arrays that do not fit are multiplied")
    return _collapsed([[total([product([a, b]) for a, b in zip(row, column)]) for column in right] for row in left])


def _multiplied(*args):
    found = args[0]
    for other in args[1:]:
        found = _product(found, other) if is_array(found) or is_array(other) else product([found, other])
    return found


def _added(*args):
    found = args[0]
    for other in args[1:]:
        found = _each(lambda a, b: total([a, b]), found, other)
    return found


def _negative(x):
    return _product(fmpq(-1), x)


def _table(x):
    """The matrix for python-flint: exact where every entry is."""
    rows = rows_of(x)
    if any(len(row) != len(rows) for row in rows):
        raise Wrong("not a square matrix")
    return fmpq_mat(rows) if all(isinstance(a, fmpq) for row in rows for a in row) else arb_mat(rows)


def _power(x, exponent):
    if not is_whole(exponent) or not 0 < abs(exponent) <= 4:
        raise NotReadable("a power of a matrix that is not whole and small")
    if isinstance(x, tuple):
        return (_IDENTITY, power(x[1], exponent))
    found = _collapsed(_table(x).inv().tolist()) if exponent < 0 else x
    return _multiplied(*[found] * abs(int(exponent.p)))


def _norm(x):
    if len(_turned(rows_of(x))) != 1:
        raise NotReadable("the size of a matrix")
    return FUNCTIONS["sqrt"](total([product([a, a]) for a in x]))


def _blocks(parts, beside):
    tables = [rows_of(x) if beside else _turned(rows_of(x)) for x in parts]
    if len({len(x) for x in tables}) != 1:
        raise Wrong("blocks that do not fit")
    whole = [[a for row in rows for a in row] for rows in zip(*tables)]
    return _collapsed(whole if beside else _turned(whole))


def _diagonal(x):
    return [[a if i == j else fmpq(0) for j in range(len(x))] for i, a in enumerate(x)]


def normal_pair(first_mean, first, second_mean, second, epsilon):
    """The divergence of N(first_mean, first) from N(second_mean, second) on the line, or in the plane: with first x =
    lam second x the pair falls apart into variances lam against 1 and shifts (x . difference)/|x|, where |x|^2 = x .
    second x.
    """
    if not any(map(is_array, (first_mean, first, second_mean, second))):
        shift = total([first_mean, product([fmpq(-1), second_mean])])
        return divergence(epsilon, divide(first, second), fmpq(1), divide(product([shift, shift]), second))
    shift = _each(lambda a, b: a - b, rows_of(first_mean), rows_of(second_mean))
    if len(shift) != 2:
        raise NotReadable("a pair of another dimension than 2")
    p, q = (_scalar_matrix(x[1], 2) if isinstance(x, tuple) else x for x in (first, second))
    outer, inner = p[0][0] * q[1][1] + p[1][1] * q[0][0] - 2 * p[0][1] * q[0][1], _table(q).det()
    root = real(outer * outer - 4 * inner * _table(p).det()).sqrt()
    groups = []
    for sign in (1, -1):
        lam = (real(outer) + sign * root) / (2 * real(inner))
        b = [[real(p[i][j]) - lam * q[i][j] for j in (0, 1)] for i in (0, 1)]
        ways = [[-b[0][1], b[0][0]], [-b[1][1], b[1][0]]]
        way = max(ways, key=lambda v: float(abs(v[0])) + float(abs(v[1])))
        groups += [lam, fmpq(1), _product([way], shift) ** 2 / _product([way], _product(q, way))]
    return divergence(epsilon, *groups)


def least_pivot(rows):
    """The least pivot of Gauss' elimination of a symmetric matrix, up to the first that is below 0 or not told from it:
    its sign says whether the matrix is positive definite, semidefinite, or has a negative direction.
    """
    rows, found = [list(row) for row in rows], None
    while rows:
        (pivot, *top), rest = rows[0], rows[1:]
        flat = isinstance(pivot, fmpq) and pivot == 0
        if flat and any(a != 0 for a in top):
            return fmpq(-1)  # no sum of squares has a direction of size 0 that leans on another
        found = pivot if found is None else FUNCTIONS["min"](found, pivot)
        if not flat and not pivot > 0:
            break
        rows = [
            [a - (0 if flat else product([divide(row[0], pivot), b])) for a, b in zip(row[1:], top)] for row in rest
        ]
    return found


def size_of(x):
    """The largest entry, without its sign."""
    return max((abs(real(a)) for row in rows_of(x) for a in row), key=float) if isinstance(x, list) else real(abs(x))


def compared(left, right, equal):
    """What is >= 0 where left >= right: the least pivot of the difference; for an equation -(largest difference)."""
    nought = [x for x in (left, right) if not is_array(x)]
    if nought:
        if nought != [0]:
            raise Wrong("an array compared with a number")
        difference = left if is_array(left) else _negative(right)
    else:
        difference = _each(lambda a, b: total([a, product([fmpq(-1), b])]), left, right)
    if equal:
        entries = [abs(a) for row in rows_of(difference) for a in row]
        return -FUNCTIONS["max"](*entries, fmpq(0))
    return least_pivot(rows_of(difference))


ALWAYS = {
    "identity": lambda: (_IDENTITY, fmpq(1)),
    "vector": lambda *args: list(args),
    "transpose": lambda x: _collapsed(_turned(rows_of(x))),
    "diagonal": _diagonal,
    "beside": lambda *args: _blocks(args, True),
    "above": lambda *args: _blocks(args, False),
    "det": lambda x: _table(x).det(),
    "trace": lambda x: total([row[i] for i, row in enumerate(rows_of(x))]),
    "rows": lambda x: fmpq(len(rows_of(x))),
    "columns": lambda x: fmpq(len(rows_of(x)[0])),
    "normal_pair": normal_pair,
}
OF_ARRAYS = {
    "add": _added,
    "sub": lambda a, b: _added(a, _negative(b)),
    "neg": _negative,
    "mul": _multiplied,
    "div": lambda a, b: _product(divide(fmpq(1), b), a),
    "pow": _power,
    "abs": _norm,
}


def drawn(kind, size, columns, number):
    """A matrix of a kind: any, square, symmetric with eigenvalues from the range, orthogonal; `number()` draws one."""
    if kind in ("matrix", "square"):
        return [[number() for _ in range(columns or size)] for _ in range(size)]
    free = [[fmpq(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i):
            free[i][j] = fmpq(int(float(real(number())) * 7), 5)
            free[j][i] = -free[i][j]
    one = fmpq_mat(_scalar_matrix(fmpq(1), size))
    turn = ((one - fmpq_mat(free)) * (one + fmpq_mat(free)).inv()).tolist()  # Cayley's: orthogonal, and exact
    if kind == "orthogonal":  # with signs of its columns, all of them
        return _product(turn, _diagonal([fmpq(1 if number() > 0 else -1) for _ in range(size)]))
    if kind != "symmetric":
        raise NotReadable(f"no means to draw: {kind}")
    return _product(_product(turn, _diagonal([number() for _ in range(size)])), _turned(turn))
