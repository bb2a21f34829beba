"""pytest --heddle, by a pytest that is installed."""

import os
import sys
import unittest

from common import InFolder

try:
    import pytest  # noqa: F401
except ImportError:
    print("no pytest here")
    sys.exit(77)
try:
    import xdist
except ImportError:
    xdist = None

TESTS = """
import os, pytest, heddle
def test_anywhere():
    print("said")
@pytest.mark.heddle
def test_marked():
    assert heddle.active()
def test_fixture(heddle_gpu):
    assert heddle.active() and heddle_gpu["name"] in os.popen("nvidia-smi -L").read()
"""


# A kernel, without a package that has some.
KERNEL = '''
import ctypes
PTX = b""".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }"""
def test_kernel(capfd):
    cuda = ctypes.CDLL("libcuda.so.1")
    context, module, kernel = (ctypes.c_void_p() for _ in range(3))
    assert cuda.cuInit(0) == cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
    assert cuda.cuModuleLoadData(ctypes.byref(module), PTX) == 0
    assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"nothing") == 0
    assert cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, None, None) == cuda.cuCtxSynchronize() == 0
    assert capfd.readouterr().out == ""
'''


def installed():
    try:
        from importlib.metadata import entry_points
        return any(e.value == "heddle.pytest_plugin" for e in entry_points(group="pytest11"))
    except (ImportError, TypeError):
        return False


# As its entry point does where the package is installed.
PLUGIN = [] if installed() else ["-p", "heddle.pytest_plugin"]


class Plugin(InFolder):
    def setUp(self):
        super().setUp()
        self.write("test_gpu.py", TESTS)
        # Reads conftest.py once: when it loads CUDA, it is on the GPU already.
        self.write("conftest.py", "import heddle\nprint('conftest', heddle.active(), file=open('conftest.log', 'a'))\n")

    def pytest(self, *words, **how):
        return self.python("-m", "pytest", "-p", "no:cacheprovider", *(PLUGIN + list(words)), **how)

    def log(self):
        with open("conftest.log") as f:
            return f.read()

    def test_without(self):
        said = self.pytest("-rs")
        self.assertIn("1 passed, 2 skipped", said)
        self.assertIn("needs the simulated GPU: pytest --heddle", said)
        self.assertNotIn("simulated GPU: NVIDIA", said)
        self.assertEqual(self.log(), "conftest False\n")

    def test_with(self):
        said = self.pytest("--heddle", "-s")
        self.assertIn("heddle: simulated GPU: NVIDIA H100 80GB HBM3, compute capability 9.0, 81920 MiB, functional mode", said)
        self.assertIn("3 passed", said)
        self.assertEqual(said.count("said"), 1)
        self.assertEqual(said.count("test session starts"), 1)
        self.assertEqual(self.log(), "conftest True\n")

    def test_output_is_that_of_the_tests(self):
        self.write("test_kernel.py", KERNEL)
        said = self.pytest("--heddle", "test_kernel.py", "-s")
        self.assertIn("1 passed", said)
        self.assertNotIn("gpu_sim_insn", said)
        self.assertNotIn("GPGPU-Sim", said)
        options = {"HEDDLE_OPTIONS": "-stats_file stats.txt -stats_json stats.json"}
        self.assertNotIn("gpu_sim_insn", self.pytest("--heddle", "test_kernel.py", "-s", env=options))
        for name in "stats.txt", "stats.json":
            with open(name) as f:
                self.assertIn("gpu_sim_insn", f.read())

    def test_configurations(self):
        said = self.pytest("--heddle-config", "SM80_A100", "--heddle-mode=timing")
        self.assertIn("NVIDIA A100", said)
        self.assertIn("timing mode", said)
        self.assertIn("3 passed", said)
        self.assertIn("no configuration 'NOPE'", self.pytest("--heddle-config", "NOPE", status=2))
        self.assertIn("invalid choice", self.pytest("--heddle-mode", "fast", status=4))

    def test_wherever_it_is_asked_for(self):
        self.write("pytest.ini", "[pytest]\nheddle = true\n")
        self.assertIn("3 passed", self.pytest())
        os.remove("pytest.ini")
        self.assertIn("3 passed", self.pytest(env={"PYTEST_ADDOPTS": "--heddle"}))
        code = "import pytest, sys; sys.exit(pytest.main(['-p', 'no:cacheprovider', '--heddle'] + %r))" % PLUGIN
        self.assertIn("3 passed", self.python("-c", code))

    def test_rootdir_and_status(self):
        os.makedirs("else")
        self.write("test_fails.py", "def test_fails():\n    assert 0\n")
        said = self.pytest("--heddle", "--rootdir", self.folder, "../test_fails.py", "../test_gpu.py", status=1, cwd="else")
        self.assertIn("rootdir: %s\n" % self.folder, said)
        self.assertIn("1 failed, 3 passed", said)
        self.pytest("--heddle", "-k", "nothing", status=5)
        self.pytest("--heddle", "--no-such-option", status=4)
        self.pytest("--heddle", "missing.py", status=4)

    def test_runs_in_runs(self):
        inner = ["-m", "pytest", "--heddle-config", "SM80_A100", "test_gpu.py"] + PLUGIN
        said = self.python("-m", "heddle", "run", "-c", "SM7_QV100", "--", "-m", "pytest", "--heddle", *PLUGIN)
        self.assertIn("V100", said)
        self.assertIn("3 passed", said)
        self.write("test_inner.py", "import subprocess, sys\ndef test_inner():\n"
                   "    said = subprocess.check_output([sys.executable] + %r, universal_newlines=True)\n"
                   "    assert '3 passed' in said and 'NVIDIA A100' in said\n" % inner)
        self.assertIn("1 passed", self.pytest("--heddle", "test_inner.py"))

    @unittest.skipUnless(xdist, "no xdist")
    def test_workers(self):
        for more in [], ["--heddle-config", "SM80_A100"]:
            said = self.pytest("--heddle", "-n", "2", *more)
            self.assertIn("3 passed", said)
            self.assertEqual(said.count("test session starts"), 1)


if __name__ == "__main__":
    unittest.main()
