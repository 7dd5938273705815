"""Contexts: what cells share and remember. Each runs one cell at a time."""
import json
import os
import threading
import time

from cove_interpreter import channel
from cove_interpreter.kernels import Refused, language, require_installed

MAX_CONTEXTS = 64
MAX_WAITING = 64
MAX_OUTPUT = 32 * 1024 * 1024
MAX_CODE = 4 * 1024 * 1024
SILENCE = 5
# For code to heed an interrupt before its process is ended, and what it remembered with it.
GRACE = 3

_NAMES = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
    "e2b/data": "data",
    "e2b/chart": "chart",
}
_STRUCTURED = ("json", "data", "chart")


def result(main, content):
    """A result as callers see it."""
    told = {"type": "result", "is_main_result": main}
    extra = {}
    for kind, text in content.items():
        name = _NAMES.get(kind)
        if name is None:
            extra[kind] = text
        elif name in _STRUCTURED:
            try:
                told[name] = json.loads(text)
            except ValueError:
                extra[kind] = text
        elif name == "text" and len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            told[name] = text[1:-1]
        else:
            told[name] = text
    if extra:
        told["extra"] = extra
    return told


class Contexts:
    def __init__(self, nursery, home):
        self.nursery = nursery
        self.home = home
        self.lock = threading.Lock()
        self.known = {}
        self.defaults = {}
        for name in ("python", "javascript"):
            self._default(name)

    def list(self):
        with self.lock:
            return [context.told() for context in self.known.values()]

    def create(self, asked_language, cwd):
        name = language(asked_language)
        require_installed(name)
        cwd = self.home if cwd is None else cwd
        if not isinstance(cwd, str) or not os.path.isdir(cwd):
            raise Refused(400, "There is no folder %.200s" % (cwd,))
        with self.lock:
            return self._add(name, cwd).told()

    def require(self, identity):
        with self.lock:
            context = self.known.get(identity)
        if context is None:
            raise Refused(404, "Context %.64s not found" % (identity,))
        return context

    def default(self, asked_language):
        name = language(asked_language)
        require_installed(name)
        # TypeScript is JavaScript once its types are gone, and remembers the same.
        with self.lock:
            return self._default("javascript" if name == "typescript" else name)

    def _default(self, name):
        context = self.defaults.get(name)
        if context is None:
            context = self.defaults[name] = self._add(name, self.home)
        return context

    def _add(self, name, cwd):
        if len(self.known) >= MAX_CONTEXTS:
            raise Refused(429, "There are %d contexts already; remove one" % MAX_CONTEXTS)
        context = Context(name, cwd, self.nursery)
        self.known[context.identity] = context
        return context

    def remove(self, identity):
        context = self.require(identity)
        with self.lock:
            self.known.pop(identity, None)
            if self.defaults.get(context.language) is context:
                del self.defaults[context.language]
        context.restart()


class Context:
    def __init__(self, language_name, cwd, nursery):
        digits = os.urandom(16).hex()
        lengths = (0, 8, 12, 16, 20, 32)
        self.identity = "-".join(digits[a:b] for a, b in zip(lengths, lengths[1:]))
        self.language = language_name
        self.cwd = cwd
        self.nursery = nursery
        self.running = threading.Lock()
        self.waiting = 0
        self.counting = threading.Lock()
        self.kernel = None
        self.count = 0
        self.restarts = 0

    def told(self):
        return {"id": self.identity, "language": self.language, "cwd": self.cwd}

    def restart(self):
        """Forgets all. What runs is ended, also when it does not listen."""
        kernel = self.kernel
        if kernel is not None:
            self.restarts += 1
            kernel.kill_process()
        with self.running:
            self._drop()
            self.count = 0

    def _drop(self):
        if self.kernel is not None:
            self.kernel.kill()
            self.kernel = None

    def execute(self, cell, client, tell):
        """Runs a cell and tells what comes of it."""
        with self.counting:
            if self.waiting >= MAX_WAITING:
                raise Refused(429, "%d cells wait in this context already" % MAX_WAITING)
            self.waiting += 1
        try:
            while not self.running.acquire(timeout=SILENCE):
                tell({"type": "keepalive"})
        finally:
            with self.counting:
                self.waiting -= 1
        try:
            Execution(self, cell, client, tell).run()
        finally:
            self.running.release()
            self.nursery.rest()


class Execution:
    """One cell, while it runs."""

    def __init__(self, context, cell, client, tell):
        self.context = context
        self.cell = cell
        self.client = client
        self.tell = tell
        self.left = MAX_OUTPUT
        self.deadline = time.monotonic() + cell.timeout if cell.timeout else None
        self.interrupted_at = None
        self.reason = None

    def run(self):
        context = self.context
        restarts = context.restarts
        if context.kernel is None:
            context.kernel = context.nursery.start(context.language, context.cwd, self.cell.code)
        context.count += 1
        self.tell({"type": "number_of_executions", "execution_count": context.count})
        try:
            context.kernel.send(context.count, self.cell.spelt(), self.cell.variables)
            while not self._step(context.kernel):
                pass
        except channel.ChannelBroken as e:
            context._drop()
            self._told_end(restarts != context.restarts, str(e))
        except OSError:
            # Nobody listens any more, and what runs runs for nobody.
            self.client = None
            self._interrupt("gone")
            self._finish_in_silence()

    def _told_end(self, restarted, why):
        name, text = "KernelEnded", "The process that ran the code is gone: %s." % why
        if restarted:
            text = "The context was restarted or removed meanwhile."
        elif self.reason == "timeout":
            name, text = "ExecutionTimeout", "The code took too long and did not heed an interrupt."
        text += " What it remembered is lost."
        self.tell({"type": "error", "name": name, "value": text, "traceback": text})

    def _step(self, kernel):
        """Whether it has ended."""
        wait = SILENCE
        now = time.monotonic()
        if self.interrupted_at is not None:
            wait = self.interrupted_at + GRACE - now
            if wait <= 0:
                raise channel.ChannelBroken("it did not heed an interrupt")
        elif self.deadline is not None:
            wait = min(wait, self.deadline - now)
            if wait <= 0:
                self._interrupt("timeout")
                return False
        for kind, what in kernel.wait(wait, self.client):
            if kind == "done":
                return True
            self._pass_on(kind, what)
        return False

    def _pass_on(self, kind, what):
        if kind == "gone":
            self.client = None
            self._interrupt("gone")
        elif kind == "chatter":
            self.client = None  # whoever says more than he was asked for is not listened to
        elif kind == "quiet":
            self._say({"type": "keepalive"})
        elif kind == "result":
            self._say(result(*what))
        elif kind == "error":
            name, value, text = what
            if self.reason == "timeout":
                name, value = "ExecutionTimeout", "The code took longer than %g s" % self.cell.timeout
            self._say({"type": "error", "name": name, "value": value, "traceback": text})
        elif what:
            self._say_text(kind, what)

    def _say_text(self, kind, text):
        if self.left <= 0:
            return
        self.left -= len(text)
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".%06dZ" % (time.time() % 1 * 1e6)
        self._say({"type": kind, "text": text, "timestamp": moment})
        if self.left <= 0:
            cut = "\n[the rest is left out: more than %d characters]\n" % MAX_OUTPUT
            self._say({"type": "stderr", "text": cut, "timestamp": moment})

    def _say(self, event):
        if self.reason != "gone":
            self.tell(event)

    def _interrupt(self, reason):
        self.reason = reason
        self.interrupted_at = time.monotonic()
        self.context.kernel.interrupt()

    def _finish_in_silence(self):
        try:
            while not self._step(self.context.kernel):
                pass
        except channel.ChannelBroken:
            self.context._drop()
