/* Replication: a server changes its world and sends images through a pipe; a client follows. Entities of the server are
 * updated in the client; its own entities and components stay. */
#include <covey/image.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    int32_t frame; /* of an animation: only the client has it */
} Sprite;
COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position, .ticks = true);
COVEY_COMPONENT_DEFINE(Sprite, .transient = true);

static const covey_type *const types[] = { covey_id(Position), NULL };

static void must(bool done) {
    if (!done) exit(EXIT_FAILURE);
}

/* ---- The server ---------------------------------------------------------------------------------------------------*/

static void send_world(covey_world *world, int to, const covey_save_desc *desc) {
    covey_buffer image = { 0 };
    must(covey_save_to_buffer(world, &image, desc, NULL) == COVEY_OK);
    must(write(to, &image.size, sizeof image.size) == sizeof image.size);
    must(write(to, image.bytes, image.size) == (ssize_t)image.size);
    covey_buffer_free(&image);
}

static void serve(int to) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[3];
    must(covey_create_many(world, e, 3));
    for (uint32_t i = 0; i < 3; i++) covey_add(world, e[i], Position, { (float)i, 0 });
    send_world(world, to, NULL);

    uint64_t sent = covey_tick(world); /* later images have only what changed after this tick */
    covey_tick_advance(world);
    covey_set(world, e[0], Position, { 10, 5 });
    covey_destroy(world, e[2]);
    send_world(world, to, &(covey_save_desc){ .changed_since = sent });
    covey_world_destroy(world);
}

/* ---- The client ---------------------------------------------------------------------------------------------------*/

static bool receive(int from, covey_buffer *image) {
    size_t size, more = 0;
    if (read(from, &size, sizeof size) != sizeof size || size > image->capacity) return false;
    for (image->size = 0; image->size < size; image->size += more) {
        ssize_t got = read(from, image->bytes + image->size, size - image->size);
        if (got <= 0) return false;
        more = (size_t)got;
    }
    return true;
}

static void show(covey_entity e, const Position *position, const Sprite *sprite) {
    printf("  %u at %g, %g%s\n", e.index, (double)position->x, (double)position->y, sprite ? ", with a sprite" : "");
}

static void follow(int from) {
    static unsigned char memory[4096];
    covey_buffer image = { .bytes = memory, .capacity = sizeof memory };
    covey_world *world = covey_world_create(NULL);
    covey_follower *follower = covey_follower_create(world);
    covey_load_desc desc = { .types = types, .limit_entities = 1000, .limit_bytes = 1 << 20 };
    covey_create(world); /* an entity of the client only */
    while (receive(from, &image)) {
        covey_report report;
        must(covey_follow_from_memory(follower, image.bytes, image.size, &desc, &report) == COVEY_OK);
        printf("%u entities\n", covey_entity_count(world));
        covey_pool *positions = covey_pool_of(world, Position);
        for (uint32_t p = covey_pool_next(positions, 0); p != COVEY_NONE; p = covey_pool_next(positions, p + 1)) {
            covey_entity e = covey_pool_at(positions, p);
            show(e, covey_pool_value_at(positions, p, Position), covey_get(world, e, Sprite));
            covey_set(world, e, Sprite, { 0 }); /* later images do not change it */
        }
    }
    must(covey_entity_count(world) == 3);
    covey_follower_destroy(follower);
    covey_world_destroy(world);
}

int main(void) {
    int ends[2], status;
    must(pipe(ends) == 0);
    pid_t server = fork();
    must(server >= 0);
    if (server == 0) {
        close(ends[0]);
        serve(ends[1]);
        return EXIT_SUCCESS;
    }
    close(ends[1]);
    follow(ends[0]);
    return waitpid(server, &status, 0) == server && status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
