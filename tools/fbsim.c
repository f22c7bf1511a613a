/* fbsim: the mechanics of models. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/loads.h"
#include "formats/resources.h"
#include "libcore/version.h"
#include "tools/fbsim.h"
#include "tools/fbsim_run.h"

static const fb_option options[] = {
    {'s', "states", "FILE",
     "a table of states (.sto, .mot); the model's default state unless given"},
    {0, "fibers", "WHICH", "equilibrium, unless given, or states: fiber lengths are the table's"},
    {'d', "out", "DIR", "folder of the tables; '.' unless given, or --output for one table alone"},
    {0, "external-loads", "FILE",
     "eval, id, so: measured forces that act too, at each state's time: OpenSim's ExternalLoads "
     "(.xml), or a "
     "table for the model's own ExternalForces"},
    {0, "time", "T", "the time of every state (s), instead of the table's"},
    {'g', "geometry", "DIR", "look for contact meshes in DIR too; may be given several times"},
    {0, "tables", "LIST", "which tables, with commas between: body_pose,path_length,.."},
    {0, "set", "NAME=VALUE",
     "eval without --states, sweep: another default of a coordinate, in rad or m, or with 'deg' "
     "behind; may be given several times"},
    {'c', "coordinate", "NAME", "sweep: which coordinate"},
    {0, "and", "NAME", "sweep: a second coordinate, on a grid"},
    {0, "range", "LOW,HIGH",
     "sweep: from where to where, in rad or m, or with 'deg' behind; once more for --and"},
    {'m', "muscle", "GLOB",
     "sweep, curves: which muscles, by their names or those of groups; all unless given"},
    {0, "paths", NULL, "sweep: ligaments, springs and other paths besides muscles"},
    {0, "against", "MODEL", "sweep: another model beside the first, and how they differ"},
    {0, "against-scale", "K[,K]",
     "sweep: the other model's coordinate has K times the value; -1 turns its sign"},
    {0, "steps", "N[,M]", "sweep: values of each coordinate; 51, of two 21; curves: points, 101"},
    {0, "activation", "A[,..]", "sweep: of all muscles, 1 unless given; curves: 0.1,0.5,1"},
    {0, "moment-arms", "KIND",
     "eval, sweep: generalized, as OpenSim defines them, or geometric, -dL/dq"},
    {0, "curve", "NAME",
     "curves: active, passive, tendon, velocity, total, activation, or all, the default"},
    {0, "unit", "UNIT", "curves: normalized, unless given, or si"},
    {0, "markers", "FILE", "ik: measured markers (.trc)"},
    {0, "weight", "MARKER=W", "ik: the weight of a marker, 1 unless given; several times"},
    {0, "constraint-weight", "C",
     "ik: constraints may be off, at a cost of C/2 times their errors squared; they hold unless "
     "given"},
    {0, "coordinates", "FILE", "id, so: the motion (.mot, .sto)"},
    {0, "filter", "HZ", "id, so: low-pass filter of the coordinates; none unless given"},
    {0, "exclude", "LIST",
     "id: forces, or groups of them, that do not act: names, muscles, actuators, all, with commas "
     "between; muscles unless given"},
    {0, "time-range", "T0,T1", "ik, id, so: from which time to which (s); all unless given"},
    {0, "reserves", "N",
     "so: add an actuator of that strength (N m or N for a control of 1) at every joint but the "
     "root"},
    {0, "residuals", "N", "so: the same at the root joint"},
    {0, "exponent", "P", "so: of the activations whose sum is least; 2 unless given"},
    {0, "forces", "FILE", "so: write the forces of muscles and actuators"},
    {0, "marker-errors", "FILE", "ik: write how far markers are off"},
    {0, "marker-locations", "FILE", "ik: write where the model's markers are"},
    {0, "factor", "BODY=X[,Y,Z]",
     "scale: how much larger a body is, along its axes; '*': all others; several times"},
    {0, "mass", "KG", "scale: of the whole model; as it comes unless given"},
    {0, "keep-mass-ratios", NULL, "scale: bodies' masses do not go with their volumes"},
    {0, "compat", "WHICH",
     "'opensim4': as OpenSim 4.5.2, even where it is known to be wrong (run, unless given); "
     "'none': exact (all others, unless given)"},
    {0, "ignore-kept", NULL,
     "do without joints, constraints, forces and controllers that are not computed"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "fbsim",
    .summary =
        "Computes what a model does. 'fbsim eval' evaluates it in the states of a table and "
        "writes the\n"
        "tables body_pose, marker, com, path_length, path_speed, moment_arm, muscle, "
        "mass_matrix,\n"
        "inverse_dynamics, acceleration and virtual_link (.sto). 'fbsim sweep' writes "
        "lengths, moment "
        "arms and forces of\n"
        "muscles, and the joint's strength, over the range of a coordinate or two. 'fbsim "
        "curves' writes the\n"
        "curves of Hill-type muscles. 'fbsim scale' makes a model larger or heavier, 'fbsim ik' "
        "finds the motion\n"
        "of measured markers, 'fbsim id' the moments of a motion, 'fbsim so' the muscles' "
        "activations for it.\n"
        "'fbsim run' does what a set-up file of OpenSim says. Options of one command begin "
        "with its name.",
    .operands = "eval|sweep|curves|ik|id|so|scale|run [MODEL|SETUP]",
    .max_operands = 2,
    .options = options,
    .examples =
        "  fbsim sweep arm.osim --coordinate r_elbow_flex --muscle 'BIC*' -o biceps.sto\n"
        "  fbsim sweep leg.osim -c knee --set hip=90deg --range=-120deg,0deg > bent.sto\n"
        "  fbsim curves arm.osim --muscle BIClong --curve total > force_length.sto\n"
        "  fbsim eval arm.osim --states arm_states.sto --out results\n"
        "  fbsim eval leg.osim -s walk.mot --external-loads grf.xml --out results\n"
        "  fbsim scale leg.osim --factor '*=1.05' --factor pelvis=1,1,1.1 --mass 72 -o s.osim\n"
        "  fbsim ik leg.osim --markers walk.trc -o walk.mot\n"
        "  fbsim id leg.osim --coordinates walk.mot --external-loads grf.xml --filter 6 -o "
        "id.sto\n"
        "  fbsim run subject01_Setup_IK.xml --out results\n"
        "  fbsim so leg.osim --coordinates walk.mot --filter 6 --reserves 1 -o activations.sto\n"
        "  osim2fb arm.osim | fbsim eval --tables moment_arm > arms.sto\n",
};

/* ---- what all commands share ------------------------------------------------------------------
 */

bool fb_fbsim_moment_arms(fb_cli *cli, bool *geometric) {
    const char *kind = fb_cli_value(cli, "moment-arms");
    *geometric = kind && strcmp(kind, "geometric") == 0;
    if (kind && !*geometric && strcmp(kind, "generalized") != 0) {
        fb_cli_say(cli, "--moment-arms is 'generalized' or 'geometric', not '%s'", kind);
        return false;
    }
    return true;
}

const char *fb_fbsim_plain(fb_arena *arena, const char *text) {
    char *line = fb_arena_dup(arena, text ? text : "");
    for (char *c = line; *c; c++) {
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    }
    return line;
}

const char *fb_fbsim_motions(fb_arena *arena, const fb_simulation *s) {
    const char *names[3] = {"", "", ""};
    for (int i = 0; i < s->system->n_q; i++) {
        const fb_coordinate *c = &s->system->coordinates[i];
        fb_motion m = fb_fbsim_motion(c);
        if (m != FB_ROTATIONAL) {
            names[m] = fb_arena_printf(arena, "%s%s%s", names[m], *names[m] ? "," : "",
                                       fb_fbsim_plain(arena, fb_path_name(c->path)));
        }
    }
    return fb_arena_printf(arena, "translational=%s\ncoupled=%s\n", names[FB_TRANSLATIONAL],
                           names[FB_COUPLED]);
}

const char *fb_fbsim_header(fb_sto *table, const fb_simulation *s) {
    return fb_arena_printf(&table->arena, "tool=fbsim %s\nmodel=%s\ngeometry=%s\n", FB_VERSION,
                           fb_fbsim_plain(&table->arena, s->system->model->root->name),
                           s->paths->as_opensim4 ? "as OpenSim 4.5.2" : "exact");
}

fb_status fb_fbsim_make_folder(const fb_cli *cli) {
    const char *folder = fb_cli_value(cli, "out");
    char path[4096];
    for (size_t n = 1; folder && n <= strlen(folder); n++) { /* those above it too */
        if (folder[n] != '/' && folder[n]) {
            continue;
        }
        snprintf(path, sizeof path, "%.*s", (int)n, folder);
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            fb_cli_say(cli, "%s: %s", path, strerror(errno));
            return FB_E_OUTPUT;
        }
    }
    return FB_OK;
}

fb_status fb_fbsim_write(fb_cli *cli, const fb_sto *table, const char *header, const char *file) {
    fb_output output;
    fb_status status = fb_cli_open(cli, file, &output);
    if (status == FB_OK) {
        fb_sto_write(table, header, &output.text);
        status = fb_cli_close(cli, file, &output, true);
    }
    return status;
}

/* ---- commands -------------------------------------------------------------------------------- */

enum { EVAL = 1, SWEEP = 2, CURVES = 4, RUN = 8, IK = 16, ID = 32, SO = 64, SCALE = 128 };
static const struct {
    const char *name;
    int bit;
    int (*run)(fb_cli *cli); /* NULL: one that needs the model simulated */
} commands[] = {
    {"eval", EVAL, NULL},
    {"sweep", SWEEP, NULL},
    {"curves", CURVES, NULL},
    {"run", RUN, fb_fbsim_run},
    {"ik", IK, fb_fbsim_ik},
    {"id", ID, fb_fbsim_id},
    {"scale", SCALE, fb_fbsim_scale},
    {"so", SO, fb_fbsim_so},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

/* The commands that an option is of; those that are not named here are of all. */
static const struct {
    const char *option;
    int commands;
} uses[] = {{"states", EVAL},
            {"fibers", EVAL},
            {"external-loads", EVAL | ID | SO},
            {"coordinates", ID | SO},
            {"filter", ID | SO},
            {"exclude", ID},
            {"time", EVAL},
            {"tables", EVAL},
            {"ignore-kept", EVAL},
            {"out", EVAL | CURVES | RUN},
            {"moment-arms", EVAL | SWEEP},
            {"coordinate", SWEEP},
            {"and", SWEEP},
            {"set", EVAL | SWEEP},
            {"range", SWEEP},
            {"paths", SWEEP},
            {"against", SWEEP},
            {"against-scale", SWEEP},
            {"steps", SWEEP | CURVES},
            {"activation", SWEEP | CURVES},
            {"muscle", SWEEP | CURVES},
            {"curve", CURVES},
            {"unit", CURVES},
            {"markers", IK},
            {"factor", SCALE},
            {"mass", SCALE},
            {"keep-mass-ratios", SCALE},
            {"weight", IK},
            {"constraint-weight", IK},
            {"time-range", IK | ID | SO},
            {"reserves", SO},
            {"residuals", SO},
            {"exponent", SO},
            {"forces", SO},
            {"marker-errors", IK},
            {"marker-locations", IK}};

static bool options_fit(const fb_cli *cli, int command) {
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (fb_cli_value(cli, uses[i].option) && !(uses[i].commands & command)) {
            fb_cli_say(cli, "--%s is not for %s", uses[i].option, cli->operands[0]);
            return false;
        }
    }
    return true;
}

/* Reads the model and compiles it, for any command. */
static int simulate(fb_cli *cli, int command) {
    double megabytes;
    const char *folders[64];
    bool as_opensim4 = false;
    int n_folders = 0;
    fb_file_resources files;
    while (n_folders < 64 && (folders[n_folders] = fb_cli_values(cli, "geometry", n_folders))) {
        n_folders++;
    }
    if (!fb_cli_number(cli, "max-size", 0, 2000, 256, &megabytes) ||
        !fb_fbsim_compat(cli, &as_opensim4)) {
        return FB_EXIT_USAGE;
    }
    size_t max_bytes = (size_t)(megabytes * 1024 * 1024);
    fb_model *model = NULL;
    fb_simulation *s = NULL;
    fb_status status = fb_cli_read_model(cli, cli->n_operands > 1 ? cli->operands[1] : "-",
                                         max_bytes, &model, NULL);
    fb_file_resources_init(&files, model, folders, n_folders, max_bytes);
    const char *loads = fb_cli_value(cli, "external-loads");
    files.resources.has_external_forces = loads && fb_loads_is_table(loads);
    if (status == FB_OK) {
        status = fb_simulation_new_from(&s, model, as_opensim4, &files.resources, &cli->diag);
    }
    int code = fb_exit_of(status);
    if (status == FB_OK) {
        code = command == SWEEP    ? fb_fbsim_sweep(cli, s)
               : command == CURVES ? fb_fbsim_curves(cli, s)
                                   : fb_fbsim_eval(cli, s, max_bytes);
        bool lacking = command != CURVES && s->system->n_kept > 0; /* from all tables */
        if (code == FB_EXIT_OK && lacking && !fb_cli_value(cli, "ignore-kept")) {
            code = FB_EXIT_UNSUPPORTED;
        }
    }
    fb_simulation_free(s);
    fb_file_resources_clear(&files);
    code = fb_cli_report(cli, model, code);
    fb_model_free(model);
    return code;
}

int fb_fbsim_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err), k = 0;
    char names[256] = "";
    for (int i = 0; i < N_COMMANDS; i++) {
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s'%s'",
                 i == 0               ? ""
                 : i < N_COMMANDS - 1 ? ", "
                                      : " and ",
                 commands[i].name);
    }
    while (k < N_COMMANDS && !(cli.n_operands && strcmp(cli.operands[0], commands[k].name) == 0)) {
        k++;
    }
    if (status < 0 && k == N_COMMANDS) {
        fb_cli_say(&cli, "the commands are %s; 'fbsim --help' shows what there is", names);
        status = FB_EXIT_USAGE;
    }
    if (status < 0 && !options_fit(&cli, commands[k].bit)) {
        status = FB_EXIT_USAGE;
    }
    if (status < 0) {
        status = commands[k].run ? commands[k].run(&cli) : simulate(&cli, commands[k].bit);
    }
    return fb_cli_end(&cli, status);
}
