"""Gives a command a real terminal: terminal.py ROWS COLS COMMAND...

What the command shows goes to stdout as it is. Lines on stdin are orders: "type BASE64" presses
keys, "size ROWS COLS" resizes the window. The end of stdin hangs up. The exit code is the command's.
"""

import base64
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios


def resize(fd, rows, cols):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(cols), 0, 0))


def obey(order, master):
    words = order.split()
    if words[0] == "type":
        os.write(master, base64.b64decode(words[1]))
    elif words[0] == "size":
        resize(master, words[1], words[2])


def relay(master):
    pending = b""
    sources = [master, 0]
    while True:
        readable, _, _ = select.select(sources, [], [])
        if master in readable:
            try:
                shown = os.read(master, 65536)
            except OSError:
                return  # the last process has closed the terminal
            if not shown:
                return
            os.write(1, shown)
        if 0 in readable:
            more = os.read(0, 65536)
            if not more:
                return
            *orders, pending = (pending + more).split(b"\n")
            for order in orders:
                obey(order.decode(), master)


pid, master = pty.fork()
if pid == 0:
    # A parent in the background may have left these ignored.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    resize(0, sys.argv[1], sys.argv[2])
    os.execvp(sys.argv[3], sys.argv[3:])
relay(master)
os.close(master)
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
