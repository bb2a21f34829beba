# Usage: stats_json.py FILE.json TEXT: the document is whole and says of every kernel what the text says.
import json
import re
import sys

kernels = json.load(open(sys.argv[1]))
parts = re.split(r"(?m)^kernel_name = ", open(sys.argv[2]).read())[1:]
wall = {"gpu_total_sim_rate", "gpgpu_simulation_time", "gpgpu_simulation_rate", "gpgpu_silicon_slowdown"}
bad = []
if len(kernels) != len(parts):
    bad.append("%d kernels in JSON, %d in the text" % (len(kernels), len(parts)))


def leaves(value, path):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(v, path + "[%s]" % k)
    elif not isinstance(value, list):
        yield path, value


for kernel, text in zip(kernels, parts):
    names = [row["name"] for row in kernel["statistics"]]
    if len(set(names)) != len(names):
        bad.append("a name comes twice")
    for row in kernel["statistics"]:
        for key in ("name", "value", "unit", "kind", "description"):
            if key not in row:
                bad.append("%s has no %s" % (row.get("name"), key))
        name, value = row["name"], row["value"]
        if name in wall:
            continue
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found = re.search(r"(?m)(?:^|\s)" + re.escape(name) + r"[\s=:]+(?:\d+/\d+ = )?([-\d.e+]+)", text)
            if not found or abs(float(found.group(1)) - value) > 1e-3 + abs(value) * 1e-3:
                bad.append("%s is %s in JSON, %s in the text" % (name, value, found and found.group(1)))
        elif name.endswith("breakdown"):
            for path, n in leaves(value, name):
                line = "\t%s = %d\n" % (path, n)
                if line not in text and not (n == 0 and "TOTAL_ACCESS" in path):
                    bad.append("no line %r" % line)
    slots = next(row["value"] for row in kernel["statistics"] if row["name"] == "issue_slots")
    cycles = next(row["value"] for row in kernel["statistics"] if row["name"] == "gpu_issue_slots")
    for s in slots:
        if sum(n for reason, n in s.items() if reason != "TOTAL") != s["TOTAL"] or s["TOTAL"] != cycles:
            bad.append("issue slots do not add up: %s, %d cycles" % (s, cycles))
print("\n".join(bad[:20]))
sys.exit(bool(bad))
