"""Claims about mechanisms, audits and experiments that nothing in this package runs yet: recorded, stated, open."""

from __future__ import annotations

from ndis_verify.claim import Claim, Verdict

_EXPERIMENT = (
    "A printed number of an experiment: it can be judged only by running the mechanisms it compares on data of the printed size, "
    "and the package has neither those mechanisms nor those data sets yet."
)
_SIZES = "The tables print Song n = 327346 and Flight n = 515345; the text has flight 327346 (2 features) and song 515345 (91 features)."


def _open(id: str, title: str, statement: str, reason: str, hypotheses: tuple[str, ...], note: str = "", formula: str | None = None) -> Claim:
    return Claim(
        id=id,
        source=id.partition("-")[0],
        title=title,
        statement=statement,
        formula=formula,
        hypotheses=hypotheses,
        declared=Verdict.OPEN,
        reason_open=reason,
        note=note,
    )


_LEAST_SQUARES = ("[B b] of full column rank", "the residual is not zero")

CLAIMS = (
    _open(
        "N24-TabI",
        "utility of private random projection on three data sets",
        "Pairwise-distance ratio, dot-product ratio and added noise of four methods, averages of 100 runs.",
        _EXPERIMENT,
        ("eps = 1", "delta from the number of records"),
        note=_SIZES,
    ),
    _open(
        "N24-TabII",
        "error of private least squares on three data sets",
        "Normalised error and added noise of the private least squares mechanisms, averages of 100 runs.",
        _EXPERIMENT,
        ("eps = 1", "delta from the number of records"),
        note=_SIZES + " The text calls one table both II and IV.",
    ),
    _open(
        "N24-TabIII",
        "utility of relative random projection on three data sets",
        "The measures of N24-TabI with the relative mechanism; plain projection has its inherent delta printed.",
        _EXPERIMENT,
        ("eps = 1", "a database and all its neighbours as the set"),
        note=_SIZES,
    ),
    _open(
        "N24-TabIV",
        "error of relative least squares on three data sets",
        "Normalised error and added noise of the relative least squares mechanisms, averages of 100 runs.",
        _EXPERIMENT,
        ("eps = 1", "a database and all its neighbours as the set"),
        note=_SIZES,
    ),
    _open(
        "N24-Fig5",
        "theoretical and black-box spectrum of approximate least squares agree",
        "On Cancer and 20000 records of Flight the asymptotic spectrum and the estimated one closely match.",
        "Waits on a black-box estimator of the divergence and on the Flight data; closeness of two curves needs a stated error of the estimate.",
        (*_LEAST_SQUARES, "r columns as in the source's experiments"),
    ),
    _open(
        "N24-Fig6",
        "spectrum of random projection on the larger data sets",
        "Plain projection of Flight and Song has some inherent relative privacy.",
        "Needs the Flight and Song records, which the package does not bundle; on bundled records the curve is settled (DATA-diabetes).",
        ("the deletion of each database's worst record",),
        note=_SIZES,
    ),
    _open(
        "N24-Fig9",
        "theoretical and black-box spectrum of a random linear combination agree",
        "With and without added noise the closed form and the estimated spectrum closely match.",
        "Waits on a black-box estimator of the divergence with a stated error. The closed form itself is proved (N24-T7).",
        ("r = 1", "one record deleted"),
    ),
    _open(
        "N24-Fig10",
        "spectrum of a random linear combination on the larger data sets",
        "The curve of N24-T7 at the largest leverage of Flight and of Song.",
        "Needs the Flight and Song records, which the package does not bundle.",
        ("r = 1", "the deletion of each database's worst record"),
        note=_SIZES,
    ),
)
