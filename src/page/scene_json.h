// scene_json.h - a scene as JSON, for the page.
#pragma once

#include "base/text.h"
#include "flexion/scene.h"

void flx_scene_put_json(flx_text *t, const flx_scene *s);
