/* The options of all commands: --name, --name VALUE or --name=VALUE. */
#include "snap.h"

typedef struct option {
    const char *name;
    unsigned option; /* the bit */
    bool has_value;
} option;

static const option known[] = {
    { "--help", SNAP_HELP, false },
    { "-h", SNAP_HELP, false },
    { "--progress", SNAP_PROGRESS, false },
    { "--limit-bytes", SNAP_LIMIT_BYTES, true },
    { "--limit-entities", SNAP_LIMIT_ENTITIES, true },
    { "--json", SNAP_JSON, false },
    { "--fields", SNAP_FIELDS, false },
    { "--brief", SNAP_BRIEF, false },
    { "--ticks", SNAP_TICKS, false },
    { "--limit", SNAP_LIMIT, true },
    { "--output", SNAP_OUTPUT, true },
    { "-o", SNAP_OUTPUT, true },
    { "--port", SNAP_PORT, true },
    { "--open", SNAP_OPEN, false },
    { "--count", SNAP_COUNT, false },
};

static const option *find(const char *argument, size_t length, unsigned options) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((known[i].option & options) && strlen(known[i].name) == length &&
            memcmp(known[i].name, argument, length) == 0)
            return &known[i];
    return NULL;
}

/* Digits, and K, M or G for powers of 1024. */
static bool read_number(const char *text, uint64_t *number) {
    static const char units[] = "KMG";
    const char *at = text;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (*number > (UINT64_MAX - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    if (at == text) return false;
    const char *unit = *at ? strchr(units, *at) : NULL;
    if (!unit) return *at == '\0';
    unsigned shift = 10u * (unsigned)(unit - units + 1);
    if (at[1] != '\0' || *number > UINT64_MAX >> shift) return false;
    *number <<= shift;
    return true;
}

static bool take_value(snap_settings *settings, const option *found, const char *value) {
    uint64_t *number = found->option == SNAP_LIMIT_BYTES      ? &settings->limit_bytes
                       : found->option == SNAP_LIMIT_ENTITIES ? &settings->limit_entities
                       : found->option == SNAP_PORT           ? &settings->port
                                                              : &settings->limit;
    if (found->option == SNAP_OUTPUT) {
        settings->output = value;
        return value[0] != '\0' || snap_trouble("%s needs a name", found->name) == SNAP_FINE;
    }
    return read_number(value, number) || snap_trouble("%s is not a number for %s", value, found->name) == SNAP_FINE;
}

/* Takes one option. Its value may be the next argument. */
static bool take_option(snap_settings *settings, char ***arguments, unsigned options) {
    const char *argument = **arguments;
    size_t length = argument[1] == '-' ? strcspn(argument, "=") : strlen(argument);
    const option *found = find(argument, length, options);
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (!found) return snap_trouble("unknown option %s; see --help", argument) == SNAP_FINE;
    if (value && !found->has_value) return snap_trouble("%s takes no value", found->name) == SNAP_FINE;
    settings->options |= found->option;
    if (!found->has_value) return true;
    if (!value) value = *++*arguments;
    if (!value) return snap_trouble("%s needs a value", found->name) == SNAP_FINE;
    return take_value(settings, found, value);
}

/* Moves operands to the front of `arguments`. "--" ends the options. */
bool snap_options_read(snap_settings *settings, char **arguments, unsigned options) {
    *settings = (snap_settings){ .operands = arguments };
    bool ended = false;
    for (char **at = arguments; *at; at++) {
        bool is_option = !ended && (*at)[0] == '-' && (*at)[1] != '\0';
        if (is_option && strcmp(*at, "--") == 0) ended = true;
        else if (!is_option) arguments[settings->operand_count++] = *at;
        else if (!take_option(settings, &at, options)) return false;
    }
    arguments[settings->operand_count] = NULL;
    if ((settings->options & SNAP_LIMIT_BYTES) && settings->limit_bytes == 0)
        settings->limit_bytes = UINT64_MAX; /* 0 would be the default of the library */
    return true;
}
