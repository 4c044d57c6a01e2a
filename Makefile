# `make demo` and `make test` need nothing but Python 3.11, 3.12 or 3.13.

PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin
RUN = runs/demo
STAMP = $(VENV)/installed

.PHONY: demo play test test-slow lint docs bench clean

OTHER_PYTHON = Python 3.11, 3.12 or 3.13 is needed; name one: make PYTHON=python3.13

$(STAMP): setup.py
	@$(PYTHON) -c 'import sys; (3, 11) <= sys.version_info < (3, 14) or \
	  sys.exit("$(OTHER_PYTHON)")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh "$(RUN)"

play: $(STAMP)
	mkdir -p runs
	$(BIN)/python -m neural_gpu_tf.bin.play --out=runs/play.html

# Bytecode is kept, whatever the environment says: tests start many processes.
test test-slow: export PYTHONDONTWRITEBYTECODE =
# Two processes test side by side: no operation of theirs needs a second thread.
test: export TF_NUM_INTRAOP_THREADS = 1

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --strict tests/typed_user.py

docs: $(STAMP)
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -n -b html docs docs/_build/html

bench: $(STAMP)
	$(BIN)/python -m benchmarks.report --run_dir="$(RUN)" $(BENCH)

clean:
	rm -rf $(VENV) runs/demo runs/play.html *.egg-info docs/_build docs/api/generated .pytest_cache .ruff_cache
