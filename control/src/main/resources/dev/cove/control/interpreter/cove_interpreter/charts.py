"""The numbers behind a figure of matplotlib: lines, scatters, bars, pies and boxes."""
import datetime
import math
import re

from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.category import StrCategoryConverter
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.patches import Wedge

_UNIT = re.compile(r"\(([^()]*)\)\s*$")
_BOXES = "_cove_boxes"


def remember_boxes():
    """What a box plot was drawn from cannot be told from what was drawn."""
    original = Axes.bxp

    def bxp(self, bxpstats, *arguments, **options):
        setattr(self, _BOXES, getattr(self, _BOXES, []) + list(bxpstats))
        return original(self, bxpstats, *arguments, **options)

    if original.__module__ != __name__:
        bxp.__module__ = __name__
        Axes.bxp = bxp


def of(figure):
    found = [_chart(axes) for axes in figure.axes]
    if not found:
        return None
    if len(found) == 1:
        return found[0]
    title = figure._suptitle.get_text() if figure._suptitle is not None else None
    return {"type": "superchart", "title": title, "elements": found}


def _chart(axes):
    title = axes.get_title() or None
    wedges = [patch for patch in axes.patches if isinstance(patch, Wedge)]
    if wedges:
        return {"type": "pie", "title": title, "elements": _slices(axes, wedges)}
    flat = {
        "title": title,
        "x_label": axes.get_xlabel() or None,
        "y_label": axes.get_ylabel() or None,
        "x_unit": _unit(axes.get_xlabel()),
        "y_unit": _unit(axes.get_ylabel()),
    }
    if getattr(axes, _BOXES, None):
        return {"type": "box_and_whisker", **flat, "elements": _boxes(axes)}
    bars = [one for one in axes.containers if isinstance(one, BarContainer)]
    if bars:
        return {"type": "bar", **flat, "elements": _bars(axes, bars)}
    scatters = [one for one in axes.collections if isinstance(one, PathCollection)]
    if scatters:
        elements = [_points(axes, one.get_label(), one.get_offsets()) for one in scatters]
        return {"type": "scatter", **flat, **_scales(axes), "elements": elements}
    lines = [line for line in axes.get_lines() if len(line.get_xdata())]
    if lines:
        elements = [
            _points(axes, line.get_label(), zip(line.get_xdata(orig=False), line.get_ydata(orig=False)))
            for line in lines
        ]
        return {"type": "line", **flat, **_scales(axes), "elements": elements}
    return {"type": "unknown", "title": title, "elements": []}


def _unit(label):
    found = _UNIT.search(label)
    return found.group(1) if found else None


def _scales(axes):
    told = {}
    for name, axis, ticks, scale in (
        ("x", axes.xaxis, axes.get_xticks(), axes.get_xscale()),
        ("y", axes.yaxis, axes.get_yticks(), axes.get_yscale()),
    ):
        told[name + "_ticks"] = [_number(axis, tick) for tick in ticks]
        told[name + "_tick_labels"] = [label.get_text() for label in axis.get_ticklabels()]
        told[name + "_scale"] = _scale(axis, scale)
    return told


def _scale(axis, scale):
    if _is_date(axis):
        return "datetime"
    return "categorical" if isinstance(axis.converter, StrCategoryConverter) else scale


def _is_date(axis):
    kinds = (dates.DateConverter, dates.ConciseDateConverter, dates._SwitchableDateConverter)
    return isinstance(axis.converter, kinds) or isinstance(
        axis.get_major_locator(), dates.DateLocator
    )


def _number(axis, value):
    if _is_date(axis):
        return dates.num2date(value).astimezone(datetime.timezone.utc).isoformat()
    if isinstance(axis.converter, StrCategoryConverter):
        names = {place: name for name, place in axis.units._mapping.items()}
        return names.get(int(value), float(value)) if float(value).is_integer() else float(value)
    value = float(value)
    return value if math.isfinite(value) else None


def _points(axes, label, pairs):
    points = [[_number(axes.xaxis, x), _number(axes.yaxis, y)] for x, y in pairs]
    return {"label": str(label), "points": points}


def _bars(axes, containers):
    elements = []
    for container in containers:
        upright = container.orientation != "horizontal"
        axis = axes.xaxis if upright else axes.yaxis
        names = dict(zip(axis.get_ticklocs(), (one.get_text() for one in axis.get_ticklabels())))
        for bar in container.patches:
            middle = bar.get_x() + bar.get_width() / 2 if upright else bar.get_y() + bar.get_height() / 2
            nearest = min(names, key=lambda place: abs(place - middle), default=None)
            near = nearest is not None and abs(nearest - middle) < 0.5 and names[nearest]
            elements.append(
                {
                    "label": names[nearest] if near else str(round(middle, 6)),
                    "value": float(bar.get_height() if upright else bar.get_width()),
                    "group": str(container.get_label()),
                }
            )
    return elements


def _slices(axes, wedges):
    return [
        {
            "label": wedge.get_label(),
            "angle": abs(float(wedge.theta2 - wedge.theta1)),
            "radius": float(wedge.r),
        }
        for wedge in wedges
    ]


def _boxes(axes):
    names = [label.get_text() for label in axes.get_xticklabels()]
    elements = []
    for number, box in enumerate(getattr(axes, _BOXES)):
        label = box.get("label") or (names[number] if number < len(names) else str(number + 1))
        elements.append(
            {
                "label": str(label),
                "min": float(box["whislo"]),
                "first_quartile": float(box["q1"]),
                "median": float(box["med"]),
                "third_quartile": float(box["q3"]),
                "max": float(box["whishi"]),
                "outliers": [float(one) for one in box.get("fliers", [])],
            }
        )
    return elements
