"""Why no claim about printed tables has a margin to attack."""

NO_MARGIN = {
    "PKG-printed-clt": "it is about one printed guarantee; the counterexample on record is its setting",
    "PKG-printed-moments": "it is about one printed guarantee, whose delta is enclosed",
    "PKG-printed-scale": "it is about three published settings, whose deltas are enclosed",
    "PKG-printed-tutorial": "it is about three printed guarantees, whose deltas are enclosed",
    "N24-TabIII-Cancer": "it is about two printed distances and two printed levels; the counterexample is one point",
    "N24-TabIII-Song": "it is about two numbers and two levels printed for Song; the counterexample is one point",
    "N24-TabIII-DPR": "it is about four printed numbers",
    "N24-TabIV-Song": "it is about one printed noise level; the counterexample on record is one point",
}
