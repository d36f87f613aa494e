# Each step of `make check` is also a target; CI runs `make check`.
PREFIX ?= /usr/local
SWIFT ?= swift
# The folders with Swift sources. Snippets are not formatted: they are quoted word for word in the README and the guides.
SOURCES := $(wildcard Sources Tests Examples Scripts Benchmarks) Package.swift
SCRIPTS := $(shell grep -lE '^\#!/usr/bin/env bash' -r Scripts .ci 2>/dev/null)
# The steps that fail fastest and most often come first.
STEPS := lint rooms test portability races release lists differential lifetimes connections snippets site consumer command \
	interop thread address

.PHONY: help build test portability rooms races format lint release lists differential lifetimes connections snippets docs site \
	consumer command interop thread address check bench simulate fuzz \
	api package picture platform install uninstall clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build everything, including the tests, in debug mode
	$(SWIFT) build --build-tests

test: ## run all tests that need no network
	$(SWIFT) test

portability: ## check that the arms for Apple platforms and musl compile (about two minutes; needs Linux and PyPI)
	Scripts/portability

rooms: ## check that the folders of Sources use each other in one direction only
	Scripts/rooms

races: ## repeat the virtual clock tests with busy threads (RACES=count) and deliver mock replies in random orders (INTERLEAVINGS=count)
	RACES=$${RACES:-30} $(SWIFT) test --filter RacingTests
	INTERLEAVINGS=$${INTERLEAVINGS:-20000} $(SWIFT) test --skip-build --filter RunLoopDeliveryTests

format: ## format all Swift sources in place
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

lint: ## check formatting, style and shell syntax
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	@for script in $(SCRIPTS); do bash -n $$script || exit 1; done

# In all builds of `check`, so that none compiles again what another compiled.
check release: export WARNINGS_AS_ERRORS = 1
release: ## build `items` and the simulation in release mode, with warnings as errors
	Scripts/release items
	Scripts/release RESTClientSimulate

lists: release ## list all variants of the lists of documented APIs, in release mode
	.build-release/release/RESTClientSimulate --lists

differential: release ## compare the JSON scanner with a reference reader on random documents (DOCUMENTS=count), in release mode
	.build-release/release/RESTClientSimulate --differential $${DOCUMENTS:-100000}

lifetimes: release ## lose mock servers in all ways and measure their memory, in release mode, which releases an object after its last use
	.build-release/release/RESTClientSimulate --lifetimes

connections: release ## send every kind of task to a mock server, and measure what requests on sockets leave, in release mode
	.build-release/release/RESTClientSimulate --connections
	.build-release/release/RESTClientSimulate --engine 20000

snippets: ## check that the code samples and links in the documentation match the sources, and that the fuzz targets compile
	$(SWIFT) build
	Scripts/samples
	Scripts/guesses
	Scripts/fuzz --check

docs: ## build the documentation with warnings as errors
	Scripts/docs

site: docs ## build the website in .build/site, and read its pages in a browser
	Scripts/site

consumer: ## build and run a package that depends on this one, and follow "Adding something" on a copy
	Scripts/consumer
	Scripts/adding

command: ## test `items` in shells, terminals and pipes, and its installation (needs Debian)
	Scripts/command

interop: ## test against nginx, httpbin and 15 paging servers (installs them; needs Debian and root)
	Scripts/interop

# With fewer tests in parallel, each one ends long before a real timeout, also with the thread sanitizer.
test thread: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH = 12
# Line numbers are not built, which takes less time: reports name the functions.
SANITIZED = --scratch-path .build-$@ --sanitize=$@ -debug-info-format none
# These tests decode or list so many shapes that they take long, with the code of other tests.
UNSANITIZED := --skip 'PaginationVariantTests|PaginationHintTests|DecodingStrategiesTests|MessageTableTests|ErrorTableTests' \
	--skip PagedListConventionTests

# The code of libraries that are not instrumented is not checked: how it synchronizes is not visible to the sanitizer.
thread: export TSAN_OPTIONS = ignore_noninstrumented_modules=1
thread: export SIMULATIONS = 100
thread: export CONCURRENT_TESTS = 1
thread: ## run the tests of code with several threads with the thread sanitizer
	$(SWIFT) build --product RESTClientPackageTests $(SANITIZED)
	$(SWIFT) test --skip-build $(SANITIZED) $(UNSANITIZED)

address: export ASAN_OPTIONS = detect_leaks=0
address: ## compare the scanner, simulate listings, use mock servers and run the command with the address sanitizer
	$(SWIFT) build --product RESTClientSimulate $(SANITIZED)
	$(SWIFT) build --product items $(SANITIZED)
	.build-$@/debug/RESTClientSimulate --differential $${DOCUMENTS:-2000}
	.build-$@/debug/RESTClientSimulate --connections
	.build-$@/debug/RESTClientSimulate --runs $${RUNS:-200}
	ITEMS=$(CURDIR)/.build-$@/debug/items Scripts/command readers pipelines

check: ## run all checks, as CI does
	@Scripts/check $(STEPS)

bench: ## list the benchmarks
	cd Benchmarks && $(SWIFT) run -c release

simulate: ## simulate random listings with server faults (RUNS, FROM; SEED, TIMES to replay one)
	Scripts/simulate

fuzz: ## fuzz the parsers (FUZZ_SECONDS for each target, default: 180)
	Scripts/fuzz

api: ## report API-breaking changes since the last version (BASE=revision)
	Scripts/api $(BASE)

package: ## build the packages of `items` in .build-package/dist (Scripts/package --check also tries them; needs Debian)
	Scripts/package

picture: build ## draw the picture of the README again (those of measurements: Benchmarks content, Benchmarks scaling)
	Scripts/picture "$$($(SWIFT) build --show-bin-path)/items"

platform: ## report which URLSession defects this platform has
	Scripts/platform/run

install: ## install items, its manual page and completions (PREFIX, DESTDIR)
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install

uninstall: ## remove the installed files
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install --remove

clean: ## remove all build products
	rm -rf .build .build-*
