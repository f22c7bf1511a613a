/* Walking and changing the tree of an XML document. */
#include <string.h>

#include "formats/xml.h"

fb_xml_node *fb_xml_child(const fb_xml_node *node, const char *tag) {
    for (fb_xml_node *child = node ? node->first : NULL; child; child = child->next) {
        if (strcmp(child->tag, tag) == 0) {
            return child;
        }
    }
    return NULL;
}

fb_xml_node *fb_xml_next(const fb_xml_node *node, const char *tag) {
    for (fb_xml_node *next = node->next; next; next = next->next) {
        if (strcmp(next->tag, tag) == 0) {
            return next;
        }
    }
    return NULL;
}

const char *fb_xml_attr(const fb_xml_node *node, const char *name) {
    if (strcmp(name, "name") == 0) {
        return node->name;
    }
    for (const fb_xml_attribute *a = node->attributes; a; a = a->next) {
        if (strcmp(a->name, name) == 0) {
            return a->value;
        }
    }
    return NULL;
}

void fb_xml_append(fb_xml_node *parent, fb_xml_node *node) {
    node->parent = parent;
    node->next = NULL;
    if (parent->last) {
        parent->last->next = node;
    } else {
        parent->first = node;
    }
    parent->last = node;
}

/* Appends those of a list that are not repeated; the new end. */
static fb_xml_comment **take_comments(fb_xml_comment **list, fb_xml_comment **end) {
    fb_xml_comment *next;
    for (fb_xml_comment *comment = *list; comment; comment = next) {
        next = comment->next;
        if (!comment->repeated) {
            *end = comment;
            end = &comment->next;
        }
    }
    *list = NULL;
    return end;
}

void fb_xml_move_comments(fb_xml_node *from, fb_xml_node *to) {
    fb_xml_comment **end = &to->end_comments;
    while (*end) {
        end = &(*end)->next;
    }
    for (fb_xml_node *node = from; node;) {
        end = take_comments(&node->comments, end);
        if (node->first) {
            node = node->first;
            continue;
        }
        for (;;) {
            end = take_comments(&node->end_comments, end);
            if (node == from || node->next) {
                break;
            }
            node = node->parent;
        }
        node = node == from ? NULL : node->next;
    }
    *end = NULL;
}

void fb_xml_remove(fb_xml_node *node) {
    fb_xml_node *parent = node->parent, *before = NULL;
    if (!parent) {
        return;
    }
    for (fb_xml_node *child = parent->first; child && child != node; child = child->next) {
        before = child;
    }
    if (before) {
        before->next = node->next;
    } else {
        parent->first = node->next;
    }
    if (parent->last == node) {
        parent->last = before;
    }
    node->next = NULL;
    node->parent = NULL;
}

fb_xml_node *fb_xml_add(fb_xml *xml, fb_xml_node *parent, const char *tag, const char *text) {
    fb_xml_node *node = fb_arena_alloc(&xml->arena, sizeof *node);
    node->tag = fb_xml_tag(xml, tag);
    node->text = text ? fb_arena_dup(&xml->arena, text) : "";
    node->text_length = text ? strlen(text) : 0;
    node->line = parent->line;
    node->file = parent->file;
    fb_xml_append(parent, node);
    return node;
}

fb_xml_node *fb_xml_copy(fb_xml *xml, const fb_xml_node *node) {
    fb_xml_node *top = NULL, *parent = NULL;
    const fb_xml_node *from = node;
    for (;;) { /* preorder, without recursion */
        fb_xml_node *copy = fb_arena_alloc(&xml->arena, sizeof *copy);
        *copy = *from;
        copy->first = copy->last = copy->next = copy->parent = NULL;
        copy->used = 0;
        copy->comments = copy->end_comments = NULL;
        if (parent) {
            fb_xml_append(parent, copy);
        } else {
            top = copy;
        }
        if (from->first) {
            from = from->first;
            parent = copy;
            continue;
        }
        while (from != node && !from->next) {
            from = from->parent;
            parent = parent ? parent->parent : NULL;
        }
        if (from == node) {
            return top;
        }
        from = from->next;
    }
}
