"""heddle config new and diff, and that every GPU of configs/ runs a program."""

import os
import re
import unittest

from common import TREE
from sweeping import Sweeping


class New(Sweeping):
    def value(self, config, option):
        """An option's value as heddle config shows it."""
        said = self.heddle("config", "-c", config)
        return re.search(r"^%s +(\S+)" % re.escape(option), said, re.M).group(1)

    def test_what_is_derived(self):
        self.heddle("config", "new", "N", "--from", "SM86_RTX3090", "--sms", "128", "--clock", "2520", "--bandwidth", "1008", "--l2", "72",
                    "--memory", "20", "--gpu-name", "A GPU", "-gpgpu_scheduler", "gto")
        for option, value in (("-gpgpu_n_clusters", "128"), ("-gpgpu_clock_domains", "2520:2520:2520:5250"), ("-gpu_memory_mb", "20480"),
                              ("-gpgpu_cache:dl2", "S:128:128:96,L:B:m:L:P,A:192:96,32:0,32"), ("-gpgpu_scheduler", "gto"),
                              ("-core", "modern"), ("-gpgpu_l2_rop_latency", "201")):
            self.assertEqual(self.value("N", option), value, option)
        with open("N/gpgpusim.config") as f:
            text = f.read()
        self.assertIn("It has 128 SMs at 2520 MHz, 1008 GB/s of DRAM, 72 MB of L2.", text)
        self.assertIn("DRAM 1008 GB/s / (24 channels x 8 bytes a command clock). SM86_RTX3090 has 1395:1395:1395:4875.", text)
        self.assertIn("72 MB in 48 slices (channels x slices at each) of 1536 KB: 128 sets of 96 lines of 128 bytes.", text)
        self.assertLess(text.index("## Derived"), text.index("## Set as it was asked for"))
        self.assertLess(text.index("## Set as it was asked for"), text.index("## Left as SM86_RTX3090 has it"))
        self.assertTrue(os.path.exists("N/trace.config"))
        said = self.heddle("config", "diff", "SM86_RTX3090", "N", status=1)
        names = re.findall(r"^(-\S+?)(?: \(.*?\))?: ", said, re.M)
        self.assertEqual(sorted(names), sorted(["-gpu_name", "-gpgpu_n_clusters", "-gpgpu_clock_domains", "-gpu_memory_mb", "-gpgpu_cache:dl2",
                                                "-gpgpu_scheduler"]))
        self.assertRegex(said, r"-gpgpu_clock_domains \(MHz\): .*\n    A  1395:1395:1395:4875 +\S*/SM86_RTX3090/gpgpusim.config:\d+\n"
                               r"    B  2520:2520:2520:5250 +\S*N/gpgpusim.config:\d+\n")
        self.assertIn("6 options differ", said)
        self.heddle("run", "-c", "N", os.path.realpath(os.sys.executable), "program.py", "launch", "2")

    def test_a_bus_and_clocks_in_their_ratio(self):
        self.heddle("config", "new", "N", "--from", "SM86_RTX3090", "--bus", "256", "--clock", "1000")
        self.assertEqual(self.value("N", "-gpgpu_n_mem"), "16")
        self.assertEqual(self.value("N", "-gpgpu_clock_domains"), "1000:1000:1000:4875")
        # A network of so many nodes: 40 SMs, 16 channels of 128 bits with two slices each.
        network = os.path.join(TREE, "configs", "SM7_QV100", "config_volta_islip.icnt")
        self.heddle("config", "new", "Q", "--from", "SM7_QV100", "-network_mode", "1", "-inter_config_file", network, "--sms", "40",
                    "--bus", "2048", "--clock", "566")
        with open("Q/config_volta_islip.icnt") as f:
            self.assertRegex(f.read(), r"\nk = 72;\n")
        self.assertEqual(self.value("Q", "-gpgpu_clock_domains"), "566:566:566:850")
        self.heddle("config", "--check", "-c", "Q")
        self.heddle("config", "new", "T", "--from", "SM6_TITANX", "--clock", "1000")
        self.heddle("config", "--check", "-c", "T")

    def test_what_is_refused(self):
        for words, said in ((["--sms", "129.5"], "multiple of 1"), (["--clock", "x"], "a number above 0"), (["--bus", "100"], "multiple of 16"),
                            (["--l2", "0.01"], "cannot be made of lines"), (["--frob", "1"], "no option '--frob'"), (["x"], "belongs nowhere"),
                            (["--sms"], "needs a value"), (["-gpgpu_schedular", "gto"], "gpgpu_scheduler"), 
                            (["-gpgpu_cache:dl2", "S:256:128:16,L:B:m:L:P,A:192:96,32:0,32"], "made for 16, 32, 64 or 128 sets"), (["-c", "SM7_QV100"], "made from one other")):
            self.assertIn(said, self.heddle("config", "new", "N", "--from", "SM86_RTX3090", *words, status=2))
            self.assertFalse(os.path.exists("N"))
        os.mkdir("N")
        self.assertIn("there already", self.heddle("config", "new", "N", "--from", "SM86_RTX3090", status=2))
        self.assertIn("wants a name", self.heddle("config", "new", "M", status=2))
        self.assertIn("no configuration 'nope'", self.heddle("config", "new", "M", "--from", "nope", status=2))
        self.assertIn("no configuration 'nope'", self.heddle("config", "diff", "SM7_QV100", "nope", status=2))
        self.assertIn("usage: heddle config diff", self.heddle("config", "diff", "SM7_QV100", status=2))
        self.assertIn("0 options differ; results and cycles are the same", self.heddle("config", "diff", "SM7_QV100", "SM7_QV100"))
        self.assertIn("2 options differ; results and cycles are the same", self.heddle("config", "diff", "SM7_QV100", self.write(
            "same.config", "-config %s/configs/SM7_QV100/gpgpusim.config\n-threads 3\n-progress 0\n" % TREE), status=1))


class Gpus(Sweeping):
    def test_each_is_there_and_runs(self):
        with open(os.path.join(TREE, "docs", "modern.md")) as f:
            page = f.read()
        for name, gpu in (("SM89_RTX4090", "RTX 4090"), ("SM89_L40", "L40"), ("SM86_A10", "A10"), ("SM75_T4", "T4"), ("B200", "B200")):
            said = self.heddle("run", "-c", name, os.path.realpath(os.sys.executable), "program.py", "launch", "4")
            self.assertIn("heddle_run = complete", said)
            self.assertIn("| %s | " % name, page)
            with open(os.path.join(TREE, "configs", name, "gpgpusim.config")) as f:
                text = f.read()
            self.assertIn(gpu, text.split("\n")[0])
            self.assertIn("# Sources: ", text)
            for section in re.findall(r"^## .*\n(.*)", text, re.M)[:-1]:  # each but the last, of reports, says where its numbers come from
                self.assertTrue(section.startswith("# "), section)


if __name__ == "__main__":
    unittest.main()
