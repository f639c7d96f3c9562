// particles_parts.h - what the files of this folder share.
#pragma once

#include "language/control/control_parts.h"
#include "model/particles_data.h"

// A wall as its name was declared.
typedef struct flx_wall_draft {
    const flx_entry *entry; // of `walls`
    const char *name;       // of the body in the model's own names
    flx_item *body;
    bool moves;
    int pose, load;
} flx_wall_draft;

typedef struct flx_particles_item {
    flx_control_data control; // first: names of what it became
    flx_item *com;            // its members are those of the centre of mass
    int event, sums;
    int nwall;
    flx_wall_draft *walls;
} flx_particles_item;

// fill_particles.c: places in regions, from below, with sizes that are random; into the block.
flx_status flx_particles_fill(flx_builder *b, flx_particles_block *p, int nregion,
                              const flx_region *regions, int count, flx_loc loc);

// light_walls.c: the largest speed that is given; warnings of walls that are light for an exchange.
double flx_particles_fastest(const flx_particles_block *p);
flx_status flx_particles_tell_light_walls(flx_builder *b, const flx_item *item,
                                          const flx_particles_block *p);
