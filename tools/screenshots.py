"""The pictures of docs/site.md: `python -m tools.screenshots`, from a checkout, with Chromium and Pillow installed."""

import base64
import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from ndis_verify.claims.ledger import all_claims
from ndis_verify.report.matrix import hearing
from ndis_verify.report.site import write_site
from tools.browser import Browser

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH, HEIGHT = 1100, 760
SHOTS = {  # name of the picture: page, what is brought into view, width, colour scheme
    "index": ("index.html", "", WIDTH, "light"),
    "claim-proof": ("claims/N26-L3.html", "#derivation", WIDTH, "light"),
    "claim-violation": ("claims/N26-L2.html", ".broken", WIDTH, "light"),
    "graph": ("graph.html", "", 1500, "light"),
    "matrix": ("matrix.html", "#N26-L1", WIDTH, "dark"),
    "phone": ("claims/KM-6.1.html", "", 375, "dark"),
}


def main() -> None:
    """Write the site into a folder that goes away, and what its pages look like into `FOLDER`: those named, or all."""
    FOLDER.mkdir(exist_ok=True)
    chosen = {name: SHOTS[name] for name in sys.argv[1:] or SHOTS}
    heard = hearing(all_claims()) if "matrix" in chosen else {}
    with tempfile.TemporaryDirectory() as site, tempfile.TemporaryDirectory() as profile:
        write_site(Path(site), heard=heard)
        browser = Browser(profile)
        try:
            for name, (page, seen, width, scheme) in chosen.items():
                browser.open(Path(site) / page, width, scheme)
                if seen:
                    browser.value(f'document.querySelector("{seen}").scrollIntoView({{block: "start"}})')
                    browser.value(f'document.querySelector("{seen}").focus({{preventScroll: true}})')
                picture = browser.ask("Page.captureScreenshot", format="png", clip=_clip(browser, width))["data"]
                _keep(base64.b64decode(picture), FOLDER / f"{name}.png")
        finally:
            browser.close()


def _keep(picture: bytes, path: Path) -> None:
    """No more colours than a page has: a third of the bytes."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def _clip(browser: Browser, width: int) -> dict:
    """What is in view."""
    x, y = browser.value("[window.scrollX, window.scrollY]")
    return {"x": x, "y": y, "width": width, "height": HEIGHT, "scale": 1}


if __name__ == "__main__":
    main()
