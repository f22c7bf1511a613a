#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "formats/mesh_vtk.h"
#include "libcore/base/number.h"

#define MOST_BYTES ((size_t)1 << 31) /* of one array */
#define HEADER_WORDS 3               /* of a compressed array, before the sizes of its blocks */

/* ---- bytes, perhaps in base64 ---------------------------------------------------------------- */

typedef struct stream {
    const char *p, *end;
    bool base64;
    unsigned char left[3]; /* decoded, not yet taken */
    int n_left;
} stream;

/* The value of a letter of base64 (RFC 4648); -1: none. */
static int sextet(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four letters to up to three bytes. An array's header and its data may be encoded each by itself,
 * so that '=' may stand within. */
static bool decode(stream *s) {
    uint32_t bits = 0;
    int n = 0, pads = 0;
    while (n < 4) {
        while (s->p < s->end && isspace((unsigned char)*s->p)) {
            s->p++;
        }
        if (s->p == s->end) {
            return false;
        }
        char c = *s->p++;
        int value = c == '=' ? 0 : sextet(c);
        if (value < 0 || (c != '=' && pads) || (c == '=' && n < 2)) {
            return false;
        }
        pads += c == '=';
        bits = bits << 6 | (uint32_t)value;
        n++;
    }
    s->n_left = 3 - pads;
    for (int k = 0; k < s->n_left; k++) { /* the next one last */
        s->left[s->n_left - 1 - k] = (unsigned char)(bits >> (16 - 8 * k));
    }
    return true;
}

static bool take(stream *s, unsigned char *to, size_t n) {
    if (!s->base64) {
        if ((size_t)(s->end - s->p) < n) {
            return false;
        }
        memcpy(to, s->p, n);
        s->p += n;
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        if (s->n_left == 0 && !decode(s)) {
            return false;
        }
        to[i] = s->left[--s->n_left];
    }
    return true;
}

/* How many bytes can be left at most. */
static size_t most_left(const stream *s) {
    size_t n = (size_t)(s->end - s->p);
    return s->base64 ? n / 4 * 3 + 3 + (size_t)s->n_left : n;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct reader {
    const fb_mesh_sink *sink;
    fb_arena *arena;
    fb_mesh_at *at;
    const char *appended; /* after its '_'; NULL: none */
    size_t n_appended;
    bool appended_base64, big_endian, zlib;
    fb_mesh_type header; /* of the counts before arrays */
    const char *unknown; /* how it is compressed, if not by zlib: a sentence */
    long n_vertices;
} reader;

/* A DataArray's numbers. */
typedef struct array {
    double *x;
    size_t n, capacity;
} array;

static const char *const cut_off = "the numbers of an array end too early, or are not base64";

static const struct {
    const char *name;
    fb_mesh_type type;
} types[] = {{"Int8", FB_MESH_INT8},      {"UInt8", FB_MESH_UINT8},   {"Int16", FB_MESH_INT16},
             {"UInt16", FB_MESH_UINT16},  {"Int32", FB_MESH_INT32},   {"UInt32", FB_MESH_UINT32},
             {"Int64", FB_MESH_INT64},    {"UInt64", FB_MESH_UINT64}, {"Float32", FB_MESH_FLOAT32},
             {"Float64", FB_MESH_FLOAT64}};

static fb_mesh_type type_of(const char *name) {
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++) {
        if (strcasecmp(types[i].name, name) == 0) {
            return types[i].type;
        }
    }
    return FB_MESH_NONE;
}

/* The text of an element itself, without that of elements in it (InformationKey). */
static void own_text(fb_arena *arena, const fb_xml_node *node, const char **text, size_t *n) {
    *text = node->text;
    *n = node->text_length;
    if (!node->first || !node->source) {
        return;
    }
    char *to = fb_arena_alloc(arena, node->source_length + 1);
    size_t count = 0;
    int depth = 0;
    for (const char *p = node->source, *end = p + node->source_length; p < end; p++) {
        if (*p == '<') {
            const char *stop = memchr(p, '>', (size_t)(end - p));
            if (!stop) {
                break;
            }
            depth += p + 1 < end && p[1] == '/' ? -1 : stop[-1] == '/' || p[1] == '!' ? 0 : 1;
            p = stop;
            to[count++] = ' ';
        } else if (depth == 1) {
            to[count++] = *p;
        }
    }
    *text = to;
    *n = count;
}

/* The lines from an element's tag to its text, which is trimmed. */
static int lines_before(const fb_xml_node *node) {
    const char *p = node->source, *end = p ? p + node->source_length : NULL;
    int n = 0;
    for (p = p ? memchr(p, '>', (size_t)(end - p)) : NULL; p && ++p < end;) {
        if (!isspace((unsigned char)*p)) {
            break;
        }
        n += *p == '\n';
    }
    return node->first ? 0 : n;
}

static const char *read_text(reader *r, const char *p, const char *end, array *a) {
    for (;;) {
        double value;
        while (p < end && isspace((unsigned char)*p)) {
            r->at->line += *p++ == '\n';
        }
        if (p == end) {
            return NULL;
        }
        if (!fb_number_scan(&p, end, &value) || (p < end && !isspace((unsigned char)*p))) {
            return "something that is not a number";
        }
        FB_PUSH(r->arena, a->x, a->n, a->capacity, value);
    }
}

static bool take_count(reader *r, stream *s, size_t *count) {
    unsigned char bytes[8];
    if (!take(s, bytes, fb_mesh_type_size(r->header))) {
        return false;
    }
    double number = fb_mesh_number(r->header, bytes, r->big_endian);
    *count = number < (double)MOST_BYTES ? (size_t)number : MOST_BYTES;
    return true;
}

static void *allocate(void *context, unsigned int n, unsigned int size) {
    (void)context;
    return fb_alloc((size_t)n * size);
}

static void release(void *context, void *p) {
    (void)context;
    fb_free(p);
}

/* Zlib's bytes to exactly `n` bytes; Z_OK, or what zlib says. */
static int inflate_block(unsigned char *to, size_t n, unsigned char *from, size_t n_from) {
    z_stream z = {.zalloc = allocate,
                  .zfree = release,
                  .next_in = from,
                  .avail_in = (unsigned int)n_from,
                  .next_out = to,
                  .avail_out = (unsigned int)n};
    int status = inflateInit(&z);
    if (status != Z_OK) {
        return status;
    }
    status = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return status == Z_STREAM_END && z.avail_out == 0 ? Z_OK
           : status == Z_MEM_ERROR                    ? Z_MEM_ERROR
                                                      : Z_DATA_ERROR;
}

/* Number of blocks, bytes of each, bytes of the last (0: it is as the others), compressed bytes of
 * each; then the blocks. */
static const char *take_blocks(reader *r, stream *s, unsigned char **bytes, size_t *size) {
    size_t head[HEADER_WORDS];
    for (int k = 0; k < HEADER_WORDS; k++) {
        if (!take_count(r, s, &head[k])) {
            return cut_off;
        }
    }
    const size_t n = head[0], full = head[1], last = head[2] ? head[2] : head[1];
    *size = 0;
    if (n == 0) {
        return NULL;
    }
    if (n > most_left(s) || full > MOST_BYTES / n || last > full) {
        return "the header of a compressed array makes no sense";
    }
    size_t *packed = fb_arena_array(r->arena, n, sizeof *packed), sum = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!take_count(r, s, &packed[i])) {
            return cut_off;
        }
        most = packed[i] > most ? packed[i] : most;
        sum += packed[i] < MOST_BYTES ? packed[i] : 0;
    }
    *size = (n - 1) * full + last;
    if (most > most_left(s) || sum > most_left(s) || *size / 1100 > sum) { /* zlib gains 1032 */
        return cut_off;
    }
    unsigned char *from = fb_arena_alloc(r->arena, most + 1);
    *bytes = fb_arena_alloc(r->arena, *size + 1);
    for (size_t i = 0; i < n; i++) {
        if (!take(s, from, packed[i])) {
            return cut_off;
        }
        int status = inflate_block(*bytes + i * full, i + 1 < n ? full : last, from, packed[i]);
        if (status == Z_MEM_ERROR && r->arena->oom) {
            longjmp(*r->arena->oom, 1);
        }
        if (status != Z_OK) {
            return "a compressed array is damaged";
        }
    }
    return NULL;
}

static const char *take_plain(reader *r, stream *s, unsigned char **bytes, size_t *size) {
    if (!take_count(r, s, size) || *size > most_left(s)) {
        return cut_off;
    }
    *bytes = fb_arena_alloc(r->arena, *size + 1);
    return take(s, *bytes, *size) ? NULL : cut_off;
}

static const char *read_binary(reader *r, stream *s, fb_mesh_type type, array *a) {
    unsigned char *bytes = NULL;
    size_t size = 0, width = fb_mesh_type_size(type);
    if (r->unknown) {
        return r->unknown;
    }
    if (type == FB_MESH_NONE) {
        return "an array's numbers have a type that is not known";
    }
    const char *why = r->zlib ? take_blocks(r, s, &bytes, &size) : take_plain(r, s, &bytes, &size);
    if (why) {
        return why;
    }
    a->n = size / width;
    a->x = fb_arena_array(r->arena, a->n + 1, sizeof *a->x);
    for (size_t i = 0; i < a->n; i++) {
        a->x[i] = fb_mesh_number(type, bytes + i * width, r->big_endian);
    }
    return NULL;
}

static const char *read_array(reader *r, const fb_xml_node *node, array *a) {
    memset(a, 0, sizeof *a);
    a->x = fb_arena_array(r->arena, 1, sizeof *a->x); /* never NULL, also without numbers */
    if (!node) {
        return "the numbers of its points or faces are missing";
    }
    r->at->line = node->line;
    const char *format = fb_xml_attr(node, "format"), *text;
    size_t n;
    stream s = {NULL, NULL, true, {0}, 0};
    if (format && strcasecmp(format, "appended") == 0) {
        const char *offset = fb_xml_attr(node, "offset");
        double at = -1;
        if (!r->appended || !offset || !fb_number_parse(offset, strlen(offset), &at) ||
            !(at >= 0 && at <= (double)r->n_appended)) {
            return "an array's offset points beyond what is appended";
        }
        s.p = r->appended + (size_t)at;
        s.end = r->appended + r->n_appended;
        s.base64 = r->appended_base64;
        return read_binary(r, &s, type_of(fb_xml_attr(node, "type")), a);
    }
    own_text(r->arena, node, &text, &n);
    if (format && strcasecmp(format, "binary") == 0) {
        s.p = text;
        s.end = text + n;
        return read_binary(r, &s, type_of(fb_xml_attr(node, "type")), a);
    }
    if (format && strcasecmp(format, "ascii") != 0) {
        return "its numbers are neither ascii nor binary nor appended";
    }
    r->at->line += lines_before(node);
    return read_text(r, text, text + n, a);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static const fb_xml_node *array_named(const fb_xml_node *parent, const char *name) {
    const fb_xml_node *node = parent ? fb_xml_child(parent, "DataArray") : NULL;
    for (; node; node = fb_xml_next(node, "DataArray")) {
        const char *own = fb_xml_attr(node, "Name");
        if (own && strcasecmp(own, name) == 0) {
            return node;
        }
    }
    return NULL;
}

static const char *read_cells(reader *r, const fb_xml_node *cells, long base, bool strips) {
    array corners, ends;
    size_t begin = 0;
    if (!cells || !fb_xml_child(cells, "DataArray")) {
        return NULL;
    }
    const char *why = read_array(r, array_named(cells, "connectivity"), &corners);
    why = why ? why : read_array(r, array_named(cells, "offsets"), &ends);
    for (size_t i = 0; !why && i < ends.n; i++) {
        if (!(ends.x[i] >= (double)begin && ends.x[i] <= (double)corners.n)) {
            return "the offsets of its polygons do not fit their corners";
        }
        size_t end = (size_t)ends.x[i];
        why = fb_mesh_cut(r->sink, base, corners.x + begin, end - begin, strips);
        begin = end;
    }
    return why;
}

static const char *read_piece(reader *r, const fb_xml_node *piece) {
    const fb_xml_node *points = fb_xml_child(piece, "Points");
    long base = r->n_vertices;
    array x;
    r->at->line = piece->line;
    const char *why = read_array(r, points ? fb_xml_child(points, "DataArray") : NULL, &x);
    if (!why && x.n % 3 != 0) {
        why = "the numbers of its points are not three each";
    }
    for (size_t i = 0; !why && i < x.n; i += 3) {
        why = r->sink->vertex(r->sink->context, x.x + i) ? NULL : "";
        r->n_vertices++;
    }
    why = why ? why : read_cells(r, fb_xml_child(piece, "Polys"), base, false);
    return why ? why : read_cells(r, fb_xml_child(piece, "Strips"), base, true);
}

/* How the file says its numbers are written. */
static const char *read_form(reader *r, const fb_xml_node *root) {
    const char *order = fb_xml_attr(root, "byte_order"), *header = fb_xml_attr(root, "header_type");
    const char *compressor = fb_xml_attr(root, "compressor");
    const fb_xml_node *appended = fb_xml_child(root, "AppendedData");
    const char *encoding = appended ? fb_xml_attr(appended, "encoding") : NULL;
    r->big_endian = order && strcasecmp(order, "BigEndian") == 0;
    r->header = header ? type_of(header) : FB_MESH_UINT32;
    r->appended_base64 = encoding && strcasecmp(encoding, "base64") == 0;
    r->zlib = compressor && *compressor;
    if (r->zlib && strcmp(compressor, "vtkZLibDataCompressor") != 0) {
        r->unknown = "its arrays are compressed in a way that is not read; zlib is";
    }
    r->at->line = root->line;
    return r->header == FB_MESH_UINT32 || r->header == FB_MESH_UINT64
               ? NULL
               : "its header_type is neither UInt32 nor UInt64";
}

const char *fb_vtp_read(const fb_xml *xml, const char *appended, size_t size,
                        const fb_mesh_sink *sink, fb_arena *arena, fb_mesh_at *at) {
    reader r = {.sink = sink, .arena = arena, .at = at, .appended = appended, .n_appended = size};
    const fb_xml_node *data = fb_xml_child(xml->root, "PolyData");
    const fb_xml_node *piece = data ? fb_xml_child(data, "Piece") : NULL;
    at->line = xml->root->line;
    const char *why = piece ? read_form(&r, xml->root) : "it holds no PolyData";
    for (; !why && piece; piece = fb_xml_next(piece, "Piece")) {
        why = read_piece(&r, piece);
    }
    return why;
}

/* ---- appended data, which need not be text ----------------------------------------------------
 */

/* The first place of a word in bytes; NULL. */
static const char *find(const char *p, const char *end, const char *word) {
    return (size_t)(end - p) >= strlen(word) ? memmem(p, (size_t)(end - p), word, strlen(word))
                                             : NULL;
}

fb_status fb_vtp_parse(fb_xml *xml, char *bytes, size_t size, const char *file, fb_arena *arena,
                       const char **appended, size_t *n_appended, fb_diag *diag) {
    static const char tail[] = "</AppendedData></VTKFile>";
    const char *end = bytes + size, *tag = find(bytes, end, "<AppendedData");
    const char *close = tag ? memchr(tag, '>', (size_t)(end - tag)) : NULL;
    const char *begin = close && close[-1] != '/' ? memchr(close, '_', (size_t)(end - close))
                                                  : NULL;
    fb_diag own; /* its warnings are of no use here */
    *appended = NULL;
    *n_appended = 0;
    if (begin) {
        size_t kept = (size_t)(close + 1 - bytes);
        char *head = fb_alloc(kept + sizeof tail);
        char *rest = head ? fb_arena_text(arena, begin + 1, (size_t)(end - begin) - 1) : NULL;
        if (!rest) {
            fb_free(head);
            fb_free(bytes);
            fb_diag_add(diag, FB_ERROR, FB1003, (fb_place){file, 0, NULL, NULL}, NULL,
                        "out of memory");
            return FB_E_MEMORY;
        }
        *appended = rest;
        *n_appended = (size_t)(end - begin) - 1;
        memcpy(head, bytes, kept);
        memcpy(head + kept, tail, sizeof tail);
        fb_free(bytes);
        bytes = head;
        size = kept + sizeof tail - 1;
    }
    fb_diag_init(&own);
    fb_status status = fb_xml_parse(xml, bytes, size, file, &own); /* takes the bytes */
    for (size_t i = 0; i < own.n && status != FB_OK; i++) {
        const fb_record *e = &own.records[i];
        if (e->action == FB_ERROR) {
            fb_diag_add(diag, FB_ERROR, e->id, (fb_place){e->file, e->line, e->path, e->cls},
                        e->effect, "%s", e->message);
        }
    }
    fb_diag_clear(&own);
    return status;
}
