/* New skeletons: folders of meshes with and without a list, units, guesses of bodies, models; what
 * is refused. */
#include "formats/skeleton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/help.h"

/* A box with its low corner at x = `at`, of sides `size` and twice and three times it. */
static void write_box(const char *folder, const char *name, double at, double size) {
    static const int sides[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5},
                                    {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
    char text[2000];
    int n = 0;
    for (int i = 0; i < 8; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "v %.17g %.17g %.17g\n",
                      at + (i & 1 ? size : 0), i & 2 ? 2 * size : 0, i & 4 ? 3 * size : 0);
    }
    for (int i = 0; i < 6; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "f %d %d %d %d\n", sides[i][0],
                      sides[i][1], sides[i][2], sides[i][3]);
    }
    fb_test_write_file(fb_test_path(folder, name), text, (size_t)n);
}

static void write_text(const char *folder, const char *name, const char *text) {
    char *quoted = fb_test_quotes(strdup(text));
    fb_test_write_file(fb_test_path(folder, name), quoted, strlen(quoted));
    free(quoted);
}

/* A model with those bodies, each free in ground. */
static fb_model *model_of(const char *const *bodies, const char *geometry, const char *frames) {
    fb_text text;
    fb_diag diag;
    fb_text_init(&text, NULL);
    fb_text_puts(&text, "{'fb': '1.0', 'name': 'm', 'bodies': [");
    for (int i = 0; bodies[i]; i++) {
        fb_text_printf(&text,
                       "%s{'name': '%s', 'mass': 1, 'mass_center': [0, 0, 0], 'inertia': [1, 1, "
                       "1, 0, 0, 0]%s}",
                       i ? ", " : "", bodies[i], i == 0 ? geometry : "");
    }
    fb_text_puts(&text, "], 'joints': [");
    for (int i = 0; bodies[i]; i++) {
        fb_text_printf(&text,
                       "%s{'name': 'j%d', 'type': 'free', 'parent': 'ground', 'child': '%s'}",
                       i ? ", " : "", i, bodies[i]);
    }
    fb_text_printf(&text, "]%s}", frames);
    char *quoted = fb_test_quotes(strdup(fb_text_string(&text)));
    fb_model *model = fb_test_must(fb_test_fb(quoted, &diag, NULL), &diag);
    free(quoted);
    fb_text_free(&text);
    fb_diag_clear(&diag);
    return model;
}

static const char *const leg[] = {"pelvis",  "femur_r", "femur_l", "tibia_r", "tibia_l",
                                  "talus_r", "talus_l", "calcn_r", "calcn_l", NULL};

typedef struct got {
    fb_skeleton skeleton;
    fb_diag diag;
    fb_status status;
} got;

static got read_folder(const char *folder, const fb_model *standard, fb_unit unit) {
    got g;
    fb_diag_init(&g.diag);
    g.status = fb_skeleton_read_folder(&g.skeleton, folder,
                                       &(fb_skeleton_options){.standard = standard, .unit = unit},
                                       &g.diag);
    size_t n;
    char *list = fb_test_read_file(fb_test_path(folder, "meshes.json"), &n);
    if (g.status == FB_OK && list) {
        fb_test_store_as("meshes", list, n);
    }
    fb_free(list);
    return g;
}

static void drop(got *g) {
    fb_skeleton_free(&g->skeleton);
    fb_skeleton_free(&g->skeleton);
    fb_diag_clear(&g->diag);
}

/* A bone's box. */
static void expect_box(const got *g, const char *body, double low, double high, double top) {
    const fb_skeleton_bone *bone = fb_skeleton_find(&g->skeleton, body);
    if (FB_TRUE(bone && bone->surface, "no bone '%s': %s", body,
                g->diag.n ? g->diag.records[0].message : "")) {
        FB_NEAR(bone->surface->low[0], low, 1e-15, 1e-15);
        FB_NEAR(bone->surface->high[0], high, 1e-15, 1e-15);
        FB_NEAR(bone->surface->high[2], top, 1e-15, 1e-15);
    }
}

static void reads_a_list(void) {
    const char *folder = fb_test_folder();
    fb_model *standard = model_of(leg, "", "");
    write_box(folder, "a.obj", 100, 120);
    write_box(folder, "b.obj", 0, 50);
    write_box(folder, "c.obj", 0.2, 0.1);
    write_box(folder, "d.obj", 0, 1);
    write_text(folder, "meshes.json",
               "{'unit': 'mm', 'meshes': [\n{'file': 'a.obj', 'body': 'femur_r'},\n"
               "{'file': './b.obj', 'body': 'femur_r'},\n{'file': 'c.obj', 'body': 'pelvis', "
               "'unit': 'm'}]}");
    got g = read_folder(folder, standard, FB_UNIT_DETECT);
    FB_EQUAL_INT(g.status, FB_OK);
    FB_EQUAL_INT(g.skeleton.n, 2);
    FB_EQUAL_INT(g.skeleton.unit, FB_UNIT_MM);
    FB_TRUE(!g.skeleton.detected, "it was said");
    expect_box(&g, "femur_r", 0, 0.22, 0.36);
    expect_box(&g, "pelvis", 0.2, 0.1 + 0.2, 0.1 * 3);
    FB_NEAR(g.skeleton.largest, 0.36, 1e-12, 0);
    const fb_skeleton_bone *femur = fb_skeleton_find(&g.skeleton, "femur_r");
    if (FB_TRUE(femur && femur->n == 2, "two meshes")) {
        FB_EQUAL_STR(femur->meshes[1].file, "./b.obj");
        FB_SAME(femur->meshes[0].scale[1], 1e-3);
        FB_EQUAL_INT(femur->meshes[0].n_vertices, 8);
        FB_EQUAL_INT(femur->meshes[0].n_faces, 12);
        FB_EQUAL_INT(femur->surface->n_faces, 24);
        FB_EQUAL_INT(femur->line, 2);
        FB_TRUE(!femur->guessed, "said");
    }
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1414, 0);
    FB_HOLDS(r ? r->message : "", "does not name 1 of the folder's meshes: d.obj");
    drop(&g);
    g = read_folder(fb_test_path(folder, "meshes.json"), standard, FB_UNIT_DETECT);
    FB_EQUAL_INT(g.skeleton.n, 2);
    drop(&g);
    fb_model_free(standard);
}

static void guesses_bodies(void) {
    static const char *const files[][2] = {
        {"femur_r.obj", "femur_r"},  {"L_Femur_final.obj", "femur_l"}, {"hip_r.obj", "pelvis"},
        {"hip_l.obj", "pelvis"},     {"sacrum.obj", "pelvis"},         {"tibia_r.obj", "tibia_r"},
        {"fibula_r.obj", "tibia_r"}, {"S01 talus_l 2.obj", "talus_l"}, {"foot_l.obj", "calcn_l"},
    };
    const char *folder = fb_test_folder();
    fb_model *standard = model_of(leg, "", "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_box(folder, files[i][0], 0, 0.1);
    }
    write_text(folder, "notes.txt", "x");
    write_text(folder, ".hidden.obj", "x");
    got g = read_folder(folder, standard, FB_UNIT_DETECT);
    FB_EQUAL_INT(g.status, FB_OK);
    FB_HOLDS(g.diag.n ? g.diag.records[0].message : "none", "none");
    FB_EQUAL_INT(g.skeleton.unit, FB_UNIT_M);
    FB_TRUE(g.skeleton.detected, "by size");
    FB_EQUAL_INT(g.skeleton.n, 6);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const fb_skeleton_bone *bone = fb_skeleton_find(&g.skeleton, files[i][1]);
        bool found = false;
        for (size_t k = 0; bone && k < bone->n; k++) {
            found |= strcmp(bone->meshes[k].file, files[i][0]) == 0;
        }
        FB_TRUE(found && bone->guessed, "%s", files[i][0]);
    }
    drop(&g);
    g = read_folder(folder, NULL, FB_UNIT_DETECT); /* no standard: names of files */
    FB_EQUAL_INT(g.status, FB_OK);
    FB_TRUE(fb_skeleton_find(&g.skeleton, "sacrum") != NULL, "sacrum");
    drop(&g);
    fb_model_free(standard);
}

/* A bone that the standard lacks, and one in two formats. */
static void leaves_out_what_is_no_bone_of_it(void) {
    const char *folder = fb_test_folder();
    fb_model *standard = model_of(leg, "", "");
    write_box(folder, "femur_r.obj", 0, 0.1);
    write_text(folder, "femur_r.ply", "never read");
    write_box(folder, "patella_r.obj", 0, 0.02);
    got g = read_folder(folder, standard, FB_UNIT_DETECT);
    FB_EQUAL_INT(g.status, FB_OK);
    FB_EQUAL_INT(g.skeleton.n, 1);
    FB_EQUAL_INT(g.diag.n, 2);
    FB_HOLDS(g.diag.n ? g.diag.records[0].message : "",
             "'femur_r.ply' is taken for the same mesh as 'femur_r.obj'");
    FB_HOLDS(g.diag.n > 1 ? g.diag.records[1].message : "", "'patella_r.obj' is a patella");
    drop(&g);
    fb_model_free(standard);
}

static void guesses_the_other_side_in_a_mirror(void) {
    static const char *const right[] = {"pelvis", "femur_r", "tibia_r", NULL};
    const char *folder = fb_test_folder();
    fb_model *standard = model_of(right, "", "");
    write_box(folder, "femur_l.obj", 0, 0.1);
    got g = read_folder(folder, standard, FB_UNIT_DETECT);
    FB_EQUAL_INT(g.status, FB_E_INPUT);
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1414, 0);
    FB_RECORD(&g.diag, FB_ERROR, FB1414, 0);
    FB_HOLDS(r ? r->message : "",
             "'femur_l.obj' is of the left side, and the standard body has only "
             "'femur_r'");
    drop(&g);
    fb_diag_init(&g.diag);
    FB_EQUAL_INT(fb_skeleton_read_folder(&g.skeleton, folder,
                                         &(fb_skeleton_options){.standard = standard,
                                                                .mirror = true},
                                         &g.diag),
                 FB_OK);
    FB_TRUE(fb_skeleton_find(&g.skeleton, "femur_r") != NULL, "the right one");
    drop(&g);
    fb_model_free(standard);
}

static void finds_the_unit(void) {
    static const struct {
        double size;
        fb_unit given, unit;
        const char *says; /* NULL: fine */
    } cases[] = {
        {150, FB_UNIT_DETECT, FB_UNIT_MM, NULL},
        {0.15, FB_UNIT_DETECT, FB_UNIT_M, NULL},
        {150, FB_UNIT_MM, FB_UNIT_MM, NULL},
        {0.15, FB_UNIT_M, FB_UNIT_M, NULL},
        {150, FB_UNIT_M, FB_UNIT_M, "450 m long if its numbers are metres; give its unit as mm"},
        {0.15, FB_UNIT_MM, FB_UNIT_MM, "if its numbers are millimetres; give its unit as m"},
        {2, FB_UNIT_DETECT, FB_UNIT_M, "6 m long"},
        {1e5, FB_UNIT_DETECT, FB_UNIT_MM, "are they of another unit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *folder = fb_test_folder();
        write_box(folder, "femur_r.obj", 0, cases[i].size);
        got g = read_folder(folder, NULL, cases[i].given);
        if (cases[i].says) {
            FB_EQUAL_INT(g.status, FB_E_INPUT);
            const fb_record *r = FB_RECORD(&g.diag, FB_ERROR, FB1414, 0);
            FB_HOLDS(r ? r->message : "", cases[i].says);
        } else {
            FB_EQUAL_INT(g.status, FB_OK);
            FB_EQUAL_INT(g.skeleton.unit, cases[i].unit);
            FB_EQUAL_INT(g.skeleton.detected, cases[i].given == FB_UNIT_DETECT);
            FB_NEAR(g.skeleton.largest, 0.45, 1e-9, 0);
        }
        drop(&g);
    }
    /* one in another unit than the others */
    const char *folder = fb_test_folder();
    write_box(folder, "femur_r.obj", 0, 150);
    write_box(folder, "tibia_r.obj", 0, 0.15);
    got g = read_folder(folder, NULL, FB_UNIT_DETECT);
    const fb_record *r = FB_RECORD(&g.diag, FB_ERROR, FB1414, 0);
    FB_HOLDS(r ? r->file : "", "tibia_r.obj");
    FB_HOLDS(r ? r->message : "", "give its unit as m");
    drop(&g);
}

static void refuse(const char *folder, const fb_model *standard, int line, fb_diag_id id,
                   const char *says) {
    got g = read_folder(folder, standard, FB_UNIT_DETECT);
    FB_EQUAL_INT(g.status, FB_E_INPUT);
    const fb_record *r = FB_RECORD(&g.diag, FB_ERROR, id, line);
    FB_HOLDS(r ? r->message : "", says);
    FB_EQUAL_INT(g.diag.counts[FB_ERROR], 1);
    FB_EQUAL_INT(g.skeleton.n, 0);
    drop(&g);
}

static void refuses_folders(void) {
    fb_model *standard = model_of(leg, "", "");
    static const char *const lists[][2] = {
        {"{'meshes': []}", "a list 'meshes' that is not empty"},
        {"{'meshes':\n[{'body': 'pelvis'}]}", "the texts 'file' and 'body'"},
        {"{'meshes': [\n{'file': 'femrs.obj', 'body': 'femur_r'}]}",
         "no mesh file 'femrs.obj'; is 'femurs.obj' meant?"},
        {"{'meshes': [\n{'file': 'femurs.obj', 'body': 'femurr'}]}",
         "no body 'femurr'; is 'femur_r' meant?"},
        {"{'meshes': [\n{'file': 'femurs.obj', 'body': 'hand'}]}",
         "no body 'hand'; it has pelvis, "},
        {"{'meshes': [{'file': 'femurs.obj', 'body': 'femur_r'},\n{'file': './femurs.obj', 'body': "
         "'femur_l'}]}",
         "'./femurs.obj' is there already in line 1"},
        {"{'unit': 'cm',\n'meshes': [{'file': 'femurs.obj', 'body': 'femur_r'}]}",
         "\"m\" or \"mm\""},
        {"{'meshes': [\n{'file': 'femur.obj'}]}", "may be 'femur_r' or 'femur_l'; give its body"},
    };
    static const int lines[] = {1, 2, 2, 2, 2, 2, 1, 2};
    const char *folder = fb_test_folder();
    refuse("no such folder", NULL, 0, FB1414, "cannot be opened");
    refuse(folder, standard, 0, FB1414, "holds no mesh");
    write_box(folder, "femurs.obj", 0, 0.1);
    refuse(fb_test_path(folder, "femurs.obj"), NULL, 0, FB1414, "neither a folder of meshes");
    write_box(folder, "femur.obj", 0, 0.1);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        write_text(folder, "meshes.json", lists[i][0]);
        refuse(folder, standard, lines[i], FB1414, lists[i][1]);
    }
    write_text(folder, "meshes.json", "{'meshes': [");
    refuse(folder, standard, 1, FB1301, "not well-formed");

    folder = fb_test_folder();
    write_box(folder, "bone5.obj", 0, 0.1);
    refuse(folder, standard, 0, FB1414, "which body the mesh 'bone5.obj' is");
    folder = fb_test_folder();
    write_box(folder, "humerus_r.obj", 0, 0.1);
    refuse(folder, standard, 0, FB1414, "no mesh of the folder is a bone of the standard body");
    write_text(folder, "meshes.json", "{'meshes': [{'file': 'humerus_r.obj'}]}");
    refuse(folder, standard, 1, FB1414, "is a humerus, which the standard body does not have");
    folder = fb_test_folder();
    write_text(folder, "femur_r.obj", "v 0 0 0\nv 1 0\n");
    refuse(folder, standard, 2, FB1402, "not three numbers");
    folder = fb_test_folder();
    write_text(folder, "femur_r.stl", "");
    refuse(folder, standard, 0, FB1402, "no faces");
    fb_model_free(standard);
}

static void reads_a_model(void) {
    const char *folder = fb_test_folder();
    write_box(folder, "a.obj", 0, 100);
    write_box(folder, "b.obj", 0, 0.1);
    static const char *const bodies[] = {"femur_r", "other", NULL};
    fb_model *model = model_of(bodies,
                               ", 'geometry': [{'mesh': 'a.obj', 'scale': [0.001, 0.002, 0.003]}, "
                               "{'mesh': 'missing.vtp'}]",
                               ", 'frames': [{'name': 'off', 'parent': 'femur_r', 'translation': "
                               "[1, 0, 0], 'rotation_xyz': "
                               "[0, 0, 1.5707963267948966], 'geometry': [{'mesh': 'b.obj'}]}]");
    fb_skeleton s;
    fb_diag diag;
    fb_diag_init(&diag);
    const char *const folders[] = {folder};
    const fb_skeleton_options options = {.folders = folders, .n_folders = 1};
    FB_EQUAL_INT(fb_skeleton_read_model(&s, model, &options, &diag), FB_OK);
    FB_EQUAL_INT(s.n, 1);
    FB_EQUAL_INT(s.n_missing, 1);
    FB_RECORD(&diag, FB_WARNING, FB2304, -1);
    const fb_skeleton_bone *bone = fb_skeleton_find(&s, "femur_r");
    if (FB_TRUE(bone && bone->n == 2, "two meshes")) {
        FB_EQUAL_STR(bone->element ? bone->element->name : "", "femur_r");
        FB_SAME(bone->meshes[0].scale[2], 0.003);
        FB_NEAR(bone->meshes[1].frame.p[0], 1, 0, 0);
        FB_NEAR(bone->surface->low[0], 0, 1e-12, 0); /* of the first */
        FB_NEAR(bone->surface->high[1], 0.4, 1e-12, 0);
        FB_NEAR(bone->surface->high[2], 0.9, 1e-12, 0);
        FB_NEAR(bone->surface->high[0], 1, 1e-12, 0); /* of the second, turned: x from 0.8 to 1 */
        double least = 1;
        for (int i = 0; i < bone->surface->n_vertices; i++) {
            double x = bone->surface->vertices[i][0];
            least = x > 0.5 && x < least ? x : least;
        }
        FB_NEAR(least, 0.8, 1e-12, 0);
    }
    fb_skeleton_free(&s);
    fb_diag_clear(&diag);
    FB_EQUAL_INT(fb_skeleton_read_model(&s, model, NULL, &diag), FB_E_INPUT);
    const fb_record *r = FB_RECORD(&diag, FB_ERROR, FB1414, -1);
    FB_HOLDS(r ? r->message : "", "3 are not there; name the folder");
    fb_diag_clear(&diag);
    fb_model_free(model);
}

static void survives_lack_of_memory(void) {
    const char *folder = fb_test_folder();
    write_box(folder, "femur_r.obj", 0, 0.1);
    write_box(folder, "tibia_r.obj", 0, 0.1);
    write_text(folder, "meshes.json",
               "{'meshes': [{'file': 'femur_r.obj', 'body': 'a'}, {'file': "
               "'tibia_r.obj', 'body': 'a'}]}");
    for (long fail = 1; fail < 10000; fail++) {
        fb_skeleton s;
        fb_diag diag;
        fb_diag_init(&diag);
        fb_alloc_fail_at(fail);
        fb_status status = fb_skeleton_read_folder(&s, folder, NULL, &diag);
        fb_alloc_fail_at(0);
        fb_skeleton_free(&s);
        fb_diag_clear(&diag);
        if (status == FB_OK) {
            FB_TRUE(fail > 3, "little was allocated");
            break;
        }
        FB_TRUE(status == FB_E_MEMORY, "%ld: status %d", fail, status);
    }
}

static const fb_test tests[] = {
    FB_TEST(reads_a_list),
    FB_TEST(guesses_bodies),
    FB_TEST(leaves_out_what_is_no_bone_of_it),
    FB_TEST(guesses_the_other_side_in_a_mirror),
    FB_TEST(finds_the_unit),
    FB_TEST(refuses_folders),
    FB_TEST(reads_a_model),
    FB_TEST(survives_lack_of_memory),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("skeleton", tests, argc, argv);
}
