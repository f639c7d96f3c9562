// program_eval.c - programs run: a loop for each run of equal operations.
#include "expr/program.h"

// A run: the expression for each instruction i, results to the registers from r on.
#define RUN(expression)                                                                            \
    for (; i < end; i++) *r++ = (expression);                                                      \
    break
// ... for the most frequent operations, four at a time: counting costs as much as an addition.
#define RUN_FAST(expression)                                                                       \
    for (; end - i >= 4; r += 4) {                                                                 \
        r[0] = (expression), i++;                                                                  \
        r[1] = (expression), i++;                                                                  \
        r[2] = (expression), i++;                                                                  \
        r[3] = (expression), i++;                                                                  \
    }                                                                                              \
    RUN(expression)
#define A s[i->a]
#define B s[i->b]
#define C s[i->c]

static double call_external(const flx_program *p, const flx_instruction *i, const double *s)
{
    const flx_external *e = p->externals[i->b];
    double x[FLX_ARGUMENTS_MAX];
    for (int k = 0; k < e->narg; k++) x[k] = s[p->arguments[i->a + k]];
    return flx_external_eval(e, i->c, x);
}

// Comparisons, choices, tables and external functions. Each of these returns the register after the last result.
static double *run_choices(const flx_program *p, const flx_program_run *run,
                           const flx_instruction *i, const double *s, double *r)
{
    const flx_instruction *end = i + run->count;
    switch (run->what) {
    case CODE_LT:
        RUN(A < B);
    case CODE_LE:
        RUN(A <= B);
    case CODE_EQ:
        RUN(A == B);
    case CODE_NE:
        RUN(A != B);
    case CODE_AND:
        RUN(A != 0.0 && B != 0.0);
    case CODE_OR:
        RUN(A != 0.0 || B != 0.0);
    case CODE_NOT:
        RUN(A == 0.0);
    case CODE_IF:
        RUN(A != 0.0 ? B : C);
    case CODE_TABLE:
        RUN(flx_table_eval(p->tables[i->b], i->c, A));
    case CODE_PIECE:
        RUN(flx_table_eval_piece(p->tables[i->c / (2 * FLX_DERIVATIVES)], i->c % FLX_DERIVATIVES, A,
                                 i->c / FLX_DERIVATIVES % 2, (int)B));
    case CODE_ARGUMENT:
        RUN(A);
    case CODE_EXTERNAL:
        RUN(call_external(p, i, s));
    default:
        break;
    }
    return r;
}

// What is no arithmetic.
static double *run_functions(const flx_program *p, const flx_program_run *run,
                             const flx_instruction *i, const double *s, double *r)
{
    const flx_instruction *end = i + run->count;
    switch (run->what) {
    case CODE_POW:
        RUN(flx_pow(A, B));
    case CODE_SQRT:
        RUN(sqrt(A));
    case CODE_SIN_COS:
        for (; i < end; i++, r += 2) {
            double x = A;
            r[0] = sin(x);
            r[1] = cos(x);
        }
        break;
    case CODE_SIN:
        RUN(sin(A));
    case CODE_COS:
        RUN(cos(A));
    case CODE_TAN:
        RUN(tan(A));
    case CODE_ASIN:
        RUN(asin(A));
    case CODE_ACOS:
        RUN(acos(A));
    case CODE_ATAN:
        RUN(atan(A));
    case CODE_ATAN2:
        RUN(atan2(A, B));
    case CODE_SINH:
        RUN(sinh(A));
    case CODE_COSH:
        RUN(cosh(A));
    case CODE_TANH:
        RUN(tanh(A));
    case CODE_EXP:
        RUN(exp(A));
    case CODE_LOG:
        RUN(log(A));
    case CODE_LOG10:
        RUN(log10(A));
    case CODE_ABS:
        RUN(fabs(A));
    case CODE_SIGN:
        RUN(flx_sign(A));
    case CODE_FLOOR:
        RUN(floor(A));
    case CODE_CEIL:
        RUN(ceil(A));
    case CODE_ROUND:
        RUN(round(A));
    case CODE_MOD:
        RUN(flx_mod(A, B));
    case CODE_MIN:
        RUN(flx_min(A, B));
    case CODE_MAX:
        RUN(flx_max(A, B));
    default:
        return run_choices(p, run, i, s, r);
    }
    return r;
}

static void eval_runs(const flx_program *p, const double *s, double *r)
{
    const flx_instruction *i = p->instructions;
    for (int k = 0; k < p->nrun; k++) {
        const flx_instruction *end = i + p->runs[k].count;
        switch (p->runs[k].what) {
        case CODE_ADD:
            RUN_FAST(A + B);
        case CODE_SUB:
            RUN_FAST(A - B);
        case CODE_MUL:
            RUN_FAST(A * B);
        case CODE_DIV:
            RUN(A / B);
        case CODE_NEG:
            RUN(-A);
        case CODE_MUL_ADD:
            RUN_FAST(A * B + C);
        case CODE_MUL_SUB:
            RUN_FAST(A * B - C);
        case CODE_SUB_MUL:
            RUN_FAST(C - A * B);
        case CODE_SQUARE:
            RUN(A * A);
        case CODE_CUBE:
            RUN(A * A * A);
        case CODE_POWER:
            RUN(flx_power(A, i->b));
        default:
            r = run_functions(p, p->runs + k, i, s, r);
            i = end;
        }
    }
}

void flx_program_eval(const flx_program *p, const double *in, double *scratch, double *out)
{
    double *r = scratch;
    memcpy(r, p->constants, (size_t)p->nconst * sizeof *r);
    r += p->nconst;
    int single = p->ninput - p->ntail;
    for (int i = 0; i < single; i++) *r++ = in[p->inputs[i]];
    if (p->ntail > 0) {
        memcpy(r, in + p->inputs[single], (size_t)p->ntail * sizeof *r);
        r += p->ntail;
    }
    eval_runs(p, scratch, r);
    for (int i = 0; i < p->nout; i++) out[i] = scratch[p->out[i]];
}
