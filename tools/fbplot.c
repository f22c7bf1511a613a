/* fbplot: figures of tables. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "formats/csv.h"
#include "libcore/base/number.h"
#include "tools/fbplot.h"

#define MM (72 / 25.4) /* points */

static const fb_option options[] = {
    {0, "columns", "GLOB,..", "draw these columns only; may be given several times"},
    {0, "group", "GLOB,..", "a panel of these columns; may be given several times"},
    {'x', "x", "COLUMN", "the horizontal axis; the first column unless given"},
    {'a', "against", "TABLE", "draw the same columns of another table dashed; up to three"},
    {0, "mean", NULL, "draw the mean of all TABLEs, and a band of the standard deviation"},
    {0, "band", "MEAN,SD", "columns called NAMEmean, NAMEsd are a curve and its band: _mean,_sd"},
    {0, "normalize", NULL, "draw over 0 to 100 % of each table's own range"},
    {'m', "model", "MODEL", "the tables' model: says which coordinates turn and which slide"},
    {0, "degrees", NULL, "draw angles that are in radians in degrees"},
    {'u', "unit", "[GLOB=]UNIT", "the unit of columns, where the table does not say it"},
    {0, "title", "TEXT", "above the figure"},
    {0, "xlabel", "TEXT", "of the horizontal axis, with its unit"},
    {0, "ylabel", "TEXT", "of all vertical axes, with their unit"},
    {0, "label", "TEXT", "in the legend: of TABLE, then of each --against"},
    {0, "same-scale", NULL, "panels of one quantity have the same vertical range"},
    {0, "size", "WxH", "of the page, in mm or as 18x12cm; W alone leaves the height open"},
    {0, "dpi", "N", "of PNG; 300 unless given"},
    {0, "format", "svg|png", "what is written; by the name of -o unless given, else svg"},
    {0, "max-size", "MB", "refuse larger files; 256 unless given"},
    {0, NULL, NULL, NULL},
};

static const fb_tool tool = {
    .name = "fbplot",
    .summary = "Draws tables of numbers (.sto, .mot, .csv) as a figure, SVG or PNG. Columns of one "
               "quantity share a panel\n"
               "if they are few; many become small panels, one for each thing, both sides "
               "together. Units come from\n"
               "the table where it says them.",
    .operands = "[TABLE]...",
    .max_operands = 64,
    .options = options,
    .examples =
        "  fbsim sweep arm.osim -c r_elbow_flex | fbplot --degrees --columns '*|moment_arm' "
        "-o arms.svg\n"
        "  fbsim curves arm.osim --muscle BIClong --curve total | fbplot -o force_length.svg\n"
        "  fbplot walk_ik.mot --against other_ik.mot -o walk.png\n"
        "  fbplot --mean --normalize trial*.mot --columns 'knee_angle_*' -o knee.svg\n",
};

typedef struct plot {
    fb_cli *cli;
    fb_arena arena;
    fb_canvas *canvas;
    fb_model *model;
    size_t max_bytes;
    bool is_png;
    double dpi;
    fb_plot_hints hints;
    fb_plot_choice choice;
    fb_plot_figure figure;
    fb_plot_set sets[FB_PLOT_STYLES];
    int n_sets;
    fb_plot_table tables[128];
    int n_tables;
} plot;

/* ---- options --------------------------------------------------------------------------------- */

static bool choose_format(plot *p) {
    const char *format = fb_cli_value(p->cli, "format"), *output = p->cli->output;
    bool to_stream = !output || strcmp(output, "-") == 0;
    if (format && strcmp(format, "svg") != 0 && strcmp(format, "png") != 0) {
        fb_cli_say(p->cli, "--format is 'svg' or 'png', not '%s'", format);
        return false;
    }
    if (!format && !to_stream && !fb_file_ends_with(output, ".svg") &&
        !fb_file_ends_with(output, ".png")) {
        fb_cli_say(p->cli, "'%s' ends in neither .svg nor .png; --format says what to write",
                   output);
        return false;
    }
    p->is_png = format ? strcmp(format, "png") == 0
                       : !to_stream && fb_file_ends_with(output, ".png");
    if (p->is_png && to_stream && isatty(fileno(p->cli->out))) {
        fb_cli_say(p->cli, "PNG is not written to a terminal; -o FILE says where");
        return false;
    }
    return fb_cli_number(p->cli, "dpi", 10, 2400, 300, &p->dpi);
}

/* "180x120", "18x12cm", "85mm": a width, and a height unless it is left open. */
static bool choose_size(plot *p) {
    const char *text = fb_cli_value(p->cli, "size");
    if (!text) {
        return true;
    }
    const char *end = text + strlen(text), *at = text;
    double width = 0, height = 0, unit = MM;
    if (fb_file_ends_with(text, "cm") || fb_file_ends_with(text, "mm")) {
        unit = end[-2] == 'c' ? 10 * MM : MM;
        end -= 2;
    }
    bool good = fb_number_scan(&at, end, &width);
    bool has_height = good && at < end && *at == 'x';
    if (has_height) {
        at++;
        good = fb_number_scan(&at, end, &height) && height * unit >= 10 * MM;
    }
    good = good && at == end && width * unit >= 10 * MM;
    if (!good || width * unit > 3000 * MM || height * unit > 3000 * MM) {
        fb_cli_say(p->cli,
                   "--size is WIDTHxHEIGHT in mm, or with cm behind, from 10 to 3000 mm; "
                   "got '%s'",
                   text);
        return false;
    }
    p->figure.width = width * unit;
    p->figure.height = height * unit;
    return true;
}

static bool choose(plot *p) {
    double megabytes;
    if (!choose_format(p) || !choose_size(p) ||
        !fb_cli_number(p->cli, "max-size", 0, 2000, 256, &megabytes)) {
        return false;
    }
    p->max_bytes = (size_t)(megabytes * 1024 * 1024);
    p->choice.mean = fb_cli_value(p->cli, "mean") != NULL;
    p->choice.normalize = fb_cli_value(p->cli, "normalize") != NULL;
    p->figure.same_scale = fb_cli_value(p->cli, "same-scale") != NULL;
    p->hints.degrees = fb_cli_value(p->cli, "degrees") != NULL;
    p->hints.cli = p->cli;
    const char *band = fb_cli_value(p->cli, "band"), *comma = band ? strchr(band, ',') : NULL;
    if (band && (!comma || comma == band || !comma[1])) {
        fb_cli_say(p->cli, "--band is the ends of two names, such as _mean,_sd; got '%s'", band);
        return false;
    }
    if (band) {
        char *ends = fb_arena_dup(&p->arena, band);
        ends[comma - band] = 0;
        p->choice.mean_suffix = ends;
        p->choice.sd_suffix = ends + (comma - band) + 1;
    }
    if (band && p->choice.mean) {
        fb_cli_say(p->cli, "--band and --mean exclude each other");
        return false;
    }
    if (p->choice.mean && p->cli->n_operands < 2) {
        fb_cli_say(p->cli, "--mean is of two tables or more");
        return false;
    }
    if (!p->choice.mean && p->cli->n_operands > 1) {
        fb_cli_say(p->cli, "several tables: --mean draws their mean, --against TABLE one beside "
                           "another");
        return false;
    }
    int n = 0;
    while (fb_cli_values(p->cli, "against", n)) {
        n++;
    }
    if (!p->choice.mean && n >= FB_PLOT_STYLES) {
        fb_cli_say(p->cli, "--against: at most %d tables", FB_PLOT_STYLES - 1);
        return false;
    }
    if (p->choice.mean && n == 1) {
        fb_cli_say(p->cli, "--mean: --against must name two tables or more as well");
        return false;
    }
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool has_end_of_header(const char *bytes, size_t n) {
    static const char word[] = "endheader";
    for (size_t i = 0; i + sizeof word - 1 <= n; i++) {
        if ((i == 0 || bytes[i - 1] == '\n') &&
            strncasecmp(bytes + i, word, sizeof word - 1) == 0) {
            return true;
        }
    }
    return false;
}

static const char *column_name(const void *context, int i) {
    const fb_plot_table *table = context;
    return i < table->data.n_columns ? table->data.columns[i] : NULL;
}

/* The column of --x; false with a message. */
static bool find_x(const plot *p, fb_plot_table *table) {
    const char *name = fb_cli_value(p->cli, "x");
    table->x = name ? fb_sto_column(&table->data, name) : 0;
    if (table->x >= 0) {
        return true;
    }
    const char *near = fb_nearest_word(name, column_name, table);
    fb_cli_say(p->cli, "%s has no column '%s'%s%s%s", table->file, name, near ? "; is '" : "",
               near ? near : "", near ? "' meant?" : "");
    return false;
}

/* Reads one table; an exit status. */
static int read_table(plot *p, const char *file) {
    fb_plot_table *table = &p->tables[p->n_tables];
    char *bytes;
    size_t size;
    bool standard = strcmp(file, "-") == 0;
    table->file = standard ? "<stdin>" : file;
    fb_status status = standard ? fb_read_stream(p->cli->in, "<stdin>", p->max_bytes, &bytes, &size,
                                                 &p->cli->diag)
                                : fb_read_file(file, p->max_bytes, &bytes, &size, &p->cli->diag);
    if (status != FB_OK) {
        return fb_exit_of(status);
    }
    table->is_csv = !has_end_of_header(bytes, size) && !fb_file_ends_with(file, ".sto") &&
                    !fb_file_ends_with(file, ".mot");
    status = (table->is_csv ? fb_csv_read : fb_sto_read)(&table->data, bytes, size, table->file,
                                                         &p->cli->diag);
    fb_free(bytes);
    if (status != FB_OK) {
        return fb_exit_of(status);
    }
    p->n_tables++;
    if (table->data.n_rows == 0) {
        fb_diag_add(&p->cli->diag, FB_ERROR, FB1401, (fb_place){table->file, 0, NULL, NULL}, NULL,
                    "there are no rows of numbers");
        return FB_EXIT_INPUT;
    }
    if (!find_x(p, table)) {
        return FB_EXIT_USAGE;
    }
    fb_plot_describe(table, &p->hints, &p->arena);
    int unfolded = table->is_grid ? fb_plot_unfold(table, p->cli, &p->arena) : FB_EXIT_OK;
    if (unfolded == FB_EXIT_OK && !fb_plot_same_grid(&p->tables[0], table)) {
        fb_cli_say(p->cli, "%s and %s are no grids with the same values of one coordinate",
                   p->tables[0].file, table->file);
        return FB_EXIT_INPUT;
    }
    return unfolded;
}

/* All tables, in sets that are drawn alike: those of the operands first. */
static int read_tables(plot *p) {
    const char *model = fb_cli_value(p->cli, "model");
    if (model) {
        fb_status status = fb_cli_read_model(p->cli, model, p->max_bytes, &p->model, NULL);
        if (status != FB_OK) {
            return fb_exit_of(status);
        }
        p->hints.model = p->model;
    }
    int status = FB_EXIT_OK;
    for (int i = 0; status == FB_EXIT_OK && (i < p->cli->n_operands || i == 0); i++) {
        status = read_table(p, i < p->cli->n_operands ? p->cli->operands[i] : "-");
    }
    p->sets[p->n_sets++] = (fb_plot_set){p->tables, p->n_tables};
    const char *against;
    for (int i = 0; status == FB_EXIT_OK; i++) {
        against = fb_cli_values(p->cli, "against", i);
        if (!against) {
            break;
        }
        status = read_table(p, against);
        if (!p->choice.mean || i == 0) {
            p->sets[p->n_sets++] = (fb_plot_set){&p->tables[p->n_tables - 1], 0};
        }
        p->sets[p->n_sets - 1].n++;
    }
    return status;
}

/* ---- the figure ------------------------------------------------------------------------------ */

/* A character that the font lacks is an empty box in a PNG. */
static void tell_glyphs(const plot *p) {
    const fb_plot_figure *f = &p->figure;
    for (int k = 0; k < f->n_panels && p->is_png; k++) {
        for (int j = 0; j < f->panels[k].n_series; j++) {
            if (!fb_canvas_has_glyphs(p->canvas, f->panels[k].series[j].label)) {
                fb_cli_say(p->cli,
                           "warning: the font lacks characters of '%s'; SVG leaves them to the "
                           "viewer's fonts",
                           f->panels[k].series[j].label);
                return;
            }
        }
    }
}

static fb_status write_figure(plot *p) {
    const fb_plot_figure *f = &p->figure;
    fb_output output;
    fb_status status = fb_cli_open(p->cli, p->cli->output, &output);
    if (status != FB_OK) {
        return status;
    }
    if (!p->is_png) {
        fb_canvas_begin_svg(p->canvas, f->width, f->height, &output.text);
    }
    fb_plot_draw(f, p->canvas);
    status = fb_canvas_end(p->canvas, &output.text);
    fb_status closed = fb_cli_close(p->cli, p->cli->output, &output, status == FB_OK);
    return status == FB_OK ? closed : status;
}

/* A text of an option, fit for a document; NULL if it is not given. */
static const char *given_text(plot *p, const char *option) {
    const char *text = fb_cli_value(p->cli, option);
    return text ? fb_plot_clean(&p->arena, text) : NULL;
}

static int draw(plot *p) {
    int status = fb_plot_panels(&p->figure, p->cli, p->sets, p->n_sets, &p->choice, &p->arena);
    if (status != FB_EXIT_OK) {
        return status;
    }
    fb_plot_figure *f = &p->figure;
    f->title = given_text(p, "title");
    f->x_label = given_text(p, "xlabel");
    if (p->choice.normalize) {
        f->x_unit = "% of range";
    }
    for (int k = 0; k < f->n_panels; k++) {
        f->panels[k].y_label = given_text(p, "ylabel");
    }
    if (!fb_plot_layout(f, p->canvas, &p->arena)) {
        fb_cli_say(p->cli, "--size is too small for %d panel%s", f->n_panels,
                   f->n_panels == 1 ? "" : "s");
        return FB_EXIT_USAGE;
    }
    if (!p->cli->quiet) {
        tell_glyphs(p);
    }
    if (p->is_png && !fb_canvas_begin_png(p->canvas, f->width, f->height, p->dpi)) {
        fb_cli_say(p->cli, "a picture of %.0f x %.0f mm at %.0f dpi is too large; --size or --dpi",
                   f->width / MM, f->height / MM, p->dpi);
        return FB_EXIT_USAGE;
    }
    return fb_exit_of(write_figure(p));
}

/* Everything that allocates with jumps on failure. */
static int run(plot *p) {
    jmp_buf oom;
    if (setjmp(oom)) {
        fb_diag_add(&p->cli->diag, FB_ERROR, FB1003, (fb_place){NULL, 0, NULL, NULL}, NULL,
                    "out of memory");
        return FB_EXIT_INTERNAL;
    }
    p->arena.oom = &oom;
    if (!choose(p)) {
        return FB_EXIT_USAGE;
    }
    int status = read_tables(p);
    return status == FB_EXIT_OK ? draw(p) : status;
}

static int plot_tables(fb_cli *cli) {
    plot *p = fb_alloc(sizeof *p);
    if (!p) {
        return FB_EXIT_INTERNAL;
    }
    memset(p, 0, sizeof *p);
    p->cli = cli;
    fb_arena_init(&p->arena);
    p->canvas = fb_canvas_new();
    int status = fb_cli_report(cli, p->model, p->canvas ? run(p) : FB_EXIT_INTERNAL);
    for (int i = 0; i < p->n_tables; i++) {
        fb_sto_free(&p->tables[i].data);
    }
    fb_arena_clear(&p->arena);
    fb_canvas_free(p->canvas);
    fb_model_free(p->model);
    fb_free(p);
    return status;
}

int fb_fbplot_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {
    fb_cli cli;
    int status = fb_cli_begin(&cli, &tool, argc, argv, in, out, err);
    if (status < 0) {
        status = plot_tables(&cli);
    }
    return fb_cli_end(&cli, status);
}
