"""A headless Chromium, controlled with the DevTools protocol over two pipes."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def program():
    """The path of a browser, or `None`."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Browser:
    """One tab of a browser. `errors` are those of the console and of loading since the last call of `open`."""

    def __init__(self, path, width=1280, height=900, limit=300):
        self.profile = tempfile.TemporaryDirectory()
        commands, self.commands = os.pipe()
        self.replies, replies = os.pipe()

        # The protocol uses descriptors 3 and 4. The pipes are moved out of the way first.
        def descriptors():
            source, target = os.dup(commands), os.dup(replies)
            high, higher = os.dup2(source, 103), os.dup2(target, 104)
            os.dup2(high, 3)
            os.dup2(higher, 4)

        self.process = subprocess.Popen(
            [path, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--allow-file-access-from-files",
             "--no-proxy-server", f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=descriptors, close_fds=False, start_new_session=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(replies)
        # A page that never finishes loading ends the browser, and with it the check.
        self.limit = threading.Timer(limit, self.kill)
        self.limit.daemon = True
        self.limit.start()
        self.number, self.buffer, self.events, self.errors = 0, b"", [], []
        self.session, self.is_missing = None, False
        target = self.call("Target.getTargets")["targetInfos"]
        page = next(info["targetId"] for info in target if info["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.limit.cancel()
        os.close(self.commands)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
        os.close(self.replies)
        self.profile.cleanup()

    def kill(self):
        """Ends the browser with its child processes."""
        os.killpg(self.process.pid, signal.SIGKILL)

    def call(self, method, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        while True:
            reply = self.receive()
            if reply.get("id") == number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']['message']}")
                return reply["result"]
            self.note(reply)

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.replies, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def note(self, event):
        """Stores an event, and the error that it reports."""
        method, values = event.get("method"), event.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.errors.append("console: " + " ".join(str(each.get("value")) for each in values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{values['entry']['text']} {values['entry'].get('url', '')}")
        elif method == "Network.loadingFailed" and not values.get("canceled"):
            self.errors.append(f"{values['type']}: {values['errorText']}")
        elif method == "Network.responseReceived" and values["response"]["status"] >= 400:
            self.errors.append(f"{values['response']['status']} {values['response']['url']}")
            self.is_missing = self.is_missing or values["type"] == "Document"

    def open(self, url):
        """Opens a page, waits for its load event, and returns `True` if there is such a page."""
        self.events, self.errors, self.is_missing = [], [], False
        failure = self.call("Page.navigate", url=url).get("errorText")
        if failure:
            self.errors.append(failure)
            return False
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive())
        # The event can be that of the empty page before.
        while not self.evaluate("location.href !== 'about:blank' && document.readyState === 'complete'"):
            time.sleep(0.01)
        return not self.is_missing

    def evaluate(self, expression):
        """The value of a JavaScript expression, as JSON."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description"))
        return result["result"].get("value")
