// write_batch.c - many runs at once: the equations over vectors of runs, steps of fixed length, and the metrics, as one text
// that a C compiler makes a shared object of, and NVIDIA's compiler device code.
#include "base/number.h"
#include "export/batch_text.h"
#include "export/code.h"

// Where it differs from the ordinary notation (code.h).
static const flx_notation ops[FLX_OPS] = {
    [FLX_OP_POW] = {5, "f_pow(R($10), R($20))"},
    [FLX_OP_SQRT] = {5, "f_sqrt(R($10))"},
    [FLX_OP_SIN] = {5, "f_sin(R($10))"},
    [FLX_OP_COS] = {5, "f_cos(R($10))"},
    [FLX_OP_TAN] = {5, "f_tan(R($10))"},
    [FLX_OP_ASIN] = {5, "f_asin(R($10))"},
    [FLX_OP_ACOS] = {5, "f_acos(R($10))"},
    [FLX_OP_ATAN] = {5, "f_atan(R($10))"},
    [FLX_OP_ATAN2] = {5, "f_atan2(R($10), R($20))"},
    [FLX_OP_SINH] = {5, "f_sinh(R($10))"},
    [FLX_OP_COSH] = {5, "f_cosh(R($10))"},
    [FLX_OP_TANH] = {5, "f_tanh(R($10))"},
    [FLX_OP_EXP] = {5, "f_exp(R($10))"},
    [FLX_OP_LOG] = {5, "f_log(R($10))"},
    [FLX_OP_LOG10] = {5, "f_log10(R($10))"},
    [FLX_OP_ABS] = {5, "f_abs(R($10))"},
    [FLX_OP_SIGN] = {5, "f_sign(R($10))"},
    [FLX_OP_FLOOR] = {5, "f_floor(R($10))"},
    [FLX_OP_CEIL] = {5, "f_ceil(R($10))"},
    [FLX_OP_ROUND] = {5, "f_floor(R($11 + 0.5))"},
    [FLX_OP_MOD] = {5, "f_modulo(R($10), R($20))"},
    [FLX_OP_MIN] = {5, "f_min(R($10), R($20))"},
    [FLX_OP_MAX] = {5, "f_max(R($10), R($20))"},
    [FLX_OP_LT] = {5, "f_less(R($10), R($20))"},
    [FLX_OP_LE] = {5, "f_most(R($10), R($20))"},
    [FLX_OP_EQ] = {5, "f_equal(R($10), R($20))"},
    [FLX_OP_NE] = {5, "f_not(f_equal(R($10), R($20)))"},
    [FLX_OP_AND] = {5, "f_and(R($10), R($20))"},
    [FLX_OP_OR] = {5, "f_or(R($10), R($20))"},
    [FLX_OP_NOT] = {5, "f_not(R($10))"},
    [FLX_OP_IF] = {5, "f_if(R($10), R($20), R($30))"},
};

static const flx_language language = {.ops = ops,
                                      .open = "(",
                                      .close = ")",
                                      .small_power = "f_power(R($10), $e)",
                                      .temporary = "z%d",
                                      .between = ", ",
                                      .next_line = ",\n    ",
                                      .infinity = "HUGE_VAL",
                                      .not_a_number = "(0.0 / 0.0)",
                                      .number = flx_write_number,
                                      .comment = " * ",
                                      .entry = "%s[%d]",
                                      .first = 0,
                                      .effort = "0.0"};

// ---- functions ----------------------------------------------------------------------------------

// Efforts from outside are none, and no input.
static void write_signature(FILE *f, const flx_function *o)
{
    flx_function plain = *o;
    plain.inputs &= ~(1u << FLX_INPUT_TAU);
    flx_fprintf(f, "FN void %s(", o->name);
    flx_write_inputs(f, &plain, "real ", "const real *", "");
    for (int i = 0; i < o->nresult; i++) flx_fprintf(f, ", real *%s", o->results[i].name);
    fputs(")\n{\n", f);
}

static void write_function(FILE *f, const flx_function *o, const flx_code *c)
{
    write_signature(f, o);
    for (int i = 0; i < c->ntemporary; i++) {
        flx_fprintf(f, "    const real z%d = R(", i + 1);
        flx_code_write(f, c, &language, c->temporaries[i], false);
        fputs(");\n", f);
    }
    for (int i = 0; i < FLX_INPUTS; i++) {
        if (i == FLX_INPUT_TAU || !((o->inputs & ~c->inputs) & (1u << i))) continue;
        flx_fprintf(f, "    (void)%s;\n", flx_input_names[i]);
    }
    for (int k = 0; k < o->nresult; k++) {
        const flx_export_result *r = o->results + k;
        for (int i = 0; i < r->rows * (r->columns ? r->columns : 1); i++) {
            flx_fprintf(f, "    %s[%d] = R(", r->name, i);
            flx_code_write(f, c, &language, r->nodes[i], true);
            fputs(");\n", f);
        }
    }
    fputs("}\n\n", f);
}

static const char no_states[] =
    "FN void states(real t, const real *p, const real *q, const real *v, const real *x, real *dx)\n"
    "{\n"
    "    (void)t, (void)p, (void)q, (void)v, (void)x, (void)dx;\n"
    "}\n\n";

// ---- the rest -----------------------------------------------------------------------------------

static void write_whole_numbers(FILE *f, const char *name, const char *what, int n, const int *k)
{
    flx_fprintf(f, "TABLE(int, %s_%s, ", name, what);
    for (int i = 0; i < n; i++) flx_fprintf(f, "%s%d", i ? ", " : "", k[i]);
    fputs(n ? ")\n" : "0)\n", f);
}

// Coordinates and velocities are those of the joints; a run counts some of them the other way.
static void write_signs(FILE *f, const flx_functions *all)
{
    const flx_symbolic *x = &all->x;
    flx_fprintf(f, "SHOWN const int %s_signs[] = {", all->name);
    for (int level = 0; level < 2; level++) {
        for (int i = 0; i < x->n; i++) {
            const flx_link *l = x->t.links + i;
            bool ball = l->kind == FLX_LINK_BALL;
            for (int k = 0; k < x->links[1 + i].s.n + (ball && level == 0); k++) {
                fputs(l->against && !ball ? "-1, " : "1, ", f);
            }
        }
        for (int i = 0; i < x->nvariable; i++) fputs("1, ", f);
    }
    fputs("0}; /* of q, of v, against those of a run of Flexion */\n", f);
}

// What the program that uses it asks for: sizes, names of parameters and numbers, which way coordinates are counted.
static void write_facts(FILE *f, const flx_functions *all, const int *quaternions, const int *rates)
{
    const flx_symbolic *x = &all->x;
    const flx_outputs *o = &x->m->outputs;
    const char *n = all->name;
    bool watches = false, integrates = false, balls = false;
    for (int i = 0; i < x->nq; i++) balls = balls || quaternions[i];
    for (int i = 0; i < all->nmeasure; i++) {
        int kind = all->kinds[i];
        watches = watches || kind != FLX_MEASURE_FINAL;
        integrates = integrates || kind == FLX_MEASURE_MEAN || kind == FLX_MEASURE_RMS ||
                     kind == FLX_MEASURE_INTEGRAL;
    }
    flx_fprintf(f,
                "#define NQ %d\n#define NV %d\n#define NX %d\n#define NP %d\n#define NROW %d\n"
                "#define NH %d\n#define NZ (NQ + NV + NX)\n#define NM %d\n#define NY %d\n#define "
                "METHOD %d\n"
                "#define IMPLICIT (METHOD == 2)\n#define ELIMINATES %d\n"
                "#define NW (NM + NROW + (IMPLICIT ? 2 * (NV + NX) : 0))\n"
                "#define WATCHES %d\n#define INTEGRATES %d\n#define BALLS %d\n",
                x->nq, x->nv, x->m->nstate, all->np, x->nrow, all->nhoisted, all->nmeasure,
                all->nnumber, all->method, all->eliminates, watches, integrates, balls);
    write_whole_numbers(f, n, "kinds", all->nmeasure, all->kinds);
    write_whole_numbers(f, n, "quaternions", x->nq, quaternions);
    write_whole_numbers(f, n, "rate_of", x->nq, rates);
    flx_fprintf(f, "TABLE(double, %s_times, ", n);
    flx_write_numbers(f, &language, all->nmeasure, all->times);
    fputs(")\n#if !defined(GPU) || defined(__CUDACC__) || defined(__HIPCC__)\n", f);
    flx_fprintf(f, "SHOWN const int %s_sizes[] = {NQ, NV, NX, NP, NY, LANES};\n", n);
    write_signs(f, all);
    const double times[] = {x->m->simulate.until, x->m->simulate.def.step};
    flx_fprintf(f, "SHOWN const double %s_duration[] = {", n);
    flx_write_numbers(f, &language, 2, times);
    flx_fprintf(f, "}; /* of a run, of a step */\nSHOWN const double %s_defaults[] = {", n);
    flx_write_numbers(f, &language, all->np ? all->np : 1, all->np ? all->defaults : times);
    flx_fprintf(f, "};\nSHOWN const char *const %s_parameters[] = {", n);
    for (int i = 0; i < all->np; i++) flx_fprintf(f, "\"%s\", ", all->parameters[i]->name);
    flx_fprintf(f, "0};\nSHOWN const char *const %s_numbers[] = {", n);
    for (int i = 0; i < all->nnumber; i++) {
        flx_fprintf(f, "\"%s\", ", o->nmetric > 0 ? o->metrics[i].name : o->columns[i].name);
    }
    fputs("0};\n#endif\n\n", f);
}

flx_status flx_write_batch(FILE *f, const flx_functions *all, const flx_code *codes)
{
    const flx_symbolic *x = &all->x;
    if (flx_codes_contain(all, codes, FLX_OP_TABLE)) {
        return FLX_FAIL(x->ctx, FLX_ERR_CANNOT, flx_model_start(x->m),
                        "the model contains a table, which batches of runs do not have; write it "
                        "as an expression, or sweep without --device");
    }
    int *quaternions = flx_arena_take(x->arena, (size_t)x->nq, sizeof *quaternions);
    int *rates = flx_arena_take(x->arena, (size_t)x->nq,
                                sizeof *rates); // velocity of a coordinate; -1: none of its own
    if (!quaternions || !rates) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->n; i++) {
        const flx_link *l = x->t.links + i;
        bool ball = l->kind == FLX_LINK_BALL;
        if (ball) quaternions[l->q] = 1;
        for (int c = 0; c < x->links[1 + i].s.n + ball; c++)
            rates[l->q + c] = ball && c > 0 ? -1 : l->v + c;
    }
    for (int i = 0; i < x->nvariable; i++) rates[x->t.k.nq + i] = x->t.k.nv + i;
    fputs("/*\n", f);
    flx_write_header(f, all, &language);
    fputs(" */\n", f);
    fputs(flx_batch_math, f);
    write_facts(f, all, quaternions, rates);
    for (int i = 0; i < all->n; i++) write_function(f, all->f + i, codes + i);
    if (x->m->nstate == 0) fputs(no_states, f);
    flx_write_named(f, flx_batch_equations, all->name);
    flx_write_named(f, flx_batch_run, all->name);
    flx_write_named(f, flx_batch_device, all->name);
    return FLX_OK;
}
