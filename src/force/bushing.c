// bushing.c - a bushing: springs and dampers in all directions, and its rotational part in space.
//
//     m = k th + c th',   moments on the bodies -G_B^T m, -G_A^T m             (BUS-3)
// with the rotation vector th and its rate th' = G_B w_B + G_A w_A of (BUS-1), (BUS-2): the moment
// has the potential th^T k th / 2.
#include "force/force_kind.h"

typedef struct twist {
    flx_rotation_vector r;
    v3 rate, m;
    v3 y[2]; // angular velocities in the frames
} twist;

static void eval(const flx_twist *p, const flx_frame *f, twist *t)
{
    const flx_frame *A = f + p->e.frame[0], *B = f + p->e.frame[1];
    m33 FA = m33_load(p->F[0]), FB = m33_load(p->F[1]);
    flx_rotation_vector_eval(A, B, FA, FB, &t->r);
    t->y[0] = m33_tmul_v(FA, v3_load(A->w));
    t->y[1] = m33_tmul_v(FB, v3_load(B->w));
    t->rate = v3_add(m33_mul_v(t->r.G[0], v3_load(A->w)), m33_mul_v(t->r.G[1], v3_load(B->w)));
    t->m = v3_make(p->k[0] * t->r.th.x + p->c[0] * t->rate.x,
                   p->k[1] * t->r.th.y + p->c[1] * t->rate.y,
                   p->k[2] * t->r.th.z + p->c[2] * t->rate.z);
}

void flx_twist_residual(int n, const flx_twist *p, const flx_frame *f, double *r)
{
    for (int k = 0; k < n; k++) {
        twist t;
        eval(p + k, f, &t);
        for (int i = 0; i < 2; i++) {
            if (p[k].e.nv[i] == 6) v3_add_to(r + p[k].e.v[i] + 3, 1.0, m33_tmul_v(t.r.G[i], t.m));
        }
    }
}

static m33 scale_rows(const double d[3], m33 A)
{
    for (int i = 0; i < 9; i++) A.m[i] *= d[i / 3];
    return A;
}

static void add_rotation(double *block, m33 A)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) block[6 * (3 + i) + 3 + j] += A.m[3 * i + j];
    }
}

void flx_twist_linearise(int n, const flx_twist *twists, const flx_frame *f, double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_twist *p = twists + k;
        twist t;
        eval(p, f, &t);
        // along th: of the rate, and of G^T m
        m33 rate = m33_sub(flx_rotation_vector_slope(t.r.th, t.y[1], 1.0),
                           flx_rotation_vector_slope(t.r.th, t.y[0], -1.0));
        m33 turn[2] = {m33_scale(-1.0, m33_mul(m33_load(p->F[0]),
                                               flx_rotation_vector_slope(t.r.th, t.m, 1.0))),
                       m33_mul(m33_load(p->F[1]), flx_rotation_vector_slope(t.r.th, t.m, -1.0))};
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                if (p->e.nv[i] != 6 || p->e.nv[j] != 6) continue;
                m33 dm =
                    m33_add(scale_rows(p->k, t.r.G[j]), scale_rows(p->c, m33_mul(rate, t.r.G[j])));
                m33 K = m33_add(m33_tmul(t.r.G[i], dm), m33_mul(turn[i], t.r.G[j]));
                add_rotation(A0 + p->e.block[i][j], K);
                add_rotation(A1 + p->e.block[i][j], m33_tmul(t.r.G[i], scale_rows(p->c, t.r.G[j])));
            }
        }
    }
}

void flx_twist_energy(int n, const flx_twist *p, const flx_frame *f, flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        twist t;
        eval(p + k, f, &t);
        const double th[3] = {t.r.th.x, t.r.th.y, t.r.th.z},
                     rate[3] = {t.rate.x, t.rate.y, t.rate.z};
        for (int i = 0; i < 3; i++) {
            e->strain += 0.5 * p[k].k[i] * th[i] * th[i];
            e->dissipated_power += p[k].c[i] * rate[i] * rate[i];
        }
    }
}

// ---- what it is ---------------------------------------------------------------------------------

static const flx_force_signal signals[] = {
    {"value", "N"}, {"moment", "N m"}, {"displacement", "m"}, {"length", "m"}, {"power", "W"}, {0}};

// A component of the rotation vector between the two frames.
static void turn_about(const flx_force *f, int k, flx_scalar *s)
{
    s->b[k] = 1.0;
    for (int i = 0; i < 6; i++) { // column i / 3, row i % 3
        s->a[i / 3][i % 3] = f->frame[0][3 * (i % 3) + i / 3];
        s->s[i / 3][i % 3] = f->frame[1][3 * (i % 3) + i / 3];
    }
}

static flx_status check_turns(const flx_force_plan *p, int translations)
{
    const flx_force *f = p->force;
    for (int i = 0; i < 2; i++) {
        int b = f->body[i];
        if (b < 0 || p->model->bodies[b].type == FLX_BODY_RIGID) continue;
        return FLX_FAIL(
            p->ctx, FLX_ERR_MODEL, f->loc,
            "bushing '%s': '%s' is a point and does not rotate; give the stiffness of %d "
            "translations",
            f->name, p->model->bodies[b].name, translations);
    }
    return FLX_OK;
}

// Along the axes of the first, and the rotation. The places coincide and the axes are as in the initial configuration where
// nothing pulls.
static flx_status parts(flx_force_plan *p)
{
    static const char *const space[] = {"pull along x",   "pull along y",   "pull along z",
                                        "moment about x", "moment about y", "moment about z"};
    static const char *const plane[] = {"pull along x", "pull along y", "moment"};
    const flx_force *f = p->force;
    const bool planar = p->model->dimension == 2;
    const int translations = planar ? 2 : 3;
    if (f->ncomponent > translations) FLX_TRY(check_turns(p, translations));
    for (int k = 0; k < translations || k < f->ncomponent; k++) {
        flx_scalar_kind kind = planar ? FLX_SCALAR_PLANE2 : FLX_SCALAR_PLANE;
        flx_force_part *part;
        if (k >= translations) kind = planar ? FLX_SCALAR_ANGLE2 : FLX_SCALAR_TWIST;
        FLX_TRY(flx_force_add_part(p, kind, planar ? plane[k] : space[k], &part));
        flx_scalar *s = &part->s;
        for (int i = 0; i < 3 && k < translations; i++) s->a[0][i] = f->frame[0][3 * i + k];
        if (k >= translations && !planar) turn_about(f, k - 3, s);
        for (int i = 0; i < 2 && k >= translations && planar; i++) {
            double angle = f->body[i] < 0 ? 0.0 : p->model->bodies[f->body[i]].angle;
            s->offset += i ? angle : -angle;
        }
    }
    return FLX_OK;
}

const flx_force_kind flx_force_bushing = {.word = "bushing",
                                          .mixed = "bushing, mixed",
                                          .symbol = "bushing",
                                          .signals = signals,
                                          .mounted = true,
                                          .links = true,
                                          .potential = true,
                                          .parts = parts,
                                          .sign = 1.0};

#define COEFFICIENTS "number | [number;2..3]@2 | [number;3]@3 | [number;6]@3"

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_ON_TWO,
    {.key = "at",
     .form = "place | [place;2]",
     .needed = true,
     .unit = "m",
     .doc = "A point, by name or in ground coordinates of the initial configuration; or a pair of "
            "places, one on each "
            "body."},
    {.key = "stiffness",
     .form = COEFFICIENTS,
     .needed = true,
     .unit = "N/m, N m/rad",
     .doc =
         "Along x, y, z and about the rotation vector, in the first body's axes; 3: no rotation. "
         "Planar: x, y and the angle; 2: no rotation. `infinite` where nothing gives way."},
    {.key = "damping",
     .form = COEFFICIENTS,
     .unit = "N s/m, N m s/rad",
     .initial = "0",
     .doc = "The same of the rates."},
    FLX_FORCE_ROW_FORM,
    {0}};

const flx_force_word flx_word_bushing = {
    .row = {.word = "bushing",
            .dimensions = "23",
            .doc = "springs and dampers in all directions: a joint that gives",
            .example = "J7: {type: bushing, on: [thigh, shank], at: thigh.knee, stiffness: [1e6, "
                       "1e6, 1e6], damping: [1e3, 1e3, 1e3]}",
            .keys = keys},
    .kind = &flx_force_bushing,
    .at = FLX_AT_SIDES,
    .law = FLX_LAW_ELASTIC,
    .unit = "N"};
