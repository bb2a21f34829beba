"""make install and uninstall, and the package as a wheel holds it: without links, in folders that cannot be written, moved."""

import os
import shutil
import stat
import subprocess
import sys
import unittest

from common import TREE, InFolder

INSTALL = os.path.join(TREE, "tools", "install")

# A program that asks for the runtime by a versioned name, as nvcc links it, and for the driver by dlopen.
CALLER = """
#include <dlfcn.h>
#include <stdio.h>
int cudaGetDeviceCount(int *n);
int main(void)
{
	int n = 0, error = cudaGetDeviceCount(&n);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *ml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : 0;
	printf("%d %d %d %d\\n", error, n, init ? init(0) : -1, ml && dlsym(ml, "nvmlInit_v2"));
	return 0;
}
"""


def files(folder):
    """Names of all that is no folder, and where links lead."""
    found = {}
    for at, folders, names in os.walk(folder):
        for n in names + [f for f in folders if os.path.islink(os.path.join(at, f))]:
            path = os.path.join(at, n)
            found[os.path.relpath(path, folder)] = os.readlink(path) if os.path.islink(path) else None
    return found


class Install(InFolder):
    def install(self, *words, **how):
        return self.run_command([INSTALL] + list(words), **how)

    def test_all_of_it_goes_again(self):
        to = os.path.join(self.folder, "stage", "usr")
        self.write("stage/usr/bin/other", "")
        self.write("stage/usr/share/doc/other/x", "")
        before = files("stage")
        self.install(to)
        first = files("stage")
        for name in "bin/heddle", "lib/heddle/libcudasim.so", "lib/heddle/libcuda.so.1", "share/heddle/configs/SM80_A100/gpgpusim.config", \
                "share/doc/heddle/README.md":
            self.assertIn("usr/" + name, first)
        self.assertEqual([n for n in first if n.startswith("usr/lib/") and not n.startswith("usr/lib/heddle/")], [])
        for name, link in first.items():
            self.assertFalse(link and link.startswith("/"), name)
        # What an older version left goes with the next one; what nobody put there stays.
        self.write("stage/usr/lib/heddle/libcudart.so.8.0", "")
        with open(os.path.join(to, "share/heddle/installed"), "a") as f:
            f.write("lib/heddle/libcudart.so.8.0\n")
        self.install(to)
        self.assertEqual(files("stage"), first)
        os.rename("stage/usr", "moved")
        said = self.run_command(["moved/bin/heddle", "run", "-c", "SM80_A100", "sh", "-c", "nvidia-smi -L"])
        self.assertIn("GPU 0: NVIDIA A100", said)
        os.rename("moved", "stage/usr")
        self.install("--remove", to)
        self.assertEqual(files("stage"), before)
        self.assertFalse(os.path.exists("stage/usr/lib"))
        self.install("--remove", to)
        self.assertIn("no absolute path", self.install("usr", status=2))

    @unittest.skipUnless(shutil.which("cc") and shutil.which("objdump"), "no compiler")
    def test_names_without_links(self):
        self.install("--package", os.path.join(self.folder, "package"))
        self.assertEqual({link for link in files("package").values()}, {None})
        names = [n for n in os.listdir(os.path.join(TREE, "lib")) if not os.path.isdir(os.path.join(TREE, "lib", n))]
        self.assertEqual(sorted(os.listdir("package/lib")), sorted(names))
        os.rename("package", "mo ved")
        for folder, _, names in os.walk("mo ved"):
            os.chmod(folder, stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(lambda: [os.chmod(f, 0o700) for f, _, _ in os.walk("mo ved")])
        self.write("caller.c", CALLER)
        want = "0 1 0 1\n"
        for version in "12", "11.0", "9.0":
            # Linked as nvcc links: with the name and the version of the release.
            self.write("stub.c", "int cudaGetDeviceCount(int *n) { return 99; }\n")
            self.write("map", "libcudart.so.%s { cudaGetDeviceCount; };\n" % version)
            soname = "libcudart.so." + version
            self.run_command(["cc", "-shared", "-fPIC", "-o", "stub.so", "stub.c", "-Wl,-soname," + soname, "-Wl,--version-script=map"])
            self.run_command(["cc", "-w", "-o", "caller", "caller.c", "./stub.so", "-ldl"])
            self.assertEqual(self.run_command(["mo ved/bin/heddle", "run", "./caller"]), want)
            self.assertEqual(self.run_command(["./caller"], env={"LD_LIBRARY_PATH": "mo ved/lib"}), want)
        self.assertIn("GPU 0: ", self.run_command(["mo ved/bin/nvidia-smi", "-L"]))
        if shutil.which("clang"):
            self.run_command(["mo ved/toolkit/heddlecc", "-o", "matmul", os.path.join(TREE, "examples", "matmul.cu")])
            said = self.run_command(["mo ved/bin/heddle", "run", "--mode", "functional", "./matmul"])
            self.assertIn("heddle_run = complete", said)

    @unittest.skipUnless(shutil.which("objdump"), "no objdump")
    def test_what_it_needs_of_the_machine(self):
        """Libraries that only some machines have lie inside, so that whatever is preloaded finds its own."""
        for f in "bin/heddle", "lib/libcudasim.so":
            said = subprocess.check_output(["objdump", "-p", os.path.join(TREE, f)], universal_newlines=True)
            needed = {line.split()[1] for line in said.splitlines() if "NEEDED" in line}
            self.assertLessEqual(needed, {"libc.so.6", "libm.so.6", "libz.so.1", "ld-linux-x86-64.so.2", "libdl.so.2", "libpthread.so.0"})


class Building(InFolder):
    def test_what_is_missing_is_named(self):
        """pip shows this line of setup.py where there is no compiler."""
        if subprocess.call([sys.executable, "-c", "import setuptools, wheel"], stderr=subprocess.DEVNULL):
            self.skipTest("no setuptools, or no wheel")
        os.makedirs("bin")
        os.symlink(sys.executable, "bin/python3")
        os.makedirs("build")
        code = "import sys; sys.argv = ['setup.py', '--version']; __file__ = 'setup.py'; exec(open('setup.py').read()); make()"
        said = self.run_command([sys.executable, "-c", code], status=1, env={"PATH": os.path.join(self.folder, "bin")}, cwd=TREE)
        self.assertRegex(said, r"heddle: error: building needs a C compiler, .*, and there is no '\w+'; a wheel needs none of them")

    def test_old_setuptools(self):
        if subprocess.call([sys.executable, "-c", "import setuptools"], stderr=subprocess.DEVNULL):
            self.skipTest("no setuptools")
        code = "import setuptools; setuptools.__version__ = '59.6.0'; __file__ = 'setup.py'; exec(open('setup.py').read())"
        said = self.run_command([sys.executable, "-c", code], status=1, cwd=TREE)
        self.assertIn("needs setuptools 64 or newer, and pip took 59.6.0; use the pip of a virtual environment", said)


if __name__ == "__main__":
    unittest.main()
