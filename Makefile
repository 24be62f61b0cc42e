# Short names for the usual jobs; all of them go through the presets in CMakePresets.json and build below build/.

JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
FUZZ         ?= world
ARGS         ?=
MODEL        ?= sir
SIM_SECONDS  ?= 60
MUTANTS      ?= 3000
EXHAUSTIVE   ?= 7
SIM_PRESET   ?= asan
TARGETS      ?=

# Benchmarks stay on one core if possible.
PIN = $(shell taskset -c 1 true 2>/dev/null && echo taskset -c 1)

# The ThreadSanitizer of older compilers does not start with too much randomization of addresses.
NO_ASLR = $(shell setarch -R true 2>/dev/null && echo setarch -R)

configure = cmake --preset $(1) >/dev/null
build     = $(configure) && cmake --build build/$(1) -j $(JOBS) $(if $(2),--target $(2)) -- --no-print-directory
check     = $(call build,$(1)) && $(2) ctest --preset $(1) -j $(JOBS) --output-on-failure --no-label-summary

# As sha256sum of GNU.
sha256 = $(if $(shell command -v sha256sum),sha256sum,shasum -a 256)

# The time of what is packaged: that of the last commit, so that the same sources give the same packages.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)

# The flags of this make are not for the makes that CMake starts.
unexport MAKEFLAGS

.DEFAULT_GOAL := help
.PHONY: help setup run test full check exhaustive check-inspect asan hard narrow tsan tsan-quick clang test-portable test-portable-quick sim fuzz fuzz-all fuzz-afl corpus promises analyse mutate bench bench-quick bench-inspect instructions memory limits mcdc mcdc-hard docs format dist page deb abi abi-update run-mpi check-mpi bench-mpi clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

setup: ## install missing build tools (the other targets do so themselves)
	@scripts/setup

run: setup ## build and run the example program, examples/swarm.c (ARGS="--entities 100000")
	@$(call build,release,swarm)
	@build/release/examples/swarm $(ARGS)

test: setup ## build and run the tests, except the long ones
	@$(call check,test)

full: setup ## build and run all tests: also installations, handles of four bytes, long random programs
	@$(call check,dev)

check: full check-inspect asan hard narrow tsan test-portable check-mpi ## everything: full, check-inspect, asan, hard, narrow, tsan, test-portable and check-mpi

asan: setup ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call check,asan)

hard: setup ## the tests with tiny limits (test/hard_config.h) and more assertions
	@$(call check,hard)

narrow: setup ## the tests with handles of four bytes (test/narrow_config.h)
	@$(call check,narrow)

tsan: setup ## the tests under ThreadSanitizer
	@$(call check,tsan,$(NO_ASLR))

tsan-quick: setup ## only the tests that use threads, and the inspector, under ThreadSanitizer
	@$(call build,tsan-quick,covey_threaded) && \
	    $(NO_ASLR) ctest --preset tsan-quick -j $(JOBS) --output-on-failure --no-label-summary

exhaustive: setup ## all programs of up to EXHAUSTIVE=7 steps over a tiny sparse set, and of up to 6 over a tiny world
	@$(call build,dev,exhaustive_set exhaustive_set_wide exhaustive_world)
	build/dev/test/exhaustive/exhaustive_set $(EXHAUSTIVE)
	build/dev/test/exhaustive/exhaustive_set_wide $(EXHAUSTIVE)
	build/dev/test/exhaustive/exhaustive_world $(shell expr $(EXHAUSTIVE) - 1)

check-inspect: setup ## tests of the inspector's page: its functions, and a browser with a running world
	@scripts/setup inspect
	@$(call build,dev,inspect_world)
	@[ -d inspect/page/node_modules ] || { cd inspect/page && npm ci --no-audit --no-fund; }
	@cd inspect/page && npm run --silent check && npm run --silent test
	@cd inspect/page && COVEY_WORLD=$(CURDIR)/build/dev/inspect/test/inspect_world npm run --silent test:browser

clang: ## the tests, compiled by clang
	@scripts/setup clang
	@$(call check,clang)

test-portable: ## the tests for TARGETS="gcc clang clang-19 tcc musl m32 aarch64 armhf s390x mingw"; results must be equal
	@scripts/setup portable || echo "targets without tools are left out"
	@bash test/portable/run.sh $(JOBS) $(TARGETS)

test-portable-quick: ## all compiled by clang 19, its tests, and equal results on 32 bits and a big-endian machine
	@scripts/setup portable || echo "targets without tools are missing"
	@bash test/portable/run.sh $(JOBS) clang-19 m32:digest s390x:digest

sim: setup ## random programs over all features, against a model, for SIM_SECONDS=60 seconds, with SIM_PRESET=asan (ARGS="--seed 7 --pairs")
	@$(call build,$(SIM_PRESET),covey-sim)
	build/$(SIM_PRESET)/tools/covey-sim/covey-sim --seconds $(SIM_SECONDS) $(ARGS)

# AFL++ runs the queries of covey-snap unless another target is named.
AFL_FUZZ    = $(if $(filter file,$(origin FUZZ)),snap_query,$(FUZZ))
fuzz_preset = $(if $(filter mpi_%,$(FUZZ)),mpi-fuzz,fuzz)
fuzz_folder = $(if $(filter mpi_%,$(FUZZ)),mpi/test,fuzz)
build_fuzz  = scripts/setup clang $(if $(filter mpi_%,$(FUZZ)),mpi) && $(call build,$(fuzz_preset),fuzz_$(FUZZ))

fuzz: ## fuzz FUZZ=world, react, load, merge, follow, steps, manifest, snap_query, inspect_query, inspect_json, inspect_http, mpi_message, mpi_ghosts or mpi_restart, with libFuzzer for FUZZ_SECONDS=60 seconds (needs clang)
	@$(build_fuzz)
	@scripts/corpus unpack $(FUZZ)
	@mkdir -p build/fuzz/corpus/$(FUZZ)
	build/$(fuzz_preset)/$(fuzz_folder)/fuzz_$(FUZZ) -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build/fuzz/ \
	    build/fuzz/corpus/$(FUZZ) build/fuzz/seeds/$(FUZZ)

fuzz-all: ## fuzz each target for FUZZ_SECONDS=60, keep inputs that reach new branches, and count executions in TESTING.md
	@scripts/setup clang
	@scripts/fuzz_all --build --seconds $(FUZZ_SECONDS) $(shell scripts/setup mpi >/dev/null 2>&1 || echo --no-mpi) $(ARGS)

fuzz-afl: ## a second opinion: FUZZ=snap_query, or another target of libFuzzer, under AFL++ for FUZZ_SECONDS=60 seconds
	@scripts/setup afl
	@$(call build,afl,fuzz_$(AFL_FUZZ))
	@scripts/corpus unpack $(AFL_FUZZ)
	@AFL_NO_UI=1 AFL_AUTORESUME=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_BENCH_UNTIL_CRASH=1 \
	    afl-fuzz -V $(FUZZ_SECONDS) -i build/fuzz/seeds/$(AFL_FUZZ) -o build/afl/found -t 10000+ \
	    build/afl/fuzz/fuzz_$(AFL_FUZZ)
	@! ls build/afl/found/default/crashes/id* 2>/dev/null

corpus: ## add the findings of `make fuzz FUZZ=world` to its corpus, and remove inputs that reach no new code (needs clang)
	@$(build_fuzz)
	@scripts/corpus minimise $(FUZZ)

promises: setup ## break each promise of TESTING.md in a copy of the tree, and require that its test fails
	@scripts/promises

analyse: setup ## gcc -fanalyzer, clang --analyze, cppcheck and clang-tidy: no finding without a reason (scripts/analyse/reasons.txt)
	@scripts/setup analyse
	@scripts/analyse/analyse --jobs $(JOBS) $(ARGS)

mutate: setup ## change the library in MUTANTS=3000 small ways, one at a time: does a test notice? (ARGS="--files src/lookup"; needs clang)
	@scripts/setup clang
	@scripts/mutate/mutate --mutants $(MUTANTS) --jobs $(JOBS) $(ARGS)

bench: setup ## run the benchmarks, with portable and with native flags; results in build/bench/*.csv
	@$(call run_bench)

bench-quick: setup ## run only the benchmarks that have a target, at the size of the target
	@$(call run_bench,--quick)

bench-inspect: setup ## what an inspector costs: a poll, the first page of a query, frames with a client
	@$(call build,bench,covey-bench-inspect)
	$(PIN) build/bench/covey-bench-inspect $(ARGS)

define run_bench
$(call build,bench,covey-bench)
$(PIN) build/bench/covey-bench $(1) --csv build/bench/results.csv
@$(call build,bench-native,covey-bench)
$(PIN) build/bench-native/covey-bench $(1) --csv build/bench/results-native.csv
endef

instructions: ## count the instructions of each kind of call, without listeners (needs valgrind)
	@scripts/setup valgrind
	@$(call build,bench,covey-instructions)
	@bench/instructions.sh build/bench/covey-instructions

memory: setup ## the bytes of block pools against three formulas, and of sparse pools; build/bench/memory.csv and memory.svg
	@$(call build,bench,covey-memory covey-memory-narrow)
	build/bench/covey-memory --csv build/bench/memory.csv --svg build/bench/memory.svg $(ARGS)
	build/bench/covey-memory-narrow --sparse $(ARGS)

limits: setup ## the memory that loading takes: scattered entities, and compressed files
	@$(call build,bench,covey-limits)
	build/bench/covey-limits build/bench/limits.covey

# Each program that a test runs leaves its counts in a file of its own.
count = scripts/setup mcdc && rm -rf build/$(1)/profiles && \
    $(call check,$(1),LLVM_PROFILE_FILE=$(CURDIR)/build/$(1)/profiles/%m.profraw)

mcdc: setup ## lines, branches and conditions (MC/DC) that the tests reach, file by file; fails if one has become worse (ARGS=--renew)
	@$(call count,mcdc)
	@scripts/mcdc $(ARGS) build/mcdc

mcdc-hard: setup ## the same with tiny limits, too; compares nothing
	@$(call count,mcdc)
	@$(call count,mcdc-hard)
	@scripts/mcdc --table build/mcdc build/mcdc-hard

docs: ## build the site with all documents and a reference from the headers: build/docs/index.html
	@scripts/setup docs
	@scripts/site/build build/docs

format: ## run clang-format over all C and C++ files
	@scripts/setup clang-format
	@test/format.sh files . | xargs clang-format -i

dist: ## write the library as two files, build/dist/covey.h and build/dist/covey.c, and SHA256SUMS
	@scripts/amalgamate build/dist
	@cd build/dist && $(sha256) covey.h covey.c >SHA256SUMS

page: ## build the page of the inspector, for machines without npm: build/dist/page
	@scripts/setup page
	@cmake -D PAGE=$(CURDIR)/inspect/page -D NPM=$$(command -v npm) -D COPY=$(CURDIR)/build/dist/page \
	    -P inspect/page/page.cmake

deb: setup ## build Debian packages in build/deb: libcovey, libcovey-inspect, libcovey-mpi, their -dev, and covey-snap
	@scripts/setup deb
	@export SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH); umask 022; $(call build,deb) && \
	    cpack --config build/deb/CPackConfig.cmake -B build/deb >/dev/null
	@rm -rf build/deb/_CPack_Packages
	@ls build/deb/*.deb

abi: setup ## compare the ABI of the shared library with the last release (abi/libcovey.abi)
	@scripts/setup dist
	@$(call build,abi,covey)
	@scripts/abi symbols build/abi/libcovey.so $${CC:-cc}
	@scripts/abi check_tree build/abi/libcovey.so

abi-update: setup ## record the ABI of this tree as the last release, in abi/libcovey.abi
	@scripts/setup dist
	@$(call build,abi,covey)
	@scripts/abi dump build/abi/libcovey.so abi/libcovey.abi

# Programs over MPI are skipped if MPI is missing and cannot be installed.
with_mpi = if scripts/setup mpi; then $(1); else echo "$@: skipped, because MPI is missing"; fi

run-mpi: ## an epidemic over 2 ranks of MPI, and the same on one (ARGS="--agents 1000000 --steps 200"); or MODEL=boids
	@$(call with_mpi,$(call build,mpi,$(MODEL)) && examples/mpi/run.sh build/mpi/examples/mpi/$(MODEL) $(ARGS))

check-mpi: ## the tests of worlds over MPI, with OpenMPI and MPICH, on 1 to 4 ranks each
	@$(call with_mpi,$(call build,mpi-dev) && ctest --preset mpi-dev --no-label-summary && \
	    $(call build,mpi-hard) && ctest --preset mpi-hard --no-label-summary && \
	    $(call build,mpi-narrow) && ctest --preset mpi-narrow --no-label-summary && \
	    $(call build,mpich) && ctest --preset mpich --no-label-summary && mpi/test/both.sh build/mpi-dev build/mpich)

bench-mpi: ## the benchmarks of worlds over MPI, on 2 ranks
	@$(call with_mpi,$(call build,mpi) && mpi/bench/run.sh build/mpi)

clean: ## remove everything that was built
	@rm -rf build
