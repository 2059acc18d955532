"""Compares what a case should give with what it gave, both one line of text, and counts."""
import re

TASK_CHARS_MAX = 60


class Table:
    def __init__(self):
        self.cases, self.wrong = 0, 0

    def heading(self, text):
        print(f"\n{text}", flush=True)

    def row(self, case, seen, run=None):
        """`seen` has a text for each column; a column that the case does not mention is not compared."""
        self.cases += 1
        wrong = [name for name, text in seen.items() if name in case and not matches(str(case[name]), text)]
        shown = " | ".join(text for name, text in seen.items() if name != "text")
        print(f"{'FAIL' if wrong else 'ok  '} {case['task'][:TASK_CHARS_MAX]}: {shown}", flush=True)
        for name in wrong:
            print(f"     {name}: expected {case[name]!r}\n     {name}:      got {seen[name]!r}", flush=True)
        if wrong and run:
            print(f"     the program said: {run.end} {run.stderr}", flush=True)
        self.wrong += bool(wrong)

    def check(self, what, expected, seen):
        """A rule beside the cases; it is shown only where it is broken."""
        if expected != seen:
            self.wrong += 1
            print(f"FAIL {what}: expected {expected!r}, got {seen!r}", flush=True)


def matches(expected, seen):
    """A star stands for a number that no two runs share."""
    return re.fullmatch(re.escape(expected).replace(r"\*", r"\d+"), seen) is not None
