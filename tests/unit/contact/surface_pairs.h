// surface_pairs.h - surfaces and poses to test pairs with: a gap between two surfaces, evaluated as a scalar.
#pragma once

#include "check.h"
#include "contact/gap.h"
#include "joint/scalar.h"
#include "random_number.h"

typedef struct rig {
    uint64_t seed;
    flx_surface surface[2];
    flx_frame space[2];
    flx_frame2 plane[2];
    flx_gap gap;
    flx_scalar depth, slip[2];
} rig;

static inline v3 rig_some(rig *w, bool planar)
{
    double x = random_number(&w->seed), y = random_number(&w->seed), z = random_number(&w->seed);
    return v3_make(x, y, planar ? 0.0 : z);
}

static inline m33 rig_turn(rig *w, bool planar)
{
    double angle = 3.0 * random_number(&w->seed);
    return quat_to_m33(quat_exp(planar ? v3_make(0, 0, angle) : v3_scale(2.0, rig_some(w, false))));
}

// A surface somewhere on its body; of planar models with its third axis out of the plane, but the normal of a
// plane and the axis of a capsule.
static inline flx_surface rig_surface(rig *w, const flx_surface_kind *kind, bool planar)
{
    flx_surface s = {.kind = kind};
    for (int k = 0; k < 3; k++) s.size[k] = 0.4 + 0.2 * random_number(&w->seed);
    s.skin = 0.1 + 0.05 * random_number(&w->seed);
    v3_store(s.at, v3_scale(0.3, rig_some(w, planar)));
    m33 A = rig_turn(w, planar);
    bool in_plane = kind->value == FLX_SURFACE_NORMAL || kind->value == FLX_SURFACE_ROUND;
    if (planar && in_plane) A = m33_from_cols(m33_col(A, 1), m33_col(A, 2), m33_col(A, 0));
    m33_store(s.axes, A);
    return s;
}

// From the frames of the plane those of space.
static inline void rig_embed(rig *w)
{
    for (int i = 0; i < 2; i++) w->space[i] = flx_frame_of_plane(w->plane + i);
}

static inline void rig_pose(rig *w, bool planar)
{
    for (int i = 0; i < 2; i++) {
        v3 r = rig_some(w, planar);
        double angle = 3.0 * random_number(&w->seed);
        w->plane[i] =
            (flx_frame2){.x = r.x, .y = r.y, .angle = angle, .c = cos(angle), .s = sin(angle)};
        v3_store(w->space[i].r, r);
        m33_store(w->space[i].R, rig_turn(w, planar));
    }
    if (planar) rig_embed(w);
}

static inline void rig_scalars(rig *w, bool planar)
{
    flx_scalar s = {.kind = FLX_SCALAR_GAP, .turn = -1, .gap = &w->gap};
    for (int i = 0; i < 2; i++) {
        s.e.frame[i] = i;
        s.e.nv[i] = planar ? 3 : 6;
        s.e.v[i] = s.e.nv[0] * i;
    }
    w->depth = s;
    s.kind = FLX_SCALAR_SLIP;
    for (int i = 0; i < 2; i++) {
        s.along = i;
        w->slip[i] = s;
    }
}

static inline flx_frames rig_frames(rig *w, bool planar)
{
    return (flx_frames){planar ? NULL : w->space, planar ? w->plane : NULL};
}

// Motion k of body i by h, as the coordinates of systems do it.
static inline rig rig_moved(const rig *w, bool planar, int i, int k, double h)
{
    rig out = *w;
    double e[6] = {0};
    e[k] = h;
    if (planar) {
        flx_frame2 *f = out.plane + i;
        f->x += e[0];
        f->y += e[1];
        f->angle += e[2];
        f->c = cos(f->angle);
        f->s = sin(f->angle);
        rig_embed(&out);
    } else {
        flx_frame *f = out.space + i;
        v3_add_to(f->r, 1.0, v3_load(e));
        m33_store(f->R, m33_mul(m33_load(f->R), quat_to_m33(quat_exp(v3_load(e + 3)))));
    }
    return out;
}

// Largest differences between derivatives and difference quotients of value and rows.
typedef struct rig_errors {
    double gradient, second, slip;
} rig_errors;

static inline void rig_larger(double *most, double x)
{
    if (!(fabs(x) <= *most)) *most = fabs(x);
}

// From values at -2h, -h, h, 2h, of fourth order.
static inline double rig_quotient(double a, double b, double c, double d, double h)
{
    return (a - 8.0 * b + 8.0 * c - d) / (12.0 * h);
}

static inline void rig_compare(const rig *w, bool planar, const flx_scalar *of, rig_errors *e)
{
    const double h = 1e-4;
    flx_jet j, s[4] = {{0}};
    rig at = *w;
    bool slip = of->kind == FLX_SCALAR_SLIP;
    flx_scalar_jet(of, rig_frames(&at, planar), NULL, &j);
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < of->e.nv[i]; c++) {
            for (int k = 0; k < 4; k++) {
                rig m = rig_moved(w, planar, i, c, (k < 2 ? k - 2 : k - 1) * h);
                flx_scalar_gradient(of, rig_frames(&m, planar), NULL, s + k);
            }
            double G = rig_quotient(s[0].value, s[1].value, s[2].value, s[3].value, h);
            if (!slip) rig_larger(&e->gradient, j.g[i][c] - G);
            for (int b = 0; b < 2; b++) {
                for (int r = 0; r < of->e.nv[b]; r++) {
                    double K =
                        rig_quotient(s[0].g[b][r], s[1].g[b][r], s[2].g[b][r], s[3].g[b][r], h);
                    rig_larger(slip ? &e->slip : &e->second, j.K[b][i][6 * r + c] - K);
                }
            }
        }
    }
}

// Of depth and slips together.
static inline rig_errors rig_check(const rig *w, bool planar)
{
    rig_errors e = {0};
    rig_compare(w, planar, &w->depth, &e);
    for (int i = 0; i < (planar ? 1 : 2); i++) rig_compare(w, planar, w->slip + i, &e);
    return e;
}

// The scalars point into the rig: it must not be copied without this.
static inline bool rig_connect(rig *w, uint64_t feature, bool planar)
{
    rig_scalars(w, planar);
    return flx_gap_init(&w->gap, w->surface, w->surface + 1, feature, planar);
}
