"""Where the widgets' sources are: each becomes one module that imports nothing."""

from pathlib import Path
from typing import Any

__all__ = ["module", "style", "with_picture"]

_HERE = Path(__file__).parent


def module(*names: str) -> str:
    """Return the ES module of a widget: parts that several share, then its own.

    They are joined here because a front end may load a widget's source from anywhere, and an
    import in it would be looked for there.
    """
    return "\n".join((_HERE / f"{name}.js").read_text(encoding="utf-8") for name in names)


def style() -> str:
    """Return the style sheet of all widgets."""
    return (_HERE / "style.css").read_text(encoding="utf-8")


def with_picture(bundle: Any, svg: str) -> Any:
    """Return what a notebook keeps of a widget, with a picture for where no kernel is."""
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    if data is not None and svg:
        data["image/svg+xml"] = svg
    return bundle
