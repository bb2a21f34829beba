"""The commands of docs/studies.md, as they stand there, in a folder that looks like the tree. The programs have less to do."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from common import TREE, InFolder

SMALL = {"atomics": "1", "bfs": "2048", "histogram": "16384", "matmul": "32", "reduction": "16384 1", "stencil": "128 1", "transpose": "64 1",
         "triad": "65536"}


def commands():
    """Lines of the page that are commands: those that four blanks set apart."""
    with open(os.path.join(TREE, "docs", "studies.md")) as f:
        return [line[4:] for line in f.read().split("\n") if line.startswith("    ") and line.strip()]


def blocks(kind):
    with open(os.path.join(TREE, "docs", "studies.md")) as f:
        return re.findall(r"```%s\n(.*?)```" % kind, f.read(), re.S)


@unittest.skipUnless(shutil.which("clang"), "no clang")
class Studies(InFolder):
    def test_every_command(self):
        for name in os.listdir(TREE):
            if name not in ("build", ".git", "examples"):
                os.symlink(os.path.join(TREE, name), name)
        with open(os.path.join(TREE, "examples", "studies", "caches.toml")) as f:
            text = f.read()
        self.assertIn(blocks("toml")[0], text)
        for program, words in SMALL.items():
            text, n = re.subn(r'command = "./%s\b.*"' % program, 'command = "./%s %s"' % (program, words), text)
            self.assertEqual(n, 1, program)
        self.write("examples/studies/caches.toml", text)
        found = commands()
        self.assertGreater(len(found), 15)
        said = {}
        for line in found:
            smaller = line.replace("--signal=KILL 20 ", "--signal=KILL 4 ")
            done = subprocess.run(["bash", "-c", smaller], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=800, env={**os.environ, "HEDDLE_PYTHON": os.path.realpath(sys.executable)})
            said[line] = done.stdout
            if "needs matplotlib" in done.stdout:
                print("no matplotlib: '%s' was left out" % line)
                continue
            self.assertIn(done.returncode, (0, 137, -9) if line.startswith("timeout") else (0,), "%s\n%s" % (line, done.stdout))
            self.assertNotIn("Traceback", done.stdout)
        sweeps = [text for line, text in said.items() if re.match(r"bin/heddle sweep .*db$", line)]
        self.assertRegex(sweeps[0], r"48 runs, (\d|[1-4]\d) done already")
        self.assertIn("48 of 48 runs done;", sweeps[0])
        # The tables of the page are what the commands print, by their shape.
        for block, command in zip(blocks("text"), [c for c in found if c.endswith("--speedup")] + [c for c in found if "--top 3" in c]):
            shape = [line.split()[:1] for line in block.strip().split("\n")]
            self.assertEqual([line.split()[:1] for line in said[command].strip().split("\n")][:len(shape)][0], shape[0])
            self.assertEqual(len(said[command].strip().split("\n")), len(shape))
        for name in "worst.html", "both.html", "caches.csv":
            if "needs matplotlib" not in "".join(said.values()):
                self.assertGreater(os.path.getsize(os.path.join("build", name)), 100)


if __name__ == "__main__":
    unittest.main()
