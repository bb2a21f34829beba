"""Builds Heddle by make and puts what is needed at run time into the package; pyproject.toml has the rest."""

import os
import re
import shutil
import subprocess
import sys

import setuptools

# Ubuntu 22.04's pip builds with that of the system, whatever pyproject.toml asks for, and would make a package without a name.
if int(setuptools.__version__.split(".")[0]) < 64:
    sys.exit("heddle: error: building needs setuptools 64 or newer, and pip took %s; use the pip of a virtual environment "
             "(python3 -m venv)" % setuptools.__version__)

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
STAGE = os.path.join(HERE, "build", "package")
PROGRAMS = "a C compiler, make, flex, bison, pkg-config, protoc-c and the headers that tools/setup installs"

# What a Linux of that age has anyway.
EVERYWHERE = re.compile(r"^(libc|libm|libdl|libpthread|librt|libz|ld-linux-x86-64)\.so\.\d$")


def version():
    with open(os.path.join(HERE, "base", "version.c")) as f:
        return re.search(r'heddle_version\[\] = "([^"]+)"', f.read()).group(1)


def make():
    """Builds and stages the files. Ends with a line on what is missing."""
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        sys.exit("heddle: error: Heddle runs on 64-bit x86 Linux only")
    for program in ("make", os.environ.get("CC", "cc").split()[-1], "flex", "bison", "protoc-c"):
        if not shutil.which(program):
            sys.exit("heddle: error: building needs %s, and there is no '%s'; a wheel needs none of them" % (PROGRAMS, program))
    if subprocess.call(["make", "-C", HERE, "-j%d" % len(os.sched_getaffinity(0)), "package"], stdout=sys.stderr):
        sys.exit("heddle: error: the build failed, see above; it needs %s" % PROGRAMS)


def dynamic(path):
    """What objdump tells of an ELF file: the libraries it needs, the newest glibc that it asks for."""
    text = subprocess.check_output(["objdump", "-p", path], universal_newlines=True)
    versions = [tuple(int(n) for n in v.split(".")) for v in re.findall(r" GLIBC_([\d.]+)", text)]
    return re.findall(r"NEEDED +(\S+)", text), max(versions, default=(2, 17))


def platform():
    """The platform tag of what was staged."""
    newest, foreign = (2, 17), set()
    names = set(os.listdir(os.path.join(STAGE, "lib")))
    for folder, _, files in os.walk(STAGE):
        for f in files:
            path = os.path.join(folder, f)
            with open(path, "rb") as opened:
                if opened.read(4) != b"\x7fELF":
                    continue
            needed, glibc = dynamic(path)
            newest = max(newest, glibc)
            foreign |= {n for n in needed if n not in names and not EVERYWHERE.match(n)}
    if foreign:
        print("heddle: note: the wheel needs %s of the machine, so it is for machines like this one" % ", ".join(sorted(foreign)))
        return "linux_x86_64"
    return "manylinux_%d_%d_x86_64" % newest[:2]


class BuildPackage(build_py):
    """Adds what make built to the modules."""

    def run(self):
        if getattr(self, "editable_mode", False):  # the modules find the tree's own files
            super().run()
            return
        make()
        to = os.path.join(self.build_lib, "heddle")
        shutil.rmtree(to, ignore_errors=True)  # what an earlier build left would go along
        super().run()
        for part in os.listdir(STAGE):
            shutil.copytree(os.path.join(STAGE, part), os.path.join(to, part))
        with open(os.path.join(to, "_version.py"), "w") as f:
            f.write("version = %r\n" % version())


class Wheel(bdist_wheel):
    """For any Python 3, but for one kind of machine."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", platform()


class WithPrograms(Distribution):
    def has_ext_modules(self):
        return True


os.makedirs(os.path.join(HERE, "build"), exist_ok=True)
setup(version=version(), distclass=WithPrograms, cmdclass={"build_py": BuildPackage, "bdist_wheel": Wheel},
      options={"egg_info": {"egg_base": "build"}})
