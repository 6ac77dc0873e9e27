"""Why no claim about composition has a margin to attack."""

NO_MARGIN = {
    "KM-Fig11": "it is a plot of one composed profile; sums of losses for all small laws are attacked in KM-eq9.1",
}
