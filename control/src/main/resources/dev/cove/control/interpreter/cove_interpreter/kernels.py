"""Processes that run cells, one for each context."""
import codecs
import os
import select
import shutil
import signal
import socket
import threading

from cove_interpreter import channel

_HERE = os.path.dirname(os.path.abspath(__file__))
_PIECE = 64 * 1024

LANGUAGES = ("python", "javascript", "typescript", "bash", "java", "r")
_ALIASES = {"js": "javascript", "ts": "typescript", "sh": "bash"}

# Which program each language is run by, and with what.
_PROGRAMS = {
    "javascript": ("node", "javascript.js"),
    "bash": ("bash", "bash.sh"),
    "java": ("java", "Java.java"),
    "r": ("Rscript", "r.R"),
}
_OPTIONS = {
    "java": ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"),
    "bash": ("--norc", "--noprofile"),
    "r": ("--no-save", "--no-restore"),
}
# Whoever comes first is not to share the processor with what is prepared for later.
_FIRST = 1
_PREPARED = ("numpy", "pandas", "matplotlib")


class Refused(Exception):
    """Something that was asked for and cannot be; says why, with an HTTP status."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def language(asked):
    """The name of a language as it is spelt here."""
    if asked is None:
        return "python"
    if not isinstance(asked, str):
        raise Refused(400, "language must be a text")
    name = _ALIASES.get(asked.lower(), asked.lower())
    if name not in LANGUAGES:
        raise Refused(400, "There is no language %.40s; there are %s" % (asked, ", ".join(LANGUAGES)))
    return name


def require_installed(name):
    program = _PROGRAMS.get("javascript" if name == "typescript" else name)
    if program is not None and shutil.which(program[0]) is None:
        raise Refused(400, "This template has no %s, which %s is run by" % (program[0], name))


class Nursery:
    """Starts kernels."""

    def __init__(self, first):
        self.first = first
        self.prepared = None
        self.ready = threading.Event()
        self.wanted = threading.Event()
        self.forking = threading.Lock()

    def prepare(self):
        """Makes the second zygote; to be run beside everything else."""
        self.wanted.wait(_FIRST)
        try:
            with self.forking:
                second = self.first.prepare()
            if second.await_ready(120):
                self.prepared = second
        except OSError:
            pass  # there is the first one
        finally:
            self.ready.set()

    def rest(self):
        """The first cell has ended."""
        self.wanted.set()

    def start(self, language_name, cwd, code):
        if not os.path.isdir(cwd):
            raise Refused(400, "There is no folder %.200s" % cwd)
        stdout, stdout_end = os.pipe()
        stderr, stderr_end = os.pipe()
        requests_end, requests = os.pipe()
        events, events_end = os.pipe()
        theirs = [stdout_end, stderr_end, requests_end, events_end]
        try:
            if language_name == "python":
                pid = self._fork(cwd, theirs, code)
            else:
                pid = _spawn(language_name, cwd, theirs)
        except OSError as e:
            for descriptor in (stdout, stderr, requests, events):
                os.close(descriptor)
            raise Refused(500, "No %s could be started: %s" % (language_name, e)) from e
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        return Kernel(pid, stdout, stderr, requests, events, language_name)

    def _fork(self, cwd, descriptors, code):
        # Who imports these right away waits no longer for them here than he would by himself.
        if not self.ready.is_set() and any(name in code for name in _PREPARED):
            self.wanted.set()
            self.ready.wait(30)
        with self.forking:
            if self.prepared is not None:
                try:
                    return self.prepared.fork(cwd, descriptors)
                except OSError:
                    self.prepared = None  # somebody has ended it
            return self.first.fork(cwd, descriptors)


def _spawn(language_name, cwd, descriptors):
    program, file = _PROGRAMS[language_name]
    path = shutil.which(program)
    if path is None:
        raise OSError("there is no " + program)
    arguments = [program, *_OPTIONS.get(language_name, ()), os.path.join(_HERE, "kernels", file)]
    nothing = os.open("/dev/null", os.O_RDONLY)
    # Above whatever they are to become, so that none is overwritten before its turn.
    high = [_above(descriptor) for descriptor in (nothing, *descriptors)]
    os.close(nothing)
    actions = [(os.POSIX_SPAWN_DUP2, descriptor, place) for place, descriptor in enumerate(high)]
    actions += [(os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in high]
    # posix_spawn knows no working folder, so a shell goes there first. When memory ends, so does this.
    script = 'echo 500 >/proc/self/oom_score_adj; cd "$1" && shift && exec "$@"'
    change = ["sh", "-c", script, "sh", cwd, path, *arguments[1:]]
    try:
        return os.posix_spawn(
            "/bin/sh", change, dict(os.environ, PWD=cwd), file_actions=actions, setsid=True,
            setsigdef=[signal.SIGINT],
        )
    finally:
        for descriptor in high:
            os.close(descriptor)


def _has_said_more(client):
    try:
        return bool(client.recv(1, socket.MSG_PEEK))
    except OSError:
        return False


def _above(descriptor):
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)


class Kernel:
    """One process, from the server's side. Used by one thread at a time."""

    def __init__(self, pid, stdout, stderr, requests, events, language_name):
        self.pid = pid
        self.outputs = {stdout: "stdout", stderr: "stderr"}
        self.requests = requests
        self.events = events
        self.of_ours = language_name != "python"
        hexadecimal = language_name == "r"
        self.pack = channel.pack_hex if hexadecimal else channel.pack
        self.unpack = channel.unpack_hex if hexadecimal else channel.unpack
        self.lines = channel.Lines()
        self.decoders = {}
        for descriptor in self.outputs:
            os.set_blocking(descriptor, False)
            self.decoders[descriptor] = codecs.getincrementaldecoder("utf-8")("replace")

    def send(self, count, code, variables):
        """The pipe is short and a kernel that waits for work reads all of it."""
        words = ["run", str(count), self.pack(code)]
        words += [self.pack("%s=%s" % pair) for pair in variables.items()]
        data = (" ".join(words) + "\n").encode("ascii")
        try:
            while data:
                data = data[os.write(self.requests, data):]
        except OSError as e:
            raise channel.ChannelBroken("it has ended") from e

    def wait(self, seconds, client):
        """What can be read now, as (kind, what); waits for so long if there is nothing.

        Kinds beside those of the channel: stdout, stderr, quiet; gone and chatter, of the client.
        """
        poll = select.poll()
        for descriptor in (*self.outputs, self.events):
            poll.register(descriptor, select.POLLIN)
        if client is not None:
            poll.register(client, select.POLLIN | select.POLLRDHUP)
        ready = [descriptor for descriptor, _ in poll.poll(seconds * 1000)]
        if not ready:
            yield "quiet", None
        if client is not None and client.fileno() in ready:
            yield ("chatter" if _has_said_more(client) else "gone"), None
        if self.events in ready:
            data = os.read(self.events, _PIECE)
            # All that was printed before came before, though another way.
            yield from self.drain()
            if not data:
                raise channel.ChannelBroken("it has ended")
            for line in self.lines.feed(data):
                yield channel.parse(line, self.unpack)
        else:
            for descriptor in ready:
                if descriptor in self.outputs:
                    yield from self._read(descriptor)

    def drain(self):
        for descriptor in list(self.outputs):
            while True:
                found = list(self._read(descriptor))
                if not found:
                    break
                yield from found

    def _read(self, descriptor):
        try:
            data = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return
        if not data:
            self._forget(descriptor)
            return
        text = self.decoders[descriptor].decode(data)
        yield self.outputs[descriptor], text

    def _forget(self, descriptor):
        """Code has closed it; that is no end."""
        del self.outputs[descriptor]
        os.close(descriptor)

    def interrupt(self):
        self._signal(signal.SIGINT)

    def kill_process(self):
        """May be called while another thread waits for it, which then sees its end."""
        self._signal(signal.SIGKILL)

    def kill(self):
        self.kill_process()
        for descriptor in (*self.outputs, self.requests, self.events):
            os.close(descriptor)
        self.outputs = {}
        if self.of_ours:
            try:
                os.waitpid(self.pid, 0)
            except OSError:
                pass

    def _signal(self, number):
        """All that it has started and that has not left its group gets it too."""
        try:
            os.killpg(self.pid, number)
        except OSError:
            pass
