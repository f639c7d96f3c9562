// fmu_host.inc.h - what FMI 2.0 and 3.0 call alike: included behind `functions`, `set` and `get` of a version. WARNING: the worst
// status with which a call has done its work; GET_DERIVATIVES: the call for derivatives of states.

static void destroy(cli_fmu *f)
{
    functions *call = f->functions;
    call->FreeInstance(f->instance);
}

// ---- model exchange -----------------------------------------------------------------------------

static bool put_state(cli_fmu *f, double t, const double *x, const double *u)
{
    functions *call = f->functions;
    size_t nx = (size_t)f->info->nstate;
    bool done = call->SetTime(f->instance, t) <= WARNING;
    if (nx > 0) done = done && call->SetContinuousStates(f->instance, x, nx) <= WARNING;
    for (int i = 0; i < f->nin && done; i++) done = set(f, f->in[i], u[i]);
    return done;
}

static bool rows(cli_fmu *f, double t, const double *x, const double *u, double *out)
{
    functions *call = f->functions;
    size_t nx = (size_t)f->info->nstate, nz = (size_t)f->info->nindicator;
    bool done = put_state(f, t, x, u);
    if (nx > 0) done = done && call->GET_DERIVATIVES(f->instance, out, nx) <= WARNING;
    out += nx;
    for (int i = 0; i < f->nout && done; i++) {
        int n = f->info->ports[f->out[i]].count;
        done = get(f, f->out[i], n, out);
        out += n;
    }
    if (nz > 0) done = done && call->GetEventIndicators(f->instance, out, nz) <= WARNING;
    return done;
}
