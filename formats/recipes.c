#include "formats/recipes.h"

#include <math.h>

static const char *const column_names[] = {"name",
                                           "anatomy",
                                           "side",
                                           "lines",
                                           "guessed",
                                           "volume",
                                           "volume_from",
                                           "tension",
                                           "belly_length",
                                           "belly_from",
                                           "belly_source",
                                           "width",
                                           "height",
                                           "ratio",
                                           "wide",
                                           "tendon_origin",
                                           "tendon_insertion",
                                           "fiber_length",
                                           "pennation",
                                           "pennate",
                                           "shares",
                                           "up_x",
                                           "up_y",
                                           "up_z",
                                           "bone",
                                           "twist",
                                           "bundles",
                                           "refusal",
                                           "notes"};

const char *fb_recipe_source_word(fb_recipe_source source) {
    static const char *const words[] = {"model", "spec", "measured", "mesh",
                                        "table", "path", "width"};
    return words[source];
}

static void cell(fb_text *out, const char *text) {
    fb_text_puts(out, "\t");
    fb_text_puts(out, text ? text : "");
}

static void number(fb_text *out, double x) {
    fb_text_puts(out, "\t");
    fb_text_number(out, x);
}

/* What all cores have, once; else that of each. */
static void sources(fb_text *out, const fb_recipe *recipe) {
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        if (i == 0 || core->belly_from != recipe->cores[0].belly_from) {
            fb_text_printf(out, "%s%s", i ? "," : "\t", fb_recipe_source_word(core->belly_from));
        }
    }
    const char *source = NULL;
    for (int i = 0; i < recipe->n_cores && !source; i++) {
        source = recipe->cores[i].belly_source;
    }
    cell(out, source);
}

static void each(fb_text *out, const fb_recipe *recipe, int which) {
    for (int i = 0; i < recipe->n_cores; i++) {
        const fb_core *core = &recipe->cores[i];
        fb_text_puts(out, i ? "," : "\t");
        fb_text_number(out, which == 0   ? core->belly[0]
                            : which == 1 ? core->length - core->belly[1]
                                         : core->share);
    }
}

static void write_body(fb_text *out, const fb_recipe *recipe) {
    number(out, recipe->volume);
    cell(out, fb_recipe_source_word(recipe->volume_from));
    number(out, recipe->specific_tension);
    number(out, recipe->belly_length);
    sources(out, recipe);
    number(out, recipe->width);
    number(out, recipe->height);
    number(out, recipe->ratio);
    cell(out, recipe->wide ? "1" : "0");
    each(out, recipe, 0);
    each(out, recipe, 1);
    number(out, recipe->fiber_length);
    number(out, recipe->pennation);
    cell(out, recipe->pennate ? "1" : "0");
    each(out, recipe, 2);
    for (int k = 0; k < 3; k++) {
        number(out, recipe->up[k]);
    }
    cell(out, recipe->bone);
    number(out, recipe->twist);
}

void fb_recipes_write(fb_text *out, const fb_recipes *recipes, const fb_model *model) {
    const fb_list *muscles = fb_model_items(model, "muscles");
    double sum = 0;
    int n_columns = (int)(sizeof column_names / sizeof *column_names);
    for (int i = 0; i < n_columns; i++) {
        fb_text_printf(out, "%s%s", i ? "\t" : "", column_names[i]);
    }
    for (int i = 0; i < recipes->n; i++) {
        const fb_recipe *recipe = &recipes->recipes[i];
        fb_text_printf(out, "\n%s\t%s\t%.1s\t", recipe->name,
                       recipe->anatomy ? recipe->anatomy : "",
                       recipe->side == 'r'   ? "r"
                       : recipe->side == 'l' ? "l"
                                             : "");
        for (int k = 0; k < recipe->n_lines; k++) {
            fb_text_printf(out, "%s%s", k ? "," : "", muscles->items[recipe->lines[k]]->name);
        }
        cell(out, recipe->guessed ? "1" : "0");
        if (recipe->refusal) {
            for (int k = 5; k < n_columns - 3; k++) {
                cell(out, NULL);
            }
        } else {
            write_body(out, recipe);
            sum += recipe->volume;
        }
        fb_text_printf(out, "\t%d", recipe->bundles);
        cell(out, recipe->refusal);
        for (int k = 0; k < recipe->n_notes; k++) {
            fb_text_printf(out, "%s%s", k ? "; " : "\t", recipe->notes[k]);
        }
        if (recipe->n_notes == 0) {
            cell(out, NULL);
        }
    }
    fb_text_puts(out, "\n# volume of all: ");
    fb_text_number(out, sum);
    fb_text_printf(out, " m^3, of %d muscles; %d refused\n", recipes->n - recipes->n_refused,
                   recipes->n_refused);
}
