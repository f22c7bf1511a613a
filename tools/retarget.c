/* retarget: a standard body's muscles on a new skeleton. */
#include "tools/retarget.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/number.h"
#include "libcore/register/mirror.h"
#include "libcore/register/standards.h"

#define MOST_STANDARDS 16
#define MM 1e-3

static const fb_option options[] = {
    {0, "skeleton", "DIR", "the new skeleton: a folder of meshes, or a model"},
    {0, "features-template", "FILE", "feature points of the standard (JSON, CSV, markers, Slicer)"},
    {0, "features-target", "FILE", "feature points of the new skeleton"},
    {0, "pairs", "FILE", "feature points of both in one file (JSON or CSV)"},
    {0, "auto", NULL, "find feature points by the bones' shape"},
    {0, "transform", "KIND",
     "rigid, similarity, anisotropic, affine, tps or surface; unless given, surface where both "
     "bones are there, else similarity"},
    {0, "norm", "NORM", "'l2' (least squares, the default), 'l1' or 'huber'"},
    {0, "smoothing", "MM",
     "of tps: the greater, the nearer to the best affine map; 0: through all points"},
    {0, "fallback", NULL, "take a poorer transform where points do not suffice"},
    {0, "standard", "FILE,..", "several standard bodies: the nearest is taken"},
    {0, "mirror", NULL, "the new skeleton is of the other side: mirror it"},
    {0, "mirror-missing", "R=L", "build the side of names with L from that with R (_r=_l)"},
    {0, "fix", NULL, "put right what is detected as wrong: units, mirrored and doubtful bones"},
    {0, "unit", "UNIT", "of the meshes: mm or m; detected by their size unless given"},
    {0, "slicer-meshes", "FRAME", "3D Slicer's meshes are 'lps' (the default) or 'ras'"},
    {0, "features-out", "FILE", "write the pairs of feature points (.json or .csv)"},
    {0, "params-out", "FILE", "write the transform parameters (JSON)"},
    {0, "params-in", "FILE", "use these transform parameters, as --params-out wrote them"},
    {0, "meshes-out", "DIR", "write the new bones into DIR, in their bodies' frames (.stl)"},
    {0, "mass", "KG", "the new body's mass; forces follow the muscles' volumes"},
    {0, "height", "M", "the new body's height"},
    {0, "snap-via", NULL, "via points inside bones are put on their surface too"},
    {0, "keep-fibers", NULL, "leave optimal fiber and tendon slack lengths as they are"},
    {0, "max-residual", "MM", "status 1 if a body's residual is greater"},
    {0, "preview", "FILE.png", "draw both skeletons with muscles and feature points"},
    {'g', "geometry", "DIR", "look for meshes of models in DIR too; may be given several times"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "retarget",
    .summary =
        "Carries a standard body, its joints, muscles and wrap objects, to a new skeleton: by\n"
        "feature points on both, or by the shapes of the bones. Prints how well they meet, and\n"
        "writes the new model.",
    .operands = "[MODEL]",
    .max_operands = 1,
    .options = options,
    .examples =
        "  retarget --skeleton scan/ --auto models/standard/legs.osim -o new.fb\n"
        "  retarget --skeleton scan/ --pairs pairs.csv --report new.html legs.osim -o new.fb\n"
        "  osim2fb legs.osim | retarget --skeleton other.osim --auto | fb2osim -o new.osim\n",
};

/* ---- the options ----------------------------------------------------------------------------- */

/* Which of some words an option has; the first if it is not given; a message for another. */
static bool word(fb_cli *cli, const char *name, const char *const *words, int *which) {
    const char *value = fb_cli_value(cli, name);
    char list[128] = "";
    *which = 0;
    if (!value) {
        return true;
    }
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value) == 0) {
            *which = i;
            return true;
        }
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s'%s'",
                 i == 0         ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
    }
    fb_cli_say(cli, "--%s is %s, not '%s'", name, list, value);
    return false;
}

static bool read_options(fb_retarget *r, double *megabytes) {
    static const char *const norms[] = {"l2", "l1", "huber", NULL};
    static const char *const units[] = {"detect", "m", "mm", NULL};
    static const char *const frames[] = {"lps", "ras", NULL};
    static const char *const outputs[] = {"features-out", "params-out", "preview", NULL};
    fb_cli *cli = r->cli;
    double smoothing;
    int norm, unit, frame;
    const char *kind = fb_cli_value(cli, "transform"), *preview = fb_cli_value(cli, "preview");
    r->default_kind = !kind;
    if (kind) {
        int k = fb_transform_kind_of(kind);
        if (k < 0) {
            fb_cli_say(cli,
                       "--transform is rigid, similarity, anisotropic, affine, tps or surface, not "
                       "'%s'",
                       kind);
            return false;
        }
        r->kind = (fb_transform_kind)k;
    }
    if (!word(cli, "norm", norms, &norm) || !word(cli, "unit", units, &unit) ||
        !word(cli, "slicer-meshes", frames, &frame) ||
        !fb_cli_number(cli, "smoothing", 0, 1e9, 0, &smoothing) ||
        !fb_cli_number(cli, "max-size", 0, 2000, 256, megabytes) ||
        !fb_cli_separate(cli, outputs)) {
        return false;
    }
    r->fit =
        (fb_transform_options){.norm = (fb_norm)norm, .huber = 5 * MM, .smoothing = smoothing * MM};
    r->unit = unit == 1 ? FB_UNIT_M : unit == 2 ? FB_UNIT_MM : FB_UNIT_DETECT;
    r->slicer = frame ? FB_SLICER_MESH_RAS : FB_SLICER_MESH_LPS;
    r->automatic = fb_cli_value(cli, "auto");
    r->fallback = fb_cli_value(cli, "fallback");
    r->fix = fb_cli_value(cli, "fix");
    r->mirror = fb_cli_value(cli, "mirror");
    if (!fb_cli_value(cli, "skeleton")) {
        fb_cli_say(cli, "--skeleton says which skeleton is the new one: a folder of meshes, or a "
                        "model");
        return false;
    }
    bool template = fb_cli_value(cli, "features-template"),
         target = fb_cli_value(cli, "features-target");
    if (fb_cli_value(cli, "pairs") && (template || target)) {
        fb_cli_say(cli, "--pairs has the feature points of both skeletons: --features-template and "
                        "--features-target are not for it");
        return false;
    }
    if (fb_cli_value(cli, "standard") && cli->n_operands) {
        fb_cli_say(cli, "--standard names the models; '%s' is one more", cli->operands[0]);
        return false;
    }
    if (preview && !fb_file_ends_with(preview, ".png")) {
        fb_cli_say(cli, "--preview is a file that ends in .png, not '%s'", preview);
        return false;
    }
    while (r->n_folders < 64 &&
           (r->folders[r->n_folders] = fb_cli_values(cli, "geometry", r->n_folders))) {
        r->n_folders++;
    }
    r->max_bytes = (size_t)(*megabytes * 1024 * 1024);
    return true;
}

void fb_retarget_progress(fb_retarget *r, double part) {
    if (r->cli->quiet || r->cli->err != stderr || !isatty(STDERR_FILENO) || r->n_steps == 0) {
        return;
    }
    double done = (r->step + part) / r->n_steps;
    if (part >= 1 && r->step + 1 >= r->n_steps) {
        fprintf(r->cli->err, "\r\033[K");
    } else {
        fprintf(r->cli->err, "\r\033[K%3.0f %%  %s", 100 * done,
                r->standard ? r->standard->bodies[r->step].element->name : "");
    }
    fflush(r->cli->err);
}

/* ---- input ----------------------------------------------------------------------------------- */

/* The same model once more, through its document. */
static fb_status copy_model(const fb_model *model, fb_model **copy, fb_diag *diag) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_document_write(model, &text);
    fb_status status = fb_text_string(&text)
                           ? fb_document_read(copy, text.bytes, text.n, model->file, diag)
                           : FB_E_MEMORY;
    fb_text_free(&text);
    return status;
}

/* Bones of a model that can do without, for it has feature points: what was wrong with its meshes
 * is told as warnings, those that were not found in one sentence. */
static fb_status read_bones(fb_retarget *r, fb_skeleton *bones, const fb_model *model,
                            const fb_skeleton_options *o, const char *file) {
    fb_diag found;
    int missing = 0;
    fb_diag_init(&found);
    fb_status status = fb_skeleton_read_model(bones, model, o, &found);
    for (size_t i = 0; i < found.n; i++) {
        const fb_record *record = found.records + i;
        missing += record->id == FB2304;
        if (record->id != FB2304 && record->action != FB_ERROR) {
            fb_diag_add(&r->cli->diag, FB_WARNING, record->id,
                        (fb_place){record->file, record->line, record->path, record->cls},
                        record->effect, "%s", record->message);
        }
    }
    if (missing) {
        fb_diag_add(&r->cli->diag, FB_WARNING, FB2304, (fb_place){file, 0, NULL, NULL},
                    "its bodies have no bones there: only feature points tell of them",
                    "%d of its meshes %s not found: -g DIR says where they are", missing,
                    missing == 1 ? "is" : "are");
    }
    fb_diag_clear(&found);
    return status == FB_E_MEMORY ? status : FB_OK;
}

static fb_status read_standard(fb_retarget *r, fb_retarget_standard *s) {
    fb_diag quiet;
    fb_status status = fb_cli_read_model(r->cli, s->file, r->max_bytes, &s->original, s->sha);
    if (status != FB_OK) {
        return status;
    }
    fb_diag_init(&quiet);
    status = copy_model(s->original, &s->model, &quiet);
    fb_diag_clear(&quiet);
    if (status != FB_OK) {
        return status;
    }
    fb_skeleton_options o = {.folders = r->folders,
                             .n_folders = r->n_folders,
                             .max_bytes = r->max_bytes};
    return read_bones(r, &s->bones, s->original, &o, s->file);
}

bool fb_retarget_is_folder(const char *file) {
    struct stat info;
    return stat(file, &info) == 0 && S_ISDIR(info.st_mode);
}

static fb_status read_skeleton(fb_retarget *r) {
    const char *file = fb_cli_value(r->cli, "skeleton");
    fb_skeleton_options o = {.standard = r->standards[0].original,
                             .folders = r->folders,
                             .n_folders = r->n_folders,
                             .mirror = r->mirror,
                             .unit = r->unit,
                             .max_bytes = r->max_bytes};
    if (fb_retarget_is_folder(file) || fb_file_ends_with(file, "meshes.json")) {
        fb_status status = fb_skeleton_read_folder(&r->skeleton, file, &o, &r->cli->diag);
        return status == FB_OK && r->mirror ? fb_retarget_mirror(r) : status;
    }
    if (r->mirror) {
        fb_cli_say(r->cli,
                   "--mirror is for a folder of meshes; a model as the new skeleton has its sides");
        return FB_E_UNSUPPORTED;
    }
    fb_status status = fb_cli_read_model(r->cli, file, r->max_bytes, &r->skeleton_model, NULL);
    if (status != FB_OK) {
        return status;
    }
    bool points = fb_cli_value(r->cli, "pairs") || fb_cli_value(r->cli, "features-target") ||
                  fb_cli_value(r->cli, "params-in");
    return points ? read_bones(r, &r->skeleton, r->skeleton_model, &o, file)
                  : fb_skeleton_read_model(&r->skeleton, r->skeleton_model, &o, &r->cli->diag);
}

/* The bytes of a file that an option names; NULL in *bytes if it was not given. */
static fb_status read_bytes(fb_retarget *r, const char *option, char **bytes, size_t *size) {
    const char *file = fb_cli_value(r->cli, option);
    *bytes = NULL;
    return file ? fb_read_file(file, r->max_bytes, bytes, size, &r->cli->diag) : FB_OK;
}

static void tell_unit(fb_retarget *r, const char *file, const fb_feature_file *found) {
    if (found->detected && found->unit == FB_UNIT_MM && !r->cli->quiet) {
        fb_cli_say(r->cli, "%s: %s, taken to be in millimetres", file, found->kind);
    }
    if (found->turned && !r->cli->quiet) {
        fb_cli_say(r->cli, "%s: turned between LPS and RAS", file);
    }
}

static fb_status read_features(fb_retarget *r, const char *option, fb_features *features) {
    char *bytes;
    size_t size;
    fb_feature_options o = {.slicer = r->slicer};
    fb_feature_file found;
    fb_status status = read_bytes(r, option, &bytes, &size);
    if (status != FB_OK || !bytes) {
        return status;
    }
    const char *file = fb_cli_value(r->cli, option);
    status = fb_features_read(features, bytes, size, file, &o, &found, &r->cli->diag);
    fb_free(bytes);
    if (status == FB_OK) {
        tell_unit(r, file, &found);
    }
    return status;
}

/* The markers of a model as feature points. */
static fb_status markers(const fb_model *model, fb_features *features, fb_diag *diag) {
    fb_text text;
    fb_text_init(&text, NULL);
    fb_document_write(model, &text);
    fb_status status = fb_text_string(&text) ? fb_features_read(features, text.bytes, text.n,
                                                                model->file, NULL, NULL, diag)
                                             : FB_E_MEMORY;
    fb_text_free(&text);
    return status;
}

/* Feature points of both skeletons, or pairs, or parameters. */
static fb_status read_points(fb_retarget *r) {
    char *bytes;
    size_t size;
    fb_status status = read_bytes(r, "params-in", &bytes, &size);
    if (status == FB_OK && bytes) {
        r->any_given = true;
        status = fb_transforms_read(&r->given, bytes, size, fb_cli_value(r->cli, "params-in"),
                                    &r->cli->diag);
    }
    fb_free(bytes);
    status = status == FB_OK ? read_bytes(r, "pairs", &bytes, &size) : status;
    if (status == FB_OK && bytes) {
        fb_feature_file found[2];
        r->any_pairs = true;
        const char *file = fb_cli_value(r->cli, "pairs");
        status = fb_pairs_read(&r->pairs, bytes, size, file, NULL, found, &r->cli->diag);
        if (status == FB_OK) {
            tell_unit(r, file,
                      found[0].detected && found[0].unit == FB_UNIT_MM ? found : found + 1);
        }
        fb_free(bytes);
        return status;
    }
    bool template = fb_cli_value(r->cli, "features-template"),
         target = fb_cli_value(r->cli, "features-target");
    if (status != FB_OK || (!template && !target)) {
        return status;
    }
    status = read_features(r, "features-target", &r->target);
    if (status == FB_OK && !target && r->skeleton_model) {
        status = markers(r->skeleton_model, &r->target, &r->cli->diag);
    }
    for (int i = 0; i < r->n_standards && status == FB_OK; i++) {
        fb_features *own = &r->standards[i].features;
        status = template ? read_features(r, "features-template", own)
                          : markers(r->standards[i].original, own, &r->cli->diag);
    }
    r->any_pairs = true;
    return status;
}

static fb_status read_all(fb_retarget *r) {
    fb_cli *cli = r->cli;
    char *list = fb_arena_dup(&r->arena, fb_cli_value(cli, "standard")
                                             ? fb_cli_value(cli, "standard")
                                         : cli->n_operands ? cli->operands[0]
                                                           : "-");
    r->standards = fb_arena_array(&r->arena, MOST_STANDARDS, sizeof *r->standards);
    char *rest = NULL;
    bool several = fb_cli_value(cli, "standard");
    for (char *file = several ? strtok_r(list, ",", &rest) : list; file;
         file = several ? strtok_r(NULL, ",", &rest) : NULL) {
        if (r->n_standards == MOST_STANDARDS) {
            fb_cli_say(cli, "--standard takes %d files at most", MOST_STANDARDS);
            return FB_E_UNSUPPORTED;
        }
        fb_retarget_standard *s = r->standards + r->n_standards++;
        s->file = file;
        fb_features_init(&s->features);
        fb_status status = read_standard(r, s);
        if (status != FB_OK) {
            return status;
        }
    }
    fb_status status = read_skeleton(r);
    if (status == FB_OK) {
        fb_retarget_tell_bones(r);
    }
    status = status == FB_OK ? read_points(r) : status;
    return status == FB_OK && r->mirror ? fb_retarget_mirror_points(r) : status;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* How the bodies of a standard lie on the new skeleton's; those that it lacks too. */
static fb_standard_fit fit_of(fb_retarget *r, const fb_retarget_standard *s) {
    size_t most = (size_t)s->n_bodies + r->skeleton.n, n = 0;
    fb_standard_body *bodies = fb_arena_array(&r->arena, most + 1, sizeof *bodies);
    for (int i = 0; i < s->n_bodies; i++) {
        const fb_retarget_body *b = s->bodies + i;
        if (b->placed) {
            double rms = b->aligned ? b->similarity_surfaces : b->similarity_rms;
            const double *scale = b->map.scale;
            bodies[n++] =
                (fb_standard_body){.name = b->element->name,
                                   .rms = isnan(rms) ? 0 : rms,
                                   .scale = cbrt(scale[0] * scale[1] * scale[2]),
                                   .extent = b->target ? fb_v3_distance(b->target->surface->low,
                                                                        b->target->surface->high)
                                                       : b->spread.extent[0] * 2};
        }
    }
    for (size_t k = 0; k < r->skeleton.n; k++) {
        const fb_skeleton_bone *bone = r->skeleton.bones + k;
        bool used = !bone->surface;
        for (int i = 0; i < s->n_bodies && !used; i++) {
            used = s->bodies[i].placed && s->bodies[i].target == bone;
        }
        if (!used) {
            bodies[n++] = (fb_standard_body){.name = bone->body,
                                             .rms = FB_NAN,
                                             .extent = fb_v3_distance(bone->surface->low,
                                                                      bone->surface->high)};
        }
    }
    return (fb_standard_fit){.name = s->file, .bodies = bodies, .n = (int)n};
}

/* Pairs of the standard's feature points and the new skeleton's; those of bodies that the new
 * skeleton has neither as a bone nor in its points are not missed. */
static fb_status match(fb_retarget *r, const fb_retarget_standard *s) {
    fb_features some;
    jmp_buf oom;
    fb_features_init(&some);
    fb_features *const kept = &some;
    if (setjmp(oom)) {
        fb_features_free(kept);
        return FB_E_MEMORY;
    }
    some.arena.oom = &oom;
    some.file = s->features.file ? fb_arena_dup(&some.arena, s->features.file) : NULL;
    for (size_t i = 0; i < s->features.n; i++) {
        const fb_feature *f = s->features.items + i;
        bool wanted = fb_skeleton_find(&r->skeleton, f->body) != NULL;
        for (size_t k = 0; k < r->target.n && !wanted; k++) {
            wanted = strcmp(r->target.items[k].body, f->body) == 0;
        }
        if (wanted) {
            fb_features_add(&some, f);
        }
    }
    fb_status status = fb_pairs_match(&r->pairs, &some, &r->target, &r->cli->diag);
    fb_features_free(&some);
    return status;
}

/* Maps of the standard that fits best. */
static fb_status choose(fb_retarget *r) {
    fb_status status = FB_OK;
    fb_standard_fit fits[MOST_STANDARDS];
    for (int i = 0; i < r->n_standards && status == FB_OK; i++) {
        fb_retarget_standard *s = r->standards + i;
        if (r->any_pairs && !fb_cli_value(r->cli, "pairs")) {
            fb_pairs_free(&r->pairs);
            fb_pairs_init(&r->pairs);
            status = match(r, s);
        }
        r->standard = s;
        status = status == FB_OK ? fb_retarget_maps(r, s) : status;
        fits[i] = status == FB_OK ? fit_of(r, s) : (fb_standard_fit){.name = s->file};
    }
    r->standard = r->standards;
    if (status == FB_OK && r->n_standards > 1) {
        int best = fb_standards_choose(fits, r->n_standards, &r->arena, &r->why_standard);
        r->standard = r->standards + (best > 0 ? best : 0);
        if (!r->cli->quiet) {
            fb_cli_say(r->cli, "%s", r->why_standard);
        }
    }
    return status;
}

/* The body of the model that is changed, for one of the original. */
const fb_element *fb_retarget_same(const fb_retarget_standard *s, const char *list,
                                   const fb_element *element) {
    const fb_list *from = fb_model_items(s->original, list), *to = fb_model_items(s->model, list);
    for (size_t i = 0; i < from->n && i < to->n; i++) {
        if (from->items[i] == element) {
            return to->items[i];
        }
    }
    return NULL;
}

static bool is_marker(const fb_model *model, const char *name) {
    const fb_list *markers = fb_model_items(model, "markers");
    for (size_t i = 0; i < markers->n; i++) {
        if (fb_feature_same_name(markers->items[i]->name, name)) {
            return true;
        }
    }
    return false;
}

static fb_status carry(fb_retarget *r) {
    fb_retarget_standard *s = r->standard;
    fb_body_map *maps = fb_arena_array(&r->arena, (size_t)s->n_bodies, sizeof *maps);
    fb_new_mesh *meshes;
    fb_pairs pairs;
    fb_features points;
    fb_pairs_init(&pairs);
    fb_features_init(&points);
    fb_retarget_all_pairs(s, &pairs);
    for (size_t i = 0; i < pairs.n; i++) {
        if (!r->any_pairs && is_marker(s->model, pairs.items[i].name)) {
            continue; /* the standard's own marker is carried */
        }
        fb_feature point = {.name = pairs.items[i].name, .body = pairs.items[i].body, .weight = 1};
        for (size_t k = 0; k < i; k++) { /* names of markers are unique */
            if (fb_feature_same_name(pairs.items[k].name, point.name)) {
                point.name = fb_arena_printf(&r->arena, "%s_%s", point.name, point.body);
                break;
            }
        }
        fb_v3_copy(point.location, pairs.items[i].target);
        fb_features_add(&points, &point);
    }
    for (int i = 0; i < s->n_bodies; i++) {
        const fb_retarget_body *b = s->bodies + i;
        maps[i] = (fb_body_map){.body = fb_retarget_same(s, "bodies", b->element),
                                .map = b->map,
                                .frame = b->frame,
                                .from = b->standard ? b->standard->surface : NULL,
                                .to = b->target ? b->target->surface : NULL,
                                .given = b->placed,
                                .identity = fb_retarget_is_identity(b)};
    }
    for (int i = 0; i < s->n_sites; i++) {
        s->sites[i].joint = fb_retarget_same(s, "joints", s->sites[i].joint);
    }
    fb_carry_options o = {.sites = s->sites,
                          .n_sites = s->n_sites,
                          .snap_via = fb_cli_value(r->cli, "snap-via"),
                          .target = &points};
    double depth = 0.1;
    o.depth = depth * MM;
    o.n_meshes = fb_retarget_meshes(r, &meshes);
    o.meshes = meshes;
    fb_status status = FB_E_UNSUPPORTED;
    if (fb_cli_number(r->cli, "mass", 0.1, 1e4, 0, &o.mass) &&
        fb_cli_number(r->cli, "height", 0.05, 20, 0, &o.height)) {
        status = fb_carry(s->model, s->original, maps, s->n_bodies, &o, &r->carried, &r->cli->diag);
    }
    fb_pairs_free(&pairs);
    fb_features_free(&points);
    return status;
}

static double total_mass(const fb_model *model) {
    const fb_list *bodies = fb_model_items(model, "bodies");
    double mass = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        double one = fb_get_number(bodies->items[i], "mass");
        mass += isnan(one) ? 0 : one;
    }
    return mass;
}

static fb_status fit_fibers(fb_retarget *r) {
    fb_retarget_standard *s = r->standard;
    bool sized = fb_cli_value(r->cli, "mass") || fb_cli_value(r->cli, "height");
    fb_fiber_options o = {.keep = fb_cli_value(r->cli, "keep-fibers"),
                          .force_scale = 1,
                          .force_by_volume = sized,
                          .volume_scale = sized ? total_mass(s->model) / total_mass(s->original)
                                                : 1,
                          .arm_bar = 0.01};
    if (!sized && !r->cli->quiet) {
        fb_cli_say(r->cli,
                   "maximal isometric forces are unchanged; --mass or --height scales them");
    }
    return fb_fibers_fit(s->model, s->original, &o, &r->fibers, &r->cli->diag);
}

/* Bundles of muscles that have become others: they would be those of the standard. */
static void drop_bundles(fb_retarget *r) {
    const fb_retarget_standard *s = r->standard;
    bool same = !fb_cli_value(r->cli, "mass") && !fb_cli_value(r->cli, "height");
    for (int i = 0; i < s->n_bodies; i++) {
        same = same && s->bodies[i].placed && fb_retarget_is_identity(s->bodies + i);
    }
    const fb_list *muscles = fb_model_items(s->model, "muscles");
    for (size_t i = 0; i < muscles->n && !same; i++) {
        fb_extra **link = &muscles->items[i]->extras;
        while (*link && strcmp((*link)->key, "bundles") != 0) {
            link = &(*link)->next;
        }
        if (*link) {
            *link = (*link)->next;
            fb_diag_add(&r->cli->diag, FB_IGNORED, FB4007, fb_element_place(muscles->items[i]),
                        "fbgen makes new ones from the spec",
                        "the bundles of muscle '%s' are the standard's", muscles->items[i]->name);
        }
    }
}

/* The joint angles at which a scan lay, where all its bones have one frame. */
static fb_status scan_pose(fb_retarget *r) {
    fb_retarget_standard *s = r->standard;
    fb_scan_bone *bones = fb_arena_array(&r->arena, (size_t)s->n_bodies, sizeof *bones);
    int n = 0;
    for (int i = 0; i < s->n_bodies; i++) {
        if (s->bodies[i].placed) {
            bones[n++] = (fb_scan_bone){.body = fb_retarget_same(s, "bodies", s->bodies[i].element),
                                        .pose = s->bodies[i].frame};
        }
    }
    if (r->skeleton_model || n < 2) {
        return FB_OK;
    }
    fb_status status = fb_scan_pose(&r->scan, s->model, bones, n, &r->cli->diag);
    return status == FB_E_MEMORY ? status : FB_OK;
}

/* Whether the new skeleton tells of a body with that side in its name. */
static bool any_placed(const fb_retarget_standard *s, const char *side) {
    for (int i = 0; i < s->n_bodies; i++) {
        if (s->bodies[i].placed && strstr(s->bodies[i].element->name, side)) {
            return true;
        }
    }
    return false;
}

/* --mirror-missing _r=_l */
static fb_status mirror_missing(fb_retarget *r) {
    const char *text = fb_cli_value(r->cli, "mirror-missing"),
               *equal = text ? strchr(text, '=') : NULL;
    if (!text) {
        return FB_OK;
    }
    if (!equal || equal == text || !equal[1]) {
        fb_cli_say(r->cli,
                   "--mirror-missing is like _r=_l: the side that is there, and the one to "
                   "be built; got '%s'",
                   text);
        return FB_E_UNSUPPORTED;
    }
    const char *from = fb_arena_text(&r->arena, text, (size_t)(equal - text));
    fb_status status = FB_OK;
    if (!any_placed(r->standard, equal + 1)) { /* the standard has that side, the skeleton not */
        status = fb_mirror_forget(r->standard->model, from, equal + 1);
    }
    return status == FB_OK ? fb_mirror_missing(r->standard->model, from, equal + 1, &r->cli->diag)
                           : status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int retarget(fb_retarget *r) {
    jmp_buf oom;
    fb_cli *cli = r->cli;
    if (setjmp(oom)) {
        return fb_exit_of(FB_E_MEMORY);
    }
    r->arena.oom = &oom;
    fb_status status = read_all(r);
    status = status == FB_OK ? choose(r) : status;
    status = status == FB_OK ? fb_retarget_joints(r, r->standard) : status;
    status = status == FB_OK ? carry(r) : status;
    status = status == FB_OK ? fit_fibers(r) : status;
    if (status == FB_OK) {
        drop_bundles(r);
    }
    status = status == FB_OK ? scan_pose(r) : status;
    status = status == FB_OK ? mirror_missing(r) : status;
    if (status == FB_OK && !cli->quiet) {
        fb_text text;
        fb_text_init(&text, cli->err);
        fb_retarget_print(r, &text);
        fb_text_flush(&text);
        fb_text_free(&text);
    }
    status = status == FB_OK ? fb_retarget_write(r) : status;
    double bar;
    if (status == FB_OK && fb_cli_number(cli, "max-residual", 0, 1e6, FB_INFINITY, &bar) &&
        fb_retarget_worst(r) > bar * MM) {
        fb_cli_say(cli, "the greatest residual is %.2f mm (--max-residual %g)",
                   fb_retarget_worst(r) / MM, bar);
        return FB_EXIT_NO;
    }
    return status == FB_E_UNSUPPORTED && cli->diag.counts[FB_ERROR] == 0 ? FB_EXIT_USAGE
                                                                         : fb_exit_of(status);
}

static int run(fb_cli *cli) {
    fb_retarget r = {.cli = cli};
    double megabytes;
    fb_pairs_init(&r.pairs);
    fb_features_init(&r.target);
    fb_transforms_init(&r.given);
    if (!read_options(&r, &megabytes)) {
        return FB_EXIT_USAGE;
    }
    int code = retarget(&r);
    if (cli->strict && code == FB_EXIT_OK) {
        cli->report = NULL; /* it is written */
        code = fb_cli_report(cli, r.standard->model, code);
    }
    for (int i = 0; i < r.n_standards; i++) {
        fb_model_free(r.standards[i].model);
        fb_model_free(r.standards[i].original);
        fb_skeleton_free(&r.standards[i].bones);
        fb_features_free(&r.standards[i].features);
    }
    fb_carry_report_free(&r.carried);
    fb_fiber_report_free(&r.fibers);
    fb_scan_fit_free(&r.scan);
    fb_skeleton_free(&r.skeleton);
    fb_model_free(r.skeleton_model);
    fb_features_free(&r.target);
    fb_pairs_free(&r.pairs);
    fb_transforms_free(&r.given);
    fb_arena_clear(&r.arena);
    return code;
}

int fb_retarget_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    return fb_cli_end(&cli, status >= 0 ? status : run(&cli));
}
