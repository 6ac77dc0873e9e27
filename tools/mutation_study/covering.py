"""Which test files can see a module: by static imports, the most specific first."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = "ndis_verify"
_FAR = 4  # imports from a test to a module beyond which a file is not tried


class Tree:
    """The imports of a copy of the repository."""

    def __init__(self, root: Path):
        self.root = root
        self.modules = {self._name(path): path for path in sorted((root / PACKAGE).rglob("*.py"))}
        self.tests = sorted((root / "tests").glob("test_*.py"))

    def _name(self, path: Path) -> str:
        parts = path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def candidates(self, file: str) -> list[Path]:
        """The test files that import the module of `file`, those that use most of its own names and fewest others first."""
        target, found = self._name(self.root / file), []
        for test in self.tests:
            direct, distance = self.uses(test), self._distance(test, target)
            if distance <= _FAR:
                share = direct.get(target, 0) / max(sum(direct.values()), 1)
                found.append((-share if direct.get(target) else distance, test.stat().st_size, test))
        return [test for _, _, test in sorted(found)]

    def _distance(self, test: Path, target: str) -> int:
        seen, edge = set(self.uses(test)), set(self.uses(test))
        for distance in range(1, _FAR + 1):
            if target in edge:
                return distance
            edge = {further for name in edge if name in self.modules for further in self.uses(self.modules[name])} - seen
            seen |= edge
        return _FAR + 1

    @cache  # noqa: B019 - a tree lives as long as the study
    def uses(self, path: Path) -> dict[str, int]:
        """Module -> how often names of it are used in the file, facades seen through."""
        tree, names, count = ast.parse(path.read_bytes()), {}, {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
                for alias in node.names:
                    names[alias.asname or alias.name] = self._home(node.module, alias.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name in self.modules:
                        names[alias.asname or alias.name] = alias.name
        for home in names.values():
            count[home] = count.get(home, 0) + 1
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                home = names.get(node.value.id)
                if home in self.modules:
                    home = self._home(home, node.attr)
                    count[home] = count.get(home, 0) + 1
        return count

    def _home(self, module: str, name: str) -> str:
        """The module that defines a name that another may only pass on."""
        if f"{module}.{name}" in self.modules:
            return f"{module}.{name}"
        path = self.modules.get(module)
        if path is None or path.name != "__init__.py":
            return module
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names):
                original = next(alias.name for alias in node.names if (alias.asname or alias.name) == name)
                return self._home(node.module, original) if node.module in self.modules else module
            if isinstance(node, ast.Dict):  # names that are imported when they are used
                for key, value in zip(node.keys, node.values):
                    if getattr(key, "value", None) == name and f"{module}.{getattr(value, 'value', '')}" in self.modules:
                        return f"{module}.{value.value}"
        return module
