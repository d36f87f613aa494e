#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Limits the number of tests that Swift Testing runs in parallel to four per processor.
//
// By default, all tests start at once. On a slow machine, a test then waits minutes for a thread, and the real
// timeouts of its requests elapse. Swift Testing has only this variable for the limit, and reads it when the tests
// start; a value that is already set is kept.
__attribute__((constructor)) static void limit_parallel_tests(void) {
    char width[16];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(width, sizeof width, "%ld", processors > 0 ? 4 * processors : 8);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
