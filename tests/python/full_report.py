"""heddle report at length: thousands of kernels, recordings of other cores and of traces, a recording in a browser."""

import os
import shutil
import unittest

import chromium
import common
import pages
import test_report
from heddle import runs
from test_report import document, kernel


class Many(test_report.Pages):
    def test_thousands_of_kernels(self):
        self.write("run.json", document(*(kernel(i, "_Z%dk%dv" % (len(str(i % 7)) + 1, i % 7))
                                          for i in range(1, 5001))))
        self.report("run.json", "--kernels", "3")
        page, text = self.page("run.html")
        self.assertLess(len(text), 4_000_000)
        self.assertIn("The 1000 longest of 5000 launches", text)
        self.assertEqual(len([c for c in page.charts if c.endswith("-slots")]), 3)


@unittest.skipUnless(shutil.which("clang"), "no clang here")
class Others(test_report.Recorded):
    def test_other_runs(self):
        """Any number of threads records the same; the modern core, replays of traces, and two runs side by side."""
        def recording(path):
            return runs.read(path).kernels[0].record
        self.record("one", "-threads", "1")
        self.record("two", "-threads", "2")
        self.assertEqual(recording("one.json"), recording("two.json"))
        self.record("modern", "-core", "modern")
        traces = os.path.join(common.TREE, "tests", "golden", "traces", "reduction", "kernelslist.g")
        self.run_command([self.HEDDLE, "trace", "-trace", traces, "-c", "SM75_RTX2060", "-stats_json", "trace.json",
                          "-stats_record", "1",
                          "-stats_file", "/dev/null"])
        self.run_command([self.HEDDLE, "report", "one.json", "modern.json", "trace.json", "-o", "all.html"])
        page = pages.read("all.html")
        self.assertIn("k1-waits-run2", page.charts)

    @unittest.skipUnless(chromium.found(), "no chromium here")
    def test_browser(self):
        page, _ = self.record("rec")
        dom, console = chromium.opened(self.folder, "rec.html")
        self.assertEqual(console, [])
        self.assertEqual({c: len(m) for c, m in pages.Page(dom).charts.items()},
                         {c: len(m) for c, m in page.charts.items()})


if __name__ == "__main__":
    unittest.main()
