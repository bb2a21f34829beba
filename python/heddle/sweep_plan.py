"""What a sweep is made of: a TOML file becomes points, each of them a run with its place on every axis.

`read` gives a Plan, or raises HeddleError with every mistake in the file, one a line, with the line where it stands.
docs/studies.md shows a file, docs/sweeps.md has all of its keys."""

import difflib
import hashlib
import itertools
import json
import math
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field

from .places import HeddleError, command, root

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    tomllib = None

# What holds for every program, for one, or for one label of an axis, from the weakest to the strongest.
SETTINGS = {"config", "options", "mode", "code", "environment", "time_limit", "memory_limit", "checkpoint"}
PROGRAM = SETTINGS | {"name", "command", "trace", "directory", "input", "files"}
INPUT = {"arguments", "files"}
TOP = SETTINGS | {"directory", "database", "baseline", "program", "axis", "include", "exclude"}
# The axes that programs make themselves, and columns of `heddle results`.
RESERVED = {"program", "input", "kernel", "run"}
MODES = {"timing": "0", "functional": "1"}
CODES = ("ptx", "sass", "auto")
# What sets options behind a file's back: a sweep is what its file says.
IGNORED = ("HEDDLE_OPTIONS", "HEDDLE_THREADS", "GPGPUSIM_CONFIG", "PTX_SIM_MODE_FUNC")
# Runs stand side by side, so each takes one thread; the log of the visualizer has one name for all that start in the
# same second.
ALWAYS = [("-threads", "1"), ("-visualizer_enabled", "0")]
MOST = 100000  # combinations
# Options that change where things lie in device memory, or which code there is: runs that differ in them share no checkpoint.
STATE = ("-gpgpusim_addresses", "-gpu_memory_mb", "-gpgpu_compute_capability_major", "-gpgpu_compute_capability_minor",
         "-gpgpu_ptx_force_max_capability", "-gpgpu_execute")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass
class Point:
    """One run of a sweep. `labels` is its place: the program, the input where there are several, a label of each
    axis."""
    number: int
    labels: dict
    job: dict = field(default_factory=dict)  # what sweep_job needs
    key: str = ""


@dataclass
class Plan:
    path: str
    database: str
    axes: dict  # name: labels, `program` and `input` first
    baseline: dict
    points: list
    version: str
    commit: str


def close(word, names):
    """'; did you mean ...?' where a name is like the word, else ''."""
    found = difflib.get_close_matches(str(word), [str(n) for n in names], 1)
    return "; did you mean '%s'?" % found[0] if found else ""


def line_of(text, path):
    """The number of the line where a key stands, as far as a look at the lines tells; 0 if not.

    The path is of names and, behind those of an array of tables, numbers from 0."""
    names = [p for p in path if not isinstance(p, int)]
    numbers = [p for p in path if isinstance(p, int)]
    head, found = [], 0
    seen = {}
    for number, line in enumerate(text.split("\n"), 1):
        m = re.match(r"\s*(\[\[?)\s*(.*?)\s*\]\]?\s*(#.*)?$", line)
        if m:
            head = [p.strip("\"'") for p in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", m.group(2))]
            if m.group(1) == "[[":
                seen[head[0]] = seen.get(head[0], -1) + 1
            key = head
        else:
            m = re.match(r"\s*(\"[^\"]*\"|'[^']*'|[\w-]+)\s*=", line)
            if not m:
                continue
            key = head + [m.group(1).strip("\"'")]
        if numbers and key[0] in seen and seen[key[0]] != numbers[0]:
            continue
        if key == names:
            return number
        if key == names[:len(key)]:
            found = number
    return found


class Reader:
    """Reads a file and gathers what is wrong with it."""
    def __init__(self, path):
        self.path, self.errors = path, []
        self.folder = os.path.dirname(os.path.abspath(path))
        if not tomllib:
            raise HeddleError("heddle sweep needs Python 3.11 or newer; HEDDLE_PYTHON names another one")
        try:
            with open(path, "rb") as f:
                self.text = f.read().decode("utf-8")
            self.file = tomllib.loads(self.text)
        except OSError as e:
            raise HeddleError("%s: %s" % (path, e.strerror))
        except UnicodeDecodeError as e:
            raise HeddleError("%s: no text in UTF-8: byte %d" % (path, e.start))
        except tomllib.TOMLDecodeError as e:
            m = re.match(r"(.*) \(at line (\d+), column (\d+)\)$", str(e))
            raise HeddleError("%s:%s:%s: %s" % (path, m.group(2), m.group(3), m.group(1)) if m else "%s: %s" %
                              (path, e))

    def wrong(self, at, what):
        name = ""
        for part in at:
            name += "[%d]" % (part + 1) if isinstance(part, int) else "." * bool(name) + part
        line = line_of(self.text, at)
        self.errors.append("%s%s: %s%s" % (self.path, ":%d" % line if line else "", name + ": " if name else "", what))

    def check_keys(self, table, names, at):
        for key in table:
            if key not in names:
                self.wrong(at + [key], "no such key" + close(key, names))

    def table(self, value, at):
        if isinstance(value, dict):
            return value
        self.wrong(at, "a table belongs here")
        return {}

    def word(self, value, at):
        """A value of an option or of the environment as text."""
        if isinstance(value, bool):
            return "1" if value else "0"
        if isinstance(value, (str, int, float)) and "\0" not in str(value):
            return str(value)
        self.wrong(at, "a text or a number belongs here")
        return ""

    def words(self, value, at):
        """A list of words, or a text that the shell's rules split."""
        if isinstance(value, str) and "\0" not in value:
            try:
                return shlex.split(value)
            except ValueError as e:
                self.wrong(at, str(e))
                return []
        if isinstance(value, (int, float)):
            value = [value]
        if isinstance(value, list) and all(isinstance(v, (str, int, float)) for v in value):
            return [self.word(v, at) for v in value]
        self.wrong(at, "a text or a list of words belongs here")
        return []

    def measure(self, value, units, what, at):
        """A number with a unit: '10m', '8G'. None where it is wrong."""
        m = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([%s]?)" % "".join(units), str(value))
        if m and not isinstance(value, bool) and float(m.group(1)) > 0:
            return float(m.group(1)) * units.get(m.group(2), 1)
        self.wrong(at, "%s belongs here, such as \"%s\"" % what)
        return None

    def configs(self, value, at):
        """Paths of configurations: relative to the file of the sweep, else names from configs/."""
        found = []
        for name in [self.word(value, at)] if isinstance(value, str) else self.words(value, at):
            places = [os.path.join(self.folder, name)]
            if not os.path.isabs(name):
                places.append(os.path.join(root(), "configs", name))
            there = [p for p in places if os.path.exists(p)]
            if there:
                found.append(os.path.normpath(there[0]))
            else:
                known = os.listdir(os.path.join(root(), "configs"))
                self.wrong(
                    at, "no configuration '%s': neither a file nor a folder beside %s, nor a name in configs/%s" %
                    (name, os.path.basename(self.path), close(name, known)))
        return found

    def settings(self, table, at):
        """What a table says of SETTINGS. Options in order; names and values checked as far as this file goes."""
        s = {}
        if "config" in table:
            s["config"] = self.configs(table["config"], at + ["config"])
        options = dict(self.table(table.get("options", {}), at + ["options"]))
        options = [(k, v, at + ["options", k]) for k, v in options.items()]
        options += [(k, v, at + [k]) for k, v in table.items() if k.startswith("-")]
        s["options"] = []
        for name, value, where in options:
            if name in ("-stats_json", "-stats_file", "-trace", "-c", "-config"):
                self.wrong(where, "the sweep itself sets this option")
            if name in ("-checkpoint_option", "-checkpoint_file", "-resume_option"):
                self.wrong(where, "the sweep itself sets this option; write checkpoint = N")
            s["options"].append((name if name.startswith("-") else "-" + name, self.word(value, where)))
        for key, choices, option in ("mode", MODES, "-gpgpu_ptx_sim_mode"), ("code", CODES, "-gpgpu_execute"):
            if key in table:
                if not isinstance(table[key], str) or table[key] not in choices:
                    self.wrong(at + [key], "one of %s belongs here" % ", ".join(choices))
                else:
                    s["options"].append((option, MODES[table[key]] if key == "mode" else table[key]))
        environment = self.table(table.get("environment", {}), at + ["environment"])
        s["environment"] = {k: self.word(v, at + ["environment", k]) for k, v in environment.items()}
        for key, units, what in (("time_limit", UNITS, ("a time", "10m")), ("memory_limit", SIZES, ("a size", "8G"))):
            if key in table:
                s[key] = self.measure(table[key], units, what, at + [key])
        if "checkpoint" in table:
            s["checkpoint"] = table["checkpoint"]
            if not isinstance(s["checkpoint"], int) or isinstance(s["checkpoint"], bool) or s["checkpoint"] < 0:
                self.wrong(at + ["checkpoint"], "the number of a launch belongs here, or 0 for none")
                s["checkpoint"] = 0
        return s


def join(*settings):
    """Settings laid over each other: the later ones win."""
    out = {"config": [], "options": list(ALWAYS), "environment": {}, "time_limit": None, "memory_limit": None, "checkpoint": 0}
    for s in settings:
        out["config"] = [c for c in out["config"] if c not in s.get("config", [])] + s.get("config", [])
        out["options"] = out["options"] + s["options"]
        out["environment"] = {**out["environment"], **s["environment"]}
        for key in "time_limit", "memory_limit":
            out[key] = s.get(key) or out[key]
        out["checkpoint"] = s.get("checkpoint", out["checkpoint"])
    out["options"] = list(dict(out["options"]).items())
    return out


def read_axes(r):
    """Of each axis its labels with their settings."""
    axes = {}
    for name, table in r.table(r.file.get("axis", {}), ["axis"]).items():
        at = ["axis", name]
        if name in RESERVED:
            r.wrong(at, "'%s' is a name of Heddle's own; call the axis otherwise" % name)
        table = r.table(table, at)
        if isinstance(table.get("option"), str):
            r.check_keys(table, {"option", "values"}, at)
            values = table.get("values")
            if not isinstance(values, list) or not values:
                r.wrong(at, "an axis of an option needs a list of values: values = [...]")
                continue
            table = {r.word(v, at + ["values"]): {table["option"]: v} for v in values}
            if len(table) != len(values):
                r.wrong(at + ["values"], "a value stands twice")
        elif isinstance(table.get("config"), list):
            r.check_keys(table, {"config"}, at)
            if len(set(map(str, table["config"]))) != len(table["config"]):
                r.wrong(at + ["config"], "a configuration stands twice")
            table = {os.path.basename(str(v).rstrip("/")): {"config": v} for v in table["config"]}
        if not table:
            r.wrong(at, "an axis needs at least one label")
        axes[name] = {}
        for label, settings in table.items():
            settings = r.table(settings, at + [label])
            r.check_keys({k: v for k, v in settings.items() if not k.startswith("-")}, SETTINGS, at + [label])
            axes[name][label] = r.settings(settings, at + [label])
    return axes


def read_program(r, table, at, names):
    """The words, files, folder and settings of a program and of its inputs; None if nothing can be made of it."""
    r.check_keys(table, PROGRAM, at)
    name = table.get("name")
    if not isinstance(name, str) or not name:
        r.wrong(at, "a program needs a name: name = \"...\"")
        return None
    if name in names:
        r.wrong(at + ["name"], "there is a program '%s' already" % name)
    if ("command" in table) == ("trace" in table):
        r.wrong(at, "a program has either a command, or a trace to replay")
        return None
    p = {"name": name, "settings": r.settings(table, at), "trace": "trace" in table, "files": []}
    p["directory"] = r.folder
    for where, folder in ((["directory"], r.file.get("directory")), (at + ["directory"], table.get("directory"))):
        if folder is not None:
            p["directory"] = os.path.normpath(os.path.join(r.folder, os.path.expanduser(r.word(folder, where))))
            if not os.path.isdir(p["directory"]):
                r.wrong(where, "there is no folder %s" % p["directory"])
    key = at + ["trace" if p["trace"] else "command"]
    p["words"] = [r.word(table["trace"], key)] if p["trace"] else r.words(table["command"], key)
    if not p["words"] or not p["words"][0]:
        r.wrong(key, "there is nothing to start")
        return None
    first = os.path.expanduser(p["words"][0])
    path = os.path.normpath(os.path.join(p["directory"], first)) if p["trace"] or "/" in first else shutil.which(first)
    if not path or not os.path.exists(path):
        r.wrong(key, "there is no %s %s" % ("trace" if p["trace"] else "program", path or first))
        return None
    if not p["trace"] and (os.path.isdir(path) or not os.access(path, os.X_OK)):
        r.wrong(key, "%s cannot be executed" % path)
        return None
    p["path"] = path
    inputs = r.table(table.get("input", {}), at + ["input"])
    p["inputs"] = {}
    for label, value in inputs.items():
        where = at + ["input", label]
        value = value if isinstance(value, dict) else {"arguments": value}
        r.check_keys(value, INPUT, where)
        files = r.words(value.get("files", []), where + ["files"])
        p["inputs"][label] = (r.words(value.get("arguments", []), where), files)
    p["inputs"] = p["inputs"] or {"": ([], [])}
    p["files"] = r.words(table.get("files", []), at + ["files"])
    for f in p["files"] + [f for _, files in p["inputs"].values() for f in files]:
        if not os.path.exists(os.path.join(p["directory"], f)):
            r.wrong(at, "there is no file %s" % os.path.join(p["directory"], f))
    return p


def read_rules(r, key, axes):
    """Rules of which combinations run: a list of tables from axis to labels."""
    rules = []
    tables = r.file.get(key, [])
    if not isinstance(tables, list):
        r.wrong([key], "write it as [[%s]]" % key)
        return rules
    for i, table in enumerate(tables):
        rule = {}
        for axis, labels in r.table(table, [key, i]).items():
            labels = [r.word(v, [key, i, axis]) for v in (labels if isinstance(labels, list) else [labels])]
            check_labels(r, axis, labels, axes, [key, i])
            rule[axis] = labels
        if not rule:
            r.wrong([key, i], "a rule names at least one axis")
        rules.append(rule)
    return rules


def check_labels(r, axis, labels, axes, at):
    if axis not in axes:
        r.wrong(at + [axis], "no such axis%s" % (close(axis, axes) or "; there are " + ", ".join(axes)))
        return
    for label in labels:
        if label not in axes[axis]:
            r.wrong(
                at + [axis], "axis %s has no '%s'%s" %
                (axis, label, close(label, axes[axis]) or "; it has " + ", ".join(axes[axis])))


def matches(rule, labels):
    return all(labels.get(axis) in choice for axis, choice in rule.items())


class Digests:
    """Digests of files, each file read once."""
    def __init__(self):
        self.known = {}

    def file(self, path):
        path = os.path.realpath(path)
        if path not in self.known:
            with open(path, "rb") as f:
                self.known[path] = hashlib.file_digest(f, "sha256").hexdigest()
        return self.known[path]

    def tree(self, folder):
        """One digest of all files in a folder."""
        names = sorted(os.path.join(at, n) for at, _, files in os.walk(folder) for n in files)
        return hashlib.sha256(json.dumps([(os.path.relpath(n, folder), self.file(n))
                                          for n in names]).encode()).hexdigest()


def clean_environment():
    return {k: v for k, v in os.environ.items() if k not in IGNORED}


class Heddle:
    """What the command itself says of a configuration, asked once for each."""
    def __init__(self):
        self.answers = {}
        self.version, self.commit = self.ask([], "/")[1:3]  # where no configuration lies
        # A build of changed files has no commit of its own.
        named = self.commit.isalnum() and self.commit != "unknown"
        self.build = "" if named else Digests().file(os.path.join(root(), "lib", "libcudasim.so"))

    def ask(self, words, folder):
        """(hash of the options, version, commit), or (None, version, what is wrong)."""
        key = (tuple(words), folder)
        if key not in self.answers:
            done = subprocess.run([command(), "config", "--check"] + words, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace",
                                  cwd=folder, env=clean_environment())
            said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
            wrong = done.stderr.strip() or "heddle config ended with status %d" % done.returncode
            self.answers[key] = (said.get("options"), said.get("heddle", "?"),
                                 said.get("commit", "?") if "options" in said else wrong)
        return self.answers[key]


def config_words(settings, trace):
    """The words that configure a run."""
    words = []
    for c in settings["config"]:
        words += ["-c", c]
        beside = os.path.join(c if os.path.isdir(c) else os.path.dirname(c), "trace.config")
        if trace and os.path.basename(c) != "trace.config" and os.path.isfile(beside):
            words += ["-c", beside]
    for name, value in settings["options"]:
        words += [name, value]
    return words


def command_words(p, arguments):
    """A program's words with those of an input in the place of {input}, or behind them."""
    words = []
    for w in p["words"]:
        words += arguments if w == "{input}" else [w]
    return words if "{input}" in p["words"] else words + arguments


def checkpoint_of(settings, matter):
    """What the checkpoint is made with that a run goes on from, and a name for it: runs that may share it have the
    same."""
    words = config_words({"config": settings["config"],
                          "options": [(n, v) for n, v in settings["options"] if n in STATE]}, False)
    same = {k: v for k, v in matter.items() if k != "options"}
    same["words of the checkpoint"] = words
    name = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:32]
    return {"kernel": settings["checkpoint"], "configuration": words, "name": name}


def make_point(r, heddle, digests, p, label, settings, labels):
    """The point of one combination, or None with errors."""
    arguments, files = p["inputs"][label]
    words = command_words(p, arguments)
    configuration = config_words(settings, p["trace"])
    options, _, why = heddle.ask(configuration, p["directory"])
    if options is None:
        r.errors.append("%s: %s: Heddle refuses the configuration:\n    %s" %
                        (r.path, place(labels), why.replace("\n", "\n    ")))
        return None
    if p["trace"]:
        content = {"trace": digests.tree(os.path.dirname(p["path"]))}
        words = [p["path"]]
    else:
        named = {os.path.join(p["directory"], w) for w in words[1:] if "\0" not in w}
        named |= {os.path.join(p["directory"], f) for f in p["files"] + files}
        content = {os.path.relpath(f, p["directory"]): digests.file(f) for f in sorted(named) if os.path.isfile(f)}
        for f in p["files"] + files:
            if os.path.isdir(os.path.join(p["directory"], f)):
                content[f] = digests.tree(os.path.join(p["directory"], f))
        content["program"] = digests.file(p["path"])
    matter = {
        "words": words[1:], "content": content, "environment": settings["environment"], "options": options,
        "commit": heddle.commit, "build": heddle.build, "kind": "trace" if p["trace"] else "run"
    }
    if settings["checkpoint"] and not p["trace"]:
        matter["checkpoint"] = settings["checkpoint"]
    key = hashlib.sha256(json.dumps(matter, sort_keys=True).encode()).hexdigest()[:32]
    job = {
        "key": key, "kind": matter["kind"], "configuration": configuration, "words": words, "directory": p["directory"],
        "environment": settings["environment"], "time_limit": settings["time_limit"],
        "memory_limit": settings["memory_limit"], "options": options, "version": heddle.version,
        "commit": heddle.commit, "program": content.get("program", content.get("trace"))
    }
    if "checkpoint" in matter:
        job["checkpoint"] = checkpoint_of(settings, matter)
    return Point(0, labels, job, key)


def place(labels):
    """A combination in words: matmul, l1 = 16K."""
    return ", ".join([labels["program"]] + ["%s = %s" % (a, v) for a, v in labels.items() if a != "program"])


def read(path, database=None):
    """The plan that a file describes. Raises HeddleError with all that is wrong."""
    r = Reader(path)
    r.check_keys(r.file, TOP, [])
    everywhere = r.settings(r.file, [])
    axes = read_axes(r)
    programs = {}
    tables = r.file.get("program", [])
    if not isinstance(tables, list) or not tables:
        r.wrong(["program"], "a sweep has at least one program: [[program]]")
        tables = []
    for i, table in enumerate(tables):
        p = read_program(r, r.table(table, ["program", i]), ["program", i], programs)
        if p:
            programs[p["name"]] = p
    names = {"program": list(programs)}
    inputs = list(dict.fromkeys(i for p in programs.values() for i in p["inputs"]))
    if inputs != [""]:
        names["input"] = inputs
    names.update({a: list(labels) for a, labels in axes.items()})
    if r.errors:  # what follows would only repeat them
        raise HeddleError("\n".join(r.errors))
    include, exclude = (read_rules(r, key, names) for key in ("include", "exclude"))
    baseline = {a: r.word(v, ["baseline", a]) for a, v in r.table(r.file.get("baseline", {}), ["baseline"]).items()}
    for axis, label in baseline.items():
        check_labels(r, axis, [label], names, ["baseline"])
    many = math.prod([len(labels) for labels in axes.values()] + [sum(len(p["inputs"]) for p in programs.values())])
    if many > MOST:
        r.wrong([], "these are %d combinations; a sweep has at most %d" % (many, MOST))
        raise HeddleError("\n".join(r.errors))
    heddle, digests = Heddle(), Digests()
    points, used = [], set()
    for p in programs.values():
        for label in p["inputs"]:
            for choice in itertools.product(*([(a, v) for v in labels] for a, labels in axes.items())):
                labels = {"program": p["name"], **({"input": label} if label else {}), **dict(choice)}
                rules = [("include", i, matches(rule, labels)) for i, rule in enumerate(include)]
                drop = [("exclude", i, matches(rule, labels)) for i, rule in enumerate(exclude)]
                used |= {(kind, i) for kind, i, hit in rules + drop if hit}
                if (include and not any(hit for _, _, hit in rules)) or any(hit for _, _, hit in drop):
                    continue
                settings = join(everywhere, p["settings"], *(axes[a][v] for a, v in choice))
                point = None if r.errors else make_point(r, heddle, digests, p, label, settings, labels)
                if point:
                    point.number = len(points) + 1
                    points.append(point)
    for kind, rules in ("include", include), ("exclude", exclude):
        for i in range(len(rules)):
            if (kind, i) not in used and not r.errors:
                r.wrong([kind, i], "no combination is like that")
    if not points and not r.errors:
        r.wrong([], "no combination is left to run")
    if r.errors:
        raise HeddleError("\n".join(r.errors))
    given = r.file.get("database")
    database = database or (os.path.join(r.folder, r.word(given, ["database"]))
                            if given else os.path.splitext(path)[0] + ".db")
    return Plan(path, database, names, baseline, points, heddle.version, heddle.commit)
