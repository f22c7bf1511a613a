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
/* fbsim ik: the motion of --markers. Returns the exit status. */
int fb_fbsim_ik(fb_cli *cli);
/* fbsim scale: the model by --factor and --mass. Returns the exit status. */
int fb_fbsim_scale(fb_cli *cli);
/* fbsim id: generalised forces of the motion of --coordinates. Returns the exit status. */
int fb_fbsim_id(fb_cli *cli);
/* fbsim so: activations for the motion of --coordinates. Returns the exit status. */
int fb_fbsim_so(fb_cli *cli);

/* What a header says of geometric moment arms. */
#define FB_FBSIM_GEOMETRIC \
    "geometric, by central differences where a path is not the shortest over its surfaces"

/* --time-range T0,T1, either of which may be left out: infinite; false with a message if it is not
 * that. */
bool fb_fbsim_time_range(const fb_cli *cli, double range[2]);
/* --compat; `as_opensim4` is left as it is if it is not given; false with a message if it is
 * neither 'opensim4' nor 'none'. */
bool fb_fbsim_compat(const fb_cli *cli, bool *as_opensim4);
/* --coordinates of a command that needs it, and the model, "-" for standard input; false with a
 * message if the first is not given or both are standard input. */
bool fb_fbsim_motion_files(const fb_cli *cli, const char *command, const char **motion,
                           const char **model);
/* --moment-arms; false with a message if it is neither. */
bool fb_fbsim_moment_arms(fb_cli *cli, bool *geometric);
/* A text as one line, for headers. */
const char *fb_fbsim_plain(fb_arena *arena, const char *text);
/* Lines of a header that say which coordinates do not turn: "translational=NAME,..", "coupled=..",
 * both there even if empty, for those who draw the table; in the arena. */
const char *fb_fbsim_motions(fb_arena *arena, const fb_simulation *simulation);
/* The lines of a table's header that say what made it from which model; in the table's arena. */
const char *fb_fbsim_header(fb_sto *table, const fb_simulation *simulation);
/* ---- names and values of the command line (fbsim_names.c) -------------------------------------
 */

#define FB_FBSIM_MOST_SET 64 /* coordinates of --set: no more options are read */

/* What a coordinate's value is, of an added free joint's too. */
fb_motion fb_fbsim_motion(const fb_coordinate *coordinate);
/* The number of a coordinate by its name or component path; -1 with a message that names the model
 * and the nearest name if there is none. */
int fb_fbsim_coordinate(const fb_cli *cli, const fb_simulation *simulation, const char *file,
                        const char *name);
/* A value of a coordinate in n bytes, rad or m, or degrees with "deg" behind or `degrees`; false
 * with a message if it is none. */
bool fb_fbsim_coordinate_value(const fb_cli *cli, const fb_coordinate *coordinate, const char *text,
                               size_t n, bool degrees, double *value);
/* Says what holds a coordinate that is moved all the same, and frees it if it is prescribed. */
void fb_fbsim_tell_held(const fb_cli *cli, fb_simulation *simulation, const char *file,
                        int coordinate);
/* --set: changes the defaults of coordinates and adds their numbers to held[FB_FBSIM_MOST_SET].
 * False with a message for what is no NAME=VALUE, or, if it `must` be there, an unknown name. */
bool fb_fbsim_set(const fb_cli *cli, fb_simulation *simulation, const char *file, bool must,
                  int *held, int *n_held);
/* "set=NAME=VALUE,..\n" for headers, "" for none; in the arena. */
const char *fb_fbsim_set_line(fb_arena *arena, const fb_simulation *simulation, const int *held,
                              int n_held);
/* True if a muscle, or another owner of a path, is one of --muscle: by its name, its component
 * path, or a group's name. */
bool fb_fbsim_is_wanted(const fb_cli *cli, const fb_simulation *simulation,
                        const fb_element *element);
/* False with a message, which suggests another, if a name of --muscle selects no muscle (`paths`:
 * no path) of a model, nor of a second one (NULL: none). */
bool fb_fbsim_find_all(const fb_cli *cli, const fb_simulation *first, const fb_simulation *second,
                       const char *file, bool paths);

/* ---- output ---------------------------------------------------------------------------------- */

/* Makes the folder of --out, if it is given; FB_E_OUTPUT with a message if it cannot be. */
fb_status fb_fbsim_make_folder(const fb_cli *cli);
/* Writes a table to a file, NULL for standard output. */
fb_status fb_fbsim_write(fb_cli *cli, const fb_sto *table, const char *header, const char *file);

#endif
