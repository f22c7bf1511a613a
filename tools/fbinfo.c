#include "tools/cli.h"
int fb_fbinfo_main(int argc, char **argv, FILE *in, FILE *out, FILE *err) {(void)argc;(void)argv;(void)in;(void)out;(void)err;return 0;}
