/* retarget: what was done, as a page. */
#include <string.h>

#include "libcore/base/number.h"
#include "tools/retarget.h"

#define MM 1e3

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
        const fb_retarget_body *b = r->standard->bodies + i;
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
        const fb_retarget_body *b = r->standard->bodies + i;
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
        td_text(out, fb_retarget_place_word(c->what));
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
        if (c->dependent) {
            continue;
        }
        double value = fb_retarget_pose_value(c, &unit);
        fb_text_puts(out, c->beyond != 0 ? "<tr class=mark>" : "<tr>");
        td_text(out, c->coordinate ? c->coordinate->name : NULL);
        td(out, c->determined ? value : FB_NAN, *unit ? "1" : "3");
        td_text(out, unit);
        td_text(out, c->beyond != 0 ? "yes" : "");
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
        bool marked = fb_retarget_arm_is_told(c) || c->lost_wraps || !c->equilibrates;
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
        if (c->sign_changed) {
            fb_text_puts(out, "the moment arm about ");
            escape(out, c->sign_coordinate);
            fb_text_printf(out, " changes its sign (%.1f mm, was %.1f mm); ", c->sign_after * MM,
                           c->sign_before * MM);
        }
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
