// adams.c - Adams-Moulton of variable order 1 to 12 by SUNDIALS' CVODE, with functional iteration, on
// z' = F(t, P(z)): index 1.
//
// P is the projection to the position and velocity constraints. The slope is tangent to them there,
// so that z goes along with them and does not run away; its distance from them is an error of the
// method like any other. What is reported is P(z), and the history is never disturbed. Without
// constraints, or where they may drift, P is the identity.                                (ADA-2)
//
// Source: Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers,
// ACM TOMS 31 (2005). Theory: docs/theory/integrators.md.
#include "integrate/explicit/explicit_form.h"
#include "integrate/multistep/multistep.h"
#include "integrate/multistep/sundials.h"
#include "integrate/tolerance.h"

#include <cvode/cvode.h>
#include <math.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#define HIGHEST_ORDER 12
// Functional iteration that fails in more than this part of so many steps: the motion is stiff.
#define STIFF_SHARE 0.2
#define STIFF_STEPS 100
// Part of the tolerance that a step may use: where the iteration and not the error bounds the step, as
// on strongly damped systems, the errors of all steps have one sign and add up.
#define STEP_SHARE 0.1
// A step ends when it has failed so often: the limits of CVODE are those of 100 % bad luck.
#define MOST_FAILURES 20

typedef struct adams {
    const flx_explicit *form; // borrowed
    flx_sundials sun;
    void *cvode;                  // owned
    SUNNonlinearSolver iteration; // owned
    bool projects, started;
    bool warned;
    long failures, steps;  // of the iteration, when the present hundred of steps began
    double *near, *slope;  // (n) projected z, its slope
    flx_state *trial;      // where rates are evaluated
    const flx_state *from; // where the step in hand begins; else NULL
    flx_status trouble;    // of the last evaluation that failed
} adams;

static int rate(double t, N_Vector z, N_Vector dz, void *user)
{
    flx_integrator *it = user;
    adams *p = it->data;
    const double *at = flx_sundials_values(z);
    flx_status s = FLX_OK;
    it->stats.residuals++;
    if (p->projects) {
        double moved_q, moved_v;
        memcpy(p->near, at, (size_t)N_VGetLength(z) * sizeof *at);
        at = p->near;
        it->stats.projections++;
        s = p->form->project(it->sys, it->work, t, p->near, p->trial, &moved_q, &moved_v);
    }
    if (s == FLX_OK) {
        s = p->form->rate(it->sys, it->work, t, at, p->trial, flx_sundials_values(dz));
    }
    if (s != FLX_OK) p->trouble = s;
    if (s != FLX_OK && p->from) flx_state_copy(p->trial, p->from); // iterations begin anew
    return flx_sundials_answer(s);
}

static void adams_destroy(flx_integrator *it)
{
    adams *p = it->data;
    if (p->cvode) CVodeFree(&p->cvode);
    if (p->iteration) SUNNonlinSolFree(p->iteration);
    flx_sundials_close(&p->sun);
    flx_free(p->near);
    flx_free(p->slope);
    flx_state_destroy(&p->trial);
    flx_free(p);
    it->data = NULL;
}

static flx_status make_solver(flx_integrator *it)
{
    adams *p = it->data;
    double rtol = it->def.rtol > 0.0 ? it->def.rtol : FLX_DEFAULT_RTOL;
    double atol = it->def.atol > 0.0 ? it->def.atol : FLX_DEFAULT_ATOL;
    p->cvode = CVodeCreate(CV_ADAMS, p->sun.context);
    p->iteration = p->cvode ? SUNNonlinSol_FixedPoint(p->sun.y, 0, p->sun.context) : NULL;
    bool made = p->iteration != NULL;
    made = made && CVodeSetErrHandlerFn(p->cvode, flx_sundials_hush, NULL) == CV_SUCCESS;
    made = made && CVodeInit(p->cvode, rate, 0.0, p->sun.y) == CV_SUCCESS;
    made = made && CVodeSetUserData(p->cvode, it) == CV_SUCCESS;
    made = made && CVodeSStolerances(p->cvode, STEP_SHARE * rtol, STEP_SHARE * atol) == CV_SUCCESS;
    made = made && CVodeSetNonlinearSolver(p->cvode, p->iteration) == CV_SUCCESS;
    made = made && CVodeSetMaxErrTestFails(p->cvode, MOST_FAILURES) == CV_SUCCESS;
    made = made && CVodeSetMaxConvFails(p->cvode, MOST_FAILURES) == CV_SUCCESS;
    made = made && CVodeSetMaxNumSteps(p->cvode, -1) == CV_SUCCESS; // ours counts
    if (made && it->def.max_order > 0) {
        made = CVodeSetMaxOrd(p->cvode, it->def.max_order) == CV_SUCCESS;
    }
    if (made && it->def.max_step > 0.0) {
        made = CVodeSetMaxStep(p->cvode, it->def.max_step) == CV_SUCCESS;
    }
    if (made && it->def.initial_step > 0.0) {
        made = CVodeSetInitStep(p->cvode, it->def.initial_step) == CV_SUCCESS;
    }
    return made ? FLX_OK : FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}

static flx_status adams_create(flx_integrator *it)
{
    const flx_system *s = it->sys;
    FLX_TRY(flx_explicit_open(it));
    adams *p = flx_alloc(it->ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    it->data = p;
    p->form = s->ops->explicit_form;
    p->projects = flx_explicit_projects(it);
    flx_method_of(it)->closes_velocities = p->projects;
    int n = p->form->size(s);
    p->near = flx_alloc(it->ctx, (size_t)n, sizeof *p->near);
    p->slope = flx_alloc(it->ctx, (size_t)n, sizeof *p->slope);
    if (!p->near || !p->slope) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(s, &p->trial));
    FLX_TRY(flx_sundials_open(it, n, 1, &p->sun));
    return make_solver(it);
}

static int adams_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    flx_multistep_adams(HIGHEST_ORDER, out);
    return 1;
}

static void watch_stiffness(flx_integrator *it, double t)
{
    adams *p = it->data;
    long failures = 0, steps = 0;
    if (p->warned || CVodeGetNumNonlinSolvConvFails(p->cvode, &failures) != CV_SUCCESS ||
        CVodeGetNumSteps(p->cvode, &steps) != CV_SUCCESS || steps < p->steps + STIFF_STEPS) {
        return;
    }
    if ((double)(failures - p->failures) > STIFF_SHARE * (double)(steps - p->steps)) {
        p->warned = true;
        flx_ctx_warn(it->ctx, FLX_NOWHERE,
                     "adams: the motion looks stiff from t = %.6g on: the iteration converges with "
                     "short steps only; bdf or radau would take larger ones",
                     t);
    }
    p->failures = failures;
    p->steps = steps;
}

static void count_work(flx_integrator *it, long rejected, long failures)
{
    const adams *p = it->data;
    long now_rejected = rejected, now_failures = failures;
    (void)CVodeGetNumErrTestFails(p->cvode, &now_rejected);
    (void)CVodeGetNumNonlinSolvConvFails(p->cvode, &now_failures);
    it->stats.rejected += now_rejected - rejected;
    it->stats.newton_failures += now_failures - failures;
}

static flx_status explain(flx_integrator *it, int flag)
{
    const adams *p = it->data;
    const char *advice = "method bdf or radau";
    switch (flag) {
    case CV_MEM_FAIL:
        return FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    case CV_CONV_FAILURE:
        return flx_method_fail(it, FLX_NO_CONVERGENCE, -1, 0, 0,
                               "functional iteration did not converge with the shortest step",
                               advice);
    case CV_TOO_MUCH_ACC:
        return flx_method_fail(it, FLX_STEP_TOO_SMALL, -1, 0, 0,
                               "the tolerance is below what rounding allows", "larger tolerances");
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
        if (p->trouble < 0) return p->trouble;
        return flx_method_fail(it, p->trouble, flx_explicit_worst(it), 0, 0, NULL, advice);
    default:
        return flx_method_fail(it, FLX_STEP_TOO_SMALL, -1, 0, 0, "the step became too small",
                               "larger tolerances, and look for a jump in a force");
    }
}

// P(z) at t, with accelerations and multipliers, into the trial state.
static flx_status report(flx_integrator *it, double t, N_Vector z)
{
    adams *p = it->data;
    memcpy(p->near, flx_sundials_values(z), (size_t)N_VGetLength(z) * sizeof *p->near);
    if (p->projects) {
        double moved_q, moved_v;
        it->stats.projections++;
        FLX_TRY(p->form->project(it->sys, it->work, t, p->near, p->trial, &moved_q, &moved_v));
    }
    it->stats.residuals++;
    FLX_TRY(p->form->rate(it->sys, it->work, t, p->near, p->trial, p->slope));
    p->form->unpack(it->sys, t, p->near, p->trial);
    p->trial->t = t;
    return FLX_OK;
}

static flx_status adams_step(flx_integrator *it, flx_state *x, double h_most, double *h_taken)
{
    adams *p = it->data;
    double t = x->t;
    flx_state_copy(p->trial, x);
    h_most = fmin(h_most, flx_method_of(it)->longest);
    if (!flx_method_of(it)->continues || !p->started) {
        FLX_TRY(flx_explicit_pack(it, x, flx_sundials_values(p->sun.y)));
        if (CVodeReInit(p->cvode, t, p->sun.y) != CV_SUCCESS) {
            return FLX_FAIL(it->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
        }
        p->started = true;
        p->failures = p->steps = 0;
    }
    long rejected = 0, failures = 0;
    (void)CVodeGetNumErrTestFails(p->cvode, &rejected);
    (void)CVodeGetNumNonlinSolvConvFails(p->cvode, &failures);
    int flag = CVodeSetMinStep(p->cvode, flx_sundials_smallest(t, h_most));
    if (flag == CV_SUCCESS) flag = CVodeSetStopTime(p->cvode, t + h_most);
    p->from = x;
    if (flag == CV_SUCCESS) flag = CVode(p->cvode, t + h_most, p->sun.y, &t, CV_ONE_STEP);
    p->from = NULL;
    count_work(it, rejected, failures);
    flx_status s = flag < 0 ? explain(it, flag) : report(it, t, p->sun.y);
    if (s != FLX_OK) {
        (void)CVodeGetCurrentStep(p->cvode, h_taken); // the one tried last
        p->started = false;
        return s;
    }
    watch_stiffness(it, t);
    *h_taken = t - x->t;
    flx_state_copy(x, p->trial);
    return FLX_OK;
}

static flx_status adams_interpolate(flx_integrator *it, double t, flx_state *out)
{
    adams *p = it->data;
    flx_state_copy(p->trial, flx_method_of(it)->before); // switches are those of the step
    if (CVodeGetDky(p->cvode, t, 0, p->sun.other[0]) != CV_SUCCESS) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "adams: t = %.9g is not inside the last step", t);
    }
    FLX_TRY(report(it, t, p->sun.other[0]));
    flx_state_copy(out, p->trial);
    return FLX_OK;
}

const flx_integrator_type flx_adams = {
    .name = "adams",
    .summary = "Adams-Moulton, order 1 to 12 (SUNDIALS CVODE), projected to the constraints",
    .order = HIGHEST_ORDER,
    .adaptive = 1,
    .settled = 1,
    .coefficients = adams_coefficients,
    .create = adams_create,
    .step = adams_step,
    .interpolate = adams_interpolate,
    .destroy = adams_destroy,
};
