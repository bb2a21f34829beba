"""heddle compare: a simulated run beside a measured one, metric by metric.

    heddle compare SIMULATED NCU.csv
"""

import argparse
import csv
import math
import sys

from . import drawing, ncu, runs
from .places import HeddleError


def kernels_of(path):
    """The kernels of a CSV of ncu, or of a file of -stats_json."""
    text = runs.read_text(path)
    if text.lstrip()[:1] in ("[", "{"):
        text = ncu.write(runs.read(path))
    return ncu.read(text, path)


def matched(simulated, measured):
    """Kernels of both, by name and the how-manieth of that name: (name, metrics, metrics); and the names of the rest of
    either."""
    def keyed(some):
        seen, out = {}, {}
        for name, metrics in some:
            name = ncu.plain(name)
            seen[name] = seen.get(name, 0) + 1
            out[name, seen[name]] = metrics
        return out
    a, b = keyed(simulated), keyed(measured)
    both = [("%s #%d" % key, a[key], b[key]) for key in a if key in b]
    return both, ["%s #%d" % k for k in a if k not in b], ["%s #%d" % k for k in b if k not in a]


def rows_of(both):
    """A row for each metric that both have: kernel, section, metric, unit, simulated, measured, ratio (None if it says
    nothing)."""
    out = []
    for name, a, b in both:
        for key, (unit, value) in a.items():
            if key in b and b[key][0] == unit:
                other = b[key][1]
                out.append((name,) + key + (unit, value, other, value / other if other else None))
    return out


def means(rows):
    """By metric: kernels, the geometric mean of the ratios, and the mean distance from 1 as a factor."""
    found = {}
    for _, section, metric, _, _, _, ratio in rows:
        if ratio and ratio > 0:
            found.setdefault((section, metric), []).append(math.log(ratio))
    return [(key, len(logs), math.exp(sum(logs) / len(logs)), math.exp(sum(map(abs, logs)) / len(logs)))
            for key, logs in found.items()]


def print_table(heads, rows, to):
    """Columns side by side, the first ones to the left."""
    cells = [heads] + [[c if isinstance(c, str) else drawing.number(c) for c in row] for row in rows]
    wide = [max(len(r[i]) for r in cells) for i in range(len(heads))]
    for row in cells:
        print("  ".join(c.ljust(w) if isinstance(h, str) and i < 2 else c.rjust(w)
                        for i, (c, w, h) in enumerate(zip(row, wide, heads))).rstrip(), file=to)


def main(words=None):
    """heddle compare: the status."""
    p = argparse.ArgumentParser(prog="heddle compare",
                                description="Sets metrics of a simulated run beside those that Nsight Compute measured "
                                "(ncu --csv --page details). Kernels meet by name and number of their launch.")
    p.add_argument("simulated", metavar="SIM", help="of heddle report --ncu-csv, or of -stats_json")
    p.add_argument("measured", metavar="NCU.csv")
    p.add_argument("--csv", action="store_true", help="a line for each kernel and metric, as CSV")
    args = p.parse_args(words)
    try:
        both, alone, elsewhere = matched(kernels_of(args.simulated), kernels_of(args.measured))
    except (OSError, HeddleError) as e:
        print("heddle: error: %s" % e, file=sys.stderr)
        return 1
    for names, path in ((alone, args.simulated), (elsewhere, args.measured)):
        if names:
            more = " and %d more" % (len(names) - 5) if len(names) > 5 else ""
            print("heddle: note: in %s alone: %s%s" % (path, ", ".join(names[:5]), more),
                  file=sys.stderr)
    rows = rows_of(both)
    if not rows:
        print("heddle: error: no kernel with a metric is in both files", file=sys.stderr)
        return 1
    if args.csv:
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow(["kernel", "section", "metric", "unit", "simulated", "measured", "ratio"])
        out.writerows(rows)
        return 0
    print_table(["kernel", "metric", "unit", "simulated", "measured", "ratio"], [r[:1] + r[2:] for r in rows],
                sys.stdout)
    print()
    print_table(["section", "metric", "kernels", "mean ratio", "mean factor"],
                [k + (n, g, d) for k, n, g, d in means(rows)], sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
