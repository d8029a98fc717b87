# SPDX-License-Identifier: BSD-2-Clause
"""Pages in Chromium, by its DevTools protocol through a pipe: what their scripts compute,
and pictures of them."""
import base64
import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

import patience


def program():
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for found in map(shutil.which, names) if found), None)


def first_pixel(name):
    """Of a PNG: whatever the filter of the first row is, there it is what it is."""
    with open(name, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            pixels += data[at + 8:at + 8 + size]
        at += 12 + size
    return zlib.decompress(pixels)[1:4].hex()


class Browser:
    def __init__(self, width=1280, height=800):
        self.directory = tempfile.TemporaryDirectory(prefix="browser")
        to_browser, self.to = os.pipe()
        self.answers, from_browser = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser), "sh",
             program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", "--window-size=%d,%d" % (width, height),
             "--user-data-dir=" + self.directory.name, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(to_browser, from_browser))
        os.close(to_browser)
        os.close(from_browser)
        self.rest = b""
        self.n_sent = 0
        self.session = None
        self.errors = []
        pages = [target for target in self.send("Target.getTargets")["targetInfos"]
                 if target["type"] == "page"]
        self.session = self.send("Target.attachToTarget", targetId=pages[0]["targetId"],
                                 flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.send(domain + ".enable")
        self.show(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(patience.SECONDS / 10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        self.directory.cleanup()

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.answers, 1 << 20)
            assert data, "the browser has ended"
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def send(self, method, **parameters):
        self.n_sent += 1
        message = {"id": self.n_sent, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"])
            elif answer.get("method") == "Log.entryAdded":
                self.errors.append(answer["params"]["entry"])
            elif answer.get("method") == "Network.requestWillBeSent":
                url = answer["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    self.errors.append(url)
            if answer.get("id") == self.n_sent:
                assert "error" not in answer, (method, answer)
                return answer["result"]

    def show(self, width, height, is_dark=False):
        """The size of the window, and the colours that its user prefers."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def open(self, path, fragment="", ready="true"):
        """Opens a file, and returns once an expression is true."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        expression = """location.protocol === "file:" && document.readyState === "complete" &&
            Boolean(%s)""" % ready
        limit = time.monotonic() + patience.SECONDS
        while not self.send("Runtime.evaluate", expression=expression)["result"].get("value"):
            assert time.monotonic() < limit, (path, ready, self.errors)
            time.sleep(0.01)

    def run(self, expression):
        """The value of an expression of JavaScript, or of the promise that it is."""
        done = self.send("Runtime.evaluate", expression=expression, awaitPromise=True,
                         returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def press(self, key, **modifiers):
        for kind in "keyDown", "keyUp":
            self.send("Input.dispatchKeyEvent", type=kind, key=key, **modifiers)

    def mouse(self, kind, x, y):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                  buttons=int(kind != "mouseReleased"), clickCount=1)

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def picture(self, path):
        """A PNG of the window."""
        data = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

