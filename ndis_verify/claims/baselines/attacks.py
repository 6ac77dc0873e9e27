"""Why no claim about baselines has a margin to attack."""

NO_MARGIN = {
    "N26-Fig2-ridges": "it is a table of enclosed numbers; the threshold over its whole domain is attacked in N26-Fig2",
}
