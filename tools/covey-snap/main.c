/* covey-snap: inspects images of worlds. The commands and their help. */
#include "snap.h"

#include <errno.h>

static const char general_help[] = "usage: covey-snap COMMAND [options] FILE...\n"
                                   "\n"
                                   "Shows, checks, compares and exports images that Covey saved.\n"
                                   "\n"
                                   "  info FILE              the contents of an image: versions, counts, bytes\n"
                                   "  verify FILE...         whether images are valid and can be loaded\n"
                                   "  diff A B               which entities and fields differ\n"
                                   "  export FILE [TYPE...]  components as CSV\n"
                                   "  query FILE TERM...     which entities have these components and values\n"
                                   "  serve FILE             inspect an image with a browser\n"
                                   "\n"
                                   "  covey-snap COMMAND --help    the options of a command\n"
                                   "  covey-snap --version         the version of this program, and of the format\n"
                                   "\n"
                                   "Exit status: 0; 1 if an image is damaged (verify) or two differ (diff);\n"
                                   "2 on other errors.\n";

#define SHARED_HELP                                                                   \
    "  --limit-bytes N     the most memory an image may take (default: 64M plus 64\n" \
    "                      times the file size; 0: no limit)\n"                       \
    "  --limit-entities N  entities that an image may have (default 0: no limit)\n"   \
    "  --progress          show progress even if stderr is not a terminal\n"          \
    "  -h, --help          print this and exit\n"                                     \
    "\n"                                                                              \
    "N may end with K, M or G, for powers of 1024.\n"

static const char info_help[] = "usage: covey-snap info [options] FILE\n"
                                "\n"
                                "Prints the contents of an image, a line for each section. Checks only what it\n"
                                "prints; verify checks everything.\n"
                                "\n"
                                "  --json              print JSON\n"
                                "  --fields            also print the fields of types; loads the image\n" SHARED_HELP;

static const char verify_help[] = "usage: covey-snap verify [options] FILE...\n"
                                  "\n"
                                  "Loads each image and prints \"ok\", or what is wrong, with the number of the\n"
                                  "fault and the offset of the byte in the decompressed image. Exit status: 1 if\n"
                                  "an image is damaged, 2 if one could not be read or exceeds the limits.\n"
                                  "\n" SHARED_HELP;

static const char diff_help[] =
    "usage: covey-snap diff [options] A B\n"
    "\n"
    "Prints how the second image differs from the first: entities, components,\n"
    "fields, names, parents, disabled state, resources and types.\n"
    "Exit status: 0 if they are equal, 1 if they differ.\n"
    "\n"
    "  --brief             print only the summary\n"
    "  --limit N           print at most N differences\n"
    "  --ticks             also compare ticks, of the world and of each value\n" SHARED_HELP;

static const char export_help[] =
    "usage: covey-snap export [options] FILE [TYPE...]\n"
    "\n"
    "Writes components as CSV: a file for each type, a row for each entity, a\n"
    "column for each field. Exports all types if no TYPE is given.\n"
    "\n"
    "  -o, --output PATH   write to a file; or to files named after the types in a\n"
    "                      folder, which is created if necessary. Without this\n"
    "                      option, a single type is written to standard output\n" SHARED_HELP;

static const char query_help[] = "usage: covey-snap query [options] FILE TERM...\n"
                                 "\n"
                                 "Prints the entities that fulfil all terms, by index, as CSV: a column for each\n"
                                 "field of the types that the terms name. A term is one of these, in quotes for\n"
                                 "the shell:\n"
                                 "\n"
                                 "  'Body'  '!Body'        entities that have a component; that do not\n"
                                 "  'Body.mass >= 10'      = != < <= > >= compare a number or a text\n"
                                 "  'Body.hits[2] = 1..5'  a number from 1 to 5, both included\n"
                                 "  'Body.owner = 12:1'    an entity, or null; 'Body.asleep = true' a bool\n"
                                 "  'Body.label ~ red'     a text that contains words, in any order and case\n"
                                 "  'name = ship'          the name of the entity; 'name' and '!name' whether it\n"
                                 "                         has one\n"
                                 "\n"
                                 "  --json              print JSON\n"
                                 "  --count             print only how many there are\n"
                                 "  --limit N           print at most N entities\n" SHARED_HELP;

static const char serve_help[] = "usage: covey-snap serve [options] FILE\n"
                                 "\n"
                                 "Serves a page that shows an image, on this machine only, and prints its\n"
                                 "address for a browser. The image cannot be changed. Press Ctrl-C to stop.\n"
                                 "\n"
                                 "  --port N            the port to listen on (default 0: a free one)\n"
                                 "  --open              start a browser, with xdg-open\n" SHARED_HELP;

typedef struct command {
    const char *name, *help;
    unsigned options;
    int least, most; /* operands, */
    const char *needs;
    int (*run)(const snap_settings *settings);
} command;

static const command commands[] = {
    { "info", info_help, SNAP_JSON | SNAP_FIELDS, 1, 1, "a file", snap_info },
    { "verify", verify_help, 0, 1, INT32_MAX, "a file", snap_verify },
    { "diff", diff_help, SNAP_BRIEF | SNAP_LIMIT | SNAP_TICKS, 2, 2, "two files", snap_diff },
    { "export", export_help, SNAP_OUTPUT, 1, INT32_MAX, "a file", snap_export },
    { "query", query_help, SNAP_JSON | SNAP_COUNT | SNAP_LIMIT, 2, INT32_MAX, "a file and a term", snap_query },
    { "serve", serve_help, SNAP_PORT | SNAP_OPEN, 1, 1, "a file", snap_serve },
};

static int say(const char *text) {
    fputs(text, stdout);
    return SNAP_FINE;
}

static int run(const command *c, char **arguments) {
    snap_settings settings;
    if (!snap_options_read(&settings, arguments, c->options | SNAP_ALWAYS)) return SNAP_TROUBLE;
    if (settings.options & SNAP_HELP) return say(c->help);
    if (settings.operand_count < c->least) return snap_trouble("%s needs %s; see --help", c->name, c->needs);
    if (settings.operand_count > c->most)
        return snap_trouble("unexpected argument %s; see covey-snap %s --help", settings.operands[c->most], c->name);
    return c->run(&settings);
}

static int start(char **arguments) {
    const char *word = arguments[0] && arguments[1] ? arguments[1] : NULL;
    if (!word) return snap_trouble("no command given; see --help");
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return say(general_help);
    if (strcmp(word, "--version") == 0) {
        uint32_t version = covey_version();
        printf("covey-snap %u.%u.%u, format %d\n", version / 10000, version / 100 % 100, version % 100,
               COVEY_IMAGE_VERSION);
        return SNAP_FINE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(word, commands[i].name) == 0) return run(&commands[i], arguments + 2);
    return snap_trouble("unknown %s %s; see --help", word[0] == '-' ? "option" : "command", word);
}

int main(int count, char **arguments) {
    (void)count;
    int status = start(arguments);
    if (fflush(stdout) != 0 || ferror(stdout)) return snap_trouble("cannot write: %s", strerror(errno));
    return status;
}
