# `make demo` and `make test` need nothing but Python 3.11 or newer.

PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin
RUN = runs/demo
STAMP = $(VENV)/installed

.PHONY: demo play test test-slow lint docs bench clean

$(STAMP): setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh $(RUN)

play: $(STAMP)
	mkdir -p runs
	$(BIN)/python -m neural_gpu_tf.bin.play --out=runs/play.html

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -n -b html docs docs/_build/html

bench: $(STAMP)
	$(BIN)/python -m benchmarks.report --run_dir=$(RUN) $(BENCH)

clean:
	rm -rf $(VENV) runs *.egg-info docs/_build docs/api/generated .pytest_cache .ruff_cache
