"""The cases of llmock.yml: a fault is queued, the harness runs into it, and the server's verdict on us is read."""
import subprocess
import sys
import time

import run
from server import Server

REPORT_SECONDS_MAX = 60
RUNS_MAX = 3
# What a caller may try again; everything else fails in the same way again.
TRANSIENT = {"RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT", "STREAM_CLOSED", "MALFORMED_RESPONSE", "EMPTY_RESPONSE"}
FIRST_WAIT_MS = 250


def start(flags, env):
    command = [sys.executable, "-m", "llmock.cli", "serve", "--port", "0", *flags]
    return Server(command, "Uvicorn running on", env)


class Session:
    """A journal of the server's from its beginning to the report on it."""

    def __init__(self, server, session, harness, folder, table):
        self.server, self.session, self.harness, self.folder, self.table = server, session, harness, folder, table
        self.judged = 0

    def judge(self, env):
        self.table.heading(f"llmock: {self.session['title']}")
        self.server.ask("/_llmock/reset", "POST")
        for case in self.session["cases"]:
            self.case(case)
        for flags, expected in self.session["report"].items():
            command = [sys.executable, "-m", "llmock.cli", "report", "--url", self.server.url, *flags.split()]
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=REPORT_SECONDS_MAX)
            summary = next((line for line in done.stdout.splitlines() if "verdict" in line), done.stdout + done.stderr)
            case = {"task": f"llmock report {flags}".strip(), "exit": f"exit code {expected}"}
            self.table.row(case, {"exit": f"exit code {done.returncode}", "summary": summary.strip(" │")})

    def case(self, case):
        if case.get("behaviors"):
            self.server.ask("/_llmock/scenario", "POST", {"behaviors": case["behaviors"]})
        runs = self.runs(case)
        last = runs[-1]
        records = self.records(sum(run.requests for run in runs))
        sequence = {record["seq"] for record in records}
        findings = self.server.ask("/_llmock/verdict")["findings"]
        ours = [finding for finding in findings if sequence & set(finding["requests"])]
        said = ", ".join(dict.fromkeys(f"{mark(finding)} {finding['code']}" for finding in ours)) or "no finding"
        seen = {
            "ours": "; ".join(run.line() for run in runs),
            "judge": f"{', '.join(map(shown, records))}: {said}",
            "text": last.text,
        }
        self.table.row(case, seen, last)
        # What is left in the queue was never injected, and the case would have shown nothing.
        permanent = any(behavior.get("times", 1) is None for behavior in case.get("behaviors", []))
        pending = self.server.ask("/_llmock/scenario", "DELETE" if permanent else "GET")["pending"]
        self.table.check(f"{case['task']}: faults left over", 0 if permanent else [], pending)
        if records and records[-1]["retry_after"]:
            asked = round(records[-1]["retry_after"] * 1000)
            self.table.check(f"{case['task']}: the wait that was asked for", asked, last.wait_ms)

    def runs(self, case):
        """One run, or as many as the caller makes who tries again: as the failure says, or at once."""
        runs = []
        while True:
            url = self.server.url + case.get("path", "/v1")
            runs.append(run.run(self.harness, self.folder, url, case["task"], case.get("row", {}), self.retry(case)))
            last, again = runs[-1], case.get("again")
            hopeless = again == "as told" and last.failure.get("code") not in TRANSIENT
            if not again or last.exit_code == 0 or hopeless or len(runs) == RUNS_MAX:
                return runs
            if again == "as told":
                # Not to wait for something, but because the server asked for it.
                time.sleep((last.wait_ms or FIRST_WAIT_MS * 3 ** (len(runs) - 1)) / 1000)

    def retry(self, case):
        """The config of the row that tries again, of the session and of the case; none in a session without one."""
        return None if "retry" not in self.session else {**self.session["retry"], **case.get("retry", {})}

    def records(self, requests):
        """The requests of this case. Some are journaled only when the server has noticed that we left; each look waits for those."""
        for _ in range(10):
            all_of_them = self.server.ask("/_llmock/requests")["requests"]
            if len(all_of_them) >= self.judged + requests:
                break
        mine = all_of_them[self.judged :]
        self.judged = len(all_of_them)
        return mine


def mark(finding):
    return {"error": "FAIL", "warning": "WARN"}[finding["severity"]]


def shown(record):
    """One request as the server journaled it; `cut` where its answer did not come to its end."""
    words = [str(record["status"]), record["fault"], None if record["completed"] else "cut"]
    return " ".join(word for word in words if word)
