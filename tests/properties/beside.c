/* Lengths of another program beside those of courses and of threads: who is right. */
#include <math.h>
#include <stdio.h>

#include "formats/sto.h"
#include "formats/text.h"
#include "tests/properties/properties.h"
#include "tests/properties/taut.h"

#define WORTH 1e-5 /* m: differences from here on are told */

static bool read_table(const char *file, fb_sto *table, fb_diag *diag) {
    char *bytes;
    size_t size;
    if (fb_read_file(file, FB_MAX_BYTES, &bytes, &size, diag) != FB_OK) {
        return false;
    }
    bool ok = fb_sto_read(table, bytes, size, file, diag) == FB_OK;
    fb_free(bytes);
    return ok;
}

static void set_row(subject *it, const fb_sto *states, int row) {
    char name[1024];
    fb_state_defaults(it->s->state);
    for (int i = 0; i < it->n; i++) {
        const fb_element *e = it->s->system->coordinates[i].element;
        snprintf(name, sizeof name, "%s/value", e ? e->path : "");
        int column = fb_sto_column(states, name);
        if (column >= 0) {
            it->s->state->q[i] = states->values[row * states->n_columns + column];
        }
    }
    fb_state_position(it->s->state);
}

/* What kinds of surfaces a path has, in `text`. */
static void describe(const subject *it, int path, char *text, size_t size) {
    static const char *const kinds[] = {"sphere", "cylinder", "ellipsoid", "torus"};
    const fb_path *p = &it->s->paths->paths[path];
    size_t end = 0;
    text[0] = 0;
    for (int k = 0; k < p->n_wraps && end + 20 < size; k++) {
        const fb_wrap *wrap = &it->s->paths->wraps[p->wraps[k].wrap];
        end += (size_t)snprintf(text + end, size - end, "%s%s%s", k ? ", " : "", kinds[wrap->kind],
                                wrap->axis >= 0 ? "*" : "");
    }
}

static void compare_path(subject *it, const fb_sto *states, const fb_sto *lengths, int path,
                         int column) {
    double off = 0, from = 0, above = 0, below = 0;
    int unsettled = 0;
    for (int row = 0; row < lengths->n_rows && row < states->n_rows; row++) {
        double theirs = lengths->values[row * lengths->n_columns + column];
        fb_course *course = &it->s->course;
        set_row(it, states, row);
        fb_path_course(it->s->paths, path, it->s->state, course);
        unsettled += course->unsettled;
        if (isnan(theirs) || course->unsettled) {
            continue;
        }
        taut t = pull_tight(it->s->paths, &it->s->paths->paths[path], it->s->state, course);
        off = fabs(theirs - course->length) > fabs(off) ? theirs - course->length : off;
        from = fabs(theirs - t.length) > fabs(from) ? theirs - t.length : from;
        above = fmax(above, course->length - t.length);
        below = fmax(below, t.length - course->length);
    }
    if (fabs(off) >= WORTH || unsettled) {
        char kinds[200];
        describe(it, path, kinds, sizeof kinds);
        printf("%s\t%s\t%s\t%+.4f\t%+.4f\t%.4f\t%.4f\t%d\n", it->name, path_name(it, path), kinds,
               off * 1e3, from * 1e3, above * 1e3, below * 1e3, unsettled);
    }
}

void beside(subject *it, const char *states_file, const char *lengths_file) {
    fb_sto states, lengths;
    if (!read_table(states_file, &states, &it->diag) ||
        !read_table(lengths_file, &lengths, &it->diag)) {
        claim(it, false, "%s and %s cannot be read", states_file, lengths_file);
        return;
    }
    printf("model\tpath\tsurfaces (*: quadrant)\ttheirs - ours, mm\ttheirs - thread\tours above "
           "thread\tbelow\trows not settled\n");
    for (int i = 0; i < it->s->paths->n_paths; i++) {
        const fb_path *path = &it->s->paths->paths[i];
        int column = fb_sto_column(&lengths, path->owner->path);
        if (column >= 0 && path->n_wraps > 0) {
            compare_path(it, &states, &lengths, i, column);
        }
    }
    fb_sto_free(&states);
    fb_sto_free(&lengths);
}
