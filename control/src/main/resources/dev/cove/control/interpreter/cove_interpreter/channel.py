"""How the server and a kernel talk: lines of words over two pipes.

    run COUNT CODE [NAME=VALUE]...      to the kernel
    result MAIN [TYPE CONTENT]...       from it: something to show; MAIN is 1 for a cell's own value
    error NAME VALUE TRACEBACK
    done

Every word that people wrote is base64, or hexadecimal for kernels that know no better (R), so that a
kernel in any language needs neither a JSON parser nor any escaping.
"""
import base64
import binascii

# Words of a kernel that talks longer than this are not kept; it is ended instead.
LONGEST_LINE = 64 * 1024 * 1024


class ChannelBroken(Exception):
    """The other side has ended, or says what nobody can understand."""


def pack(text):
    return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii") or "="


def unpack(word):
    return "" if word == "=" else base64.b64decode(word).decode("utf-8", "replace")


def pack_hex(text):
    return text.encode("utf-8", "surrogatepass").hex() or "="


def unpack_hex(word):
    return "" if word == "=" else bytes.fromhex(word).decode("utf-8", "replace")


class Lines:
    """Cuts what comes in into lines."""

    def __init__(self):
        self.pieces = []
        self.length = 0

    def feed(self, data):
        """All lines that have ended; whoever stops half way through them loses none."""
        *ended, rest = data.split(b"\n")
        lines = []
        for line in ended:
            self.pieces.append(line)
            lines.append(b"".join(self.pieces).decode("ascii", "replace"))
            self.pieces = []
            self.length = 0
        self.pieces.append(rest)
        self.length += len(rest)
        if self.length > LONGEST_LINE:
            raise ChannelBroken("it says more than is kept")
        return lines


def parse(line, unpacked):
    """An event of a kernel as (kind, what)."""
    words = line.split(" ")
    try:
        if words[0] == "result":
            content = {words[i]: unpacked(words[i + 1]) for i in range(2, len(words) - 1, 2)}
            return "result", (words[1] == "1", content)
        if words[0] == "error" and len(words) == 4:
            return "error", tuple(unpacked(word) for word in words[1:])
        if words[0] == "done":
            return "done", None
    except (IndexError, ValueError, binascii.Error) as e:
        raise ChannelBroken("it says what nobody understands") from e
    raise ChannelBroken("it says what nobody understands")
