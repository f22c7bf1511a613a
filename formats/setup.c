#include "formats/setup.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/text.h"
#include "formats/xml.h"
#include "libcore/base/number.h"

static fb_place at(const fb_setup *setup, const fb_setup_node *node) {
    return (fb_place){setup->file, node ? node->line : 0, NULL, setup->kind};
}

fb_status fb_setup_read(fb_setup *setup, const char *file, size_t max_bytes, fb_diag *diag) {
    char *bytes;
    size_t size;
    memset(setup, 0, sizeof *setup);
    fb_arena_init(&setup->arena);
    setup->file = file;
    setup->diag = diag;
    fb_status status = fb_read_file(file, max_bytes, &bytes, &size, diag);
    if (status != FB_OK) {
        return status;
    }
    setup->xml = fb_alloc(sizeof *setup->xml);
    if (!setup->xml) {
        fb_free(bytes);
        return FB_E_MEMORY;
    }
    memset(setup->xml, 0, sizeof *setup->xml);
    status = fb_xml_parse(setup->xml, bytes, size, file, diag);
    if (status != FB_OK) {
        fb_free(setup->xml);
        setup->xml = NULL;
        return status;
    }
    fb_xml_node *root = setup->xml->root;
    bool document = strcmp(root->tag, "OpenSimDocument") == 0;
    const char *version = document ? fb_xml_attr(root, "Version") : NULL;
    setup->version = version ? atoi(version) : 0;
    setup->tool = document ? root->first : root;
    if (!setup->tool) {
        fb_diag_add(diag, FB_ERROR, FB1415, at(setup, root), NULL, "there is nothing in it");
        return FB_E_INPUT;
    }
    setup->tool->used = 1;
    setup->kind = setup->tool->tag;
    setup->name = setup->tool->name ? setup->tool->name : "";
    return FB_OK;
}

void fb_setup_free(fb_setup *setup) {
    if (setup->xml) {
        fb_xml_free(setup->xml);
        fb_free(setup->xml);
        setup->xml = NULL;
    }
    fb_arena_clear(&setup->arena);
}

static fb_setup_node *use(fb_setup_node *node) {
    if (node) {
        node->used = 1;
    }
    return node;
}

fb_setup_node *fb_setup_child(const fb_setup_node *node, const char *tag) {
    return node ? use(fb_xml_child(node, tag)) : NULL;
}

fb_setup_node *fb_setup_next(const fb_setup_node *node, const char *tag) {
    return use(fb_xml_next(node, tag));
}

fb_setup_node *fb_setup_first(const fb_setup_node *node) {
    return node ? use(node->first) : NULL;
}

fb_setup_node *fb_setup_after(const fb_setup_node *node) {
    return use(node->next);
}

const char *fb_setup_tag(const fb_setup_node *node) {
    return node->tag;
}

const char *fb_setup_name(const fb_setup_node *node) {
    return node->name ? node->name : "";
}

int fb_setup_line(const fb_setup_node *node) {
    return node->line;
}

fb_setup_node *fb_setup_objects(const fb_setup_node *node, const char *tag) {
    fb_setup_node *set = fb_setup_child(node, tag);
    for (fb_xml_node *n = node ? node->first : NULL; n && !set; n = n->next) {
        set = n->name && strcmp(n->name, tag) == 0 ? use(n) : NULL;
    }
    fb_setup_node *objects = fb_setup_child(set, "objects");
    if (set && fb_xml_child(set, "groups")) {
        use(fb_xml_child(set, "groups"));
    }
    return fb_setup_first(objects ? objects : set);
}

const char *fb_setup_text(const fb_setup_node *node, const char *tag) {
    const fb_setup_node *property = fb_setup_child(node, tag);
    if (!property || !property->text[0] || strcasecmp(property->text, "Unassigned") == 0) {
        return NULL;
    }
    return property->text;
}

double fb_setup_number(fb_setup *setup, const fb_setup_node *node, const char *tag,
                       double missing) {
    const char *text = fb_setup_text(node, tag);
    double x;
    if (!text) {
        return missing;
    }
    if (!fb_number_parse(text, strlen(text), &x)) {
        fb_diag_add(setup->diag, FB_ERROR, FB1415, at(setup, fb_xml_child(node, tag)), NULL,
                    "<%s> is a number, not '%s'", tag, text);
        return missing;
    }
    return x;
}

bool fb_setup_bool(fb_setup *setup, const fb_setup_node *node, const char *tag, bool missing) {
    const char *text = fb_setup_text(node, tag);
    if (!text) {
        return missing;
    }
    bool yes = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
    if (!yes && strcasecmp(text, "false") != 0 && strcmp(text, "0") != 0) {
        fb_diag_add(setup->diag, FB_ERROR, FB1415, at(setup, fb_xml_child(node, tag)), NULL,
                    "<%s> is true or false, not '%s'", tag, text);
        return missing;
    }
    return yes;
}

int fb_setup_numbers(fb_setup *setup, const fb_setup_node *node, const char *tag, double *x,
                     int n) {
    const char **words = fb_setup_words(setup, node, tag);
    int count = 0;
    for (; words && words[count]; count++) {
        double value;
        if (!fb_number_parse(words[count], strlen(words[count]), &value)) {
            fb_diag_add(setup->diag, FB_ERROR, FB1415, at(setup, fb_xml_child(node, tag)), NULL,
                        "<%s> holds numbers, not '%s'", tag, words[count]);
            return 0;
        }
        if (count < n) {
            x[count] = value;
        }
    }
    return count;
}

const char **fb_setup_words(fb_setup *setup, const fb_setup_node *node, const char *tag) {
    static const char blanks[] = " \t\r\n";
    const char *text = fb_setup_text(node, tag);
    if (!text) {
        return NULL;
    }
    jmp_buf oom;
    if (setjmp(oom)) {
        setup->diag->out_of_memory = 1;
        setup->arena.oom = NULL;
        return NULL;
    }
    setup->arena.oom = &oom;
    const char **words = fb_arena_array(&setup->arena, strlen(text) / 2 + 2, sizeof *words);
    int n = 0;
    for (const char *p = text + strspn(text, blanks); *p; p += strspn(p, blanks)) {
        size_t length = strcspn(p, blanks);
        words[n++] = fb_arena_text(&setup->arena, p, length);
        p += length;
    }
    setup->arena.oom = NULL;
    return words;
}

const char *fb_setup_file(fb_setup *setup, const fb_setup_node *node, const char *tag, bool must) {
    const char *text = fb_setup_text(node, tag);
    if (!text) {
        return NULL;
    }
    jmp_buf oom;
    if (setjmp(oom)) {
        setup->diag->out_of_memory = 1;
        setup->arena.oom = NULL;
        return NULL;
    }
    setup->arena.oom = &oom;
    const char *file = fb_file_beside(&setup->arena, setup->file, text);
    setup->arena.oom = NULL;
    if (must && !fb_is_file(file)) {
        fb_diag_add(setup->diag, FB_ERROR, FB1415, at(setup, fb_xml_child(node, tag)), NULL,
                    "there is no file '%s', which <%s> names", file, tag);
        return NULL;
    }
    return file;
}

void fb_setup_tell_unused(fb_setup *setup, const fb_setup_node *node) {
    for (const fb_xml_node *n = node->first; n; n = n->next) {
        bool says = n->first || (n->text[0] && strcasecmp(n->text, "Unassigned") != 0);
        if (!n->used && says) {
            fb_diag_add(setup->diag, FB_WARNING, FB1415, at(setup, n), "it has no effect",
                        "<%s> of %s is not known or not honoured", n->tag, node->tag);
        }
    }
}
