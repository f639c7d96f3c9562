// scene_tables.h - the tables of a scene (flexion/scene.h), put together.
#pragma once

#include "base/common.h"
#include "flexion/scene.h"

// Gives every body its points, shapes and elastic data: rows of the tables, which are in the order of their bodies. Rows of no
// body, or out of order, belong to nobody.
void flx_scene_connect(flx_scene *s);
