/* The JSON Schema of .fb documents and the table of classes, from the class tables. */
#include <string.h>

#include "formats/fb.h"

static void write_number_list(fb_text *out, int count) {
    fb_text_puts(out, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}");
    if (count > 0) {
        fb_text_printf(out, ", \"minItems\": %d, \"maxItems\": %d", count, count);
    }
}

/* "a name, or a list of names" where the field allows both. */
static void write_strings(fb_text *out, const fb_field *field) {
    static const char list[] = "\"type\": \"array\", \"items\": {\"type\": \"string\"}";
    if (field->flags & FB_UNWRAP) {
        fb_text_printf(out, "\"anyOf\": [{\"type\": \"string\"}, {%s}]", list);
    } else {
        fb_text_puts(out, list);
    }
}

static void write_field_schema(fb_text *out, const fb_field *field) {
    char about[512];
    snprintf(about, sizeof about, "%s%s%s%s", field->doc ? field->doc : "", field->unit ? " [" : "",
             field->unit ? field->unit : "", field->unit ? "]" : "");
    fb_json_string(out, field->key);
    fb_text_puts(out, ": {\"description\": ");
    fb_json_string(out, about);
    fb_text_puts(out, ", ");
    switch (field->type) {
    case FB_BOOL: fb_text_puts(out, "\"type\": \"boolean\""); break;
    case FB_INT: fb_text_puts(out, "\"type\": \"integer\""); break;
    case FB_NUMBER: fb_text_puts(out, "\"$ref\": \"#/$defs/number\""); break;
    case FB_VECTOR: write_number_list(out, field->count); break;
    case FB_NUMBERS: write_number_list(out, 0); break;
    case FB_STRING:
    case FB_CHOICE:
    case FB_REF: fb_text_puts(out, "\"type\": \"string\""); break;
    case FB_STRINGS:
    case FB_REFS: write_strings(out, field); break;
    case FB_OBJECT:
        fb_text_printf(out, "\"$ref\": \"#/$defs/any %s\"", fb_family_word(field->family));
        break;
    case FB_OBJECTS:
        fb_text_printf(out, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/any %s\"}",
                       fb_family_word(field->family));
        break;
    }
    fb_text_puts(out, "}");
}

/* Members that every object may have. */
static void write_common(fb_text *out) {
    fb_text_puts(out,
                 "\"name\": {\"type\": \"string\"}, \"component_path\": {\"type\": \"string\"}, "
                 "\"note\": {\"type\": \"string\"}, "
                 "\"kept\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, "
                 "\"comments\": {\"$ref\": \"#/$defs/comments\"}");
}

/* The body of bundles that fbgen gives a muscle (tools/fbgen_write.c). */
static void write_bundles(fb_text *out) {
    static const char *const numbers[][2] = {
        {"volume", "of the bundles' bellies [m^3]"},
        {"ratio", "height over width of the bundles at rest [1]"},
        {"belly_length", "of the mean core [m]"},
        {"fiber_part", "belly of a bundle, of that of the muscle: 1, or less if bellies are "
                       "staggered [1]"},
        {"cut", "how much of its half-ellipsoids a belly uses, L2 / c1 and L3 / c2 [1]"},
        {"twist", "of the section from the lower end to the upper [rad]"}};
    static const char *const core_numbers[][2] = {
        {"share", "of the muscle's force [1]"},
        {"volume_share", "of its volume, thus of its bundles [1]"},
        {"widest", "where the belly is widest, of its length from the lower end [1]"}};
    fb_text_puts(out,
                 "    \"bundles\": {\n      \"description\": \"a muscle's body of bundles; of a "
                 "muscle of several lines the first has it, and the others say where it is\",\n"
                 "      \"type\": \"object\",\n      \"properties\": {\n        \"of\": "
                 "{\"description\": \"the line that has it\", \"type\": \"string\"},\n"
                 "        \"muscle\": {\"description\": \"its name\", \"type\": \"string\"},\n"
                 "        \"lines\": {\"description\": \"the model's muscles that are its lines\", "
                 "\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fb_text_printf(out, "        \"%s\": {\"description\": \"%s\", \"type\": \"number\"},\n",
                       numbers[i][0], numbers[i][1]);
    }
    fb_text_puts(
        out, "        \"height_direction\": {\"description\": \"from the bone to the skin, in "
             "ground in the pose [1]\", \"type\": \"array\", \"items\": {\"type\": \"number\"}, "
             "\"minItems\": 3, \"maxItems\": 3},\n"
             "        \"layers\": {\"description\": \"of the belly\", \"type\": \"integer\"},\n"
             "        \"cores\": {\"description\": \"one for each head, in the order of their "
             "strips along the width\", \"type\": \"array\", \"minItems\": 1, \"items\": "
             "{\"type\": \"object\", \"properties\": {\n          "
             "\"name\": {\"description\": \"of the head\", \"type\": \"string\"},\n          "
             "\"line\": {\"description\": \"whose path it follows\", \"type\": \"string\"},\n");
    for (size_t i = 0; i < sizeof core_numbers / sizeof *core_numbers; i++) {
        fb_text_printf(out, "          \"%s\": {\"description\": \"%s\", \"type\": \"number\"},\n",
                       core_numbers[i][0], core_numbers[i][1]);
    }
    fb_text_puts(
        out,
        "          \"tendon\": {\"description\": \"below and above the belly [m]\", \"type\": "
        "\"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 2, \"maxItems\": 2}\n"
        "        }}},\n"
        "        \"cells\": {\"description\": \"of each bundle: signed cell (i, j) in the "
        "lattice, and its core, from 0\", \"type\": \"array\", \"items\": {\"type\": \"array\", "
        "\"items\": {\"type\": \"integer\"}, \"minItems\": 3, \"maxItems\": 3}},\n"
        "        \"a\": {\"description\": \"half-widths of the bundles where they are widest, in "
        "the pose [m]\", \"type\": \"array\", \"items\": {\"type\": \"number\"}},\n"
        "        \"b\": {\"description\": \"and half-heights [m]\", \"type\": \"array\", "
        "\"items\": {\"type\": \"number\"}}\n      },\n"
        "      \"anyOf\": [{\"required\": [\"of\"]}, {\"required\": [\"muscle\", \"lines\", "
        "\"volume\", \"ratio\", \"belly_length\", \"cores\", \"cells\"]}]\n    },\n");
}

static void write_class(fb_text *out, const fb_class *cls) {
    fb_text_puts(out, "    ");
    fb_json_string(out, cls->name);
    fb_text_puts(out, ": {\n      \"description\": ");
    fb_json_string(out, cls->doc);
    fb_text_puts(out, ",\n      \"type\": \"object\",\n      \"properties\": {\n        ");
    write_common(out);
    if (cls->type) {
        fb_text_puts(out, ",\n        \"type\": {\"const\": ");
        fb_json_string(out, cls->type);
        fb_text_puts(out, "}");
    }
    for (int i = 0; i < cls->n_fields; i++) {
        fb_text_puts(out, ",\n        ");
        write_field_schema(out, &cls->fields[i]);
    }
    if (cls->list && strcmp(cls->list, "muscles") == 0) {
        fb_text_puts(out,
                     ",\n        \"bundles\": {\"description\": \"the muscle's body of bundles\", "
                     "\"$ref\": \"#/$defs/bundles\"}");
    }
    fb_text_puts(out, "\n      }");
    bool named = cls->list &&
                 cls->family != FB_STATION; /* a station may be an object of its owner */
    if (cls->type || named) {
        fb_text_puts(out, ",\n      \"required\": [");
        fb_text_puts(out, named ? "\"name\"" : "");
        fb_text_puts(out, named && cls->type ? ", " : "");
        fb_text_puts(out, cls->type ? "\"type\"" : "");
        fb_text_puts(out, "]");
    }
    if (!cls->type) {
        fb_text_puts(out, ",\n      \"not\": {\"required\": [\"type\"]}");
    }
    fb_text_puts(out, "\n    }");
}

/* {"anyOf": [...]} over the classes for which `want` holds. */
static void write_any(fb_text *out, bool (*want)(const fb_class *, const void *),
                      const void *context, bool kept) {
    int n = 0;
    fb_text_puts(out, "{\"anyOf\": [");
    const fb_class *cls;
    for (int i = 0; (cls = fb_class_at(i)) != NULL; i++) {
        if (!want(cls, context)) {
            continue;
        }
        fb_text_puts(out, n++ ? ", " : "");
        fb_text_printf(out, "{\"$ref\": \"#/$defs/%s\"}", cls->name);
    }
    if (kept) {
        fb_text_printf(out, "%s{\"$ref\": \"#/$defs/kept object\"}", n ? ", " : "");
    }
    fb_text_puts(out, "]}");
}

static bool is_owned(const fb_class *cls, const void *context) {
    const fb_family *family = context;
    bool right = cls->family == *family || (*family == FB_FUNCTION && cls->family == FB_CURVE);
    return right && (cls->list == NULL || *family == FB_STATION);
}

static bool is_listed(const fb_class *cls, const void *context) {
    return cls->list && strcmp(cls->list, context) == 0;
}

static void write_definitions(fb_text *out) {
    fb_text_puts(
        out,
        "  \"$defs\": {\n"
        "    \"number\": {\"anyOf\": [{\"type\": \"number\"}, {\"enum\": [\"nan\", \"inf\", "
        "\"-inf\"]}]},\n"
        "    \"comments\": {\"type\": \"array\", \"items\": {\"type\": \"object\", \"properties\": "
        "{\"before\": {\"type\": \"string\"}, \"text\": {\"type\": \"string\"}}, \"required\": "
        "[\"text\"]}},\n"
        "    \"kept object\": {\"description\": \"an object of an OpenSim class that is not known, "
        "word for word\", "
        "\"type\": \"object\", \"properties\": {\"type\": {\"const\": \"kept\"}, \"class\": "
        "{\"type\": \"string\"}, "
        "\"xml\": {\"type\": \"string\"}}, \"required\": [\"type\", \"xml\"]},\n"
        "    \"kept component\": {\"description\": \"a component of a class that is not known, "
        "word for word\", "
        "\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}, "
        "\"component_path\": "
        "{\"type\": \"string\"}, \"class\": {\"type\": \"string\"}, \"xml\": {\"type\": "
        "\"string\"}}, "
        "\"required\": [\"name\", \"xml\"]},\n"
        "    \"step\": {\"description\": \"a tool that made or changed the document\", \"type\": "
        "\"object\", "
        "\"properties\": {\"tool\": {\"type\": \"string\"}, \"version\": {\"type\": \"string\"}, "
        "\"options\": "
        "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}, \"input\": {\"type\": "
        "\"string\"}, \"sha256\": "
        "{\"type\": \"string\", \"pattern\": \"^[0-9a-f]{64}$\"}}, \"required\": [\"tool\"]},\n"
        "    \"group\": {\"description\": \"a named group of a set's members\", \"type\": "
        "\"object\", \"properties\": "
        "{\"name\": {\"type\": \"string\"}, \"set\": {\"type\": \"string\"}, \"members\": "
        "{\"type\": \"array\", "
        "\"items\": {\"type\": \"string\"}}}, \"required\": [\"name\", \"members\"]},\n");
    write_bundles(out);
    for (int family = FB_ANY + 1; family < FB_FAMILY_COUNT; family++) {
        fb_family one = (fb_family)family;
        fb_text_printf(out, "    \"any %s\": ", fb_family_word(one));
        write_any(out, is_owned, &one, true);
        fb_text_puts(out, ",\n");
    }
    const fb_class *cls;
    for (int i = 0; (cls = fb_class_at(i)) != NULL; i++) {
        if (cls->family == FB_MODEL) {
            continue;
        }
        if (i > 0 && fb_class_at(i - 1)->family != FB_MODEL) {
            fb_text_puts(out, ",\n");
        }
        write_class(out, cls);
    }
    fb_text_puts(out, "\n  }\n");
}

void fb_schema_write(fb_text *out) {
    fb_text_puts(
        out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
             "  \"title\": \"The .fb document, version " FB_DOCUMENT_VERSION "\",\n"
             "  \"description\": \"A musculoskeletal model: SI units and radians; made from the "
             "class tables by "
             "'make docs'. Members that are not named here are allowed, and kept.\",\n"
             "  \"type\": \"object\",\n  \"required\": [\"fb\", \"name\"],\n  \"properties\": {\n"
             "    \"fb\": {\"type\": \"string\", \"pattern\": \"^1\\\\.[0-9]+$\"},\n"
             "    \"name\": {\"type\": \"string\"},\n"
             "    \"note\": {\"type\": \"string\"},\n"
             "    \"source\": {\"type\": \"object\", \"properties\": {\"format\": {\"type\": "
             "\"string\"}, "
             "\"version\": {\"type\": \"integer\"}}},\n");
    const fb_class *model = fb_class_find("Model");
    for (int i = 0; i < model->n_fields; i++) {
        fb_text_puts(out, "    ");
        write_field_schema(out, &model->fields[i]);
        fb_text_puts(out, ",\n");
    }
    fb_text_puts(out,
                 "    \"comments\": {\"$ref\": \"#/$defs/comments\"},\n"
                 "    \"model_kept\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
                 "    \"ground\": {\"$ref\": \"#/$defs/Ground\"},\n");
    for (int i = 0; fb_lists[i]; i++) {
        fb_text_printf(out, "    \"%s\": {\"type\": \"array\", \"items\": ", fb_lists[i]);
        if (strcmp(fb_lists[i], "kept") == 0) {
            fb_text_puts(out, "{\"$ref\": \"#/$defs/kept component\"}");
        } else {
            write_any(out, is_listed, fb_lists[i], false);
        }
        fb_text_puts(out, "},\n");
    }
    fb_text_puts(
        out,
        "    \"groups\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/group\"}},\n"
        "    \"order\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\", "
        "\"items\": "
        "{\"type\": \"string\"}}},\n"
        "    \"property_comments\": {\"type\": \"object\", \"additionalProperties\": {\"type\": "
        "\"string\"}},\n"
        "    \"features\": {\"description\": \"feature points\", \"type\": \"array\"},\n"
        "    \"steps\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/step\"}}\n  },\n");
    write_definitions(out);
    fb_text_puts(out, "}\n");
}

/* ---- docs/classes.md ------------------------------------------------------------------------ */

/* What stands in the column "holds" of the table. */
static void write_type(fb_text *out, const fb_field *field) {
    const char *word = fb_family_word(field->family);
    switch (field->type) {
    case FB_BOOL: fb_text_puts(out, "true or false"); break;
    case FB_INT: fb_text_puts(out, "whole number"); break;
    case FB_NUMBER: fb_text_puts(out, "number"); break;
    case FB_VECTOR: fb_text_printf(out, "%d numbers", field->count); break;
    case FB_NUMBERS: fb_text_puts(out, "numbers"); break;
    case FB_STRING: fb_text_puts(out, "text"); break;
    case FB_STRINGS: fb_text_puts(out, "texts"); break;
    case FB_CHOICE:
        for (const char *p = field->choices; *p; p++) {
            fb_text_puts(out, *p == '|' ? " or " : (char[2]){*p, 0});
        }
        break;
    case FB_REF: fb_text_printf(out, "name: %s", word); break;
    case FB_REFS: fb_text_printf(out, "names: %s", word); break;
    case FB_OBJECT: fb_text_printf(out, "%s", word); break;
    case FB_OBJECTS: fb_text_printf(out, "list: %s", word); break;
    }
}

static void write_class_row(fb_text *out, const fb_class *cls) {
    fb_text_printf(out, "\n### %s\n\n", cls->name);
    fb_text_printf(out, "%s. ", cls->doc);
    if (cls->list) {
        fb_text_printf(out, "In the list `%s`", cls->list);
    } else {
        fb_text_printf(out, "A %s of what owns it", fb_family_word(cls->family));
    }
    if (cls->type) {
        fb_text_printf(out, ", `\"type\": \"%s\"`", cls->type);
    }
    fb_text_puts(out, ".\n");
    if (cls->n_fields) {
        fb_text_puts(
            out,
            "\n| member | holds | unit | default | OpenSim tag | |\n|---|---|---|---|---|---|\n");
    }
    for (int i = 0; i < cls->n_fields; i++) {
        const fb_field *field = &cls->fields[i];
        fb_text_printf(out, "| `%s` | ", field->key);
        write_type(out, field);
        fb_text_printf(out, " | %s | %s%s | ", field->unit ? field->unit : "",
                       field->initial ? field->initial : "",
                       field->flags & FB_REQUIRED ? "required" : "");
        fb_text_printf(out, field->tag[0] == '#' ? "(its place)" : "`%s`", field->tag);
        fb_text_printf(out, " | %s%s |\n", field->doc ? field->doc : "",
                       field->flags & FB_BRIEF ? " (left out at its default)" : "");
    }
}

void fb_classes_write(fb_text *out) {
    fb_text_puts(
        out,
        "# The classes\n\nEvery OpenSim class that is read as itself, with its members in `.fb`. "
        "Made from the class tables\n(`libcore/model/classes_*.c`) by `make docs`; do not edit. "
        "Every object may also have `name`,\n`component_path`, `note`, `kept` and `comments`.\n");
    for (int i = 0; fb_lists[i]; i++) {
        const fb_class *cls;
        bool any = false;
        for (int j = 0; (cls = fb_class_at(j)) != NULL; j++) {
            if (!is_listed(cls, fb_lists[i])) {
                continue;
            }
            if (!any) {
                fb_text_printf(out, "\n## %s\n", fb_lists[i]);
            }
            any = true;
            write_class_row(out, cls);
        }
    }
    fb_text_puts(out, "\n## Owned objects\n");
    const fb_class *cls;
    for (int j = 0; (cls = fb_class_at(j)) != NULL; j++) {
        if (!cls->list) {
            write_class_row(out, cls);
        }
    }
}
