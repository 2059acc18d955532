"""Reads a run's stream-json on standard input and checks what must hold whatever the model says. Exits 1 and says what does not."""
import json
import sys

calls, results, usage, steps = [], [], {"input": 0, "output": 0}, 0
end, wrong = None, []
for line in sys.stdin:
    record = json.loads(line)
    if end is not None:
        wrong.append("a record follows the end")
    if record["type"] == "end":
        end = record
    if record["type"] != "event":
        continue
    data = record["data"]
    if record["kind"] == "tool/call":
        calls.append(data["id"])
    elif record["kind"] == "tool/result":
        results.append(data["content"][0]["call_id"])
    elif record["kind"] == "step/end":
        steps += 1
        counts = data["usage"] or {}
        usage["input"] += counts.get("input_tokens", 0) + (counts.get("cache_read_tokens") or 0)
        usage["output"] += counts.get("output_tokens", 0)

if calls != results:
    wrong.append(f"calls {calls} are answered by {results}")
if end is None:
    wrong.append("there is no end")
else:
    if end["status"] not in ("completed", "max-tokens", "blocked", "error"):
        wrong.append(f"the end is `{end['status']}`")
    if end["steps"] != steps:
        wrong.append(f"{steps} steps, and the end says {end['steps']}")
    said = end["usage"]
    total = {"input": said["input_tokens"] + (said.get("cache_read_tokens") or 0), "output": said["output_tokens"]}
    if total != usage:
        wrong.append(f"steps used {usage}, and the end says {total}")
for what in wrong:
    print("FAIL", what)
status = end and f"{end['status']} ({end.get('code')})"
print(f"{'FAIL' if wrong else 'PASS'} {status}: {steps} steps, {len(calls)} calls, {usage['input']} tokens in, {usage['output']} out")
sys.exit(bool(wrong))
