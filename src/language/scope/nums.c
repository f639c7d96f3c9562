// nums.c - arithmetic on numbers with their expressions: values as without them, bit for bit.
#include "language/scope/nums.h"

#include <math.h>
#include <string.h>

#define FAILED (-1) // a node that could not be made; node_open gives -1 for it

flx_num3 flx_num3_of(const double x[3])
{
    return (flx_num3){.x = {x[0], x[1], x[2]}};
}

flx_num9 flx_num9_of(const double x[9])
{
    flx_num9 a = {.n = {0}};
    memcpy(a.x, x, sizeof a.x);
    return a;
}

flx_num9 flx_num9_identity(void)
{
    return (flx_num9){.x = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

bool flx_num3_is_open(const flx_num3 *a)
{
    return a->n[0] || a->n[1] || a->n[2];
}

bool flx_num9_is_open(const flx_num9 *a)
{
    for (int i = 0; i < 9; i++) {
        if (a->n[i]) return true;
    }
    return false;
}

void flx_num3_nodes(flx_graph *g, const flx_num3 *a, flx_node out[3])
{
    for (int i = 0; i < 3; i++) out[i] = node_open(g, a->x[i], a->n[i]);
}

void flx_num9_nodes(flx_graph *g, const flx_num9 *a, flx_node out[9])
{
    for (int i = 0; i < 9; i++) out[i] = node_open(g, a->x[i], a->n[i]);
}

static flx_open open_of(const flx_graph *g, flx_node n)
{
    return n < 0 ? FAILED : flx_graph_is_const(g, n, NULL) ? 0 : n + 1;
}

flx_num flx_num_keep(const flx_graph *g, double x, flx_node n)
{
    return (flx_num){x, open_of(g, n)};
}

static flx_num3 keep3(const flx_graph *g, v3 x, const flx_node n[3])
{
    flx_num3 a;
    v3_store(a.x, x);
    for (int i = 0; i < 3; i++) a.n[i] = open_of(g, n[i]);
    return a;
}

static flx_num3 plain3(v3 x)
{
    flx_num3 a = {.n = {0}};
    v3_store(a.x, x);
    return a;
}

// ---- sums and products ---------------------------------------------------------------------------

flx_num flx_num_add(flx_graph *g, flx_num a, flx_num b)
{
    if (!a.n && !b.n) return (flx_num){a.x + b.x, 0};
    return flx_num_keep(g, a.x + b.x, node_add(g, flx_num_node(g, a), flx_num_node(g, b)));
}

flx_num flx_num_sub(flx_graph *g, flx_num a, flx_num b)
{
    if (!a.n && !b.n) return (flx_num){a.x - b.x, 0};
    return flx_num_keep(g, a.x - b.x, node_sub(g, flx_num_node(g, a), flx_num_node(g, b)));
}

typedef void nodes3(flx_graph *g, const flx_node a[3], const flx_node b[3], flx_node out[3]);

static flx_num3 binary3(flx_graph *g, const flx_num3 *a, const flx_num3 *b, v3 x, nodes3 *of)
{
    flx_node m[3], n[3], out[3];
    if (!flx_num3_is_open(a) && !flx_num3_is_open(b)) return plain3(x);
    flx_num3_nodes(g, a, m);
    flx_num3_nodes(g, b, n);
    of(g, m, n, out);
    return keep3(g, x, out);
}

flx_num3 flx_num3_add(flx_graph *g, flx_num3 a, flx_num3 b)
{
    return binary3(g, &a, &b, v3_add(v3_load(a.x), v3_load(b.x)), node_add3);
}

flx_num3 flx_num3_sub(flx_graph *g, flx_num3 a, flx_num3 b)
{
    return binary3(g, &a, &b, v3_sub(v3_load(a.x), v3_load(b.x)), node_sub3);
}

flx_num3 flx_num3_cross(flx_graph *g, flx_num3 a, flx_num3 b)
{
    return binary3(g, &a, &b, v3_cross(v3_load(a.x), v3_load(b.x)), node_cross);
}

flx_num flx_num3_dot(flx_graph *g, flx_num3 a, flx_num3 b)
{
    double x = v3_dot(v3_load(a.x), v3_load(b.x));
    flx_node m[3], n[3];
    if (!flx_num3_is_open(&a) && !flx_num3_is_open(&b)) return (flx_num){x, 0};
    flx_num3_nodes(g, &a, m);
    flx_num3_nodes(g, &b, n);
    return flx_num_keep(g, x, node_dot(g, m, n));
}

flx_num flx_num3_norm(flx_graph *g, flx_num3 a)
{
    double x = v3_norm(v3_load(a.x));
    flx_node n[3];
    if (!flx_num3_is_open(&a)) return (flx_num){x, 0};
    flx_num3_nodes(g, &a, n);
    return flx_num_keep(g, x, node_norm(g, n));
}

flx_num3 flx_num3_unit(flx_graph *g, flx_num3 a)
{
    v3 x = v3_unit(v3_load(a.x));
    flx_node n[3], out[3];
    if (!flx_num3_is_open(&a)) return plain3(x);
    flx_num3_nodes(g, &a, n);
    flx_node size = node_norm(g, n);
    for (int i = 0; i < 3; i++) out[i] = node_div(g, n[i], size);
    return keep3(g, x, out);
}

flx_num3 flx_num3_negative(flx_graph *g, flx_num3 a, int i)
{
    if (a.n[i]) a.n[i] = open_of(g, node_neg(g, node_open(g, a.x[i], a.n[i])));
    a.x[i] = -a.x[i];
    return a;
}

flx_num3 flx_num3_axpy(flx_graph *g, flx_num s, flx_num3 a, flx_num3 b)
{
    v3 x = v3_axpy(s.x, v3_load(a.x), v3_load(b.x));
    flx_node m[3], n[3];
    if (!s.n && !flx_num3_is_open(&a) && !flx_num3_is_open(&b)) return plain3(x);
    flx_num3_nodes(g, &a, m);
    flx_num3_nodes(g, &b, n);
    for (int i = 0; i < 3; i++) n[i] = node_add(g, node_mul(g, flx_num_node(g, s), m[i]), n[i]);
    return keep3(g, x, n);
}

// ---- matrices ------------------------------------------------------------------------------------

static flx_num9 transpose(flx_num9 A)
{
    flx_num9 T;
    for (int i = 0; i < 9; i++) {
        T.x[i] = A.x[3 * (i % 3) + i / 3];
        T.n[i] = A.n[3 * (i % 3) + i / 3];
    }
    return T;
}

static flx_num3 mul_v(flx_graph *g, flx_num9 A, flx_num3 b, v3 x)
{
    flx_node M[9], v[3], out[3];
    if (!flx_num9_is_open(&A) && !flx_num3_is_open(&b)) return plain3(x);
    flx_num9_nodes(g, &A, M);
    flx_num3_nodes(g, &b, v);
    for (int i = 0; i < 3; i++) out[i] = node_dot(g, M + 3 * i, v);
    return keep3(g, x, out);
}

flx_num3 flx_num9_mul_v(flx_graph *g, flx_num9 A, flx_num3 b)
{
    return mul_v(g, A, b, m33_mul_v(m33_load(A.x), v3_load(b.x)));
}

flx_num3 flx_num9_tmul_v(flx_graph *g, flx_num9 A, flx_num3 b)
{
    return mul_v(g, transpose(A), b, m33_tmul_v(m33_load(A.x), v3_load(b.x)));
}

flx_num3 flx_num9_col(flx_num9 A, int j)
{
    return (flx_num3){.x = {A.x[j], A.x[3 + j], A.x[6 + j]}, .n = {A.n[j], A.n[3 + j], A.n[6 + j]}};
}

flx_num9 flx_num9_from_cols(flx_num3 a, flx_num3 b, flx_num3 c)
{
    flx_num9 A;
    for (int i = 0; i < 3; i++) {
        A.x[3 * i] = a.x[i], A.x[3 * i + 1] = b.x[i], A.x[3 * i + 2] = c.x[i];
        A.n[3 * i] = a.n[i], A.n[3 * i + 1] = b.n[i], A.n[3 * i + 2] = c.n[i];
    }
    return A;
}

flx_num9 flx_num9_mul(flx_graph *g, flx_num9 A, flx_num9 B)
{
    m33 x = m33_mul(m33_load(A.x), m33_load(B.x));
    flx_num9 C = flx_num9_of(x.m);
    flx_node M[9], N[9];
    if (!flx_num9_is_open(&A) && !flx_num9_is_open(&B)) return C;
    flx_num9_nodes(g, &A, M);
    flx_num9_nodes(g, &B, N);
    for (int i = 0; i < 9; i++) {
        const flx_node column[3] = {N[i % 3], N[3 + i % 3], N[6 + i % 3]};
        C.n[i] = open_of(g, node_dot(g, M + 3 * (i / 3), column));
    }
    return C;
}

flx_num9 flx_num9_tmul(flx_graph *g, flx_num9 A, flx_num9 B)
{
    return flx_num9_mul(g, transpose(A), B);
}

static m33 turn_about(v3 axis, double angle)
{
    double c = cos(angle), s = sin(angle);
    v3 n = v3_unit(axis);
    m33 R = m33_add(m33_scale(c, m33_identity()), m33_scale(s, m33_skew(n)));
    return m33_add(R, m33_scale(1 - c, m33_outer(n, n)));
}

flx_num9 flx_num9_turn_about(flx_graph *g, flx_num3 axis, flx_num angle)
{
    m33 x = turn_about(v3_load(axis.x), angle.x);
    flx_num9 R = flx_num9_of(x.m);
    if (!angle.n && !flx_num3_is_open(&axis)) return R;
    flx_num3 unit = flx_num3_unit(g, axis);
    flx_node n[3], a = flx_num_node(g, angle);
    flx_num3_nodes(g, &unit, n);
    flx_node c = flx_graph_unary(g, FLX_OP_COS, a), s = flx_graph_unary(g, FLX_OP_SIN, a);
    flx_node rest = node_sub(g, node_const(g, 1.0), c);
    for (int i = 0; i < 9; i++) {
        int row = i / 3, column = i % 3, other = 3 - row - column;
        flx_node entry = node_mul(g, rest, node_mul(g, n[row], n[column]));
        if (row == column) {
            entry = node_add(g, entry, c);
        } else if ((row + 1) % 3 == column) { // n~ has -n_other there
            entry = node_sub(g, entry, node_mul(g, s, n[other]));
        } else {
            entry = node_add(g, entry, node_mul(g, s, n[other]));
        }
        R.n[i] = open_of(g, entry);
    }
    return R;
}

void flx_num9_turn3(flx_graph *g, const flx_num9 *R, const flx_node v[3], flx_node out[3])
{
    flx_node M[9], c[3];
    flx_num9_nodes(g, R, M);
    for (int i = 0; i < 3; i++) c[i] = node_dot(g, M + 3 * i, v);
    for (int i = 0; i < 3; i++) out[i] = c[i];
}

void flx_num9_turn_back3(flx_graph *g, const flx_num9 *R, const flx_node v[3], flx_node out[3])
{
    flx_num9 T = transpose(*R);
    flx_num9_turn3(g, &T, v, out);
}

// ---- into the model ------------------------------------------------------------------------------

flx_status flx_num_store(flx_num a, double *x, flx_open *n)
{
    *x = a.x;
    *n = a.n;
    return a.n == FAILED ? FLX_ERR_MEMORY : FLX_OK;
}

flx_status flx_num3_store(const flx_num3 *a, double x[3], flx_open n[3])
{
    for (int i = 0; i < 3; i++) FLX_TRY(flx_num_store((flx_num){a->x[i], a->n[i]}, x + i, n + i));
    return FLX_OK;
}

flx_status flx_num9_store(const flx_num9 *a, double x[9], flx_open n[9])
{
    for (int i = 0; i < 9; i++) FLX_TRY(flx_num_store((flx_num){a->x[i], a->n[i]}, x + i, n + i));
    return FLX_OK;
}

// ---- numbers alone -------------------------------------------------------------------------------

void flx_nums_fix(flx_builder *b, int n, flx_open *open, flx_loc loc)
{
    double x;
    for (int i = 0; i < n; i++) {
        if (open[i] > 0) (void)flx_build_constant(b, open[i] - 1, loc, &x);
        open[i] = 0;
    }
}

void flx_num_fix(flx_builder *b, flx_num *a, flx_loc loc)
{
    flx_nums_fix(b, 1, &a->n, loc);
}

void flx_num3_fix(flx_builder *b, flx_num3 *a, flx_loc loc)
{
    flx_nums_fix(b, 3, a->n, loc);
}

void flx_num9_fix(flx_builder *b, flx_num9 *a, flx_loc loc)
{
    flx_nums_fix(b, 9, a->n, loc);
}

void flx_start_fix(flx_builder *b, flx_body_start *s, flx_loc loc)
{
    flx_nums_fix(b, 3, s->velocity_open, loc);
    flx_nums_fix(b, 3, s->angular_velocity_open, loc);
    flx_nums_fix(b, 3, s->origin_open, loc);
    flx_nums_fix(b, 3, s->carried_open, loc);
}

// ---- from the file -------------------------------------------------------------------------------

flx_status flx_build_num(flx_env *e, const flx_entry *y, flx_num *out)
{
    out->n = 0;
    return flx_build_open(e, y, &out->x, &out->n);
}

flx_status flx_build_kept(flx_env *e, const flx_entry *y, double *x, flx_open *n)
{
    flx_num a;
    FLX_TRY(flx_build_num(e, y, &a));
    if (e->b->open && e->b->open->exported) flx_num_fix(e->b, &a, y->loc);
    return flx_num_store(a, x, n);
}

flx_status flx_build_of_joint(flx_env *e, const flx_entry *y, const char *what, double *x,
                              flx_open *n)
{
    flx_num a;
    FLX_TRY(flx_build_num(e, y, &a));
    FLX_TRY(flx_num_store(a, x, n));
    if (!what || *x > 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive, not %g", what, *x);
}

flx_status flx_build_kept_positive(flx_env *e, const flx_entry *y, const char *what, double *x,
                                   flx_open *n)
{
    FLX_TRY(flx_build_kept(e, y, x, n));
    if (*x > 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s must be positive, not %g", what, *x);
}

flx_status flx_build_num3(flx_env *e, const flx_entry *y, flx_num3 *out)
{
    flx_operand v = {.node = -1};
    FLX_TRY(flx_build_value(e, y, &v));
    return flx_operand_to_num3(e, &v, y->loc, out);
}

flx_status flx_operand_to_num3(flx_env *e, const flx_operand *v, flx_loc loc, flx_num3 *out)
{
    flx_node n[3] = {-1, -1, -1};
    FLX_TRY(flx_operand_to_vector(e, v, loc, n));
    for (int i = 0; i < 3; i++) FLX_TRY(flx_node_to_number(e, n[i], loc, &out->x[i], &out->n[i]));
    return FLX_OK;
}
