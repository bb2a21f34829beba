"""The database of a sweep: one SQLite file that holds what was planned and every run that has ended.

A run is known by its key, a digest of all that its result depends on. The plan is of the sweep as its file was last: points with
their labels, and the key of each. Runs that no point asks for any more stay. Everything is written in transactions, so the file
is whole after a kill at any time."""

import datetime
import fcntl
import gzip
import json
import os
import shutil
import socket
import sqlite3
import zlib

from .places import HeddleError

FORMAT = 1
APPLICATION = 0x48656464  # "Hedd"

SCHEMA = """
CREATE TABLE sweep(name TEXT PRIMARY KEY, value TEXT);              -- axes and baseline, as JSON
CREATE TABLE point(number INTEGER PRIMARY KEY, labels TEXT, key TEXT, job TEXT);
CREATE TABLE run(id INTEGER PRIMARY KEY, key TEXT UNIQUE, failed INTEGER, message TEXT, ended TEXT, exit_status INTEGER,
    version TEXT, heddle_commit TEXT, options TEXT, program_digest TEXT, command TEXT, host TEXT, started TEXT, seconds REAL,
    cpu_seconds REAL, memory INTEGER, log BLOB);
CREATE TABLE kernel(run INTEGER REFERENCES run(id) ON DELETE CASCADE, number INTEGER, name TEXT,
    figures TEXT,                                                  -- statistics of one number, as JSON
    statistics BLOB,                                               -- all, as -stats_json wrote them, by zlib
    PRIMARY KEY(run, number));
CREATE TABLE statistic(name TEXT PRIMARY KEY, unit TEXT, kind TEXT, description TEXT, is_table INTEGER);
"""


class Store:
    """A database that is open. `create` makes one where there is none."""

    def __init__(self, path, create=False):
        self.path = path
        if not create and not os.path.exists(path):
            raise HeddleError("%s: there is no such file; heddle sweep makes it" % path)
        try:
            self.db = sqlite3.connect(path, isolation_level=None, timeout=60)
            self.db.execute("PRAGMA foreign_keys = 1")
            kind = self.db.execute("PRAGMA application_id").fetchone()[0]
            if create and not kind and not self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                with self:
                    for statement in filter(str.strip, SCHEMA.split(";")):
                        self.db.execute(statement)
                    self.db.execute("PRAGMA application_id = %d" % APPLICATION)
                    self.db.execute("PRAGMA user_version = %d" % FORMAT)
            elif kind != APPLICATION:
                raise HeddleError("%s: a database, but not one that heddle sweep made" % path)
            found = self.db.execute("PRAGMA user_version").fetchone()[0]
            if found != FORMAT:
                raise HeddleError("%s: made by another version of heddle sweep (format %d, this one has %d)" % (path, found, FORMAT))
            if create and self.db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise sqlite3.DatabaseError("quick_check finds damage")
        except sqlite3.Error as e:
            raise damaged(path, e)

    def __enter__(self):
        self.db.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind, *_):
        self.db.execute("ROLLBACK" if kind else "COMMIT")

    def set_plan(self, plan):
        with self:
            for name, value in ("axes", plan.axes), ("baseline", plan.baseline), ("file", os.path.abspath(plan.path)):
                self.db.execute("INSERT OR REPLACE INTO sweep VALUES(?, ?)", (name, json.dumps(value)))
            self.db.execute("DELETE FROM point")
            self.db.executemany("INSERT INTO point VALUES(?, ?, ?, ?)",
                                [(p.number, json.dumps(p.labels), p.key, json.dumps(p.job)) for p in plan.points])

    def about(self, name):
        found = self.db.execute("SELECT value FROM sweep WHERE name = ?", (name,)).fetchone()
        return json.loads(found[0]) if found else {}

    def ended(self):
        """Of the keys of all runs, whether they failed."""
        return {key: bool(failed) for key, failed in self.db.execute("SELECT key, failed FROM run")}

    def seconds(self):
        """How long programs took before, by their digest: the mean of runs that did not fail."""
        return dict(self.db.execute("SELECT program_digest, avg(seconds) FROM run WHERE NOT failed GROUP BY program_digest"))

    def forget(self, keys):
        with self:
            self.db.executemany("DELETE FROM run WHERE key = ?", [(k,) for k in keys])

    def add(self, job, head, kernels=()):
        """A run that has ended: what sweep_job tells of it, and its kernels as lines of JSON."""
        started = datetime.datetime.fromtimestamp(head["started"], datetime.timezone.utc).isoformat(timespec="seconds")
        log = zlib.compress(head["log"].encode("utf-8", "surrogateescape"))
        with self:
            run = self.db.execute(
                "INSERT INTO run(key, failed, message, ended, exit_status, version, heddle_commit, options, program_digest, command, host,"
                " started, seconds, cpu_seconds, memory, log) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (job["key"], int(head["failed"]), head["message"], head["ended"], head["exit_status"], job["version"], job["commit"],
                 job["options"], job["program"], json.dumps(job["words"]), head["host"], started, head["seconds"], head["cpu_seconds"],
                 head["memory"], log)).lastrowid
            for number, line in enumerate(kernels, 1):
                kernel = json.loads(line)
                figures = {s["name"]: s["value"] for s in kernel["statistics"] if not isinstance(s["value"], (dict, list))}
                self.db.execute("INSERT INTO kernel VALUES(?, ?, ?, ?, ?)",
                                (run, number, kernel["name"], json.dumps(figures), zlib.compress(line.rstrip("\n").encode())))
                if number == 1:
                    self.describe(kernel)

    def describe(self, kernel):
        for s in kernel["statistics"]:
            self.db.execute("INSERT OR IGNORE INTO statistic VALUES(?, ?, ?, ?, ?)",
                            (s["name"], s["unit"], s["kind"], s["description"], int(isinstance(s["value"], (dict, list)))))

    def take_in(self, job, path):
        """The result that a job left. False, and the file is removed, if it is no result of this job: the run counts as not run."""
        try:
            with gzip.open(path, "rt", encoding="utf-8", errors="surrogateescape") as f:
                head = json.loads(f.readline())
                if head["key"] != job["key"]:
                    raise ValueError("another job's")
                self.add(job, head, f)
        except (OSError, EOFError, ValueError, KeyError):
            os.unlink(path)
            return False
        os.unlink(path)
        return True


def damaged(path, why):
    return HeddleError("%s: damaged, or no database of a sweep: %s; move it away to begin anew, or recover it ('sqlite3 %s .recover')"
                       % (path, why, path))


class Spool:
    """The folder beside a database where jobs and results lie until they are in it, and the lock of the sweep that works there."""

    def __init__(self, database):
        self.folder = os.path.abspath(database) + ".jobs"
        if not os.path.isdir(os.path.dirname(self.folder)):
            raise HeddleError("%s: there is no such folder" % database)
        while True:
            os.makedirs(self.folder, exist_ok=True)
            self.lock = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.stat(self.folder).st_ino == os.fstat(self.lock).st_ino:
                    break
            except BlockingIOError:
                raise HeddleError("%s: another sweep works on it%s; wait for its end, or choose another file with --db"
                                  % (database, self.owner()))
            except FileNotFoundError:  # the one before has just ended and removed it
                pass
            os.close(self.lock)
        with open(self.path("owner"), "w") as f:
            f.write("process %d on %s" % (os.getpid(), socket.gethostname()))

    def owner(self):
        try:
            with open(self.path("owner")) as f:
                return " (%s)" % f.read()
        except OSError:
            return ""

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_job(self, job):
        """The file of a job. What a run that was cut off has left is removed."""
        path = self.path(job["key"] + ".job")
        for end in ".stats.json.gz", ".kernels", ".new":
            if os.path.exists(self.path(job["key"] + end)):
                os.unlink(self.path(job["key"] + end))
        with open(path + ".new", "w") as f:
            json.dump(job, f)
        os.replace(path + ".new", path)
        return path

    def result(self, key):
        return self.path(key + ".result")

    def close(self, keep):
        """Lets go of the folder, which goes with all that is in it unless jobs are still to be run from there."""
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self.lock)
