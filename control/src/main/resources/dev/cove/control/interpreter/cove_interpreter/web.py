"""The HTTP server: few routes, small bodies, one thread for each connection."""
import json
import os
import socket
import sys
import threading

from cove_interpreter.contexts import MAX_CODE, Contexts
from cove_interpreter.kernels import Nursery, Refused, language

MAX_HEAD = 32 * 1024
MAX_BODY = 8 * 1024 * 1024
MAX_CONNECTIONS = 128
PATIENCE = 60

_REASONS = {200: "OK", 204: "No Content", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
            413: "Content Too Large", 429: "Too Many Requests", 500: "Internal Server Error",
            503: "Service Unavailable"}


def serve(port, mother):
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        return  # there is one already, which will do
    listener.listen(MAX_CONNECTIONS)
    print("listening on 127.0.0.1:%d" % listener.getsockname()[1], flush=True)
    nursery = Nursery(mother)
    threading.Thread(target=nursery.prepare, daemon=True).start()
    contexts = Contexts(nursery, os.environ["HOME"])
    places = threading.BoundedSemaphore(MAX_CONNECTIONS)
    while True:
        connection, _ = listener.accept()
        if not places.acquire(blocking=False):
            connection.close()
            continue
        try:
            threading.Thread(target=_serve, args=(connection, contexts, places), daemon=True).start()
        except RuntimeError:
            # No more threads are to be had: code has taken them all.
            places.release()
            connection.close()


def _serve(connection, contexts, places):
    try:
        with connection:
            connection.settimeout(PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Conversation(connection, contexts).run()
    except OSError:
        pass  # the caller is gone
    finally:
        places.release()


class Cell:
    """What is to be run."""

    def __init__(self, body):
        self.code = body.get("code")
        if not isinstance(self.code, str):
            raise Refused(400, "code must be a text")
        if len(self.code) > MAX_CODE:
            raise Refused(413, "code may have at most %d characters" % MAX_CODE)
        self.context = body.get("context_id")
        self.asked = body.get("language")
        if self.context is not None and self.asked is not None:
            raise Refused(400, "Only one of context_id or language can be provided")
        self.variables = body.get("env_vars") or {}
        if not isinstance(self.variables, dict) or not all(map(_is_variable, self.variables.items())):
            raise Refused(400, "env_vars must be names with texts")
        timeout = body.get("timeout_ms") or 0
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or timeout < 0:
            raise Refused(400, "timeout_ms must be a number, and not negative")
        self.timeout = timeout / 1000
        self.language = None if self.asked is None else language(self.asked)

    def spelt(self):
        """The kernel of JavaScript must be told which of its two languages this is."""
        return "//typescript\n" + self.code if self.language == "typescript" else self.code


def _is_variable(item):
    name, value = item
    return isinstance(value, str) and name and not set("=\0") & set(name) and "\0" not in value


class Conversation:
    """One request and its answer."""

    def __init__(self, connection, contexts):
        self.connection = connection
        self.contexts = contexts
        self.rest = b""
        self.begun = False

    def run(self):
        try:
            method, path, fields = self._head()
            body = self._body(fields)
            self._route(method, path.split("?")[0].rstrip("/") or "/", body)
        except Refused as e:
            self._refuse(e.status, str(e))
        except OSError:
            raise
        except Exception as e:
            print("interpreter: %r" % e, file=sys.stderr, flush=True)
            self._refuse(500, "The interpreter has failed: %s" % type(e).__name__)

    def _refuse(self, status, text):
        if self.begun:
            self._event({"type": "error", "name": "Refused", "value": text, "traceback": text})
            self._end_events()
        else:
            self._answer(status, text, "text/plain")

    def _head(self):
        while b"\r\n\r\n" not in self.rest:
            if len(self.rest) > MAX_HEAD:
                raise Refused(400, "The head of the request is too long")
            self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            raise Refused(400, "This is no request")
        fields = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon or name.lower() in fields and name.lower() == "content-length":
                raise Refused(400, "A line of the head is no header")
            fields[name.lower()] = value.strip()
        return words[0], words[1], fields

    def _body(self, fields):
        if fields.get("expect", "").lower() == "100-continue":
            self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "transfer-encoding" in fields:
            return self._chunks()
        length = fields.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY:
            raise Refused(413, "A body may have at most %d bytes" % MAX_BODY)
        return self._exactly(int(length))

    def _chunks(self):
        body = b""
        while True:
            digits = self._line().split(b";")[0].strip()
            try:
                length = int(digits, 16)
            except ValueError:
                raise Refused(400, "A chunk has no size") from None
            if length < 0 or len(body) + length > MAX_BODY:
                raise Refused(413, "A body may have at most %d bytes" % MAX_BODY)
            if length == 0:
                while self._line():
                    pass
                return body
            body += self._exactly(length)
            self._line()

    def _line(self):
        while b"\r\n" not in self.rest:
            if len(self.rest) > MAX_HEAD:
                raise Refused(400, "A line is too long")
            self._more()
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def _exactly(self, length):
        pieces = [self.rest[:length]]
        self.rest = self.rest[length:]
        missing = length - len(pieces[0])
        while missing:
            data = self.connection.recv(min(missing, 1 << 16))
            if not data:
                raise OSError("the caller is gone")
            pieces.append(data)
            missing -= len(data)
        return b"".join(pieces)

    def _more(self):
        data = self.connection.recv(1 << 16)
        if not data:
            raise OSError("the caller is gone")
        self.rest += data

    def _route(self, method, path, body):
        parts = path.strip("/").split("/")
        if path == "/health":
            self._allow(method, "GET")
            self._answer(200, "OK", "text/plain")
        elif path == "/execute":
            self._allow(method, "POST")
            self._execute(Cell(_object(body)))
        elif path == "/contexts":
            self._allow(method, "GET", "POST")
            if method == "GET":
                self._send(self.contexts.list())
            else:
                wish = _object(body)
                self._send(self.contexts.create(wish.get("language"), wish.get("cwd")))
        elif len(parts) == 2 and parts[0] == "contexts":
            self._allow(method, "DELETE")
            self.contexts.remove(parts[1])
            self._answer(204, "", "text/plain")
        elif len(parts) == 3 and parts[0] == "contexts" and parts[2] == "restart":
            self._allow(method, "POST")
            self.contexts.require(parts[1]).restart()
            self._answer(200, "", "text/plain")
        else:
            raise Refused(404, "Not Found")

    @staticmethod
    def _allow(method, *allowed):
        if method not in allowed:
            raise Refused(405, "Method Not Allowed")

    def _execute(self, cell):
        if cell.context is not None:
            context = self.contexts.require(cell.context)
            cell.language = context.language
        else:
            context = self.contexts.default(cell.asked)
        self.connection.settimeout(None)
        context.execute(cell, self.connection, self._event)
        self._event({"type": "end_of_execution"})
        self._end_events()

    def _event(self, event):
        if not self.begun:
            self.begun = True
            self.connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
                b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        line = json.dumps(event).encode() + b"\n"
        self.connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))

    def _end_events(self):
        self.connection.sendall(b"0\r\n\r\n")

    def _send(self, value):
        self._answer(200, json.dumps(value), "application/json")

    def _answer(self, status, text, kind):
        data = text.encode()
        head = "HTTP/1.1 %d %s\r\nConnection: close\r\n" % (status, _REASONS[status])
        if status != 204:
            head += "Content-Type: %s\r\nContent-Length: %d\r\n" % (kind, len(data))
        self.connection.sendall(head.encode() + b"\r\n" + data)


def _object(body):
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise Refused(400, "The body is no JSON") from None
    if not isinstance(value, dict):
        raise Refused(400, "The body must be a JSON object")
    return value
