// page_particles.c - particles of a result in a page: places as whole numbers of a box, the same particles in every frame.
#include "page/page_particles.h"
#include "page/page_pack.h"

#include <math.h>

#define MOST_FRAMES 200
#define LEAST_FRAMES 40
#define MOST_PLACES 4e6 // of all frames
#define FINEST 65535.0

typedef struct extent {
    float low[3], high[3], radius, speed;
    int most; // particles of a frame
} extent;

static flx_status look(flx_result *r, int stride, extent *e)
{
    *e = (extent){.low = {HUGE_VALF, HUGE_VALF, HUGE_VALF},
                  .high = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};
    for (int i = 0; i < flx_result_frames(r); i += stride) {
        double t;
        flx_particle_frame f;
        FLX_TRY(flx_result_particles(r, i, &t, &f));
        if (f.count > e->most) e->most = f.count;
        for (int k = 0; k < f.count; k++) {
            e->radius = fmaxf(e->radius, f.radii[k]);
            e->speed = fmaxf(e->speed, f.speeds[k]);
            for (int c = 0; c < 3; c++) {
                e->low[c] = fminf(e->low[c], f.positions[3 * k + c]);
                e->high[c] = fmaxf(e->high[c], f.positions[3 * k + c]);
            }
        }
    }
    for (int c = 0; c < 3; c++) {
        if (!(e->low[c] <= e->high[c])) e->low[c] = e->high[c] = 0.0F;
    }
    return FLX_OK;
}

static int whole(float x, float low, float high)
{
    double s = high > low ? ((double)x - (double)low) / ((double)high - (double)low) : 0.0;
    return (int)lround(FINEST * fmin(fmax(s, 0.0), 1.0));
}

// Of frame f the particles whose label is a multiple of `every`.
static int put_frame(const flx_particle_frame *f, int every, const extent *e, int *room,
                     flx_text *numbers)
{
    int n = 0;
    for (int c = 0; c < 5; c++) {
        n = 0;
        for (int k = 0; k < f->count; k++) {
            if (f->labels[k] % every != 0) continue;
            room[n++] = c < 3    ? whole(f->positions[3 * k + c], e->low[c], e->high[c])
                        : c == 3 ? whole(f->radii[k], 0.0F, e->radius)
                                 : whole(f->speeds[k], 0.0F, e->speed);
        }
        flx_pack_ints(numbers, n, room, 2);
    }
    return n;
}

static void put_three(flx_text *t, const char *key, const float x[3])
{
    flx_text_print(t, ", \"%s\": [", key);
    for (int c = 0; c < 3; c++) {
        if (c > 0) flx_text_put(t, ", ");
        flx_text_put_number(t, (double)x[c]);
    }
    flx_text_put(t, "]");
}

flx_status flx_page_particles_put(flx_result *r, double part, flx_text *header, flx_text *numbers)
{
    int frames = flx_result_frames(r), stride = (frames + MOST_FRAMES - 1) / MOST_FRAMES;
    extent e;
    if (frames == 0) return FLX_OK;
    FLX_TRY(look(r, stride, &e));
    double most = fmax(part * MOST_PLACES, 1.0);
    int fit = e.most > 0 && most / e.most < MOST_FRAMES ? (int)(most / e.most) : MOST_FRAMES;
    int few = fit > LEAST_FRAMES ? fit : LEAST_FRAMES; // frames go first, then particles
    if ((frames + few - 1) / few > stride) stride = (frames + few - 1) / few;
    int kept = (frames + stride - 1) / stride;
    double all = (double)kept * e.most;
    int every = all > most ? (int)ceil(all / most) : 1;
    int *room = flx_alloc(header->ctx, (size_t)e.most + 1, sizeof *room);
    if (!room) return FLX_ERR_MEMORY;
    flx_text_print(header,
                   ", \"particles\": {\"every\": %d, \"most\": %d, \"stride\": %d, \"stored\": %d",
                   every, e.most, stride, frames);
    put_three(header, "low", e.low);
    put_three(header, "high", e.high);
    flx_text_put(header, ", \"radius\": ");
    flx_text_put_number(header, (double)e.radius);
    flx_text_put(header, ", \"speed\": ");
    flx_text_put_number(header, (double)e.speed);
    flx_text_put(header, ", \"frames\": [");
    flx_status status = FLX_OK;
    for (int i = 0; i < frames && status == FLX_OK; i += stride) {
        double t;
        flx_particle_frame f;
        status = flx_result_particles(r, i, &t, &f);
        if (status != FLX_OK) break;
        flx_text_put(header, i > 0 ? ", [" : "[");
        flx_text_put_number(header, t);
        flx_text_print(header, ", %d]", put_frame(&f, every, &e, room, numbers));
    }
    flx_text_put(header, "]}");
    flx_free(room);
    return status;
}
