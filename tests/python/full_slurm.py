"""heddle sweep --slurm, on a cluster of this machine that the test starts: munged, slurmctld and slurmd with a configuration of
their own. Skipped where Debian's packages slurmctld, slurmd, slurm-client and munge are not installed, or for others than root."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from sweeping import AXES, HEAD, Sweeping, content, kill

NEEDED = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"]
lacking = [n for n in NEEDED if not shutil.which(n, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")]
if lacking or os.geteuid():
    print("no %s here: heddle sweep --slurm is not tested" % ", ".join(lacking) if lacking else "slurmd wants root")
    sys.exit(77)
os.environ["PATH"] += ":/usr/sbin:/sbin"

CONFIG = """
ClusterName=heddle
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={at}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
MaxArraySize=6
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """The daemons, in a folder of their own."""

    def __init__(self):
        self.at = tempfile.mkdtemp(prefix="heddle-slurm-")
        os.chmod(self.at, 0o755)
        for name in "state", "spool":
            os.mkdir(os.path.join(self.at, name))
        with open(self.path("slurm.conf"), "w") as f:
            f.write(CONFIG.format(host=socket.gethostname().split(".")[0], at=self.at, ports=[free_port(), free_port()], cpus=os.cpu_count()))
        with open(self.path("munge.key"), "wb") as f:
            f.write(os.urandom(128))
        os.chmod(self.path("munge.key"), 0o400)
        os.environ["SLURM_CONF"] = self.path("slurm.conf")
        self.daemons = []
        self.start(["munged", "--foreground", "--force", "--key-file=" + self.path("munge.key"), "--socket=" + self.path("munge.socket"),
                    "--pid-file=" + self.path("munged.pid"), "--log-file=" + self.path("munged.log"), "--seed-file=" + self.path("munged.seed")])
        self.wait(lambda: os.path.exists(self.path("munge.socket")))
        self.start(["slurmctld", "-D", "-f", self.path("slurm.conf")])
        self.start(["slurmd", "-D", "-f", self.path("slurm.conf"), "-N", socket.gethostname().split(".")[0]])
        self.wait(lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%T"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)

    def path(self, name):
        return os.path.join(self.at, name)

    def start(self, words):
        with open(self.path(words[0] + ".out"), "w") as out:
            self.daemons.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT))

    def wait(self, what, seconds=60):
        end = time.monotonic() + seconds
        while not what():
            if time.monotonic() > end:
                for name in "munged.out", "slurmctld.out", "slurmd.out", "slurmctld.log", "slurmd.log":
                    if os.path.exists(self.path(name)):
                        with open(self.path(name), errors="replace") as f:
                            print(name, f.read()[-1500:])
                self.stop()
                sys.exit("the cluster does not start")
            time.sleep(0.2)

    def stop(self):
        for d in self.daemons[::-1]:
            d.terminate()
        for d in self.daemons[::-1]:
            try:
                d.wait(10)
            except subprocess.TimeoutExpired:
                d.kill()
        shutil.rmtree(self.at, ignore_errors=True)


def queue():
    return subprocess.run(["squeue", "-h", "-r"], stdout=subprocess.PIPE, text=True, check=True).stdout


class Slurm(Sweeping):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)

    def sweep(self, sleep):
        self.write("a.toml", "time_limit = 300\n" + HEAD + self.program("one", "launch 8 sleep %s" % sleep)
                   + self.program("bad", "launch 2 say wrong exit 3", "time_limit = 200") + AXES)

    def test_the_same_as_here(self):
        """Eight runs with two limits, in arrays of no more than five."""
        self.sweep("0.1")
        self.assertIn("8 of 8 runs done, 4 failed", self.heddle("sweep", "a.toml", "--slurm", status=1))
        self.assertFalse(os.path.exists("a.db.jobs"))
        self.assertEqual(len(self.ran()), 8)
        self.heddle("sweep", "a.toml", "--db", "b.db", status=1)
        self.assertEqual(content("a.db"), content("b.db"))

    def test_killed_and_resumed(self):
        """The cluster goes on without the sweep; the next one waits for the tasks that are there and starts none twice."""
        self.sweep("2")
        s = self.start_sweep("a.toml", "--slurm")
        self.wait_for(lambda: len(self.ran()) >= 2, 60)
        kill(s)
        self.assertIn("8 of 8 runs done, 4 failed", self.heddle("sweep", "a.toml", "--slurm", status=1))
        self.assertEqual(len(self.ran()), 8)

    def test_stopped(self):
        self.sweep("60")
        s = self.start_sweep("a.toml", "--slurm")
        self.wait_for(lambda: len(self.ran()) >= 1 and queue(), 60)
        said = kill(s, signal.SIGINT)
        self.assertEqual(s.returncode, 130, said)
        self.wait_for(lambda: not queue(), 60)

    def test_tasks_that_are_lost(self):
        """A task that somebody cancels is a run that failed, and says so."""
        self.write("a.toml", HEAD.split("\n")[0] + "\n" + self.program("one", "launch 8 sleep 60") + self.program("two", "launch 9"))
        s = self.start_sweep("a.toml", "--slurm")
        self.wait_for(lambda: "launch 8 sleep 60" in self.ran(), 60)
        task = next(line.split()[0] for line in queue().splitlines())
        subprocess.run(["scancel", task], check=True)
        s.communicate(timeout=120)
        self.assertEqual(s.returncode, 1)
        said = self.heddle("results", "a.db", "--failed")
        self.assertRegex(said, r"one .*the Slurm job \d+_\d+ ended without a result: CANCELLED")
        self.assertNotIn("two", said)

    def test_what_sbatch_refuses(self):
        self.sweep("0.1")
        self.assertRegex(self.heddle("sweep", "a.toml", "--slurm", "--slurm-option=--partition=nowhere", status=2), "heddle: error: sbatch: .*artition")


if __name__ == "__main__":
    unittest.main()
