/* Counts allocations of everything in the process, libraries' included, by standing in for the C
 * library's functions (glibc's inner names do the work). Sanitizers have their own, and count
 * nothing here. */
#include <stdlib.h>

#include "tests/properties/properties.h"

unsigned long allocation_count;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    allocation_count++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    allocation_count++;
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
    allocation_count++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocation_count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size) {
    allocation_count++;
    return (*to = __libc_memalign(alignment, size)) ? 0 : 12;
}
#endif

/* A stage, by number; false past the last. */
static bool run(subject *it, int stage) {
    fb_simulation *s = it->s;
    switch (stage) {
    case 0: fb_simulation_move(s); return true;
    case 1: fb_simulation_paths(s); return true;
    case 2:
        for (int i = 0; i < s->muscles->n; i++) {
            fb_simulation_equilibrate(s, i, FB_EQUILIBRIUM_OPENSIM4);
        }
        return true;
    case 3: fb_simulation_evaluate(s); return true;
    case 4: fb_simulation_accelerate(s, 0); return true;
    default: return false;
    }
}

/* Once every stage has run, none allocates again, in other poses either. */
void allocations(subject *it) {
    static const char *const names[] = {"move", "paths", "equilibrate", "evaluate", "accelerate"};
    for (int round = 0; round < 3 && random_pose(it, 1); round++) {
        for (int stage = 0;; stage++) {
            unsigned long before = allocation_count;
            if (!run(it, stage)) {
                break;
            }
            claim(it, round == 0 || allocation_count == before,
                  "fb_simulation_%s allocates %lu times", names[stage], allocation_count - before);
        }
    }
}
