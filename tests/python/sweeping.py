"""For tests of sweeps: programs that take no compiler, sweeps of them, and what their databases hold."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib

from common import TREE, InFolder

HEDDLE = os.path.join(TREE, "bin", "heddle")

# Launches a kernel of so many blocks. What else it does is told by words: say TEXT, exit N, sleep SECONDS, hold MEGABYTES, abort.
PROGRAM = '''
import ctypes, os, sys, time
PTX = b""".version 7.0\\n.target sm_75\\n.address_size 64
.visible .entry count(.param .u64 to, .param .u32 n) { .reg .pred p; .reg .u32 i; .reg .u64 a;
ld.param.u64 a, [to]; cvta.to.global.u64 a, a; ld.param.u32 i, [n];
again: red.global.add.u32 [a], 1; sub.u32 i, i, 1; setp.ne.u32 p, i, 0; @p bra again; ret; }"""
open("ran", "a").write(" ".join(sys.argv[1:]) + "\\n")
cuda = ctypes.CDLL("libcuda.so.1")
context, module, kernel, memory = (ctypes.c_void_p() for _ in range(4))
assert cuda.cuInit(0) == cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), PTX) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"count") == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4)) == 0
def launch(blocks):
    values = [ctypes.c_uint64(memory.value), ctypes.c_uint32(4)]
    given = (ctypes.c_void_p * 2)(*[ctypes.addressof(v) for v in values])
    assert cuda.cuLaunchKernel(kernel, int(blocks), 1, 1, 32, 1, 1, 0, None, given, None) == cuda.cuCtxSynchronize() == 0
words = sys.argv[1:]
while words:
    word, value = words.pop(0), words.pop(0) if words and words[0] != "abort" else ""
    if word == "launch": launch(value)
    elif word == "say": print(value, flush=True)
    elif word == "sleep": time.sleep(float(value))
    elif word == "hold": held = b"x" * (int(value) << 20); time.sleep(60)
    elif word == "child": os.spawnlp(os.P_NOWAIT, "sleep", "sleep", value)
    elif word == "exit": os._exit(int(value))
    elif word == "abort": os.abort()
    else: sys.exit("no word " + word)
'''

AXES = """
[axis.l1]
small = { "-gpgpu_n_clusters" = 2 }
large = { "-gpgpu_n_clusters" = 4 }
[axis.scheduler]
option = "-gpgpu_scheduler"
values = ["lrr", "gto"]
"""
HEAD = 'config = "SM7_QV100"\nbaseline = { l1 = "small", scheduler = "lrr" }\n'


class Sweeping(InFolder):
    def setUp(self):
        super().setUp()
        self.write("program.py", PROGRAM)

    def program(self, name, words, more=""):
        """A [[program]] of a sweep."""
        command = [os.path.realpath(sys.executable), "program.py"] + words.split()
        return "[[program]]\nname = %s\ncommand = %s\n%s\n" % (json.dumps(name), json.dumps(command), more)

    def heddle(self, *words, **how):
        return self.run_command([HEDDLE] + list(words), env={"HEDDLE_PYTHON": os.path.realpath(sys.executable), **how.pop("env", {})}, **how)

    def refused(self, text, *expected):
        self.write("x.toml", text)
        said = self.heddle("sweep", "x.toml", status=2)
        for e in expected:
            self.assertRegex(said, e)
        self.assertNotIn("Traceback", said)
        self.assertFalse(os.path.exists("x.db"))
        return said

    def ran(self):
        """What programs were started with, in order."""
        if not os.path.exists("ran"):
            return []
        with open("ran") as f:
            return f.read().splitlines()

    def start_sweep(self, *words):
        """A sweep in the background."""
        return subprocess.Popen([HEDDLE, "sweep"] + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env={**os.environ, "HEDDLE_PYTHON": os.path.realpath(sys.executable)}, text=True)

    def wait_for(self, what, seconds=30):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, "waited for too long")
            time.sleep(0.02)

    def done(self, path):
        """How many runs a database has."""
        try:
            db = sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=10)
            try:
                return db.execute("SELECT count(*) FROM run").fetchone()[0]
            finally:
                db.close()
        except sqlite3.Error:
            return 0


def content(path):
    """All that a database holds but for times, places and sizes: what two sweeps of the same file have in common."""
    db = sqlite3.connect(path)
    points = db.execute("SELECT number, labels, key FROM point ORDER BY number").fetchall()
    runs = db.execute("SELECT key, failed, message, ended, exit_status, version, heddle_commit, options, program_digest, command, log FROM run "
                      "ORDER BY key").fetchall()
    kernels = db.execute("SELECT key, number, name, statistics FROM kernel JOIN run ON run = id ORDER BY key, number").fetchall()
    statistics = db.execute("SELECT * FROM statistic ORDER BY name").fetchall()
    about = db.execute("SELECT * FROM sweep WHERE name != 'file' ORDER BY name").fetchall()
    db.close()
    return {"points": points, "runs": [r[:-1] + (zlib.decompress(r[-1]),) for r in runs], "statistics": statistics, "about": about,
            "kernels": [k[:-1] + (without_clock(zlib.decompress(k[-1])),) for k in kernels]}


def without_clock(text):
    kernel = json.loads(text)
    wall = {"gpu_total_sim_rate", "gpgpu_simulation_time", "gpgpu_simulation_rate", "gpgpu_silicon_slowdown"}
    kernel["statistics"] = [s for s in kernel["statistics"] if s["name"] not in wall]
    return kernel


def alive(text):
    """The processes whose command line has that text."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                if text.encode() in f.read() and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def kill(process, number=signal.SIGKILL):
    process.send_signal(number)
    try:
        return process.communicate(timeout=30)[0]
    finally:
        process.stdout.close()
