// test_flat.c - accelerations of equations by one program: they solve the equations, on all levels, and
// where the constraints are singular the general way takes over.
#include "check.h"
#include "descriptor/descriptor_parts.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "model_text.h"

#include <string.h>

// A mass matrix with a coupling, one constraint that stands, one that moves in time, one on rates, a
// state: everything that the program has to put together.
#define FLAT model_text("flat")

typedef struct bench {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *s;
    flx_work *w;
    flx_state *x;
} bench;

static int up(bench *b, const char *setting)
{
    *b = (bench){.ctx = flx_ctx_create()};
    CHECK(flx_model_read_text(b->ctx, "test", FLAT, strlen(FLAT), 1, &setting, &b->model) ==
          FLX_OK);
    CHECK(flx_descriptor_create(b->model, NULL, &b->s) == FLX_OK);
    CHECK((b->w = b->s->ops->work_create(b->s)) != NULL);
    CHECK(flx_state_create(b->s, &b->x) == FLX_OK);
    return flx_descriptor_draw(b->s, b->x) != FLX_OK;
}

static void down(bench *b)
{
    if (b->w) b->s->ops->work_destroy(b->w);
    flx_state_destroy(&b->x);
    flx_system_destroy(&b->s);
    flx_model_destroy(&b->model);
    flx_ctx_destroy(&b->ctx);
}

static int the_equations_are_solved(void)
{
    bench b;
    double z[16], dz[16], r[16], bias[4], ga[4], none[8] = {0};
    CHECK(up(&b, "a=0.3") == 0);
    const flx_system *s = b.s;
    const flx_explicit *e = s->ops->explicit_form;
    CHECK(flx_descriptor_of(s)->expr.flat.program != NULL);
    CHECK(e->prepare(s, b.w) == FLX_OK);
    b.x->t = 0.7;
    e->pack(s, b.x, z);
    CHECK(e->rate(s, b.w, 0.7, z, b.x, dz) == FLX_OK);
    CHECK(e->regularity(s, b.w) > 1e-3);
    flx_point p = flx_state_point(s, b.x);
    CHECK(s->ops->residual(s, b.w, &p, r) == FLX_OK);
    for (int i = 0; i < s->dims.nv + s->dims.nx; i++) CHECK_NEAR(r[i], 0.0, 1e-13);
    // G a = -bias: rates at v = a less those at v = 0
    CHECK(s->ops->constraint_bias(s, b.w, &p, bias) == FLX_OK);
    p.v = b.x->a;
    CHECK(s->ops->constraint_rate(s, b.w, &p, ga) == FLX_OK);
    CHECK(s->ops->residual(s, b.w, &p, r) == FLX_OK);
    double aa = r[s->dims.nv + s->dims.nx + s->dims.nlam];
    p.v = none;
    CHECK(s->ops->constraint_rate(s, b.w, &p, r) == FLX_OK);
    for (int i = 0; i < 2; i++) CHECK_NEAR(ga[i] - r[i] + bias[i], 0.0, 1e-13);
    CHECK_NEAR(aa + bias[2], 0.0, 1e-13);
    down(&b);
    return 0;
}

// The program and the matrix, whose factors the projection takes, are one.
static int the_general_way_gives_the_same(void)
{
    bench b;
    double z[16], flat[16], general[16];
    CHECK(up(&b, "a=0.3") == 0);
    const flx_explicit *e = b.s->ops->explicit_form;
    flx_flat *f = &((flx_descriptor *)b.s)->expr.flat;
    e->pack(b.s, b.x, z);
    CHECK(e->rate(b.s, b.w, 0.7, z, b.x, flat) == FLX_OK);
    flx_program *program = f->program;
    f->program = NULL;
    CHECK(e->rate(b.s, b.w, 0.7, z, b.x, general) == FLX_OK);
    f->program = program;
    for (int i = 0; i < e->size(b.s); i++) CHECK_NEAR(flat[i], general[i], 1e-12);
    down(&b);
    return 0;
}

// At p = q = 0 with a = 0 the first constraint has no gradient, and its bias asks for one.
static int a_singular_position_is_not_made_up(void)
{
    bench b;
    double z[16], dz[16];
    CHECK(up(&b, "a=0") == 0);
    const flx_explicit *e = b.s->ops->explicit_form;
    e->pack(b.s, b.x, z);
    CHECK(e->rate(b.s, b.w, 0.0, z, b.x, dz) == FLX_OK);
    z[0] = z[1] = 0.0;
    CHECK(e->rate(b.s, b.w, 0.0, z, b.x, dz) == FLX_SINGULAR);
    down(&b);
    return 0;
}

TEST_MAIN(TEST(the_equations_are_solved), TEST(the_general_way_gives_the_same),
          TEST(a_singular_position_is_not_made_up))
