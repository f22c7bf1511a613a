/* What the rules for old documents are made of: changes to the tree, and numbers in its texts. */
#include <ctype.h>
#include <string.h>

#include "formats/osim_upgrade.h"
#include "libcore/base/number.h"

/* ---- nodes ---------------------------------------------------------------------------------- */

int fb_upgrade_ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

int fb_upgrade_begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

void fb_upgrade_rename(fb_upgrade *u, fb_xml_node *node, const char *tag) {
    node->tag = fb_xml_tag(u->xml, tag);
}

void fb_upgrade_drop(fb_xml_node *node) {
    fb_xml_move_comments(node, node->parent);
    fb_xml_remove(node);
}

const char *fb_upgrade_text(const fb_xml_node *node, const char *tag, const char *missing) {
    const fb_xml_node *child = fb_xml_child(node, tag);
    return child && child->text_length ? child->text : missing;
}

void fb_upgrade_rename_child(fb_upgrade *u, fb_xml_node *node, const char *old, const char *new) {
    fb_xml_node *child = fb_xml_child(node, old);
    if (child && !fb_xml_child(node, new)) {
        fb_upgrade_rename(u, child, new);
    }
}

void fb_upgrade_move_children(fb_xml_node *from, fb_xml_node *to) {
    while (from->first) {
        fb_xml_node *child = from->first;
        fb_xml_remove(child);
        fb_xml_append(to, child);
    }
}

const char *fb_upgrade_take(fb_xml_node *node, const char *tag, const char *missing) {
    fb_xml_node *child = fb_xml_child(node, tag);
    if (!child) {
        return missing;
    }
    const char *text = child->text_length ? child->text : missing;
    fb_upgrade_drop(child);
    return text;
}

/* ---- numbers -------------------------------------------------------------------------------- */

int fb_upgrade_numbers(const char *text, double *x, int most) {
    const char *end = text + strlen(text);
    int n = 0;
    while (n < most) {
        while (isspace((unsigned char)*text)) {
            text++;
        }
        if (!fb_number_scan(&text, end, &x[n])) {
            break;
        }
        n++;
    }
    return n;
}

bool fb_upgrade_are_numbers(const char *text, double *x, int n) {
    const char *end = text + strlen(text);
    for (int i = 0; i < n; i++) {
        while (isspace((unsigned char)*text)) {
            text++;
        }
        if (!fb_number_scan(&text, end, &x[i])) {
            return false;
        }
    }
    while (isspace((unsigned char)*text)) {
        text++;
    }
    return text == end;
}

void fb_upgrade_add_numbers(fb_upgrade *u, fb_xml_node *parent, const char *tag, const double *x,
                            int n) {
    char text[8 * FB_NUMBER_MAX];
    int length = 0;
    for (int i = 0; i < n; i++) {
        if (i) {
            text[length++] = ' ';
        }
        length += fb_number_print(text + length, x[i]);
    }
    fb_xml_add(u->xml, parent, tag, text);
}

int fb_upgrade_all_zero(const double *x, int n) {
    for (int i = 0; i < n; i++) {
        if (x[i] != 0) {
            return 0;
        }
    }
    return 1;
}
