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
        if (b->placed && residual_of(b) > worst) {
            worst = residual_of(b);
        }
    }
    return worst;
}

static bool arm_is_told(const fb_fiber_change *c) {
    return c->coordinate && (c->sign_changed || fabs(c->arm_difference) > ARM_BAR);
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

static void print_muscles(const fb_retarget *r, fb_text *out) {
    int told = 0;
    for (int i = 0; i < r->fibers.n; i++) {
        const fb_fiber_change *c = r->fibers.items + i;
        if (arm_is_told(c)) {
            fb_text_printf(out, "%s: moment arm of %s %s (%.1f mm, was %.1f mm)\n", c->muscle->name,
                           c->coordinate, c->sign_changed ? "changes its sign" : "differs",
                           c->arm_after * MM, c->arm_before * MM);
            told++;
        }
        if (c->lost_wraps) {
            fb_text_printf(out, "%s: no longer wraps around %s\n", c->muscle->name, c->lost_wraps);
        }
        if (c->equilibrated_before && !c->equilibrates) {
            fb_text_printf(out, "%s: finds no equilibrium at the default pose\n", c->muscle->name);
        }
    }
}

/* A coordinate of the scan's pose as people read it: degrees and millimetres. */
static double shown(const fb_scan_coordinate *c, const char **unit) {
    bool turns = c->coordinate && fb_coordinate_motion(c->coordinate) == FB_ROTATIONAL;
    *unit = turns ? "deg" : "mm";
    return c->value * (turns ? 180 / 3.14159265358979323846 : MM);
}

static void print_pose(const fb_retarget *r, fb_text *out) {
    const char *separator = "the scan lay at";
    for (int i = 0; i < r->scan.n_coordinates; i++) {
        const fb_scan_coordinate *c = r->scan.coordinates + i;
        const char *unit;
        if (c->determined && c->coordinate) {
            double value = shown(c, &unit);
            fb_text_printf(out, "%s %s %.1f %s", separator, c->coordinate->name, value, unit);
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

static const char *what_of(char what) {
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
        fb_json_string(out, what_of(c->what));
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

/* ---- the page -------------------------------------------------------------------------------- */

static void escape(fb_text *out, const char *s) {
    for (; s && *s; s++) {
        switch (*s) {
        case '<': fb_text_puts(out, "&lt;"); break;
        case '>': fb_text_puts(out, "&gt;"); break;
        case '&': fb_text_puts(out, "&amp;"); break;
        default: fb_text_add(out, s, 1);
        }
    }
}

static void base64(fb_text *out, const char *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const unsigned char *b = (const unsigned char *)bytes + i;
        unsigned v = (unsigned)b[0] << 16 | (i + 1 < n ? (unsigned)b[1] << 8 : 0) |
                     (i + 2 < n ? b[2] : 0);
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
                        i + 1 < n ? digits[v >> 6 & 63] : '=', i + 2 < n ? digits[v & 63] : '='};
        fb_text_add(out, four, 4);
    }
}

static void td(fb_text *out, double x, const char *format) {
    if (isfinite(x)) {
        fb_text_puts(out, "<td>");
        char digits[64];
        snprintf(digits, sizeof digits, "%.*f", format[0] - '0', x);
        fb_text_puts(out, digits);
        fb_text_puts(out, "</td>");
    } else {
        fb_text_puts(out, "<td>–</td>");
    }
}

static void td_text(fb_text *out, const char *s) {
    fb_text_puts(out, "<td>");
    escape(out, s ? s : "–");
    fb_text_puts(out, "</td>");
}

static void head(fb_text *out, const char *title, const char *columns) {
    fb_text_puts(out, "<h2>");
    fb_text_puts(out, title);
    fb_text_puts(out, "</h2><div class=wide><table><thead><tr>");
    for (const char *c = columns; *c;) {
        size_t n = strcspn(c, "|");
        fb_text_puts(out, "<th scope=col>");
        fb_text_add(out, c, n);
        fb_text_puts(out, "</th>");
        c += n + (c[n] == '|');
    }
    fb_text_puts(out, "</tr></thead><tbody>\n");
}

static void foot(fb_text *out) {
    fb_text_puts(out, "</tbody></table></div>\n");
}

static void html_bodies(const fb_retarget *r, fb_text *out) {
    head(out, "Bodies",
         "body|transform|scale x|y|z|points, rms mm|after similarity|surfaces, mean mm|95 % "
         "mm|after similarity");
    for (int i = 0; i < r->standard->n_bodies; i++) {
        const fb_retarget_body *b = body_at(r, i);
        fb_text_puts(out, "<tr>");
        td_text(out, b->element->name);
        if (!b->placed) {
            fb_text_puts(out, "<td colspan=9>nothing tells; scaled as its neighbour</td></tr>\n");
            continue;
        }
        td_text(out, fb_transform_word(b->map.kind));
        for (int k = 0; k < 3; k++) {
            td(out, b->map.scale[k], "3");
        }
        td(out, b->rms * MM, "2");
        td(out, b->similarity_rms * MM, "2");
        td(out, b->aligned ? b->surfaces.residual * MM : FB_NAN, "2");
        td(out, b->aligned ? b->surfaces.largest * MM : FB_NAN, "2");
        td(out, b->similarity_surfaces * MM, "2");
        fb_text_puts(out, "</tr>\n");
    }
    foot(out);
}

static void html_points(const fb_retarget *r, fb_text *out) {
    head(out, "Feature points", "body|point|residual mm|left out mm");
    for (int i = 0; i < r->standard->n_bodies; i++) {
        const fb_retarget_body *b = body_at(r, i);
        for (size_t k = 0; k < b->n && b->placed && b->each; k++) {
            fb_text_puts(out, "<tr>");
            td_text(out, b->element->name);
            td_text(out, b->names[k]);
            td(out, b->each ? b->each[k] * MM : FB_NAN, "2");
            td(out, b->left_out ? b->left_out[k] * MM : FB_NAN, "2");
            fb_text_puts(out, "</tr>\n");
        }
    }
    foot(out);
}

static void html_places(const fb_retarget *r, fb_text *out) {
    head(out, "Attachments and wrap objects",
         "muscle|place|moved mm|to the bone mm|before mm|put right|note");
    for (size_t i = 0; i < r->carried.n; i++) {
        const fb_carried *c = r->carried.items + i;
        fb_text_puts(out, c->snapped || c->note ? "<tr class=mark>" : "<tr>");
        td_text(out, c->owner ? c->owner->name : c->element ? c->element->name : NULL);
        td_text(out, what_of(c->what));
        td(out, c->moved * MM, "1");
        td(out, c->to_bone * MM, "1");
        td(out, c->before * MM, "1");
        td_text(out, c->snapped ? "put on the surface" : "");
        td_text(out, c->note ? c->note : "");
        fb_text_puts(out, "</tr>\n");
    }
    foot(out);
}

static void html_pose(const fb_retarget *r, fb_text *out) {
    if (r->scan.n_coordinates == 0) {
        return;
    }
    head(out, "The pose in which the scan lay", "coordinate|value|unit|out of its range");
    for (int i = 0; i < r->scan.n_coordinates; i++) {
        const fb_scan_coordinate *c = r->scan.coordinates + i;
        const char *unit;
        double value = shown(c, &unit);
        fb_text_puts(out, c->beyond ? "<tr class=mark>" : "<tr>");
        td_text(out, c->coordinate ? c->coordinate->name : NULL);
        td(out, c->determined ? value : FB_NAN, "1");
        td_text(out, unit);
        td_text(out, c->beyond ? "yes" : "");
        fb_text_puts(out, "</tr>\n");
    }
    foot(out);
    head(out, "Gaps at joints", "joint|mm|deg");
    for (int i = 0; i < r->scan.n_joints; i++) {
        const fb_scan_joint_fit *j = r->scan.joints + i;
        fb_text_puts(out, "<tr>");
        td_text(out, j->joint->name);
        td(out, j->gap * MM, "1");
        td(out, j->angle * 180 / 3.14159265358979323846, "1");
        fb_text_puts(out, "</tr>\n");
    }
    foot(out);
}

static void html_muscles(const fb_retarget *r, fb_text *out) {
    head(out, "Muscles",
         "muscle|optimal fiber mm|before|tendon slack mm|before|force N|before|operating "
         "range||before||coordinate|moment arm mm|before|remarks");
    for (int i = 0; i < r->fibers.n; i++) {
        const fb_fiber_change *c = r->fibers.items + i;
        bool marked = arm_is_told(c) || c->lost_wraps || !c->equilibrates;
        fb_text_puts(out, marked ? "<tr class=mark>" : "<tr>");
        td_text(out, c->muscle->name);
        td(out, c->optimal_after * MM, "1");
        td(out, c->optimal_before * MM, "1");
        td(out, c->slack_after * MM, "1");
        td(out, c->slack_before * MM, "1");
        td(out, c->force_after, "0");
        td(out, c->force_before, "0");
        td(out, c->range_after[0], "2");
        td(out, c->range_after[1], "2");
        td(out, c->range_before[0], "2");
        td(out, c->range_before[1], "2");
        td_text(out, c->coordinate);
        td(out, c->arm_after * MM, "1");
        td(out, c->arm_before * MM, "1");
        fb_text_puts(out, "<td>");
        fb_text_puts(out, c->sign_changed ? "the moment arm changes its sign; " : "");
        if (c->lost_wraps) {
            fb_text_puts(out, "no longer wraps around ");
            escape(out, c->lost_wraps);
            fb_text_puts(out, "; ");
        }
        fb_text_puts(out, c->equilibrates ? "" : "no equilibrium at the default pose");
        fb_text_puts(out, "</td></tr>\n");
    }
    foot(out);
}

static void html_ledger(const fb_retarget *r, fb_text *out) {
    const fb_diag *diag = &r->cli->diag;
    if (diag->n == 0) {
        return;
    }
    head(out, "What was noticed", "what|where|sentence|effect");
    for (size_t i = 0; i < diag->n; i++) {
        const fb_record *record = diag->records + i;
        fb_text_puts(out, "<tr>");
        td_text(out, fb_action_word(record->action));
        td_text(out, record->path ? record->path : record->file);
        td_text(out, record->message);
        td_text(out, record->effect ? record->effect : "");
        fb_text_puts(out, "</tr>\n");
    }
    foot(out);
}

void fb_retarget_html(const fb_retarget *r, const fb_text *picture, fb_text *out) {
    fb_text_puts(out, "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
                      "<meta name=viewport content='width=device-width,initial-scale=1'>\n<title>");
    escape(out,
           r->standard->original->root ? fb_get_string(r->standard->original->root, "name") : NULL);
    fb_text_puts(out, " on a new skeleton</title>\n<style>\n"
                      ":root{color-scheme:light dark}\n"
                      "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;"
                      "padding:0 1rem}\n"
                      "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
                      "th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #8884}\n"
                      "th:first-child,td:first-child{text-align:left}\n"
                      ".wide{overflow-x:auto}.mark{background:#fa03}\nimg{max-width:100%}\n"
                      "</style></head><body>\n<h1>");
    escape(out, r->standard->file);
    fb_text_puts(out, " on ");
    escape(out, fb_cli_value(r->cli, "skeleton"));
    fb_text_printf(out, "</h1>\n<p>Greatest residual of a body: %.2f mm.",
                   fb_retarget_worst(r) * MM);
    if (!r->skeleton_model) {
        fb_text_printf(out, " The meshes are in %s%s.",
                       r->skeleton.unit == FB_UNIT_MM ? "millimetres" : "metres",
                       r->skeleton.detected ? ", by their size" : "");
    }
    fb_text_puts(out, "</p>\n");
    if (picture) {
        fb_text_puts(out,
                     "<p><img alt='The standard body and the new one, with muscles and feature "
                     "points' src='data:image/png;base64,");
        base64(out, picture->bytes, picture->n);
        fb_text_puts(out, "'></p>\n");
    }
    html_bodies(r, out);
    html_points(r, out);
    html_pose(r, out);
    html_muscles(r, out);
    html_places(r, out);
    html_ledger(r, out);
    fb_text_puts(out, "</body></html>\n");
}
