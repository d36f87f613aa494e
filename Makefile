# Every step of `make check` is a target of its own; CI runs `make check` and nothing else.
PREFIX ?= /usr/local
SWIFT ?= swift
# Folders with Swift in them, as far as they exist. Snippets keep the shape that they have in the README.
SOURCES := $(wildcard Sources Tests Scripts Benchmarks) Package.swift
SCRIPTS := $(shell grep -lE '^\#!/usr/bin/env bash' -r Scripts .ci 2>/dev/null)
# In this order: what fails most often, and fastest, comes first.
STEPS := lint test races release snippets docs consumer command interop thread address

.PHONY: help build test races format lint release snippets docs consumer command interop thread address check bench simulate fuzz \
	api picture platform install uninstall clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## debug build of everything
	$(SWIFT) build --build-tests

test: ## the tests, in parallel, without a network
	$(SWIFT) test

races: ## the automatic clock in a process where all threads are busy (RACES)
	RACES=$${RACES:-60} $(SWIFT) test --filter RacingTests

format: ## formats all Swift in place
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

lint: ## formatting and style, warnings are errors
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)
	@for script in $(SCRIPTS); do bash -n $$script || exit 1; done

release: ## release build, warnings are errors
	$(SWIFT) build -c release --scratch-path .build-release -Xswiftc -warnings-as-errors

snippets: ## every code sample, and every test that is named, of README and articles
	$(SWIFT) build
	Scripts/samples

docs: ## documentation of each library, warnings are errors
	Scripts/docs

consumer: ## a package that uses this one at default settings, in Swift 5 and Swift 6 mode
	Scripts/consumer

command: ## `items` in shells, terminals and pipes, and installed (Debian packages)
	Scripts/command

interop: ## against nginx and httpbin (installs them: Debian, root)
	Scripts/interop

# Few tests at a time: a sanitizer makes all of them slow, and what waits in real time waits too long.
thread address: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH = 12

thread: ## the tests under the thread sanitizer
	SIMULATIONS=300 $(SWIFT) test --scratch-path .build-thread --sanitize=thread -Xswiftc -warnings-as-errors

address: ## the tests under the address sanitizer
	SIMULATIONS=300 ASAN_OPTIONS=detect_leaks=0:suppressions=$(CURDIR)/Scripts/address.suppressions \
		$(SWIFT) test --scratch-path .build-address --sanitize=address

check: ## all of the above, as CI does
	@Scripts/check $(STEPS)

bench: ## figures against the alternatives
	@test -d Benchmarks || { echo "no Benchmarks here yet"; exit 1; }
	cd Benchmarks && $(SWIFT) run -c release

simulate: ## random listings against a server that misbehaves (RUNS, FROM; or SEED, TIMES to replay one)
	Scripts/simulate

fuzz: ## fuzzes all that reads foreign text (FUZZ_SECONDS for each target)
	Scripts/fuzz

api: ## what the public declarations have lost or changed since the last version (BASE)
	Scripts/api $(BASE)

picture: ## the terminal of the README, from what items really prints
	$(SWIFT) build --product items
	Scripts/picture "$$($(SWIFT) build --show-bin-path)/items"

platform: ## what URLSession does on this platform: present or fixed, fact by fact
	Scripts/platform/run

install: ## items, manual page and completions below $(PREFIX) (PREFIX, DESTDIR)
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install

uninstall: ## takes it away again
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" Scripts/install --remove

clean: ## removes everything that was built
	rm -rf .build .build-*
