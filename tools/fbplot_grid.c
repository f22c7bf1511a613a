/* fbplot: the tables of fbsim sweep --and, grids of two coordinates, as families of curves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/fbplot.h"

#define MOST 7   /* curves: as many as there are full colours */
#define FEWEST 4 /* if so few fit a regular choice, an irregular one is better */

/* How many values the coordinates have; false if the rows are no whole grid, in which the second
 * coordinate runs faster. */
static bool find_grid(const fb_sto *t, int n[2]) {
    n[1] = 1;
    while (n[1] < t->n_rows && fb_sto_value(t, n[1], 0) == fb_sto_value(t, 0, 0)) {
        n[1]++;
    }
    n[0] = t->n_rows / n[1];
    bool whole = n[0] * n[1] == t->n_rows;
    for (int row = 0; row < t->n_rows && whole; row++) {
        whole = fb_sto_value(t, row, 0) == fb_sto_value(t, row - row % n[1], 0) &&
                fb_sto_value(t, row, 1) == fb_sto_value(t, row % n[1], 1);
    }
    return whole;
}

/* Which of n values are drawn: the first, the last, and those evenly between; how many. */
static int pick(int n, int picks[MOST]) {
    int m = n < MOST ? n : MOST;
    while (m > FEWEST && (n - 1) % (m - 1) != 0) {
        m--;
    }
    if (m > 1 && (n - 1) % (m - 1) != 0) {
        m = MOST;
    }
    for (int k = 0; k < m; k++) {
        picks[k] = m > 1 ? (int)lround((double)k * (n - 1) / (m - 1)) : 0;
    }
    return m;
}

/* "−40°", "0.5 rad"; what is nothing beside the largest value is zero. */
static const char *parameter_text(double x, double largest, const char *unit, fb_arena *arena) {
    char number[40];
    x = fabs(x) < 1e-6 * largest ? 0 : x;
    snprintf(number, sizeof number, "%.3g", fabs(x));
    bool has_unit = unit && *unit, tight = has_unit && strcmp(unit, "°") == 0;
    return fb_arena_printf(arena, "%s%s%s%s", x < 0 ? "\xE2\x88\x92" : "", number,
                           has_unit && !tight ? " " : "", has_unit ? unit : "");
}

/* The new table's columns: that of the horizontal axis, then a curve for each pick of each other.
 */
static void unfold(fb_plot_table *table, const int n[2], int m, const int *picks, fb_arena *arena) {
    fb_sto *t = &table->data;
    int along = table->x, across = 1 - table->x, columns = 1 + (t->n_columns - 2) * m;
    const fb_plot_column *parameter = &table->columns[across];
    size_t stride[2] = {(size_t)n[1], 1}; /* rows from one value of a coordinate to the next */
    fb_plot_column *described = fb_arena_array(arena, (size_t)columns, sizeof *described);
    const char **names = fb_arena_array(arena, (size_t)columns, sizeof *names);
    double *values = fb_arena_array(arena, (size_t)columns * (size_t)n[along], sizeof *values);
    double *parameters = fb_arena_array(arena, (size_t)m, sizeof *parameters);
    double largest = 0;
    for (int k = 0; k < m; k++) {
        int row = (int)(stride[across] * (size_t)picks[k]);
        parameters[k] = fb_sto_value(t, row, across) * parameter->factor;
        largest = fmax(largest, fabs(parameters[k]));
    }
    for (int j = 0; j < columns; j++) {
        int from = j == 0 ? along : 2 + (j - 1) / m, k = j == 0 ? 0 : (j - 1) % m;
        described[j] = table->columns[from];
        names[j] = t->columns[from];
        if (j > 0) {
            described[j].curve = parameter_text(parameters[k], largest, parameter->unit, arena);
        }
        for (int i = 0; i < n[along]; i++) {
            size_t row = stride[along] * (size_t)i + stride[across] * (size_t)picks[k];
            values[(size_t)i * (size_t)columns + (size_t)j] = fb_sto_value(t, (int)row, from);
        }
    }
    table->parameter = parameter->object;
    table->parameters = parameters;
    table->n_parameters = m;
    table->columns = described;
    table->x = 0;
    t->columns = names;
    t->values = values;
    t->n_columns = columns;
    t->n_rows = n[along];
}

int fb_plot_unfold(fb_plot_table *table, const fb_cli *cli, fb_arena *arena) {
    const char *first = table->columns[0].name, *second = table->columns[1].name;
    int n[2], picks[MOST];
    if (table->x > 1) {
        fb_cli_say(cli, "%s holds a grid of two coordinates; --x is '%s' or '%s'", table->file,
                   first, second);
        return FB_EXIT_USAGE;
    }
    if (!find_grid(&table->data, n)) {
        fb_cli_say(cli,
                   "the rows of %s are no whole grid of '%s' and '%s', as fbsim sweep --and writes "
                   "them",
                   table->file, first, second);
        return FB_EXIT_INPUT;
    }
    int across = n[1 - table->x], m = pick(across, picks);
    unfold(table, n, m, picks, arena);
    if (m < across && !cli->quiet) {
        fb_cli_say(cli, "note: %d of the %d values of '%s' are drawn", m, across, table->parameter);
    }
    return FB_EXIT_OK;
}

bool fb_plot_same_grid(const fb_plot_table *a, const fb_plot_table *b) {
    bool same = a->is_grid == b->is_grid && a->n_parameters == b->n_parameters &&
                fb_plot_same(a->parameter, b->parameter);
    for (int k = 0; k < a->n_parameters && same; k++) {
        double x = a->parameters[k], y = b->parameters[k];
        same = fabs(x - y) <= 1e-6 * fmax(1, fmax(fabs(x), fabs(y)));
    }
    return same;
}
