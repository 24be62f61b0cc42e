/* Calls of the operating system that the library makes for files, and that fail on request. The linker puts functions
 * in the place of open, write, fsync, rename and so on (--wrap); where it cannot, nothing fails. */
#ifndef COVEY_SIM_OS_FAIL_H
#define COVEY_SIM_OS_FAIL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum os_how {
    OS_ERROR,       /* with `error` */
    OS_INTERRUPTED, /* with EINTR */
    OS_PARTLY,      /* read and write transfer a part; other calls succeed */
    OS_KILL         /* the process ends: write writes a part before that */
} os_how;

enum { OS_KILLED = 77 }; /* the exit code of a process that ended at a call */

typedef struct os_plan {
    uint32_t at; /* the number of the call, from 1 on; 0: none */
    os_how how;
    int error;
    bool for_good; /* all calls from there on */
} os_plan;

/* What happened since os_begin. */
typedef struct os_told {
    uint32_t calls;
    bool failed;      /* a call did */
    bool fatally;     /* one that the library cannot ignore or repeat */
    bool perhaps;     /* one after which a save tries the next temporary name: it may succeed, and leave a file */
    bool leftovers;   /* of an earlier save were looked at */
    bool renamed;     /* a file has its new name */
    bool not_removed; /* unlink failed */
} os_told;

void os_begin(const os_plan *plan);
os_told os_end(void);

#endif
