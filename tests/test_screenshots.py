"""Pictures of the pages keep the colours of the pages."""

import io

import numpy as np
import pytest
from PIL import Image

screenshots = pytest.importorskip("tools.screenshots")


RED = (164, 14, 38)


def png(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(buffer, "png")
    return buffer.getvalue()


def test_a_colour_of_few_dots_is_kept(tmp_path):
    """Letters in all shades of grey, and a badge of twenty dots."""
    rng = np.random.default_rng(3)
    page = np.repeat(rng.integers(0, 256, (300, 300, 1)), 3, axis=2) + rng.integers(0, 2, (300, 300, 3))
    page = np.clip(page, 0, 255)
    page[5, 5:25] = RED
    screenshots._keep(png(page), tmp_path / "a.png")
    kept = np.asarray(Image.open(tmp_path / "a.png").convert("RGB")).astype(int)
    assert np.abs(kept[5, 5:25] - RED).max() <= screenshots._FURTHEST


def test_a_picture_that_256_colours_do_not_cover_is_refused(tmp_path):
    with pytest.raises(ValueError, match="away from that of the page"):
        screenshots._keep(png(np.random.default_rng(4).integers(0, 256, (300, 300, 3))), tmp_path / "a.png")


def test_every_picture_that_the_documents_show_is_made():
    folder = screenshots.FOLDER
    made = {path.stem for path in folder.glob("*.png")}
    assert set(screenshots.SHOTS) <= made
