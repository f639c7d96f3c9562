// line.c - the numbers of a line of beams from its shapes: integrals along the length.
//
//     K_kl = int EA e_k e_l + EI k_k k_l + GJ t_k t_l + GA g_k g_l dx                            (BML-1)
// with stretch e = u'.t, bending and twist k, t of the section's rotation, shear g = u' - e t - turn x t.
// Stiffening: a beam that bends without stretching shortens,
//
//     Gam_kl(x) = -t int_0^x (u_k' - e_k t).(u_l' - e_l t) dx                                    (BML-2)
// and a particle of a section, off the line by d, turns with it,
//
//     Gam_kl += (turn_k x (turn_l x d) + turn_l x (turn_k x d))/2                                (BML-5)
// Without shear the sections' own inertia turns with the body and its twist, not with its bending.
#include "reduce/line_element.h"

#include <math.h>
#include <string.h>

// Particles of a section.
enum { NSECTION = 4 };

// Points of a Gauss rule in each element: exact for products of cubic shapes, and their squares.
enum { NGAUSS = 6 };
static const double gauss_x[NGAUSS] = {-0.93246951420315202781, -0.66120938646626451366,
                                       -0.23861918608319690863, 0.23861918608319690863,
                                       0.66120938646626451366,  0.93246951420315202781};
static const double gauss_w[NGAUSS] = {0.17132449237917034504, 0.36076157304813860757,
                                       0.46791393457269104739, 0.46791393457269104739,
                                       0.36076157304813860757, 0.17132449237917034504};

void flx_line_points(double x[FLX_LINE_POINTS], double w[FLX_LINE_POINTS])
{
    for (int i = 0; i < FLX_LINE_POINTS; i++) {
        x[i] = 0.5 * (1.0 + gauss_x[i]);
        w[i] = 0.5 * gauss_w[i];
    }
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double segment(const flx_line *line, int i, double d[3])
{
    for (int k = 0; k < 3; k++) d[k] = line->points[3 * (i + 1) + k] - line->points[3 * i + k];
    return sqrt(dot(d, d));
}

double flx_line_length(const flx_line *line)
{
    double sum = 0.0, d[3];
    for (int i = 0; i + 1 < line->npoint; i++) sum += segment(line, i, d);
    return sum;
}

// The segment that holds the part s of the length, its direction, and the place.
static int locate(const flx_line *line, double s, double X[3], double t[3])
{
    double along = s * flx_line_length(line), d[3] = {0}, h = 0.0;
    int i = 0;
    for (;; i++) {
        h = segment(line, i, d);
        if (along <= h || i + 2 >= line->npoint) break;
        along -= h;
    }
    for (int k = 0; k < 3; k++) {
        t[k] = d[k] / h;
        X[k] = line->points[3 * i + k] + along * t[k];
    }
    return i;
}

void flx_line_axes(const flx_line *line, double s, double t[3], double y[3], double z[3])
{
    double X[3];
    memcpy(y, line->y + (ptrdiff_t)3 * locate(line, s, X, t), 3 * sizeof *y);
    cross(t, y, z);
}

typedef struct sums { // one place of the line
    const flx_line *line;
    flx_line here; // with the section there
    int n;
    flx_line_field f;
    double *gam;  // (n x n x 3) shortening so far, without its direction; NULL: not wanted
    double *part; // (n x 3) u at a particle
    double *own;  // (n x n x 3) its field of the second order
    double *next; // room for the next particle's field; NULL: not wanted
    double X[3], t[3], y[3], z[3];
} sums;

static void add_stiffness(const sums *s, double dx, flx_elastic *e)
{
    const flx_line *line = &s->here;
    int n = s->n;
    for (int k = 0; k < n; k++) {
        for (int l = 0; l < n; l++) {
            const double *du[2] = {s->f.du + 3 * k, s->f.du + 3 * l};
            const double *turn[2] = {s->f.turn + 3 * k, s->f.turn + 3 * l};
            const double *bend[2] = {s->f.dturn + 3 * k, s->f.dturn + 3 * l};
            double sum = line->EA * dot(du[0], s->t) * dot(du[1], s->t);
            // bending along y turns about z
            sum += line->EI[0] * dot(bend[0], s->z) * dot(bend[1], s->z);
            sum += line->EI[1] * dot(bend[0], s->y) * dot(bend[1], s->y);
            sum += line->GJ * dot(bend[0], s->t) * dot(bend[1], s->t);
            double gy[2], gz[2];
            for (int i = 0; i < 2; i++) {
                gy[i] = dot(du[i], s->y) - dot(turn[i], s->z);
                gz[i] = dot(du[i], s->z) + dot(turn[i], s->y);
            }
            if (line->shear) sum += line->GA[0] * gy[0] * gy[1] + line->GA[1] * gz[0] * gz[1];
            e->K[k * n + l] += dx * sum;
        }
    }
}

// How a particle of the section turns by shape k: without shear with the section's twist, not with its bending.
static void turn_of(const sums *s, int k, double out[3])
{
    const double *turn = s->f.turn + 3 * k;
    double twist = dot(turn, s->t);
    for (int i = 0; i < 3; i++) out[i] = s->line->shear ? turn[i] : twist * s->t[i];
}

// The field of a particle off the line by d: that of the line, and of the second order what the section's turn
// moves it back (BML-5).
static void turn_back(const sums *s, const double d[3], double *own)
{
    int n = s->n;
    memcpy(own, s->gam, 3 * (size_t)n * (size_t)n * sizeof *own);
    for (int k = 0; k < n; k++) {
        double a[3], ad[3];
        turn_of(s, k, a);
        cross(a, d, ad);
        for (int l = 0; l < n; l++) {
            double b[3], back[3];
            turn_of(s, l, b);
            cross(b, ad, back);
            for (int i = 0; i < 3; i++) {
                own[3 * (k * n + l) + i] += 0.5 * back[i];
                own[3 * (l * n + k) + i] += 0.5 * back[i];
            }
        }
    }
}

// A particle of the section, off the line by d.
static void add_particle(sums *s, double dm, const double d[3], flx_elastic *e)
{
    double X[3], *gam = s->gam ? s->own : NULL;
    for (int i = 0; i < 3; i++) X[i] = s->X[i] + d[i];
    for (int k = 0; k < s->n; k++) {
        double turn[3], around[3];
        turn_of(s, k, turn);
        cross(turn, d, around);
        for (int i = 0; i < 3; i++) s->part[3 * k + i] = s->f.u[3 * k + i] + around[i];
    }
    if (gam) turn_back(s, d, gam);
    flx_elastic_add_mass(e, dm, X, s->part, gam);
    if (!s->next || !gam) return; // grains are of the whole field
    int n = s->n;
    double root = sqrt(dm), *to = s->next;
    to[0] = root;
    for (int i = 0; i < 3; i++) to[1 + i] = root * X[i];
    for (int i = 0; i < 3 * n; i++) to[4 + i] = root * s->part[i];
    for (int i = 0; i < 3 * n * n; i++) to[4 + 3 * n + i] = root * gam[i];
    s->next += FLX_PARTICLE(n);
}

// Four particles with the section's second moments.
static void add_mass(sums *s, double dx, flx_elastic *e)
{
    const flx_line *line = &s->here;
    for (int i = 0; i < NSECTION; i++) {
        const double *axis = i < 2 ? s->y : s->z;
        double far = sqrt(2.0 * line->second[i / 2] / line->mass), d[3];
        for (int k = 0; k < 3; k++) d[k] = (i % 2 ? -far : far) * axis[k];
        add_particle(s, 0.25 * line->mass * dx, d, e);
    }
}

// gam += -dx (slopes across the line)(slopes across the line) t
static void shorten(const sums *s, double dx, double *gam)
{
    int n = s->n;
    for (int k = 0; k < n; k++) {
        for (int l = 0; l < n; l++) {
            const double *a = s->f.du + 3 * k, *b = s->f.du + 3 * l;
            double across = dot(a, b) - dot(a, s->t) * dot(b, s->t);
            for (int i = 0; i < 3; i++) gam[3 * (k * n + l) + i] -= dx * across * s->t[i];
        }
    }
}

static flx_status look(sums *s, int element, double at, flx_line_shape *shape, void *user)
{
    (void)locate(s->line, at, s->X, s->t);
    flx_line_axes(s->line, at, s->t, s->y, s->z);
    return shape(user, element, at, &s->f);
}

// What the section is at a point of quadrature.
static void take_section(sums *s, int element, int point)
{
    const flx_line *line = s->line;
    s->here = flx_line_at(line, element, point);
    if (!line->along) return;
    memcpy(s->y, line->along[(ptrdiff_t)FLX_LINE_POINTS * element + point].y, sizeof s->y);
    cross(s->t, s->y, s->z);
}

static flx_status set_node(flx_arena *arena, const sums *s, int number, const double *gam,
                           flx_elastic_node *node)
{
    size_t n = (size_t)s->n;
    node->id = flx_arena_printf(arena, "%d", number + 1);
    if (!node->id) return FLX_ERR_MEMORY;
    memcpy(node->at, s->X, sizeof node->at);
    for (int i = 0; i < 9; i++) node->R[i] = i % 4 == 0;
    memcpy(node->phi, s->f.u, 3 * n * sizeof(double));
    memcpy(node->psi, s->f.turn, 3 * n * sizeof(double));
    if (!s->line->stiffening) return FLX_OK;
    node->phi2 = flx_arena_take(arena, 3 * n * n, sizeof(double));
    if (!node->phi2) return FLX_ERR_MEMORY;
    memcpy(node->phi2, gam, 3 * n * n * sizeof(double));
    return FLX_OK;
}

static flx_status integrate(flx_arena *arena, sums *s, double *gam, double *inner,
                            flx_line_shape *shape, void *user, flx_elastic *e)
{
    const flx_line *line = s->line;
    int n = s->n, ne = line->elements;
    size_t size = 3 * (size_t)n * (size_t)n * sizeof(double);
    double h = flx_line_length(line) / ne;
    for (int k = 0; k <= ne; k++) {
        FLX_TRY(look(s, k < ne ? k : ne - 1, (double)k / ne, shape, user));
        FLX_TRY(set_node(arena, s, k, gam, e->nodes + k));
        if (k == ne) break;
        for (int i = 0; i < NGAUSS; i++) {
            double at = 0.5 * (1.0 + gauss_x[i]);
            memcpy(inner, gam, size);
            // the shortening from the element's beginning to the point, by the same rule
            for (int j = 0; line->stiffening && j < NGAUSS; j++) {
                double part = 0.5 * at * (1.0 + gauss_x[j]);
                FLX_TRY(look(s, k, (k + part) / ne, shape, user));
                shorten(s, 0.5 * at * h * gauss_w[j], inner);
            }
            FLX_TRY(look(s, k, (k + at) / ne, shape, user));
            s->gam = line->stiffening ? inner : NULL;
            take_section(s, k, i);
            add_stiffness(s, 0.5 * h * gauss_w[i], e);
            add_mass(s, 0.5 * h * gauss_w[i], e);
        }
        for (int i = 0; line->stiffening && i < NGAUSS; i++) {
            FLX_TRY(look(s, k, (k + 0.5 * (1.0 + gauss_x[i])) / ne, shape, user));
            shorten(s, 0.5 * h * gauss_w[i], gam);
        }
    }
    return FLX_OK;
}

flx_status flx_line_elastic(flx_ctx *ctx, flx_arena *arena, const flx_line *line, int n,
                            flx_line_shape *shape, void *user, flx_elastic **e)
{
    size_t k = (size_t)n;
    FLX_TRY(flx_elastic_create(arena, n, line->elements + 1, e));
    double *block = flx_alloc(ctx, 15 * k + 9 * k * k, sizeof *block);
    if (!block) return FLX_ERR_MEMORY;
    sums s = {.line = line, .n = n, .part = block + 12 * k};
    s.f = (flx_line_field){block, block + 3 * k, block + 6 * k, block + 9 * k};
    double *gam = block + 15 * k, *inner = gam + 3 * k * k, *field = NULL;
    s.own = inner + 3 * k * k;
    int count = line->stiffening ? line->elements * NGAUSS * NSECTION : 0;
    if (count > 0) field = flx_alloc(ctx, (size_t)count * FLX_PARTICLE(k), sizeof *field);
    s.next = field;
    flx_status status = count > 0 && !field ? FLX_ERR_MEMORY : FLX_OK;
    if (status == FLX_OK) status = integrate(arena, &s, gam, inner, shape, user, *e);
    if (status == FLX_OK && field) status = flx_elastic_set_field(ctx, arena, count, field, *e);
    flx_free(field);
    flx_free(block);
    if (status != FLX_OK) return status;
    (*e)->line = true;
    (*e)->stiffened = line->stiffening;
    for (int i = 0; i < n; i++) {
        (*e)->labels[i] = flx_arena_printf(arena, "shape %d", i + 1);
        if (!(*e)->labels[i]) return FLX_ERR_MEMORY;
    }
    flx_elastic_trim(*e);
    return FLX_OK;
}
