"""Why no claim about printed tables has a margin to attack."""

NO_MARGIN = {
    "N24-TabIII-Cancer": "it is about two printed numbers and two printed levels; the counterexample is one point",
    "N24-TabIII-Song": "it is about two numbers and two levels printed for Song; the counterexample is one point",
    "N24-TabIII-DPR": "it is about four printed numbers",
    "N24-TabIV-Song": "it is about one printed noise level; the counterexample on record is one point",
}
