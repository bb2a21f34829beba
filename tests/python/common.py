"""For tests that start commands: a folder of their own, and what a command said."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class InFolder(unittest.TestCase):
    """Each test runs in an empty folder."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="heddle-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.chdir, TREE)
        os.chdir(self.folder)

    def write(self, name, text):
        if os.path.dirname(name):
            os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w") as f:
            f.write(text)
        return name

    def run_command(self, words, status=0, env=None, clean=False, **more):
        """Both outputs of a command, which ends with that status. `clean`: without this test's own places of modules."""
        environment = dict(os.environ, **(env or {}))
        if clean:
            environment.pop("PYTHONPATH", None)
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, universal_newlines=True,
                              env=environment, timeout=200, **more)
        self.assertEqual(done.returncode, status, "%s\n%s" % (words, done.stdout))
        return done.stdout

    def python(self, *words, **how):
        return self.run_command([sys.executable] + list(words), **how)
