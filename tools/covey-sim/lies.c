#include "sim.h"

static const char *const texts[] = { "nothing",
#define TEXT(name, text) text,
                                     SIM_LIES(TEXT)
#undef TEXT
};

static sim_lie chosen;

void sim_choose_lie(sim_lie lie) { chosen = lie; }

const char *sim_lie_text(sim_lie lie) { return texts[lie]; }

bool sim_lies(sim *s, sim_lie lie) {
    if (lie != chosen || s->lied) return false;
    s->lied = s->honest == 0;
    s->honest -= s->honest != 0;
    return s->lied;
}
