"""A judge's server as a child process on a free port of loopback, and the requests that control it."""
import json
import re
import subprocess
import threading
import urllib.request
from collections import deque

START_SECONDS_MAX = 90
STOP_SECONDS_MAX = 10
ANSWER_SECONDS_MAX = 20

# Whatever proxies the caller has, loopback is reached without them.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Server:
    """Started at once; `url` waits until it listens. It is told to take port 0, and says which one it got."""

    def __init__(self, command, ready, env):
        self._log, self._listens = deque(maxlen=40), threading.Event()
        self._url, self._ready = None, re.compile(re.escape(ready) + r" (http://127\.0\.0\.1:[1-9]\d*)")
        self.process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._log.append(line.rstrip())
            if not self._url and (found := self._ready.search(line)):
                self._url = found.group(1)
                self._listens.set()
        self._listens.set()

    @property
    def url(self):
        if not self._listens.wait(START_SECONDS_MAX) or not self._url:
            raise SystemExit("FAIL a judge did not start:\n" + "\n".join(self._log))
        return self._url

    def ask(self, path, method="GET", body=None):
        """The JSON that it answers."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"}, method=method)
        with OPENER.open(request, timeout=ANSWER_SECONDS_MAX) as answer:
            return json.load(answer)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
