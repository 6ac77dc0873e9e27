"""The attacks on the claims about inference from total variation."""

from __future__ import annotations

NO_MARGIN = {
    "KM-Fig7": "it is one curve at s = 5; the largest sensitivity at every s is attacked in KM-7.2",
}
