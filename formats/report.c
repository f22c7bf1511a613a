#include "formats/report.h"

#include "formats/fb.h"
#include "libcore/model/check.h"
#include "libcore/version.h"

static void count(const fb_element *element, void *context) {
    (void)element;
    ++*(long *)context;
}

long fb_report_exact(const fb_model *model, const fb_diag *diag) {
    long n = 0;
    if (!model) {
        return 0;
    }
    fb_visit_model(model, count, &n);
    n -= diag->counts[FB_APPROXIMATED] + diag->counts[FB_KEPT];
    return n > 0 ? n : 0;
}

static const fb_action order[] = {FB_APPROXIMATED, FB_KEPT, FB_IGNORED, FB_ERROR, FB_WARNING};
#define N_ORDER ((int)(sizeof order / sizeof order[0]))

static void string_or_null(fb_text *out, const char *key, const char *text) {
    fb_text_printf(out, ", \"%s\": ", key);
    if (text) {
        fb_json_string(out, text);
    } else {
        fb_text_puts(out, "null");
    }
}

void fb_report_json(fb_text *out, const char *tool, const char *input, const fb_model *model,
                    const fb_diag *diag) {
    fb_text_puts(out, "{\n  \"tool\": ");
    fb_json_string(out, tool);
    fb_text_puts(out, ",\n  \"version\": ");
    fb_json_string(out, FB_VERSION);
    fb_text_puts(out, ",\n  \"format_version\": \"1.0\",\n  \"input\": ");
    fb_json_string(out, input);
    fb_text_printf(out, ",\n  \"counts\": {\"exact\": %ld", fb_report_exact(model, diag));
    for (int i = 0; i < N_ORDER; i++) {
        fb_text_printf(out, ", \"%s\": %ld", fb_action_word(order[i]), diag->counts[order[i]]);
    }
    fb_text_puts(out, "},\n  \"rows\": [");
    for (size_t i = 0; i < diag->n; i++) {
        const fb_record *record = &diag->records[i];
        fb_text_puts(out, i ? ",\n    {\"path\": " : "\n    {\"path\": ");
        if (record->path) {
            fb_json_string(out, record->path);
        } else {
            fb_text_puts(out, "null");
        }
        fb_text_printf(out, ", \"line\": %d", record->line);
        string_or_null(out, "class", record->cls);
        string_or_null(out, "action", fb_action_word(record->action));
        string_or_null(out, "effect", record->effect);
        string_or_null(out, "unit", record->unit);
        string_or_null(out, "why", record->message);
        string_or_null(out, "id", fb_diag_name(record->id));
        string_or_null(out, "file", record->file);
        fb_text_puts(out, "}");
    }
    fb_text_puts(out, diag->n ? "\n  ]\n}\n" : "]\n}\n");
}

static void escape(fb_text *out, const char *text) {
    for (; text && *text; text++) {
        switch (*text) {
        case '<': fb_text_puts(out, "&lt;"); break;
        case '>': fb_text_puts(out, "&gt;"); break;
        case '&': fb_text_puts(out, "&amp;"); break;
        case '"': fb_text_puts(out, "&quot;"); break;
        default: fb_text_add(out, text, 1);
        }
    }
}

static void cell(fb_text *out, const char *text) {
    fb_text_puts(out, "<td>");
    escape(out, text);
    fb_text_puts(out, "</td>");
}

void fb_report_html(fb_text *out, const char *tool, const char *input, const fb_model *model,
                    const fb_diag *diag) {
    fb_text_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    escape(out, tool);
    fb_text_puts(out, ": ");
    escape(out, input);
    fb_text_puts(
        out,
        "</title>\n<style>\nh1{font-size:1.6em;overflow-wrap:anywhere}"
        "body{font:16px/1.45 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;"
        "color:#222;background:#fff}\n"
        "table{border-collapse:collapse;width:100%}\n"
        "th,td{text-align:left;vertical-align:top;padding:.3em .7em;border-bottom:1px solid #ddd}\n"
        "td{overflow-wrap:anywhere}td:first-child{white-space:nowrap}\n"
        ".counts td{font-size:1.4em}\n"
        ".error td:first-child{color:#a00;font-weight:600}\n"
        ".ignored td:first-child,.approximated td:first-child{color:#a50;font-weight:600}\n"
        "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}"
        "th,td{border-color:#444}}\n"
        "</style>\n</head>\n<body>\n<h1>What happened to ");
    escape(out, input);
    fb_text_puts(out, "</h1>\n<p>");
    escape(out, tool);
    fb_text_puts(out, " " FB_VERSION "</p>\n<table class=\"counts\">\n<tr><th>exact</th>");
    for (int i = 0; i < N_ORDER; i++) {
        fb_text_printf(out, "<th>%s</th>", fb_action_word(order[i]));
    }
    fb_text_printf(out, "</tr>\n<tr><td>%ld</td>", fb_report_exact(model, diag));
    for (int i = 0; i < N_ORDER; i++) {
        fb_text_printf(out, "<td>%ld</td>", diag->counts[order[i]]);
    }
    fb_text_puts(out, "</tr>\n</table>\n");
    if (diag->n == 0) {
        fb_text_puts(out, "<p>Every element was read exactly.</p>\n");
    } else {
        fb_text_puts(out, "<table>\n<tr><th>action</th><th>line</th><th>element</th><th>why</th>"
                          "<th>effect</th></tr>\n");
    }
    for (size_t i = 0; i < diag->n; i++) {
        const fb_record *record = &diag->records[i];
        fb_text_printf(out, "<tr class=\"%s\">", fb_action_word(record->action));
        cell(out, fb_action_word(record->action));
        fb_text_puts(out, "<td>");
        if (record->line) {
            fb_text_printf(out, "%d", record->line);
        }
        fb_text_puts(out, "</td>");
        cell(out, record->path ? record->path : record->cls);
        cell(out, record->message);
        cell(out, record->effect);
        fb_text_puts(out, "</tr>\n");
    }
    fb_text_puts(out, diag->n ? "</table>\n</body>\n</html>\n" : "</body>\n</html>\n");
}
