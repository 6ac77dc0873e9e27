"""The bugs that can be planted in a source file: small changes of its syntax tree, each as a replacement of one piece
of text.
"""

from __future__ import annotations

import ast
import bisect
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

SAFETY, GENERAL = "safety margin or rounding direction", "general"
MARGIN = re.compile(
    r"(^|_)(ERROR|SAFETY|MARGIN|MARGINS|ROUNDING|OUTWARD|SLACK|ROOM|ASYMMETRY|NEGATIVE)$|^(margin|slack|error)$"
)
CALLED = ("error", "_error", "search_error", "projection_error", "margin", "promise")  # functions that give margins
SMALL = 1e-6  # a constant at most this is taken for a margin where it is added to or taken from something
TURNED = {
    "ceil": "floor",
    "floor": "ceil",
    "upper": "lower",
    "lower": "upper",
    "abs_upper": "abs_lower",
    "abs_lower": "abs_upper",
    "clopper_pearson_lower": "clopper_pearson_upper",
    "clopper_pearson_upper": "clopper_pearson_lower",
}
RAISED = ("rounded_up", "raised", "_round_up")  # calls that round to the safe side: dropped
SIDES = {"pessimistic": "optimistic", "optimistic": "pessimistic"}
BINARY = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
COMPARE = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
}
NUMERIC = ("audit", "fast", "mechanisms", "oracle")  # the packages whose sides are sides of numbers


@dataclass(frozen=True)
class Mutant:
    """`before`, at bytes start to stop of `file`, becomes `after`."""

    file: str
    line: int
    kind: str
    category: str
    before: str
    after: str
    start: int
    stop: int
    context: str
    column: int
    turn: int = 0  # how many of the same, on lines of the same text, stand above it in its file

    @property
    def key(self) -> str:
        """A name that stays while the line does, wherever it moves in its file."""
        text = f"{self.file}|{self.context}|{self.kind}|{self.before}|{self.after}|{self.column}"
        return hashlib.sha256((text + f"|{self.turn}" * bool(self.turn)).encode()).hexdigest()[:12]

    def planted(self, source: bytes) -> bytes:
        """The source with the bug in it."""
        assert source[self.start : self.stop].decode() == self.before
        return source[: self.start] + self.after.encode() + source[self.stop :]


def mutants(path: Path, root: Path) -> Iterator[Mutant]:
    """Every bug that can be planted in one file."""
    source = path.read_bytes()
    finder = _Finder(str(path.relative_to(root)), source)
    finder.visit(ast.parse(source))
    seen, turns = set(), Counter[str]()
    for found in finder.found:
        if found.after != found.before and (found.start, found.stop, found.after) not in seen:
            seen.add((found.start, found.stop, found.after))
            yield replace(found, turn=turns[found.key])
            turns[found.key] += 1


def compiles(source: bytes) -> bool:
    """Whether the text is a program."""
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


class _Finder(ast.NodeVisitor):
    """Walks a tree without its annotations, messages, docstrings and lists of names."""

    def __init__(self, file: str, source: bytes):
        self.file, self.source, self.found = file, source, []
        self.numeric = len(Path(file).parts) > 2 and Path(file).parts[1] in NUMERIC
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def add(self, node: ast.AST, after: str, kind: str, category: str = GENERAL) -> None:
        self.span(*self.place(node), after, kind, category)

    def span(self, start: int, stop: int, after: str, kind: str, category: str) -> None:
        line = bisect.bisect_right(self.starts, start) - 1
        context = self.source[self.starts[line] : self.starts[line + 1]].decode().strip()
        before = self.source[start:stop].decode()
        self.found.append(
            Mutant(self.file, line + 1, kind, category, before, after, start, stop, context, start - self.starts[line])
        )

    def place(self, node: ast.AST) -> tuple[int, int]:
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.AST) -> str:
        return self.source[slice(*self.place(node))].decode()

    # What is no behaviour

    def visit_Raise(self, node: ast.Raise) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self.add(node, "pass", "call dropped")
        self.generic_visit(node)

    # Bugs

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, str) and value in SIDES and self.numeric:
            self.add(node, repr(SIDES[value]), "side exchanged", SAFETY)
        elif isinstance(value, str) and value in ("delete", "insert"):
            self.add(node, repr("insert" if value == "delete" else "delete"), "direction exchanged")
        elif isinstance(value, bool):
            self.add(node, str(not value), "truth value")
        elif isinstance(value, int):
            self.add(node, str(value + 1), "constant, off by one")
        elif isinstance(value, float):
            self.add(node, repr(value * 1.25) if value else "1.0", "constant")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub):
            self.add(node, f"({self.text(node.operand)})", "sign")
        elif isinstance(node.op, ast.Not):
            self.add(node, f"({self.text(node.operand)})", "negation dropped")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in BINARY:
            margin = isinstance(node.op, (ast.Add, ast.Sub)) and (_margin(node.left) or _margin(node.right))
            category = SAFETY if margin and self.numeric else GENERAL
            after = BINARY[type(node.op)]
            self.add(node, f"({self.text(node.left)} {after} ({self.text(node.right)}))", "operator", category)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            left, right = self.text(node.left), self.text(node.comparators[0])
            for after in COMPARE.get(type(node.ops[0]), ()):
                kind = "boundary" if after.rstrip("=") == _SIGN.get(type(node.ops[0]), "") else "comparison"
                self.add(node, f"({left} {after} {right})", kind)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word = " or " if isinstance(node.op, ast.And) else " and "
        self.add(node, "(" + word.join(f"({self.text(value)})" for value in node.values) + ")", "and, or")
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self.add(node.test, f"(not ({self.text(node.test)}))", "condition negated")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in ("upper", "lower") and self.numeric:
            self.turned(node, node.attr)
        self.generic_visit(node)

    def turned(self, node: ast.Attribute | ast.Name, name: str) -> None:
        stop = self.place(node)[1]
        self.span(stop - len(name), stop, TURNED[name], "rounding direction", SAFETY)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in TURNED and self.numeric and name not in ("upper", "lower"):
            self.turned(node.func, name)
        if name == "nextafter" and len(node.args) > 1:
            self.add(
                node.args[1],
                f"(-np.inf if ({self.text(node.args[1])}) > 0 else np.inf)".replace("np.inf", "float('inf')"),
                "rounding direction",
                SAFETY,
            )
            self.add(node, self.text(node.args[0]), "rounding dropped", SAFETY)
        if name in RAISED and node.args:
            self.add(node, f"({self.text(node.args[0])})", "rounding dropped", SAFETY)
        if name == "arb" and len(node.args) == 2 and not node.keywords:
            self.add(node, f"{self.text(node.func)}({self.text(node.args[0])})", "radius dropped", SAFETY)
        if name == "abs" and len(node.args) == 1:
            self.add(node, f"({self.text(node.args[0])})", "call dropped")
        if name in ("min", "max") and len(node.args) > 1:
            self.add(node.func, {"min": "max", "max": "min"}[name], "min, max")
        if (
            len(node.args) > 1
            and not any(isinstance(part, ast.Starred) for part in node.args[:2])
            and name not in SYMMETRIC
        ):
            (start, _), (_, stop) = self.place(node.args[0]), self.place(node.args[1])
            self.span(
                start, stop, f"{self.text(node.args[1])}, {self.text(node.args[0])}", "arguments swapped", GENERAL
            )
        self.generic_visit(node)


_SIGN = {ast.Lt: "<", ast.LtE: "<", ast.Gt: ">", ast.GtE: ">"}
SYMMETRIC = ("min", "max", "minimum", "maximum", "arb", "isinstance", "Enclosure")


def _margin(node: ast.expr) -> bool:
    """Whether a number is a margin: small, named as one, or a multiple of one."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and 0 < node.value <= SMALL
    if isinstance(node, (ast.Name, ast.Attribute)):
        return bool(MARGIN.search(node.id if isinstance(node, ast.Name) else node.attr))
    if isinstance(node, ast.Subscript):
        return _margin(node.value)
    if isinstance(node, ast.Call):
        return (node.func.id if isinstance(node.func, ast.Name) else "") in CALLED
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div, ast.Pow)):
        if isinstance(node.op, ast.Pow):  # 2.0**-50
            power = node.right
            return (
                isinstance(power, ast.UnaryOp) and isinstance(power.operand, ast.Constant) and power.operand.value >= 20
            )
        return _margin(node.left) or (isinstance(node.op, ast.Mult) and _margin(node.right))
    return False
