#include "libcore/model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

static fb_model *read_in(const char *inside, fb_diag *diag) {
    char *text = fb_test_document(40500, inside);
    fb_model *model = fb_test_osim(text, diag, NULL);
    free(text);
    return fb_test_must(model, diag);
}

static void done(fb_model *model, fb_diag *diag) {
    fb_model_free(model);
    fb_diag_clear(diag);
}

/* The names of a path's children, each with a blank behind it. */
static const char *children(const fb_tree *tree, const char *path) {
    static char text[500];
    const fb_table_entry *at = NULL;
    size_t n = 0;
    text[0] = 0;
    for (const fb_element *child; (child = fb_tree_next(tree, path, &at)) != NULL;) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s ", fb_osim_name(child));
    }
    return text;
}

#define MODEL \
    "<components><PhysicalOffsetFrame " \
    "name=\"loose\"><socket_parent>/ground</socket_parent></PhysicalOffsetFrame></components>" \
    "<ForceSet><objects><PathSpring " \
    "name=\"z\"><resting_length>1</resting_length><stiffness>1</stiffness><dissipation>0</" \
    "dissipation>" \
    "</PathSpring><Thelen2003Muscle name=\"b\"/><OddForce name=\"o\"/><Thelen2003Muscle " \
    "name=\"a\"/></objects></ForceSet>" \
    "<Ground><WrapObjectSet><objects><WrapSphere " \
    "name=\"g\"><radius>1</radius></WrapSphere></objects></WrapObjectSet></Ground>" \
    "<BodySet><objects><Body name=\"y\"><mass>1</mass><components><PhysicalOffsetFrame " \
    "name=\"f\"><socket_parent>..</socket_parent>" \
    "<components><PhysicalOffsetFrame " \
    "name=\"ff\"><socket_parent>..</socket_parent></PhysicalOffsetFrame></components>" \
    "</PhysicalOffsetFrame></components><WrapObjectSet><objects><WrapSphere " \
    "name=\"w\"><radius>1</radius></WrapSphere></objects></WrapObjectSet>" \
    "</Body><Body name=\"x\"><mass>1</mass></Body></objects></BodySet>"

static void children_are_found_in_their_order(void) {
    fb_diag diag;
    fb_model *model = read_in(MODEL, &diag);
    fb_tree tree;
    FB_EQUAL_INT(fb_tree_init(&tree, model), FB_OK);
    FB_EQUAL_STR(children(&tree, "/bodyset"), "y x ");
    FB_EQUAL_STR(children(&tree, "/forceset"), "z b o a ");
    FB_EQUAL_STR(children(&tree, ""), "loose ");
    FB_EQUAL_STR(children(&tree, "/bodyset/y"), "f ");
    FB_EQUAL_STR(children(&tree, "/bodyset/y/f"), "ff ");
    FB_EQUAL_STR(children(&tree, "/bodyset/y/wrapobjectset"), "w ");
    FB_EQUAL_STR(children(&tree, "/ground/wrapobjectset"), "g ");
    FB_EQUAL_STR(children(&tree, "/jointset"), "");
    FB_EQUAL_STR(children(&tree, "/nowhere"), "");
    fb_tree_clear(&tree);
    fb_tree_clear(&tree);
    done(model, &diag);
}

static void elements_without_an_owner_go_to_the_usual_set(void) {
    fb_diag diag;
    fb_model *model = fb_test_must(
        fb_test_fb(
            "{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"component_path\": "
            "\"/lost/b\"}],"
            "\"wraps\": [{\"name\": \"w\", \"type\": \"sphere\", \"frame\": \"b\", \"radius\": 1, "
            "\"component_path\": \"/lost/b/wrapobjectset/w\"},"
            "{\"name\": \"v\", \"type\": \"sphere\", \"frame\": \"b\", \"radius\": 1, "
            "\"component_path\": "
            "\"/gone/v\"}]}",
            &diag, NULL),
        &diag);
    fb_tree tree;
    FB_EQUAL_INT(fb_tree_init(&tree, model), FB_OK);
    FB_EQUAL_STR(children(&tree, "/bodyset"), "b ");
    FB_EQUAL_STR(children(&tree, "/lost/b/wrapobjectset"), "w v "); /* the frame counts */
    fb_tree_clear(&tree);
    done(model, &diag);
}

static void nothing_is_lost(void) {
    for (int i = 0; fb_test_glob("models/*/*.osim", i); i++) {
        const char *file = fb_test_glob("models/*/*.osim", i);
        size_t size, total = 0;
        char *bytes = fb_test_read_file(file, &size);
        fb_model *model;
        fb_diag diag;
        fb_diag_init(&diag);
        FB_EQUAL_INT(fb_osim_read(&model, bytes, size, file, NULL, &diag), FB_OK);
        if (model) {
            fb_tree tree;
            FB_EQUAL_INT(fb_tree_init(&tree, model), FB_OK);
            for (int k = 0; k < FB_LIST_COUNT; k++) {
                total += model->lists[k].n;
            }
            FB_EQUAL_INT(tree.children.n, total);
            fb_tree_clear(&tree);
        }
        done(model, &diag);
    }
}

static void sort_puts_lists_into_the_order_of_writing(void) {
    fb_diag diag;
    fb_model *model = read_in(MODEL, &diag);
    fb_list *muscles = fb_model_list(model, "muscles"), *frames = fb_model_list(model, "frames");
    if (FB_TRUE(muscles->n == 2 && frames->n == 3, "two muscles, three frames")) {
        fb_element *swap = muscles->items[0];
        muscles->items[0] = muscles->items[1];
        muscles->items[1] = swap;
        FB_EQUAL_INT(fb_model_sort(model), FB_OK);
        FB_EQUAL_STR(muscles->items[0]->name, "b");
        FB_EQUAL_STR(muscles->items[1]->name, "a");
        for (int i = 0; i < FB_LIST_COUNT; i++) {
            for (size_t j = 1; j < model->lists[i].n; j++) {
                FB_TRUE(model->lists[i].items[j - 1]->order < model->lists[i].items[j]->order,
                        "%s %zu in order", fb_lists[i], j);
            }
        }
        FB_EQUAL_STR(frames->items[2]->name, "loose"); /* <components> are written last */
    }
    done(model, &diag);
}

static void sets_have_their_paths(void) {
    FB_EQUAL_STR(fb_sets[0].tag, "BodySet");
    FB_EQUAL_STR(fb_sets[0].path, "/bodyset");
    int n = 0;
    while (fb_sets[n].tag) {
        n++;
    }
    FB_EQUAL_STR(fb_sets[n - 1].path, "");
    for (int i = 0; fb_lists[i]; i++) {
        bool found = false;
        for (int k = 0; k < n; k++) {
            found = found || strcmp(fb_sets[k].path, fb_list_set(fb_lists[i])) == 0;
        }
        bool none = strcmp(fb_lists[i], "virtual_links") == 0; /* OpenSim has none */
        FB_TRUE(found != none, "%s is in %s", fb_lists[i], fb_list_set(fb_lists[i]));
    }
}

static void joints_and_bushings_own_frames(void) {
    static const struct {
        const char *cls;
        bool frames;
    } cases[] = {{"PinJoint", true},
                 {"CustomJoint", true},
                 {"WeldConstraint", true},
                 {"BushingForce", true},
                 {"ExpressionBasedBushingForce", true},
                 {"Body", false},
                 {"PointConstraint", false},
                 {"Thelen2003Muscle", false},
                 {"PhysicalOffsetFrame", false}};
    fb_model *model = fb_model_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FB_EQUAL_INT(fb_owns_frames(fb_element_new(model, fb_class_find(cases[i].cls), "x")),
                     cases[i].frames);
    }
    fb_model_free(model);
}

static void lack_of_memory_is_told(void) {
    fb_diag diag;
    fb_model *model = read_in(MODEL, &diag);
    for (long n = 1; n < 10; n++) {
        fb_tree tree;
        fb_alloc_fail_at(n);
        fb_status status = fb_tree_init(&tree, model), sorted = fb_model_sort(model);
        fb_alloc_fail_at(0);
        FB_TRUE(status == FB_OK || status == FB_E_MEMORY, "status %d", (int)status);
        FB_TRUE(sorted == FB_OK || sorted == FB_E_MEMORY, "status %d", (int)sorted);
        fb_tree_clear(&tree);
    }
    done(model, &diag);
}

static const fb_test tests[] = {
    FB_TEST(children_are_found_in_their_order),
    FB_TEST(elements_without_an_owner_go_to_the_usual_set),
    FB_TEST(nothing_is_lost),
    FB_TEST(sort_puts_lists_into_the_order_of_writing),
    FB_TEST(sets_have_their_paths),
    FB_TEST(joints_and_bushings_own_frames),
    FB_TEST(lack_of_memory_is_told),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("tree", tests, argc, argv);
}
