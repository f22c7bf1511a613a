/* retarget: what was done, for people and for programs. */
#include <string.h>

#include "formats/report.h"
#include "libcore/base/number.h"
#include "tools/retarget.h"

#define MM 1e3
#define DEEP 1e-3    /* m: an end of a muscle that lies deeper in a bone is told */
#define ARM_BAR 0.01 /* m: moment arms that differ by more are told */

static const fb_retarget_body *body_at(const fb_retarget *r, int i) {
    return r->standard->bodies + i;
}

/* What a body's residual is: of its points, else of its surfaces; nan if it was given. */
static double residual_of(const fb_retarget_body *b) {
    return b->aligned ? b->surfaces.residual : b->rms;
}

double fb_retarget_worst(const fb_retarget *r) {
    double worst = 0;
    for (int i = 0; i < r->standard->n_bodies; i++) {
        const fb_retarget_body *b = body_at(r, i);
        if (b->placed) {
            worst = fb_greater(worst, isfinite(residual_of(b)) ? residual_of(b) : 0);
            worst = fb_greater(worst, r->any_pairs && isfinite(b->rms) ? b->rms : 0);
        }
    }
    return worst;
}

bool fb_retarget_arm_is_told(const fb_fiber_change *c) {
    return c->sign_changed || (c->coordinate && fabs(c->arm_difference) > ARM_BAR);
}

/* ---- for people ------------------------------------------------------------------------------ */

/* A number of three columns' width, or a dash. */
static void cell(fb_text *out, double x, int width, int digits) {
    if (isfinite(x)) {
        fb_text_printf(out, " %*.*f", width, digits, x);
    } else {
        fb_text_printf(out, " %*s", width, "-");
    }
}

static void print_bodies(const fb_retarget *r, fb_text *out) {
    int width = 4;
    for (int i = 0; i < r->standard->n_bodies; i++) {
        int n = (int)strlen(body_at(r, i)->element->name);
        width = n > width ? n : width;
    }
    fb_text_printf(out, "%-*s %-11s %6s %6s %6s %8s %8s %8s %8s\n", width, "body", "transform", "x",
                   "y", "z", "points", "similar", "surface", "similar");
    fb_text_printf(out, "%-*s %-11s %6s %6s %6s %8s %8s %8s %8s\n", width, "", "", "scale", "scale",
                   "scale", "rms mm", "rms mm", "mean mm", "mean mm");
    for (int i = 0; i < r->standard->n_bodies; i++) {
        const fb_retarget_body *b = body_at(r, i);
        fb_text_printf(out, "%-*s", width, b->element->name);
        if (!b->placed) {
            fb_text_puts(out, " as its neighbour\n");
            continue;
        }
        fb_text_printf(out, " %-11s", fb_transform_word(b->map.kind));
        for (int k = 0; k < 3; k++) {
            fb_text_printf(out, " %6.3f", b->map.scale[k]);
        }
        cell(out, b->rms * MM, 8, 2);
        cell(out, b->similarity_rms * MM, 8, 2);
        cell(out, b->aligned ? b->surfaces.residual * MM : FB_NAN, 8, 2);
        cell(out, b->similarity_surfaces * MM, 8, 2);
        fb_text_puts(out, "\n");
    }
}

/* Numbers of what was moved or needs a look. */
static void print_places(const fb_retarget *r, fb_text *out) {
    int snapped = 0, inside = 0;
    for (size_t i = 0; i < r->carried.n; i++) {
        const fb_carried *c = r->carried.items + i;
        snapped += c->snapped;
        inside += c->what == 'v' && c->to_bone < -DEEP;
    }
    if (snapped) {
        fb_text_printf(out, "%d end%s of muscles inside a bone %s put on its surface\n", snapped,
                       snapped == 1 ? "" : "s", snapped == 1 ? "was" : "were");
    }
    if (inside) {
        fb_text_printf(out, "%d via point%s inside a bone (--snap-via)\n", inside,
                       inside == 1 ? " lies" : "s lie");
    }
}

/* Messages name each of them. */
static void print_muscles(const fb_retarget *r, fb_text *out) {
    int arms = 0, signs = 0;
    for (int i = 0; i < r->fibers.n; i++) {
        const fb_fiber_change *c = r->fibers.items + i;
        signs += c->sign_changed;
        arms += !c->sign_changed && fb_retarget_arm_is_told(c);
    }
    if (signs) {
        fb_text_printf(out, "%d muscle%s a moment arm of the other sign in some pose\n", signs,
                       signs == 1 ? " has" : "s have");
    }
    if (arms) {
        fb_text_printf(out, "%d more muscle%s a moment arm that differs by more than %g mm\n", arms,
                       arms == 1 ? " has" : "s have", ARM_BAR * MM);
    }
}

double fb_retarget_pose_value(const fb_scan_coordinate *c, const char **unit) {
    fb_motion motion = fb_coordinate_motion(c->coordinate);
    *unit = motion == FB_ROTATIONAL ? "deg" : motion == FB_TRANSLATIONAL ? "mm" : "";
    return c->value * (motion == FB_ROTATIONAL      ? 180 / 3.14159265358979323846
                       : motion == FB_TRANSLATIONAL ? MM
                                                    : 1);
}

static void print_pose(const fb_retarget *r, fb_text *out) {
    const char *separator = "the scan lay at";
    for (int i = 0; i < r->scan.n_coordinates; i++) {
        const fb_scan_coordinate *c = r->scan.coordinates + i;
        const char *unit;
        if (c->determined && c->coordinate && !c->dependent) {
            double value = fb_retarget_pose_value(c, &unit);
            fb_text_printf(out, "%s %s %.*f%s%s", separator, c->coordinate->name, *unit ? 1 : 3,
                           value, *unit ? " " : "", unit);
            separator = ",";
        }
    }
    fb_text_puts(out, separator[0] == ',' ? "\n" : "");
    for (int i = 0; i < r->scan.n_joints; i++) {
        const fb_scan_joint_fit *j = r->scan.joints + i;
        if (j->gap > 0.01) {
            fb_text_printf(out, "%s: its bones are %.1f mm apart in the scan\n", j->joint->name,
                           j->gap * MM);
        }
    }
}

void fb_retarget_print(const fb_retarget *r, fb_text *out) {
    print_bodies(r, out);
    print_pose(r, out);
    print_places(r, out);
    print_muscles(r, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void key(fb_text *out, const char *name) {
    fb_json_string(out, name);
    fb_text_puts(out, ": ");
}

static void number(fb_text *out, const char *name, double x) {
    fb_text_puts(out, ", ");
    key(out, name);
    if (isfinite(x)) {
        fb_text_number(out, x);
    } else {
        fb_text_puts(out, "null");
    }
}

static void text(fb_text *out, const char *name, const char *value) {
    fb_text_puts(out, ", ");
    key(out, name);
    if (value) {
        fb_json_string(out, value);
    } else {
        fb_text_puts(out, "null");
    }
}

static void truth(fb_text *out, const char *name, bool value) {
    fb_text_puts(out, ", ");
    key(out, name);
    fb_text_puts(out, value ? "true" : "false");
}

static void numbers(fb_text *out, const char *name, const double *x, int n) {
    fb_text_puts(out, ", ");
    key(out, name);
    for (int i = 0; i < n; i++) {
        fb_text_puts(out, i ? ", " : "[");
        fb_json_number(out, x[i]);
    }
    fb_text_puts(out, "]");
}

static void json_points(const fb_retarget_body *b, fb_text *out) {
    fb_text_puts(out, ", \"points\": [");
    for (size_t k = 0; k < b->n; k++) {
        fb_text_puts(out, k ? ",\n      {" : "\n      {");
        key(out, "name");
        fb_json_string(out, b->names[k]);
        number(out, "residual", b->each ? b->each[k] : FB_NAN);
        number(out, "left_out", b->left_out ? b->left_out[k] : FB_NAN);
        numbers(out, "standard", b->from[k], 3);
        numbers(out, "target", b->to[k], 3);
        number(out, "weight", b->weight[k]);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "]");
}

static void json_fits(const fb_retarget_body *b, fb_text *out) {
    fb_text_puts(out, ", \"fits\": [");
    for (int k = 0; k < b->n_fits[1]; k++) {
        const fb_bone_fit *f = b->fits[1] + k;
        fb_text_puts(out, k ? ", {" : "{");
        key(out, "name");
        fb_json_string(out, f->name);
        numbers(out, "center", f->center, 3);
        if (fb_v3_norm(f->axis) > 0) {
            numbers(out, "axis", f->axis, 3);
        }
        number(out, "radius", f->radius);
        number(out, "rms", f->rms);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "]");
}

static void json_bodies(const fb_retarget *r, fb_text *out) {
    fb_text_puts(out, "  \"bodies\": [");
    for (int i = 0; i < r->standard->n_bodies; i++) {
        const fb_retarget_body *b = body_at(r, i);
        fb_text_puts(out, i ? ",\n    {" : "\n    {");
        key(out, "name");
        fb_json_string(out, b->element->name);
        text(out, "bone", b->target ? b->target->body : NULL);
        text(out, "transform", b->placed ? fb_transform_word(b->map.kind) : NULL);
        if (b->placed) {
            truth(out, "fell_back", b->fell_back);
            numbers(out, "scale", b->map.scale, 3);
            number(out, "points_rms", b->rms);
            number(out, "points_rms_similarity", b->similarity_rms);
            number(out, "surface_mean", b->aligned ? b->surfaces.residual : FB_NAN);
            number(out, "surface_95", b->aligned ? b->surfaces.largest : FB_NAN);
            number(out, "surface_mean_similarity", b->similarity_surfaces);
            number(out, "surface_mean_second", b->aligned ? b->surfaces.second : FB_NAN);
            number(out, "surface_mean_mirrored", b->aligned ? b->surfaces.mirrored : FB_NAN);
            numbers(out, "frame_origin", b->frame.p, 3);
            numbers(out, "frame_rotation", b->frame.R, 9);
            json_fits(b, out);
            json_points(b, out);
        }
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "\n  ],\n");
}

static void json_joints(const fb_retarget *r, fb_text *out) {
    fb_text_puts(out, "  \"joints\": [");
    for (int i = 0; i < r->standard->n_sites; i++) {
        const fb_joint_site *s = r->standard->sites + i;
        fb_text_puts(out, i ? ",\n    {" : "\n    {");
        key(out, "name");
        fb_json_string(out, s->joint->name);
        if (s->in_parent) {
            numbers(out, "parent", s->parent, 3);
        }
        if (s->in_child) {
            numbers(out, "child", s->child, 3);
        }
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "\n  ],\n");
}

static void json_pose(const fb_retarget *r, fb_text *out) {
    fb_text_puts(out, "  \"scan_pose\": {\"coordinates\": [");
    for (int i = 0; i < r->scan.n_coordinates; i++) {
        const fb_scan_coordinate *c = r->scan.coordinates + i;
        fb_text_puts(out, i ? ",\n    {" : "\n    {");
        key(out, "name");
        fb_json_string(out, c->coordinate ? c->coordinate->name : "");
        number(out, "value", c->value);
        truth(out, "determined", c->determined);
        truth(out, "dependent", c->dependent);
        number(out, "beyond", c->beyond);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "],\n    \"gaps\": [");
    for (int i = 0; i < r->scan.n_joints; i++) {
        fb_text_puts(out, i ? ",\n    {" : "\n    {");
        key(out, "joint");
        fb_json_string(out, r->scan.joints[i].joint->name);
        number(out, "gap", r->scan.joints[i].gap);
        number(out, "angle", r->scan.joints[i].angle);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "]},\n");
}

const char *fb_retarget_place_word(char what) {
    switch (what) {
    case 'o': return "origin";
    case 'i': return "insertion";
    case 'v': return "via";
    case 'w': return "wrap";
    case 'm': return "marker";
    case 'j': return "joint";
    default: return "other";
    }
}

static void json_places(const fb_retarget *r, fb_text *out) {
    fb_text_puts(out, "  \"places\": [");
    for (size_t i = 0; i < r->carried.n; i++) {
        const fb_carried *c = r->carried.items + i;
        fb_text_puts(out, i ? ",\n    {" : "\n    {");
        key(out, "kind");
        fb_json_string(out, fb_retarget_place_word(c->what));
        text(out, "of", c->owner ? c->owner->name : NULL);
        text(out, "name", c->element && c->element->name ? c->element->name : NULL);
        number(out, "moved", c->moved);
        number(out, "to_bone", c->to_bone);
        number(out, "to_bone_before", c->before);
        truth(out, "snapped", c->snapped);
        text(out, "note", c->note);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "\n  ],\n");
}

static void json_muscles(const fb_retarget *r, fb_text *out) {
    fb_text_puts(out, "  \"muscles\": [");
    for (int i = 0; i < r->fibers.n; i++) {
        const fb_fiber_change *c = r->fibers.items + i;
        fb_text_puts(out, i ? ",\n    {" : "\n    {");
        key(out, "name");
        fb_json_string(out, c->muscle->name);
        number(out, "optimal_fiber_length_before", c->optimal_before);
        number(out, "optimal_fiber_length", c->optimal_after);
        number(out, "tendon_slack_length_before", c->slack_before);
        number(out, "tendon_slack_length", c->slack_after);
        number(out, "max_isometric_force_before", c->force_before);
        number(out, "max_isometric_force", c->force_after);
        numbers(out, "operating_range_before", c->range_before, 2);
        numbers(out, "operating_range", c->range_after, 2);
        number(out, "operating_rms", c->rms);
        truth(out, "equilibrated_before", c->equilibrated_before);
        truth(out, "equilibrates", c->equilibrates);
        text(out, "lost_wraps", c->lost_wraps);
        text(out, "coordinate", c->coordinate);
        number(out, "moment_arm_before", c->arm_before);
        number(out, "moment_arm", c->arm_after);
        number(out, "moment_arm_difference", c->arm_difference);
        truth(out, "sign_changed", c->sign_changed);
        text(out, "sign_coordinate", c->sign_coordinate);
        number(out, "sign_moment_arm_before", c->sign_before);
        number(out, "sign_moment_arm", c->sign_after);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, "\n  ],\n");
}

void fb_retarget_json(const fb_retarget *r, fb_text *out) {
    fb_text ledger;
    fb_text_puts(out, "{");
    key(out, "tool");
    fb_json_string(out, "retarget");
    text(out, "standard", r->standard->file);
    text(out, "skeleton", fb_cli_value(r->cli, "skeleton"));
    text(out, "unit", r->skeleton_model ? NULL : r->skeleton.unit == FB_UNIT_MM ? "mm" : "m");
    number(out, "greatest_residual", fb_retarget_worst(r));
    fb_text_puts(out, ",\n");
    json_bodies(r, out);
    json_joints(r, out);
    json_pose(r, out);
    json_places(r, out);
    json_muscles(r, out);
    fb_text_init(&ledger, NULL);
    fb_report_json(&ledger, "retarget", r->standard->file, r->standard->model, &r->cli->diag);
    fb_text_puts(out, "  \"ledger\": ");
    fb_text_add(out, ledger.bytes, ledger.n);
    fb_text_puts(out, "}\n");
    fb_text_free(&ledger);
}
