"""Puts the harness before two servers that others wrote to break and to judge clients, and compares every outcome with the tables.

usage: drive.py HARNESS AIMOCK    the program to judge, and aimock's folder. Exits 1 when anything is not as the tables say.
"""
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import yaml

import chaos
import verdict
from table import Table

HERE = Path(__file__).parent


def main(harness, aimock):
    # A judge must end with us, whatever ends us.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(130))
    servers, table = [], Table()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "work"
        folder.mkdir()
        env = {"PATH": os.environ["PATH"], "HOME": place, "NO_COLOR": "1", "COLUMNS": "200"}
        sessions = yaml.safe_load((HERE / "llmock.yml").read_text())
        cases = yaml.safe_load((HERE / "aimock.yml").read_text())
        tasks = [case["task"] for case in cases] + [case["task"] for session in sessions for case in session["cases"]]
        # aimock finds its answer by a part of the task, and llmock takes the same task for another attempt.
        alike = [task for task in tasks if sum(task in other for other in tasks) > 1]
        table.check("tasks that are, or are part of, another one's", [], alike)
        try:
            # All at once: starting takes the longest.
            judges = {}
            for flags in dict.fromkeys(session.get("serve", "") for session in sessions):
                judges[flags] = verdict.start(flags.split(), env)
                servers.append(judges[flags])
            physics = chaos.start(shutil.which("node"), aimock / "dist/cli.js", cases, Path(place), env)
            servers.append(physics)
            chaos.judge(physics, cases, harness, folder, table)
            for session in sessions:
                server = judges[session.get("serve", "")]
                verdict.Session(server, session, harness, folder, table).judge(env)
            table.check("files made by calls that came cut", [], os.listdir(folder))
        finally:
            for server in servers:
                server.stop()
    print(f"\n{'FAIL' if table.wrong else 'PASS'} {table.cases} cases, {table.wrong} not as expected")
    return bool(table.wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
