# fbtools. `make help` lists the targets. CONFIG is release, debug, asan, ubsan, coverage or fuzz; each
# has its own folder under build/. config.mk, if there is one, is read first; CFLAGS, LDFLAGS, CC,
# PREFIX and DESTDIR are the user's.
.SUFFIXES:
.DELETE_ON_ERROR:
-include config.mk

CONFIG ?= release
PREFIX ?= /usr/local
CC ?= cc
CORPUS ?= $(if $(wildcard ../shared/corpus),../shared,)
VERSION := $(shell sed -n 's/.*FB_VERSION "\(.*\)"/\1/p' libcore/version.h)
# Packages of Debian 12: to build, and what `make check` needs besides.
PACKAGES := pkg-config libxml2-dev libjansson-dev nettle-dev liblapacke-dev \
  libopenblas-dev libcairo2-dev libegl-dev libgl-dev libopengl-dev libgl1-mesa-dri libpng-dev libcglm-dev libassimp-dev \
  zlib1g-dev libcunit1-dev jq python3-jsonschema libxml2-utils
LIBRARIES := libxml-2.0 jansson nettle zlib

BUILD := build/$(CONFIG)
TOOLS := osim2fb fb2osim fbinfo fbgen retarget fbsim fbplot
BIN := bin
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wstrict-prototypes \
  -Wmissing-prototypes -Wvla -Wcast-qual -Wformat=2 $(if $(WERROR),-Werror)
OPTIMISE_release := -O3
OPTIMISE_debug := -O0
OPTIMISE_asan := -O1 -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
OPTIMISE_ubsan := -O1 -fsanitize=undefined -fno-sanitize-recover=undefined
OPTIMISE_coverage := -O0 --coverage
OPTIMISE_fuzz := -O1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined
SANITIZE := $(filter -fsanitize% --coverage,$(OPTIMISE_$(CONFIG)))
CLIBS = $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null | sed 's/-I/-isystem /g')
LIBS = $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null) -lm
# dense linear algebra: for what simulates only, loading it takes milliseconds
ALGEBRA := -llapacke -lopenblas
# drawing: for fbplot only
DRAWING = $(shell pkg-config --libs cairo 2>/dev/null)
# pictures of scenes: for what uses tools/scene.h only
PICTURES = $(shell pkg-config --libs egl opengl libpng cairo 2>/dev/null)
# mesh files: for what writes them
MESHES := -lassimp
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -g -fPIC -ffp-contract=off -fno-math-errno -fvisibility=default $(WARNINGS) \
  $(OPTIMISE_$(CONFIG)) -I. $(CLIBS) $(CFLAGS)

LIB_SOURCES := $(sort $(wildcard libcore/*/*.c formats/*.c))
CLI_SOURCES := $(filter-out %_main.c,$(wildcard tools/*.c))
HEADERS := $(sort $(wildcard libcore/*.h libcore/*/*.h formats/*.h))
# for the library's own files, or in need of other libraries' headers
INTERNAL_HEADERS := formats/cells.h formats/features_read.h formats/json.h formats/mesh_parts.h formats/mesh_ply.h formats/mesh_vtk.h formats/xml.h formats/osim_extra.h formats/osim_stages.h formats/osim_read.h \
  formats/osim_upgrade.h formats/skeleton_list.h libcore/motion/joints.h libcore/motion/left_out.h libcore/motion/reduce.h libcore/motion/solve.h \
  libcore/bundle/envelope.h libcore/bundle/isosurface.h libcore/bundle/mesh.h libcore/bundle/place_rows.h libcore/bundle/recipe_internal.h \
  libcore/muscle/course.h libcore/muscle/force_internal.h libcore/muscle/hill.h libcore/muscle/wrap_shapes.h \
  libcore/register/fibers_internal.h libcore/register/landmarks_internal.h libcore/register/surface_internal.h libcore/register/transform_internal.h \
  libcore/register/align_internal.h libcore/register/carry_internal.h
PUBLIC_HEADERS := $(filter-out $(INTERNAL_HEADERS),$(HEADERS))
object = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB := $(BUILD)/libfb.a
CLI := $(BUILD)/cli.a
BINARIES := $(TOOLS:%=$(BUILD)/%)
TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/*/test_*.c))
# what holds for any model; with its own malloc, which counts
PROPERTIES := $(BUILD)/tests/properties/properties
# how near two surfaces lie to each other: for tests/bundles_lhdl.py
COMPARE := $(BUILD)/tests/bundle/compare_surfaces
# landmarks of real bones, measured
LANDMARKS := $(BUILD)/tests/register/landmarks_corpus
TEST_HELP := $(call object,tests/help.c)

.PHONY: all lib tools help deps demo check check-all test install uninstall asan ubsan valgrind coverage bench fuzz \
  lint format golden docs dist clean
all: tools lib

tools: $(BINARIES) | $(BIN)
	@if [ $(CONFIG) = release ]; then cp --remove-destination $(BINARIES) $(BIN)/; fi
lib: $(LIB) $(BUILD)/libfb.so

$(BIN):
	mkdir -p $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(LIB): $(call object,$(LIB_SOURCES))
	rm -f $@ && $(AR) rcs $@ $^
$(CLI): $(call object,$(CLI_SOURCES))
	rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/libfb.so: $(call object,$(LIB_SOURCES))
	$(CC) -shared -Wl,-soname,libfb.so.0 $(SANITIZE) $(LDFLAGS) $^ $(ALGEBRA) $(MESHES) $(LIBS) -o $@

$(BUILD)/fbsim $(BUILD)/fbgen $(BUILD)/fb2osim $(BUILD)/retarget: LIBS += $(ALGEBRA)
$(BUILD)/fbgen $(BUILD)/retarget: LIBS += $(MESHES)
$(BUILD)/retarget $(BUILD)/tests/tools/test_retarget: LIBS += $(PICTURES)
$(BUILD)/fbplot $(BUILD)/tests/tools/test_fbplot $(BUILD)/tests/tools/test_fbplot_fbsim: LIBS += $(DRAWING)
$(BUILD)/tests/tools/test_scene $(BUILD)/docs/gallery: LIBS += $(PICTURES)
$(BUILD)/tools/scene_png.o $(BUILD)/tests/tools/test_scene.o: CLIBS += $(shell pkg-config --cflags libpng 2>/dev/null | sed 's/-I/-isystem /g')
$(BUILD)/tools/fbplot_canvas.o $(BUILD)/tools/scene_overlay.o $(BUILD)/tests/tools/test_fbplot.o: CLIBS += $(shell pkg-config --cflags cairo 2>/dev/null | sed 's/-I/-isystem /g')
$(BUILD)/tests/formats/test_mesh_write $(BUILD)/tests/tools/test_retarget $(BUILD)/tests/tools/test_fb2osim_bundles $(BUILD)/tests/tools/test_fbgen $(BUILD)/tests/tools/test_fbgen_refusals: LIBS += $(MESHES)
$(BINARIES): $(BUILD)/%: $(BUILD)/tools/%_main.o $(CLI) $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(LIBS) -o $@

$(TESTS): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(TEST_HELP) $(CLI) $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(ALGEBRA) $(LIBS) -lcunit -o $@

$(BUILD)/tests/tools/test_gallery: | $(BUILD)/docs/gallery
$(COMPARE): $(BUILD)/tests/bundle/compare_surfaces.o $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(LIBS) -o $@

$(LANDMARKS): $(BUILD)/tests/register/landmarks_corpus.o $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(LIBS) -o $@

-include $(shell find build -name '*.d' 2>/dev/null)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

deps: ## install the packages that are missing
	@sh tests/packages.sh $(PACKAGES)

demo: deps ## build, convert and evaluate a model of the elbow, give the muscles of an arm bundles, draw both
	@$(MAKE) --no-print-directory tools $(BUILD)/docs/gallery
	@sh models/elbow/demo.sh
	@sh models/arm/demo.sh $(BUILD)

test: tools lib $(TESTS) ## run the unit tests (CONFIG=asan for sanitizers)
	@sh tests/run.sh $(BUILD) $(TESTS)

check: deps ## all tests; with CORPUS=../shared also the shared models
	@$(MAKE) --no-print-directory check-all

check-all: test $(PROPERTIES) $(COMPARE) $(LANDMARKS)
	@sh tests/check.sh $(BUILD) "$(CORPUS)"

install: all ## install under PREFIX (and DESTDIR)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $(BINARIES) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(LIB) $(DESTDIR)$(PREFIX)/lib/libfb.a
	install -m 755 $(BUILD)/libfb.so $(DESTDIR)$(PREFIX)/lib/libfb.so.0
	ln -sf libfb.so.0 $(DESTDIR)$(PREFIX)/lib/libfb.so
	for h in $(PUBLIC_HEADERS); do install -D -m 644 $$h $(DESTDIR)$(PREFIX)/include/fbtools/$$h; done
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' docs/fb.pc.in \
	  > $(DESTDIR)$(PREFIX)/lib/pkgconfig/fb.pc
	install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1

uninstall: ## remove what install put there
	rm -f $(TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%) $(DESTDIR)$(PREFIX)/lib/libfb.a $(DESTDIR)$(PREFIX)/lib/libfb.so $(DESTDIR)$(PREFIX)/lib/libfb.so.0 \
	  $(DESTDIR)$(PREFIX)/lib/pkgconfig/fb.pc $(TOOLS:%=$(DESTDIR)$(PREFIX)/share/man/man1/%.1)
	rm -rf $(DESTDIR)$(PREFIX)/include/fbtools

asan: ## tests under the address and undefined-behaviour sanitizers
	$(MAKE) CONFIG=asan test
ubsan: ## tests under the undefined-behaviour sanitizer
	$(MAKE) CONFIG=ubsan test
valgrind: $(TESTS) tools ## tests under valgrind
	@FB_WRAPPER="valgrind -q --leak-check=full --error-exitcode=9 --suppressions=tests/valgrind.supp" sh tests/run.sh $(BUILD) $(TESTS)
coverage: ## which lines the tests reach
	$(MAKE) CONFIG=coverage test
	@sh tests/coverage.sh build/coverage

bench: tools $(BUILD)/tests/bench/mechanics $(BUILD)/tests/bench/bundles ## reading beside xmllint on the same files; the mechanics by stage, and beside MuJoCo's; placing bundles
	@sh tests/bench/bench.sh $(BUILD) "$(CORPUS)"
	@$(BUILD)/tests/bench/mechanics $(BENCH_MODELS)
	@if [ -e /usr/include/mujoco/mujoco.h ]; then $(MAKE) -s $(BUILD)/tests/bench/mujoco && \
	  $(BUILD)/tests/bench/mujoco $(BENCH_MODELS); else echo "MuJoCo's speed: needs libmujoco-dev"; fi
	@$(BUILD)/tests/bench/bundles models/arm/arm25.osim models/arm/arm25.json

BENCH_MODELS = models/elbow/elbow.osim $(if $(CORPUS),$(foreach n,0001 0023 0056 0172 0940,\
  $(wildcard $(CORPUS)/corpus/osim/$(n)_*.osim)) $(CORPUS)/corpus/pipelines/Gait2392_Simbody/gait2392_simbody.osim)
$(BUILD)/tests/bench/mechanics $(BUILD)/tests/bench/bundles $(BUILD)/tests/bench/mujoco: $(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(if $(findstring mujoco,$@),-lmujoco) $(ALGEBRA) $(LIBS) -o $@

$(PROPERTIES): $(call object,$(wildcard tests/properties/*.c)) $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(ALGEBRA) $(LIBS) -o $@

FUZZ_SECONDS ?= 60
FUZZERS := build/fuzz/fuzz_osim build/fuzz/fuzz_fb build/fuzz/fuzz_mesh
fuzz: ## libFuzzer targets, FUZZ_SECONDS each (clang)
	$(MAKE) CC=clang CONFIG=fuzz $(FUZZERS)
	@sh tests/fuzz/run.sh $(FUZZ_SECONDS) $(FUZZERS)
$(FUZZERS): build/fuzz/%: build/fuzz/tests/fuzz/%.o build/fuzz/libfb.a
	$(CC) -fsanitize=address,undefined,fuzzer $(LDFLAGS) $^ $(ALGEBRA) $(LIBS) -o $@

lint: ## include rules, headers alone in C and C++, scripts, cppcheck if there is one
	@sh tests/lint.sh
format: ## clang-format all sources
	clang-format -i $(filter-out libcore/model/classes_%,$(LIB_SOURCES) $(HEADERS)) $(wildcard tools/*.[ch] tests/*.[ch] tests/*/*.[ch])
golden: tools ## rewrite the expected outputs; git diff then shows what changed
	@sh tests/golden.sh $(BUILD) update
docs: tools $(BUILD)/docs/generate $(BUILD)/docs/gallery ## regenerate what docs/ holds of the class tables and options, and its pictures
	@sh docs/generate.sh $(BUILD)
$(BUILD)/docs/generate: $(call object,docs/generate.c) $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(LIBS) -o $@
$(BUILD)/docs/gallery: $(call object,$(wildcard docs/gallery*.c)) $(CLI) $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(ALGEBRA) $(LIBS) -o $@
dist: ## a source archive
	git archive --prefix=fbtools-$(VERSION)/ -o fbtools-$(VERSION).tar.gz HEAD
clean: ## remove all that was built
	rm -rf build bin
