"""The cases of aimock.yml: each is an answer of the server's, broken or paced as the case says, and what the harness makes of it."""
import json

import run
from server import Server


def start(node, program, cases, folder, env):
    """The server takes its answers from a file: one for each case, found by the task."""
    fixtures = [{"match": {"userMessage": case["task"], **answer.pop("match", {})}, **answer} for case in cases for answer in case["answers"]]
    path = folder / "fixtures.json"
    path.write_text(json.dumps({"fixtures": fixtures}))
    return Server([node, program, "-p", "0", "-f", path, "--strict", "--validate-on-load"], "listening on", env)


def judge(server, cases, harness, folder, table):
    table.heading("aimock")
    journaled = 0
    for case in cases:
        done = run.run(harness, folder, server.url + case.get("path", "/v1"), case["task"], case.get("row", {}))
        journal = server.ask("/__aimock/journal")
        entries, journaled = journal[journaled:], len(journal)
        usage = done.usage and " ".join(f"{key} {count}" for key, count in done.usage.items())
        seen = {"ours": done.line(), "judge": ", ".join(map(shown, entries)), "text": done.text, "usage": str(usage)}
        if "usage" not in case:
            del seen["usage"]
        table.row(case, seen, done)


def shown(entry):
    """One request as the server journaled it."""
    response = entry["response"]
    words = [str(response["status"]), response.get("chaosAction"), response.get("interruptReason")]
    return " ".join(word for word in words if word)
