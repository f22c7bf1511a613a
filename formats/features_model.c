/* Feature points from OpenSim: the markers of a model, and marker sets alone. */
#include <math.h>
#include <string.h>

#include "formats/fb.h"
#include "formats/features_read.h"
#include "formats/xml.h"
#include "libcore/base/number.h"
#include "libcore/base/spatial.h"
#include "libcore/motion/system.h"

/* The first error of another diagnosis, told in this one's. */
static void pass_on(fb_feature_reader *r, const fb_diag *from, fb_status status) {
    r->failed = true;
    r->diag->out_of_memory |= status == FB_E_MEMORY;
    for (size_t i = 0; i < from->n; i++) {
        const fb_record *e = &from->records[i];
        if (e->action == FB_ERROR) {
            fb_diag_add(r->diag, FB_ERROR, e->id, (fb_place){e->file, e->line, e->path, e->cls},
                        e->effect, "%s", e->message);
            return;
        }
    }
}

static char *copy_bytes(fb_feature_reader *r) {
    char *bytes = fb_alloc(r->size + 1);
    if (!bytes) {
        longjmp(*r->arena->oom, 1);
    }
    memcpy(bytes, r->bytes, r->size);
    bytes[r->size] = 0;
    return bytes;
}

/* ---- a model's markers ----------------------------------------------------------------------- */

static void put_markers(fb_feature_reader *r, const fb_model *model) {
    const fb_list *markers = fb_model_items(model, "markers");
    for (size_t i = 0; i < markers->n && !r->failed; i++) {
        const fb_element *marker = markers->items[i], *frame = fb_get_target(marker, "frame");
        const fb_element *body = NULL;
        fb_pose pose;
        double p[3], x[3];
        r->line = fb_element_line(marker);
        if (!frame || !fb_get_vector(marker, "location", p, 3) || !isfinite(fb_v3_norm(p)) ||
            !fb_frame_pose(frame, &pose, &body) || !body) {
            fb_diag_add(r->diag, FB_WARNING, FB1411, fb_element_place(marker), "it is left out",
                        "the marker '%s' is fixed to no body, or has no place", marker->name);
            continue;
        }
        fb_pose_point(x, &pose, p);
        fb_feature_put(r, body->name, marker->name, frame == body ? p : x, 1);
    }
}

static void read_model(fb_feature_reader *r) {
    fb_diag own;
    fb_model *volatile kept = NULL;
    jmp_buf oom, *outer = r->arena->oom;
    fb_model *model = NULL;
    char *bytes = copy_bytes(r);
    r->found->kind = "markers of a model";
    fb_diag_init(&own);
    fb_status status = fb_model_read(&model, bytes, r->size, r->file, FB_MAX_BYTES, &own);
    if (status != FB_OK) {
        pass_on(r, &own, status);
        fb_diag_clear(&own);
        return;
    }
    fb_diag_clear(&own);
    kept = model;
    if (setjmp(oom)) {
        r->arena->oom = outer;
        fb_model_free(kept);
        longjmp(*outer, 1);
    }
    r->arena->oom = &oom;
    put_markers(r, model);
    r->arena->oom = outer;
    fb_model_free(model);
}

/* ---- a marker set alone ---------------------------------------------------------------------- */

static const fb_xml_node *first_child(const fb_xml_node *node, const char *const *tags) {
    for (; *tags; tags++) {
        const fb_xml_node *child = fb_xml_child(node, *tags);
        if (child && child->text_length > 0) {
            return child;
        }
    }
    return NULL;
}

/* Three numbers and no more. */
static bool read_location(const fb_xml_node *node, double *x) {
    const char *p = node ? node->text : "", *end = p + (node ? node->text_length : 0);
    for (int k = 0; k < 3; k++) {
        while (p < end && strchr(" \t\r\n", *p)) {
            p++;
        }
        if (!fb_number_scan(&p, end, &x[k]) || !isfinite(x[k])) {
            return false;
        }
    }
    return p == end;
}

static void read_marker(fb_feature_reader *r, const fb_xml_node *node) {
    static const char *const frames[] = {"socket_parent_frame",
                                         "socket_parent_frame_connectee_name", "parent_frame",
                                         "body", NULL};
    const fb_xml_node *frame = first_child(node, frames);
    double x[3];
    r->line = node->line;
    if (!node->name || !*node->name) {
        fb_feature_wrong(r, "a marker without a name");
        return;
    }
    if (!read_location(fb_xml_child(node, "location"), x)) {
        fb_feature_wrong(r, "the location of marker '%s' is not three numbers", node->name);
        return;
    }
    if (frame && strstr(frame->text, "jointset/")) {
        fb_diag_add(r->diag, FB_WARNING, FB1411, (fb_place){r->file, r->line, NULL, "Marker"},
                    "it is left out; read the markers from the model",
                    "the marker '%s' is fixed to the frame '%s', whose place a marker set does not "
                    "tell",
                    node->name, frame->text);
        return;
    }
    fb_feature_put(r, frame ? fb_path_name(frame->text) : NULL, node->name, x, 1);
}

/* The next node in document order below `top`. */
static const fb_xml_node *next_node(const fb_xml_node *top, const fb_xml_node *node) {
    if (node->first) {
        return node->first;
    }
    while (node != top && !node->next) {
        node = node->parent;
    }
    return node == top ? NULL : node->next;
}

static bool is_in_set(const fb_xml_node *node) {
    for (; node; node = node->parent) {
        if (strcmp(node->tag, "MarkerSet") == 0) {
            return true;
        }
    }
    return false;
}

static void read_set(fb_feature_reader *r, const fb_xml *xml) {
    int sets = 0;
    r->found->kind = "marker set";
    for (const fb_xml_node *n = xml->root; n && !r->failed; n = next_node(xml->root, n)) {
        sets += strcmp(n->tag, "MarkerSet") == 0;
        if (strcmp(n->tag, "Marker") == 0 && is_in_set(n->parent)) {
            read_marker(r, n);
        }
    }
    if (!r->failed && !sets) {
        r->line = xml->root->line;
        fb_feature_wrong(r, "it holds neither a Model nor a MarkerSet");
    }
}

/* ---- either ---------------------------------------------------------------------------------- */

void fb_features_read_markers(fb_feature_reader *r) {
    size_t i = 0;
    r->said = FB_UNIT_M;
    while (i < r->size && strchr("\xEF\xBB\xBF \t\r\n", r->bytes[i]) && r->bytes[i]) {
        i++;
    }
    if (i < r->size && r->bytes[i] == '{') {
        read_model(r);
        return;
    }
    fb_xml xml;
    fb_diag own;
    jmp_buf oom, *outer = r->arena->oom;
    fb_diag_init(&own);
    fb_status status = fb_xml_parse(&xml, copy_bytes(r), r->size, r->file, &own);
    if (status != FB_OK) {
        pass_on(r, &own, status);
        fb_diag_clear(&own);
        return;
    }
    fb_diag_clear(&own);
    bool model = strcmp(xml.root->tag, "Model") == 0 || fb_xml_child(xml.root, "Model");
    if (!model) {
        if (setjmp(oom)) {
            r->arena->oom = outer;
            fb_xml_free(&xml);
            longjmp(*outer, 1);
        }
        r->arena->oom = &oom;
        read_set(r, &xml);
        r->arena->oom = outer;
    }
    fb_xml_free(&xml);
    if (model) {
        read_model(r);
    }
}
