// ports.c - the ports of a body, its conditions, and its responses in them (RED-1 to RED-3).
#include "reduce/ritz/ports.h"

#include "base/number.h"
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "reduce/shapes_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef flx_shape_search search;

// ---- ports --------------------------------------------------------------------------------------

// R^T B of rigid motions of unit mass: with R^T M R = C C^T, C^-1 R^T B.
static flx_status find_rigid(const search *q, flx_ports *p)
{
    const flx_free_structure *s = q->s;
    int r = s->nrigid, n = s->K->n;
    double C[36];
    for (int i = 0; i < r * r; i++) {
        C[i] = flx_blas_dot(n, s->rigid + (size_t)(i / r) * q->n, q->MR + (size_t)(i % r) * q->n);
    }
    if (r > 0 && !flx_dense_cholesky(r, C, 0)) return FLX_SINGULAR;
    for (int j = 0; j < p->count; j++) {
        for (int i = 0; i < r; i++) {
            const double *R = s->rigid + (size_t)i * q->n;
            double x = flx_blas_dot(n, R, p->B + (size_t)j * q->n);
            for (int k = 0; k < i; k++) x -= C[i * r + k] * p->rigid[k * p->count + j];
            p->rigid[i * p->count + j] = x / C[i * r + i];
        }
    }
    return FLX_OK;
}

flx_status flx_ports_init(const search *q, flx_ports *out)
{
    const flx_free_structure *s = q->s;
    int count = 0;
    *out = (flx_ports){.ctx = s->ctx, .n = s->K->n, .nrigid = s->nrigid};
    for (int i = 0; i < s->ninterface; i++) {
        for (int c = 0; c < 6; c++) count += flx_shapes_has_port(q, i, c);
    }
    for (int i = 0; i < s->ninterface; i++) {
        int own = 0;
        for (int c = 0; c < 6; c++) own += flx_shapes_has_port(q, i, c);
        if (own > 0 || !q->b->components) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                        "the interface '%s' has none of its `components`: nodes of solid elements "
                        "have x, y and z alone",
                        s->interfaces[i].name);
    }
    if (count == 0) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                        "the error is that of the responses at the interfaces: name at least one");
    }
    size_t p = (size_t)count;
    out->count = count;
    out->face = flx_alloc(s->ctx, p, sizeof *out->face);
    out->component = flx_alloc(s->ctx, p, sizeof *out->component);
    out->B = flx_alloc(s->ctx, p * q->n, sizeof *out->B);
    out->rigid = flx_alloc(s->ctx, 6 * p, sizeof *out->rigid);
    out->scale = flx_alloc(s->ctx, p, sizeof *out->scale);
    out->first = flx_alloc(s->ctx, p, sizeof *out->first);
    out->axes = flx_alloc(s->ctx, 3 * p, sizeof *out->axes);
    bool there = out->face && out->component && out->B && out->rigid && out->scale && out->first &&
                 out->axes;
    flx_status status = there ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0, j = 0; i < s->ninterface && status == FLX_OK; i++) {
        const flx_interface *f = s->interfaces + i;
        for (int c = 0; c < 6; c++) {
            if (!flx_shapes_has_port(q, i, c)) continue;
            double *b = out->B + (size_t)j * q->n;
            for (int k = 0; k < f->count[c]; k++) b[f->unknown[c][k]] += f->weight[c][k];
            out->face[j] = i;
            out->component[j] = c;
            out->first[j] = j;
            out->axes[3 * j + c % 3] = 1;
            out->scale[j++] = 1;
        }
    }
    if (status == FLX_OK) status = find_rigid(q, out);
    if (status == FLX_OK) flx_shapes_relieve(q, count, out->B);
    if (status != FLX_OK) flx_ports_clear(out);
    return status;
}

void flx_ports_clear(flx_ports *p)
{
    flx_free(p->face);
    flx_free(p->component);
    flx_free(p->B);
    flx_free(p->rigid);
    flx_free(p->scale);
    flx_free(p->first);
    flx_free(p->axes);
    *p = (flx_ports){0};
}

flx_status flx_port_model_init(flx_ctx *ctx, int m, int p, flx_port_model *out)
{
    *out = (flx_port_model){.m = m, .p = p};
    out->L = flx_alloc(ctx, (size_t)m, sizeof *out->L);
    out->b = flx_alloc(ctx, (size_t)m * (size_t)p, sizeof *out->b);
    if (out->L && out->b) return FLX_OK;
    flx_port_model_clear(out);
    return FLX_ERR_MEMORY;
}

// T^T A T
static flx_status project(flx_ctx *ctx, int m, int r, const double *A, const double *T,
                          double **out)
{
    size_t mr = (size_t)m * (size_t)r;
    double *AT = flx_alloc(ctx, mr, sizeof *AT);
    *out = flx_alloc(ctx, (size_t)r * (size_t)r, sizeof **out);
    if (AT && *out) {
        flx_dense_multiply(false, false, m, r, m, A, T, AT);
        flx_dense_multiply(true, false, r, r, m, T, AT, *out);
    }
    flx_free(AT);
    return AT && *out ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_port_model_project(flx_ctx *ctx, const flx_port_model *full, const double *T,
                                  flx_port_model *out)
{
    if (full->loss) FLX_TRY(project(ctx, full->m, out->m, full->loss, T, &out->loss));
    return full->D ? project(ctx, full->m, out->m, full->D, T, &out->D) : FLX_OK;
}

void flx_port_model_clear(flx_port_model *m)
{
    flx_free(m->L);
    flx_free(m->b);
    flx_free(m->loss);
    flx_free(m->D);
    *m = (flx_port_model){0};
}

// ---- conditions ---------------------------------------------------------------------------------

// Names of the interfaces held, one after the other, and " held".
static void name_condition(const flx_free_structure *s, const bool *faces, char *text, size_t room)
{
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < s->ninterface; i++) {
        if (!faces[i]) continue;
        int more =
            flx_snprintf(text + at, room - at, "%s%s", at > 0 ? ", " : "", s->interfaces[i].name);
        at += more > 0 ? (size_t)more : 0;
        if (at >= room) return;
    }
    flx_snprintf(text + at, room - at, " held");
}

static void set_condition(const flx_free_structure *s, const flx_ports *p, const bool *faces,
                          flx_port_condition *c)
{
    bool any = false, all = true;
    for (int i = 0; i < s->ninterface; i++) {
        any = any || faces[i];
        all = all && faces[i];
    }
    for (int j = 0; j < p->count; j++) c->held[j] = faces[p->face[j]];
    c->free = !any;
    c->all = any && all;
}

flx_status flx_port_conditions_init(const flx_free_structure *s, const flx_basis *b,
                                    const flx_ports *ports, flx_port_conditions *out)
{
    int m = s->ninterface, count = b->ncondition > 0 ? b->ncondition : m > 1 ? m + 2 : 2;
    size_t room = 16;
    for (int i = 0; i < m; i++) room += strlen(s->interfaces[i].name) + 2;
    *out = (flx_port_conditions){.count = count};
    out->items = flx_alloc(s->ctx, (size_t)count, sizeof *out->items);
    out->held = flx_alloc(s->ctx, (size_t)count * (size_t)ports->count, sizeof *out->held);
    out->text = flx_alloc(s->ctx, (size_t)count * room, 1);
    bool *faces = flx_alloc(s->ctx, (size_t)m, sizeof *faces);
    if (!out->items || !out->held || !out->text || !faces) {
        flx_free(faces);
        flx_port_conditions_clear(out);
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        flx_port_condition *c = out->items + i;
        char *text = out->text + (size_t)i * room;
        c->held = out->held + (size_t)i * (size_t)ports->count;
        for (int k = 0; k < m; k++) {
            faces[k] = b->ncondition > 0 ? b->conditions[i * m + k] : i == count - 1 || i - 1 == k;
        }
        set_condition(s, ports, faces, c);
        c->name = text;
        if (c->free) {
            flx_snprintf(text, room, "free");
        } else if (c->all && m > 1) {
            flx_snprintf(text, room, m == 2 ? "both held" : "all held");
        } else {
            name_condition(s, faces, text, room);
        }
    }
    flx_free(faces);
    return FLX_OK;
}

void flx_port_conditions_clear(flx_port_conditions *c)
{
    flx_free(c->items);
    flx_free(c->held);
    flx_free(c->text);
    *c = (flx_port_conditions){0};
}

// ---- responses ----------------------------------------------------------------------------------

flx_status flx_port_work_init(flx_ctx *ctx, int m, int p, flx_port_work *out)
{
    size_t pp = (size_t)p * (size_t)p, mp = (size_t)m * (size_t)p, mm = (size_t)m * (size_t)m;
    *out = (flx_port_work){.m = m, .p = p};
    out->y = flx_alloc(ctx, mp + 5 * pp + mm, sizeof *out->y);
    out->pivot = flx_alloc(ctx, (size_t)(m > p ? m : p), sizeof *out->pivot);
    if (!out->y || !out->pivot) {
        flx_port_work_clear(out);
        return FLX_ERR_MEMORY;
    }
    out->H = out->y + mp;
    out->G = out->H + pp;
    out->T = out->G + pp;
    out->C = out->T + pp;
    out->a = out->C + pp;
    out->A = out->a + pp;
    return FLX_OK;
}

void flx_port_work_clear(flx_port_work *w)
{
    flx_free(w->y);
    flx_free(w->pivot);
    *w = (flx_port_work){0};
}

// A y = b of matrices that are not diagonal.
static bool solve_dense(const flx_port_model *x, double complex p, double complex q, double omega,
                        flx_port_work *w)
{
    int m = x->m, info = 0;
    for (int i = 0; i < m * m; i++) {
        w->A[i] = flx_complex(0, (x->loss ? x->loss[i] : 0) + omega * (x->D ? x->D[i] : 0));
    }
    for (int k = 0; k < m; k++) w->A[k * m + k] += p * x->L[k] - q;
    for (int i = 0; i < m * x->p; i++) w->y[i] = x->b[i];
    FLX_ONE_THREAD info = (int)LAPACKE_zgesv(LAPACK_COL_MAJOR, m, x->p, w->A, m, w->pivot, w->y, m);
    return info == 0;
}

bool flx_port_respond(const flx_port_model *x, const flx_damping *d, double omega, flx_port_work *w)
{
    int m = x->m;
    double complex p = flx_complex(1, d->loss + omega * d->beta);
    double complex q = flx_complex(omega * omega, -omega * d->alpha);
    if (x->loss || x->D) {
        if (!solve_dense(x, p, q, omega, w)) return false;
    } else {
        for (int k = 0; k < m; k++) {
            double complex a = p * x->L[k] - q;
            if (a == 0) return false;
            a = 1 / a;
            for (int j = 0; j < x->p; j++) w->y[j * m + k] = x->b[j * m + k] * a;
        }
    }
    for (int j = 0; j < x->p; j++) {
        for (int i = 0; i <= j; i++) {
            double complex sum = 0;
            for (int k = 0; k < m; k++) sum += x->b[i * m + k] * w->y[j * m + k];
            w->H[j * x->p + i] = w->H[i * x->p + j] = sum;
        }
    }
    return true;
}

void flx_port_add_rigid(const flx_ports *ports, const flx_damping *d, double omega,
                        flx_port_work *w)
{
    int p = ports->count;
    double complex q = flx_complex(omega * omega, -omega * d->alpha);
    double complex inverse = 1 / q;
    memcpy(w->G, w->H, (size_t)(p * p) * sizeof *w->G);
    for (int r = 0; r < ports->nrigid; r++) {
        const double *x = ports->rigid + (size_t)r * (size_t)p;
        for (int j = 0; j < p; j++) {
            for (int i = 0; i < p; i++) {
                w->G[j * p + i] -= x[i] * ports->scale[i] * x[j] * ports->scale[j] * inverse;
            }
        }
    }
}

static bool solve_small(int n, int k, double complex *A, int *pivot, double complex *B, int ldb)
{
    int info = 0;
    FLX_ONE_THREAD info = (int)LAPACKE_zgesv(LAPACK_COL_MAJOR, n, k, A, n, pivot, B, ldb);
    return info == 0;
}

static bool hold_all(flx_port_work *w)
{
    int p = w->p;
    memcpy(w->a, w->G, (size_t)(p * p) * sizeof *w->a);
    memset(w->T, 0, (size_t)(p * p) * sizeof *w->T);
    for (int i = 0; i < p; i++) w->T[i * p + i] = 1;
    w->columns = p;
    bool regular = solve_small(p, p, w->a, w->pivot, w->T, p);
    memcpy(w->C, w->T, (size_t)(p * p) * sizeof *w->C);
    return regular;
}

bool flx_port_hold(const flx_ports *ports, const flx_port_condition *c, flx_port_work *w)
{
    int p = ports->count, h = 0, r = 0;
    if (c->all) return hold_all(w);
    memset(w->T, 0, (size_t)(p * p) * sizeof *w->T);
    if (c->free) {
        for (int i = 0; i < p; i++) w->T[i * p + i] = 1;
        memcpy(w->C, w->H, (size_t)(p * p) * sizeof *w->C);
        w->columns = p;
        return true;
    }
    for (int j = 0; j < p; j++) h += c->held[j];
    for (int j = 0, k = 0; j < p; j++) { // G_hh
        if (!c->held[j]) continue;
        for (int i = 0, l = 0; i < p; i++) {
            if (c->held[i]) w->a[k * h + l++] = w->G[j * p + i];
        }
        k++;
    }
    double complex *X = w->C; // (r, h) G_hr, then T_h = G_hh^-1 G_hr; C is free till then
    for (int j = 0; j < p; j++) {
        if (c->held[j]) continue;
        for (int i = 0, l = 0; i < p; i++) {
            if (c->held[i]) X[r * h + l++] = w->G[j * p + i];
        }
        w->T[r * p + j] = 1;
        r++;
    }
    if (!solve_small(h, r, w->a, w->pivot, X, h)) return false;
    for (int k = 0; k < r; k++) {
        for (int i = 0, l = 0; i < p; i++) {
            if (c->held[i]) w->T[k * p + i] = -X[k * h + l++];
        }
    }
    w->columns = r;
    const double complex one = 1, zero = 0;
    FLX_ONE_THREAD cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, p, r, p, &one, w->G, p,
                               w->T, p, &zero, w->a, p);
    for (int k = 0; k < r; k++) { // the rows that are not held of G T
        for (int i = 0, l = 0; i < p; i++) {
            if (!c->held[i]) w->C[k * r + l++] = w->a[k * p + i];
        }
    }
    return true;
}

double flx_port_norm(int n, const double complex *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    return sqrt(sum);
}

// ---- resonances ---------------------------------------------------------------------------------

// From the singular vectors of what moves them.
flx_status flx_port_null(const flx_ports *p, const flx_port_model *x, const flx_port_condition *c,
                         double *Z, int *kept)
{
    int n = x->m + p->nrigid, h = 0;
    for (int j = 0; j < p->count; j++) h += c->held[j];
    double *A = flx_alloc(p->ctx, (size_t)h * (size_t)n, sizeof *A);
    double *w = flx_alloc(p->ctx, (size_t)(h < n ? h : n), sizeof *w);
    double *V = flx_alloc(p->ctx, (size_t)n * (size_t)n, sizeof *V);
    flx_status status = A && w && V ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int j = 0, i = 0; j < p->count; j++) {
            if (!c->held[j]) continue;
            for (int k = 0; k < n; k++) {
                A[k * h + i] = k < x->m ? x->b[j * x->m + k]
                                        : p->rigid[(k - x->m) * p->count + j] * p->scale[j];
            }
            i++;
        }
        status = flx_dense_svd(p->ctx, h, n, A, w, NULL, V);
    }
    int rank = 0;
    if (status == FLX_OK) {
        while (rank < h && rank < n && w[rank] > 1e-12 * w[0]) rank++;
        *kept = n - rank;
        memcpy(Z, V + (size_t)rank * (size_t)n, (size_t)*kept * (size_t)n * sizeof *Z);
    }
    flx_free(A);
    flx_free(w);
    flx_free(V);
    return status;
}

static flx_status find_held(const flx_ports *p, const flx_port_model *x,
                            const flx_port_condition *c, int room, double *omega2, int *count)
{
    size_t n = (size_t)(x->m + p->nrigid);
    int kept = 0;
    double *Z = flx_alloc(p->ctx, n * n, sizeof *Z), *Y = flx_alloc(p->ctx, n * n, sizeof *Y);
    double *S = flx_alloc(p->ctx, n * n, sizeof *S), *w = flx_alloc(p->ctx, n, sizeof *w);
    flx_status status = Z && Y && S && w ? flx_port_null(p, x, c, Z, &kept) : FLX_ERR_MEMORY;
    if (status == FLX_OK && kept > 0) {
        for (int j = 0; j < kept; j++) {
            for (size_t k = 0; k < n; k++) {
                Y[(size_t)j * n + k] = k < (size_t)x->m ? x->L[k] * Z[(size_t)j * n + k] : 0;
            }
        }
        flx_dense_multiply(true, false, kept, kept, (int)n, Z, Y, S);
        status = flx_dense_symmetric_eigen(p->ctx, kept, S, w);
    }
    for (int k = 0; k < kept && status == FLX_OK && *count < room; k++) {
        if (w[k] > 0) omega2[(*count)++] = w[k];
    }
    flx_free(Z);
    flx_free(Y);
    flx_free(S);
    flx_free(w);
    return status;
}

flx_status flx_port_resonances(const flx_ports *p, const flx_port_model *x,
                               const flx_port_condition *c, int room, double *omega2, int *count)
{
    *count = 0;
    if (!c->free) return find_held(p, x, c, room, omega2, count);
    for (int k = 0; k < x->m && *count < room; k++) omega2[(*count)++] = x->L[k];
    return FLX_OK;
}
