"""The benchmark's table: plain text, aligned, one block for each case."""

from __future__ import annotations

import statistics

from ndis_verify.bench import judgement
from ndis_verify.tables import text_table

_HEAD = ("method", "per value", "whole job", "minimum", "IQR", "reps", "time/ours", "correct digits", "remarks")
_LEFT = {0, 7, 8}


def case_block(record: dict) -> str:
    """One case: its title, its reference and a line for each method."""
    rows = [_HEAD, *(_cells(row, record) for row in record["rows"])]
    lines = [record["title"], *_reference_lines(record), *(f"  {line}" for line in text_table(rows, _LEFT))]
    return "\n".join(lines) + "\n"


def _reference_lines(record: dict) -> list[str]:
    known = [entry for entry in record["reference"] if "value" in entry]
    lines = []
    if known:
        values = [float(entry["value"]) for entry in known]
        bases = ", ".join(sorted({entry["basis"] for entry in known}))
        digits = min(entry["digits"] for entry in known)
        span = f"from {max(values):.3g} to {min(values):.3g}" if len(known) > 1 else f"{values[0]:.3g}"
        points = f"{len(known)} point{'s' * (len(known) > 1)} checked"
        lines.append(f"  {points}, delta {span}; reference: {digits} digits, basis {bases}")
    lines += [f"  {text}" for text in sorted({entry["error"] for entry in record["reference"] if "error" in entry})]
    if record["labels"]:
        lines.append(f"  digits at delta = {' / '.join(record['labels'])}")
    else:
        lines.append("  digits: worst / median over the checked points")
    return lines


def _cells(row: dict, record: dict) -> tuple[str, ...]:
    digits = _digits(row["scores"], bool(record["labels"]))
    if row["per_value"] is None:
        return (row["method"], "-", "-", "-", "-", "-", "-", digits, row["note"])
    scaled = "~" if row["timed_values"] != record["values"] else ""
    ratio = "-" if row["time_over_ours"] is None else f"{row['time_over_ours']:.3g}"
    part = f"timed on {row['timed_values']} of {record['values']}" if scaled else ""
    note = "; ".join(text for text in (part, row["note"]) if text)
    job, minimum, iqr = (scaled + seconds(row[key]) for key in ("job", "job_minimum", "job_iqr"))
    if row["repetitions"] == 1:
        iqr = "-"
    return (row["method"], seconds(row["per_value"]), job, minimum, iqr, str(row["repetitions"]), ratio, digits, note)


def _digits(scores: list[judgement.Score], each: bool) -> str:
    if not scores:
        return "-"
    if each:
        return "/".join(str(entry) for entry in scores)
    numbers = [entry for entry in scores if isinstance(entry, int)]
    median = str(int(statistics.median_low(numbers))) if 2 * len(numbers) > len(scores) else "-"
    return f"{judgement.worst(scores)} / {median}"


def seconds(value: float) -> str:
    """A time with three significant digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def memory_block(rows: list[dict]) -> str:
    """Peak memory of one value by dimension, and the growth from the first row to the last."""
    lines = ["peak memory of one value from given eigenvalues (tracemalloc, input not counted)"]
    for row in rows:
        megabytes, each = row["peak_bytes"] / 1e6, row["bytes_per_coordinate"]
        lines.append(f"  d = {row['dimension']:>7}  {megabytes:9.3f} MB  {each:8.0f} bytes per coordinate")
    if len(rows) > 1:
        growth = rows[-1]["peak_bytes"] / rows[0]["peak_bytes"]
        lines.append(
            f"  {rows[-1]['dimension'] / rows[0]['dimension']:.3g} times the dimension, {growth:.3g} times the memory"
        )
    return "\n".join(lines) + "\n"


def releases_block(rows: list[dict]) -> str:
    """Exact releases beside plain sampling: least CPU seconds of each, their ratio, and the ratio of the medians."""
    lines = ["exact releases beside the plain float64 sampler (CPU time in turns, least of each; peak memory of ours)"]
    for row in rows:
        lines.append(
            f"  {row['release']:<45} {seconds(row['exact']):>8} against {seconds(row['plain']):>8}: {row['ratio']:.2f}"
            f" times (medians {row['median_ratio']:.2f}), {row['peak_bytes'] / 1e6:.0f} MB"
        )
    return "\n".join(lines) + "\n"


def header(environment: dict, settings: dict) -> str:
    """What ran where, and how to read the numbers."""
    libraries = ", ".join(f"{name} {version}" for name, version in environment["libraries"].items())
    limit = "" if environment["limits_enforced"] else " (not enforced on this platform or thread)"
    return (
        f"Python {environment['python']}, {libraries}, {environment['processors']} processors, seed"
        f" {settings['seed']}\nTimes: median over interleaved repetitions in one process, at most"
        f" {settings['repetitions']} of each; minimum and IQR\nbeside it show the machine's noise. From raw arrays to"
        f" numbers, validation and reduction included.\nOne call may take {settings['limit']:g} s{limit}. time/ours:"
        " above 1, the method is slower than ndis_verify's general route.\nWords among the digits: neg, nan, inf, >1"
        " were returned; fail: the method raised; time: it was stopped.\n"
    )
