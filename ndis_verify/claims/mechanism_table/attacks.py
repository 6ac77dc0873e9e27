"""Why no claim about the table of mechanisms has a margin to attack."""

NO_MARGIN = {
    "PKG-mechanism-table": (
        "it is a table of calibrations on fixed data sets; calibrations at random targets are attacked in"
        " N26-Fig1-smallest-ridge"
    ),
}
