// model_scene.h - the model as a picture: what its bodies look like and where joints and forces act.
#pragma once

#include "flexion/scene.h"
#include "model/model_data.h"

// The scene, in the arena; names and some arrays are those of the model, which outlives it.
flx_status flx_scene_make(const flx_model *m, flx_arena *arena, flx_scene **out);

// ---- scene_shapes.c: shapes for bodies that were given none -------------------------------------

#define FLX_SCENE_SHAPES 12
#define FLX_SCENE_PLACES (FLX_SCENE_SHAPES - 1)

// Where joints and forces act on a body, body frame; the first FLX_SCENE_PLACES different ones.
typedef struct flx_places {
    double at[FLX_SCENE_PLACES][3];
    int n;
} flx_places;

// The largest extent of the mechanism in its initial configuration, in metres; 1 where it has none.
double flx_scene_size(const flx_model *m);
// Places of all frames: (flx_model_frames), zeroed before.
void flx_scene_find_places(const flx_model *m, double size, flx_places *places);
// Shapes that show where a body's joints are and how its mass is spread. Returns their number.
int flx_scene_shapes(const flx_model *m, int body, const flx_places *p, double size,
                     flx_shape shapes[FLX_SCENE_SHAPES]);

// ---- scene_solids.c: solids of large deformation -----------------------------------------------

bool flx_scene_is_solid_node(const flx_model *m, int body);
flx_status flx_scene_make_solids(const flx_model *m, flx_arena *arena, flx_scene *s);
