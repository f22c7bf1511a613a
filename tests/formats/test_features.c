/* Files of feature points and pairs: every kind, units and frames, what is refused, and that what
 * is written is read to the same bits. */
#include "formats/features.h"

#include <stdlib.h>
#include <string.h>

#include "tests/help.h"

typedef struct got {
    fb_features features;
    fb_feature_file found;
    fb_diag diag;
    fb_status status;
} got;

/* Reads a text in which ' stands for ". */
static got read_as(const char *file, const char *text, const fb_feature_options *options) {
    got g;
    size_t n = strlen(text);
    char *bytes = fb_test_bytes(text, n);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = bytes[i] == '\'' ? '"' : bytes[i];
    }
    fb_diag_init(&g.diag);
    g.status = fb_features_read(&g.features, bytes, n, file, options, &g.found, &g.diag);
    if (g.status == FB_OK && strcmp(g.found.kind, "JSON") == 0) {
        fb_test_store_as("features", bytes, n);
    }
    fb_free(bytes);
    return g;
}

static void drop(got *g) {
    fb_features_free(&g->features);
    fb_diag_clear(&g->diag);
}

/* The i-th point, which must be this. */
static void expect(const got *g, size_t i, const char *body, const char *name, double x, double y,
                   double z) {
    const double want[3] = {x, y, z};
    if (!FB_TRUE(i < g->features.n, "there is no point %zu: %s", i,
                 g->diag.n ? g->diag.records[0].message : "")) {
        return;
    }
    const fb_feature *f = &g->features.items[i];
    FB_EQUAL_STR(f->body, body);
    FB_EQUAL_STR(f->name, name);
    for (int k = 0; k < 3; k++) {
        FB_NEAR(f->location[k], want[k], 1e-15, 1e-15);
    }
}

static void refuse(const char *file, const char *text, int line, const char *says) {
    got g = read_as(file, text, NULL);
    FB_EQUAL_INT(g.status, FB_E_INPUT);
    FB_EQUAL_INT(g.diag.counts[FB_ERROR], 1);
    FB_EQUAL_INT(g.features.n, 0);
    for (size_t i = 0; i < g.diag.n; i++) {
        if (g.diag.records[i].action == FB_ERROR) {
            FB_HOLDS(g.diag.records[i].message, says);
            FB_EQUAL_INT(g.diag.records[i].line, line);
            FB_EQUAL_STR(g.diag.records[i].file, file);
        }
    }
    drop(&g);
}

static void reads_json(void) {
    got g =
        read_as("f.json",
                "{'features': [\n{'name': 'hip', 'body': 'pelvis', 'location': [0.1, -0, 3e-2]},\n"
                "{'name': 'knee', 'body': 'femur_r', 'location': [1, 2, 3], 'weight': 2.5, "
                "'source': 'me'}]}",
                NULL);
    FB_EQUAL_INT(g.status, FB_OK);
    expect(&g, 0, "pelvis", "hip", 0.1, 0, 0.03);
    expect(&g, 1, "femur_r", "knee", 1, 2, 3);
    FB_SAME(g.features.items[0].weight, 1);
    FB_SAME(g.features.items[1].weight, 2.5);
    FB_EQUAL_INT(g.features.items[1].line, 3);
    FB_EQUAL_INT(g.diag.n, 0);
    FB_EQUAL_INT(g.found.unit, FB_UNIT_M);
    FB_EQUAL_STR(g.features.file, "f.json");
    drop(&g);
    g = read_as("f.json",
                "{'unit': 'mm', 'features': [{'name': 'hip', 'body': 'pelvis', 'location': "
                "[1, 2, 3], 'wieght': 2}]}",
                NULL);
    expect(&g, 0, "pelvis", "hip", 0.001, 0.002, 0.003);
    FB_EQUAL_INT(g.found.unit, FB_UNIT_MM);
    FB_TRUE(!g.found.detected, "it was said");
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1411, 1);
    FB_HOLDS(r ? r->message : "", "is 'weight' meant?");
    drop(&g);
}

static void reads_csv(void) {
    got g = read_as("f.csv",
                    "\xEF\xBB\xBF# landmarks\r\nY;Name;frame;BODY;Z;x;colour\r\n"
                    "-2;R hip;a;pelvis;3.5;1;red\r\n\r\n# more\r\n0;'a ''b'';c';a;tibia;0;0\r\n",
                    NULL);
    FB_EQUAL_INT(g.status, FB_OK);
    expect(&g, 0, "pelvis", "R hip", 1, -2, 3.5);
    expect(&g, 1, "tibia", "a \"b\";c", 0, 0, 0);
    FB_EQUAL_INT(g.features.n, 2);
    FB_EQUAL_INT(g.features.items[1].line, 6);
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1411, 2);
    FB_HOLDS(r ? r->message : "", "not used: 'colour'");
    drop(&g);
    const fb_feature_options femur = {.body = "femur_r"};
    g = read_as("f.csv", "Name,X,Y,Z\na,1,2,3\ntibia_r/b,4,5,6\n", &femur);
    expect(&g, 0, "femur_r", "a", 1, 2, 3);
    expect(&g, 1, "tibia_r", "b", 4, 5, 6);
    drop(&g);
    g = read_as("f.csv", "a,0.1,0.2,0.3\nb,0.4,0.5,0.6\n", &femur); /* without titles */
    expect(&g, 0, "femur_r", "a", 0.1, 0.2, 0.3);
    expect(&g, 1, "femur_r", "b", 0.4, 0.5, 0.6);
    FB_EQUAL_INT(g.diag.n, 0);
    drop(&g);
    g = read_as("f.txt", "a pelvis 1 2 3 4\n", NULL);
    expect(&g, 0, "pelvis", "a", 1, 2, 3);
    FB_SAME(g.features.n ? g.features.items[0].weight : 0, 4);
    drop(&g);
    g = read_as("f.csv",
                "name,body,x,y,z,frame,weight\na,p,1,2,3,f,\nb,p,1,2,3,g,2\nc,q,1,2,3,g,NA\n",
                NULL);
    FB_EQUAL_INT(g.status, FB_E_INPUT); /* NA is no weight */
    r = FB_RECORD(&g.diag, FB_WARNING, FB1411, 3);
    FB_HOLDS(r ? r->message : "", "points of 'p' are in two frames, 'f' (line 2) and 'g'");
    FB_RECORD(&g.diag, FB_ERROR, FB1411, 4);
    drop(&g);
}

/* By magnitude, by option. */
static void finds_the_unit(void) {
    const char *const mm = "name,body,x,y,z\na,b,-3,411,8\nc,b,0,0,1\n";
    got g = read_as("f.csv", mm, NULL);
    expect(&g, 0, "b", "a", -0.003, 0.411, 0.008);
    expect(&g, 1, "b", "c", 0, 0, 0.001);
    FB_EQUAL_INT(g.found.unit, FB_UNIT_MM);
    FB_TRUE(g.found.detected, "guessed");
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1411, 0);
    FB_HOLDS(r ? r->message : "", "coordinates reach 411: they are taken as millimetres");
    drop(&g);
    g = read_as("f.csv", mm, &(fb_feature_options){.unit = FB_UNIT_M});
    expect(&g, 0, "b", "a", -3, 411, 8);
    FB_EQUAL_INT(g.diag.n, 0);
    drop(&g);
    g = read_as("f.csv", "name,body,x,y,z\na,b,0.5,0.2,1.1\n", NULL);
    FB_EQUAL_INT(g.found.unit, FB_UNIT_M);
    FB_EQUAL_INT(g.diag.n, 0);
    drop(&g);
    g = read_as("f.csv", "name,body,x,y,z\na,b,5,2,1\n", NULL); /* in doubt */
    FB_EQUAL_INT(g.found.unit, FB_UNIT_M);
    FB_RECORD(&g.diag, FB_WARNING, FB1411, 0);
    drop(&g);
}

#define MARKUPS(FRAME, MORE) \
    "{'@schema': 'https://x/markups-schema-v1.0.3.json#',\n'markups': [{'type': " \
    "'Fiducial', " FRAME \
    "'coordinateUnits': 'mm',\n'controlPoints': [\n{'id': '1', 'label': 'RTRO', 'position': [10, " \
    "-20, 30], 'positionStatus': 'defined'}" MORE "]}]}"

static void reads_slicer(void) {
    const fb_feature_options lps = {.body = "femur_r"},
                             ras = {.body = "femur_r", .slicer = FB_SLICER_MESH_RAS};
    static const struct {
        const char *file, *text;
        bool is_ras;
    } files[] = {
        {"a.mrk.json", MARKUPS("'coordinateSystem': 'LPS', ", ""), false},
        {"a.mrk.json", MARKUPS("'coordinateSystem': 'RAS', ", ""), true},
        {"a.mrk.json", MARKUPS("", ""), false},
        {"a.fcsv",
         "# Markups fiducial file version = 4.13\n# CoordinateSystem = LPS\n# columns = "
         "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n"
         "0,10,-20,30,0,0,0,1,1,1,0,RTRO,,\n",
         false},
        {"a.fcsv",
         "# Markups fiducial file version = 4.6\n# CoordinateSystem = 0\n# columns = "
         "id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n"
         "vtkMRMLMarkupsFiducialNode_0,10,-20,30,0,0,0,1,1,1,0,RTRO,,vtkMRMLScalarVolumeNode1\n",
         true},
        {"a.fcsv", "# CoordinateSystem = 1\n# columns = label,x,y,z\nRTRO,10,-20,30\n", false},
        {"a.csv",
         "label,l,p,s,defined,selected,visible,locked,description\nRTRO,10,-20,30,1,1,1,0,\n",
         false},
        {"a.csv", "label,r,a,s\nRTRO,10,-20,30\n", true},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (int mesh = 0; mesh < 2; mesh++) {
            got g = read_as(files[i].file, files[i].text, mesh ? &ras : &lps);
            double sign = files[i].is_ras == (mesh == 1) ? 1 : -1;
            expect(&g, 0, "femur_r", "RTRO", 0.01 * sign, -0.02 * sign, 0.03);
            FB_EQUAL_INT(g.found.turned, sign < 0);
            FB_EQUAL_INT(g.found.unit, FB_UNIT_MM);
            FB_EQUAL_STR(g.found.kind, "3D Slicer");
            FB_EQUAL_INT(g.diag.n, 0);
            drop(&g);
        }
    }
    got g = read_as("a.mrk.json",
                    MARKUPS("'coordinateSystem': 'LPS', ",
                            ",\n{'label': 'RKNE', 'position': [], 'positionStatus': 'undefined'}"),
                    &lps);
    FB_EQUAL_INT(g.features.n, 1);
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1411, 5);
    FB_HOLDS(r ? r->message : "", "'RKNE' has not been placed");
    drop(&g);
    /* a mesh in metres was loaded */
    g = read_as("a.fcsv", "# CoordinateSystem = LPS\n0,0.1,0.2,0.3,0,0,0,1,1,1,0,femur_r/A,,\n",
                NULL);
    expect(&g, 0, "femur_r", "A", 0.1, 0.2, 0.3);
    FB_RECORD(&g.diag, FB_WARNING, FB1411, 0);
    drop(&g);
}

static const char marker_model[] =
    "<OpenSimDocument Version='40000'><Model name='m'><BodySet><objects><Body "
    "name='femur_r'><mass>1"
    "</mass><mass_center>0 0 0</mass_center><inertia>1 1 1 0 0 0</inertia><components>"
    "<PhysicalOffsetFrame name='off'><socket_parent>..</socket_parent><translation>0 -0.4 0.01"
    "</translation><orientation>0 0 1.5707963267948966</orientation></PhysicalOffsetFrame>"
    "</components></Body></objects></BodySet><JointSet><objects><FreeJoint name='j'>"
    "<socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/femur_r"
    "</socket_child_frame></FreeJoint></objects></JointSet><MarkerSet><objects>"
    "<Marker name='RKNE'><socket_parent_frame>/bodyset/femur_r</socket_parent_frame><location>0.1 "
    "0.2"
    " 0.3</location></Marker>\n<Marker name='OFF'><socket_parent_frame>/bodyset/femur_r/off"
    "</socket_parent_frame><location>0.1 0.2 0.3</location></Marker></objects></MarkerSet></Model>"
    "</OpenSimDocument>";

static void reads_markers(void) {
    got g = read_as("m.osim", marker_model, NULL);
    FB_EQUAL_INT(g.status, FB_OK);
    expect(&g, 0, "femur_r", "RKNE", 0.1, 0.2, 0.3);
    expect(&g, 1, "femur_r", "OFF", -0.2, -0.3, 0.31); /* a quarter turn about z, and moved */
    FB_EQUAL_INT(g.features.n, 2);
    FB_EQUAL_STR(g.found.kind, "markers of a model");
    drop(&g);
    /* the same model as a document */
    fb_diag diag;
    char *text = strdup(marker_model);
    fb_model *model = fb_test_osim(fb_test_quotes(text), &diag, NULL);
    char *json = model ? fb_test_to_fb(model) : NULL;
    if (FB_TRUE(json != NULL, "refused")) {
        g = read_as("m.fb", json, NULL);
        expect(&g, 1, "femur_r", "OFF", -0.2, -0.3, 0.31);
        drop(&g);
    }
    free(json);
    free(text);
    fb_model_free(model);
    fb_diag_clear(&diag);
    g = read_as(
        "set.xml",
        "<?xml version='1.0'?>\n<OpenSimDocument Version='20302'><MarkerSet name=''><objects>\n"
        "<Marker name='R.ASIS'><body>pelvis</body><location> 0.02 0.03 0.128 </location></Marker>"
        "\n<Marker name='New'><socket_parent_frame>/bodyset/femur_r</socket_parent_frame>"
        "<location>0 -0.4 0.05</location></Marker>\n<Marker name='Off'><socket_parent_frame>"
        "/jointset/hip/femur_offset</socket_parent_frame><location>0 0 0</location></Marker>"
        "</objects></MarkerSet></OpenSimDocument>",
        NULL);
    expect(&g, 0, "pelvis", "R.ASIS", 0.02, 0.03, 0.128);
    expect(&g, 1, "femur_r", "New", 0, -0.4, 0.05);
    FB_EQUAL_INT(g.features.n, 2);
    FB_EQUAL_INT(g.features.n ? g.features.items[0].line : 0, 3);
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1411, 5);
    FB_HOLDS(r ? r->message : "", "a marker set does not tell");
    drop(&g);
}

static void takes_one_place_once(void) {
    got g = read_as("f.csv",
                    "name,body,x,y,z\nb c,p,0,0,0\na,p,1,2,3\nb_c,p,0,0,0.000009\nd,p,1,1,1\n",
                    NULL);
    FB_EQUAL_INT(g.status, FB_OK);
    FB_EQUAL_INT(g.features.n, 3);
    expect(&g, 0, "p", "b c", 0, 0, 0);
    expect(&g, 2, "p", "d", 1, 1, 1);
    const fb_record *r = FB_RECORD(&g.diag, FB_WARNING, FB1411, 4);
    FB_HOLDS(r ? r->message : "", "is there already in line 2");
    FB_EQUAL_INT(g.diag.n, 1);
    drop(&g);
}

static void refuses_bad_files(void) {
    refuse("f.json", "", 0, "empty");
    refuse("f.json", "{'features': []}", 0, "no feature points");
    refuse("f.json", "{\n'feature': []}", 1, "no list 'features'");
    refuse("f.json", "{'pairs': []}", 1, "it holds 'pairs', and 'features' are wanted");
    refuse("f.json", "{'features': {}}", 0, "must be a list");
    refuse("f.json", "{'features': [\n3]}", 2, "must be an object");
    refuse("f.json", "{'features': [\n\n{'body': 'b', 'location': [1,2,3]}]}", 3, "without a name");
    refuse("f.json", "{'features': [\n{'name': 'a', 'body': 'b', 'location': [1,2]}]}", 2,
           "the location of feature point 'a' must be a list of three numbers");
    refuse("f.json", "{'features': [\n{'name': 'a', 'body': 'b', 'location': [1,2,'3']}]}", 2,
           "three numbers");
    refuse("f.json", "{'features': [\n{'name': 'a', 'body': 3, 'location': [1,2,3]}]}", 2,
           "must be a text");
    refuse("f.json", "{'features': [\n{'name': 'a', 'location': [1,2,3]}]}", 2, "has no body");
    refuse("f.json",
           "{'features': [{'name': 'a', 'body': 'b', 'location': [1,2,3], 'weight': -1}]}", 1,
           "below 0");
    refuse("f.json",
           "{'unit': 'cm', 'features': [{'name': 'a', 'body': 'b', 'location': [1,2,3]}]}", 1,
           "must be \"m\" or \"mm\", got 'cm'");
    refuse("f.json",
           "{'features': [\n{'name': 'a a', 'body': 'b', 'location': [1,2,3]},\n{'name': "
           "'a_a', 'body': 'b', 'location': [1,2,4]}]}",
           3, "at different places (lines 2 and 3)");
    refuse("f.json", "{'features': [", 1, "not well-formed");
    refuse("f.mrk.json", "{'@schema': 'x/markups-schema-v2.0.json', 'markups': []}", 1,
           "version 2.0");
    refuse("f.mrk.json", MARKUPS("'coordinateSystem': 'IJK', ", ""), 2, "neither LPS nor RAS");
    refuse("f.csv", "name,body,x,y\na,b,1,2\n", 1, "no column 'z'");
    refuse("f.csv", "name,body,x,y,zz\na,b,1,2,3\n", 1, "no column 'z'; there are 'zz'");
    refuse("f.csv", "name,body,x,y,z,x\na,b,1,2,3,4\n", 1, "'x' is there twice");
    refuse("f.csv", "name,body,x,y,z\na,b,1,2,3\n\nc,b,1,two,3\n", 4,
           "'two', which is not a number");
    refuse("f.csv", "name,body,x,y,z\na,b,1,2,inf\n", 2, "'inf', which is not a number");
    refuse("f.csv", "name,body,x,y,z\na,b,1,2\n", 2, "no number in column 'z'");
    refuse("f.csv", "name,body,x,y,z\n,b,1,2,3\n", 2, "without a name");
    refuse("f.csv", "name,x,y,z\na,1,2,3\n", 2, "name it 'BODY/a'");
    refuse("f.csv", "name,body,x,y,z\n", 0, "no feature points");
    refuse("f.csv", "\n\n", 0, "no feature points");
    refuse("f.csv", "name,body,x,y,z\na,b,1,2,3\na,b,1,2,3.5\n", 3, "(lines 2 and 3)");
    refuse("f.fcsv", "# CoordinateSystem = 2\n", 1, "neither LPS (1) nor RAS (0)");
    refuse("f.fcsv", "# columns = id,label\n", 1, "no x");
    refuse("f.fcsv", "0,1,2\n", 1, "not three numbers");
    refuse("f.osim", "<OpenSimDocument/>", 1, "neither a Model nor a MarkerSet");
    refuse("f.xml", "<OpenSimDocument><MarkerSet/></OpenSimDocument>", 0, "no markers");
    refuse("f.xml",
           "<MarkerSet>\n<Marker name='a'><body>b</body><location>1 2</location></Marker>"
           "</MarkerSet>",
           2, "not three numbers");
    refuse("f.xml", "<MarkerSet>\n<Marker name='a'><location>1 2 3</location></Marker></MarkerSet>",
           2, "has no body");
    refuse("f.osim", "<OpenSimDocument>", 1, "");
    refuse("f.trc", "x", 0, "are read from");
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static fb_status read_pairs(fb_pairs *pairs, const char *file, const char *text,
                            fb_feature_file *found, fb_diag *diag) {
    size_t n = strlen(text);
    char *bytes = fb_test_bytes(text, n);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = bytes[i] == '\'' ? '"' : bytes[i];
    }
    fb_diag_init(diag);
    fb_status status = fb_pairs_read(pairs, bytes, n, file, NULL, found, diag);
    if (status == FB_OK && strcmp(file, "p.json") == 0) {
        fb_test_store_as("pairs", bytes, n);
    }
    fb_free(bytes);
    return status;
}

static void reads_pairs(void) {
    static const char *const files[][2] = {
        {"p.json",
         "{'pairs': [{'name': 'a', 'body': 'b', 'standard': [1, 2, 3], 'target': [100, 200, "
         "300], 'weight': 2}]}"},
        {"p.csv", "name,body,x,y,z,frame,target_x,target_y,target_z,target_frame,source,weight\n"
                  "a,b,1,2,3,f,100,200,300,ct,'x, y',2\n"},
    };
    for (int i = 0; i < 2; i++) {
        fb_pairs pairs;
        fb_feature_file found[2];
        fb_diag diag;
        FB_EQUAL_INT(read_pairs(&pairs, files[i][0], files[i][1], found, &diag), FB_OK);
        if (FB_TRUE(pairs.n == 1, "%zu pairs", pairs.n)) {
            const fb_pair *p = &pairs.items[0];
            FB_EQUAL_STR(p->name, "a");
            FB_EQUAL_STR(p->body, "b");
            FB_SAME(p->weight, 2);
            for (int k = 0; k < 3; k++) { /* each side has its own unit */
                FB_SAME(p->standard[k], k + 1);
                FB_NEAR(p->target[k], 0.1 * (k + 1), 1e-16, 0);
            }
        }
        FB_EQUAL_INT(found[0].unit, FB_UNIT_M);
        FB_EQUAL_INT(found[1].unit, FB_UNIT_MM);
        const fb_record *r = FB_RECORD(&diag, FB_WARNING, FB1411, 0);
        FB_HOLDS(r ? r->message : "", "the targets' coordinates reach 300");
        FB_EQUAL_INT(diag.n, 1);
        fb_pairs_free(&pairs);
        fb_diag_clear(&diag);
    }
    static const char *const wrong[][3] = {
        {"p.csv", "name,body,x,y,z\na,b,1,2,3\n", "no column 'target_x'"},
        {"p.json", "{'features': []}", "it holds 'features', and 'pairs' are wanted"},
        {"p.json", "{'pairs': [{'name': 'a', 'body': 'b', 'standard': [1, 2, 3]}]}",
         "the target of"},
        {"p.fcsv", "0,1,2,3", "from .json and .csv"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fb_pairs pairs;
        fb_diag diag;
        FB_EQUAL_INT(read_pairs(&pairs, wrong[i][0], wrong[i][1], NULL, &diag), FB_E_INPUT);
        const fb_record *r = FB_RECORD(&diag, FB_ERROR, FB1411, -1);
        FB_HOLDS(r ? r->message : "", wrong[i][2]);
        fb_diag_clear(&diag);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static void writes_what_it_reads(void) {
    unsigned long long seed = fb_test_seed();
    static const char *const names[] = {"a",       "b c", "semi;colon, \"quoted\"",
                                        " blank ", "#5",  "\xC3\xA4"};
    for (int kind = 0; kind < 4; kind++) {
        bool csv = kind & 1, weights = kind & 2;
        fb_features f, again;
        fb_pairs p, p_again;
        fb_diag diag;
        fb_text text;
        fb_features_init(&f);
        fb_pairs_init(&p);
        fb_diag_init(&diag);
        for (int i = 0; i < 6; i++) {
            fb_feature one = {.name = names[i], .body = i % 2 ? "pelvis" : "femur r", .weight = 1};
            fb_pair two = {.name = names[i], .body = one.body, .weight = 1};
            for (int k = 0; k < 3; k++) {
                one.location[k] = fb_random_between(&seed, -2, 2);
                two.standard[k] = fb_random_between(&seed, -1e-3, 2);
                two.target[k] = fb_random_between(&seed, -2, 1e-7);
            }
            one.weight = two.weight = weights ? fb_random_between(&seed, 0, 2) : 1;
            fb_features_add(&f, &one);
            fb_pairs_add(&p, &two);
        }
        fb_text_init(&text, NULL);
        fb_features_write(&text, &f, csv ? "x.CSV" : "x.json");
        FB_EQUAL_INT(fb_features_read(&again, text.bytes, text.n, csv ? "x.csv" : "x.json", NULL,
                                      NULL, &diag),
                     FB_OK);
        FB_EQUAL_INT(again.n, f.n);
        if (!csv) {
            fb_test_store_as("features", text.bytes, text.n);
        }
        for (size_t i = 0; i < again.n; i++) {
            FB_EQUAL_STR(again.items[i].name, f.items[i].name);
            FB_EQUAL_STR(again.items[i].body, f.items[i].body);
            FB_SAME(again.items[i].weight, f.items[i].weight);
            for (int k = 0; k < 3; k++) {
                FB_SAME(again.items[i].location[k], f.items[i].location[k]);
            }
        }
        fb_text_free(&text);
        fb_text_init(&text, NULL);
        fb_pairs_write(&text, &p, csv ? "x.csv" : "x.json");
        FB_EQUAL_INT(fb_pairs_read(&p_again, text.bytes, text.n, csv ? "x.csv" : "x.json", NULL,
                                   NULL, &diag),
                     FB_OK);
        FB_EQUAL_INT(p_again.n, p.n);
        if (!csv) {
            fb_test_store_as("pairs", text.bytes, text.n);
        }
        for (size_t i = 0; i < p_again.n; i++) {
            FB_EQUAL_STR(p_again.items[i].name, p.items[i].name);
            FB_SAME(p_again.items[i].weight, p.items[i].weight);
            for (int k = 0; k < 3; k++) {
                FB_SAME(p_again.items[i].standard[k], p.items[i].standard[k]);
                FB_SAME(p_again.items[i].target[k], p.items[i].target[k]);
            }
        }
        FB_EQUAL_INT(diag.n, 0);
        fb_text_free(&text);
        fb_features_free(&f);
        fb_features_free(&again);
        fb_pairs_free(&p);
        fb_pairs_free(&p_again);
        fb_diag_clear(&diag);
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

static const struct {
    const char *file, *text;
} good[] = {
    {"f.json", "{\"features\": [{\"name\": \"a\", \"body\": \"b\", \"location\": [1, 2, 3]}]}"},
    {"f.csv", "name,body,x,y,z,weight\na,\"b \"\"c\",1,2,3,4\n"},
    {"f.mrk.json", "{\"markups\": [{\"coordinateSystem\": \"RAS\", \"controlPoints\": [{\"label\": "
                   "\"b/c\", \"position\": [1, 2, 30]}]}]}"},
    {"f.fcsv", "# CoordinateSystem = LPS\n# columns = id,x,y,z,label\n1,10,20,30,b/c\n"},
    {"f.xml", "<MarkerSet><objects><Marker name=\"a\"><body>b</body><location>1 2 3</location>"
              "</Marker></objects></MarkerSet>"},
    {"m.osim", marker_model},
};

static void survives_damage(void) {
    unsigned long long seed = fb_test_seed();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t n = strlen(good[i].text);
        for (size_t k = 0; k < 2 * n; k++) {
            fb_features features;
            fb_diag diag;
            size_t length = k < n ? k : n;
            char *bytes = fb_test_bytes(good[i].text, length);
            if (k >= n) {
                bytes[k - n] = (char)(bytes[k - n] ^ (1 + (int)(fb_random(&seed) % 255)));
            }
            fb_diag_init(&diag);
            fb_status status = fb_features_read(&features, bytes, length, good[i].file, NULL, NULL,
                                                &diag);
            FB_TRUE(status == FB_OK ? features.n > 0 && diag.counts[FB_ERROR] == 0
                                    : diag.counts[FB_ERROR] == 1,
                    "%s, %zu: status %d, %ld errors", good[i].file, k, status,
                    diag.counts[FB_ERROR]);
            fb_free(bytes);
            fb_features_free(&features);
            fb_diag_clear(&diag);
        }
    }
}

static void survives_lack_of_memory(void) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char *text = fb_test_quotes(strdup(good[i].text));
        for (long fail = 1; fail < 5000; fail++) {
            fb_features features;
            fb_diag diag;
            fb_diag_init(&diag);
            fb_alloc_fail_at(fail);
            fb_status status = fb_features_read(&features, text, strlen(text), good[i].file, NULL,
                                                NULL, &diag);
            fb_alloc_fail_at(0);
            fb_features_free(&features);
            fb_diag_clear(&diag);
            if (status == FB_OK) {
                FB_TRUE(fail > 1, "nothing was allocated");
                break;
            }
            FB_TRUE(status == FB_E_MEMORY, "%s, %ld: status %d", good[i].file, fail, status);
        }
        free(text);
    }
}

static const fb_test tests[] = {
    FB_TEST(reads_json),
    FB_TEST(reads_csv),
    FB_TEST(finds_the_unit),
    FB_TEST(reads_slicer),
    FB_TEST(reads_markers),
    FB_TEST(takes_one_place_once),
    FB_TEST(refuses_bad_files),
    FB_TEST(reads_pairs),
    FB_TEST(writes_what_it_reads),
    FB_TEST(survives_damage),
    FB_TEST(survives_lack_of_memory),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("features", tests, argc, argv);
}
