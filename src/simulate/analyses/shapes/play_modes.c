// play_modes.c - modes as a motion; see play_modes.h.
//
//     theta(phi) = a Re(shape e^(i phi)),   phi from 0 to 2 pi                                     (PLAY-1)
// Amplitudes neither grow nor decay, so that damped modes are seen with their phases. Where positions leave the constraints,
// by the square of a, they are brought back (START-1).
#include "simulate/analyses/shapes/play_modes.h"
#include "base/number.h"
#include "flexion/extend/sink_table.h"

#include <math.h>
#include <string.h>

#define ROWS 40     // of one mode
#define LARGE 0.08  // displacement, part of the scene's size
#define TURNED 0.35 // rad, at most
#define PROBE 1e-3  // of an unknown in its scale, to measure a shape
#define NCOLUMN 4

typedef struct player {
    flx_task *t;
    flx_simulation *sim;
    const flx_modes *modes;
    const flx_system *s;
    flx_state *x;           // owned
    double *theta, *motion; // (nv) (2 x nmotion) owned
} player;

// Positions moved by a Re(shape e^(i phi)).
static void displace(player *p, int mode, double a, double phi)
{
    const double *re = p->modes->modes[mode].shape, *im = re + p->modes->nshape;
    double c = a * cos(phi), s = a * sin(phi);
    for (int i = 0; i < p->s->dims.nv; i++) p->theta[i] = c * re[i] - s * im[i];
    flx_state_copy(p->x, p->t->place.x);
    p->s->ops->retract(p->s, p->t->place.x->q, p->theta, p->x->q);
}

// ---- how large ------------------------------------------------------------------------------------------

static void measure_elastic(const player *p, const double *a, const double *b, double *moved)
{
    const flx_scene *scene = p->sim->info.scene;
    for (int e = 0; e < scene->nelastic; e++) {
        const flx_scene_elastic *of = scene->elastics + e;
        const flx_result_mesh *mesh = of->mesh >= 0 ? p->sim->info.meshes + of->mesh : NULL;
        int nmode = mesh ? mesh->nmode : of->nmode, nnode = mesh ? mesh->nnode : of->nnode;
        for (int n = 0; n < nnode; n++) {
            double u[3] = {0, 0, 0};
            for (int k = 0; k < nmode; k++) {
                double q = b[of->motion + k] - a[of->motion + k];
                size_t at = 3 * ((size_t)k * (size_t)nnode + (size_t)n);
                for (int c = 0; c < 3; c++)
                    u[c] += q * (mesh ? (double)mesh->modes[at + (size_t)c]
                                      : of->shapes[at + (size_t)c]);
            }
            *moved = fmax(*moved, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        }
    }
}

// How far places of the scene move from one row of the motion to another, and by which angle bodies turn at most.
static void measure(const player *p, const double *a, const double *b, double *moved,
                    double *turned)
{
    const flx_scene *scene = p->sim->info.scene;
    for (int i = 0; i < scene->nbody; i++) {
        const flx_scene_body *body = scene->bodies + i;
        if (body->motion < 0 || !body->place) continue;
        const double *u = a + body->motion, *v = b + body->motion;
        double dot = fabs(u[3] * v[3] + u[4] * v[4] + u[5] * v[5] + u[6] * v[6]);
        double chord = sqrt(fmax(0.0, 2.0 - 2.0 * fmin(dot, 1.0))); // exact for small angles
        *moved = fmax(*moved, hypot(hypot(v[0] - u[0], v[1] - u[1]), v[2] - u[2]));
        *turned = fmax(*turned, 2.0 * chord);
    }
    measure_elastic(p, a, b, moved);
}

// The factor of a shape with which it is seen; 0: it moves nothing that there is to see.
static flx_status find_amplitude(player *p, int mode, double *out)
{
    double moved = 0.0, turned = 0.0, *rest = p->motion, *now = p->motion + p->sim->info.nmotion;
    double size = p->sim->info.scene->size > 0.0 ? p->sim->info.scene->size : 1.0;
    FLX_TRY(flx_motion_eval(p->sim, p->t->place.x));
    memcpy(rest, p->sim->motion.out, (size_t)p->sim->info.nmotion * sizeof *rest);
    for (int part = 0; part < 2; part++) {
        displace(p, mode, PROBE, 0.5 * FLX_PI * part);
        FLX_TRY(flx_motion_eval(p->sim, p->x));
        memcpy(now, p->sim->motion.out, (size_t)p->sim->info.nmotion * sizeof *now);
        measure(p, rest, now, &moved, &turned);
    }
    moved /= PROBE;
    turned /= PROBE;
    double by_place = moved > 1e-9 * size ? LARGE * size / moved : HUGE_VAL;
    double by_angle = turned > 1e-7 ? TURNED / turned : HUGE_VAL;
    double a = fmin(by_place, by_angle);
    *out = isfinite(a) ? a : 0.0;
    return FLX_OK;
}

// ---- rows -----------------------------------------------------------------------------------------------

static flx_status put_row(player *p, double t, const double *values)
{
    FLX_TRY(flx_motion_eval(p->sim, p->x));
    for (int i = 0; i < p->t->nsink; i++) {
        flx_sink *s = p->t->sinks[i];
        if (s->type->motion) FLX_TRY(s->type->motion(s, p->sim->motion.out));
        FLX_TRY(s->type->row(s, t, values));
    }
    return FLX_OK;
}

static flx_status play(player *p)
{
    int n = p->modes->nmode;
    double a = 0.0;
    for (int i = 0; i <= n * ROWS; i++) {
        int mode = i < n * ROWS ? i / ROWS : n - 1, row = i - mode * ROWS;
        const flx_mode *m = p->modes->modes + mode;
        double part = (double)row / ROWS;
        if (row == 0) FLX_TRY(find_amplitude(p, mode, &a));
        displace(p, mode, a, 2.0 * FLX_PI * part);
        int told = flx_ctx_error_count(p->sim->ctx);
        if (flx_start_positions(p->s, p->x, NULL, NULL) != FLX_OK) {
            flx_ctx_forget_errors(p->sim->ctx, told); // as the linear motion has it
            displace(p, mode, a, 2.0 * FLX_PI * part);
        }
        const double values[NCOLUMN] = {mode + 1.0, m->frequency, m->damping, m->re};
        FLX_TRY(put_row(p, mode + part, values));
    }
    return FLX_OK;
}

static flx_status begin(player *p, flx_result_info *info)
{
    static const char *const names[NCOLUMN] = {"mode", "frequency", "damping", "growth"};
    static const char *const units[NCOLUMN] = {"", "Hz", "", "1/s"};
    flx_simulation *sim = p->sim;
    FLX_TRY(flx_motion_create(sim));
    if (!sim->info.scene || p->modes->nmode == 0) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, p->t->a->loc,
                        p->modes->nmode == 0 ? "there is no mode to be seen"
                                             : "a model without bodies has nothing to be seen");
    }
    *info = sim->info;
    info->method = "modes";
    info->formulation = "none";
    info->settings = "every mode swings for one second, equally large; it neither grows nor decays";
    info->reason = NULL;
    info->ncolumn = NCOLUMN;
    info->names = names;
    info->units = units;
    info->rows = p->modes->nmode * ROWS + 1;
    info->nmetric = info->nevent = 0;
    info->nstate = 0;
    info->state_rows = 0;
    info->structure = NULL;
    p->theta = flx_alloc(sim->ctx, (size_t)p->s->dims.nv + 1, sizeof *p->theta);
    p->motion = flx_alloc(sim->ctx, 2 * (size_t)info->nmotion + 1, sizeof *p->motion);
    return p->theta && p->motion ? flx_state_create(p->s, &p->x) : FLX_ERR_MEMORY;
}

flx_status flx_modes_play(flx_task *t, const flx_modes *modes)
{
    player p = {.t = t, .sim = t->sim, .modes = modes, .s = t->place.sys};
    flx_ledger ledger = {.status = FLX_OK, .t = modes->nmode, .balanced = 1};
    flx_result_info info;
    int begun = 0;
    if (t->nsink == 0) return FLX_OK;
    ledger.energy_start = ledger.energy_end = ledger.energy_drift = (double)NAN;
    flx_in_bodies kept = flx_in_bodies_take(t->sim);
    flx_status status = begin(&p, &info);
    for (; begun < t->nsink && status == FLX_OK; begun++)
        status = t->sinks[begun]->type->begin(t->sinks[begun], &info);
    if (status == FLX_OK) status = play(&p);
    ledger.status = status;
    for (int k = 0; k < begun; k++) {
        flx_status end = t->sinks[k]->type->end(t->sinks[k], &ledger);
        if (status == FLX_OK) status = end;
    }
    flx_in_bodies_give_back(t->sim, &kept);
    flx_state_destroy(&p.x);
    flx_free(p.theta);
    flx_free(p.motion);
    return status;
}
