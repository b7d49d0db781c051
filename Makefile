# What people type. Each target sets up what it needs first; `make` alone lists them.
PYTHON ?= python3
VENV := .venv/bin
ARGS ?=
# All tests run on several cores, those that are `real` one after the other in two lanes (tests/conftest.py): they
# mostly wait, so there are two workers more than processors. A choice of a few runs alone, because it would be over
# before the workers have begun.
WORKERS := $(shell cores=$$(nproc 2>/dev/null || echo 1); echo $$((cores < 4 ? cores + 2 : 6)))
CHOICE := $(filter -k% -m% --lf --ff --pdb --trace -n% no:xdist,$(ARGS)) $(findstring tests/,$(ARGS)) $(findstring .py,$(ARGS))
# Programs are started hundreds of times, so what Python compiles is kept, also where the shell forbids that.
check test test-ros stories soak mutants: export PYTHONDONTWRITEBYTECODE =
# What is checked is checked side by side, each with its output in one piece; a make above has said how many at once.
SIDE_BY_SIDE = --output-sync=target $(if $(findstring jobserver,$(MAKEFLAGS)),,--jobs=$(shell nproc 2>/dev/null || echo 1))
AT_ONCE ?= $(if $(strip $(CHOICE)),,-n $(WORKERS) --dist loadgroup)

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests run test stories test-oracle test-ros check check-types check-phrases check-style check-page mutants bench soak campaign-pictures speech hands ros page pins clean

help: ## list these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
	@echo '  ARGS="..." is handed on to what the target starts, as in: make test ARGS="-k registrar"'

setup: ## set everything up: .venv, Python and npm packages, page, system packages (never sudo)
	@$(PYTHON) -m scripts.setup

setup-tests:
	@$(PYTHON) -m scripts.setup --tests

run: setup ## start the simulated robot, the supervisor and the console, and print the address
	@$(VENV)/pilothouse run $(ARGS)

test: setup-tests ## run the tests (the long ones are in stories, soak and bench)
	@$(VENV)/python -m pytest $(AT_ONCE) $(ARGS)

stories: setup-tests ## play the long stories: whole installations, driven in a browser, hurt and stopped
	@$(VENV)/python -m pytest -m "story and not soak and not bench" $(AT_ONCE) $(ARGS)

# Its environment has no hypothesis, so tests/conftest.py, which is for the others, stays out of it.
test-oracle: ## compare the arm's models with Pinocchio, in an environment of their own: .venv-oracle
	@$(PYTHON) -m scripts.oracle
	@.venv-oracle/bin/python -m pytest -o addopts=--import-mode=importlib --confcutdir=tests/oracle tests/oracle $(ARGS)

# Processes of ours join other people's nodes; `inside` is run by the Python that has rclpy, which has no hypothesis.
test-ros: setup-tests ros ## test what speaks ROS 2 against plain rclpy programs, on loopback: .venv-ros
	@.venv-ros/bin/python -m tests.ros_robot.interfaces
	@.venv-ros/bin/python -m pytest -o addopts=--import-mode=importlib --confcutdir=tests/ros/inside tests/ros/inside
	@$(VENV)/python -m pytest -m ros -n 2 tests/ros $(ARGS)

check: setup ## ruff, mypy strict, import contracts, phrases, grammar reference, TypeScript
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) check-types check-phrases check-style check-page

check-types:
	$(VENV)/mypy

check-phrases:
	$(VENV)/python -m grammars.tools.lint actions --conditions managers/conditions.yaml --remember .lint_cache
	$(VENV)/python -m grammars.tools.reference --check docs/language.md

check-style:
	$(VENV)/ruff check
	$(VENV)/ruff format --check
	$(VENV)/lint-imports

check-page:
	@$(VENV)/python -m scripts.page_protocols | cmp -s - resources/web/page/src/protocol.ts \
		|| { echo "protocol.ts is stale: $(VENV)/python -m scripts.page_protocols > resources/web/page/src/protocol.ts"; exit 1; }
	@$(VENV)/python -m scripts.page_protocols operator | cmp -s - resources/web/page/src/operator/link/protocol.ts \
		|| { echo "operator/link/protocol.ts is stale: $(VENV)/python -m scripts.page_protocols operator > resources/web/page/src/operator/link/protocol.ts"; exit 1; }
	npm --prefix resources/web/page run --silent check

mutants: setup ## break what holds a robot back on purpose, one way at a time: the tests must notice each
	@$(VENV)/python -m tests.mutants $(ARGS)

bench: setup ## measure what docs/benchmarks.md shows: make bench NAME=registrar; without a name, list them
	@$(VENV)/pilothouse experiment $(NAME) $(ARGS)

soak: setup-tests ## run the long tests
	@$(VENV)/python -m pytest -m soak $(AT_ONCE) $(ARGS)
	@PILOTHOUSE_EFFORT=full $(VENV)/python -m pytest -m thorough $(AT_ONCE) $(ARGS)

campaign-pictures: setup-tests ## strike the whole house and write docs/pictures/campaign-*.png
	$(VENV)/pilothouse campaign --house --faults 10000 --report reports $(ARGS)
	$(VENV)/python -m scripts.campaign_pictures reports/house-campaign.html docs/pictures

speech: setup ## set up the second recogniser, Whisper, and look whether its model is whole
	@$(VENV)/python -m pip install --quiet --no-input -c constraints.txt -e ".[speech]"
	@$(VENV)/python -m resources.speech.whisper_model

hands: ## set up the hand tracker for the robot's own cameras, in an environment of its own: .venv-hands
	@$(PYTHON) -m scripts.hands

ros: ## set up rclpy and its messages from wheels, in an environment of their own: .venv-ros
	@$(PYTHON) -m scripts.ros

page: ## build the console's page only
	@$(PYTHON) -m scripts.setup --page

pins: setup ## write constraints.txt from what is installed in .venv
	@$(VENV)/python -m scripts.pin

clean: ## remove what was built, and caches (.venv and node_modules stay: remove them by hand)
	rm -rf build dist .setup resources/web/dist reports htmlcov .coverage
	rm -rf .hypothesis .import_linter_cache .lint_cache .mypy_cache .pytest_cache .ruff_cache
	find . \( -name .venv -o -name node_modules -o -name .git \) -prune -o -type d -name __pycache__ -exec rm -rf {} +
