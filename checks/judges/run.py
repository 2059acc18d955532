"""Runs the harness once, as its user would, and says in one line how that ended."""
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN_SECONDS_MAX = 60


class Run:
    """What one run of the program did: its exit code, what it printed, and the line for the table."""

    def __init__(self, exit_code, stdout, stderr):
        self.exit_code, self.stderr = exit_code, stderr
        records = [json.loads(line) for line in stdout.splitlines()]
        events = [(record["kind"], record["data"]) for record in records if record["type"] == "event"]
        self.text = "".join(record["text"] for record in records if record["type"] == "out")
        self.end = records[-1] if records and records[-1]["type"] == "end" else {"status": "no end"}
        ends = [data for kind, data in events if kind == "step/end"]
        self.attempts = [f"again after {data['code']}" for kind, data in events if kind == "llm/attempt"]
        # A retry is a request, as a step is.
        self.requests = len(ends) + len(self.attempts)
        self.usage = ends[-1]["usage"] if ends else None
        self.failure = ends[-1]["finish"].get("failure", {}) if ends else {}
        names = {data["id"]: data["name"] for kind, data in events if kind == "tool/call"}
        results = [data["content"][0] for kind, data in events if kind == "tool/result"]
        self.calls = [f"{names.pop(result['call_id'])} {result.get('code', 'ok')}" for result in results]
        self.calls += [f"{name} unanswered" for name in names.values()]

    def line(self):
        said = [f"{self.exit_code} {self.end['status']}"]
        if self.end.get("code"):
            said[0] += f" {self.end['code']}"
        if self.failure.get("status"):
            said.append(f"status {self.failure['status']}")
        if self.wait_ms:
            said.append(f"wait {self.wait_ms} ms")
        return ", ".join(said + self.attempts + self.calls)

    @property
    def wait_ms(self):
        """How long the provider asked to wait, as the program read it."""
        return self.failure.get("retry_after_ms")


def run(harness, folder, base_url, task, row, retry=None):
    """One run in `folder` against `base_url`; `row` is what the adapter's row says beside the usual, and `retry` the config of a row that
    tries again, if there is one."""
    patch = folder.parent / "patch.yml"
    further = json.dumps(row)[1:-1]
    usual = "base_url: !env LLM_BASE_URL, api_key: !secret LLM_API_KEY, model: judged, "
    tries = f"- {{insert: [{{id: retry, name: llm-retry, config: {json.dumps(retry)}}}]}}\n" if retry is not None else ""
    patch.write_text(f"- {{id: llm-adapter, config: {{{usual}{further}}}}}\n{tries}")
    command = [harness, "run", "--config", ROOT / "harness.yml", "--patch", patch, "--output", "stream-json", task]
    # Nothing of the caller's settings, and no proxy.
    env = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LLM_BASE_URL": base_url, "LLM_API_KEY": "dummy"}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=RUN_SECONDS_MAX
    )
    return Run(done.returncode, done.stdout, done.stderr)
