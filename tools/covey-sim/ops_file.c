/* Files: saves that replace a file in one step, whatever fails and wherever the process is killed, and loads of what is
 * there. Each side has a file of its own. */
#define _DEFAULT_SOURCE
#include "os_fail.h"
#include "sim_image.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct sim_files {
    unsigned char *bytes; /* of the file; NULL: there is none */
    size_t size;
    naive_world *naive; /* what is in it */
    bool used;          /* there may be files of this name in the folder */
};

/* ---- The folder ---------------------------------------------------------------------------------------------------*/

static const char *folder_of(long process, char *path, size_t size) {
    const char *below = getenv("TMPDIR");
    snprintf(path, size, "%s/covey-sim-%ld", below ? below : "/tmp", process);
    return path;
}

/* The folder of this process, which exists from the first call on. A process that is forked to be killed uses it. */
static const char *folder(void) {
    static char path[200];
    if (path[0] == '\0' && mkdir(folder_of((long)getpid(), path, sizeof path), 0700) != 0) {
        perror(path);
        exit(2);
    }
    return path;
}

static void remove_folder(const char *path) {
    char file[600];
    DIR *entries = opendir(path);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.') unlink(file);
    }
    closedir(entries);
    rmdir(path);
}

void sim_files_remove(long process) {
    char path[200];
    remove_folder(folder_of(process, path, sizeof path));
}

static const char *path_of(const sim *s, const sim_side *side) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%u.covey", folder(), (unsigned)(side - s->sides));
    return path;
}

/* Temporary files: their names continue that of the file. Counts them, and removes them if that is wanted. */
static uint32_t leftovers(const char *path, bool removes) {
    const char *name = strrchr(path, '/') + 1;
    char file[600];
    uint32_t count = 0;
    DIR *entries = opendir(folder());
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, name, strlen(name)) != 0 || strcmp(entry->d_name, name) == 0) continue;
        count++;
        snprintf(file, sizeof file, "%s/%s", folder(), entry->d_name);
        if (removes) unlink(file);
    }
    if (entries) closedir(entries);
    return count;
}

/* ---- What is in a file --------------------------------------------------------------------------------------------*/

/* All bytes of a file, as the system has them; NULL: there is none. */
static unsigned char *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat found;
    if (!file) return NULL;
    if (fstat(fileno(file), &found) != 0) abort();
    *size = (size_t)found.st_size;
    unsigned char *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) abort();
    fclose(file);
    return bytes;
}

static bool is_unchanged(const sim_files *files, const char *path) {
    size_t size = 0;
    unsigned char *bytes = read_bytes(path, &size);
    bool same = !bytes == !files->bytes && (!bytes || (size == files->size && memcmp(bytes, files->bytes, size) == 0));
    free(bytes);
    return same;
}

/* Whether the file, decompressed, is this image. */
static bool is_image(sim *s, const char *path, const sim_image *image) {
    covey_buffer got = { .allocator = test_allocator(&s->heap) };
    bool same = covey_file_read(path, 0, &got, NULL) == COVEY_OK && got.size == image->buffer.size &&
                memcmp(got.bytes, image->buffer.bytes, got.size) == 0;
    covey_buffer_free(&got);
    return same;
}

static void forget_file(sim_files *files) {
    free(files->bytes);
    naive_destroy(files->naive);
    *files = (sim_files){ .used = files->used };
}

static void was_replaced(sim_files *files, const char *path, const sim_image *image) {
    forget_file(files);
    files->bytes = read_bytes(path, &files->size);
    files->naive = naive_copy(image->naive);
}

/* ---- The part -----------------------------------------------------------------------------------------------------*/

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->files = calloc(1, sizeof *side->files);
    if (!side->files) abort();
}

static void end(sim *s, sim_side *side) {
    if (side->files->used) {
        unlink(path_of(s, side));
        leftovers(path_of(s, side), true);
    }
    forget_file(side->files);
    free(side->files);
}

static uint64_t in_force(const sim_side *side) { return side->files->bytes ? SIM_BIT(SIM_FILES) : 0; }

const sim_part sim_part_files = { .begin = begin, .end = end, .in_force = in_force };

/* ---- Saving -------------------------------------------------------------------------------------------------------*/

/* Every second plan lets nothing fail. */
static os_plan pick_plan(uint32_t n) {
    static const int errors[] = { EIO, ENOSPC };
    os_plan plan = { .error = errors[n / 2 % 2], .how = (os_how)(n / 4 % 3), .for_good = n / 12 % 2 == 0 };
    if (n % 2 == 0) plan.at = 1 + n / 24 % 12;
    return plan;
}

/* The plan in words. */
static const char *plan_text(const os_plan *plan) {
    static const char *const hows[] = { "fails", "is interrupted", "does a part", "ends the process" };
    static char text[80];
    snprintf(text, sizeof text, "; call %u %s%s", plan->at, hows[plan->how],
             plan->for_good ? ", and those that follow" : "");
    return plan->at != 0 ? text : "";
}

static void say_save(sim *s, const char *what, const sim_filter *filter, const os_plan *plan, int level) {
    sim_say(s, "%s: level %d, types %x, without %x, choose %x, since %llu%s", what, level, filter->types,
            filter->without, filter->choose, (unsigned long long)filter->since, plan_text(plan));
}

/* After the call: the file is the old one or the new one, and no temporary file is left that could be removed. */
static void check_file(sim *s, sim_side *side, const sim_image *image, covey_result result, const os_told *told) {
    const char *path = path_of(s, side);
    bool replaced = result == COVEY_OK || told->renamed;
    if (told->failed) sim_touch(s, SIM_FILES_FAIL);
    SIM_REQUIRE(s, result != COVEY_OK || !told->fatally, "a save succeeds, although a call failed");
    SIM_REQUIRE(s, replaced || is_unchanged(side->files, path), "a save that failed changed the file");
    SIM_REQUIRE(s, !replaced || is_image(s, path, image), "the file is not the image of the world");
    uint32_t left = leftovers(path, true);
    bool may_stay = told->not_removed || told->perhaps || result != COVEY_OK;
    left += !may_stay && sim_lies(s, SIM_LIE_LEFTOVER);
    SIM_REQUIRE(s, left == 0 || may_stay, "a save leaves %u temporary files", left);
    if (replaced && !sim_lies(s, SIM_LIE_FILE_KEPT)) was_replaced(side->files, path, image);
}

static void save_to_file(sim *s, sim_side *side, const sim_step *step) {
    sim_filter filter = sim_filter_of(side, step->b);
    os_plan plan = pick_plan(step->a);
    sim_saving saving;
    sim_image image;
    covey_report report;
    if (!sim_image_make(s, side, &filter, &image)) return;
    side->files->used = true;
    sim_saving_begin(s, &saving, side, &filter);
    saving.desc.zstd_level = step->c % 3 == 0 ? 1 + (int)(step->c / 3 % 3) : 0;
    say_save(s, "save_to_file", &filter, &plan, saving.desc.zstd_level);
    const char *path = path_of(s, side);
    os_begin(&plan);
    covey_result result = covey_save_to_file(side->world, path, &saving.desc, &report);
    os_told told = os_end();
    bool lacks_zstd = strstr(report.text, "no zstd") != NULL;
    bool unsure = told.perhaps && !told.fatally && result != COVEY_ERROR_MEMORY;
    sim_settle_result(s, result, unsure ? result : told.fatally || lacks_zstd ? COVEY_ERROR_FILE : COVEY_OK);
    test_fail_never(&s->heap);
    check_file(s, side, &image, result, &told);
    sim_image_free(&image);
}

/* ---- Killed while saving ------------------------------------------------------------------------------------------*/

/* Saves in another process, which ends at a call. Returns whether it came to the end. */
static bool save_and_die(sim *s, sim_side *side, const covey_save_desc *desc, const os_plan *plan) {
    int status = 0;
    const char *path = path_of(s, side);
    pid_t child = fork();
    if (child == 0) {
        os_begin(plan);
        _exit(covey_save_to_file(side->world, path, desc, NULL) == COVEY_OK ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    SIM_REQUIRE(s, code == 0 || code == OS_KILLED, "the process that saves ends with %d", code);
    return code == 0;
}

/* Either the old file is there or the new one. */
static void check_after_kill(sim *s, sim_side *side, const sim_image *image, bool finished) {
    const char *path = path_of(s, side);
    bool old = is_unchanged(side->files, path), replaced = is_image(s, path, image);
    if (!finished && sim_lies(s, SIM_LIE_KILL_TOO_LATE)) finished = true;
    SIM_REQUIRE(s, replaced || (old && !finished), "after a kill, the file is %s",
                finished ? "not the new one" : "neither the old nor the new one");
    if (replaced) was_replaced(side->files, path, image);
}

static void kill_save(sim *s, sim_side *side, const sim_step *step) {
    sim_filter filter = sim_filter_of(side, step->b);
    os_plan plan = { .at = 1 + step->a % 14, .how = OS_KILL };
    sim_saving saving;
    sim_image image;
    test_fail_never(&s->heap);
    if (!sim_image_make(s, side, &filter, &image)) return;
    side->files->used = true;
    sim_saving_begin(s, &saving, side, &filter);
    say_save(s, "kill_save", &filter, &plan, 0);
    sim_touch(s, SIM_FILES_FAIL);
    check_after_kill(s, side, &image, save_and_die(s, side, &saving.desc, &plan));
    sim_image_free(&image);
}

/* ---- Loading ------------------------------------------------------------------------------------------------------*/

/* What a load of a file is expected to return. */
static covey_result read_result(sim *s, const os_told *told, const sim_files *files) {
    if (told->failed) sim_touch(s, SIM_FILES_FAIL);
    return told->fatally || !files->bytes ? COVEY_ERROR_FILE : COVEY_OK;
}

static void load_from_file(sim *s, sim_side *side, const sim_step *step) {
    os_plan plan = pick_plan(step->a);
    sim_loading l;
    bool goes_on = step->b % 8 == 0;
    covey_world *world = sim_world_create(s);
    if (!world) return;
    sim_say(s, "load_from_file%s%s", goes_on ? ": the program goes on there" : "", plan_text(&plan));
    sim_loading_begin(s, &l, SIM_ALL_TYPES, 0);
    os_begin(&plan);
    covey_result result = covey_load_from_file(world, path_of(s, side), &l.desc, &l.report);
    os_told told = os_end();
    bool loaded = sim_settle_result(s, result, read_result(s, &told, side->files));
    test_fail_never(&s->heap);
    if (loaded) sim_compare_worlds(s, world, side->files->naive, "the world of a file");
    if (loaded && goes_on) {
        side->stale_count = 0; /* the file may be older than they are */
        sim_go_on_in(s, side, world, side->files->naive);
    } else covey_world_destroy(world);
}

/* The file of the other side, or, if that has none, of the same. */
static void merge_from_file(sim *s, sim_side *side, const sim_step *step) {
    os_plan plan = pick_plan(step->a);
    sim_side *other = sim_other_side(s), *from = other->files->bytes && step->b % 3 != 0 ? other : side;
    sim_loading l;
    if (from->files->naive && !sim_image_fits(side, from->files->naive)) return;
    sim_say(s, "merge_from_file: that of world %u%s", (unsigned)(from - s->sides), plan_text(&plan));
    sim_touch(s, SIM_MERGE);
    sim_loading_begin(s, &l, SIM_ALL_TYPES, 0);
    os_begin(&plan);
    covey_result result = covey_merge_from_file(side->world, path_of(s, from), &l.desc, &l.report);
    os_told told = os_end();
    covey_result expected = read_result(s, &told, from->files);
    if (expected == COVEY_OK) sim_merged(s, side, from->files->naive, &l, result);
    else sim_settle_result(s, result, expected);
}

const sim_operation sim_file_operations[] = {
    { "save_to_file", SIM_FILES, 8, save_to_file },
    { "kill_save", SIM_FILES, 2, kill_save },
    { "load_from_file", SIM_FILES, 4, load_from_file },
    { "merge_from_file", SIM_FILES, 4, merge_from_file },
    { NULL, 0, 0, NULL },
};
