#include "formats/xml.h"

#include <libxml/encoding.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- interned strings ----------------------------------------------------------------------- */

typedef struct entry {
    const char *text;
    uint32_t hash;
    int count; /* how often a comment's text was seen; unused for tags */
} entry;

struct fb_xml_strings {
    entry *slots;
    size_t n, size; /* size: a power of two */
};

static uint32_t hash_text(const char *text, size_t n) {
    uint32_t h = 2166136261u; /* FNV-1a, 32 bits */
    for (size_t i = 0; i < n; i++) {
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    }
    return h;
}

/* The slot of a text, made if it is new; NULL when memory runs out. */
static entry *intern(fb_arena *arena, struct fb_xml_strings *set, const char *text, size_t n) {
    if ((set->n + 1) * 2 > set->size) {
        size_t size = set->size ? set->size * 2 : 256;
        entry *slots = fb_arena_array(arena, size, sizeof *slots);
        if (!slots) {
            return NULL;
        }
        for (size_t i = 0; i < set->size; i++) {
            if (set->slots[i].text) {
                size_t at = set->slots[i].hash & (size - 1);
                while (slots[at].text) {
                    at = (at + 1) & (size - 1);
                }
                slots[at] = set->slots[i];
            }
        }
        set->slots = slots;
        set->size = size;
    }
    uint32_t hash = hash_text(text, n);
    size_t at = hash & (set->size - 1);
    while (set->slots[at].text) {
        if (set->slots[at].hash == hash && strlen(set->slots[at].text) == n &&
            memcmp(set->slots[at].text, text, n) == 0) {
            return &set->slots[at];
        }
        at = (at + 1) & (set->size - 1);
    }
    char *copy = fb_arena_text(arena, text, n);
    if (!copy) {
        return NULL;
    }
    set->slots[at] = (entry){copy, hash, 0};
    set->n++;
    return &set->slots[at];
}

/* ---- repairs before parsing ----------------------------------------------------------------- */

/* The length of the UTF-8 sequence at p, or 0 if it is none. */
static int utf8_length(const unsigned char *p, const unsigned char *end) {
    if (*p < 0x80) {
        return 1;
    }
    int n = *p >= 0xC2 && *p < 0xE0   ? 2
            : *p >= 0xE0 && *p < 0xF0 ? 3
            : *p >= 0xF0 && *p < 0xF5 ? 4
                                      : 0;
    if (n == 0 || end - p < n) {
        return 0;
    }
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
        (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F)) {
        return 0;
    }
    return n;
}

/* True if '&' at p begins an entity or character reference. */
static int is_reference(const unsigned char *p, const unsigned char *end) {
    const unsigned char *q = p + 1;
    if (q < end && *q == '#') {
        q++;
    }
    const unsigned char *start = q;
    while (q < end && q - start < 64 &&
           ((*q >= 'a' && *q <= 'z') || (*q >= 'A' && *q <= 'Z') || (*q >= '0' && *q <= '9') ||
            *q == '_' || *q == '-' || *q == '.')) {
        q++;
    }
    return q > start && q < end && *q == ';';
}

static int line_of(const char *bytes, const char *p) {
    int line = 1;
    for (const char *q = bytes; q < p; q++) {
        line += *q == '\n';
    }
    return line;
}

/* The encoding that the XML declaration names is UTF-8, or none is named. */
static int says_utf8(const char *bytes, size_t size) {
    size_t head = size < 200 ? size : 200;
    if (size >= 2 && ((unsigned char)bytes[0] == 0xFE || (unsigned char)bytes[0] == 0xFF)) {
        return 0; /* a UTF-16 byte order mark */
    }
    if (size >= 4 && (bytes[0] == 0 || bytes[1] == 0)) {
        return 0;
    }
    const char *end = memchr(bytes, '>', head);
    if (!end) {
        return 1;
    }
    for (const char *p = bytes; p + 9 < end; p++) {
        if (memcmp(p, "encoding=", 9) == 0) {
            return strncmp(p + 10, "UTF-8", 5) == 0 || strncmp(p + 10, "utf-8", 5) == 0 ||
                   strncmp(p + 10, "ASCII", 5) == 0 || strncmp(p + 10, "US-ASCII", 8) == 0;
        }
    }
    return 1;
}

/* Where markup that is not character data ends, if it begins at p: a comment, CDATA or a processing
 * instruction; else p. */
static const char *skip_literal(const char *p, const char *end) {
    static const struct {
        const char *open, *close;
    } literals[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(literals[i].open), m = strlen(literals[i].close);
        if ((size_t)(end - p) < n || memcmp(p, literals[i].open, n) != 0) {
            continue;
        }
        for (const char *q = p + n; q + m <= end; q++) {
            if (memcmp(q, literals[i].close, m) == 0) {
                return q + m;
            }
        }
        return end;
    }
    return p;
}

static int is_ascii(const char *bytes, size_t size) {
    uint64_t all = 0, word;
    size_t i = 0;
    for (; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        all |= word;
    }
    for (; i < size; i++) {
        all |= (unsigned char)bytes[i];
    }
    return (all & 0x8080808080808080u) == 0;
}

/* Any other encoding becomes UTF-8, through libxml2's converters (iconv), so that places in the
 * bytes are places in the file. */
static fb_status recode(fb_xml *xml, fb_diag *diag) {
    if (says_utf8(xml->bytes, xml->size)) {
        return FB_OK;
    }
    const unsigned char *b = (const unsigned char *)xml->bytes;
    char name[64] = "";
    xmlCharEncodingHandlerPtr handler;
    xmlCharEncoding known = xml->size >= 4 ? xmlDetectCharEncoding(b, 4) : XML_CHAR_ENCODING_NONE;
    if (known != XML_CHAR_ENCODING_NONE && known != XML_CHAR_ENCODING_UTF8) {
        handler = xmlGetCharEncodingHandler(known);
    } else {
        const char *p = xml->bytes + 2, *end = xml->bytes + (xml->size < 200 ? xml->size : 200);
        while (p + 10 < end && memcmp(p, "encoding=", 9) != 0) {
            p++;
        }
        for (size_t i = 0, from = 10; p + from < end && i + 1 < sizeof name && p[from] != p[9];
             i++, from++) {
            name[i] = p[from];
        }
        if (!*name) {
            return FB_OK; /* not text at all: the parser says so */
        }
        handler = xmlFindCharEncodingHandler(name);
    }
    if (!handler) {
        fb_diag_add(diag, FB_ERROR, FB1104, (fb_place){xml->file, 1, NULL, NULL}, NULL,
                    "the encoding '%s' is not known", name);
        return FB_E_INPUT;
    }
    xmlBufferPtr in = xmlBufferCreateStatic(xml->bytes, xml->size), out = xmlBufferCreate();
    int failed = !in || !out || xmlCharEncInFunc(handler, out, in) < 0;
    xmlCharEncCloseFunc(handler);
    int n = out ? xmlBufferLength(out) : 0;
    char *bytes = failed ? NULL : fb_alloc((size_t)n + 1);
    if (bytes) {
        const char *from = (const char *)xmlBufferContent(out);
        bool bom = n >= 3 && memcmp(from, "\xEF\xBB\xBF", 3) == 0;
        xml->size = (size_t)(bom ? n - 3 : n);
        memcpy(bytes, from + (bom ? 3 : 0), xml->size);
        bytes[xml->size] = 0;
        fb_free(xml->bytes);
        xml->bytes = bytes;
    }
    if (in) {
        xmlBufferFree(in);
    }
    if (out) {
        xmlBufferFree(out);
    }
    if (failed) {
        fb_diag_add(diag, FB_ERROR, FB1104, (fb_place){xml->file, 1, NULL, NULL}, NULL,
                    "the file is not in the encoding that it says it is in");
        return FB_E_INPUT;
    }
    return bytes ? FB_OK : FB_E_MEMORY;
}

/* What is wrong with the bytes of a file. */
typedef struct faults {
    size_t strays, ampersands;
    const char *first_stray, *first_ampersand;
} faults;

/* One character that may be a fault: a stray byte becomes what it is in Latin-1, a bare '&' (but in
 * literals) "&amp;". Returns its bytes; `out` gets what is right, unless NULL. */
static int mend(const char *p, const char *end, bool literal, char **out, faults *found) {
    const unsigned char *from = (const unsigned char *)p, *last = (const unsigned char *)end;
    int n = utf8_length(from, last), m = n > 0 ? n : 2;
    char latin1[2] = {(char)(0xC0 | (*from >> 6)), (char)(0x80 | (*from & 0x3F))};
    const char *right = n > 0 ? p : latin1;
    if (n == 0) {
        found->first_stray = found->strays++ ? found->first_stray : p;
    } else if (*p == '&' && !literal && !is_reference(from, last)) {
        found->first_ampersand = found->ampersands++ ? found->first_ampersand : p;
        right = "&amp;";
        m = 5;
    }
    if (*out) {
        memcpy(*out, right, (size_t)m);
        *out += m;
    }
    return n > 0 ? n : 1;
}

/* Looks for faults; writes the bytes without them to `out` unless that is NULL. Returns its end. */
static char *scan(const char *begin, const char *end, char *out, faults *found) {
    for (const char *p = begin; p < end;) {
        const char *stop = *p == '<' ? skip_literal(p, end) : p;
        bool literal = stop > p;
        stop = literal ? stop : p + 1;
        while (p < stop) {
            if ((unsigned char)*p < 0x80 && *p != '&') {
                if (out) {
                    *out++ = *p;
                }
                p++;
            } else {
                p += mend(p, end, literal, &out, found);
            }
        }
    }
    return out;
}

/* Stray bytes become the characters they are in Latin-1, bare '&' becomes "&amp;". The bytes are
 * replaced by a repaired copy if there was anything to do. */
static fb_status repair(fb_xml *xml, fb_diag *diag) {
    const char *begin = xml->bytes, *end = begin + xml->size;
    faults found = {0}, again = {0};
    if (is_ascii(begin, xml->size) && !memchr(begin, '&', xml->size)) {
        return FB_OK;
    }
    scan(begin, end, NULL, &found);
    if (found.strays == 0 && found.ampersands == 0) {
        return FB_OK;
    }
    char *fixed = fb_alloc(xml->size + found.strays + 4 * found.ampersands + 1);
    if (!fixed) {
        return FB_E_MEMORY;
    }
    const char *fixed_end = scan(begin, end, fixed, &again);
    if (found.strays) {
        fb_diag_add(diag, FB_WARNING, FB1104,
                    (fb_place){xml->file, line_of(begin, found.first_stray), NULL, NULL},
                    "the bytes were read as Latin-1",
                    "%zu byte%s that %s not UTF-8, although the file says it is: read as Latin-1",
                    found.strays, found.strays == 1 ? "" : "s", found.strays == 1 ? "is" : "are");
    }
    if (found.ampersands) {
        fb_diag_add(diag, FB_WARNING, FB1105,
                    (fb_place){xml->file, line_of(begin, found.first_ampersand), NULL, NULL},
                    "each was read as \"&amp;\"", "%zu bare '&': read as \"&amp;\"",
                    found.ampersands);
    }
    fb_free(xml->bytes);
    xml->bytes = fixed;
    xml->size = (size_t)(fixed_end - fixed);
    return FB_OK;
}

/* ---- building the tree from SAX events ------------------------------------------------------ */

typedef struct parse {
    fb_xml *xml;
    fb_diag *diag;
    xmlParserCtxtPtr ctxt;
    fb_xml_node *node; /* the open element, or NULL outside the root */
    int depth;
    char *text; /* character data of the open element */
    size_t text_n, text_size;
    fb_xml_comment *comments, **comments_end; /* waiting for the node they precede */
    struct fb_xml_strings comment_texts;
    fb_status status;
    char error[512]; /* the first error of the parser, and where */
    int error_line, error_column;
} parse;

static void stop(parse *p, fb_status status) {
    p->status = status;
    xmlStopParser(p->ctxt);
}

static void out_of_memory(parse *p) {
    stop(p, FB_E_MEMORY);
}

static int current_line(parse *p) {
    return p->ctxt->input ? p->ctxt->input->line : 0;
}

static void refuse(parse *p, fb_diag_id id, const char *before, const char *what,
                   const char *after) {
    if (p->status == FB_OK) {
        fb_diag_add(p->diag, FB_ERROR, id, (fb_place){p->xml->file, current_line(p), NULL, NULL},
                    NULL, "%s%s%s", before, what, after);
    }
    stop(p, FB_E_INPUT);
}

/* How many bytes of the document the parser has consumed. */
static size_t position(parse *p) {
    xmlParserInputPtr in = p->ctxt->input;
    return in ? (size_t)in->consumed + (size_t)(in->cur - in->base) : 0;
}

/* Each '&' of an attribute's value comes as "&#38;" when entities are not expanded. */
static void unescape(char *value) {
    char *to = value;
    for (const char *from = value; *from; from++) {
        *to++ = *from;
        if (strncmp(from, "&#38;", 5) == 0) {
            from += 4;
        }
    }
    *to = 0;
}

/* Text between elements, which has a place only in what is kept word for word. */
static void note_stray(parse *p, const char *text, size_t n) {
    fb_diag_add(p->diag, FB_WARNING, FB1107,
                (fb_place){p->xml->file, current_line(p), NULL, p->node->tag},
                "it is lost unless the element is kept word for word",
                "<%s> holds text beside its elements: '%.*s'", p->node->tag, n < 40 ? (int)n : 40,
                text);
}

static void on_start(void *data, const xmlChar *name, const xmlChar **attributes) {
    parse *p = data;
    if (p->status != FB_OK) {
        return;
    }
    if (++p->depth > FB_XML_DEPTH) {
        refuse(p, FB1102, "elements are nested more than ", "200", " deep");
        return;
    }
    if (p->node && p->text_n) {
        note_stray(p, p->text, p->text_n);
    }
    fb_arena *arena = &p->xml->arena;
    fb_xml_node *node = fb_arena_alloc(arena, sizeof *node);
    entry *tag = intern(arena, p->xml->tags, (const char *)name, strlen((const char *)name));
    if (!node || !tag) {
        out_of_memory(p);
        return;
    }
    node->tag = tag->text;
    node->line = current_line(p);
    node->file = p->xml->file;
    node->text = "";
    node->comments = p->comments;
    p->comments = NULL;
    p->comments_end = &p->comments;
    fb_xml_attribute **last = &node->attributes;
    for (const xmlChar **a = attributes; a && a[0]; a += 2) {
        char *value = fb_arena_dup(arena, a[1] ? (const char *)a[1] : "");
        if (!value) {
            out_of_memory(p);
            return;
        }
        unescape(value);
        if (strcmp((const char *)a[0], "name") == 0) {
            node->name = value;
            continue;
        }
        fb_xml_attribute *attribute = fb_arena_alloc(arena, sizeof *attribute);
        entry *key = intern(arena, p->xml->tags, (const char *)a[0], strlen((const char *)a[0]));
        if (!attribute || !key) {
            out_of_memory(p);
            return;
        }
        *attribute = (fb_xml_attribute){key->text, value, NULL};
        *last = attribute;
        last = &attribute->next;
    }
    /* the start tag begins at the last '<' before the parser's position */
    size_t at = position(p);
    if (at > p->xml->size) {
        at = p->xml->size;
    }
    while (at > 0 && p->xml->bytes[at - 1] != '<') {
        at--;
    }
    node->source = p->xml->bytes + (at > 0 ? at - 1 : 0);
    for (size_t i = at; i < p->xml->size && i < position(p);
         i++) { /* the tag may go on for several lines */
        node->line -= p->xml->bytes[i] == '\n';
    }
    p->text_n = 0;
    if (p->node) {
        fb_xml_append(p->node, node);
    } else {
        p->xml->root = node;
    }
    p->node = node;
}

static int is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void on_end(void *data, const xmlChar *name) {
    (void)name;
    parse *p = data;
    if (p->status != FB_OK || !p->node) {
        return;
    }
    fb_xml_node *node = p->node;
    size_t at = position(p);
    if (at > p->xml->size) {
        at = p->xml->size;
    }
    node->source_length = at - (size_t)(node->source - p->xml->bytes);
    if (!node->first && p->text_n) {
        char *text = p->text;
        size_t n = p->text_n;
        while (n > 0 && is_space(text[n - 1])) {
            n--;
        }
        while (n > 0 && is_space(*text)) {
            text++;
            n--;
        }
        node->text = fb_arena_text(&p->xml->arena, text, n);
        node->text_length = n;
        if (!node->text) {
            out_of_memory(p);
            return;
        }
    }
    node->end_comments = p->comments;
    p->comments = NULL;
    p->comments_end = &p->comments;
    p->text_n = 0;
    p->depth--;
    p->node = node->parent;
}

static void on_text(void *data, const xmlChar *text, int length) {
    parse *p = data;
    if (p->status != FB_OK || !p->node || length <= 0) {
        return;
    }
    size_t n = (size_t)length;
    if (p->node->first) { /* beside child elements only white space has a place */
        for (size_t i = 0; i < n; i++) {
            if (!is_space((char)text[i])) {
                note_stray(p, (const char *)text + i, n - i);
                break;
            }
        }
        return;
    }
    if (p->text_n == 0) { /* white space at the beginning is not needed */
        while (n > 0 && is_space((char)*text)) {
            text++;
            n--;
        }
        if (n == 0) {
            return;
        }
    }
    if (p->text_n + n > p->text_size) {
        size_t size = (p->text_n + n) * 2 + 256;
        char *grown = fb_realloc(p->text, size);
        if (!grown) {
            out_of_memory(p);
            return;
        }
        p->text = grown;
        p->text_size = size;
    }
    memcpy(p->text + p->text_n, text, n);
    p->text_n += n;
}

static void on_comment(void *data, const xmlChar *value) {
    parse *p = data;
    if (p->status != FB_OK) {
        return;
    }
    const char *text = (const char *)value;
    size_t n = strlen(text);
    while (n > 0 && is_space(text[n - 1])) {
        n--;
    }
    while (n > 0 && is_space(*text)) {
        text++;
        n--;
    }
    if (n == 0) {
        return;
    }
    entry *same = intern(&p->xml->arena, &p->comment_texts, text, n);
    fb_xml_comment *comment = fb_arena_alloc(&p->xml->arena, sizeof *comment);
    if (!same || !comment) {
        out_of_memory(p);
        return;
    }
    same->count++;
    *comment = (fb_xml_comment){same->text, current_line(p), 0, NULL};
    *p->comments_end = comment;
    p->comments_end = &comment->next;
}

static void on_cdata(void *data, const xmlChar *text, int length) {
    on_text(data, text, length);
}

static void on_dtd(void *data, const xmlChar *name, const xmlChar *id, const xmlChar *system) {
    (void)name;
    (void)id;
    (void)system;
    parse *p = data;
    fb_diag_add(p->diag, FB_WARNING, FB1106, (fb_place){p->xml->file, current_line(p), NULL, NULL},
                "it has no effect", "a document type declaration, which is not read");
}

static void on_entity(void *data, const xmlChar *name, int type, const xmlChar *public_id,
                      const xmlChar *system_id, xmlChar *content) {
    (void)type;
    (void)public_id;
    (void)system_id;
    (void)content;
    refuse(data, FB1103, "the file declares the entity '", (const char *)name,
           "': entities are not expanded");
}

static xmlEntityPtr on_get_entity(void *data, const xmlChar *name) {
    xmlEntityPtr predefined = xmlGetPredefinedEntity(name);
    if (!predefined) {
        refuse(data, FB1103, "the entity '&", (const char *)name,
               ";' is not defined, and entities are not expanded");
    }
    return predefined;
}

static void on_reference(void *data, const xmlChar *name) {
    (void)name;
    (void)data;
}

/* Keeps the first error: libxml2 goes on after some, and would tell of the last. */
static void on_error(void *data, const char *format, ...) {
    parse *p = data;
    const xmlError *error = xmlCtxtGetLastError(p->ctxt);
    (void)format;
    if (p->error_line == 0 && error && error->code != XML_ERR_NO_MEMORY) {
        p->error_line = error->line > 0 ? error->line : 1;
        p->error_column = error->int2;
        const char *text = error->message ? error->message : "";
        const char *nowhere = strstr(text,
                                     " line 0"); /* SAX does not keep the line of the start tag */
        int n = nowhere ? (int)(nowhere - text) : (int)strlen(text);
        snprintf(p->error, sizeof p->error, "%.*s%s", n, text,
                 nowhere ? nowhere + strlen(" line 0") : "");
    }
}

/* Marks the comments that stand in the file more than once. */
static void mark_repeated(parse *p, fb_xml_comment *comment) {
    for (; comment; comment = comment->next) {
        entry *same = intern(&p->xml->arena, &p->comment_texts, comment->text,
                             strlen(comment->text));
        comment->repeated = same && same->count > 1;
    }
}

static void report_xml_error(parse *p) {
    const xmlError *error = xmlCtxtGetLastError(p->ctxt);
    if (p->error_line == 0) {
        if (error && error->code == XML_ERR_NO_MEMORY) {
            p->status = FB_E_MEMORY;
        } else {
            fb_diag_add(p->diag, FB_ERROR, FB1101, (fb_place){p->xml->file, 0, NULL, NULL}, NULL,
                        "not well-formed XML");
        }
        return;
    }
    char *message = p->error;
    size_t n = strlen(message);
    while (n > 0 && (is_space(message[n - 1]) || message[n - 1] == '.')) {
        n--;
    }
    message[n] = 0;
    for (char *c = message; *c; c++) {
        if (*c == '\n') {
            *c = ' ';
        }
    }
    fb_diag_add(p->diag, FB_ERROR, FB1101, (fb_place){p->xml->file, p->error_line, NULL, NULL},
                NULL, "not well-formed XML at column %d: %s", p->error_column, message);
}

/* Runs libxml2 over the bytes. */
static fb_status parse_bytes(parse *p) {
    fb_xml *xml = p->xml;
    if (xml->size > INT32_MAX - 1) {
        fb_diag_add(p->diag, FB_ERROR, FB1002, (fb_place){xml->file, 0, NULL, NULL}, NULL,
                    "the file is larger than 2 GB");
        return FB_E_INPUT;
    }
    p->ctxt = xmlCreateMemoryParserCtxt(xml->bytes, (int)xml->size);
    if (!p->ctxt) {
        return FB_E_MEMORY;
    }
    xmlCtxtUseOptions(p->ctxt, XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_IGNORE_ENC |
                                   XML_PARSE_HUGE);
    xmlSAXHandler sax;
    memset(&sax, 0, sizeof sax);
    sax.initialized = 1; /* SAX1: element names with "::" stay whole */
    sax.startElement = on_start;
    sax.endElement = on_end;
    sax.characters = on_text;
    sax.cdataBlock = on_cdata;
    sax.comment = on_comment;
    sax.internalSubset = on_dtd;
    sax.entityDecl = on_entity;
    sax.getEntity = on_get_entity;
    sax.reference = on_reference;
    sax.error = on_error;
    *p->ctxt->sax = sax;
    p->ctxt->userData = p;
    p->ctxt->sax2 = 0; /* was set for the default handlers */
    int failed = xmlParseDocument(p->ctxt) != 0 || !p->ctxt->wellFormed;
    if (p->status == FB_OK && (failed || !xml->root)) {
        p->status = FB_E_INPUT;
        report_xml_error(p);
    }
    if (p->ctxt->myDoc) {
        xmlFreeDoc(p->ctxt->myDoc);
    }
    p->ctxt->myDoc = NULL;
    xmlFreeParserCtxt(p->ctxt);
    return p->status;
}

fb_status fb_xml_parse(fb_xml *xml, char *bytes, size_t size, const char *file, fb_diag *diag) {
    memset(xml, 0, sizeof *xml);
    fb_arena_init(&xml->arena);
    xml->bytes = bytes;
    xml->size = size;
    parse p = {.xml = xml, .diag = diag};
    p.comments_end = &p.comments;
    xml->tags = fb_arena_alloc(&xml->arena, sizeof *xml->tags);
    xml->file = fb_arena_dup(&xml->arena, file);
    if (!xml->tags || !xml->file) {
        p.status = FB_E_MEMORY;
    }
    if (p.status == FB_OK && size == 0) {
        fb_diag_add(diag, FB_ERROR, FB1004, (fb_place){file, 0, NULL, NULL}, NULL,
                    "the file is empty");
        p.status = FB_E_INPUT;
    }
    if (p.status == FB_OK) {
        p.status = recode(xml, diag);
    }
    if (p.status == FB_OK) {
        p.status = repair(xml, diag);
    }
    if (p.status == FB_OK) {
        p.status = parse_bytes(&p);
    }
    fb_free(p.text);
    if (p.status == FB_OK) {
        if (p.comments) { /* those after the root element */
            fb_xml_comment **end = &xml->root->end_comments;
            while (*end) {
                end = &(*end)->next;
            }
            *end = p.comments;
        }
        for (fb_xml_node *node = xml->root; node;) { /* all nodes, without recursion */
            mark_repeated(&p, node->comments);
            mark_repeated(&p, node->end_comments);
            if (node->first) {
                node = node->first;
                continue;
            }
            while (node && !node->next) {
                node = node->parent;
            }
            if (node) {
                node = node->next;
            }
        }
    } else {
        if (p.status == FB_E_MEMORY) {
            fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL,
                        "out of memory");
        }
        fb_xml_free(xml);
    }
    return p.status;
}

void fb_xml_free(fb_xml *xml) {
    fb_xml *included = xml->included;
    if (included) {
        fb_xml_free(included);
    }
    fb_free(included);
    fb_free(xml->bytes);
    fb_arena_clear(&xml->arena);
    memset(xml, 0, sizeof *xml);
}

/* ---- tags ----------------------------------------------------------------------------------- */

const char *fb_xml_tag(fb_xml *xml, const char *tag) {
    entry *found = intern(&xml->arena, xml->tags, tag, strlen(tag));
    return found ? found->text : NULL;
}
