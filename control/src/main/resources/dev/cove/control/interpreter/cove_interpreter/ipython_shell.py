"""IPython's own shell, which tells what it shows to ours."""
from cove_interpreter import display


def over(shell):
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets import Type
    from traitlets.config import Config

    class Hook(DisplayHook):
        def __call__(self, value=None):
            if value is not None and not self.quiet():
                shell.names["_"] = value
                shell.show(value, True)

    class Publisher(DisplayPublisher):
        def publish(self, data, metadata=None, **_):
            shell.tell_bundle(display.texts(data), False)

    class Inner(InteractiveShell):
        displayhook_class = Type(Hook)
        display_pub_class = Type(Publisher)
        system = InteractiveShell.system_raw  # no terminal of its own for each command

        def _showtraceback(self, kind, failure, lines):
            shell.tell_error(kind.__name__, str(failure), "\n".join(lines))

        def init_display_formatter(self):
            super().init_display_formatter()
            # The same looks for a value, whichever way it is shown.
            inner = self.display_formatter.format

            def both(value, include=None, exclude=None):
                if display.is_figure(value):
                    return display.bundle(value), {}
                content, metadata = inner(value, include=include, exclude=exclude)
                return {**display.bundle(value), **content}, metadata

            object.__setattr__(self.display_formatter, "format", both)

        def enable_gui(self, gui=None):
            pass

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    return Inner.instance(config=config, user_module=shell.module, user_ns=shell.names)
