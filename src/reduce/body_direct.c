// body_direct.c - responses of a measured body: of its Ritz model with its certificate, of its shapes, by direct solutions;
// and the body as a linear system.
#include "base/refuse.h"
#include "reduce/body_study.h"

#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

// ---- direct solutions -----------------------------------------------------------------------------

flx_status flx_body_study_solve(flx_reduction *r, const flx_free_structure *s)
{
    const flx_ports *ports = &r->ritz->ports;
    size_t p = (size_t)ports->count, n = (size_t)ports->n;
    flx_frontal *f = NULL;
    double complex *X = flx_alloc(r->ctx, p * n, sizeof *X);
    r->direct = flx_alloc(r->ctx, (size_t)r->def.ndirect * p * p, sizeof *r->direct);
    flx_status status =
        X && r->direct ? flx_frontal_create(r->ctx, s->K, s->group, &f) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_frontal_reserve(f, 2 * ports->count);
    for (int k = 0; k < r->def.ndirect && status == FLX_OK; k++) {
        status =
            flx_port_respond_directly(s, ports, &r->ritz->damping, 2 * FLX_PI * r->def.direct[k], f,
                                      X, r->direct + (size_t)k * p * p);
        if (status == FLX_SINGULAR) {
            status =
                FLX_FAIL(r->ctx, FLX_ERR_CANNOT, s->loc,
                         "the response at %g Hz cannot be solved for directly", r->def.direct[k]);
        }
    }
    flx_frontal_destroy(&f);
    flx_free(X);
    return status;
}

// ---- conditions -----------------------------------------------------------------------------------

// Ports whose interface has this name of so many letters.
static int hold_named(const flx_reduction *r, const char *name, size_t letters, bool *held)
{
    int found = 0;
    for (int i = 0; i < r->ritz->ports.count; i++) {
        const char *port = r->names[i], *dot = strrchr(port, '.');
        if ((size_t)(dot - port) != letters || memcmp(port, name, letters) != 0) continue;
        held[i] = true;
        found++;
    }
    return found;
}

// "hub, tip", "hub held", "all held", "free": c->held (ports) is there.
static flx_status read_condition(const flx_reduction *r, const char *text, flx_port_condition *c)
{
    const flx_port_conditions *known = &r->ritz->conditions;
    int p = r->ritz->ports.count, held = 0;
    for (int i = 0; i < known->count; i++) {
        if (strcmp(known->items[i].name, text) == 0) {
            memcpy(c->held, known->items[i].held, (size_t)p * sizeof *c->held);
            text = "";
        }
    }
    for (const char *at = text; *at;) {
        size_t letters = strcspn(at, ",");
        const char *next = at + letters + (at[letters] == ',');
        while (*at == ' ') at++, letters--;
        while (letters > 0 && at[letters - 1] == ' ') letters--;
        if (letters > 5 && memcmp(at + letters - 5, " held", 5) == 0) letters -= 5;
        bool all = letters == 3 && memcmp(at, "all", 3) == 0;
        for (int i = 0; i < p && all; i++) c->held[i] = true;
        if (!all && hold_named(r, at, letters, c->held) == 0) {
            return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "'%.*s' is no interface of '%s', which has %s", (int)letters, at,
                            r->report->body, r->report->interfaces);
        }
        at = next;
    }
    for (int i = 0; i < p; i++) held += c->held[i];
    c->free = held == 0;
    c->all = held == p;
    return FLX_OK;
}

// ---- responses ------------------------------------------------------------------------------------

// Entry (i, j) of a condition's response in the units of its ports; nothing where a port is held.
static void write_response(const flx_ports *ports, const flx_port_condition *c,
                           const flx_port_work *w, double *H)
{
    int p = ports->count, rows = c && !c->all ? w->columns : p;
    const double *s = ports->scale;
    for (int j = 0, l = 0; j < p; j++) {
        if (c && !c->all && c->held[j]) continue;
        for (int i = 0, k = 0; i < p; i++) {
            if (c && !c->all && c->held[i]) continue;
            double complex z = c ? w->C[l * rows + k] : w->G[l * p + k];
            double scale = s[i] * s[j];
            if (scale > 0) z = c && c->all ? z * scale : z / scale;
            H[2 * (i * p + j)] = creal(z);
            H[2 * (i * p + j) + 1] = cimag(z);
            k++;
        }
        l++;
    }
    flx_ports_name(ports, 2 * p, 1, 2 * p, H);
    for (int part = 0; part < 2; part++) flx_ports_name(ports, p, 2 * p, 2, H + part);
}

static flx_status refuse_frequency(const flx_reduction *r, double hz)
{
    return FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "a response of '%s' is at a positive frequency, not at %g Hz", r->report->body,
                    hz);
}

// H of a model at a frequency; false: it is not there.
static bool find_elastic(const flx_reduction *r, int full, double hz, flx_port_work *w)
{
    size_t pp = (size_t)w->p * (size_t)w->p;
    int k = 0;
    if (full != FLX_RESPONSE_DIRECT) {
        return flx_port_respond(full ? &r->ritz->model : &r->own, &r->ritz->damping,
                                2 * FLX_PI * hz, w);
    }
    while (k < r->def.ndirect && r->def.direct[k] != hz) k++;
    if (k == r->def.ndirect) return false;
    memcpy(w->H, r->direct + (size_t)k * pp, pp * sizeof *w->H);
    return true;
}

// c NULL: free, with the rigid motion.
static flx_status respond(const flx_reduction *r, int full, int count, const double *hz,
                          const flx_port_condition *c, double *H)
{
    const flx_port_model *x = full ? &r->ritz->model : &r->own;
    const flx_ports *ports = &r->ritz->ports;
    size_t size = 2 * (size_t)ports->count * (size_t)ports->count;
    flx_port_work w;
    flx_status status = flx_port_work_init(r->ctx, x->m, x->p, &w);
    if (status == FLX_OK) memset(H, 0, size * (size_t)count * sizeof *H);
    for (int k = 0; k < count && status == FLX_OK; k++) {
        if (!(hz[k] > 0)) {
            status = refuse_frequency(r, hz[k]);
            break;
        }
        bool good = find_elastic(r, full, hz[k], &w);
        if (good) flx_port_add_rigid(ports, &r->ritz->damping, 2 * FLX_PI * hz[k], &w);
        if (good && c) good = flx_port_hold(ports, c, &w);
        if (!good) {
            status = FLX_FAIL(
                r->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                "the response of '%s' at %g Hz cannot be found: %s", r->report->body, hz[k],
                full == FLX_RESPONSE_DIRECT ? "it was not solved for directly"
                                            : "components that are held depend on each other");
            break;
        }
        write_response(ports, c, &w, H + size * (size_t)k);
    }
    flx_port_work_clear(&w);
    return status;
}

flx_status flx_reduction_response(const flx_reduction *r, int full, int count, const double *hz,
                                  const char *held, double *H)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    if (count < 0 || !hz || !H) return flx_refuse_null(r->ctx, __func__);
    flx_port_condition c = {.held =
                                flx_alloc(r->ctx, (size_t)r->ritz->ports.count, sizeof *c.held)};
    flx_status status = c.held ? read_condition(r, held ? held : "", &c) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = respond(r, full, count, hz, held ? &c : NULL, H);
    flx_free(c.held);
    return status;
}

flx_status flx_reduction_estimate(const flx_reduction *r, int count, const double *hz,
                                  const char *held, double *estimate)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    if (count < 0 || !hz || !estimate) return flx_refuse_null(r->ctx, __func__);
    flx_port_condition c = {.held =
                                flx_alloc(r->ctx, (size_t)r->ritz->ports.count, sizeof *c.held)};
    double *proof = flx_alloc(r->ctx, (size_t)count, sizeof *proof);
    flx_status status = c.held && proof ? read_condition(r, held ? held : "", &c) : FLX_ERR_MEMORY;
    for (int k = 0; k < count && status == FLX_OK; k++) {
        if (!(hz[k] > 0)) status = refuse_frequency(r, hz[k]);
    }
    const flx_port_conditions one = {.count = 1, .items = &c};
    if (status == FLX_OK) status = flx_ritz_certify(r->ritz, &one, count, hz, estimate, proof);
    flx_free(proof);
    flx_free(c.held);
    return status;
}

int flx_reduction_ports(const flx_reduction *r)
{
    return r && r->ritz ? r->ritz->ports.count : 0;
}

// ---- the body as a linear system --------------------------------------------------------------------

// Z (kept, n) becomes the modes of a model of n coordinates within its span, w2 (kept) their stiffnesses. work (2 n n).
static flx_status find_modes(flx_ctx *ctx, const flx_port_model *x, int n, int kept, double *Z,
                             double *w2, double *work)
{
    double *KZ = work, *S = work + (size_t)n * (size_t)n;
    for (int j = 0; j < kept; j++) {
        for (int k = 0; k < n; k++)
            KZ[(size_t)j * n + k] = k < x->m ? x->L[k] * Z[(size_t)j * n + k] : 0;
    }
    flx_dense_multiply(true, false, kept, kept, n, Z, KZ, S);
    FLX_TRY(flx_dense_symmetric_eigen(ctx, kept, S, w2));
    flx_dense_multiply(false, false, n, kept, kept, Z, S, KZ);
    memcpy(Z, KZ, (size_t)n * (size_t)kept * sizeof *Z);
    return FLX_OK;
}

// Damping of modes (RED-10), viscous: a loss is right at the resonances. D (kept, kept).
static void find_damping(const flx_reduction *r, const flx_port_model *x, int n, int kept,
                         const double *Z, const double *w2, double *D)
{
    const flx_damping *d = &r->ritz->damping;
    for (int j = 0; j < kept; j++) {
        for (int i = 0; i < kept; i++) {
            double loss = 0, viscous = 0, mean = sqrt(sqrt(fmax(w2[i], 0.0) * fmax(w2[j], 0.0)));
            for (int k = 0; k < x->m && (x->loss || x->D); k++) {
                for (int l = 0; l < x->m; l++) {
                    double zz = Z[(size_t)i * n + k] * Z[(size_t)j * n + l];
                    if (x->loss) loss += zz * x->loss[k * x->m + l];
                    if (x->D) viscous += zz * x->D[k * x->m + l];
                }
            }
            D[(size_t)j * kept + i] = viscous + (mean > 0 ? loss / mean : 0);
        }
        double w = sqrt(fmax(w2[j], 0.0));
        D[(size_t)j * kept + j] += d->alpha + d->beta * w * w + d->loss * w;
    }
}

// x' = A x + B u, y = C x with x = (w q, q') of modes Z (kept, n), w their frequencies, so that both have one unit.
static flx_status write_plant(flx_reduction *r, const flx_port_model *x, int n, int kept,
                              const double *Z, const double *w2, const double *D,
                              const flx_port_condition *c, flx_plant *out)
{
    const flx_ports *ports = &r->ritz->ports;
    int p = ports->count, m = 2 * kept;
    size_t mm = (size_t)m * (size_t)m, mp = (size_t)m * (size_t)p;
    double *A = flx_arena_take(r->arena, mm + 2 * mp, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    double *B = A + mm, *C = B + mp;
    for (int j = 0; j < kept; j++) {
        double w = w2[j] > 0 ? sqrt(w2[j]) : 1;
        A[(size_t)(kept + j) * m + j] = w;
        A[(size_t)j * m + kept + j] = -w2[j] / w;
        for (int i = 0; i < kept; i++) A[(size_t)(kept + j) * m + kept + i] = -D[j * kept + i];
    }
    for (int j = 0; j < p; j++) {
        if (c->held[j] || !(ports->scale[j] > 0)) continue;
        for (int i = 0; i < kept; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                double b = k < x->m ? x->b[j * x->m + k] / ports->scale[j]
                                    : ports->rigid[(k - x->m) * p + j];
                sum += b * Z[(size_t)i * n + k];
            }
            B[(size_t)j * m + kept + i] = sum;
            C[(size_t)i * p + j] = w2[i] > 0 ? sum / sqrt(w2[i]) : sum;
        }
    }
    flx_ports_name(ports, m, 1, m, B);
    flx_ports_name(ports, m, p, 1, C);
    *out = (flx_plant){.n = m, .inputs = p, .outputs = p, .A = A, .B = B, .C = C};
    return FLX_OK;
}

flx_status flx_reduction_plant(flx_reduction *r, int full, const char *held, flx_plant *out)
{
    if (!r || !out) return flx_refuse_null(NULL, __func__);
    const flx_port_model *x = full ? &r->ritz->model : &r->own;
    int p = r->ritz->ports.count, n = x->m, kept = x->m;
    flx_port_condition c = {.held = flx_alloc(r->ctx, (size_t)p, sizeof *c.held)};
    flx_status status = c.held ? read_condition(r, held ? held : "", &c) : FLX_ERR_MEMORY;
    if (status == FLX_OK && !c.free) n += r->ritz->ports.nrigid;
    size_t nn = (size_t)n * (size_t)n;
    double *Z = status == FLX_OK ? flx_alloc(r->ctx, 3 * nn + (size_t)n, sizeof *Z) : NULL;
    if (status == FLX_OK && !Z) status = FLX_ERR_MEMORY;
    if (status == FLX_OK && c.all) {
        status = FLX_FAIL(r->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                          "all interfaces of '%s' are held: no force moves them", r->report->body);
    }
    for (int i = 0; i < n && status == FLX_OK && c.free; i++)
        Z[(size_t)i * (size_t)n + (size_t)i] = 1;
    if (status == FLX_OK && !c.free) status = flx_port_null(&r->ritz->ports, x, &c, Z, &kept);
    if (status == FLX_OK) status = find_modes(r->ctx, x, n, kept, Z, Z + 3 * nn, Z + nn);
    if (status == FLX_OK) {
        find_damping(r, x, n, kept, Z, Z + 3 * nn, Z + nn);
        status = write_plant(r, x, n, kept, Z, Z + 3 * nn, Z + nn, &c, out);
    }
    flx_free(Z);
    flx_free(c.held);
    return status;
}
