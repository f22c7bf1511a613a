#include <signal.h>

#include "tools/cli.h"

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of writing, not a death */
    signal(SIGXFSZ, SIG_IGN); /* a file that grew too large likewise */
    return fb_retarget_main(argc, argv, stdin, stdout, stderr);
}
