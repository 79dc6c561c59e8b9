# Two commands: `make reproduce` and `make test`. Each builds .venv first when it is missing or older
# than requirements.lock. `make PYTHON=python3.12 .venv` picks the interpreter of a new .venv.
PYTHON ?= python3
VENV   := .venv
READY  := $(VENV)/.ready
RUN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help .venv reproduce test check lab lock clean

help:
	@echo "make reproduce   every table and figure on the embedded corpora, then the path of the report"
	@echo "make test        checks and the whole test suite"
	@echo "make lab         JupyterLab on the tour"
	@echo "make check       ruff, mypy, layers, doctests"
	@echo "make lock        compile requirements.lock from pyproject.toml again"
	@echo "make clean       remove .venv, caches and runs/ (annotations/ is never touched)"

.venv: $(READY)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, this is %d.%d; try: make PYTHON=python3.11 ..." % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

reproduce: $(READY)
	$(RUN)/deppa reproduce --profile quick

test: check
	$(RUN)/python -m pytest

check: $(READY)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/python -m pytest -q tests/test_layers.py --doctest-modules deppa_nb

lab: $(READY)
	$(RUN)/jupyter lab notebooks/00_tour.ipynb

lock: $(READY)
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --group dev --extra cluster \
	    --custom-compile-command "make lock" pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) runs build dist *.egg-info widgets/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
