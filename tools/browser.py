"""A headless Chromium, driven through the pipe of its own debugging protocol: no package is needed."""

import json
import os
import select
import shutil
import subprocess
import time

PROGRAM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
_SECONDS = 180  # a crowded machine is ten times slower


class Browser:
    """One page. `events`: what the browser reported since the last `open`."""

    def __init__(self, profile):
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        line = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
        arguments = ["bash", "-c", line, PROGRAM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            arguments, pass_fds=(commands, answers), stdin=quiet, stdout=quiet, stderr=quiet
        )
        os.close(commands)
        os.close(answers)
        self._left, self._number, self._session, self.events = b"", 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def ask(self, method, **parameters):
        """Send a command and wait for its answer."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        request |= {"sessionId": self._session} if self._session else {}
        os.write(self._write, json.dumps(request).encode() + b"\0")
        while (message := self._message()).get("id") != self._number:
            self.events.append(message)
        assert "error" not in message, (method, message["error"])
        return message["result"]

    def _message(self):
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._left:
            assert select.select([self._read], [], [], max(0, end - time.monotonic()))[0], "the browser is silent"
            part = os.read(self._read, 1 << 20)
            assert part, "the browser is gone"
            self._left += part
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def open(self, path, width=1200, scheme="light", fragment=""):
        """Show a file at a width and in a colour scheme, and wait until it is loaded."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for url in ("about:blank", path.resolve().as_uri() + fragment):
            self.events.clear()
            self.ask("Page.navigate", url=url)
            self._loaded()

    def _loaded(self):
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._message())

    def follow(self, script):
        """Run a script that leads to another page; the path of that page, once it is loaded."""
        self.events.clear()
        self.value(script)
        self._loaded()
        return self.value("location.pathname")

    def value(self, script):
        """What an expression of JavaScript is in the page."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def of(self, *methods):
        """The parameters of the events of some methods."""
        return [event["params"] for event in self.events if event.get("method") in methods]

    def press(self, *keys):
        """Keys, one after the other, at what has the focus."""
        for key in keys:
            code = {"Enter": {"text": "\r"}}.get(key, {})
            for kind in ("keyDown", "keyUp"):
                self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, **code)
