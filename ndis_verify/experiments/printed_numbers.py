"""What Tables I to IV of N24 print, and the settings that could be recovered.

Tables I and II are lost in the text that is left. It says of Table I that on Cancer and Song it has the numbers of
Table III, and of Table II that its mechanisms and Sheffet's stand in Table IV where the set falls back to them; what is
no longer said anywhere is None.
"""

from __future__ import annotations

from dataclasses import dataclass

RULE = -1.0  # at the noise that the rule asks for, where the printed one is lost


@dataclass(frozen=True)
class Setting:
    """A data set of the source: n as in its text, r, the noise printed for Sheffet's ridge, and the features."""

    n: int
    r: int
    sheffet: float
    features: int


SETTINGS = {
    "Flight": Setting(327_346, 1200, 2.060, 2),
    "Cancer": Setting(2809, 300, 20.317, 12),  # 12: what the printed noise of M_LS implies
    "Song": Setting(515_345, 20_000, 12.496, 90),
}


@dataclass(frozen=True)
class Printed:
    """One printed number (None: lost): of which data and method, at which printed noise, and the half-width beside it
    (0: none).
    """

    data: str
    method: str
    quantity: str
    value: str | None
    half_width: float = 0.0
    noise: float = 0.0

    @property
    def unit(self) -> float:
        """Half of the last printed digit."""
        return 0.5 * 10.0 ** -len((self.value or "").partition(".")[2])


_Half = tuple[str | None, float]
LOST: _Half = (None, 0.0)


def _pair(data: str, method: str, noise: float, pdr: _Half, dpr: _Half) -> list[Printed]:
    return [Printed(data, method, "PDR", *pdr, noise), Printed(data, method, "DPR", *dpr, noise)]


def _level(data: str, method: str, noise: str | None, error: _Half) -> list[Printed]:
    at = RULE if noise is None else float(noise)
    return [Printed(data, method, "noise", noise), Printed(data, method, "error", *error, at)]


_CANCER_RP, _SONG_RP = (("18.106", 0.046), ("0.401", 0.005)), (("2.149", 0.001), ("0.792", 0.002))
_SHEFFET = (
    *_pair("Flight", "Sheffet 2019", 2.060, ("4.004", 0.011), ("0.868", 0.004)),
    *_pair("Cancer", "Sheffet 2019", 20.317, ("56.031", 0.130), ("0.379", 0.005)),
    *_pair("Song", "Sheffet 2019", 12.496, ("7.342", 0.004), ("0.445", 0.001)),
)
TABLE_1 = (
    *_pair("Flight", "M_RP", RULE, LOST, LOST),
    *_pair("Cancer", "M_RP", 6.850, *_CANCER_RP),
    *_pair("Song", "M_RP", 0.224, *_SONG_RP),
    *_SHEFFET,
)
TABLE_3 = (
    Printed("Flight", "RP", "delta", None),
    *_pair("Flight", "RP", 0.0, ("0.998", 0.003), ("1.123", 0.0)),
    *_pair("Flight", "M_RP relative", 0.0, ("0.998", 0.003), ("1.123", 0.0)),
    *_pair("Flight", "Showkatbakhsh et al.", 59.796, ("111.384", 0.381), ("0.779", 0.004)),
    Printed("Cancer", "RP", "delta", "0.999"),
    *_pair("Cancer", "RP", 0.0, ("0.999", 0.003), ("0.998", 0.001)),
    *_pair("Cancer", "M_RP relative", 6.850, *_CANCER_RP),
    *_pair("Cancer", "Showkatbakhsh et al.", 29.903, ("82.903", 0.005), ("0.382", 0.001)),
    Printed("Song", "RP", "delta", "0.135"),
    *_pair("Song", "RP", 0.0, ("1.000", 0.001), ("0.993", 0.0)),
    *_pair("Song", "M_RP relative", 0.224, *_SONG_RP),
    *_pair("Song", "Showkatbakhsh et al.", 244.148, ("70.095", 0.033), ("0.382", 0.001)),
    *_SHEFFET,
)
_SHEFFET_AGAIN = (
    *_level("Flight", "Sheffet 2019", "2.060", ("0.791", 0.006)),
    *_level("Flight", "Sheffet 2019, again", "2.704", ("0.852", 0.006)),
    *_level("Cancer", "Sheffet 2019", "20.317", ("1.012", 0.011)),
    *_level("Song", "Sheffet 2019", "12.496", ("0.996", 0.002)),
    *_level("Song", "Sheffet 2019, again", "13.907", ("0.997", 0.001)),
)
TABLE_2 = (
    *_level("Flight", "M_LS", None, LOST),
    *_level("Flight", "M_RP", None, LOST),
    *_level("Cancer", "M_LS", "7.917", ("1.003", 0.011)),
    *_level("Cancer", "M_RP", "6.850", ("1.002", 0.010)),
    *_level("Song", "M_LS", None, LOST),
    *_level("Song", "M_RP", "0.224", ("0.752", 0.001)),
    *(entry for entry in _SHEFFET_AGAIN if not entry.method.endswith("again")),
)
TABLE_4 = (
    Printed("Flight", "ALS", "delta", None),
    *_level("Flight", "M_LS relative", "0", ("0.016", 0.001)),
    *_level("Flight", "M_RP relative", "0", ("0.016", 0.001)),
    Printed("Flight", "ALS", "error", "0.016", 0.001, 0.0),
    Printed("Flight", "Gaussian mechanism", "error", "0.001"),
    *_level("Flight", "Showkatbakhsh et al.", "59.796", ("0.957", 0.004)),
    Printed("Cancer", "ALS", "delta", "0.133"),
    Printed("Cancer", "ALS", "error", "0.656", 0.072, 0.0),
    *_level("Cancer", "M_LS relative", "7.917", ("1.003", 0.011)),
    *_level("Cancer", "M_RP relative", "6.850", ("1.002", 0.010)),
    Printed("Cancer", "Gaussian mechanism", "error", "2.563", 0.127),
    *_level("Cancer", "Showkatbakhsh et al.", "29.903", ("1.018", 0.011)),
    Printed("Song", "ALS", "delta", None),
    *_level("Song", "M_LS relative", "0", ("0.001", 0.0)),
    Printed("Song", "ALS", "error", "0.001", 0.0, 0.0),
    *_level("Song", "M_RP relative", "0.224", ("0.752", 0.001)),
    Printed("Song", "Gaussian mechanism", "error", "0.001"),
    *_level("Song", "Showkatbakhsh et al.", "244.148", ("1.002", 0.002)),
    *_SHEFFET_AGAIN,
)
TABLES = {"n24-tab1": TABLE_1, "n24-tab2": TABLE_2, "n24-tab3": TABLE_3, "n24-tab4": TABLE_4}
