# The front of the build. CMake and Ninja do the work; `make help` lists what can be asked for.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BEGAN := $(shell date +%s)
EXAMPLE = slider_crank

.DEFAULT_GOAL := build
.PHONY: build run test coverage bench check-long format lint docs pictures install deb image dist wheel clean help

# $(call build,preset,directory[,target])
build = @tools/build.sh $(1) $(2) $(JOBS) $(3)
SOURCES = $(shell git ls-files --cached --others --exclude-standard \
	'src/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'bench/*.[ch]' 'examples/*.[ch]' 'python/*.[ch]')

build: ## build the program at build/flexion and both libraries
	$(call build,release,build,product)

run: ## install what is missing, build, simulate a slider crank, say where its pictures are
	@tools/install-packages.sh build
	$(call build,release,build,product)
	@mkdir -p out
	@build/flexion run examples/$(EXAMPLE).yaml -o out/$(EXAMPLE).h5 --csv out/$(EXAMPLE).csv
	@build/flexion plot out/$(EXAMPLE).h5 crank.rate slider.position.x pin.reaction -o out/$(EXAMPLE).svg >/dev/null
	@echo
	@echo "table    out/$(EXAMPLE).csv"
	@echo "results  out/$(EXAMPLE).h5"
	@echo "picture  out/$(EXAMPLE).svg"
	@build/flexion view out/$(EXAMPLE).h5 -o out/$(EXAMPLE).html >/dev/null && echo "motion   out/$(EXAMPLE).html"

test: ## install what is missing, build with gcc and clang, run all tests optimised, with a decimal comma, and again under sanitizers
	@tools/install-packages.sh test
	$(call build,release,build)
	$(call build,ci-clang,build/ci-clang)
	@tools/run_tests.py -j $(JOBS) --began $(BEGAN) "gcc, optimised, decimal comma=build:de_DE.UTF-8" "clang, sanitizers=build/ci-clang"

coverage: ## count the lines of src that the tests run, per folder, into docs/dev/coverage.md
	@tools/install-packages.sh test
	$(call build,coverage,build/coverage)
	@tools/coverage.py -j $(JOBS) build/coverage docs/dev/coverage.md

bench: ## build and run the benchmarks; they print tables, and whether each mark is met
	@tools/install-packages.sh build
	-@tools/install-packages.sh bench # counts and SciPy are skipped where these are missing
	$(call build,bench,build/bench)
	@for program in build/bench/bench/bench_*; do \
		if [ -f $$program ] && [ -x $$program ]; then echo "== $$(basename $$program)"; $$program || exit 1; fi; done
	@if [ -d build/bench/python/flexion ]; then echo "== bench_ecosystem"; /usr/bin/python3 bench/bench_ecosystem.py build/bench/flexion build/bench/python; \
		else echo "bench_ecosystem is left out: the Python package is not built"; fi
	@echo "== bench_reduction.py"; /usr/bin/python3 bench/bench_reduction.py build/bench
	@echo "== bench_batch"; sh bench/bench_batch.sh $(CURDIR)/build/bench/flexion $(CURDIR)
	@if [ -d viewer/node_modules/playwright-core ]; then echo "== bench_page"; node bench/bench_page.mjs build/bench/flexion; \
		else echo "bench_page is left out: 'make test' fetches its driver of browsers"; fi

check-long: ## compare the library with its last release, fuzz the reader for a minute, run the tests under valgrind, threads under ThreadSanitizer, all tests whole under sanitizers, and the long tests
	@tools/install-packages.sh long
	$(call build,release,build)
	$(call build,fuzz,build/fuzz)
	$(call build,tsan,build/tsan,test_instances)
	$(call build,ci-clang,build/ci-clang)
	@tools/check_abi.sh
	@tools/check_long.sh

format: ## lay out the sources with clang-format
	@tools/install-packages.sh lint
	@clang-format -i $(SOURCES)

lint: ## layout, clang-tidy, include layers, exported symbols
	@tools/install-packages.sh lint
	$(call build,release,build)
	@clang-format --dry-run -Werror $(SOURCES)
	@tools/check_layers.py
	@tools/check_kinds.py
	@tools/check_api.sh build/src/libflexion.so
	@tools/lint.sh build $(JOBS)

docs: ## the documentation as web pages in site/, and the man pages
	@tools/install-packages.sh docs
	$(call build,release,build,product)
	@build/flexion language --schema schema/flexion.schema.json --reference docs/reference.md
	@tools/write_references.py docs/api
	@mkdocs build --quiet --strict
	@echo "pages      site/index.html"
	@echo "man pages  build/flexion.1 build/flexion-model.5"

pictures: ## draw the pictures of the documentation anew
	$(call build,release,build,product)
	@tools/draw_docs.sh build/flexion
	@tools/draw_signs.py
	@node tools/draw_pages.mjs build/flexion
	@node tools/draw_studio.mjs build/flexion

install: ## install under PREFIX (default /usr/local); DESTDIR is respected
	$(call build,release,build,product)
	@cmake --install build --prefix $(PREFIX) >/dev/null
	@echo "installed under $(DESTDIR)$(PREFIX)"

deb: ## Debian packages in build/deb, which lintian finds no errors in
	@tools/build_deb.sh

image: ## a root file system of Debian with the program, for containers, in build/image
	@ls build/deb/flexion_*.deb >/dev/null 2>&1 || tools/build_deb.sh
	@tools/make_image.sh build/deb build/image

dist: ## an archive of the sources that builds without node, in build/dist
	@tools/install-packages.sh build
	$(call build,release,build,product)
	@tools/make_dist.sh build build/dist

wheel: ## the Python package with all libraries inside, for pip, in build/wheel
	@tools/install-packages.sh build
	$(call build,release,build,flexion_wheel)
	@tools/build_wheel.py build/python/flexion build/python/wheel/_flexion.abi3.so build/wheel

clean: ## remove everything that was built
	@rm -rf build out site

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
