"""How Sphinx makes the documentation; `python -m tools.docs` lays out the sources and calls it."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes

from ndis_verify import __version__
from ndis_verify.exact_number import InputError
from ndis_verify.rich import mathml

project, author, version = "ndis_verify", "", __version__
copyright = ""
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
nb_execution_mode = "off"  # as committed: the tests run them
nb_merge_streams = True
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_dmath_double_inline = True
autodoc_default_options = {"members": True}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
html_theme = "furo"
html_title = f"ndis_verify {version}"
html_copy_source = html_show_sourcelink = html_show_copyright = html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"] if Path(__file__).with_name("_extra").exists() else []
html_context = {"ledger": bool(html_extra_path)}
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "ledger.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
suppress_warnings = ["misc.highlighting_failure", "myst.header"]  # shells and templates; notebooks that skip a level


def setup(app):
    """MathML at build time, and docstrings whose formulas are no markup."""
    app.add_html_math_renderer("mathml", (_math, None), (_display, None))
    app.connect("autodoc-process-docstring", _plain, priority=100)
    app.connect("doctree-resolved", _claims_linked)


def _claims_linked(app, doctree, docname):
    """Claims that a text names are links to their pages, where those are built."""
    known = {page.stem for page in Path(app.srcdir).glob("_extra/ledger/claims/*.html")}
    if not known:
        return
    name = re.compile(r"(?<![\w-])(" + "|".join(sorted(map(re.escape, known), key=len, reverse=True)) + r")(?![\w-])")
    folder = "../" * docname.count("/") + "ledger/claims/"
    for text in list(doctree.findall(nodes.Text)):
        if not _may_hold_links(text):
            continue
        pieces = name.split(text.astext())
        if len(pieces) > 1:
            parts = [
                nodes.reference("", piece, refuri=f"{folder}{piece}.html", internal=True)
                if k % 2
                else nodes.Text(piece)
                for k, piece in enumerate(pieces)
            ]
            text.parent.replace(text, parts)


def _may_hold_links(text):
    above = text.parent
    while above is not None:
        if isinstance(above, (nodes.reference, nodes.title, nodes.FixedTextElement, nodes.raw, nodes.math)):
            return False
        above = above.parent
    return True


def _math(self, node):
    self.body.append(_typeset(node, False))
    raise nodes.SkipNode


def _display(self, node):
    self.body.append(f'<div class="formula" tabindex="0">{_typeset(node, True)}</div>')
    raise nodes.SkipNode


def _typeset(node, display):
    tex = re.sub(r"\\begin{(equation|align)\*?}|\\end{(equation|align)\*?}", "", node.astext()).strip()
    try:
        return mathml(tex, display)
    except InputError as error:
        raise ValueError(f"{node.source}, line {node.line}: {error}") from None


def _plain(app, what, name, obj, options, lines):
    """A docstring is plain text with `code` and examples: what would be markup in it is not."""
    example = False
    for number, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if example or set(line.strip()) <= set("-"):
            continue
        parts = re.split(r"(``.+?``|`[^`]+`)", line)
        lines[number] = "".join(
            f"``{part.strip('`')}``" if k % 2 else re.sub(r"([*|\\]|_(?=\W|$)|`)", r"\\\1", part)
            for k, part in enumerate(parts)
        )
