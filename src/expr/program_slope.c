// program_slope.c - a program and its derivative along one direction of its inputs, side by side.
#include "expr/program.h"

int flx_program_slope_scratch(const flx_program *p)
{
    return 2 * flx_program_scratch(p);
}

static double power_slope(double x, double e, double dx, double de)
{
    double by_x = e == 0.0 || dx == 0.0 ? 0.0 : e * flx_pow(x, e - 1.0) * dx;
    return de == 0.0 ? by_x : by_x + flx_pow(x, e) * log(x) * de;
}

static double external_slope(const flx_program *p, const flx_instruction *i, const double *s,
                             const double *d)
{
    const flx_external *e = p->externals[i->b];
    double x[FLX_ARGUMENTS_MAX], sum = 0.0;
    for (int k = 0; k < e->narg; k++) x[k] = s[p->arguments[i->a + k]];
    for (int k = 0; k < e->narg; k++) {
        double along = d[p->arguments[i->a + k]];
        if (along != 0.0) sum += flx_external_eval(e, flx_orders_add(i->c, k), x) * along;
    }
    return sum;
}

#define A s[i->a]
#define B s[i->b]
#define C s[i->c]
#define DA d[i->a]
#define DB d[i->b]
#define DC d[i->c]

// The slope of an instruction with one result, which is r.
static double slope_of(const flx_program *p, flx_opcode what, const flx_instruction *i,
                       const double *s, const double *d, double r)
{
    switch (what) {
    case CODE_ADD:
        return DA + DB;
    case CODE_SUB:
        return DA - DB;
    case CODE_MUL:
        return DA * B + A * DB;
    case CODE_DIV:
        return (DA - r * DB) / B;
    case CODE_NEG:
        return -DA;
    case CODE_MUL_ADD:
        return DA * B + A * DB + DC;
    case CODE_MUL_SUB:
        return DA * B + A * DB - DC;
    case CODE_SUB_MUL:
        return DC - (DA * B + A * DB);
    case CODE_SQUARE:
        return 2.0 * A * DA;
    case CODE_CUBE:
        return 3.0 * A * A * DA;
    case CODE_POWER:
        return power_slope(A, i->b, DA, 0.0);
    case CODE_POW:
        return power_slope(A, B, DA, DB);
    case CODE_SQRT:
        return DA == 0.0 ? 0.0 : 0.5 * DA / r;
    case CODE_SIN:
        return cos(A) * DA;
    case CODE_COS:
        return -sin(A) * DA;
    case CODE_TAN:
        return (1.0 + r * r) * DA;
    case CODE_ASIN:
        return DA == 0.0 ? 0.0 : DA / sqrt(1.0 - A * A);
    case CODE_ACOS:
        return DA == 0.0 ? 0.0 : -DA / sqrt(1.0 - A * A);
    case CODE_ATAN:
        return DA / (1.0 + A * A);
    case CODE_ATAN2:
        return DA == 0.0 && DB == 0.0 ? 0.0 : (B * DA - A * DB) / (A * A + B * B);
    case CODE_SINH:
        return cosh(A) * DA;
    case CODE_COSH:
        return sinh(A) * DA;
    case CODE_TANH:
        return (1.0 - r * r) * DA;
    case CODE_EXP:
        return r * DA;
    case CODE_LOG:
        return DA / A;
    case CODE_LOG10:
        return DA / (A * log(10.0));
    case CODE_ABS:
        return A < 0.0 ? -DA : DA;
    case CODE_MOD:
        return DA - floor(A / B) * DB;
    case CODE_MIN:
        return A <= B || isnan(A) ? DA : DB;
    case CODE_MAX:
        return A >= B || isnan(A) ? DA : DB;
    case CODE_IF:
        return A != 0.0 ? DB : DC;
    case CODE_TABLE:
        return flx_table_eval(p->tables[i->b], i->c + 1, A) * DA;
    case CODE_PIECE:
        return flx_table_eval_piece(p->tables[i->c / (2 * FLX_DERIVATIVES)],
                                    i->c % FLX_DERIVATIVES + 1, A, i->c / FLX_DERIVATIVES % 2,
                                    (int)B) *
               DA;
    case CODE_ARGUMENT:
        return DA;
    case CODE_EXTERNAL:
        return external_slope(p, i, s, d);
    default: // signs, whole numbers, comparisons
        return 0.0;
    }
}

void flx_program_slope(const flx_program *p, const double *in, const double *along, double *scratch,
                       double *out, double *slopes)
{
    double *s = scratch, *d = scratch + flx_program_scratch(p);
    flx_program_eval(p, in, s, out);
    int r = p->nconst + p->ninput;
    for (int k = 0; k < p->nconst; k++) d[k] = 0.0;
    for (int k = 0; k < p->ninput; k++) d[p->nconst + k] = along[p->inputs[k]];
    const flx_instruction *i = p->instructions;
    for (int k = 0; k < p->nrun; k++) {
        flx_opcode what = p->runs[k].what;
        for (const flx_instruction *end = i + p->runs[k].count; i < end; i++) {
            if (what == CODE_SIN_COS) {
                d[r] = s[r + 1] * DA;
                d[r + 1] = -s[r] * DA;
                r += 2;
            } else {
                d[r] = slope_of(p, what, i, s, d, s[r]);
                r++;
            }
        }
    }
    for (int k = 0; k < p->nout; k++) slopes[k] = d[p->out[k]];
}
