#include <signal.h>

#include "tools/cli.h"

/* OpenBLAS's, if the program is linked with it: see fbsim_main.c. */
extern void openblas_set_num_threads(int n) __attribute__((weak));

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing, not a death */
    signal(SIGXFSZ, SIG_IGN); /* a file that grew too large likewise */
    if (openblas_set_num_threads) {
        openblas_set_num_threads(1);
    }
    return fb_retarget_main(argc, argv, stdin, stdout, stderr);
}
