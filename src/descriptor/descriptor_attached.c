// descriptor_attached.c - frames that follow from other unknowns, such as nodes of elastic bodies. Joints,
// forces and signals use them as they use bodies; what they write at such a frame is carried to the
// unknowns that move it, its masters. With (v, w) of the frame = J u of the masters:
//
//     r += J^T r_f,   A0 += J^T A0_f J + J^T A1_f (J u)_q + (J^T r_f)_q,   A1 += J^T A1_f J           (FOL-1)
//     G_f (J u' + bias) + bias_f,   bias = J' u                                                       (FOL-2)
// Where forces feel more of the masters than motions do (ONE-3), the transposed J is another one.
// (J on the one side where a row or column is not of a attached frame). Rows of attached frames are numbered after all
// unknowns and their entries after those of the pattern, so kernels write to them as to any: into arrays
// of the work, from which the system's own are copied.
#include "descriptor/descriptor_parts.h"

// ---- making them --------------------------------------------------------------------------------

flx_status flx_attached_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    d->nattached = m->nattached;
    d->attached = flx_arena_take(d->arena, (size_t)m->nattached, sizeof *d->attached);
    if (!d->attached) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nattached; i++) {
        flx_attached_data *f = d->attached + i;
        *f = (flx_attached_data){.frame = m->nbody + i + 1, .nv = d->planar ? 3 : 6};
        flx_modals_attached(d, i, f);
        d->pushed |= f->kind->push != NULL;
        f->at = d->attached_numbers;
        d->attached_numbers += f->nv * f->width;
        if (f->width > d->attached_most) d->attached_most = f->width;
    }
    return FLX_OK;
}

void flx_attached_number(flx_descriptor *d, int first)
{
    for (int i = 0; i < d->nattached; i++) {
        flx_attached_data *f = d->attached + i;
        f->v = d->body_v[f->frame - 1] = first + i * f->nv;
    }
}

// The attached frame of a block; NULL: a block of unknowns.
static const flx_attached_data *attached_of(const flx_descriptor *d, int block)
{
    return block < d->nblock ? NULL : d->attached + (block - d->nblock);
}

static int count_masters(const flx_attached_data *f)
{
    return f ? f->nmaster : 1;
}

static int master_block(const flx_descriptor *d, const flx_attached_data *f, int own, int i)
{
    return f ? d->block_of[f->first[i]] : own;
}

flx_status flx_attached_couple(flx_descriptor *d)
{
    int n = d->couplings.n;
    for (int e = 0; e < n; e++) {
        int bi = (int)(d->couplings.keys[e] >> 32), bj = (int)(uint32_t)d->couplings.keys[e];
        const flx_attached_data *f = attached_of(d, bi), *g = attached_of(d, bj);
        for (int i = 0; (f || g) && i < count_masters(f); i++) {
            for (int j = 0; j < count_masters(g); j++) {
                FLX_TRY(flx_layout_couple(d, master_block(d, f, bi, i), master_block(d, g, bj, j)));
            }
        }
    }
    return FLX_OK;
}

flx_status flx_attached_fill(flx_descriptor *d)
{
    d->folds = flx_arena_take(d->arena, (size_t)d->nfold, sizeof *d->folds);
    if (!d->folds) return FLX_ERR_MEMORY;
    for (int e = 0; e < d->nfold; e++) {
        flx_fold *o = d->folds + e;
        int bi = (int)(d->fold_keys[e] >> 32), bj = (int)(uint32_t)d->fold_keys[e];
        *o = (flx_fold){.row = attached_of(d, bi),
                        .col = attached_of(d, bj),
                        .nrow = d->block_start[bi + 1] - d->block_start[bi],
                        .ncol = d->block_start[bj + 1] - d->block_start[bj],
                        .at = flx_layout_entry(d, bi, bj)};
        if (o->nrow > d->attached_most) d->attached_most = o->nrow;
        if (o->ncol > d->attached_most) d->attached_most = o->ncol;
        for (int i = 0; i < count_masters(o->row); i++) {
            for (int j = 0; j < count_masters(o->col); j++) {
                o->to[i][j] = flx_layout_entry(d, master_block(d, o->row, bi, i),
                                               master_block(d, o->col, bj, j));
            }
        }
    }
    for (int i = 0; i < d->nattached; i++) {
        flx_attached_data *f = d->attached + i;
        for (int k = 0; k < f->nmaster * f->nmaster; k++) {
            int a = k / f->nmaster, b = k % f->nmaster;
            f->block[a][b] = flx_layout_slot(d, f->first[a], f->first[b]);
        }
    }
    return FLX_OK;
}

// What a attached frame's entry has in A1, its targets have as well, and these have their own in A0.
void flx_attached_parts(flx_descriptor *d)
{
    const flx_pattern *p = &d->base.pattern;
    for (int e = 0; e < d->nfold; e++) {
        flx_fold *o = d->folds + e;
        o->rates = (d->parts[p->row[p->nblock] + e] & 2) != 0;
        for (int i = 0; o->rates && i < count_masters(o->row); i++) {
            for (int j = 0; j < count_masters(o->col); j++) flx_layout_mark(d, o->to[i][j], 2);
        }
    }
}

// ---- motion -------------------------------------------------------------------------------------

// u of a attached frame's masters, one after another.
static void gather(const flx_attached_data *f, const double *u, double *out)
{
    for (int i = 0; i < f->nmaster; i++) {
        memcpy(out + f->column[i], u + f->first[i],
               (size_t)(f->column[i + 1] - f->column[i]) * sizeof *out);
    }
}

static void multiply(const flx_attached_data *f, const double *J, const double *u, double *out)
{
    for (int i = 0; i < f->nv; i++) {
        double sum = 0.0;
        for (int k = 0; k < f->width; k++) sum += J[i * f->width + k] * u[k];
        out[i] = sum;
    }
}

// Whether attached frames are where they were last; else they will be. They follow from q and v alone.
static bool is_placed(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    size_t nq = (size_t)d->base.dims.nq * sizeof(double);
    size_t nv = (size_t)d->base.dims.nv * sizeof(double);
    if (w->attached.placed && memcmp(w->attached.q, p->q, nq) == 0 &&
        memcmp(w->attached.v, p->v, nv) == 0) {
        return true;
    }
    memcpy(w->attached.q, p->q, nq);
    memcpy(w->attached.v, p->v, nv);
    w->attached.placed = true;
    return false;
}

void flx_attached_frames(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    if (is_placed(d, w, p)) return;
    for (int i = 0; i < d->nattached; i++) {
        const flx_attached_data *f = d->attached + i;
        double *v = w->attached.v + f->v;
        f->kind->place(f, w, p, w->attached.J + f->at, w->attached.bias + i * f->nv);
        if (d->pushed) {
            memcpy(w->attached.Jf + f->at, w->attached.J + f->at,
                   (size_t)(f->nv * f->width) * sizeof(double));
            if (f->kind->push) f->kind->push(f, w, p, w->attached.Jf + f->at);
        }
        if (d->planar) {
            const flx_frame2 *o = w->frames.plane + f->frame;
            v[0] = o->vx, v[1] = o->vy, v[2] = o->w;
        } else {
            const flx_frame *o = w->frames.space + f->frame;
            memcpy(v, o->v, sizeof o->v);
            memcpy(v + 3, o->w, sizeof o->w);
        }
    }
}

void flx_attached_move(const flx_descriptor *d, flx_descriptor_work *w, const double *u, bool bias,
                       double *out)
{
    double *own = w->attached.scratch;
    if (out != u) memcpy(out, u, (size_t)d->base.dims.nv * sizeof *out);
    for (int i = 0; i < d->nattached; i++) {
        const flx_attached_data *f = d->attached + i;
        gather(f, u, own);
        multiply(f, w->attached.J + f->at, own, out + f->v);
        for (int k = 0; bias && k < f->nv; k++) out[f->v + k] += w->attached.bias[i * f->nv + k];
    }
}

void flx_attached_carry(const flx_descriptor *d, const double *J, double *r)
{
    for (int i = 0; i < d->nattached; i++) {
        const flx_attached_data *f = d->attached + i;
        const double *row = J + f->at, *own = r + f->v;
        for (int j = 0; j < f->nv; j++, row += f->width) {
            double c = own[j];
            for (int k = 0; c != 0.0 && k < f->nmaster; k++) { // most nodes carry no moment
                double *to = r + f->first[k];
                const double *part = row + f->column[k];
                int n = f->column[k + 1] - f->column[k];
                for (int u = 0; u < n; u++) to[u] += c * part[u];
            }
        }
    }
}

void flx_attached_slopes(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         const double *theta)
{
    double *own = w->attached.scratch;
    for (int i = 0; i < d->nattached; i++) {
        const flx_attached_data *f = d->attached + i;
        gather(f, theta, own);
        f->kind->slope(f, w, p, own, w->attached.dv + f->v, w->attached.da + f->v);
    }
}

// ---- constraints --------------------------------------------------------------------------------------

static bool follows(const flx_descriptor *d, const flx_ends *e)
{
    int n = d->attached[0].v;
    return e->v[0] >= n || e->v[1] >= n;
}

// The frames of a row's two bodies alone, with u of attached frames for velocities and none of others.
typedef struct two_frames {
    flx_frame space[2];
    flx_frame2 plane[2];
} two_frames;

static flx_ends move_frames(const flx_descriptor *d, const flx_descriptor_work *w,
                            const flx_ends *e, const double *u, two_frames *out)
{
    static const double none[6] = {0};
    flx_ends own = *e;
    for (int i = 0; i < 2; i++) {
        const double *v = e->v[i] >= d->attached[0].v ? u + e->v[i] : none;
        own.frame[i] = i;
        if (d->planar) {
            out->plane[i] = w->frames.plane[e->frame[i]];
            out->plane[i].vx = v[0], out->plane[i].vy = v[1], out->plane[i].w = v[2];
        } else {
            out->space[i] = w->frames.space[e->frame[i]];
            memcpy(out->space[i].v, v, sizeof out->space[i].v);
            memcpy(out->space[i].w, v + 3, sizeof out->space[i].w);
        }
    }
    return own;
}

static void add_scalar_rates(const flx_descriptor *d, const flx_descriptor_work *w,
                             const flx_point *p, bool velocity, const double *u, double *out)
{
    const flx_scalar_row *rows = velocity ? d->vscalars : d->scalars;
    for (int i = 0; i < (velocity ? d->nvscalar : d->nscalar); i++) {
        for (int t = 0; t < rows[i].nterm; t++) {
            const flx_scalar *s = rows[i].term + t;
            flx_jet j;
            if (!follows(d, &s->e)) continue;
            flx_scalar_gradient(s, w->frames, p->switches, &j);
            for (int b = 0; b < 2; b++) { // of attached frames alone
                if (s->e.v[b] < d->attached[0].v) memset(j.g[b], 0, sizeof j.g[b]);
            }
            out[rows[i].row] += rows[i].coefficient[t] * flx_jet_rate(s, &j, u);
        }
    }
}

void flx_attached_rates(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        const double *u, double *out)
{
    two_frames at;
    double g[3];
    for (int i = 0; i < d->npoint; i++) {
        if (!follows(d, &d->points[i].e)) continue;
        flx_row_point r = d->points[i];
        r.e = move_frames(d, w, &d->points[i].e, u, &at);
        r.p.row = 0;
        if (d->planar) {
            flx_row_point2_rate(1, &r, at.plane, g);
        } else {
            flx_row_point_rate(1, &r, at.space, g);
        }
        for (int k = 0; k < (d->planar ? 2 : 3); k++) out[d->points[i].p.row + k] += g[k];
    }
    for (int i = 0; i < d->naxis; i++) {
        if (!follows(d, &d->axes[i].e)) continue;
        flx_row_axis r = d->axes[i];
        r.e = move_frames(d, w, &d->axes[i].e, u, &at);
        r.p.row = 0;
        flx_row_axis_rate(1, &r, at.space, g);
        for (int k = 0; k < 2; k++) out[d->axes[i].p.row + k] += g[k];
    }
    add_scalar_rates(d, w, p, false, u, out);
    add_scalar_rates(d, w, p, true, u, out + d->base.dims.nlam);
}

// ---- tangent ------------------------------------------------------------------------------------

// out (m x n) += A (m x k) B (k x n)
static void add_product(int m, int k, int n, const double *A, const double *B, double *out)
{
    for (int i = 0; i < m; i++) {
        for (int l = 0; l < k; l++) {
            double a = A[i * k + l];
            if (a == 0.0) continue;
            for (int j = 0; j < n; j++) out[i * n + j] += a * B[l * n + j];
        }
    }
}

// out (m x n) += A^T B, A (k x m), B (k x n)
static void add_product_t(int m, int k, int n, const double *A, const double *B, double *out)
{
    for (int l = 0; l < k; l++) {
        for (int i = 0; i < m; i++) {
            double a = A[l * m + i];
            if (a == 0.0) continue;
            for (int j = 0; j < n; j++) out[i * n + j] += a * B[l * n + j];
        }
    }
}

// X (rows x columns of all masters) cut to the entries that it is added to.
static void scatter(const flx_fold *o, const double *X, int ncol, double *A)
{
    const int whole_row[2] = {0, o->nrow}, whole_col[2] = {0, o->ncol};
    const int *rows = o->row ? o->row->column : whole_row;
    const int *cols = o->col ? o->col->column : whole_col;
    for (int i = 0; i < count_masters(o->row); i++) {
        for (int j = 0; j < count_masters(o->col); j++) {
            double *to = A + o->to[i][j];
            int n = cols[j + 1] - cols[j];
            for (int r = rows[i]; r < rows[i + 1]; r++) {
                for (int c = 0; c < n; c++) *to++ += X[r * ncol + cols[j] + c];
            }
        }
    }
}

// Both sides of an entry carried: left^T (X J + Y Jv), either side as it is where it has no attached frame.
static void carry_entry(const flx_descriptor *d, const flx_descriptor_work *w, const flx_fold *o,
                        const double *left, const double *X, const double *Y, double *A)
{
    int most = d->attached_most, ncol = o->col ? o->col->width : o->ncol;
    double *right = w->attached.scratch, *both = right + most * most;
    const double *part = X;
    if (o->col) {
        memset(right, 0, (size_t)(o->nrow * ncol) * sizeof *right);
        add_product(o->nrow, o->ncol, ncol, X, w->attached.J + o->col->at, right);
        if (Y) add_product(o->nrow, o->ncol, ncol, Y, w->attached.Jv + o->col->at, right);
        part = right;
    }
    if (o->row) {
        memset(both, 0, (size_t)(o->row->width * ncol) * sizeof *both);
        add_product_t(o->row->width, o->nrow, ncol, left + o->row->at, part, both);
        part = both;
    }
    scatter(o, part, ncol, A);
}

void flx_attached_jacobian(const flx_descriptor *d, const flx_descriptor_work *w, double *A0)
{
    for (int e = 0; e < d->nfold; e++) {
        const flx_fold *o = d->folds + e;
        if (o->row && o->col) continue; // nothing but rows and their forces was written
        carry_entry(d, w, o, w->attached.J, A0 + o->at, NULL, A0);
    }
}

// (J^T r_f)_q
static void add_curve(const flx_attached_data *f, const double *K, double *A0)
{
    for (int i = 0; i < f->nmaster; i++) {
        for (int j = 0; j < f->nmaster; j++) {
            double *to = A0 + f->block[i][j];
            for (int r = f->column[i]; r < f->column[i + 1]; r++) {
                for (int c = f->column[j]; c < f->column[j + 1]; c++) *to++ += K[r * f->width + c];
            }
        }
    }
}

void flx_attached_tangent(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          const double *r, double *A0, double *A1)
{
    for (int i = 0; i < d->nattached; i++) {
        const flx_attached_data *f = d->attached + i;
        f->kind->tangent(f, w, p, r + f->v, w->attached.Jv + f->at, w->attached.scratch);
        add_curve(f, w->attached.scratch, A0);
    }
    for (int e = 0; e < d->nfold; e++) {
        const flx_fold *o = d->folds + e;
        const double *Y = o->rates ? A1 + o->at : NULL;
        carry_entry(d, w, o, w->attached.Jf, A0 + o->at, Y, A0);
        if (Y) carry_entry(d, w, o, w->attached.Jf, Y, NULL, A1);
    }
}
