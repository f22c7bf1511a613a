/* Layers of bundles: what is written is read back bit for bit, and lines that are wrong. */
#include "formats/layers.h"

#include <time.h>

#include "tests/bundle/bodies.h"
#include "tests/help.h"

static char *written(const fb_body *bodies, size_t n, size_t *size) {
    fb_text text;
    fb_text_init(&text, NULL);
    for (size_t i = 0; i < n; i++) {
        fb_layers_write(&text, &bodies[i]);
    }
    const char *string = fb_text_string(&text);
    *size = text.n;
    char *copy = strdup(string ? string : "");
    fb_text_free(&text);
    return copy;
}

static void check_same(const fb_body *got, const fb_body *want) {
    FB_EQUAL_STR(got->name, want->name);
    FB_SAME(got->time, want->time);
    if (!FB_EQUAL_INT(got->n_bundles, want->n_bundles) ||
        !FB_EQUAL_INT(got->n_rings, want->n_rings)) {
        return;
    }
    for (size_t i = 0; i < want->n_bundles; i++) {
        const fb_bundle *a = got->bundles + i, *b = want->bundles + i;
        FB_EQUAL_INT(a->cell[0], b->cell[0]);
        FB_EQUAL_INT(a->cell[1], b->cell[1]);
        FB_EQUAL_INT(a->order, b->order);
        FB_SAME(a->volume, b->volume);
        FB_SAME(a->length, b->length);
        FB_SAME(a->ratio, b->ratio);
        FB_SAME(a->belly[0], b->belly[0]);
        FB_SAME(a->belly[1], b->belly[1]);
        FB_EQUAL_INT(a->first, b->first);
        FB_EQUAL_INT(a->rings, b->rings);
        for (int end = 0; end < 2; end++) {
            FB_EQUAL_STR(a->head[end] >= 0 ? got->heads[a->head[end]] : NULL,
                         b->head[end] >= 0 ? want->heads[b->head[end]] : NULL);
        }
    }
    FB_TRUE(memcmp(got->rings, want->rings, want->n_rings * sizeof *want->rings) == 0, "rings");
}

static void bodies_come_back(void) {
    lattice l = {.radius = 3,
                 .rings = 7,
                 .a = 0.002,
                 .b = 0.001,
                 .length = 0.1,
                 .tendon = 0.02,
                 .thin = 0.3,
                 .bend = 1,
                 .twist = 0.7};
    fb_body want[3];
    want[0] = lattice_body(&l);
    l.fork = 0.4;
    want[1] = lattice_body(&l);
    want[1].time = 0.25;
    want[1].bundles[0].head[0] = -1; /* a head above only */
    want[1].bundles[1].head[1] = -1; /* below only */
    want[1].bundles[2].head[1] = want[1].bundles[2].head[0];
    want[1].bundles[3].head[0] = want[1].bundles[3].head[1] = -1;
    want[2] = lattice_body(&l);
    want[2].time = 0.5;
    want[2].bundles[1].volume = FB_NAN;
    want[2].bundles[1].belly[0] = want[2].bundles[1].belly[1] = FB_NAN;
    free(want[2].name);
    want[2].name = strdup("a \"b\"\\\xc3\xa9");
    size_t size, n = 0;
    char *text = written(want, 3, &size);
    fb_body *got;
    fb_diag diag;
    fb_diag_init(&diag);
    FB_EQUAL_INT(fb_layers_read(&got, &n, text, size, "x.jsonl", &diag), FB_OK);
    FB_EQUAL_INT(n, 3);
    for (size_t i = 0; i < n; i++) {
        check_same(&got[i], &want[i]);
    }
    fb_layers_free(got, n);
    fb_diag_clear(&diag);
    for (int i = 0; i < 3; i++) {
        fb_body_free(&want[i]);
    }
    free(text);
}

static void the_form_is_as_documented(void) {
    fb_bundle bundle = {.cell = {-1, 2},
                        .order = 5,
                        .head = {0, 1},
                        .volume = 1e-7,
                        .length = 0.25,
                        .ratio = 0.5,
                        .belly = {0.05, 0.2},
                        .first = 0,
                        .rings = 2};
    fb_ring rings[2] = {{{0, 0, 0.1}, {0.002, 0, 0}, {0, 0.001, 0}},
                        {{0, 0.1 + 0.2, 0.35}, {0.001, 0, 0}, {0, 5e-4, -0.0}}};
    char *heads[] = {(char[]){"c"}, (char[]){"a"}};
    const fb_body body = {.name = (char[]){"biceps"},
                          .heads = heads,
                          .n_heads = 2,
                          .bundles = &bundle,
                          .n_bundles = 1,
                          .rings = rings,
                          .n_rings = 2,
                          .time = 1.5};
    size_t size;
    char *text = written(&body, 1, &size);
    FB_EQUAL_STR(
        text, "{\"muscle\":\"biceps\",\"head\":\"c/a\",\"time\":1.5,\"bundle\":5,\"cell\":[-1,2],"
              "\"volume\":1e-7,\"length\":0.25,\"ratio\":0.5,\"belly\":[0.05,0.2],\"rings\":["
              "{\"c\":[0,0,0.1],\"u\":[0.002,0,0],\"w\":[0,0.001,0]},"
              "{\"c\":[0,0.30000000000000004,0.35],\"u\":[0.001,0,0],\"w\":[0,0.0005,-0.0]}]}\n");
    free(text);
}

#define RING "{\"c\":[0,0,1],\"u\":[1,0,0],\"w\":[0,1,0]}"
#define LINE(MEMBERS) "{\"muscle\":\"m\"," MEMBERS "\"rings\":[" RING "," RING "]}"
#define GOOD LINE("\"bundle\":1,\"cell\":[0,0],\"more\":{\"x\":[1]},\"time\":null,")

static void refuses_lines_that_are_wrong(void) {
    static const struct {
        const char *text, *says;
        int line;
    } bad[] = {
        {"", "no bundles", 0},
        {"\n \r\n", "no bundles", 0},
        {GOOD "\n{\"muscle\":", "well-formed", 2},
        {GOOD "\n\n[]", "name of its muscle", 3},
        {"7", "name of its muscle", 1},
        {LINE("\"cell\":[0,0],"), "bundle is not a whole number", 1},
        {LINE("\"bundle\":1.5,\"cell\":[0,0],"), "bundle is not a whole number", 1},
        {LINE("\"bundle\":1,"), "needs its cell", 1},
        {LINE("\"bundle\":1,\"cell\":[0,0.5],"), "cell is not a whole number", 1},
        {LINE("\"bundle\":1,\"cell\":[0,1e99],"), "cell is not a whole number", 1},
        {LINE("\"bundle\":1,\"cell\":[0,0],\"volume\":\"1\","), "volume is not a number", 1},
        {LINE("\"bundle\":1,\"cell\":[0,0],\"belly\":[1],"), "belly is not two numbers", 1},
        {LINE("\"bundle\":1,\"cell\":[0,0],\"head\":1,"), "head is not a text", 1},
        {"{\"muscle\":\"m\",\"bundle\":1,\"cell\":[0,0],\"rings\":[" RING "]}", "two or more", 1},
        {"{\"muscle\":\"m\",\"bundle\":1,\"cell\":[0,0]}", "two or more", 1},
        {"{\"muscle\":\"m\",\"bundle\":1,\"cell\":[0,0],\"rings\":[" RING ",{\"c\":[0,0,1]}]}",
         "ring 2 is not", 1},
        {"{\"muscle\":\"m\",\"bundle\":1,\"cell\":[0,0],\"rings\":[" RING ",3]}", "ring 2", 1},
        {"{\"muscle\":\"m\",\"bundle\":1,\"cell\":[0,0],\"rings\":[" RING
         ",{\"c\":[0,0,1e200],\"u\":[1,0,0],\"w\":[0,1,0]}]}",
         "ring 2", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fb_body *bodies;
        size_t n;
        fb_diag diag;
        fb_diag_init(&diag);
        fb_status status = fb_layers_read(&bodies, &n, bad[i].text, strlen(bad[i].text), "x.jsonl",
                                          &diag);
        FB_TRUE(status == FB_E_INPUT && !bodies && n == 0, "%s", bad[i].text);
        FB_EQUAL_INT(diag.counts[FB_ERROR], 1);
        FB_HOLDS(diag.n ? diag.records[0].message : "", bad[i].says);
        FB_EQUAL_INT(diag.n ? diag.records[0].line : -1, bad[i].line);
        fb_diag_clear(&diag);
    }
}

static void lack_of_memory_is_told(void) {
    const char *text = GOOD "\n" LINE("\"bundle\":2,\"cell\":[1,0],\"head\":\"a/b\",") "\n";
    for (long fail = 1; fail < 1000; fail++) {
        fb_body *bodies;
        size_t n;
        fb_diag diag;
        fb_diag_init(&diag);
        fb_alloc_fail_at(fail);
        fb_status status = fb_layers_read(&bodies, &n, text, strlen(text), "x.jsonl", &diag);
        fb_alloc_fail_at(0);
        fb_diag_clear(&diag);
        if (status == FB_OK) {
            FB_EQUAL_INT(bodies[0].n_bundles, 2);
            FB_EQUAL_INT(bodies[0].n_heads, 2);
            FB_TRUE(isnan(bodies[0].bundles[0].volume), "volume");
            fb_layers_free(bodies, n);
            FB_TRUE(fail > 5, "%ld", fail);
            return;
        }
        FB_EQUAL_INT(status, FB_E_MEMORY);
    }
    FB_TRUE(false, "never enough memory");
}

/* 25 muscles of 400 bundles with 33 rings: the brief of the tool is 2 s. */
static void ten_thousand_bundles_are_written_fast(void) {
    const lattice l = {.radius = 11.3,
                       .rings = 33,
                       .a = 0.002,
                       .b = 0.001,
                       .length = 0.2,
                       .tendon = 0.03,
                       .thin = 0.3,
                       .bend = 1,
                       .twist = 0.3};
    int muscles = fb_test_is_fast() ? 25 : 1;
    fb_body body = lattice_body(&l);
    FILE *file = tmpfile();
    fb_text text;
    fb_text_init(&text, file);
    clock_t start = clock();
    for (int i = 0; i < muscles; i++) {
        fb_layers_write(&text, &body);
    }
    FB_EQUAL_INT(fb_text_flush(&text), FB_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    FB_TRUE(!fb_test_is_fast() || seconds < 3, "%g s", seconds);
    fb_text_free(&text);
    fclose(file);
    fb_body_free(&body);
}

static const fb_test tests[] = {
    FB_TEST(bodies_come_back),
    FB_TEST(the_form_is_as_documented),
    FB_TEST(refuses_lines_that_are_wrong),
    FB_TEST(lack_of_memory_is_told),
    FB_TEST(ten_thousand_bundles_are_written_fast),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("layers", tests, argc, argv);
}
