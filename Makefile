# The front door. Meson builds; each target says in one line what it did.
#
#	make                 build/pathline, libpathline, the recorders
#	make try             install what is missing, build, record the example, show its path, replay it
#	make try-stack       Python, native code and the kernel on one timeline (doc/FULLSTACK.md)
#	make check           unit tests, arrows, format, the quick tests: before each commit
#	make test [T=dump]   the whole suite, or the tests whose name contains T
#	make exact           every module of CPython's own suite, on every interpreter
#	make fuzz [S=60]     the fuzzers, S seconds each
#	make bench [ROW=w_fib] [RUNS=7] [PYTHON=python3.13]
#	                     what recording costs, and what others cost: 25 minutes
#	make bench ROW=programs [PROGRAMS=jinja2,sympy] [PYTHON=all]
#	                     what it costs real programs: 15 minutes an interpreter
#	make soak [SOAK_MINUTES=60] [SOAK_LIMIT=64M]
#	                     is a server that is recorded for long as it was at its beginning?
#	make aarch64         build for it, and try it under qemu
#	make install [PREFIX=/usr/local] [DESTDIR=/tmp/package]
#	make wheel           a wheel and an sdist in dist/, for pip
#	make deb             a Debian package in dist/
#	make arrows format doc clean
BUILD = build
FUZZ_BUILD = build-fuzz
T =
LEVEL = test
S = 60
ROW =
PROGRAMS =
RUNS = 7
SOAK_MINUTES = 60
SOAK_LIMIT = 64M
PYTHON =
PYTHON3 = python3

.NOTPARALLEL:
.PHONY: all prefix everything deps packages python try try-stack check test exact fuzz bench soak aarch64 arrows format doc install wheel deb clean

all: deps
	@test -f $(BUILD)/build.ninja || meson setup $(PREFIX:%=--prefix=%) $(BUILD) >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }
	@test -e $(BUILD)/pathline || echo "building, which takes a minute …"
	@test -e $(BUILD)/pathline || ! test -t 1 || ninja -C $(BUILD) product # its last line counts
	@ninja -C $(BUILD) --quiet product >$(BUILD)/ninja.log || { cat $(BUILD)/ninja.log; exit 1; }
	@echo "built $(BUILD)/pathline, with recorders for:" \
		$$(cd $(BUILD) && ls pathline-recorder-*.so 2>/dev/null | sed 's/pathline-recorder-//; s/\.so//')

# Also what the tests and the benchmark run: as much again.
everything: all
	@ninja -C $(BUILD) --quiet >$(BUILD)/ninja.log || { cat $(BUILD)/ninja.log; exit 1; }

deps:
	@tools/install-deps build

python: deps
	@tools/need-python $(BUILD)

try:
	@tools/try $(BUILD)

try-stack: all
	@tools/try-stack $(BUILD)

check: python everything
	@tools/install-deps test
	@$(PYTHON3) tools/check-arrows.py
	@tools/format --check
	@$(PYTHON3) tests/run.py --build $(BUILD) --level quick

test: python everything packages
	@tools/install-deps test
	@$(PYTHON3) tests/run.py --build $(BUILD) --level $(LEVEL) $(T)

packages: all
	@tools/install-deps test
	@tools/python-packages $(BUILD) || echo "not all packages are there; what needs them is not tested"

exact: python everything packages
	@tools/python-suites $(BUILD)
	@PATHLINE_TEST_TIMEOUT=86400 $(PYTHON3) tests/run.py --build $(BUILD) --level exact

fuzz: deps
	@test -f $(FUZZ_BUILD)/build.ninja || CC=clang meson setup $(FUZZ_BUILD) -Dfuzz=true -Dbuildtype=debugoptimized >/dev/null
	@ninja -C $(FUZZ_BUILD) --quiet fuzzers
	@tools/fuzz $(FUZZ_BUILD) $(S)

bench: python everything
	@$(PYTHON3) bench/bench.py --build $(BUILD) --python "$(PYTHON)" --runs $(RUNS) --row "$(ROW)" --programs "$(PROGRAMS)"

soak: python all
	@$(PYTHON3) bench/soak.py --build $(BUILD) --minutes $(SOAK_MINUTES) --limit $(SOAK_LIMIT) $(PYTHON:%=--python %)

aarch64:
	@tools/aarch64

arrows:
	@$(PYTHON3) tools/check-arrows.py --self-test
	@$(PYTHON3) tools/check-arrows.py

format:
	@tools/format

doc: all
	@test -e $(BUILD)/doc/man/pathline.1 || { echo "doc: no manual pages, for scdoc is not installed" >&2; exit 1; }
	@echo "doc: $$(ls $(BUILD)/doc/man/*.1 | wc -l) manual pages in $(BUILD)/doc/man; the tutorial, the format and the architecture are in doc/"

# Before `all`, which then builds what depends on it.
prefix:
	@test -z "$(PREFIX)" || ! test -f $(BUILD)/build.ninja || meson configure $(BUILD) --prefix=$(PREFIX)

install: prefix all
	@meson install -C $(BUILD) --no-rebuild >$(BUILD)/install.log || { cat $(BUILD)/install.log; exit 1; }
	@sed -n 's,^Installing pathline to \(.*/bin\)$$,installed \1/pathline,p' $(BUILD)/install.log

wheel: deps
	@tools/make-wheel

deb: deps
	@tools/make-deb

clean:
	@rm -rf $(BUILD) $(FUZZ_BUILD) build-wheel build-deb && echo "removed $(BUILD), $(FUZZ_BUILD), build-wheel and build-deb"
