"""Runs cells of Python, one after another, in one namespace.

Plain Python runs without IPython, which takes longer to import than most cells take to run. Whoever uses
it, by importing it or with a cell in its own language (%magic, !command, help?), gets the real one over
the same namespace from then on.
"""
import ast
import builtins
import importlib
import linecache
import os
import re
import signal
import sys
import traceback
import types

from cove_interpreter import channel, display

_COROUTINE = 0x80  # inspect.CO_COROUTINE, without importing inspect
_IPYTHON_LINE = re.compile(r"^\s*(%|!|\?)|\?\s*$|=\s*[!%]", re.MULTILINE)
_MATPLOTLIB_LINE = re.compile(r"^\s*%matplotlib\b.*$", re.MULTILINE)


def run(requests, events):
    """Until the server closes the pipe of requests."""
    shell = Shell(os.fdopen(events, "w", encoding="ascii", buffering=1 << 16))
    watch_imports(shell)
    lines = os.fdopen(requests, "r", encoding="ascii")
    while True:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        line = lines.readline()
        if not line:
            return
        _, count, code, *variables = line.split()
        shell.run(int(count), channel.unpack(code), [channel.unpack(word) for word in variables])


class Shell:
    def __init__(self, events):
        self.events = events
        self.process = os.getpid()
        self.ipython = None
        self.loop = None
        self.count = 0
        self.module = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.names.update(__builtins__=builtins)
        sys.modules["__main__"] = self.module
        sys.argv = [""]
        sys.path.insert(0, "")
        _find_installed_by_user()
        builtins.display = self.display
        builtins.get_ipython = self.get_ipython

    def run(self, count, code, variables):
        self.count = count
        before = dict(os.environ)
        os.environ.update(variable.split("=", 1) for variable in variables)
        importlib.invalidate_caches()  # a cell before may have installed something
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._run(code)
            self._show_figures()
        except BaseException as failure:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self.fail(failure)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if variables:
            os.environ.clear()
            os.environ.update(before)
        self.tell("done")

    def _run(self, code):
        code = _MATPLOTLIB_LINE.sub("", code)  # figures are shown in any case
        name = "<cell %d>" % self.count
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        tree = self._parse(code, name)
        if tree is None:
            self.ipython.run_cell(code, store_history=False)
            return
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        self._execute(compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        if last is not None:
            expression = ast.Expression(last.value)
            value = self._execute(compile(expression, name, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
            if value is not None and not code.rstrip().endswith(";"):
                self.names["_"] = value
                self.show(value, True)

    def _parse(self, code, name):
        """Nothing for a cell that is in IPython's language, which then is there."""
        try:
            return compile(code, name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except SyntaxError:
            if not _IPYTHON_LINE.search(code) or self.load_ipython() is None:
                raise
            return None

    def _execute(self, compiled):
        value = eval(compiled, self.names)
        if compiled.co_flags & _COROUTINE:
            if self.loop is None:
                import asyncio

                self.loop = asyncio.new_event_loop()
                asyncio.set_event_loop(self.loop)
            return self.loop.run_until_complete(value)
        return value

    def get_ipython(self):
        """For cells. Libraries that ask whether they are in a notebook need not load one."""
        if sys._getframe(1).f_globals is self.names:
            return self.load_ipython()
        return self.ipython

    def load_ipython(self):
        """IPython's own shell over our namespace; none where it is not installed."""
        import importlib.util

        if self.ipython is None and importlib.util.find_spec("IPython") is not None:
            import IPython  # noqa: F401: whoever imports it gets the shell, see watch_imports
        return self.ipython

    def attach_ipython(self):
        from cove_interpreter import ipython_shell

        self.ipython = ipython_shell.over(self)

    def display(self, *values, **_):
        for value in values:
            self.show(value, False)

    def show(self, value, main):
        """What has been drawn by now is part of a cell's value only once."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None and display.is_figure(value):
            pyplot.close(value)
        self.tell_bundle(display.bundle(value), main)

    def _show_figures(self):
        if "matplotlib.pyplot" in sys.modules:
            from cove_interpreter import figures

            figures.show_all(lambda figure: self.tell_bundle(display.bundle(figure), False))

    def fail(self, failure):
        """As Python itself would tell it, without the frames of this program."""
        frames = failure.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        name = type(failure).__name__
        text = "".join(traceback.format_exception(type(failure), failure, frames))
        self.tell_error(name, str(failure), text)

    def tell_bundle(self, content, main):
        words = [word for kind, text in content.items() for word in (kind, channel.pack(text))]
        self.tell("result", "1" if main else "0", *words)

    def tell_error(self, name, value, text):
        self.tell("error", channel.pack(name), channel.pack(value), channel.pack(text))

    def tell(self, *words):
        """After all that was printed so far, which goes another way."""
        if os.getpid() != self.process:
            os._exit(1)  # a copy that code made of us, and that has come to the end of its cell
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                pass  # code may have closed or replaced it
        self.events.write(" ".join(words) + "\n")
        self.events.flush()


def _find_installed_by_user():
    """Also when its folder is made only later, by pip."""
    import site

    folder = site.getusersitepackages()
    if site.ENABLE_USER_SITE and folder not in sys.path:
        sys.path.append(folder)


def watch_imports(shell=None):
    """Does what must be done once matplotlib or IPython has been imported."""
    _AfterImport.shell = shell
    if not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())


class _AfterImport:
    """A finder. It says so by what it can, since importlib.abc takes longer to import than all of this."""

    shell = None

    def find_spec(self, name, path=None, target=None):
        if name not in ("matplotlib", "IPython"):
            return None
        import importlib.util

        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _ThenDo(spec.loader, name)
        return spec


class _ThenDo:
    def __init__(self, loader, name):
        self.loader = loader
        self.name = name

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if self.name == "matplotlib":
            # Not by a variable: programs that a cell starts have no such module.
            module.rcParams["backend"] = "module://cove_interpreter.figures"
        elif _AfterImport.shell is not None:
            _AfterImport.shell.attach_ipython()
