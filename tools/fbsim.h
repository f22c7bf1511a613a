/* The commands of fbsim that have a file of their own. */
#ifndef FB_TOOLS_FBSIM_H
#define FB_TOOLS_FBSIM_H

#include "formats/sto.h"
#include "libcore/muscle/simulation.h"
#include "tools/cli.h"

/* fbsim eval: tables of --tables in the states of --states. Returns the exit status. */
int fb_fbsim_eval(fb_cli *cli, fb_simulation *simulation, size_t max_bytes);
/* fbsim sweep: a table over the range of --coordinate. Returns the exit status. */
int fb_fbsim_sweep(fb_cli *cli, fb_simulation *simulation);
/* fbsim curves: tables of the Hill curves of --muscle. Returns the exit status. */
int fb_fbsim_curves(fb_cli *cli, fb_simulation *simulation);

/* What a header says of geometric moment arms. */
#define FB_FBSIM_GEOMETRIC \
    "geometric, by central differences where a path is not the shortest over its surfaces"

/* --moment-arms; false with a message if it is neither. */
bool fb_fbsim_moment_arms(fb_cli *cli, bool *geometric);
/* True if a muscle is one of --muscle: by its name or component path. */
bool fb_fbsim_is_wanted(const fb_cli *cli, const fb_muscle *muscle);
/* A text as one line, for headers. */
const char *fb_fbsim_plain(fb_arena *arena, const char *text);
/* Lines of a header that say which coordinates do not turn: "translational=NAME,..", "coupled=..",
 * both there even if empty, for those who draw the table; in the arena. */
const char *fb_fbsim_motions(fb_arena *arena, const fb_simulation *simulation);
/* The lines of a table's header that say what made it from which model; in the table's arena. */
const char *fb_fbsim_header(fb_sto *table, const fb_simulation *simulation);
/* Makes the folder of --out, if it is given; FB_E_OUTPUT with a message if it cannot be. */
fb_status fb_fbsim_make_folder(const fb_cli *cli);
/* Writes a table to a file, NULL for standard output. */
fb_status fb_fbsim_write(fb_cli *cli, const fb_sto *table, const char *header, const char *file);

#endif
