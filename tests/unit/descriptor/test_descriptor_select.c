// test_descriptor_select.c - selections of rows: their equations are those of the complete system, number by number, whatever reads
// multipliers; and a model's expressions are compiled once, however often its rows are chosen.
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include "check.h"

#include "descriptor/descriptor_parts.h"
#include "model_text.h"

#include <stdlib.h>

// The linker hands calls over (CMakeLists.txt).
static int compiled;
flx_status __real_flx_expr_compile(flx_descriptor *d);
flx_status __wrap_flx_expr_compile(flx_descriptor *d);
flx_status __wrap_flx_expr_compile(flx_descriptor *d)
{
    if (!d->whole) compiled++;
    return __real_flx_expr_compile(d);
}

// ---- numbers ------------------------------------------------------------------------------------

// Starts to hold, friction that reads a reaction, a drive and a multiplier that are read, a force that is an unknown, laws with
// switches, constraints of which two say the same.
#define ALL_KINDS model_text("all_kinds")

typedef struct pair {
    flx_system *whole, *part;
    flx_state *x, *y;
    int *map; // unknown of the part -> of the whole; -1: a start that is held
} pair;

static double some(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

// A state of the whole with zero multipliers where the part has no row, and the same of the part.
static void fill_states(pair *p)
{
    const flx_descriptor *d = flx_descriptor_of(p->part);
    const flx_dims *n = &p->whole->dims, *m = &p->part->dims;
    unsigned seed = 17;
    p->x->t = p->y->t = 0.37;
    (void)flx_descriptor_draw(p->whole, p->x);
    for (int i = 0; i < n->nv; i++) {
        p->x->v[i] = some(&seed);
        p->x->a[i] = some(&seed);
    }
    for (int i = 0; i < n->nx; i++) p->x->x[i] = some(&seed);
    for (int i = 0; i < n->nx; i++) p->x->dx[i] = some(&seed);
    memset(p->x->lam, 0, (size_t)n->nlam * sizeof(double));
    memset(p->x->mu, 0, (size_t)n->nmu * sizeof(double));
    memcpy(p->y->q, p->x->q, (size_t)n->nq * sizeof(double));
    memcpy(p->y->v, p->x->v, (size_t)n->nv * sizeof(double));
    memcpy(p->y->a, p->x->a, (size_t)n->nv * sizeof(double));
    memcpy(p->y->x, p->x->x, (size_t)n->nx * sizeof(double));
    memcpy(p->y->dx, p->x->dx, (size_t)n->nx * sizeof(double));
    memcpy(p->y->switches, p->x->switches, (size_t)n->nswitch * sizeof(double));
    for (int i = 0; i < m->nlam + m->nmu; i++) {
        int k = d->rows[i].complete;
        double value = k < 0 ? 0.0 : some(&seed);
        *(i < m->nlam ? p->y->lam + i : p->y->mu + i - m->nlam) = value;
        if (k >= 0) *(k < n->nlam ? p->x->lam + k : p->x->mu + k - n->nlam) = value;
    }
    p->x->t = p->y->t = 0.37;
    int first = flx_dims_first_constraint(m);
    for (int i = 0; i < first; i++) p->map[i] = i;
    for (int i = 0; i < m->nlam + m->nmu; i++) {
        p->map[first + i] = d->rows[i].complete < 0 ? -1 : first + d->rows[i].complete;
    }
}

static flx_blocks blocks_of(const flx_system *s)
{
    const flx_pattern *p = &s->pattern;
    size_t n = (size_t)p->offset[p->row[p->nblock]];
    return (flx_blocks){.A0 = calloc(n, sizeof(double)),
                        .A1 = calloc(n, sizeof(double)),
                        .A2 = calloc(n, sizeof(double))};
}

static void free_blocks(flx_blocks *b)
{
    free(b->A0);
    free(b->A1);
    free(b->A2);
}

static double *dense_of(const flx_system *s, const double *A)
{
    const flx_pattern *p = &s->pattern;
    int n = flx_dims_unknowns(&s->dims);
    double *out = calloc((size_t)n * (size_t)n, sizeof *out);
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e], rows = p->start[i + 1] - p->start[i];
            int cols = p->start[j + 1] - p->start[j];
            for (int k = 0; k < rows * cols; k++) {
                out[(p->start[i] + k / cols) * n + p->start[j] + k % cols] = A[p->offset[e] + k];
            }
        }
    }
    return out;
}

static int check_matrix(const pair *p, const double *whole, const double *part)
{
    int n = flx_dims_unknowns(&p->whole->dims), m = flx_dims_unknowns(&p->part->dims);
    double *A = dense_of(p->whole, whole), *B = dense_of(p->part, part);
    int bad = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            if (p->map[i] < 0 || p->map[j] < 0) continue;
            double a = A[p->map[i] * n + p->map[j]], b = B[i * m + j];
            if (a != b && bad++ == 0)
                printf("entry %d %d: %.17g, in the whole %.17g\n", i, j, b, a);
        }
    }
    free(A);
    free(B);
    CHECK(bad == 0);
    return 0;
}

static int check_pair(pair *p)
{
    flx_work *v = p->whole->ops->work_create(p->whole), *w = p->part->ops->work_create(p->part);
    int n = flx_dims_unknowns(&p->whole->dims), m = flx_dims_unknowns(&p->part->dims);
    double *r = calloc((size_t)n, sizeof *r), *s = calloc((size_t)m, sizeof *s);
    fill_states(p);
    flx_point a = flx_state_point(p->whole, p->x), b = flx_state_point(p->part, p->y);
    CHECK(p->whole->ops->residual(p->whole, v, &a, r) == FLX_OK);
    CHECK(p->part->ops->residual(p->part, w, &b, s) == FLX_OK);
    for (int i = 0; i < m; i++) CHECK(p->map[i] < 0 || s[i] == r[p->map[i]]);
    flx_blocks A = blocks_of(p->whole), B = blocks_of(p->part);
    CHECK(p->whole->ops->linearise(p->whole, v, &a, &A) == FLX_OK);
    CHECK(p->part->ops->linearise(p->part, w, &b, &B) == FLX_OK);
    if (check_matrix(p, A.A0, B.A0) || check_matrix(p, A.A1, B.A1) || check_matrix(p, A.A2, B.A2))
        return 1;
    free_blocks(&A);
    free_blocks(&B);
    CHECK(p->whole->ops->constraint_bias(p->whole, v, &a, r) == FLX_OK);
    CHECK(p->part->ops->constraint_bias(p->part, w, &b, s) == FLX_OK);
    int first = flx_dims_first_constraint(&p->part->dims);
    for (int i = first; i < m; i++) {
        CHECK(p->map[i] < 0 || s[i - first] == r[p->map[i] - first]);
    }
    p->whole->ops->work_destroy(v);
    p->part->ops->work_destroy(w);
    free(r);
    free(s);
    return 0;
}

// Rows of the complete system by the names of their items; a joint's drive: its part.
static int rows_of(const flx_system *s, const char *item, const char *part, int *out)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    int n = 0;
    for (int i = 0; i < s->dims.nlam + s->dims.nmu; i++) {
        bool drive = d->rows[i].role == FLX_ROLE_MOTION;
        if (strcmp(d->rows[i].item, item) != 0 || (part && !drive)) continue;
        out[n++] = i;
    }
    return n;
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int selections_have_the_equations_of_the_whole(void)
{
    static const struct {
        flx_hold hold;
        const char *item[2], *part;
    } cases[] = {
        {FLX_HOLD_NOTHING, {NULL, NULL}, NULL},   {FLX_HOLD_COORDINATES, {NULL, NULL}, NULL},
        {FLX_HOLD_RATES, {NULL, NULL}, NULL},     {FLX_HOLD_NOTHING, {"k2", NULL}, NULL},
        {FLX_HOLD_NOTHING, {"k1", "k3"}, NULL},   {FLX_HOLD_RATES, {"k3", "q"}, NULL},
        {FLX_HOLD_NOTHING, {"p", NULL}, "drive"}, {FLX_HOLD_COORDINATES, {"q", "k2"}, NULL},
        {FLX_HOLD_NOTHING, {"q", "r"}, NULL},
    };
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_status status =
        flx_model_read_text(ctx, "model", ALL_KINDS, strlen(ALL_KINDS), 0, NULL, &model);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pair p = {0};
        int drop[64];
        flx_descriptor_options o = {.hold = cases[k].hold, .drop = drop};
        CHECK(flx_descriptor_create(model, NULL, &p.whole) == FLX_OK);
        for (int i = 0; i < 2; i++) {
            if (!cases[k].item[i]) continue;
            o.ndrop += rows_of(p.whole, cases[k].item[i], cases[k].part, drop + o.ndrop);
        }
        qsort(drop, (size_t)o.ndrop, sizeof *drop, by_number);
        CHECK((o.ndrop > 0) == (cases[k].item[0] != NULL));
        CHECK(flx_descriptor_select(p.whole, &o, &p.part) == FLX_OK);
        p.map = calloc((size_t)flx_dims_unknowns(&p.part->dims), sizeof *p.map);
        CHECK(flx_state_create(p.whole, &p.x) == FLX_OK);
        CHECK(flx_state_create(p.part, &p.y) == FLX_OK);
        if (check_pair(&p)) return 1;
        // a selection outlives whoever made the whole
        flx_state_destroy(&p.x);
        if (k % 2 == 0) flx_system_destroy(&p.whole);
        flx_work *w = p.part->ops->work_create(p.part);
        flx_point y = flx_state_point(p.part, p.y);
        double *r = calloc((size_t)flx_dims_unknowns(&p.part->dims), sizeof *r);
        CHECK(w && p.part->ops->residual(p.part, w, &y, r) == FLX_OK);
        free(r);
        p.part->ops->work_destroy(w);
        flx_state_destroy(&p.y);
        flx_system_destroy(&p.part);
        flx_system_destroy(&p.whole);
        free(p.map);
    }
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- compiles -----------------------------------------------------------------------------------

static int compiles_of(const char *path, const char *form)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    compiled = 0;
    flx_status status = flx_model_read(ctx, path, 0, NULL, &model);
    if (status == FLX_OK && form) status = flx_model_set_text(model, "simulate.formulation", form);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status != FLX_OK) printf("%s: %s\n", path, flx_ctx_error(ctx, 0)->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return status == FLX_OK ? compiled : -1;
}

static int expressions_are_compiled_once(void)
{
    // starts that are held, redundant rows, equations, joint coordinates with closures
    static const char *const names[] = {"slider_crank",  "bricard",        "gears",
                                        "n_four_bar",    "joint_friction", "pendulum_equations",
                                        "elastic_crank", "spatial_crank",  "tumbling_chain"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s.yaml", FLX_EXAMPLES, names[i]);
        CHECK(compiles_of(path, NULL) == 1);
    }
    CHECK(compiles_of(FLX_EXAMPLES "/bricard.yaml", "tree") == 1);
    CHECK(compiles_of(FLX_EXAMPLES "/spatial_crank.yaml", "tree") == 1);
    return 0;
}

TEST_MAIN(TEST(selections_have_the_equations_of_the_whole), TEST(expressions_are_compiled_once))
