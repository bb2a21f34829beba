"""The statistics of a run, as tables.

    python -m heddle run --mode timing -stats_json stats.json script.py

    table = heddle.stats.read("stats.json")
    for row in table:
        print(row["kernel_name"], row["gpu_sim_cycle"])
    table.to_csv("stats.csv")
    frame = table.to_pandas()

`python -m heddle.stats FILE` prints such a table as CSV, `python -m heddle.stats FILE OTHER` what differs.
"""

import csv
import gzip
import json
import sys
from collections import namedtuple

from .places import HeddleError

# What a column says: docs/statistics.md of Heddle has them all.
Column = namedtuple("Column", "name unit kind description")

# A figure of one kernel in two runs. `change` is other / value - 1, None where that cannot be told; a kernel or a figure that one
# run lacks has None for its value.
Difference = namedtuple("Difference", "kernel launch name value other change")

# Figures of the wall clock differ from run to run.
WALL_CLOCK = {"gpu_total_sim_rate", "gpgpu_simulation_time", "gpgpu_simulation_rate", "gpgpu_silicon_slowdown"}


class Table:
    """A row for each kernel that ended, in that order: a dict by the names of `columns`.

    `ended` is how the run ended: 'complete', 'limit ...', 'interrupted ...', 'fault', or None for one that was killed.
    `provenance` tells version, commit, options and GPU of the run."""

    def __init__(self, columns, rows, ended, provenance):
        self.columns, self.rows, self.ended, self.provenance = columns, rows, ended, provenance

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

    def column(self, name):
        """The values of one column, by row; None where a kernel has none. KeyError for a name that no kernel has."""
        if all(c.name != name for c in self.columns):
            raise KeyError(name)
        return [row.get(name) for row in self.rows]

    def to_csv(self, file):
        """Writes a head of names and a line for each kernel to a path or an open file."""
        if not hasattr(file, "write"):
            with open(file, "w", newline="") as f:
                return self.to_csv(f)
        names = [c.name for c in self.columns]
        out = csv.writer(file, lineterminator="\n")
        out.writerow(names)
        for row in self.rows:
            out.writerow(["" if row.get(n) is None else row[n] for n in names])

    def to_pandas(self):
        """A pandas.DataFrame with these columns. ImportError where pandas is not installed."""
        import pandas
        return pandas.DataFrame(self.rows, columns=[c.name for c in self.columns])


def leaves(name, value):
    """Scalars as they are; of tables each place under a name of its own, such as bank[3] or breakdown[GLOBAL_ACC_R][HIT]."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    else:
        yield name, value
        return
    for key, v in parts:
        for leaf in leaves("%s[%s]" % (name, key), v):
            yield leaf


def _row(kernel, tables, columns):
    row = {}
    names = [("kernel_name", kernel["name"]), ("kernel_launch_uid", kernel["uid"]), ("kernel_stream_id", kernel["stream"])]
    for name, value in names:
        row[name] = value
        columns.setdefault(name, Column(name, "", "per kernel", ""))
    for s in kernel["statistics"]:
        if not tables and isinstance(s["value"], (dict, list)):
            continue
        for name, value in leaves(s["name"], s["value"]):
            row[name] = value
            if not columns.get(name) or not columns[name].description:
                columns[name] = Column(name, s["unit"], s["kind"], s["description"])
    return row


def read(path, tables=False):
    """The file that -stats_json wrote, as a Table; one that is packed as .gz too.

    Of statistics that are tables themselves (`tables=True`) every place becomes a column. A file that is empty, as of a run
    without kernels, gives a table without rows. HeddleError for what is no such file, OSError for one that cannot be read."""
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8", errors="surrogateescape") as f:
        text = f.read()
    try:
        kernels = json.loads(text) if text.strip() else []
    except ValueError as e:
        raise HeddleError("%s: not the JSON that -stats_json writes, or cut off: %s" % (path, e))
    columns, rows = {}, []
    try:
        for k in kernels:
            rows.append(_row(k, tables, columns))
        last = kernels[-1] if kernels else {}
        return Table(list(columns.values()), rows, last.get("heddle_run"), last.get("provenance", {}))
    except (TypeError, KeyError, AttributeError):
        raise HeddleError("%s: not the JSON that -stats_json writes: it has no kernels with name and statistics" % path)


def _keyed(table):
    """Rows by kernel and the how-manieth launch of it, from 1."""
    seen, rows = {}, {}
    for row in table:
        name = row["kernel_name"]
        seen[name] = seen.get(name, 0) + 1
        rows[name, seen[name]] = row
    return rows


def compare(table, other, names=None):
    """What differs between two runs: a list of Difference, by kernel and then by column.

    Kernels are matched by name and number of their launch. `names` are the figures that count; without, all but those of
    the wall clock and the number of the launch in the program."""
    a, b = _keyed(table), _keyed(other)
    columns = [c.name for c in table.columns] + [c.name for c in other.columns if c.name not in {d.name for d in table.columns}]
    if names is None:
        names = [n for n in columns if n not in WALL_CLOCK and n not in ("kernel_name", "kernel_launch_uid")]
    else:
        missing = [n for n in names if n not in columns]
        if missing:
            raise KeyError(missing[0])
    out = []
    for key in list(a) + [k for k in b if k not in a]:
        if key not in a or key not in b:
            out.append(Difference(key[0], key[1], "kernel", key[0] if key in a else None, key[0] if key in b else None, None))
            continue
        for n in names:
            x, y = a[key].get(n), b[key].get(n)
            if x != y:
                ok = isinstance(x, (int, float)) and isinstance(y, (int, float)) and x
                out.append(Difference(key[0], key[1], n, x, y, y / x - 1 if ok else None))
    return out


def main(words=None):
    """python -m heddle.stats FILE [OTHER]: 0, with differences 1, 2 for what cannot be read."""
    words = sys.argv[1:] if words is None else words
    if len(words) not in (1, 2) or words[0].startswith("-"):
        print("usage: python -m heddle.stats FILE.json          a line for each kernel, as CSV\n"
              "       python -m heddle.stats FILE.json OTHER.json   the figures that differ, as CSV", file=sys.stderr)
        return 0 if words in (["-h"], ["--help"]) else 2
    try:
        found = [read(w) for w in words]
    except (OSError, HeddleError) as e:
        print("heddle: error: %s" % e, file=sys.stderr)
        return 2
    if len(found) == 1:
        found[0].to_csv(sys.stdout)
        return 0
    different = compare(*found)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(Difference._fields)
    out.writerows(different)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
