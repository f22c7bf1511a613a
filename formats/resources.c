#include "formats/resources.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/mesh_read.h"
#include "formats/meshes.h"
#include "formats/sto.h"
#include "formats/xml.h"
#include "libcore/base/number.h"

static const char no_memory[] = "memory ran out";

/* Why something failed, in a sentence's end: "its file 'x': ..". */
static const char *reason(fb_file_resources *r, const char *file, const fb_diag *diag) {
    const fb_record *first = diag->n ? &diag->records[0] : NULL;
    return first && first->line ? fb_arena_printf(&r->arena, "its file '%s', line %d: %s", file,
                                                  first->line, first->message)
                                : fb_arena_printf(&r->arena, "its file '%s': %s", file,
                                                  first ? first->message : "cannot be read");
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static const char *read_mesh(fb_file_resources *r, const fb_element *element,
                             fb_triangles *result) {
    const char *name = fb_get_string(element, "file");
    const char *path = name && *name
                           ? fb_mesh_find(&r->arena, r->model, name, r->folders, r->n_folders)
                           : NULL;
    if (!path) {
        return fb_arena_printf(&r->arena, "its mesh '%s' is not found", name ? name : "");
    }
    fb_mesh_file *mesh = fb_arena_alloc(&r->arena, sizeof *mesh);
    fb_diag diag;
    char *bytes;
    size_t size;
    fb_diag_init(&diag);
    fb_status status = fb_read_file(path, r->max_bytes, &bytes, &size, &diag);
    if (status == FB_OK) {
        status = fb_mesh_read(mesh, bytes, size, path, &diag);
    }
    const char *why = status == FB_OK ? NULL : reason(r, path, &diag);
    fb_diag_clear(&diag);
    if (why) {
        return why;
    }
    FB_PUSH(&r->arena, r->meshes, r->n_meshes, r->capacity_meshes, mesh);
    *result = (fb_triangles){(const double(*)[3])mesh->vertices, (const int(*)[3])mesh->faces,
                             (int)mesh->n_vertices, (int)mesh->n_faces};
    return NULL;
}

static const char *triangles_of(void *context, const fb_element *element, fb_triangles *result) {
    fb_file_resources *r = context;
    jmp_buf oom;
    if (setjmp(oom)) {
        r->arena.oom = NULL;
        return no_memory;
    }
    r->arena.oom = &oom;
    const char *why = read_mesh(r, element, result);
    r->arena.oom = NULL;
    return why;
}

/* ---- controls over time ---------------------------------------------------------------------- */

/* A PrescribedController interpolates as it says; a ControlSetController takes straight lines,
 * which go on beyond the ends. */
static const char *from_table(fb_file_resources *r, const fb_element *controller, const char *path,
                              const char *bytes, size_t size, const fb_series **result, int *n,
                              fb_diag *diag) {
    fb_sto *table = fb_arena_alloc(&r->arena, sizeof *table);
    fb_status status = fb_sto_read(table, bytes, size, path, diag);
    if (status != FB_OK) {
        return reason(r, path, diag);
    }
    r->table = table;
    const fb_value *method = fb_get(controller, "interpolation_method");
    bool lines = strcmp(controller->cls->name, "ControlSetController") == 0;
    int degree = method && method->present ? method->as.integer : 1, columns = table->n_columns;
    fb_series *series = fb_arena_array(&r->arena, (size_t)columns, sizeof *series);
    double *time = fb_arena_array(&r->arena, (size_t)table->n_rows, sizeof *time);
    double *y = fb_arena_array(&r->arena, (size_t)table->n_rows, sizeof *y);
    const char *why = NULL;
    for (int i = 0; i < table->n_rows; i++) {
        time[i] = fb_sto_value(table, i, 0);
    }
    for (int j = 1; j < columns && !why; j++) {
        fb_series *one = &series[j - 1];
        one->name = fb_arena_dup(&r->arena, table->columns[j]);
        for (int i = 0; i < table->n_rows; i++) {
            y[i] = fb_sto_value(table, i, j);
            why = isfinite(y[i]) ? why : "a control that is not a finite number";
        }
        if (!fb_function_series(&one->function, degree, time, y, 1, table->n_rows, &r->arena)) {
            why = "its times do not rise, or are too few for its interpolation";
        } else if (lines) {
            fb_function_lines(&one->function, time, y, table->n_rows, &r->arena);
        }
    }
    fb_sto_free(table);
    r->table = NULL;
    *result = series;
    *n = columns - 1;
    return why ? fb_arena_printf(&r->arena, "its file '%s': %s", path, why) : NULL;
}

static bool child_number(const fb_xml_node *node, const char *tag, double *x) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    return child && fb_number_parse(child->text, child->text_length, x) && isfinite(*x);
}

static bool child_truth(const fb_xml_node *node, const char *tag, bool missing) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    return child ? strcasecmp(child->text, "true") == 0 : missing;
}

/* Nodes of a ControlLinear. With steps, a node's value holds from the node before it on. */
static bool read_nodes(fb_file_resources *r, const fb_xml_node *control, fb_function *f) {
    const fb_xml_node *nodes = fb_xml_child(control, "x_nodes"), *node;
    size_t n = 0, capacity_t = 0, m = 0, capacity_v = 0;
    double *t = NULL, *v = NULL, one[2];
    for (node = nodes ? nodes->first : NULL; node; node = node->next) {
        if (!child_number(node, "t", &one[0]) || !child_number(node, "value", &one[1]) ||
            (n > 0 && !(one[0] > t[n - 1]))) {
            return false;
        }
        FB_PUSH(&r->arena, t, n, capacity_t, one[0]);
        FB_PUSH(&r->arena, v, m, capacity_v, one[1]);
    }
    if (n < 2) {
        fb_function_constant(f, n ? v[0] : 0, &r->arena);
        return n > 0;
    }
    if (child_truth(control, "use_steps", false)) {
        double *rows = fb_arena_array(&r->arena, n + 1, sizeof *rows);
        memcpy(rows, v, n * sizeof *rows);
        rows[n] = v[n - 1];
        *f = (fb_function){
            .kind = FB_FN_PIECES, .scale = 1, .n = (int)n, .dimension = 1, .x = t, .c = rows};
        return true;
    }
    if (child_truth(control, "extrapolate", true)) {
        fb_function_lines(f, t, v, (int)n, &r->arena);
        return true;
    }
    return fb_function_series(f, 1, t, v, 1, (int)n, &r->arena);
}

/* A ControlSet. */
static const char *from_set(fb_file_resources *r, const char *path, const fb_xml *xml,
                            const fb_series **result, int *n) {
    const fb_xml_node *set = strcmp(xml->root->tag, "ControlSet") == 0
                                 ? xml->root
                                 : fb_xml_child(xml->root, "ControlSet");
    const fb_xml_node *objects = set ? fb_xml_child(set, "objects") : NULL;
    size_t count = 0, capacity = 0;
    fb_series *series = NULL;
    if (!objects) {
        return fb_arena_printf(&r->arena, "its file '%s' holds no ControlSet", path);
    }
    for (const fb_xml_node *control = objects->first; control; control = control->next) {
        fb_series one = {.name = control->name ? fb_arena_dup(&r->arena, control->name) : ""};
        double value = 0;
        bool good = false;
        if (strcmp(control->tag, "ControlConstant") == 0) {
            good = child_number(control, "value", &value);
            fb_function_constant(&one.function, value, &r->arena);
        } else if (strcmp(control->tag, "ControlLinear") == 0) {
            good = read_nodes(r, control, &one.function);
        }
        if (!good) {
            return fb_arena_printf(&r->arena,
                                   "its file '%s', line %d: %s '%s' has no values in the order of "
                                   "time",
                                   path, control->line, control->tag, one.name);
        }
        FB_PUSH(&r->arena, series, count, capacity, one);
    }
    *result = series;
    *n = (int)count;
    return NULL;
}

static const char *read_controls(fb_file_resources *r, const fb_element *controller,
                                 const fb_series **result, int *n) {
    const char *name = fb_get_string(controller, "controls_file");
    const char *file = r->model->file ? r->model->file : "", *why;
    const char *path = fb_file_beside(&r->arena, file, name ? name : "");
    if (!fb_is_file(path)) {
        return fb_arena_printf(&r->arena, "its controls '%s' are not found", name ? name : "");
    }
    fb_diag diag;
    fb_xml *xml = fb_arena_alloc(&r->arena, sizeof *xml);
    char *bytes;
    size_t size;
    fb_diag_init(&diag);
    if (fb_read_file(path, r->max_bytes, &bytes, &size, &diag) != FB_OK) {
        why = reason(r, path, &diag);
    } else if (!fb_file_ends_with(path, ".xml")) {
        why = from_table(r, controller, path, bytes, size, result, n, &diag);
        fb_free(bytes);
    } else if (fb_xml_parse(xml, bytes, size, path, &diag) != FB_OK) {
        why = reason(r, path, &diag);
    } else {
        r->xml = xml;
        why = from_set(r, path, xml, result, n);
        fb_xml_free(xml);
        r->xml = NULL;
    }
    fb_diag_clear(&diag);
    return why;
}

static const char *controls_of(void *context, const fb_element *controller,
                               const fb_series **result, int *n) {
    fb_file_resources *r = context;
    jmp_buf oom;
    if (setjmp(oom)) {
        r->arena.oom = NULL;
        return no_memory;
    }
    r->arena.oom = &oom;
    const char *why = read_controls(r, controller, result, n);
    r->arena.oom = NULL;
    return why;
}

/* ---- all ------------------------------------------------------------------------------------- */

void fb_file_resources_init(fb_file_resources *r, const fb_model *model, const char *const *folders,
                            int n_folders, size_t max_bytes) {
    memset(r, 0, sizeof *r);
    fb_arena_init(&r->arena);
    r->model = model;
    r->folders = folders;
    r->n_folders = n_folders;
    r->max_bytes = max_bytes;
    r->resources = (fb_resources){r, triangles_of, controls_of, false};
}

void fb_file_resources_clear(fb_file_resources *r) {
    for (size_t i = 0; i < r->n_meshes; i++) {
        fb_mesh_free(r->meshes[i]);
    }
    if (r->table) {
        fb_sto_free(r->table);
    }
    if (r->xml) {
        fb_xml_free(r->xml);
    }
    fb_arena_clear(&r->arena);
    memset(r, 0, sizeof *r);
}
