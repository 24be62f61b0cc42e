#!/usr/bin/env python3
"""Renews the tables of bench/RESULTS.md with six columns (scenario, Covey, baseline, two ratios, bar) from what
`make bench-quick` or `make bench` has written:

    bench/renew.py build/bench/results.csv build/bench/results-native.csv

A row keeps its scenario, its baseline and its bar. A row that was not measured stays as it is, and is named."""

import csv
import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md")
ROW = re.compile(r"\| `(\w+)`(, \w+)? \| [\d.]+( us| ns| ms)? \| (\w+) [\d.]+( us| ns| ms)? "
                 r"\| \**[\d.]+\** \| \**[\d.]+\** \| ([\d.]+) \|")
STORAGES = {"Block storage": ["block", "mixed"], "Sparse storage": ["sparse", "mixed"], "Groups and order": ["sparse"],
            "Groups over blocks": ["block"], "Reacting and deferring": ["block"]}
MILLION = {"sort_almost_1m", "ordered_half_remove", "ordered_half_join_rows", "reactive_1"}
SIZES = [[100000, 250000], [1000000]]
UNITS = {None: 1, " ns": 1, " us": 1e3, " ms": 1e6}


def measured(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (row["scenario"], row["storage"], int(row["n"]), row["baseline"])
            found[key] = (float(row["ns_min"]), float(row["baseline_ns_min"]))
    return found


def digits(value):
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def marked(ratio, bar):
    """In bold if it misses its bar."""
    return f"**{digits(ratio)}**" if round(ratio, 2) > bar else digits(ratio)


def find(results, scenario, storages, baseline):
    for storage in storages:
        for n in SIZES[scenario in MILLION]:
            if (scenario, storage, n, baseline) in results:
                return results[scenario, storage, n, baseline]
    return None


def renewed(line, storages, portable, native):
    match = ROW.fullmatch(line)
    if not match:
        return line
    scenario, suffix, unit, baseline, base_unit, bar = match.groups()
    here, there = (find(results, scenario, storages, baseline) for results in (portable, native))
    if not here or not there:
        print(f"not measured: {scenario}, {storages[0]}, against {baseline}")
        return line
    ours, base = here
    ratios = [marked(a / b, float(bar)) for a, b in (here, there)]
    return (f"| `{scenario}`{suffix or ''} | {digits(ours / UNITS[unit])}{unit or ''} | "
            f"{baseline} {digits(base / UNITS[base_unit])}{base_unit or ''} | {ratios[0]} | {ratios[1]} | {bar} |")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    portable, native = measured(sys.argv[1]), measured(sys.argv[2])
    section, lines = "", []
    with open(PATH, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("#"):
                section = line.lstrip("# ")
            lines.append(renewed(line, STORAGES[section], portable, native) if section in STORAGES else line)
    with open(PATH, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    main()
