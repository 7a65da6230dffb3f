# Two commands for a newcomer: `make demo` and `make test`. Each prepares .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ARGS ?=
BOARDS := pico pico2 esp32-s3 openmv virtual blinka
STUBS := $(patsubst requirements/stubs-%.txt,%,$(wildcard requirements/stubs-*.txt))

.PHONY: demo test bench twin generate requirements clean

demo: $(VENV)/run.stamp
	@$(BIN)/tumbler demo $(ARGS)

test: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	@set -e; for board in $(BOARDS); do echo "pyright for $$board"; $(BIN)/pyright --project boards/$$board; done
	$(BIN)/python -m pytest $(ARGS)

bench: $(VENV)/run.stamp
	@$(BIN)/tumbler bench $(ARGS)

# The digital twin: physics beside what the demo needs.
twin: $(VENV)/twin.stamp

$(VENV)/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run.stamp: requirements/run.txt pyproject.toml $(VENV)/python.stamp
	@echo "Preparing $(VENV) (once) ..."
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/twin.stamp: requirements/twin.txt $(VENV)/run.stamp
	@echo "Preparing the digital twin (once) ..."
	@$(PIP) install --require-hashes -r requirements/twin.txt
	@touch $@

$(VENV)/test.stamp: requirements/test.txt $(wildcard requirements/stubs-*.txt) $(VENV)/run.stamp
	@echo "Preparing the tests' tools (once) ..."
	@$(PIP) install --require-hashes -r requirements/test.txt
	@set -e; for board in $(STUBS); do \
	  $(PIP) install --require-hashes --no-deps --upgrade --target typings/$$board -r requirements/stubs-$$board.txt; done
	@touch $@ $(VENV)/twin.stamp

# What is derived: the protocol page and the CDDL from the definitions, wiring pages from the board files.
generate: $(VENV)/run.stamp
	$(BIN)/python tools/generate.py
	$(BIN)/python tools/generate_boards.py

# Pins every package by hash; run it after a change to requirements/*.in.
requirements: $(VENV)/python.stamp
	$(PIP) install pip-tools
	cd requirements && for name in run twin test $(STUBS:%=stubs-%); do \
	  ../$(BIN)/pip-compile --quiet --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	    --no-emit-trusted-host --strip-extras --allow-unsafe --annotation-style=line $$name.in -o $$name.txt; done

clean:
	rm -rf $(VENV) typings build *.egg-info .pytest_cache .ruff_cache
