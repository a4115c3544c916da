# The front door. Everything works from a fresh clone on Debian 12.

PRESET ?= release
JOBS ?= $(shell nproc)
SECONDS ?= 10
ENGINE ?= docker
IMAGE ?= torqued
BUILD := build/$(PRESET)
INSTALL := .ci/install-dependencies

.PHONY: help demo test ci-tests bench fuzz serve build programs wheel image \
  image-test package package-test format lint check-full clean

help:
	@echo "make demo          install, build, serve a robot, evaluate a trajectory"
	@echo "make test          install, build, run the tests of at most 5 s"
	@echo "make ci-tests      the tests that take longer or need large packages"
	@echo "make bench         measure beside other libraries, write build/bench/report.{md,html}"
	@echo "make fuzz          build the fuzz targets, run each for SECONDS=$(SECONDS)"
	@echo "make serve         build and run a server with the example robots"
	@echo "make programs      build what is installed, without tests"
	@echo "make build         build (PRESET=release|debug|asan|tsan)"
	@echo "make image         container image (ENGINE=docker, podman or buildah)"
	@echo "make image-test    build it without a registry and a daemon, run and call it"
	@echo "make wheel         Python package with the server, in build/wheel"
	@echo "make package       Debian packages in build/package"
	@echo "make package-test  install, run and purge them in a booted container"
	@echo "make format        format the sources"
	@echo "make lint          check format, linter findings and dependency arrows"
	@echo "make check-full    hours of checks; report in build/check-full"
	@echo "make clean         remove build/"

build:
	@$(INSTALL) build test
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j $(JOBS)

# Says at the end what was skipped, and what it leaves to the other tiers.
test: build
	@status=0; ctest --preset $(PRESET) || status=$$?; \
	  .ci/check-skips --list build/junit-$(PRESET).xml; \
	  for tier in ci full; do \
	    ctest --preset $$tier -N | \
	      sed -n "s/^Total Tests: /Left to 'ctest --preset $$tier': /p"; \
	  done; exit $$status

ci-tests:
	@$(INSTALL) build test ci proxies
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j $(JOBS) --target all torqued_ci_tests
	ctest --preset ci

bench:
	@$(INSTALL) build bench
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target torqued_bench torqued_remote_bench
	@bench/report.py build/bench $(BENCH_FLAGS)

fuzz:
	@$(INSTALL) build test fuzz
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS) --target torqued_fuzzers
	@FUZZ_JOBS=$(JOBS) tests/fuzz/run.sh build/asan $(SECONDS)

# What is installed needs no tests, so this builds less.
configure = cmake --preset $(PRESET) -DTORQUED_BUILD_TESTS=OFF
programs:
	@$(INSTALL) build demo
	$(configure)
	cmake --build --preset $(PRESET) -j $(JOBS) --target torqued_installed

# What runs here alone needs a third of the kernels.
demo serve: configure = test -f $(BUILD)/build.ninja || \
  cmake --preset $(PRESET) -DTORQUED_BUILD_TESTS=OFF -DTORQUED_NATIVE=ON

demo: programs
	@examples/demo.sh $(BUILD)/bin demo-output

serve: programs
	@mkdir -p build/serve
	$(BUILD)/bin/torqued --store build/serve/models.db --models examples/robots

wheel: programs
	@$(INSTALL) wheel
	TORQUED_WHEEL_SERVER=$(abspath $(BUILD)/bin/torqued) /usr/bin/python3 -m pip wheel \
	  --no-build-isolation --no-deps --no-index -w build/wheel ./client/python

# debhelper gives programs another home, without the compiler cache.
package:
	@$(INSTALL) build package
	@rm -rf build/package && mkdir -p build/package/torqued
	@tar -c --exclude=./build --exclude=./.git . | tar -xC build/package/torqued
	@cp -r deploy/debian build/package/torqued/
	cd build/package/torqued && DEB_BUILD_OPTIONS=terse \
	  CCACHE_DIR=$$(ccache --get-config cache_dir) \
	  dpkg-buildpackage --build=binary --no-sign --jobs=$(JOBS)
	@cd build/package && rm -rf torqued && mkdir debug && mv *-dbgsym_*.deb debug

package-test: package
	tests/package/debian-test.sh build/package

format:
	@$(INSTALL) test lint
	git ls-files '*.cc' '*.h' | xargs clang-format-19 -i
	.ci/format-node $(BUILD) --write

# The linter follows units into generated headers, and needs a command for each unit.
lint:
	@$(INSTALL) build test lint
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j $(JOBS) --target torqued_fuzz_support
	cmake --preset $(PRESET) -DCMAKE_UNITY_BUILD=OFF
	.ci/lint $(BUILD)

check-full:
	@.ci/check-full

# Podman and buildah leave the health check out of their own format.
image:
	BUILDAH_FORMAT=docker $(ENGINE) build -t $(IMAGE) \
	  --label org.opencontainers.image.revision=$$(git rev-parse HEAD) \
	  --label org.opencontainers.image.source="$$(git config remote.origin.url | sed 's|//.*@|//|')" \
	  --label org.opencontainers.image.created=$$(date -u +%FT%TZ) .

image-test:
	@$(INSTALL) image
	tests/image/image-test.sh

clean:
	rm -rf build demo-output
