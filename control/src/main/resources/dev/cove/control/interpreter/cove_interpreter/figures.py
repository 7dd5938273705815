"""A backend of matplotlib that shows figures as results of the cell that drew them."""
import base64
import builtins
import io
import json

from matplotlib import _pylab_helpers
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from cove_interpreter import charts


class FigureManager(FigureManagerBase):
    def show(self):
        builtins.display(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, **_):
        show_all(builtins.display)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager


def show(*_, **__):
    show_all(builtins.display)


def show_all(shown):
    """Each figure once: whoever draws on needs a new one, as in a notebook."""
    managers = _pylab_helpers.Gcf.get_all_fig_managers()
    try:
        for manager in managers:
            if manager.canvas.figure.axes:
                shown(manager.canvas.figure)
    finally:
        for manager in managers:
            _pylab_helpers.Gcf.destroy(manager.num)


def bundle(figure):
    picture = io.BytesIO()
    figure.savefig(picture, format="png", bbox_inches="tight")
    content = {"image/png": base64.b64encode(picture.getvalue()).decode("ascii")}
    try:
        chart = charts.of(figure)
    except Exception:
        chart = None  # a picture of anything is possible; its numbers cannot always be told
    if chart is not None:
        content["e2b/chart"] = json.dumps(chart)
    return content


charts.remember_boxes()
