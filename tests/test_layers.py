"""A layer imports only layers listed above it (design: data flows one way)."""

import ast
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
LAYERS = (
    "errors",
    "corpus",
    "kernels",
    "features",
    "models",
    "active",
    "experiments",
    "reports",
    "batch",
    "cli",
)
WIDGETS_MAY_USE = {"errors", "corpus", "active", "reports"}


def imported(path: Path, package: str) -> set[str]:
    """Return the absolute names a module imports, relative ones resolved."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def layer_of(name: str) -> str | None:
    parts = name.split(".")
    return parts[1] if parts[0] == "deppa_nb" and len(parts) > 1 and parts[1] in LAYERS else None


def test_every_module_is_in_a_layer() -> None:
    found = {
        path.stem
        for path in (PROJECT / "deppa_nb").iterdir()
        if path.suffix == ".py" or path.is_dir()
    }
    assert found - {"__init__", "__pycache__"} <= set(LAYERS)


def test_layers_import_only_what_is_above_them() -> None:
    wrong = []
    for path in (PROJECT / "deppa_nb").rglob("*.py"):
        module = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
        package = (
            module.removesuffix(".__init__")
            if path.stem == "__init__"
            else module.rpartition(".")[0]
        )
        own = layer_of(module)
        for name in imported(path, package):
            other = layer_of(name)
            if own and other and LAYERS.index(other) > LAYERS.index(own):
                wrong.append(f"{module} imports {name}")
            if name.split(".")[0] == "deppa_widgets":
                wrong.append(f"{module} imports {name}; only notebooks do")
    assert not wrong, wrong


def test_widgets_use_only_what_they_may() -> None:
    for path in (PROJECT / "widgets").rglob("*.py"):
        layers = {layer_of(name) for name in imported(path, "deppa_widgets")} - {None}
        assert layers <= WIDGETS_MAY_USE, path


def test_the_layers_are_the_ones_of_the_readme() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    positions = [readme.find(f"`{layer}`") for layer in LAYERS]
    assert -1 not in positions
    assert positions == sorted(positions)
