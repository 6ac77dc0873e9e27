"""The documentation as a folder of pages: `python -m tools.docs FOLDER [PARTS]`, with the extra `docs`.

FOLDER/source is laid out from the documents, notebooks and facades of the checkout, FOLDER/html is made of it; warnings
are errors. The pages of the ledger go into it too, and with PARTS (`python -m tools.parts`) the calculator.
`--without-ledger` leaves both out.
"""

import argparse
import ast
import base64
import json
import re
import shutil
import time
from pathlib import Path

from ndis_verify.claims.ledger import all_claims
from ndis_verify.facade import handed_on
from ndis_verify.report.matrix import hearing
from ndis_verify.report.site import write_site

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ("README", "CHANGELOG", "ERRATA", "CONTRIBUTING", "ARCHITECTURE", "SECURITY")  # documents of the root
_LOADED = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="((?:https?:)?//[^"]+)')
PACKAGES = ("", "oracle", "fast", "mechanisms", "audit")


def main() -> None:
    """Lay out the sources, write the ledger, and have Sphinx make the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", type=Path, nargs="?")
    parser.add_argument("--without-ledger", action="store_true")
    arguments = parser.parse_args()
    began = time.monotonic()
    source = arguments.folder.resolve() / "source"
    lay_out(source)
    if not arguments.without_ledger:
        write_site(source / "_extra" / "ledger", heard=hearing(all_claims()), parts=arguments.parts)
    made = build(source, arguments.folder / "html", calculator=arguments.parts is not None)
    size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file()) / 2**20
    pages = len(list(made.rglob("*.html")))
    print(f"{pages} pages, {size:.1f} MiB, {time.monotonic() - began:.0f} s: {made / 'index.html'}")


def build(source: Path, target: Path, calculator: bool = False) -> Path:
    """Have Sphinx make the pages of `source`; raises `SystemExit` where it warns, or a page loads from elsewhere."""
    from sphinx.cmd.build import main as sphinx

    flags = ["-q", "-W", "--keep-going", "-b", "html", "-A", "calculator=" + "1" * calculator]
    if code := sphinx([*flags, str(source), str(target)]):
        raise SystemExit(code)
    if outside := [
        f"{path.name}: {url}" for path in target.rglob("*.html") for url in _LOADED.findall(path.read_text())
    ]:
        raise SystemExit("\n".join(outside))
    for page in (*target.glob("*.html"), *target.glob("notebooks/*.html"), *target.glob("api/*.html")):
        page.write_text(_reachable(page.read_text(encoding="utf-8")), encoding="utf-8")
    return target


def _reachable(text: str) -> str:
    """What the theme leaves out for those who use a keyboard or listen: levels, names, boxes that scroll."""
    text = text.replace('class="caption" role="heading"', 'class="caption" role="heading" aria-level="2"')
    text = text.replace('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="Pages">')
    text = text.replace(' aria-label="Toggle hidden content"', "")  # it hides from speech what is shown
    return text.replace("<pre>", '<pre tabindex="0">')


def lay_out(source: Path) -> None:
    """Documents, notebooks, pictures, the reference of the interfaces and the gallery, in one folder."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source)
    shutil.copytree(ROOT / "notebooks", source / "notebooks", ignore=shutil.ignore_patterns("*.cfg", ".*"))
    for name in BESIDE:
        (source / f"{name.lower()}.md").write_text((ROOT / f"{name}.md").read_text(encoding="utf-8"), encoding="utf-8")
    for page in source.glob("*.md"):
        page.write_text(_relinked(page.read_text(encoding="utf-8")), encoding="utf-8")
    _interfaces(source / "api")
    _list_records(source)
    (source / "gallery.md").write_text(_gallery(source), encoding="utf-8")


def _list_records(source: Path) -> None:
    """The documents that the index does not name stand under its last heading."""
    index = source / "index.md"
    text = index.read_text(encoding="utf-8")
    named = set(re.findall(r"^(?:.*<)?(\w+)>?$", text, re.MULTILINE)) | {"index"}
    others = sorted(page.stem for page in source.glob("*.md") if page.stem not in named)
    index.write_text(text.replace("\nguide\n", "\n".join(["", *others, "guide", ""])), encoding="utf-8")


def _relinked(text: str) -> str:
    """Links between documents, all of which lie in one folder now; what is no page is named only."""
    for name in BESIDE:
        text = re.sub(rf"(\]\(|{{include}} )(?:\.\./)?{name}\.md", rf"\g<1>{name.lower()}.md", text)
    text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(r"\[([^\]]+)\]\((?:\.\./)?notebooks\)", r"\1", text)
    text = re.sub(r"\]\(\.\./notebooks/", "](notebooks/", text)
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)?(?:ndis_verify|tests|tools|examples)/[^)]*\)", r"\1", text)


def _interfaces(folder: Path) -> None:
    """A page for each facade, of what its stub hands on."""
    folder.mkdir()
    titles = {package: ".".join(filter(None, ("ndis_verify", package))) for package in PACKAGES}
    listed = "\n".join(titles.values())
    (folder / "index.md").write_text(f"# Interfaces\n\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8")
    for package, title in titles.items():
        stub = ROOT / "ndis_verify" / package / "__init__.pyi"
        names = handed_on(stub if stub.exists() else stub.with_suffix(".py"))
        lines = [f"# {title}", "", "```{eval-rst}"]
        for name in sorted(names):
            if kind := _kind(*names[name]):
                lines += [f".. {kind}:: {title}.{name}", ""]
        (folder / f"{title}.md").write_text("\n".join([*lines, "```", ""]), encoding="utf-8")


def _kind(module: str, name: str) -> str:
    """How autodoc is asked for a name of a module: as a class, as a function, or not at all."""
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.exists():
        return ""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return "autoclass" if isinstance(node, ast.ClassDef) else "autofunction"
    return ""


def _gallery(source: Path) -> str:
    """The pictures of the documents, and the first one of each notebook."""
    entries = []
    for path in sorted((source / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        title = re.search(r"^# (.+)$", "".join(notebook["cells"][0]["source"]), re.MULTILINE)
        outputs = (out.get("data", {}) for cell in notebook["cells"] for out in cell.get("outputs", ()))
        picture = next((data["image/png"] for data in outputs if "image/png" in data), None)
        if picture and title:
            (source / "pictures" / f"{path.stem}.png").write_bytes(base64.b64decode("".join(picture)))
            entries.append((f"pictures/{path.stem}.png", title[1], f"notebooks/{path.name}"))
    shots = [(f"pictures/{path.name}", path.stem.replace("-", " "), "site.md") for path in _shots()]
    rows = "\n\n".join(
        f"[![{title}]({picture})]({page})\n[{title}]({page})" for picture, title, page in [*entries, *shots]
    )
    return f"# Gallery\n\n:::{{container}} gallery\n{rows}\n:::\n"


def _shots() -> list[Path]:
    return sorted((ROOT / "docs" / "pictures").glob("*.png"))


if __name__ == "__main__":
    main()
