# The two commands of a first visit are `make demo` and `make test`. Each makes its own .venv and installs the package
# there with plain pip, never editable: what is tested is what a user gets. `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
CHECKED := .venv-checked
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); [ $$n -gt 4 ] && n=4; echo $$n)
SOURCES := $(shell find src -type f \( -name '*.py' -o -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi' -o -name '*.h' \
	-o -name '*.cu' -o -name '*.cuh' -o -name '*.arff' -o -name '*.js' -o -name '*.css' -o -name 'py.typed' -o -name meson.build \) 2>/dev/null) pyproject.toml meson.build meson.options README.md
BIN := $(CURDIR)/$(VENV)/bin
PYTEST := $(BIN)/python -m pytest -p no:cacheprovider

# meson and Cython are looked for on the path; they live in the environment, not on the machine.
INSTALL = PATH="$(CURDIR)/$(1)/bin:$$PATH" $(1)/bin/python -m pip -qq --disable-pip-version-check install

.PHONY: help demo test check lint types contracts bounds portable arm64 windows oracle check-slow integration chromium fuzz fuzz-oracle docs docs-tables site exactness gpu bench wheel sbom clean requirements

help:  ## list what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: $(VENV)/installed  ## learn a tree from an example set and show it
	@$(VENV)/bin/hornbeam learn vote --cv 10 --hints

test: $(VENV)/installed $(VENV)/tools  ## every test, small budgets
	$(PYTEST) -n $(JOBS) -m "not slow and not oracle and not integration" tests

check: lint types contracts bounds  ## style, types, import contracts, name rule, kernels with every access checked

lint: $(VENV)/tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(BIN):$$PATH" $(BIN)/cython-lint src/hornbeam/core

types: $(VENV)/installed $(VENV)/tools
	$(BIN)/mypy -p hornbeam --python-executable $(BIN)/python

contracts: $(VENV)/installed $(VENV)/tools
	cd $(VENV) && $(BIN)/lint-imports --config ../pyproject.toml
	$(PYTEST) -q tests/test_architecture.py

# The kernels work on pointers, which Cython cannot check; the compiler's address and undefined-behavior sanitizers can.
# Python itself is not built with them, so their library must be loaded first; leaks of the interpreter are not ours.
SANITIZED = LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 PYTHONMALLOC=malloc
CHECKED_TESTS := $(wildcard tests/core tests/model tests/learn tests/data/test_table.py)

bounds: $(CHECKED)/installed
	$(SANITIZED) $(CHECKED)/bin/python -m pytest -p no:cacheprovider -q -n $(JOBS) -m "not slow and not oracle and not integration" -k "not scikit_learn" $(CHECKED_TESTS)

# The same kernels where the compiler has no vector types, and without threads of their own.
PORTABLE := $(CURDIR)/build/portable
portable: $(VENV)/installed $(VENV)/tools  ## the kernels in standard C, every memory access checked
	PATH="$(BIN):$$PATH" meson setup $$([ ! -e $(PORTABLE)/build.ninja ] || echo --reconfigure) $(PORTABLE) \
		-Dportable=true -Dbounds_check=true -Dpython.platlibdir=$(PORTABLE)/site -Dpython.purelibdir=$(PORTABLE)/site
	PATH="$(BIN):$$PATH" meson install -C $(PORTABLE) --quiet
	$(SANITIZED) PYTHONPATH=$(PORTABLE)/site $(PYTEST) -q -n $(JOBS) -m "not slow and not oracle and not integration" \
		-k "not scikit_learn" $(CHECKED_TESTS)

arm64: $(VENV)/installed  ## compile for ARM64 and test under qemu (Debian; slow)
	ci/arm64.sh build
	ci/arm64.sh python ci/models.py > build/models-arm64.txt
	$(BIN)/python ci/models.py | diff - build/models-arm64.txt
	ci/arm64.sh test -n $(JOBS) -m "not slow and not oracle and not integration" tests/core tests/model tests/learn

windows: $(VENV)/installed  ## compile and link the kernels for Windows with MinGW (Debian; nothing is run)
	ci/windows.sh

oracle: $(VENV)/installed $(VENV)/tools  ## every stored result of the reference programs, and a table of the results
	$(PYTEST) -n $(JOBS) -m oracle tests/oracle
	cd tests && $(BIN)/python -m oracle

check-slow: $(VENV)/installed $(VENV)/tools fuzz  ## long Hypothesis runs and fuzzing
	HYPOTHESIS_PROFILE=slow $(PYTEST) -n $(JOBS) -m "not oracle and not integration" tests

integration: chromium $(VENV)/installed $(VENV)/tools $(VENV)/driver  ## reports and exports in a real browser, exports in PostgreSQL (needs Debian's chromium, postgresql)
	$(PYTEST) -m integration tests/integration

chromium:
	@[ -n "$$CHROMIUM" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		{ echo "Chromium is missing (Debian: apt install chromium), or name it: CHROMIUM=/path/to/it make integration" >&2; exit 1; }

FUZZ_SECONDS ?= 60
FUZZ_TARGETS = $(shell grep -l atheris tests/fuzz/*.py)
fuzz: $(VENV)/installed $(VENV)/fuzzer
	@found=; for target in $(FUZZ_TARGETS); do found=yes; echo "fuzzing $$target for $(FUZZ_SECONDS) s"; \
		$(BIN)/python $$target -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 -timeout=20 \
			-artifact_prefix=build/fuzz/ -verbosity=0 || exit 1; done; \
		[ -n "$$found" ] || { echo "tests/fuzz has no fuzzing program"; exit 1; }

FUZZ_TABLES ?= 200
fuzz-oracle: $(VENV)/installed  ## random tables against the reference programs themselves (needs Debian's weka, r-cran-rpart)
	@failed=; for program in $(wildcard tests/fuzz/against_*.py); do echo "$$program"; \
		$(BIN)/python $$program --tables $(FUZZ_TABLES) || failed=yes; done; [ -z "$$failed" ]

docs: $(VENV)/installed $(VENV)/tools  ## run every example in the documentation and the docstrings
	$(BIN)/python docs/options.py --check
	$(BIN)/python docs/exactness.py --check
	$(BIN)/python docs/gallery.py --check
	$(PYTEST) -q --doctest-glob='*.md' README.md $(wildcard docs/*.md docs/*/*.md) tests/docs/test_documentation.py \
		tests/docs/test_pages.py tests/docs/test_gallery_page.py tests/docs/test_coming_from.py
	cd $(VENV) && $(BIN)/python -m pytest -p no:cacheprovider -q -c /dev/null --doctest-modules --pyargs hornbeam

# Tables in the documentation that come from the data sets of the tests, or from the folder of ARFF files that DATA names.
DATA ?= build/evidence
COMPARE = $(BIN)/hornbeam compare $(DATA)/*.arff --markdown
PAGE = printf '%s\n\n' '$(1)' 'Written by `make docs-tables`; [Comparing methods](comparing.md) explains how to read it.'

DRAWN = --save-diagram docs/images/schemes-$(1).svg && printf '\n![Average ranks of the schemes](../images/schemes-$(1).svg)\n'

docs-tables: $(VENV)/installed  ## write the tables and pictures of the documentation anew
	$(BIN)/python docs/options.py
	$(BIN)/python docs/exactness.py
	$(BIN)/python docs/gallery.py
	cd tests && $(BIN)/python -m oracle.evidence
	@ls $(DATA)/*.arff >/dev/null 2>&1 || { echo "no ARFF files in $(DATA): make docs-tables DATA=FOLDER" >&2; exit 1; }
	{ $(call PAGE,# Schemes) && printf '## Categories\n\n' && $(COMPARE) --only categories $(call DRAWN,categories) && \
		printf '\n## Numbers\n\n' && $(COMPARE) --only numbers $(call DRAWN,numbers); } > docs/evaluate/table-schemes.new
	{ $(call PAGE,# Pruning methods) && printf '## Categories\n\n' && $(COMPARE) --prune all --only categories && \
		printf '\n## Numbers\n\n' && $(COMPARE) --prune all --only numbers; } > docs/evaluate/table-pruning.new
	{ $(call PAGE,# Criteria) && $(COMPARE) --criterion all --only categories; } > docs/evaluate/table-criteria.new
	for page in schemes pruning criteria; do mv docs/evaluate/table-$$page.new docs/evaluate/table-$$page.md; done

# Sphinx reads a copy, beside the files that pages link to, so that pages made from the code do not lie among those of docs/.
SITE := build/site-pages
site: $(VENV)/installed $(VENV)/sphinx  ## the documentation as a web site in build/site
	rm -rf $(SITE) && mkdir -p $(SITE)
	cp -r docs examples $(SITE) && rm -r $(SITE)/docs/site
	$(BIN)/sphinx-build -q -W --keep-going -j $(JOBS) -c docs/site $(SITE)/docs build/site
	$(BIN)/python docs/site/links.py build/site
	@echo "the site is build/site/index.html"

exactness: $(VENV)/installed $(VENV)/tools  ## every kind of model in every format on every data set (hours; goes on where it stopped)
	cd tests && $(BIN)/python -m exactness
	$(BIN)/python docs/exactness.py

gpu:  ## compare and time boosting on an NVIDIA GPU (needs CuPy and the installed package; PYTHON names the interpreter)
	$(PYTHON) -m benchmarks.gpu | tee build/gpu.log

bench: $(VENV)/installed $(VENV)/tools  ## timings, ours and side by side with others
	@$(call INSTALL,$(VENV)) "ydf>=0.10" || echo "YDF cannot be installed here; its races are left out"
	$(BIN)/python -m benchmarks

wheel: $(VENV)/builder  ## build a wheel into dist/
	PATH="$(BIN):$$PATH" $(BIN)/python -m pip --disable-pip-version-check wheel --no-deps --no-build-isolation \
		--config-settings=build-dir=build/release --wheel-dir dist .

# Of an environment of its own, with the package alone: the tools for tests are nobody's business who installs it.
sbom: $(VENV)/installed  ## list what is installed with the package (CycloneDX) in dist/
	@$(call INSTALL,$(VENV)) "cyclonedx-bom>=7"
	rm -rf build/sbom && $(PYTHON) -m venv --without-pip build/sbom && mkdir -p dist
	PATH="$(BIN):$$PATH" $(BIN)/python -m pip -qq --disable-pip-version-check wheel --no-deps --no-build-isolation \
		--config-settings=build-dir=build/release --wheel-dir build/sbom .
	$(BIN)/python -m pip -qq --disable-pip-version-check --python build/sbom/bin/python install build/sbom/*.whl
	$(BIN)/cyclonedx-py environment build/sbom/bin/python --output-file dist/hornbeam.cdx.json

clean:  ## remove everything that was made
	rm -rf $(VENV) $(CHECKED) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# --- environments -----------------------------------------------------------------------------------------------------

requirements:
	@command -v $(PYTHON) >/dev/null || { echo "hornbeam needs Python 3.11 or later; '$(PYTHON)' was not found (Debian: apt install python3)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hornbeam needs Python 3.11 or later; '$(PYTHON)' is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=python3.12 demo" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv and pip are missing (Debian: apt install python3-venv python3-pip)" >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' || { echo "Python's headers (Python.h) are missing (Debian: apt install python3-dev)" >&2; exit 1; }
	@command -v cc >/dev/null || command -v gcc >/dev/null || { echo "a C compiler is missing (Debian: apt install gcc libc6-dev)" >&2; exit 1; }
	@printf '#include <math.h>\nint main(void) { return 0; }\n' | $$(command -v cc || command -v gcc) -x c - -o /dev/null -lm 2>/dev/null || { echo "the C compiler cannot compile a program; its headers are missing (Debian: apt install libc6-dev)" >&2; exit 1; }

# setuptools builds the tools that come as sources only: pip does not isolate their builds either.
$(VENV)/builder $(CHECKED)/builder: %/builder: pyproject.toml
	@$(MAKE) --no-print-directory requirements
	@[ -x $*/bin/python ] || { echo "making the environment $* (once)"; $(PYTHON) -m venv $*; }
	@$(call INSTALL,$*) "meson-python>=0.17" "cython>=3.1" "numpy>=2.0" ninja "setuptools>=70.1"
	@touch $@

$(VENV)/installed: $(SOURCES) $(VENV)/builder
	@echo "building and installing hornbeam"
	@$(call INSTALL,$(VENV)) --no-build-isolation --config-settings=build-dir=build/release .
	@touch $@

$(VENV)/tools: $(VENV)/installed pyproject.toml
	@[ -e $@ ] && [ ! pyproject.toml -nt $@ ] || { echo "installing the tools for tests and checks (once)"; \
		$(call INSTALL,$(VENV)) --no-build-isolation --config-settings=build-dir=build/release ".[dev]"; }
	@touch $@

$(VENV)/fuzzer: $(VENV)/builder
	@$(call INSTALL,$(VENV)) "atheris>=2.3"
	@touch $@

$(VENV)/sphinx: $(VENV)/builder
	@$(call INSTALL,$(VENV)) "pip>=25.1" && $(call INSTALL,$(VENV)) --group site
	@touch $@

$(VENV)/driver: $(VENV)/builder
	@$(call INSTALL,$(VENV)) "playwright>=1.40"
	@touch $@

$(CHECKED)/installed: $(SOURCES) $(CHECKED)/builder
	@echo "building hornbeam with every memory access checked"
	@$(call INSTALL,$(CHECKED)) --no-build-isolation --config-settings=build-dir=build/checked \
		--config-settings=setup-args=-Dbounds_check=true ".[dev]"
	@touch $@
