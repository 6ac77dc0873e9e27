"""Which other claims a claim stands on: none of its derivations is of it, or they end in its statement, and what its
words say beyond that is proved there.
"""

from __future__ import annotations

from collections.abc import Mapping

RESTS_ON: Mapping[str, tuple[str, ...]] = {
    "N26-Fig1": ("KM-2.2",),
    "N26-Fig3": ("N26-Fig1",),
    "N26-T4.1": ("N24-P16",),
    "N26-T5.1": ("KM-2.2",),
    "N26-T5.3": ("N26-T5.1", "KM-2.2"),
    "N26-T6.1-corrected": ("N26-D4", "N26-D5", "KM-2.2"),
    "N26-T7.1": ("N26-T4.1", "KM-2.2"),
    "N26-L3-three-eigenvalues": ("N26-D6-exact",),
    "N24-6.3-gap": ("N24-L1", "N24-Fig11"),
    "N24-6.3-worst-case": ("N24-T5",),
    "N24-6.3-worst-record": ("N24-T5",),
    "N24-6.3-worst-value": ("N24-T5",),
    "N24-C4": ("N24-L2",),
    "N24-C7": ("KM-2.2",),
    "N24-Fig3": ("N24-T3",),
    "N24-Fig6": ("N24-T2", "N26-L4"),
    "N24-P11": ("N26-D2", "N24-P12"),
    "N24-P14": ("N26-F1",),
    "N24-T3": ("KM-2.2",),
    "N24-T5": ("N24-Fig4", "N24-C3"),
    "N24-TabIV": ("N24-TabII-same-noise",),
    "BW-B": ("BW-T11", "BW-T12"),
    "BW-Fig1": ("BW-T11",),
    "BW-Fig2-every-signal": ("BW-T12",),
    "BW-T4-corrected": ("BW-L7", "KM-2.2"),
    "KM-2.8": ("KM-2.7",),
    "KM-Alg2": ("KM-4.1", "KM-4.2", "KM-4.3"),
    "KM-C8.2-corrected": ("KM-8.1", "KM-T4.4-corrected"),
    "KM-Fig4": ("KM-CI",),
    "KM-Fig7": ("KM-7.2",),
    "KM-G-L2": ("KM-8.1",),
    "KM-J.1-corrected": ("KM-7.2",),
    "KM-S7-interval-corrected": ("KM-S7-example",),
}
