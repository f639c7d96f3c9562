// andrews_ida.c - Andrews' squeezing mechanism as a user of IDA writes it: y = (q, v, lambda, eta),
//
//     0 = q' - v + G^T eta,   0 = M v' - f + G^T lambda,   0 = g,   0 = G v
//
// with dense matrices and an analytic Jacobian. All constraints are sums of a sin or a cos of sums of
// angles, so that G, its rate and its turning come from one table. The Jacobian leaves out how M and f
// change with q and v, which is h times a rate. The equations: examples/andrews_equations.yaml.
#include "andrews_ida.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

enum { BE, TH, GA, PH, DE, OM, EP, NQ, NG = 6, V = NQ, LAMBDA = 2 * NQ, ETA = LAMBDA + NG };
enum { NY = ETA + NG };

static const double m[] = {0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498};
static const double J0[] = {2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
// Lengths and places in metres, by the letters of the published problem.
#define xa (-0.06934)
#define ya (-0.00227)
#define xb (-0.03635)
#define yb 0.03273
#define xc 0.014
#define yc 0.072
#define dd 0.028
#define da 0.0115
#define ee 0.02
#define ea 0.01421
#define rr 0.007
#define ra 0.00092
#define ss 0.035
#define sa 0.01874
#define sb 0.01043
#define sc 0.018
#define sd 0.02
#define ta 0.02308
#define tb 0.00916
#define uu 0.04
#define ua 0.01228
#define ub 0.00449
#define zf 0.02
#define zt 0.04

// A term of a constraint: size * sin(angle + quarter pi/2), the angle a sum of one or two of q.
typedef struct term {
    int row, first, second; // second < 0: none
    int quarter;
    double size;
} term;
static const term terms[] = {
    {0, BE, -1, 1, rr},  {0, BE, TH, 1, -dd}, {0, GA, -1, 0, -ss}, {1, BE, -1, 0, rr},
    {1, BE, TH, 0, -dd}, {1, GA, -1, 1, ss},  {2, BE, -1, 1, rr},  {2, BE, TH, 1, -dd},
    {2, PH, DE, 0, -ee}, {2, DE, -1, 1, -zt}, {3, BE, -1, 0, rr},  {3, BE, TH, 0, -dd},
    {3, PH, DE, 1, ee},  {3, DE, -1, 0, -zt}, {4, BE, -1, 1, rr},  {4, BE, TH, 1, -dd},
    {4, OM, EP, 1, -zf}, {4, EP, -1, 0, -uu}, {5, BE, -1, 0, rr},  {5, BE, TH, 0, -dd},
    {5, OM, EP, 0, -zf}, {5, EP, -1, 1, uu},
};
enum { NTERM = sizeof terms / sizeof terms[0] };

// G (NG x NQ), the turning of G v with q, and that of G^T lambda, where asked for; g.
typedef struct constraints {
    double g[NG], G[NG][NQ], turning[NG][NQ], pull[NQ][NQ];
} constraints;

static void eval_constraints(const double *y, constraints *b, bool derivatives)
{
    static const double at[NG] = {-xb, -yb, -xa, -ya, -xa, -ya};
    memset(b, 0, sizeof *b);
    memcpy(b->g, at, sizeof at);
    for (int k = 0; k < NTERM; k++) {
        const term *t = &terms[k];
        int n = t->second < 0 ? 1 : 2, col[2] = {t->first, t->second};
        double angle = y[t->first] + (n > 1 ? y[t->second] : 0.0);
        double speed = y[V + t->first] + (n > 1 ? y[V + t->second] : 0.0);
        double s = sin(angle), c = cos(angle);
        double value = t->size * (t->quarter ? c : s), slope = t->size * (t->quarter ? -s : c);
        b->g[t->row] += value;
        for (int i = 0; i < n; i++) {
            b->G[t->row][col[i]] += slope;
            if (!derivatives) continue;
            b->turning[t->row][col[i]] -= value * speed;
            for (int j = 0; j < n; j++) b->pull[col[i]][col[j]] -= value * y[LAMBDA + t->row];
        }
    }
}

static void eval_mass(const double *q, double M[NQ][NQ])
{
    const double ee4 = ee - ea, ff = zf - ea;
    memset(M, 0, NQ * sizeof *M);
    M[BE][BE] =
        m[0] * ra * ra + m[1] * (rr * rr - 2 * da * rr * cos(q[TH]) + da * da) + J0[0] + J0[1];
    M[BE][TH] = M[TH][BE] = m[1] * (da * da - da * rr * cos(q[TH])) + J0[1];
    M[TH][TH] = m[1] * da * da + J0[1];
    M[GA][GA] = m[2] * (sa * sa + sb * sb) + J0[2];
    M[PH][PH] = m[3] * ee4 * ee4 + J0[3];
    M[PH][DE] = M[DE][PH] = m[3] * (ee4 * ee4 + zt * ee4 * sin(q[PH])) + J0[3];
    M[DE][DE] = m[3] * (zt * zt + 2 * zt * ee4 * sin(q[PH]) + ee4 * ee4) +
                m[4] * (ta * ta + tb * tb) + J0[3] + J0[4];
    M[OM][OM] = m[5] * ff * ff + J0[5];
    M[OM][EP] = M[EP][OM] = m[5] * (ff * ff - uu * ff * sin(q[OM])) + J0[5];
    M[EP][EP] = m[5] * (ff * ff - 2 * uu * ff * sin(q[OM]) + uu * uu) + m[6] * (ua * ua + ub * ub) +
                J0[5] + J0[6];
}

static void eval_force(const double *q, const double *v, double f[NQ])
{
    const double ee4 = ee - ea, ff = zf - ea;
    double s = sin(q[GA]), c = cos(q[GA]);
    double x = sd * c + sc * s + xb - xc, y = sd * s - sc * c + yb - yc,
           length = sqrt(x * x + y * y);
    double pull = -4530.0 * (length - 0.07785) / length;
    f[BE] = 0.033 - m[1] * da * rr * v[TH] * (v[TH] + 2 * v[BE]) * sin(q[TH]);
    f[TH] = m[1] * da * rr * v[BE] * v[BE] * sin(q[TH]);
    f[GA] = pull * (x * (sc * c - sd * s) + y * (sd * c + sc * s));
    f[PH] = m[3] * zt * ee4 * v[DE] * v[DE] * cos(q[PH]);
    f[DE] = -m[3] * zt * ee4 * v[PH] * (v[PH] + 2 * v[DE]) * cos(q[PH]);
    f[OM] = -m[5] * uu * ff * v[EP] * v[EP] * cos(q[OM]);
    f[EP] = m[5] * uu * ff * v[OM] * (v[OM] + 2 * v[EP]) * cos(q[OM]);
}

static int residual(realtype t, N_Vector Y, N_Vector YP, N_Vector R, void *user)
{
    const double *y = N_VGetArrayPointer(Y), *yp = N_VGetArrayPointer(YP);
    double *r = N_VGetArrayPointer(R), M[NQ][NQ], f[NQ];
    constraints b;
    (void)t, (void)user;
    eval_constraints(y, &b, false);
    eval_mass(y, M);
    eval_force(y, y + V, f);
    for (int i = 0; i < NQ; i++) {
        r[i] = yp[i] - y[V + i];
        r[V + i] = -f[i];
        for (int j = 0; j < NQ; j++) r[V + i] += M[i][j] * yp[V + j];
        for (int k = 0; k < NG; k++) {
            r[i] += b.G[k][i] * y[ETA + k];
            r[V + i] += b.G[k][i] * y[LAMBDA + k];
        }
    }
    for (int k = 0; k < NG; k++) {
        r[LAMBDA + k] = b.g[k];
        r[ETA + k] = 0.0;
        for (int j = 0; j < NQ; j++) r[ETA + k] += b.G[k][j] * y[V + j];
    }
    return 0;
}

static int jacobian(realtype t, realtype c, N_Vector Y, N_Vector YP, N_Vector R, SUNMatrix J,
                    void *user, N_Vector a1, N_Vector a2, N_Vector a3)
{
    const double *y = N_VGetArrayPointer(Y);
    double M[NQ][NQ];
    constraints b;
    (void)t, (void)YP, (void)R, (void)user, (void)a1, (void)a2, (void)a3;
    eval_constraints(y, &b, true);
    eval_mass(y, M);
    for (int i = 0; i < NQ; i++) {
        SM_ELEMENT_D(J, i, i) = c;
        SM_ELEMENT_D(J, i, V + i) = -1.0;
        for (int j = 0; j < NQ; j++) {
            SM_ELEMENT_D(J, V + i, j) = b.pull[i][j];
            SM_ELEMENT_D(J, V + i, V + j) = c * M[i][j];
        }
        for (int k = 0; k < NG; k++) {
            SM_ELEMENT_D(J, i, ETA + k) = SM_ELEMENT_D(J, V + i, LAMBDA + k) = b.G[k][i];
            SM_ELEMENT_D(J, LAMBDA + k, i) = SM_ELEMENT_D(J, ETA + k, V + i) = b.G[k][i];
            SM_ELEMENT_D(J, ETA + k, i) = b.turning[k][i];
        }
    }
    return 0;
}

// A consistent start: at rest, with the accelerations and multipliers of the published problem.
static void fill_start(double *y, double *yp, double *id)
{
    static const double q[NQ] = {-0.06171389001427645, 0.0,
                                 0.45527981916307037,  0.22266839016588588,
                                 0.48736497954384256,  -0.22266839016588588,
                                 1.2305474445498212};
    static const double a[NQ] = {
        14222.4439199541138705911625887, -10666.8329399655854029433719415, 0.0, 0.0, 0.0, 0.0, 0.0};
    static const double lambda[NG] = {
        98.5668703962410896057654982170, -6.12268834425566265503114393122, 0.0, 0.0, 0.0, 0.0};
    memset(y, 0, NY * sizeof *y);
    memset(yp, 0, NY * sizeof *yp);
    memcpy(y, q, sizeof q);
    memcpy(yp + V, a, sizeof a);
    memcpy(y + LAMBDA, lambda, sizeof lambda);
    for (int i = 0; i < NY; i++) id[i] = i < LAMBDA ? 1.0 : 0.0;
}

bool andrews_ida(double rtol, andrews_ida_result *out)
{
    SUNContext context;
    struct timespec from, to;
    *out = (andrews_ida_result){.seconds = 0.0};
    if (SUNContext_Create(NULL, &context)) return false;
    N_Vector y = N_VNew_Serial(NY, context), yp = N_VNew_Serial(NY, context);
    N_Vector id = N_VNew_Serial(NY, context), atol = N_VNew_Serial(NY, context);
    SUNMatrix J = SUNDenseMatrix(NY, NY, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, J, context);
    void *ida = IDACreate(context);
    double t = 0.0, *allowed = N_VGetArrayPointer(atol);
    // multipliers are not in the error test, and the iteration is not held up by their rounding
    for (int i = 0; i < NY; i++) allowed[i] = i < LAMBDA ? rtol : 1.0;
    fill_start(N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(id));
    bool ok = IDAInit(ida, residual, 0.0, y, yp) == 0 && IDASVtolerances(ida, rtol, atol) == 0 &&
              IDASetLinearSolver(ida, solver, J) == 0 && IDASetJacFn(ida, jacobian) == 0 &&
              IDASetId(ida, id) == 0 && IDASetSuppressAlg(ida, SUNTRUE) == 0 &&
              IDASetMaxNumSteps(ida, 1000000) == 0 && IDASetStopTime(ida, 0.03) == 0;
    timespec_get(&from, TIME_UTC);
    ok = ok && IDASolve(ida, 0.03, &t, y, yp, IDA_NORMAL) >= 0;
    timespec_get(&to, TIME_UTC);
    out->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    memcpy(out->angle, N_VGetArrayPointer(y), sizeof out->angle);
    (void)IDAGetNumSteps(ida, &out->steps);
    (void)IDAGetNumErrTestFails(ida, &out->rejected);
    (void)IDAGetNumResEvals(ida, &out->residuals);
    (void)IDAGetNumJacEvals(ida, &out->factors);
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    N_VDestroy(id);
    N_VDestroy(atol);
    N_VDestroy(yp);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return ok;
}
