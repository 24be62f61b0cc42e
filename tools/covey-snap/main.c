/* covey-snap: looks into snapshots of worlds. The commands, and what --help says. */
#include "snap.h"

#include <errno.h>

static const char general_help[] = "usage: covey-snap COMMAND [options] FILE...\n"
                                   "\n"
                                   "Looks into snapshots that Covey has written.\n"
                                   "\n"
                                   "  info FILE              what is in a snapshot: versions, counts, bytes\n"
                                   "  verify FILE...         whether snapshots are whole and can be loaded\n"
                                   "  diff A B               which entities and fields differ\n"
                                   "  export FILE [TYPE...]  components as CSV\n"
                                   "  serve FILE             a page to look into a snapshot with a browser\n"
                                   "\n"
                                   "  covey-snap COMMAND --help    the options of a command\n"
                                   "  covey-snap --version         the version of this program, and of the format\n"
                                   "\n"
                                   "Exits with 0; with 1 if a snapshot is damaged (verify) or two differ (diff);\n"
                                   "with 2 if there is trouble.\n";

#define SHARED_HELP                                                                   \
    "  --limit-bytes N     memory that a snapshot may ask for (default 8G; 0: any)\n" \
    "  --limit-entities N  entities that a snapshot may have (default 0: any)\n"      \
    "  --progress          say how far it is, also if stderr is no terminal\n"        \
    "  -h, --help          print this and end\n"                                      \
    "\n"                                                                              \
    "N may end with K, M or G, for powers of 1024.\n"

static const char info_help[] = "usage: covey-snap info [options] FILE\n"
                                "\n"
                                "Prints what is in a snapshot: a line for each of its sections. Checks only what\n"
                                "it prints; verify checks all.\n"
                                "\n"
                                "  --json              as JSON\n"
                                "  --fields            the fields of types, too; for that, it is loaded\n" SHARED_HELP;

static const char verify_help[] = "usage: covey-snap verify [options] FILE...\n"
                                  "\n"
                                  "Loads each snapshot and says \"ok\"; or what is wrong, with the number of the\n"
                                  "fault and the offset of the byte, when decompressed. Exits with 1 if any is\n"
                                  "damaged, with 2 if any could not be read or asks for more than the limits\n"
                                  "allow.\n"
                                  "\n" SHARED_HELP;

static const char diff_help[] = "usage: covey-snap diff [options] A B\n"
                                "\n"
                                "Prints in what the second snapshot differs from the first: entities,\n"
                                "components, fields, names, parents, what is disabled, resources and the fields\n"
                                "of types. Exits with 0 if nothing does, with 1 if anything does.\n"
                                "\n"
                                "  --brief             only the summary\n"
                                "  --limit N           at most N lines, and the summary\n"
                                "  --ticks             ticks, too: of the world, and of each value\n" SHARED_HELP;

static const char export_help[] = "usage: covey-snap export [options] FILE [TYPE...]\n"
                                  "\n"
                                  "Writes the components of types as CSV: a file for each type, a line for each\n"
                                  "entity, a column for each field. Without a TYPE, those of all types.\n"
                                  "\n"
                                  "  -o, --output PATH   a file; or a folder, which is made if need be, for files\n"
                                  "                      named after the types. Without it, one type goes to the\n"
                                  "                      standard output\n" SHARED_HELP;

static const char serve_help[] = "usage: covey-snap serve [options] FILE\n"
                                 "\n"
                                 "Serves a page that looks into a snapshot, to this machine only, and prints its\n"
                                 "address: open it with a browser. Nothing can be changed. Ctrl-C ends it.\n"
                                 "\n"
                                 "  --port N            the port to listen on (default 0: one that is free)\n"
                                 "  --open              start a browser, with xdg-open\n" SHARED_HELP;

typedef struct command {
    const char *name, *help;
    unsigned options;
    int least, most; /* operands */
    int (*run)(const snap_settings *settings);
} command;

static const command commands[] = {
    { "info", info_help, SNAP_JSON | SNAP_FIELDS, 1, 1, snap_info },
    { "verify", verify_help, 0, 1, INT32_MAX, snap_verify },
    { "diff", diff_help, SNAP_BRIEF | SNAP_LIMIT | SNAP_TICKS, 2, 2, snap_diff },
    { "export", export_help, SNAP_OUTPUT, 1, INT32_MAX, snap_export },
    { "serve", serve_help, SNAP_PORT | SNAP_OPEN, 1, 1, snap_serve },
};

static int say(const char *text) {
    fputs(text, stdout);
    return SNAP_FINE;
}

static int run(const command *c, char **arguments) {
    snap_settings settings;
    if (!snap_options_read(&settings, arguments, c->options | SNAP_ALWAYS)) return SNAP_TROUBLE;
    if (settings.options & SNAP_HELP) return say(c->help);
    if (settings.operand_count < c->least)
        return snap_trouble("%s needs %s; --help shows how", c->name, c->least == 2 ? "two files" : "a file");
    if (settings.operand_count > c->most)
        return snap_trouble("%s is too much for %s; --help shows how", settings.operands[c->most], c->name);
    return c->run(&settings);
}

static int start(char **arguments) {
    const char *word = arguments[0] && arguments[1] ? arguments[1] : NULL;
    if (!word) return snap_trouble("which command? --help shows them");
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return say(general_help);
    if (strcmp(word, "--version") == 0) {
        uint32_t version = covey_version();
        printf("covey-snap %u.%u.%u, format %d\n", version / 10000, version / 100 % 100, version % 100,
               COVEY_IMAGE_VERSION);
        return SNAP_FINE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(word, commands[i].name) == 0) return run(&commands[i], arguments + 2);
    return snap_trouble("unknown %s %s; --help shows the commands", word[0] == '-' ? "option" : "command", word);
}

int main(int count, char **arguments) {
    (void)count;
    int status = start(arguments);
    if (fflush(stdout) != 0 || ferror(stdout)) return snap_trouble("cannot write: %s", strerror(errno));
    return status;
}
