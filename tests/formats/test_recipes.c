/* Recipes as a table. */
#include "formats/recipes.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* The c-th cell of the l-th line, from 0; "" if there is none. In a static buffer of several. */
static const char *cell(const char *text, int l, int c) {
    static char cells[8][200];
    static int next;
    char *to = cells[next = (next + 1) % 8];
    for (; l > 0 && text; l--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    for (; c > 0 && text; c--) {
        text += strcspn(text, "\t\n");
        text = *text == '\t' ? text + 1 : NULL;
    }
    snprintf(to, sizeof cells[0], "%.*s", text ? (int)strcspn(text, "\t\n") : 0, text ? text : "");
    return to;
}

static int column(const char *text, const char *name) {
    for (int c = 0; c < 100; c++) {
        if (strcmp(cell(text, 0, c), name) == 0) {
            return c;
        }
    }
    FB_TRUE(false, "no column '%s'", name);
    return 99;
}

static int count(const char *text, char what) {
    int n = 0;
    for (; *text && *text != '\n'; text++) {
        n += *text == what;
    }
    return n;
}

static void a_table_has_a_line_for_each_recipe(void) {
    char text[] =
        "{'fb': '1.0', 'bodies': [{'name': 'b', 'mass': 1}], 'joints': [{'name': 'j', 'type': "
        "'pin', 'parent': 'ground', 'child': 'b', 'coordinates': [{'name': 'q'}]}], 'muscles': "
        "[{'name': 'BIClong', 'type': 'Thelen2003', 'max_isometric_force': 600, "
        "'optimal_fiber_length': 0.1, 'path': {'points': [{'frame': 'ground', 'location': [0.05, "
        "0.2, 0]}, {'frame': 'b', 'location': [0.05, -0.1, 0]}]}}, {'name': 'BICshort', 'type': "
        "'Thelen2003', 'max_isometric_force': 200, 'optimal_fiber_length': 0.1, 'path': {'points': "
        "[{'frame': 'ground', 'location': [0.05, 0.19, 0]}, {'frame': 'b', 'location': [0.05, "
        "-0.1, 0]}]}}, {'name': 'idle', 'type': 'Thelen2003', 'max_isometric_force': 0, 'path': "
        "{'points': [{'frame': 'ground'}, {'frame': 'b', 'location': [0, -0.1, 0]}]}}]}";
    fb_diag diag;
    fb_system *system;
    fb_paths *paths;
    fb_recipes *recipes;
    fb_text out;
    fb_test_quotes(text);
    fb_model *model = fb_test_must(fb_test_fb(text, &diag, NULL), &diag);
    fb_system_options options = {false};
    fb_recipe_options ours = fb_recipe_options_default();
    FB_EQUAL_INT(fb_system_compile(&system, model, &options, &diag), FB_OK);
    FB_EQUAL_INT(fb_paths_compile(&paths, system, false, &diag), FB_OK);
    fb_state *state = fb_state_new(system);
    fb_state_position(state);
    FB_EQUAL_INT(fb_recipes_make(&recipes, paths, state, &ours, &diag), FB_OK);
    fb_text_init(&out, NULL);
    fb_recipes_write(&out, recipes, model);
    const char *table = fb_text_string(&out);
    const char *second = strchr(table, '\n') + 1, *third = strchr(second, '\n') + 1;
    FB_EQUAL_INT(count(second, '\t'), count(table, '\t'));
    FB_EQUAL_INT(count(third, '\t'), count(table, '\t'));
    FB_EQUAL_STR(cell(table, 1, 0), "BIC");
    FB_EQUAL_STR(cell(table, 1, column(table, "anatomy")), "biceps brachii");
    FB_EQUAL_STR(cell(table, 1, column(table, "lines")), "BIClong,BICshort");
    FB_EQUAL_STR(cell(table, 1, column(table, "guessed")), "1");
    FB_NEAR(atof(cell(table, 1, column(table, "volume"))), 800 / 6e5 * 0.1, 0, 1e-12);
    FB_EQUAL_STR(cell(table, 1, column(table, "volume_from")), "model");
    FB_EQUAL_STR(cell(table, 1, column(table, "belly_from")), "table");
    FB_HOLDS(cell(table, 1, column(table, "belly_source")), "Murray");
    FB_EQUAL_STR(cell(table, 1, column(table, "shares")), "0.75,0.25");
    FB_EQUAL_STR(cell(table, 1, column(table, "refusal")), "");
    FB_EQUAL_STR(cell(table, 2, 0), "idle");
    FB_EQUAL_STR(cell(table, 2, column(table, "volume")), "");
    FB_HOLDS(cell(table, 2, column(table, "refusal")), "no force");
    FB_HOLDS(table, "of 1 muscles; 1 refused\n");
    fb_text_free(&out);
    fb_recipes_free(recipes);
    fb_state_free(state);
    fb_paths_free(paths);
    fb_system_free(system);
    fb_model_free(model);
    fb_diag_clear(&diag);
}

int main(int argc, char **argv) {
    static const fb_test tests[] = {FB_TEST(a_table_has_a_line_for_each_recipe), FB_TEST_END};
    return fb_test_main("recipes", tests, argc, argv);
}
