// slope.c - differences with their errors; see slope.h.
#include "math/slope.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LEVELS 11
#define AGREE 1e-11 // derivatives of two steps, as a part of themselves
#define ROUGH 1e-4
#define NOISE 64.0   // eps of the largest value: rounding of f
#define MUCH 1e3     // ... that is no accident
#define UNKNOWN 30.0 // times the error of a derivative that says nothing
#define CORNER 1e-3  // difference of the slopes of both sides, as a part of the slope

typedef struct parts {
    double *f[4];         // at h, -h, 2h, -2h
    double *last, *error; // derivative of the step before; of the best
    double *bend, *size;  // difference of both sides of the step before; largest |f|
    double *corner;       // of those that have one
    int known;            // steps before this one
} parts;

static flx_status evaluate(flx_slope *s, parts *p, double h)
{
    static const double places[4] = {1.0, -1.0, 2.0, -2.0};
    for (int k = 0; k < 4; k++) {
        FLX_TRY(s->eval(s->user, places[k] * h, p->f[k]));
        for (int i = 0; i < s->n; i++) {
            if (!isfinite(p->f[k][i])) return FLX_NOT_FINITE;
            p->size[i] = fmax(p->size[i], fabs(p->f[k][i]));
        }
    }
    return FLX_OK;
}

// Both sides have slopes of their own, however near they are.
static void look_for_corner(flx_slope *s, parts *p, int i, double h, double slope)
{
    double bend = fabs(p->f[0][i] + p->f[1][i] - 2.0 * s->f0[i]) / (2.0 * h);
    bool stays = p->known > 0 && bend > 0.5 * p->bend[i] && bend < 2.0 * p->bend[i]; // noise grows
    bool shows = bend > CORNER * fabs(slope) && bend * h > MUCH * DBL_EPSILON * p->size[i];
    if (stays && shows) {
        s->cornered = i;
        p->corner[i] = bend;
    }
    p->bend[i] = bend;
}

// One step more; *go_on: some derivative is not good yet.
static void take_step(flx_slope *s, parts *p, double h, double *out, bool *go_on)
{
    *go_on = p->known == 0;
    for (int i = 0; i < s->n; i++) {
        double d = (8.0 * (p->f[0][i] - p->f[1][i]) - (p->f[2][i] - p->f[3][i])) / (12.0 * h);
        double noise = NOISE * DBL_EPSILON * p->size[i] / h, e = fabs(d - p->last[i]);
        look_for_corner(s, p, i, h, d);
        if (p->known == 0) {
            out[i] = d;
            p->error[i] = HUGE_VAL;
        } else if (e < p->error[i]) {
            out[i] = e > noise ? d : p->last[i]; // the longer step has less rounding
            p->error[i] = e;
        }
        *go_on = *go_on || p->error[i] > fmax(MUCH * noise, AGREE * fabs(d));
        p->last[i] = d;
    }
    p->known++;
}

flx_status flx_slope_find(flx_slope *s, double *out)
{
    size_t n = (size_t)s->n;
    double *at = s->scratch, h = s->step;
    parts p = {.f = {at, at + n, at + 2 * n, at + 3 * n},
               .last = at + 4 * n,
               .error = at + 5 * n,
               .bend = at + 6 * n,
               .size = at + 7 * n,
               .corner = at + 8 * n};
    bool go_on = true;
    s->rough = s->cornered = -1;
    s->error = p.error;
    s->bend = p.corner;
    s->size = p.size;
    for (size_t i = 0; i < n; i++) {
        p.size[i] = fabs(s->f0[i]);
        p.corner[i] = 0.0;
    }
    for (int k = 0; k < LEVELS && go_on; k++, h *= 0.25) {
        flx_status status = evaluate(s, &p, h);
        if (status > 0) continue;
        FLX_TRY(status);
        take_step(s, &p, h, out, &go_on);
    }
    if (p.known == 0) return FLX_NO_CONVERGENCE;
    for (int i = 0; i < s->n; i++) {
        bool large = p.error[i] * s->step > MUCH * sqrt(DBL_EPSILON) * ROUGH * p.size[i];
        if (p.error[i] > ROUGH * fabs(out[i]) && large) s->rough = i;
    }
    return FLX_OK;
}

bool flx_slope_is_rounding(const flx_slope *s, int i, double derivative)
{
    double noise = NOISE * DBL_EPSILON * s->size[i] / s->step;
    double off = isfinite(s->error[i]) ? UNKNOWN * s->error[i] : 0.0;
    return fabs(derivative) <= fmax(off, noise);
}

void flx_slope_clear(flx_slope *s, int i, double *out)
{
    double *error = s->scratch + (s->error - s->scratch),
           *bend = s->scratch + (s->bend - s->scratch);
    out[i] = error[i] = bend[i] = 0.0;
}
