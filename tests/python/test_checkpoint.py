"""Checkpoints between kernels: what goes on from one is what -kernels gives, and files that are none are refused."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from sweeping import HEDDLE, PROGRAM, Sweeping

# As sweeping.PROGRAM, and more words: copy N stores what it has brought in a file, input N copies such a number to the device.
WORDS = PROGRAM.replace('elif word == "say"', '''elif word == "copy":
        to = ctypes.c_uint32()
        assert cuda.cuMemcpyDtoH_v2(ctypes.byref(to), memory, ctypes.c_size_t(4)) == 0
        open(value, "a").write("%d\\\\n" % to.value)
    elif word == "input":
        assert cuda.cuMemcpyHtoD_v2(memory, ctypes.byref(ctypes.c_uint32(int(value))), ctypes.c_size_t(4)) == 0
    elif word == "more": assert cuda.cuMemAlloc_v2(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(int(value))) == 0
    elif word == "say"''')
FOUR = "input 5 launch 8 copy x launch 16 copy x launch 4 copy x launch 24 copy x"
CONFIG = ["-c", "SM75_RTX2060", "-visualizer_enabled", "0"]
WALL = r"(?m)^.*(gpu_total_sim_rate|gpgpu_simulation_time|gpgpu_simulation_rate|gpgpu_silicon_slowdown|heddle_options|heddle_note|heddle_untimed).*\n"


class Checkpoints(Sweeping):
    def setUp(self):
        super().setUp()
        self.write("program.py", WORDS.replace("\\\\n", "\\n"))

    def go(self, *options, words=FOUR, status=0, config=CONFIG, **how):
        if os.path.exists("x"):
            os.unlink("x")
        command = ["run"] + config + ["-stats_file", "stats"] + list(options) + ["--", sys.executable, "program.py"]
        return self.heddle(*command, *words.split(), status=status, **how)

    def write_it(self, kernel=2, *options, **how):
        return self.go("-checkpoint_option", "1", "-checkpoint_kernel", str(kernel), *options, **how)

    def resume(self, *options, **how):
        return self.go("-resume_option", "1", *options, **how)

    def statistics(self):
        with open("stats") as f:
            return re.sub(WALL, "", f.read())

    def read(self, name):
        with open(name, "rb") as f:
            return f.read()


class GoesOn(Checkpoints):
    def test_as_if_the_others_were_not_timed(self):
        self.go("-kernels", "3-")
        wanted, brought = self.statistics(), self.read("x")
        self.assertIn("kernel_launch_uid = 3", wanted)
        for mode in "1", "0":
            self.write_it(2, "-gpgpu_ptx_sim_mode", mode)
            self.assertEqual(self.read("x"), brought)
            for threads in "1", "3":
                self.assertEqual(self.resume("-threads", threads), "")
                self.assertEqual(self.read("x"), brought)
                self.assertEqual(self.statistics(), wanted)
        self.assertIn("heddle_note = kernels 1 to 2 are not simulated", self.read("stats").decode())

    def test_every_place_on_both_cores(self):
        for core in [], ["-core", "modern"]:
            for kernel in range(1, 4):
                config = ["-c", "SM86_RTX3080" if core else "SM75_RTX2060", "-visualizer_enabled", "0"]
                self.go("-kernels", "%d-" % (kernel + 1), config=config)
                wanted, brought = self.statistics(), self.read("x")
                self.write_it(kernel, "-gpgpu_ptx_sim_mode", "1", config=config)
                self.resume("-resume_kernel", str(kernel), config=config)
                self.assertEqual((self.statistics(), self.read("x")), (wanted, brought))

    def test_the_run_that_writes_is_as_any(self):
        self.go()
        wanted = self.statistics()
        self.write_it(3)
        self.assertEqual(self.statistics(), wanted)

    def test_limits_and_samples(self):
        self.write_it(2)
        self.assertIn("-kernel_limit is reached", self.resume("-kernel_limit", "1", status=1))
        self.assertEqual(self.statistics().count("kernel_launch_uid"), 1)
        self.resume("-sample", "5")
        self.assertIn("heddle_estimate_launches = 2\n", self.statistics())
        self.resume("-kernels", "4")
        self.assertEqual(re.findall("kernel_launch_uid = ([0-9]+)", self.statistics()), ["4"])


class Refused(Checkpoints):
    def refuses(self, said, expected):
        self.assertIn(expected, said)
        self.assertEqual(said.count("heddle: error: "), 1, said)
        self.assertNotIn("Assertion", said)

    def test_what_the_options_ask_for(self):
        self.refuses(self.resume(status=1), "cannot go on from %s/heddle.checkpoint: No such file" % self.folder)
        self.refuses(self.go("-checkpoint_option", "1", "-resume_option", "1", status=1), "exclude each other")
        self.refuses(self.write_it(0, status=1), "launches are counted from 1")
        self.refuses(self.write_it(2, "-checkpoint_file", "no/where", status=2), "cannot write no/where")
        self.assertIn("checkpoints are between kernels", self.write_it(2, "-checkpoint_CTA", "3"))
        for option in "-resume_CTA", "-checkpoint_CTA_t", "-checkpoint_insn_Y":
            self.assertIn("checkpoints are between kernels", self.go(option, "3"))
        self.refuses(self.resume("-resume_kernel", "3", status=1), "is a checkpoint behind kernel 2")
        self.refuses(self.resume("-gpu_memory_mb", "1000", status=1), "bytes of device memory = 6442450944, and now it is 1048576000")
        said = self.heddle("check", "-c", "SM75_RTX2060", "-resume_option", "1", "--", sys.executable, "program.py", "launch", "8", status=None)
        self.assertIn("heddle check knows nothing of memory", said)

    def test_a_launch_that_never_comes(self):
        self.refuses(self.write_it(9, status=1), "-checkpoint_kernel 9: the run ended before that kernel did; no checkpoint is written (4 kernels")
        self.assertEqual(sorted(n for n in os.listdir() if "checkpoint" in n), [])
        self.assertIn("kernel_launch_uid = 4", self.statistics())

    def test_damaged_files(self):
        self.write_it(2)
        whole = self.read("heddle.checkpoint")
        start = whole.index(b"\n\n") + 2
        for at in list(range(start, len(whole), max(1, (len(whole) - start) // 12))) + [len(whole) - 1]:
            with open("heddle.checkpoint", "wb") as f:
                f.write(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1:])
            self.refuses(self.resume(status=1), "damaged or not whole")
        for cut in 0, 10, 30, start, start + 1, (start + len(whole)) // 2, len(whole) - 1:
            with open("heddle.checkpoint", "wb") as f:
                f.write(whole[:cut])
            said = self.resume(status=1)
            self.assertRegex(said, "damaged or not whole|no checkpoint that this version")
        for text in whole + b"x", whole.replace(b"kernel = 2", b"kernel = 1", 1):
            with open("heddle.checkpoint", "wb") as f:
                f.write(text)
            self.refuses(self.resume(status=1), "damaged or not whole")
        os.unlink("heddle.checkpoint")
        os.mkdir("heddle.checkpoint")
        self.assertIn("cannot go on from", self.resume(status=1))

    def test_another_way(self):
        self.write_it(2)
        for words, why in {
                "input 5 launch 8 copy x launch 32 copy x": "grid.x of launch 2, count, was 16 and is now 32",
                "input 5 launch 8 launch 16": "after launch 1 it copied to the host and now it has launched a kernel",
                "launch 8": "after launch 0 it copied to the device and now it has launched a kernel",
                "input 5 launch 8 copy x": "the program ended after launch 1, before kernel 2",
                "input 5 launch 8 copy x more 4096 launch 16 copy x": "4096 bytes of device memory that it did not have",
        }.items():
            self.refuses(self.resume(words=words, status=1), why)
        # Bytes that a program copies may be uninitialised, so others are no error.
        said = self.resume(words=FOUR.replace("input 5", "input 6"))
        self.assertEqual(said.count("heddle: warning: the program copies other bytes to the device"), 1)
        self.assertEqual(self.read("x").decode().split()[-1], str(5 + (8 + 16 + 4 + 24) * 128))

    def test_another_program(self):
        self.write_it(2)
        copy = os.path.join(self.folder, "python")
        with open(os.path.realpath(sys.executable), "rb") as f:
            data = f.read()
        with open(copy, "wb") as f:
            f.write(data + b"other")
        os.chmod(copy, 0o755)
        said = self.heddle("run", *CONFIG, "-resume_option", "1", "--", copy, "program.py", *FOUR.split(), status=None)
        if "cannot execute" not in said and "Could not find platform" not in said:
            self.assertIn("was written by another program, or another build of it", said)


class Killed(Checkpoints):
    def start(self, *options, words):
        command = [HEDDLE, "run"] + CONFIG + ["-stats_file", "stats"] + list(options) + ["--", sys.executable, "program.py"]
        return subprocess.Popen(command + words.split(), stdin=subprocess.DEVNULL)

    def test_what_is_on_disk_after_a_kill(self):
        words = "launch 8 launch 16 copy x sleep 60 launch 4"
        child = self.start("-checkpoint_option", "1", "-checkpoint_kernel", "2", "-stats_json", "json", "-stats_record", "1", words=words)
        self.addCleanup(child.kill)
        self.wait_for(lambda: os.path.exists("x"))
        time.sleep(0.3)
        child.send_signal(signal.SIGKILL)
        child.wait()
        # Statistics of what has finished, as text and as JSON with its listing.
        self.assertEqual(re.findall("kernel_launch_uid = ([0-9]+)", self.statistics()), ["1", "2"])
        text, decoder, kernels = self.read("json").decode(), json.JSONDecoder(), []
        at = text.find("{")
        while at >= 0:
            kernel, at = decoder.raw_decode(text, at)
            kernels.append(kernel)
            at = text.find("{", at)
        self.assertEqual([k["uid"] for k in kernels], [1, 2])
        self.assertIn("record", kernels[1])
        self.heddle("report", "json", "-o", "report.html")
        self.assertIn(b"</html>", self.read("report.html"))
        # And the checkpoint: the run goes on.
        self.assertEqual(self.resume(words=words.replace("60", "0")), "")
        self.assertEqual(re.findall("kernel_launch_uid = ([0-9]+)", self.statistics()), ["3"])

    def test_a_kill_before_the_checkpoint_leaves_the_one_before(self):
        self.write_it(2)
        before = self.read("heddle.checkpoint")
        child = self.start("-checkpoint_option", "1", "-checkpoint_kernel", "3", words="launch 8 launch 16 copy x sleep 60 launch 4")
        self.addCleanup(child.kill)
        self.wait_for(lambda: os.path.exists("heddle.checkpoint.part"))
        child.send_signal(signal.SIGKILL)
        child.wait()
        self.assertEqual(self.read("heddle.checkpoint"), before)


if __name__ == "__main__":
    unittest.main()
