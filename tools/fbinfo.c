/* fbinfo: what is in a model, what is wrong with it, how two models differ. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "libcore/base/number.h"
#include "formats/json.h"
#include "formats/meshes.h"
#include "formats/report.h"
#include "libcore/model/check.h"
#include "libcore/model/diff.h"
#include "libcore/version.h"
#include "tools/cli.h"

static const fb_option options[] = {
    {0, "json", NULL, "print for programs"},
    {0, "check", NULL, "print what is wrong or unusual; exit with 1 if there are errors"},
    {0, "diff", "OTHER", "print how OTHER differs from MODEL; exit with 1 if it does"},
    {0, "tolerance", "X", "numbers closer than X (relative above 1) are the same; 0 unless given"},
    {0, "degrees", NULL, "print angles in degrees"},
    {0, "history", NULL, "print the commands that made the document"},
    {'g', "geometry", "DIR", "look for meshes in DIR too; may be given several times"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "fbinfo",
    .summary = "Prints what is in a model (.fb or .osim): bodies, joints, coordinates, muscles and "
               "the rest;\n"
               "what is wrong with it (--check); or how two models differ (--diff).",
    .operands = "[MODEL]",
    .max_operands = 1,
    .options = options,
    .examples = "  fbinfo --degrees arm.osim\n"
                "  fbinfo --check arm.fb\n"
                "  fbinfo --diff new.osim old.osim --tolerance 1e-9\n",
};

typedef struct page {
    fb_text *out;
    const fb_model *model;
    bool degrees;
} page;

static const fb_list *items(const page *p, const char *list) {
    return fb_model_items(p->model, list);
}

/* "Thelen2003", "coordinate_coupler": the type in .fb, or the class. */
static const char *type_of(const fb_element *element) {
    return element->cls->type ? element->cls->type : element->cls->name;
}

static const char *name_of(const fb_element *element) {
    return element && element->name ? element->name : "?";
}

/* ---- the page ------------------------------------------------------------------------------- */

/* A paragraph of the authors' text, white space folded, with a heading. */
static void print_words(page *p, const char *heading, const char *text) {
    if (!text || !*text) {
        return;
    }
    fb_text_printf(p->out, "%s: ", heading);
    bool space = false;
    for (; *text; text++) {
        if (strchr(" \t\r\n", *text)) {
            space = true;
            continue;
        }
        if (space) {
            fb_text_add(p->out, " ", 1);
        }
        space = false;
        fb_text_add(p->out, text, 1);
    }
    fb_text_puts(p->out, "\n");
}

#define MOST_COMMENTS 12

typedef struct comment_printer {
    page *p;
    int n;
} comment_printer;

static void print_comments(const fb_element *element, void *context) {
    comment_printer *printer = context;
    for (const fb_comment *c = element->comments; c; c = c->next) {
        if (++printer->n > MOST_COMMENTS) {
            continue;
        }
        const fb_element *component = element;
        while (component->owner && !component->name) {
            component = component->owner;
        }
        fb_text_printf(printer->p->out, "comment at %s",
                       component->name && *component->name ? component->name : "the model");
        if (c->before && *c->before) {
            fb_text_printf(printer->p->out, " (%s)", c->before);
        }
        print_words(printer->p, "", c->text);
    }
}

static void print_credits(page *p) {
    const fb_model *model = p->model;
    fb_text_printf(p->out, "%s",
                   model->root->name && *model->root->name ? model->root->name : "(no name)");
    if (model->source_version) {
        fb_text_printf(p->out, " (from OpenSim document version %d)", model->source_version);
    }
    fb_text_puts(p->out, "\n");
    print_words(p, "credits", fb_get_string(model->root, "credits"));
    print_words(p, "publications", fb_get_string(model->root, "publications"));
    const char *length = fb_get_string(model->root, "length_units"),
               *force = fb_get_string(model->root, "force_units");
    if (length || force) {
        fb_text_printf(p->out, "units its authors name: %s, %s\n", length ? length : "-",
                       force ? force : "-");
    }
    const char *note = fb_get_extra(model->root, "note");
    if (note) {
        fb_text_printf(p->out, "note: %s\n", note);
    }
    comment_printer printer = {p, 0};
    fb_visit_model(model, print_comments, &printer);
    if (printer.n > MOST_COMMENTS) {
        fb_text_printf(p->out, "and %d more comments (jq '.. | .comments? // empty' shows all)\n",
                       printer.n - MOST_COMMENTS);
    }
    for (size_t i = 0; i < model->n_groups; i++) {
        fb_text_printf(p->out, "%s %s:", i ? "      " : "groups", model->groups[i].name);
        for (int j = 0; j < model->groups[i].n_members; j++) {
            fb_text_printf(p->out, " %s", model->groups[i].members[j]);
        }
        fb_text_puts(p->out, "\n");
    }
}

static int width_of(const fb_list *list, int least) {
    int width = least;
    for (size_t i = 0; i < list->n; i++) {
        int n = list->items[i]->name ? (int)strlen(list->items[i]->name) : 0;
        width = n > width ? n : width;
    }
    return width < 40 ? width : 40;
}

static void heading(page *p, size_t n, const char *one, const char *many) {
    fb_text_printf(p->out, "\n%zu %s\n", n, n == 1 ? one : many);
}

static void print_bodies(page *p) {
    const fb_list *bodies = items(p, "bodies");
    heading(p, bodies->n, "body", "bodies");
    if (!bodies->n) {
        return;
    }
    int width = width_of(bodies, 4);
    fb_text_printf(p->out, "  %-*s %9s  %-27s  %s\n", width, "name", "mass kg", "mass centre m",
                   "inertia kg m^2 (xx yy zz)");
    for (size_t i = 0; i < bodies->n; i++) {
        double c[3] = {0}, x[6] = {0};
        fb_get_vector(bodies->items[i], "mass_center", c, 3);
        fb_get_vector(bodies->items[i], "inertia", x, 6);
        fb_text_printf(p->out, "  %-*s %9.4g  %8.4g %8.4g %8.4g   %.4g %.4g %.4g\n", width,
                       name_of(bodies->items[i]), fb_get_number(bodies->items[i], "mass"), c[0],
                       c[1], c[2], x[0], x[1], x[2]);
    }
    fb_text_printf(p->out, "  total %.6g kg\n", fb_total_mass(p->model));
}

static double angle(const page *p, double radians) {
    return p->degrees ? fb_radians_to_degrees(radians) : radians;
}

static void print_coordinate(page *p, const fb_element *coordinate, int width) {
    double range[2] = {0};
    fb_motion motion = fb_coordinate_motion(coordinate);
    bool turns = motion == FB_ROTATIONAL;
    double value = fb_get_number(coordinate, "default");
    fb_get_vector(coordinate, "range", range, 2);
    if (turns) {
        value = angle(p, value);
        range[0] = angle(p, range[0]);
        range[1] = angle(p, range[1]);
    }
    const char *unit = turns                        ? (p->degrees ? "deg" : "rad")
                       : motion == FB_TRANSLATIONAL ? "m"
                                                    : "(coupled)";
    fb_text_printf(p->out, "      %-*s %8.4g  from %.4g to %.4g %s%s%s%s\n", width,
                   name_of(coordinate), value, range[0], range[1], unit,
                   fb_get_bool(coordinate, "clamped") ? ", clamped" : "",
                   fb_get_bool(coordinate, "locked") ? ", locked" : "",
                   fb_get_bool(coordinate, "prescribed") ? ", prescribed" : "");
}

static int count_coordinates(const fb_model *model, int *locked, int *width) {
    const fb_list *joints = fb_model_items(model, "joints");
    int n = 0;
    *locked = 0;
    *width = 12;
    for (size_t i = 0; i < joints->n; i++) {
        const fb_value *list = fb_get(joints->items[i], "coordinates");
        for (int j = 0; list && j < list->n; j++) {
            const fb_element *coordinate = list->as.objects[j];
            int length = (int)strlen(name_of(coordinate));
            *width = length > *width && length < 40 ? length : *width;
            *locked += fb_get_bool(coordinate, "locked");
            n++;
        }
    }
    return n;
}

static void print_joints(page *p) {
    const fb_list *joints = items(p, "joints"), *constraints = items(p, "constraints");
    int locked, width, n = count_coordinates(p->model, &locked, &width);
    heading(p, joints->n, "joint", "joints");
    fb_text_printf(p->out, "  %d coordinate%s, %d locked, %zu constraint%s\n", n, n == 1 ? "" : "s",
                   locked, constraints->n, constraints->n == 1 ? "" : "s");
    for (size_t i = 0; i < joints->n; i++) {
        const fb_element *joint = joints->items[i];
        const fb_element *parent = fb_base_frame(fb_get_target(joint, "parent"));
        const fb_element *child = fb_base_frame(fb_get_target(joint, "child"));
        fb_text_printf(p->out, "  %s (%s): %s -> %s\n", name_of(joint), type_of(joint),
                       name_of(parent), name_of(child));
        const fb_value *list = fb_get(joint, "coordinates");
        for (int j = 0; list && j < list->n; j++) {
            print_coordinate(p, list->as.objects[j], width);
        }
    }
    if (constraints->n) {
        heading(p, constraints->n, "constraint", "constraints");
    }
    for (size_t i = 0; i < constraints->n; i++) {
        const fb_element *one = constraints->items[i];
        const fb_element *dependent = fb_get_target(one, "dependent_coordinate");
        fb_text_printf(p->out, "  %s (%s)%s%s%s\n", name_of(one), type_of(one),
                       dependent ? ": " : "", dependent ? dependent->name : "",
                       fb_get_bool(one, "enabled") ? "" : ", off");
    }
}

static void print_muscles(page *p) {
    const fb_list *muscles = items(p, "muscles");
    heading(p, muscles->n, "muscle", "muscles");
    if (!muscles->n) {
        return;
    }
    int width = width_of(muscles, 4);
    fb_text_printf(p->out, "  %-*s %9s %9s %9s %9s %6s %5s  %s\n", width, "name", "F max N",
                   "fibre m", "tendon m", p->degrees ? "penn. deg" : "penn. rad", "points", "wraps",
                   "type");
    for (size_t i = 0; i < muscles->n; i++) {
        const fb_element *muscle = muscles->items[i], *path = fb_get_object(muscle, "path");
        const fb_value *points = fb_get(path, "points"), *wraps = fb_get(path, "wraps");
        fb_text_printf(p->out, "  %-*s %9.5g %9.4g %9.4g %9.4g %6d %5d  %s%s\n", width,
                       name_of(muscle), fb_get_number(muscle, "max_isometric_force"),
                       fb_get_number(muscle, "optimal_fiber_length"),
                       fb_get_number(muscle, "tendon_slack_length"),
                       angle(p, fb_get_number(muscle, "pennation_angle")), points ? points->n : 0,
                       wraps ? wraps->n : 0, type_of(muscle),
                       fb_get_bool(muscle, "enabled") ? "" : ", off");
    }
}

/* The class of what is kept, the type of anything else; never NULL. */
static const char *word_of(const fb_element *element) {
    const char *word = element->cls == &fb_class_kept ? fb_get_string(element, "class")
                                                      : type_of(element);
    return word ? word : "";
}

/* Numbers of the other lists, with how many there are of each type. */
static void print_rest(page *p) {
    static const char *const lists[] = {
        "wraps",   "virtual_links",    "ligaments",      "springs",     "actuators",
        "forces",  "contact_geometry", "contact_forces", "controllers", "probes",
        "markers", "stations",         "frames",         "components",  "kept"};
    fb_text_puts(p->out, "\n");
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const fb_list *list = items(p, lists[i]);
        if (!list->n) {
            continue;
        }
        fb_text_printf(p->out, "%s: %zu", lists[i], list->n);
        const char *before = " (";
        for (size_t j = 0; j < list->n; j++) {
            const char *type = word_of(list->items[j]);
            size_t n = 0, first = list->n;
            for (size_t k = 0; k < list->n; k++) {
                if (strcmp(type, word_of(list->items[k])) == 0) {
                    first = first == list->n ? k : first;
                    n++;
                }
            }
            if (first != j || !*type || strcmp(type, list->items[j]->cls->name) == 0) {
                continue;
            }
            fb_text_printf(p->out, "%s%zu %s", before, n, type);
            before = ", ";
        }
        fb_text_puts(p->out, *before == ',' ? ")\n" : "\n");
    }
}

static void print_findings(fb_cli *cli, page *p) {
    const fb_diag *diag = &cli->diag;
    long n = 0;
    for (size_t i = 0; i < diag->n; i++) {
        n += diag->records[i].id != FB2304;
    }
    if (n == 0) {
        return;
    }
    fb_text_printf(p->out, "\nunusual: %ld thing%s\n", n, n == 1 ? "" : "s");
    int shown = 0;
    for (size_t i = 0; i < diag->n && shown < 10; i++) {
        if (diag->records[i].id != FB2304) {
            fb_text_printf(p->out, "  %s\n", diag->records[i].message);
            shown++;
        }
    }
    if (n > shown) {
        fb_text_printf(p->out, "  and %ld more; --check shows all\n", n - shown);
    }
}

static void print_page(fb_cli *cli, const fb_model *model, fb_text *out) {
    page p = {out, model, fb_cli_value(cli, "degrees") != NULL};
    print_credits(&p);
    print_bodies(&p);
    print_joints(&p);
    print_muscles(&p);
    print_rest(&p);
    print_findings(cli, &p);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_text(fb_text *out, const char *key, const char *text) {
    fb_text_printf(out, ",\n  \"%s\": ", key);
    if (text) {
        fb_json_string(out, text);
    } else {
        fb_text_puts(out, "null");
    }
}

static void json_coordinates(fb_text *out, const fb_model *model) {
    static const char *const motions[] = {"rotational", "translational", "coupled"};
    const fb_list *joints = fb_model_items(model, "joints");
    const char *before = "\n    ";
    fb_text_puts(out, ",\n  \"coordinates\": [");
    for (size_t i = 0; i < joints->n; i++) {
        const fb_value *list = fb_get(joints->items[i], "coordinates");
        for (int j = 0; list && j < list->n; j++) {
            const fb_element *coordinate = list->as.objects[j];
            double range[2] = {0};
            fb_get_vector(coordinate, "range", range, 2);
            fb_text_puts(out, before);
            fb_text_puts(out, "{\"name\": ");
            fb_json_string(out, name_of(coordinate));
            fb_text_puts(out, ", \"joint\": ");
            fb_json_string(out, name_of(joints->items[i]));
            fb_text_printf(out, ", \"motion\": \"%s\", \"default\": ",
                           motions[fb_coordinate_motion(coordinate)]);
            fb_json_number(out, fb_get_number(coordinate, "default"));
            fb_text_puts(out, ", \"range\": [");
            fb_json_number(out, range[0]);
            fb_text_puts(out, ", ");
            fb_json_number(out, range[1]);
            fb_text_printf(out, "], \"locked\": %s}",
                           fb_get_bool(coordinate, "locked") ? "true" : "false");
            before = ",\n    ";
        }
    }
    fb_text_puts(out, "]");
}

static void json_muscles(fb_text *out, const fb_model *model) {
    static const char *const keys[][2] = {{"max_isometric_force_n", "max_isometric_force"},
                                          {"optimal_fiber_length_m", "optimal_fiber_length"},
                                          {"tendon_slack_length_m", "tendon_slack_length"},
                                          {"pennation_angle_rad", "pennation_angle"}};
    const fb_list *muscles = fb_model_items(model, "muscles");
    fb_text_puts(out, ",\n  \"muscles\": [");
    for (size_t i = 0; i < muscles->n; i++) {
        fb_text_puts(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        fb_json_string(out, name_of(muscles->items[i]));
        fb_text_puts(out, ", \"type\": ");
        fb_json_string(out, type_of(muscles->items[i]));
        for (int j = 0; j < 4; j++) {
            fb_text_printf(out, ", \"%s\": ", keys[j][0]);
            fb_json_number(out, fb_get_number(muscles->items[i], keys[j][1]));
        }
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "]");
}

static void json_findings(fb_text *out, const fb_diag *diag) {
    fb_text_puts(out, ",\n  \"findings\": [");
    for (size_t i = 0; i < diag->n; i++) {
        const fb_record *record = &diag->records[i];
        fb_text_puts(out, i ? ",\n    {\"id\": " : "\n    {\"id\": ");
        fb_json_string(out, fb_diag_name(record->id));
        fb_text_printf(out, ", \"action\": \"%s\", \"line\": %d, \"path\": ",
                       fb_action_word(record->action), record->line);
        if (record->path) {
            fb_json_string(out, record->path);
        } else {
            fb_text_puts(out, "null");
        }
        fb_text_puts(out, ", \"message\": ");
        fb_json_string(out, record->message);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "]");
}

static void print_json(fb_cli *cli, const fb_model *model, fb_text *out) {
    int locked, width, n = count_coordinates(model, &locked, &width);
    fb_text_puts(out, "{\n  \"tool\": \"fbinfo\",\n  \"version\": \"" FB_VERSION
                      "\",\n  \"format_version\": \"1.0\"");
    json_text(out, "name", model->root->name);
    fb_text_printf(out, ",\n  \"source_version\": %d", model->source_version);
    json_text(out, "credits", fb_get_string(model->root, "credits"));
    json_text(out, "publications", fb_get_string(model->root, "publications"));
    fb_text_puts(out, ",\n  \"mass_kg\": ");
    fb_json_number(out, fb_total_mass(model));
    fb_text_printf(out, ",\n  \"counts\": {\"coordinates\": %d, \"locked_coordinates\": %d", n,
                   locked);
    for (int i = 0; i < FB_LIST_COUNT; i++) {
        fb_text_printf(out, ", \"%s\": %zu", fb_lists[i], model->lists[i].n);
    }
    fb_text_puts(out, "}");
    json_coordinates(out, model);
    json_muscles(out, model);
    json_findings(out, &cli->diag);
    fb_text_puts(out, "\n}\n");
}

/* ---- check, history, diff ------------------------------------------------------------------- */

/* What is an error in a lint although a model can be converted with it. */
static bool is_error(const fb_record *record) {
    return record->action == FB_ERROR || record->id == FB2302 || record->id == FB2104 ||
           record->id == FB2305 || record->id == FB2205;
}

static long count_errors(const fb_diag *diag) {
    long errors = 0;
    for (size_t i = 0; i < diag->n; i++) {
        errors += is_error(&diag->records[i]);
    }
    return errors;
}

static int print_check(const fb_diag *diag, const char *file, fb_text *out) {
    long errors = count_errors(diag);
    for (size_t i = 0; i < diag->n; i++) {
        const fb_record *record = &diag->records[i];
        fb_text_printf(out, "%s:", record->file ? record->file : file);
        if (record->line) {
            fb_text_printf(out, "%d:", record->line);
        }
        fb_text_printf(out, " %s: %s [%s]\n",
                       is_error(record)               ? "error"
                       : record->action == FB_WARNING ? "warning"
                                                      : fb_action_word(record->action),
                       record->message, fb_diag_name(record->id));
    }
    fb_text_printf(out, "%ld error%s, %ld other finding%s\n", errors, errors == 1 ? "" : "s",
                   (long)diag->n - errors, (long)diag->n - errors == 1 ? "" : "s");
    return errors ? FB_EXIT_NO : FB_EXIT_OK;
}

static void print_history(const fb_model *model, fb_diag *diag, fb_text *out) {
    if (model->n_steps == 0) {
        fb_text_puts(out, "the document does not say how it was made\n");
    }
    for (size_t i = 0; i < model->n_steps; i++) {
        json_t *step = fb_json_parse(model->steps[i], strlen(model->steps[i]), "steps", diag);
        const char *name = json_string_value(json_object_get(step, "tool"));
        const char *input = json_string_value(json_object_get(step, "input"));
        const char *version = json_string_value(json_object_get(step, "version"));
        const char *sha = json_string_value(json_object_get(step, "sha256"));
        const json_t *list = json_object_get(step, "options");
        fb_text_puts(out, name ? name : "?");
        for (size_t j = 0; j < json_array_size(list); j++) {
            const char *option = json_string_value(json_array_get(list, j));
            fb_text_printf(out, " %s", option ? option : "?");
        }
        fb_text_printf(out, " %s  # fbtools %s", input ? input : "-", version ? version : "?");
        if (sha) {
            fb_text_printf(out, ", SHA-256 of the input %s", sha);
        }
        fb_text_puts(out, "\n");
        json_decref(step);
    }
}

typedef struct diff_printer {
    fb_text *out;
    const char *a, *b; /* names of the two files */
    long n;
} diff_printer;

/* A difference for programs: one object of a list. */
static void print_difference_json(const fb_difference *d, void *context) {
    static const char *const kinds[] = {"only_in_a", "only_in_b", "changed"};
    diff_printer *printer = context;
    fb_text *out = printer->out;
    fb_text_puts(out, printer->n++ ? ",\n    {\"kind\": \"" : "\n    {\"kind\": \"");
    fb_text_printf(out, "%s\", \"path\": ", kinds[d->kind]);
    const char *const texts[] = {d->element ? d->element->path : NULL, d->member, d->a, d->b,
                                 d->unit};
    static const char *const keys[] = {"",
                                       ", \"member\": ", ", \"a\": ", ", \"b\": ", ", \"unit\": "};
    for (int i = 0; i < 5; i++) {
        fb_text_puts(out, keys[i]);
        if (texts[i]) {
            fb_json_string(out, texts[i]);
        } else {
            fb_text_puts(out, "null");
        }
    }
    fb_text_puts(out, ", \"distance\": ");
    if (isnan(d->distance)) {
        fb_text_puts(out, "null");
    } else {
        fb_json_number(out, d->distance);
    }
    fb_text_puts(out, "}");
}

static void print_difference(const fb_difference *d, void *context) {
    diff_printer *printer = context;
    fb_text *out = printer->out;
    if (!d->member) {
        fb_text_printf(out, "%s is only in %s\n", d->what,
                       d->kind == FB_ONLY_IN_A ? printer->a : printer->b);
        return;
    }
    fb_text_printf(out, "%s: %s is ", d->what, d->member);
    if (d->kind == FB_CHANGED) {
        fb_text_printf(out, "%s in %s, %s in %s", d->a, printer->a, d->b, printer->b);
    } else {
        fb_text_printf(out, "only in %s: %s", d->kind == FB_ONLY_IN_A ? printer->a : printer->b,
                       d->kind == FB_ONLY_IN_A ? d->a : d->b);
    }
    if (d->distance > 0) {
        fb_text_printf(out, " (%.3g %s apart)", d->distance, d->unit ? d->unit : "");
    }
    fb_text_puts(out, "\n");
}

static int print_diff(fb_cli *cli, const fb_model *model, const char *name, size_t max_bytes,
                      fb_text *out) {
    const char *other_name = fb_cli_value(cli, "diff");
    double tolerance;
    if (!fb_cli_number(cli, "tolerance", 0, FB_INFINITY, 0, &tolerance)) {
        return FB_EXIT_USAGE;
    }
    fb_model *other;
    fb_status status = fb_cli_read_model(cli, other_name, max_bytes, &other, NULL);
    if (status != FB_OK) {
        return fb_exit_of(status);
    }
    diff_printer printer = {out, fb_path_name(name), fb_path_name(other_name), 0};
    if (strcmp(printer.a, printer.b) == 0) {
        printer = (diff_printer){out, name, other_name, 0};
    }
    bool json = fb_cli_value(cli, "json") != NULL;
    if (json) {
        fb_text_puts(out, "{\n  \"tool\": \"fbinfo\",\n  \"version\": \"" FB_VERSION
                          "\",\n  \"format_version\": \"1.0\",\n  \"a\": ");
        fb_json_string(out, name);
        json_text(out, "b", other_name);
        fb_text_puts(out, ",\n  \"differences\": [");
    }
    long n = fb_model_diff(model, other, tolerance, json ? print_difference_json : print_difference,
                           &printer);
    fb_model_free(other);
    if (n < 0) {
        return FB_EXIT_INTERNAL;
    }
    if (json) {
        fb_text_puts(out, n ? "\n  ]\n}\n" : "]\n}\n");
    } else if (n == 0) {
        fb_text_puts(out, "the models are the same\n");
    } else {
        fb_text_printf(out, "%ld difference%s\n", n, n == 1 ? "" : "s");
    }
    return n ? FB_EXIT_NO : FB_EXIT_OK;
}

/* ---- the tool ------------------------------------------------------------------------------- */

static void look_closely(fb_cli *cli, const fb_model *model) {
    const char *folders[64];
    int n = 0;
    while (n < 64 && (folders[n] = fb_cli_values(cli, "geometry", n)) != NULL) {
        n++;
    }
    fb_model_check(model, &cli->diag);
    fb_meshes_check(model, folders, n, &cli->diag);
}

/* What was found is the answer: it is printed on standard output, not as messages. */
static void hide_messages(fb_cli *cli) {
    for (size_t i = 0; i < cli->diag.n; i++) { /* but for what went wrong in answering */
        if (cli->diag.records[i].id == FB3001) {
            fb_cli_say(cli, "%s: error: %s [FB3001]", cli->diag.records[i].file,
                       cli->diag.records[i].message);
        }
    }
    fb_diag_clear(&cli->diag);
}

static int answer(fb_cli *cli, fb_model *model, const char *file, size_t max_bytes, fb_text *out) {
    const char *name = strcmp(file, "-") == 0 ? "<stdin>" : file;
    int code = FB_EXIT_OK;
    if (fb_cli_value(cli, "diff")) {
        code = print_diff(cli, model, name, max_bytes, out);
    } else if (fb_cli_value(cli, "history")) {
        print_history(model, &cli->diag, out);
    } else {
        look_closely(cli, model);
        bool check = fb_cli_value(cli, "check") != NULL;
        if (fb_cli_value(cli, "json")) {
            print_json(cli, model, out);
            code = check && count_errors(&cli->diag) ? FB_EXIT_NO : FB_EXIT_OK;
        } else if (check) {
            code = print_check(&cli->diag, name, out);
        } else {
            print_page(cli, model, out);
        }
    }
    int reported = fb_cli_report(cli, model, code);
    if (code <= FB_EXIT_NO) {
        hide_messages(cli);
    }
    return reported;
}

static int info(fb_cli *cli) {
    double megabytes;
    static const char *const answers[] = {"check", "diff", "history"};
    int asked = 0;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        asked += fb_cli_value(cli, answers[i]) != NULL;
    }
    if (asked > 1) {
        fb_cli_say(cli, "--check, --diff and --history are different questions: ask one");
        return FB_EXIT_USAGE;
    }
    if (!fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes)) {
        return FB_EXIT_USAGE;
    }
    size_t max_bytes = (size_t)(megabytes * 1024 * 1024);
    const char *file = cli->n_operands ? cli->operands[0] : "-";
    fb_model *model;
    fb_status status = fb_cli_read_model(cli, file, max_bytes, &model, NULL);
    bool check = fb_cli_value(cli, "check") != NULL;
    /* a file that can be read but is no model is what --check is asked about */
    bool lint = check && status == FB_E_INPUT && cli->diag.n &&
                cli->diag.records[cli->diag.n - 1].id >= FB2001;
    if (status != FB_OK && !lint) {
        return fb_cli_report(cli, NULL, fb_exit_of(status));
    }
    fb_output output;
    fb_text text;
    fb_text_init(&text, NULL);
    int code;
    if (lint) {
        code = print_check(&cli->diag, file, &text);
        code = fb_cli_report(cli, NULL, code);
        hide_messages(cli);
    } else {
        code = answer(cli, model, file, max_bytes, &text);
    }
    if (code <= FB_EXIT_NO || code == FB_EXIT_UNSUPPORTED) {
        status = fb_cli_open(cli, cli->output, &output);
        if (status == FB_OK) {
            fb_text_add(&output.text, text.bytes, text.n);
            status = fb_cli_close(cli, cli->output, &output, !text.failed);
        }
        if (status != FB_OK || text.failed) {
            code = text.failed ? FB_EXIT_INTERNAL : fb_exit_of(status);
        }
    }
    fb_text_free(&text);
    fb_model_free(model);
    return code;
}

int fb_fbinfo_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    if (status < 0) {
        status = info(&cli);
    }
    return fb_cli_end(&cli, status);
}
