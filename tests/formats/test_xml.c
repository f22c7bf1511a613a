#include "formats/xml.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

/* Parses n bytes from an exactly sized block. */
static fb_status parse_bytes(fb_xml *xml, const char *bytes, size_t n, fb_diag *diag) {
    fb_diag_init(diag);
    return fb_xml_parse(xml, fb_test_bytes(bytes, n), n, "test.xml", diag);
}

static fb_status parse(fb_xml *xml, const char *text, fb_diag *diag) {
    return parse_bytes(xml, text, strlen(text), diag);
}

static void clear(fb_xml *xml, fb_diag *diag) {
    fb_xml_free(xml);
    fb_diag_clear(diag);
}

/* Parses a text that must be refused with that record. */
static void refuse_bytes(const char *text, size_t n, fb_diag_id id, int line, const char *message) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse_bytes(&xml, text, n, &diag), FB_E_INPUT);
    FB_TRUE(xml.root == NULL && xml.bytes == NULL, "nothing is left in it");
    const fb_record *record = FB_RECORD(&diag, FB_ERROR, id, line);
    if (record) {
        FB_HOLDS(record->message, message);
        FB_EQUAL_STR(record->file, "test.xml");
    }
    FB_EQUAL_INT(diag.counts[FB_ERROR], 1);
    clear(&xml, &diag);
}

static void refuse(const char *text, fb_diag_id id, int line, const char *message) {
    refuse_bytes(text, strlen(text), id, line, message);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void accepts_elements_text_and_attributes(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(
        parse(&xml,
              "<?xml version='1.0'?>\n<a name='n' v=\"1\" w='2'>\n <b> x y\n</b><c/><b>2</b></a>",
              &diag),
        FB_OK);
    const fb_xml_node *a = xml.root, *b = fb_xml_child(a, "b"), *c = fb_xml_child(a, "c");
    FB_EQUAL_STR(a->tag, "a");
    FB_EQUAL_STR(a->name, "n");
    FB_EQUAL_STR(fb_xml_attr(a, "name"), "n");
    FB_EQUAL_STR(fb_xml_attr(a, "v"), "1");
    FB_EQUAL_STR(fb_xml_attr(a, "w"), "2");
    FB_EQUAL_STR(fb_xml_attr(a, "x"), NULL);
    FB_EQUAL_STR(a->text, "");
    FB_EQUAL_STR(b->text, "x y");
    FB_EQUAL_INT(b->text_length, 3);
    FB_TRUE(b->parent == a && a->first == b && b->next == c, "the order of the file");
    FB_EQUAL_STR(c->text, "");
    FB_TRUE(fb_xml_next(b, "b") == a->last && fb_xml_next(a->last, "b") == NULL,
            "siblings of one tag");
    FB_TRUE(b->tag == a->last->tag, "tags are interned");
    FB_TRUE(fb_xml_tag(&xml, "b") == b->tag, "tags are interned");
    FB_EQUAL_INT(a->line, 2);
    FB_EQUAL_INT(b->line, 3);
    FB_EQUAL_INT(c->line, 4);
    FB_EQUAL_STR(b->file, "test.xml");
    FB_EQUAL_INT(diag.n, 0);
    clear(&xml, &diag);
}

static void accepts_entities_cdata_and_character_references(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml,
                       "<a><b name='&lt;&#x41;&quot;'>1 &lt; 2 &amp; "
                       "&#66;&gt;&apos;</b><c><![CDATA[<&amp;>]]> z</c></a>",
                       &diag),
                 FB_OK);
    FB_EQUAL_STR(fb_xml_child(xml.root, "b")->text, "1 < 2 & B>'");
    FB_EQUAL_STR(fb_xml_child(xml.root, "b")->name, "<A\"");
    FB_EQUAL_STR(fb_xml_child(xml.root, "c")->text, "<&amp;> z");
    FB_EQUAL_INT(diag.n, 0);
    clear(&xml, &diag);
}

static void accepts_long_texts(void) {
    size_t n = 3000000;
    char *text = malloc(n + 20);
    memset(text, '7', n + 10);
    memcpy(text, "<a>", 3);
    memcpy(text + 3 + n, "</a>", 5);
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, text, &diag), FB_OK);
    FB_EQUAL_INT(xml.root ? xml.root->text_length : 0, n);
    free(text);
    clear(&xml, &diag);
}

static void accepts_class_names_with_colons(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<a><OpenSim::Body name='x'><m>1</m></OpenSim::Body><p:q/></a>",
                       &diag),
                 FB_OK);
    const fb_xml_node *body = fb_xml_child(xml.root, "OpenSim::Body");
    FB_TRUE(body != NULL, "the tag is whole");
    FB_EQUAL_STR(body ? body->name : NULL, "x");
    FB_TRUE(fb_xml_child(xml.root, "p:q") != NULL, "so is that of an unknown prefix");
    clear(&xml, &diag);
}

/* ---- lines and byte ranges ------------------------------------------------------------------- */

static void lines_go_beyond_65535(void) {
    enum { LINES = 70000 };
    char *text = malloc(LINES * 2 + 100), *p = text;
    p += sprintf(p, "<a>\n");
    for (int i = 0; i < LINES; i++) {
        *p++ = '\n';
    }
    strcpy(p, "<b>\n\n</b><!-- note --><c/></a>");
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, text, &diag), FB_OK);
    FB_EQUAL_INT(fb_xml_child(xml.root, "b")->line, LINES + 2);
    FB_EQUAL_INT(fb_xml_child(xml.root, "c")->line, LINES + 4);
    FB_EQUAL_INT(fb_xml_child(xml.root, "c")->comments->line, LINES + 4);
    clear(&xml, &diag);
    strcpy(p, "<b>\n</c></a>");
    refuse(text, FB1101, LINES + 3, "not well-formed");
    free(text);
}

static void lines_of_tags_over_several_lines_are_where_they_begin(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<a\n  name='x'\n  v='1'>\n<b\n/></a>", &diag), FB_OK);
    FB_EQUAL_INT(xml.root->line, 1);
    FB_EQUAL_INT(fb_xml_child(xml.root, "b")->line, 4);
    clear(&xml, &diag);
}

/* The bytes that a node has in its file. */
static void check_source(const fb_xml_node *node, const char *want) {
    if (!FB_TRUE(node && node->source, "there is such an element, with its bytes")) {
        return;
    }
    char *got = strndup(node->source, node->source_length);
    FB_EQUAL_STR(got, want);
    free(got);
}

static void source_is_the_bytes_of_the_element(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(
        parse(&xml,
              "<?xml version=\"1.0\"?><a x='>' ><b  name='1' >t<!-- c --><d a=\"p/>q\"/></b ><c/>"
              "<e>&lt;\xC3\xA9</e></a >\n<!-- z -->\n",
              &diag),
        FB_OK);
    const fb_xml_node *b = fb_xml_child(xml.root, "b");
    check_source(b, "<b  name='1' >t<!-- c --><d a=\"p/>q\"/></b >");
    check_source(b->first, "<d a=\"p/>q\"/>");
    check_source(fb_xml_child(xml.root, "c"), "<c/>");
    check_source(fb_xml_child(xml.root, "e"), "<e>&lt;\xC3\xA9</e>");
    FB_EQUAL_INT(xml.root->source - xml.bytes, 21);
    FB_EQUAL_INT(xml.root->source[xml.root->source_length - 1], '>');
    clear(&xml, &diag);
}

static void source_is_right_far_into_a_large_file(void) {
    size_t n = 0;
    char *text = malloc(4000000);
    n += (size_t)sprintf(text, "<a>");
    for (int i = 0; i < 60000; i++) {
        n += (size_t)sprintf(text + n, "<b>%d<!-- \xC3\xA9 --></b>\r\n", i);
    }
    strcpy(text + n, "<last>1</last></a>");
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, text, &diag), FB_OK);
    check_source(fb_xml_child(xml.root, "last"), "<last>1</last>");
    check_source(xml.root->first, "<b>0<!-- \xC3\xA9 --></b>");
    free(text);
    clear(&xml, &diag);
}

/* ---- comments -------------------------------------------------------------------------------- */

static void comments_are_attached_to_what_they_precede(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml,
                       "<!-- top --><a><!-- one --><!--two--><b><!-- in b --></b>\n<!-- end "
                       "--></a><!-- after -->",
                       &diag),
                 FB_OK);
    const fb_xml_node *a = xml.root, *b = a->first;
    FB_EQUAL_STR(a->comments ? a->comments->text : NULL, "top");
    FB_EQUAL_STR(b->comments ? b->comments->text : NULL, "one");
    FB_EQUAL_STR(b->comments && b->comments->next ? b->comments->next->text : NULL, "two");
    FB_EQUAL_STR(b->end_comments ? b->end_comments->text : NULL, "in b");
    FB_EQUAL_STR(a->end_comments ? a->end_comments->text : NULL, "end");
    FB_EQUAL_STR(a->end_comments && a->end_comments->next ? a->end_comments->next->text : NULL,
                 "after");
    FB_EQUAL_INT(a->end_comments->line, 2);
    clear(&xml, &diag);
}

static void comments_that_repeat_are_marked(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<a><!-- x --><b/><!--x--><c/><!-- y --><d/></a>", &diag), FB_OK);
    FB_EQUAL_INT(fb_xml_child(xml.root, "b")->comments->repeated, 1);
    FB_EQUAL_INT(fb_xml_child(xml.root, "c")->comments->repeated, 1);
    FB_EQUAL_INT(fb_xml_child(xml.root, "d")->comments->repeated, 0);
    clear(&xml, &diag);
}

static void comments_inside_a_text_do_not_break_it(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<a><b>1 <!-- 9 9 -->2 3</b></a>", &diag), FB_OK);
    FB_EQUAL_STR(xml.root->first->text, "1 2 3");
    clear(&xml, &diag);
}

/* ---- encodings and repairs ------------------------------------------------------------------- */

static void accepts_a_byte_order_mark(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml,
                       "\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-8'?>\n<a><b>\xC3\xA9</b></a>",
                       &diag),
                 FB_OK);
    FB_EQUAL_STR(xml.root->first->text, "\xC3\xA9");
    check_source(xml.root->first, "<b>\xC3\xA9</b>");
    FB_EQUAL_INT(diag.n, 0);
    clear(&xml, &diag);
}

static void accepts_windows_line_ends(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<a>\r\n<b>1\r\n2</b>\r\n<!-- p\r\nq -->\r\n<c/>\r\n</a>\r\n", &diag),
                 FB_OK);
    FB_EQUAL_STR(fb_xml_child(xml.root, "b")->text, "1\n2");
    FB_EQUAL_STR(fb_xml_child(xml.root, "c")->comments->text, "p\nq");
    FB_EQUAL_INT(fb_xml_child(xml.root, "c")->line, 6);
    check_source(fb_xml_child(xml.root, "c"), "<c/>");
    clear(&xml, &diag);
}

static void repairs_stray_latin1_bytes(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml,
                       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>\n<b>J\xF8rgen \xC3\xA9</b>"
                       "<!-- M\xFCller & S\xF6hne --><c n='\xE9'/></a>",
                       &diag),
                 FB_OK);
    FB_EQUAL_STR(fb_xml_child(xml.root, "b")->text, "J\xC3\xB8rgen \xC3\xA9");
    FB_EQUAL_STR(fb_xml_child(xml.root, "c")->comments->text, "M\xC3\xBCller & S\xC3\xB6hne");
    FB_EQUAL_STR(fb_xml_attr(fb_xml_child(xml.root, "c"), "n"), "\xC3\xA9");
    check_source(fb_xml_child(xml.root, "b"), "<b>J\xC3\xB8rgen \xC3\xA9</b>");
    const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB1104, 3);
    FB_HOLDS(record ? record->message : NULL, "4 bytes");
    FB_EQUAL_INT(diag.n, 1);
    clear(&xml, &diag);
}

static void repairs_truncated_utf8(void) {
    static const char *const bad[] = {"\xC3",     "\xE2\x82",     "\xF0\x9F\x98",
                                      "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                                      "\x80",     "\xFF"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[64];
        fb_xml xml;
        fb_diag diag;
        snprintf(text, sizeof text, "<a>%s</a>", bad[i]);
        FB_EQUAL_INT(parse(&xml, text, &diag), FB_OK);
        FB_RECORD(&diag, FB_WARNING, FB1104, 1);
        clear(&xml, &diag);
    }
    refuse("<a>\xC3", FB1101, -1, "not well-formed"); /* at the very end */
}

static void repairs_bare_ampersands(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml,
                       "<a>\n<b n='x & y'>Smith & Jones, R&D; AT&T &amp; &#65;</b>\n<!-- & "
                       "--><c><![CDATA[&]]></c></a>",
                       &diag),
                 FB_E_INPUT); /* "&D;" is an entity that nobody defined */
    FB_RECORD(&diag, FB_ERROR, FB1103, 2);
    clear(&xml, &diag);
    FB_EQUAL_INT(parse(&xml,
                       "<a>\n<b n='x & y'>Smith & Jones, R&D, AT&T &amp; &#65; &</b>\n<!-- & "
                       "--><c><![CDATA[&]]></c></a>",
                       &diag),
                 FB_OK);
    FB_EQUAL_STR(fb_xml_child(xml.root, "b")->text, "Smith & Jones, R&D, AT&T & A &");
    FB_EQUAL_STR(fb_xml_attr(fb_xml_child(xml.root, "b"), "n"), "x & y");
    FB_EQUAL_STR(fb_xml_child(xml.root, "c")->comments->text, "&");
    FB_EQUAL_STR(fb_xml_child(xml.root, "c")->text, "&");
    const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB1105, 2);
    FB_HOLDS(record ? record->message : NULL, "5 bare");
    FB_EQUAL_INT(diag.n, 1);
    clear(&xml, &diag);
}

static void ampersands_in_comments_need_no_repair(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<a><!-- x & y --><!-- p & q --><b/></a>", &diag), FB_OK);
    FB_EQUAL_INT(diag.n, 0);
    clear(&xml, &diag);
}

/* A text as UTF-16, with a byte order mark; ASCII only. */
static size_t utf16(char *out, const char *text, bool big) {
    size_t n = 0;
    out[n++] = (char)(big ? 0xFE : 0xFF);
    out[n++] = (char)(big ? 0xFF : 0xFE);
    for (; *text; text++) {
        out[n + (big ? 1 : 0)] = *text;
        out[n + (big ? 0 : 1)] = 0;
        n += 2;
    }
    return n;
}

static void accepts_utf16(void) {
    for (int big = 0; big < 2; big++) {
        char bytes[400];
        fb_xml xml;
        fb_diag diag;
        size_t n = utf16(bytes,
                         "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<a>\n<b name='x'>1 "
                         "2</b><c><d>3</d></c></a>",
                         big);
        FB_EQUAL_INT(parse_bytes(&xml, bytes, n, &diag), FB_OK);
        if (xml.root) {
            FB_EQUAL_STR(fb_xml_child(xml.root, "b")->text, "1 2");
            FB_EQUAL_STR(fb_xml_child(xml.root, "b")->name, "x");
            FB_EQUAL_INT(fb_xml_child(xml.root, "b")->line, 3);
            check_source(fb_xml_child(xml.root, "c"), "<c><d>3</d></c>");
        }
        FB_EQUAL_INT(diag.n, 0);
        clear(&xml, &diag);
    }
}

static void accepts_declared_latin1(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(
        parse(&xml,
              "<?xml version=\"1.0\" "
              "encoding=\"ISO-8859-1\"?>\n<a>\xE9\xE9\xE9\xE9<b>\xE9</b><c><d>3</d></c></a>",
              &diag),
        FB_OK);
    FB_EQUAL_STR(fb_xml_child(xml.root, "b")->text, "\xC3\xA9");
    check_source(fb_xml_child(xml.root, "c"), "<c><d>3</d></c>");
    FB_EQUAL_INT(diag.n, 1);
    const fb_record *record = FB_RECORD(&diag, FB_WARNING, FB1107, 2);
    if (record) {
        FB_HOLDS(record->message, "\xC3\xA9");
    }
    clear(&xml, &diag);
}

static void accepts_encoding_in_single_quotes(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<?xml version='1.0' encoding='utf-8' standalone='yes'?><a>\xE9</a>",
                       &diag),
                 FB_OK);
    FB_RECORD(&diag, FB_WARNING, FB1104, 1);
    clear(&xml, &diag);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void rejects_what_is_not_well_formed(void) {
    static const struct {
        const char *text;
        int line;
    } cases[] = {{"<a>\n<b>\n</a>", 3},
                 {"<a>\n", 2},
                 {"<a></a>\n<b/>", 2},
                 {"<a x=1/>", 1},
                 {"<a x='1' x='2'/>", 1},
                 {"\n\nhello", 3},
                 {"<a", 1},
                 {"<a><b", 1},
                 {"<a>&#0;</a>", 1},
                 {"<a>\x01</a>", 1},
                 {"<a><!-- x -- y --></a>", 1},
                 {"<a></b>", 1},
                 {"<a>]]></a>", 1},
                 {"<!-- only -->", 1},
                 {"{}", 1},
                 {"<1a/>", 1},
                 {"<a><![CDATA[ </a>", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        refuse(cases[i].text, FB1101, cases[i].line, "not well-formed XML");
    }
}

static void rejects_an_empty_file(void) {
    refuse("", FB1004, 0, "empty");
    refuse("  \n \n", FB1101, -1, "not well-formed");
}

static void rejects_bytes_of_0(void) {
    static const char bytes[] = "<a>\0</a>";
    refuse_bytes(bytes, sizeof bytes - 1, FB1101, 1, "not well-formed");
    static const char zeros[64];
    refuse_bytes(zeros, sizeof zeros, FB1101, -1, "not well-formed");
}

static void rejects_entity_bombs(void) {
    refuse("<!DOCTYPE a [\n<!ENTITY x \"ha\">\n<!ENTITY y \"&x;&x;&x;&x;\">]>\n<a>&y;</a>", FB1103,
           2, "'x'");
    refuse("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<a>&x;</a>", FB1103, 1,
           "'x'");
    refuse("<!DOCTYPE a [<!ENTITY % p SYSTEM \"file:///etc/passwd\"> %p;]>\n<a/>", FB1103, 1,
           "'p'");
    refuse("<a>\n&copy;</a>", FB1103, 2, "copy");
    refuse("<a x='&copy;'/>", FB1103, 1, "copy");
}

static void warns_of_a_document_type(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<!DOCTYPE a SYSTEM \"http://example.org/a.dtd\">\n<a/>", &diag),
                 FB_OK);
    FB_RECORD(&diag, FB_WARNING, FB1106, 1);
    clear(&xml, &diag);
}

/* n elements in one another. */
static char *nested(int n) {
    char *text = malloc((size_t)n * 8 + 1), *p = text;
    for (int i = 0; i < n; i++) {
        p += sprintf(p, "<a>\n");
    }
    for (int i = 0; i < n; i++) {
        p += sprintf(p, "</a>");
    }
    return text;
}

static void rejects_deep_nesting(void) {
    fb_xml xml;
    fb_diag diag;
    char *text = nested(FB_XML_DEPTH);
    FB_EQUAL_INT(parse(&xml, text, &diag), FB_OK);
    clear(&xml, &diag);
    free(text);
    text = nested(FB_XML_DEPTH + 1);
    refuse(text, FB1102, FB_XML_DEPTH + 1, "200");
    free(text);
    text = nested(100000);
    refuse(text, FB1102, FB_XML_DEPTH + 1, "200");
    free(text);
}

/* ---- changing the tree ----------------------------------------------------------------------- */

static void add_remove_append_and_copy(void) {
    fb_xml xml;
    fb_diag diag;
    FB_EQUAL_INT(parse(&xml, "<a>\n<b><c v='1'>1</c><d/></b><e/></a>", &diag), FB_OK);
    fb_xml_node *a = xml.root, *b = fb_xml_child(a, "b"), *e = fb_xml_child(a, "e");
    fb_xml_node *made = fb_xml_add(&xml, b, "f", "text");
    FB_TRUE(b->last == made && made->parent == b, "the last child");
    FB_EQUAL_STR(made->text, "text");
    FB_EQUAL_INT(made->line, 2);
    fb_xml_node *copy = fb_xml_copy(&xml, b);
    FB_TRUE(copy->parent == NULL && copy->next == NULL, "in no parent");
    FB_EQUAL_STR(fb_xml_child(copy, "c")->text, "1");
    FB_EQUAL_STR(fb_xml_attr(fb_xml_child(copy, "c"), "v"), "1");
    FB_TRUE(fb_xml_child(copy, "c") != fb_xml_child(b, "c"), "a deep copy");
    FB_EQUAL_STR(copy->last->tag, "f");
    fb_xml_remove(fb_xml_child(b, "d"));
    FB_TRUE(fb_xml_child(b, "d") == NULL && fb_xml_child(copy, "d") != NULL,
            "removed from one only");
    fb_xml_remove(made);
    FB_TRUE(b->last == b->first && b->first->next == NULL, "one is left");
    fb_xml_remove(b);
    FB_TRUE(a->first == e && a->last == e, "the first was removed");
    fb_xml_append(e, b);
    FB_TRUE(e->first == b && b->parent == e, "put elsewhere");
    fb_xml_remove(e);
    FB_TRUE(a->first == NULL && a->last == NULL, "none is left");
    fb_xml_remove(e); /* in no parent: nothing happens */
    clear(&xml, &diag);
}

static const fb_test tests[] = {
    FB_TEST(accepts_elements_text_and_attributes),
    FB_TEST(accepts_entities_cdata_and_character_references),
    FB_TEST(accepts_long_texts),
    FB_TEST(accepts_class_names_with_colons),
    FB_TEST(lines_go_beyond_65535),
    FB_TEST(lines_of_tags_over_several_lines_are_where_they_begin),
    FB_TEST(source_is_the_bytes_of_the_element),
    FB_TEST(source_is_right_far_into_a_large_file),
    FB_TEST(comments_are_attached_to_what_they_precede),
    FB_TEST(comments_that_repeat_are_marked),
    FB_TEST(comments_inside_a_text_do_not_break_it),
    FB_TEST(accepts_a_byte_order_mark),
    FB_TEST(accepts_windows_line_ends),
    FB_TEST(repairs_stray_latin1_bytes),
    FB_TEST(repairs_truncated_utf8),
    FB_TEST(repairs_bare_ampersands),
    FB_TEST(ampersands_in_comments_need_no_repair),
    FB_TEST(accepts_utf16),
    FB_TEST(accepts_declared_latin1),
    FB_TEST(accepts_encoding_in_single_quotes),
    FB_TEST(rejects_what_is_not_well_formed),
    FB_TEST(rejects_an_empty_file),
    FB_TEST(rejects_bytes_of_0),
    FB_TEST(rejects_entity_bombs),
    FB_TEST(warns_of_a_document_type),
    FB_TEST(rejects_deep_nesting),
    FB_TEST(add_remove_append_and_copy),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("xml", tests, argc, argv);
}
