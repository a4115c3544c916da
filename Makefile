# The front door. Everything works from a fresh clone on Debian 12.

PRESET ?= release
JOBS ?= $(shell nproc)
SECONDS ?= 10
BUILD := build/$(PRESET)
INSTALL := deploy/debian/install-packages.sh

.PHONY: help demo test fuzz serve stop build programs format lint clean

help:
	@echo "make demo    install, build, serve a robot, evaluate a trajectory"
	@echo "make test    install, build, run all tests"
	@echo "make fuzz    build the fuzz targets and run each for SECONDS=$(SECONDS)"
	@echo "make serve   build and leave a server running (make stop ends it)"
	@echo "make build   build (PRESET=release|debug|asan|tsan)"
	@echo "make format  format the sources"
	@echo "make lint    check format, linter findings and dependency arrows"
	@echo "make clean   remove build/"

build:
	@$(INSTALL) build test
	cmake --preset $(PRESET) -DTORQUED_BUILD_TESTS=ON
	cmake --build --preset $(PRESET) -j $(JOBS)

test: build
	ctest --preset $(PRESET)

fuzz:
	@$(INSTALL) build fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS)
	@tests/fuzz/run.sh build/fuzz $(SECONDS)

# The demo and the server need no tests, so these build less.
programs:
	@$(INSTALL) build demo
	@test -f $(BUILD)/build.ninja || \
	  cmake --preset $(PRESET) -DTORQUED_BUILD_TESTS=OFF
	cmake --build --preset $(PRESET) -j $(JOBS) --target torqued_daemon torquectl

demo: programs
	@deploy/demo/demo.sh $(BUILD)/bin demo-output

serve: programs
	@deploy/demo/serve.sh start $(BUILD)/bin build/serve

stop:
	@deploy/demo/serve.sh stop $(BUILD)/bin build/serve

format:
	@$(INSTALL) lint
	git ls-files '*.cc' '*.h' | xargs clang-format-19 -i

lint:
	@$(INSTALL) build test lint
	cmake --preset $(PRESET) -DTORQUED_BUILD_TESTS=ON
	.ci/lint $(BUILD)

clean:
	rm -rf build demo-output
