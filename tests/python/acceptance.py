"""What the acceptance scripts share: running their cases, one line each, and counting them in a last one."""

import time
import traceback


def run(title, cases, judge, names=(), waits=lambda name: None):
    """Runs the cases of a table from names to functions, those that are named or all.

    `judge` is called with a case's function and says what is wrong with what it gives, or None; an exception is wrong too. `waits` says
    why a case cannot run yet. Returns the number of cases that failed, and the last line: how many did what.
    """
    start = time.time()
    failed = skipped = 0
    width = max(24, max(map(len, cases)) + 1)
    for name in names or cases:
        if waits(name):
            skipped += 1
            print("%-*s skipped: %s" % (width, name, waits(name)), flush=True)
            continue
        begun = time.time()
        try:
            wrong = judge(cases[name])
        except Exception as e:
            traceback.print_exc()
            wrong = "%s: %s" % (type(e).__name__, str(e).strip().split("\n")[0])
        failed += wrong is not None
        print("%-*s %6.1f s  %s" % (width, name, time.time() - begun, "FAIL " + wrong if wrong is not None else "ok"), flush=True)
    count = len(names or cases)
    said = "%d passed, %d failed" % (count - failed - skipped, failed) + (", %d skipped" % skipped if skipped else "")
    return failed, "%s: %d cases, %s, %.0f s" % (title, count, said, time.time() - start)


def completes(case):
    """A judge of cases that check themselves: what ends without an exception is right."""
    case()
