"""What a value looks like: a text for each of the media types that it can be shown as."""
import base64
import json
import sys

# A value that takes more than this to show is named and not shown.
LARGEST = 16 * 1024 * 1024

_BY_METHOD = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
    "image/jpeg": "_repr_jpeg_",
    "application/pdf": "_repr_pdf_",
    "text/latex": "_repr_latex_",
    "application/json": "_repr_json_",
    "application/javascript": "_repr_javascript_",
}


def bundle(value):
    content = {"text/plain": _plain(value)}
    if not isinstance(value, type):
        for kind, method in _BY_METHOD.items():
            _add(content, kind, getattr(value, method, None))
        _add_all(content, getattr(value, "_repr_mimebundle_", None))
    if is_figure(value):
        from cove_interpreter import figures

        content.update(figures.bundle(value))
    if _is_of(value, "pandas", "DataFrame"):
        content["e2b/data"] = json.dumps(_columns(value))
    if sum(len(text) for text in content.values()) > LARGEST:
        return {"text/plain": "<%s, too large to be shown>" % type(value).__name__}
    return content


def texts(content):
    """What others put into a bundle, all as text."""
    return {kind: _text(kind, found) for kind, found in content.items() if found is not None}


def is_figure(value):
    return _is_of(value, "matplotlib.figure", "Figure")


def _is_of(value, module, name):
    """Without importing it: who has such a value has the module."""
    found = getattr(sys.modules.get(module), name, None)
    return found is not None and isinstance(value, found)


def _plain(value):
    text = repr(value)
    if len(text) > 80 and isinstance(value, (dict, list, tuple, set)) and len(text) < 100_000:
        import pprint

        return pprint.pformat(value, sort_dicts=False)
    return text


def _add(content, kind, method):
    if not callable(method):
        return
    try:
        found = method()
    except Exception:
        return  # it cannot be shown that way
    if isinstance(found, tuple):
        found = found[0]
    if found is not None:
        content[kind] = _text(kind, found)


def _add_all(content, method):
    if not callable(method):
        return
    try:
        found = method()
    except Exception:
        return
    if isinstance(found, tuple):
        found = found[0]
    if isinstance(found, dict):
        content.update(texts(found))


def _text(kind, found):
    if isinstance(found, bytes):
        return base64.b64encode(found).decode("ascii")
    if isinstance(found, str) and kind != "application/json":
        return found
    return json.dumps(found, default=str)


def _columns(frame):
    """A list for each column, of what JSON knows."""
    columns = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        columns[str(name)] = [_plain_value(value) for value in column.tolist()]
    return columns


def _plain_value(value):
    if value is None or value != value:  # missing, in whatever way pandas says so
        return None
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 63 else str(value)
    if isinstance(value, float):
        return value if abs(value) != float("inf") else None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)
