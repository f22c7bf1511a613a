/* Readers of external loads and of controls: every prefix, and memory that runs out. What they do
 * with good and bad files is in tests/tools/test_fbsim_loads.c. */
#include <string.h>

#include "formats/loads.h"
#include "formats/resources.h"
#include "tests/help.h"

static const char model_text[] =
    "{\"fb\": \"1.0\", \"bodies\": [{\"name\": \"a\", \"mass\": 1}], \"joints\": [{\"name\": "
    "\"j\", "
    "\"type\": \"pin\", \"parent\": \"ground\", \"child\": \"a\"}], \"contact_geometry\": "
    "[{\"name\": "
    "\"m\", \"type\": \"mesh\", \"frame\": \"a\", \"file\": \"m.obj\"}], \"controllers\": "
    "[{\"name\": "
    "\"x\", \"type\": \"control_set\", \"controls_file\": \"c.xml\"}, {\"name\": \"s\", \"type\": "
    "\"prescribed\", \"controls_file\": \"c.sto\"}], \"forces\": [{\"name\": \"f\", \"type\": "
    "\"external\", \"body\": \"a\", \"force_identifier\": \"f_\"}]}";
static const char loads_text[] =
    "<OpenSimDocument Version=\"30000\"><ExternalLoads name=\"x\"><objects><ExternalForce "
    "name=\"p\"><applied_to_body>a</applied_to_body><force_identifier>f_</force_identifier>"
    "</ExternalForce></objects><datafile>d.sto</datafile></ExternalLoads></OpenSimDocument>";
static const char data_text[] = "d\nendheader\ntime\tf_x\tf_y\tf_"
                                "z\n0\t1\t2\t3\n1\t1\t2\t3\n2\t1\t2\t3\n3\t4\t5\t6\n4\t7\t8\t9\n";
static const char set_text[] =
    "<ControlSet><objects><ControlLinear name=\"a\"><x_nodes><ControlLinearNode><t>0</t><value>1"
    "</value></ControlLinearNode><ControlLinearNode><t>1</t><value>2</value></ControlLinearNode>"
    "</x_nodes></ControlLinear><ControlConstant name=\"b\"><value>3</value></ControlConstant>"
    "</objects></ControlSet>";
static const char mesh_text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n";

typedef struct rig {
    const char *folder;
    fb_model *model;
    fb_system *system;
    fb_diag diag;
} rig;

static void put(const rig *r, const char *name, const char *text, size_t n) {
    fb_test_write_file(fb_test_path(r->folder, name), text, n);
}

static rig begin(void) {
    rig r = {.folder = fb_test_folder()};
    r.model = fb_test_must(fb_test_fb(model_text, &r.diag, NULL), &r.diag);
    r.model->file = fb_arena_dup(&r.model->arena, fb_test_path(r.folder, "model.fb"));
    FB_EQUAL_INT(fb_system_compile(&r.system, r.model, NULL, &r.diag), FB_OK);
    put(&r, "loads.xml", loads_text, strlen(loads_text));
    put(&r, "d.sto", data_text, strlen(data_text));
    put(&r, "c.xml", set_text, strlen(set_text));
    put(&r, "c.sto", data_text, strlen(data_text));
    put(&r, "m.obj", mesh_text, strlen(mesh_text));
    return r;
}

static void end(rig *r) {
    fb_system_free(r->system);
    fb_model_free(r->model);
    fb_diag_clear(&r->diag);
}

/* One read; it must be good, or end in one clear error. */
static fb_status read_once(const rig *r, const char *name) {
    fb_loads_file loads;
    fb_diag diag;
    fb_diag_init(&diag);
    const char *file = fb_test_path(r->folder, name);
    fb_status status = fb_loads_read(&loads, file, r->system, 1 << 20, &diag);
    fb_alloc_fail_at(0);
    if (status == FB_OK) {
        FB_TRUE(loads.loads.n <= 1 && loads.loads.last >= loads.loads.first, "one load");
        fb_loads_free(&loads);
    } else {
        FB_TRUE(diag.counts[FB_ERROR] == 1 || diag.out_of_memory, "%zu errors", diag.n);
    }
    fb_diag_clear(&diag);
    return status;
}

static void every_prefix_is_read_or_refused(void) {
    rig r = begin();
    FB_EQUAL_INT(read_once(&r, "loads.xml"), FB_OK);
    FB_EQUAL_INT(read_once(&r, "d.sto"), FB_OK);
    for (size_t n = 0; n < strlen(loads_text); n++) {
        put(&r, "loads.xml", loads_text, n);
        FB_EQUAL_INT(read_once(&r, "loads.xml"), FB_E_INPUT);
    }
    put(&r, "loads.xml", loads_text, strlen(loads_text));
    for (size_t n = 0; n < strlen(data_text); n++) {
        put(&r, "d.sto", data_text, n);
        fb_status status = read_once(&r, "loads.xml");
        FB_TRUE(status == FB_OK || status == FB_E_INPUT, "%zu bytes: %d", n, status);
    }
    end(&r);
}

static void lack_of_memory_is_told(void) {
    rig r = begin();
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "d.sto" : "loads.xml";
        fb_status status = FB_E_MEMORY;
        for (long n = 1; n < 200 && status != FB_OK; n++) {
            fb_alloc_fail_at(n);
            status = read_once(&r, name);
            FB_TRUE(status == FB_OK || status == FB_E_MEMORY, "allocation %ld: %d", n, status);
        }
        FB_EQUAL_INT(status, FB_OK);
    }
    end(&r);
}

/* Meshes and controls: a reason each time, until it works. */
static void resources_survive_lack_of_memory(void) {
    rig r = begin();
    static const char *const paths[] = {"/controllerset/x", "/controllerset/s"};
    for (int i = 0; i < 3; i++) {
        bool done = false;
        for (long n = 1; n < 200 && !done; n++) {
            fb_file_resources files;
            fb_triangles triangles = {0};
            const fb_series *series = NULL;
            int count = 0;
            fb_file_resources_init(&files, r.model, NULL, 0, 1 << 20);
            const fb_resources *all = &files.resources;
            fb_alloc_fail_at(n);
            const char *why =
                i == 2
                    ? all->triangles(all->context, fb_test_find(r.model, "/contactgeometryset/m"),
                                     &triangles)
                    : all->controls(all->context, fb_test_find(r.model, paths[i]), &series, &count);
            fb_alloc_fail_at(0);
            done = why == NULL;
            FB_TRUE(!done || i == 2 || count == (i == 0 ? 2 : 3), "%d controls", count);
            FB_TRUE(!done || i != 2 || triangles.n_faces == 2, "%d faces", triangles.n_faces);
            fb_file_resources_clear(&files);
        }
        FB_TRUE(done, "%d", i);
    }
    end(&r);
}

static const fb_test tests[] = {
    FB_TEST(every_prefix_is_read_or_refused),
    FB_TEST(lack_of_memory_is_told),
    FB_TEST(resources_survive_lack_of_memory),
    FB_TEST_END,
};

int main(int argc, char **argv) {
    return fb_test_main("loads", tests, argc, argv);
}
