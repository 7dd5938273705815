"""Starts the interpreter: python3 FOLDER [--port N]."""
import os
import sys

from cove_interpreter import zygote


def main(arguments):
    port = 49999
    if arguments[:1] == ["--port"] and len(arguments) == 2 and arguments[1].isdigit():
        port = int(arguments[1])
    elif arguments:
        sys.exit("usage: python3 FOLDER [--port N]")
    # Before there are threads: what is forked later must not have anybody else's locks.
    mother = zygote.start()
    from cove_interpreter import web

    os.environ.setdefault("HOME", "/home/user")
    web.serve(port, mother)


main(sys.argv[1:])
