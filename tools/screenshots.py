"""The pictures of the pages: `python -m tools.screenshots [NAME ...]`, from a checkout, with Chromium and Pillow.

`calculator` needs its parts in build/parts (`python -m tools.parts build/parts`), `notebook` the extra `docs`,
`firefox` that browser.
"""

import base64
import io
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.reference.conformance.page import page as report
from ndis_verify.reference.conformance.run import conform
from ndis_verify.reference.conformance.selection import table_rows
from ndis_verify.reference.loader import FOLDER as TABLES
from ndis_verify.report.matrix import hearing
from ndis_verify.report.site import write_calculator, write_site
from tools import docs
from tools.browser import Browser

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
WIDTH, HEIGHT, TALL = 1100, 760, 1400
_FURTHEST = 12  # of 255: how far a colour may be from that of the page


class Shot(NamedTuple):
    """A page, what is brought into view, the size and the colour scheme, what of the address comes behind the page,
    what is done there first, and what is true once the page is ready.
    """

    page: str
    seen: str = ""
    width: int = WIDTH
    height: int = HEIGHT
    scheme: str = "light"
    fragment: str = ""
    does: str = ""
    ready: str = "true"


_ANSWERED = "form.elements.stop.disabled && place.answer.children.length > 0 && place.curve.children.length > 0"
_CURVE = "const drawn = setInterval(() => { if (place.answer.children.length && form.elements.stop.disabled) {"
_CURVE += " clearInterval(drawn); form.elements.curve.click(); } }, 100)"
_ASKED = "#quantity=hockey_stick&digits=50&mean_p=0.5,1&cov_p=2,0.5;0.5,1&mean_q=0,0&cov_q=1&epsilon=1.5"
SHOTS = {
    "index": Shot("index.html"),
    "claim-proof": Shot("claims/N26-L3.html", "#derivation"),
    "claim-violation": Shot("claims/N26-L2.html", ".broken"),
    "graph": Shot("graph.html", width=1540),
    "matrix": Shot("matrix.html", "#N26-L1", scheme="dark"),
    "phone": Shot("claims/KM-6.1.html", width=375, scheme="dark"),
    "calculator": Shot("calculator.html", height=1200, fragment=_ASKED, does=_CURVE, ready=_ANSWERED),
    "conformance": Shot("report.html", height=TALL),
    "firefox": Shot("claims/N26-L1.html", height=TALL),
    "notebook": Shot("documents/html/notebooks/03_mean_shift.html", width=1300, height=TALL),
}


def _site(folder: Path, names: set[str]) -> None:
    write_site(folder, heard=hearing(all_claims()) if "matrix" in names else {})


def _calculator(folder: Path, names: set[str]) -> None:
    write_calculator(folder, [find("N26-L2")], ROOT / "build" / "parts")


def _report(folder: Path, names: set[str]) -> None:
    """The report on the textbook form of every quantity."""
    rows = table_rows(TABLES, core=True)
    command = [sys.executable, "-m", "ndis_verify.reference.adapters.naive"]
    run = conform(command, lambda offered: [row for row in rows if row[0] in offered], tolerance=Fraction(1, 10**9))
    asked = {f"{quantity}/{row['name']}": row for quantity, row in rows}
    (folder / "report.html").write_text(report(run, frozenset(), asked), encoding="utf-8")


def _documents(folder: Path, names: set[str]) -> None:
    docs.lay_out(folder / "documents" / "source")
    docs.build(folder / "documents" / "source", folder / "documents" / "html")


def _maker(name: str) -> Callable[[Path, set[str]], None]:
    """What writes the page of a picture."""
    return {"calculator": _calculator, "conformance": _report, "notebook": _documents}.get(name, _site)


def main() -> None:
    """Write the pages into a folder that goes away, and what they look like into `FOLDER`: those named, or all."""
    FOLDER.mkdir(exist_ok=True)
    chosen = {name: SHOTS[name] for name in sys.argv[1:] or SHOTS}
    with tempfile.TemporaryDirectory() as site, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for make in dict.fromkeys(map(_maker, chosen)):
            make(Path(site), set(chosen))
        browser = Browser(profile)
        try:
            for name, shot in chosen.items():
                taken = _by_firefox(Path(site), shot) if name == "firefox" else _taken(browser, Path(site), shot)
                _keep(taken, FOLDER / f"{name}.png")
        finally:
            browser.close()


def _taken(browser: Browser, site: Path, shot: Shot) -> bytes:
    browser.open(site / shot.page, shot.width, shot.scheme, shot.fragment)
    if shot.does:
        browser.value(f"{{{shot.does}; 0}}")
    while not browser.value(shot.ready):
        time.sleep(0.2)
    if shot.seen:
        browser.value(f'document.querySelector("{shot.seen}").scrollIntoView({{block: "start"}})')
        browser.value(f'document.querySelector("{shot.seen}").focus({{preventScroll: true}})')
    x, y = browser.value("[window.scrollX, window.scrollY]")
    clip = {"x": x, "y": y, "width": shot.width, "height": shot.height, "scale": 1}
    tall = shot.height > HEIGHT
    return base64.b64decode(
        browser.ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=tall)["data"]
    )


def _by_firefox(site: Path, shot: Shot) -> bytes:
    program = shutil.which("firefox-esr") or shutil.which("firefox") or "firefox"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        picture = Path(folder) / "picture.png"
        size = f"{shot.width},{shot.height}"
        flags = ["--headless", "--no-remote", "--profile", folder, "--window-size", size, "--screenshot", str(picture)]
        subprocess.run([program, *flags, (site / shot.page).as_uri()], check=True, capture_output=True, timeout=120)
        return picture.read_bytes()


def _keep(picture: bytes, path: Path) -> None:
    """With 256 colours it takes a third of the bytes. They are chosen to cover all colours of the page: chosen by how
    often each occurs, as is usual, a badge of few dots would be grey.
    """
    page = Image.open(io.BytesIO(picture)).convert("RGB")
    few = page.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    furthest = max(high for _, high in ImageChops.difference(page, few.convert("RGB")).getextrema())
    if furthest > _FURTHEST:
        raise ValueError(f"{path.name}: a colour is {furthest} of 255 away from that of the page")
    few.save(path, optimize=True)


if __name__ == "__main__":
    main()
