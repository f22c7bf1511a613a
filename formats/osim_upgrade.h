/* Rules that rewrite old OpenSim documents, shared by osim_upgrade*.c; not installed. */
#ifndef FB_FORMATS_OSIM_UPGRADE_H
#define FB_FORMATS_OSIM_UPGRADE_H

#include <string.h>

#include "formats/osim_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fb_upgrade {
    fb_xml *xml;
    fb_diag *diag;
    int version;
    fb_xml_node *model;
    int dropped_looks; /* VisibleObjects of things that have no looks any more */
    const fb_xml_node *first_look;
    const char **spaced; /* names that had white space */
    size_t n_spaced, spaced_capacity;
} fb_upgrade;

/* ---- the tree: osim_upgrade_tree.c ---------------------------------------------------------- */

static inline int fb_upgrade_is(const fb_xml_node *node, const char *tag) {
    return strcmp(node->tag, tag) == 0;
}
int fb_upgrade_ends_with(const char *text, const char *end);
int fb_upgrade_begins_with(const char *text, const char *start);
void fb_upgrade_rename(fb_upgrade *u, fb_xml_node *node, const char *tag);
/* Takes a node away; comments of a person move to the parent. */
void fb_upgrade_drop(fb_xml_node *node);
/* The text of a child, or a default. */
const char *fb_upgrade_text(const fb_xml_node *node, const char *tag, const char *missing);
/* Removes a property and returns its text. */
const char *fb_upgrade_take(fb_xml_node *node, const char *tag, const char *missing);
/* Renames a property, unless the new one is there already. */
void fb_upgrade_rename_child(fb_upgrade *u, fb_xml_node *node, const char *before,
                             const char *after);
/* Moves all children of one node to the end of another. */
void fb_upgrade_move_children(fb_xml_node *from, fb_xml_node *to);
/* The first numbers of a text, at most so many; returns how many. */
int fb_upgrade_numbers(const char *text, double *x, int most);
/* True if a text is n numbers and nothing else. */
bool fb_upgrade_are_numbers(const char *text, double *x, int n);
/* Adds <tag> with numbers as text. */
void fb_upgrade_add_numbers(fb_upgrade *u, fb_xml_node *parent, const char *tag, const double *x,
                            int n);
int fb_upgrade_all_zero(const double *x, int n);

/* ---- names: osim_upgrade_names.c ------------------------------------------------------------ */

void fb_upgrade_class_name(fb_upgrade *u, fb_xml_node *node);
/* <connectors><Connector_X_ name="parent"><connectee_name>a</..> becomes <socket_parent>a</..>. */
void fb_upgrade_connectors(fb_upgrade *u, fb_xml_node *list);
/* socket_X_connectee_name, connector_X_connectee_name become socket_X; inputs likewise. */
void fb_upgrade_socket(fb_upgrade *u, fb_xml_node *node);
/* Names lose their white space, and so do references to them; before anything is derived from
 * either. Lists of names come after all names: there, a name can only be known by itself. */
void fb_upgrade_names(fb_upgrade *u, fb_xml_node *node);
void fb_upgrade_lists(fb_upgrade *u, fb_xml_node *node);

/* ---- looks: osim_upgrade_looks.c ------------------------------------------------------------ */

/* Adds an Appearance; what is NULL is left out. display_preference 0 hide, 1 points, 2 wires,
 * 3 flat, 4 shaded. */
void fb_upgrade_add_appearance(fb_upgrade *u, fb_xml_node *to, const char *color,
                               const char *opacity, const char *preference, const char *texture);
/* Turns a VisibleObject into what its owner has instead, if anything. */
void fb_upgrade_visible(fb_upgrade *u, fb_xml_node *visible);

/* ---- bodies and joints: osim_upgrade_joints.c ----------------------------------------------- */

void fb_upgrade_body(fb_upgrade *u, fb_xml_node *body);
void fb_upgrade_joint(fb_upgrade *u, fb_xml_node *joint);
/* The joint inside an old body goes to the JointSet, with that body as its child: as <#child>,
 * until fb_upgrade_joint. */
void fb_upgrade_extract_joint(fb_upgrade *u, fb_xml_node *body, fb_xml_node *joints);
/* An offset frame of a joint, constraint or bushing: <frames> of `owner`. Returns its name. */
const char *fb_upgrade_add_offset(fb_upgrade *u, fb_xml_node *owner, const char *parent,
                                  const char *translation, const char *rotation);

#ifdef __cplusplus
}
#endif
#endif
