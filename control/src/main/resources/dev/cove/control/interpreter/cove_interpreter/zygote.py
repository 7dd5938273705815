"""Where Python kernels come from: processes that stand ready and are forked.

There are two. The first has nothing but the standard library and is there a few milliseconds after the
start. The second is forked from it, imports what most code begins with (numpy, pandas, matplotlib), and
is used once it is done; its children have all of that at once, and share its memory.
"""
import gc
import os
import signal
import socket
import sys

PRELOADED = os.environ.get("COVE_INTERPRETER_PRELOAD", "numpy,pandas,matplotlib.pyplot")
_ANSWER = 64


class Zygote:
    """The server's end of one."""

    def __init__(self, end):
        self.end = end

    def fork(self, cwd, descriptors):
        """A new process that has these as its stdout, stderr, requests and events; its pid."""
        socket.send_fds(self.end, [b"kernel " + os.fsencode(cwd)], descriptors)
        return int(self._answer())

    def prepare(self):
        """Another zygote, which first imports what is often wanted; says so when it has."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self.end, [b"prepare"], [theirs.fileno()])
            self._answer()
        return Zygote(ours)

    def await_ready(self, seconds):
        """True once it has imported all."""
        self.end.settimeout(seconds)
        try:
            return self.end.recv(_ANSWER) == b"ready"
        except TimeoutError:
            return False
        finally:
            self.end.settimeout(None)

    def _answer(self):
        answer = self.end.recv(_ANSWER)
        if not answer or answer == b"failed":
            raise OSError("no process could be started")
        return answer


def start():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        ours.close()
        _run(theirs)
    theirs.close()
    return Zygote(ours)


def _run(end):
    try:
        # Nobody waits for kernels; the server sees their end by their pipes.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        from cove_interpreter import python_kernel

        _serve(end, python_kernel)
    finally:
        os._exit(0)


def _serve(end, python_kernel):
    while True:
        message, descriptors, _, _ = socket.recv_fds(end, 8192, 8)
        if not message:
            return  # the server has ended
        try:
            child = os.fork()
        except OSError:
            child = -1
        if child == 0:
            end.close()
            if message == b"prepare":
                _prepare(socket.socket(fileno=descriptors[0]), python_kernel)
            _become_kernel(os.fsdecode(message[len(b"kernel "):]), descriptors, python_kernel)
        for descriptor in descriptors:
            os.close(descriptor)
        end.send(b"failed" if child < 0 else str(child).encode())


def _prepare(end, python_kernel):
    os.setsid()
    python_kernel.watch_imports()
    for name in PRELOADED.split(","):
        try:
            if name:
                __import__(name)
        except Exception:
            pass  # what is not installed is not missed until somebody imports it
    gc.collect()
    gc.freeze()  # so that counting what is alive does not write to memory that is shared
    end.send(b"ready")
    try:
        _serve(end, python_kernel)
    finally:
        os._exit(0)


def _go_first_when_memory_ends():
    """Code that takes all of it ends, and the server that tells of it stays."""
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("500")
    except OSError:
        pass


def _print_by_lines():
    """A line is seen once it is whole: not in pieces, as with PYTHONUNBUFFERED, and not only at the end."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, write_through=False)


def _become_kernel(cwd, descriptors, python_kernel):
    code = 1
    try:
        os.setsid()
        for signal_number in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(signal_number, signal.SIG_DFL)
        stdout, stderr, requests, events = descriptors
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        os.close(stdout)
        os.close(stderr)
        nothing = os.open("/dev/null", os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        for descriptor in (requests, events):
            os.set_inheritable(descriptor, False)
        _go_first_when_memory_ends()
        os.chdir(cwd)
        os.environ["PWD"] = cwd
        _print_by_lines()
        python_kernel.run(requests, events)
        code = 0
    finally:
        os._exit(code)
