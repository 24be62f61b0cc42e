/* A program that looks into its world, where the inspector was built. */
#include <covey/inspect.h>
#include <stdio.h>

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_inspector *inspector = covey_inspect_open(world, NULL);
    if (!inspector || covey_inspect_poll(inspector) != 1) return 1;
    printf("%.17s\n", covey_inspect_address(inspector));
    covey_inspect_close(inspector);
    covey_world_destroy(world);
    return 0;
}
