// of_part.c - a flexible body seen at its ports, or a linear block, as an analysis asks for it.
#include "simulate/linear/of_part.h"

#include <string.h>

// ---- a flexible body ------------------------------------------------------------------------------

static flx_status find_ports(flx_of_part *p, const flx_port_keys *keys, int **out)
{
    int count = flx_reduction_ports(p->r);
    int *found = flx_arena_take(p->arena, (size_t)keys->n, sizeof *found);
    if (!found) return FLX_ERR_MEMORY;
    for (int i = 0; i < keys->n; i++) {
        int k = 0;
        while (k < count && strcmp(flx_reduction_port(p->r, k), keys->names[i]) != 0) k++;
        if (k == count) {
            return FLX_FAIL(p->sim->ctx, FLX_ERR_MODEL, keys->places[i],
                            "'%s' is no port of '%s': its interfaces are %s", keys->names[i],
                            p->of->name, flx_reduction_get_report(p->r)->interfaces);
        }
        found[i] = k;
    }
    *out = found;
    return FLX_OK;
}

// A port that is held neither moves nor feels a force.
static flx_status refuse_held(flx_of_part *p, const flx_port_keys *keys)
{
    const char *held = p->of->held;
    for (int i = 0; held && i < keys->n; i++) {
        size_t n = (size_t)(strrchr(keys->names[i], '.') - keys->names[i]);
        for (const char *at = held; at; at = strchr(at, ',')) {
            while (*at == ',' || *at == ' ') at++;
            if (strncmp(at, keys->names[i], n) != 0 || (at[n] != 0 && at[n] != ',')) continue;
            return FLX_FAIL(p->sim->ctx, FLX_ERR_MODEL, keys->places[i],
                            "'%s' is held: it neither moves nor is it moved by a force there",
                            keys->names[i]);
        }
    }
    return FLX_OK;
}

static flx_status create_body(flx_of_part *p, double to, int ndirect, const double *hz)
{
    const flx_of_keys *of = p->of;
    const flx_reduction_def def = {.to = to, .ndirect = ndirect, .direct = hz};
    FLX_TRY(refuse_held(p, &of->in));
    FLX_TRY(refuse_held(p, &of->out));
    flx_status status = flx_reduction_create((flx_model *)p->sim->model, of->name, &def, &p->r);
    if (status == FLX_ERR_ARGUMENT) {
        return FLX_FAIL(p->sim->ctx, FLX_ERR_MODEL, of->loc,
                        "no response of '%s' can be found: see the message before this", of->name);
    }
    FLX_TRY(status);
    FLX_TRY(find_ports(p, &of->in, &p->in));
    FLX_TRY(find_ports(p, &of->out, &p->out));
    size_t ports = (size_t)flx_reduction_ports(p->r);
    p->H = flx_arena_take(p->arena, 2 * ports * ports, sizeof *p->H);
    p->nin = of->in.n;
    p->nout = of->out.n;
    p->inputs = of->in.names;
    p->outputs = of->out.names;
    return p->H ? FLX_OK : FLX_ERR_MEMORY;
}

int flx_of_part_place(const flx_of_part *p, int i, int j)
{
    return 2 * (p->out[i] * flx_reduction_ports(p->r) + p->in[j]);
}

static flx_status respond_body(flx_of_part *p, double w, bool direct, double *re, double *im)
{
    double hz = w / (2 * FLX_PI);
    FLX_TRY(flx_reduction_response(p->r, direct ? FLX_RESPONSE_DIRECT : FLX_RESPONSE_WHOLE, 1, &hz,
                                   p->of->held, p->H));
    for (int i = 0; i < p->nout; i++) {
        for (int j = 0; j < p->nin; j++) {
            const double *h = p->H + flx_of_part_place(p, i, j);
            re[i * p->nin + j] = h[0];
            im[i * p->nin + j] = h[1];
        }
    }
    return FLX_OK;
}

// Columns of B and rows of C of the ports that are asked for.
flx_status flx_of_part_reduce(flx_of_part *p)
{
    if (!p->of->body) return FLX_OK;
    flx_plant all;
    FLX_TRY(flx_reduction_plant(p->r, 1, p->of->held, &all));
    size_t n = (size_t)all.n;
    double *B = flx_arena_take(p->arena, n * (size_t)(p->nin + p->nout), sizeof *B);
    if (!B) return FLX_ERR_MEMORY;
    double *C = B + n * (size_t)p->nin;
    for (int j = 0; j < p->nin; j++)
        memcpy(B + (size_t)j * n, all.B + (size_t)p->in[j] * n, n * sizeof *B);
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < p->nout; i++)
            C[k * (size_t)p->nout + (size_t)i] = all.C[k * (size_t)all.outputs + (size_t)p->out[i]];
    }
    p->plant =
        (flx_plant){.n = all.n, .inputs = p->nin, .outputs = p->nout, .A = all.A, .B = B, .C = C};
    return FLX_OK;
}

// ---- a linear block -------------------------------------------------------------------------------

// (ncolumn x nrow) of what is stored by rows (nrow x ncolumn).
static double *turn(flx_arena *arena, int nrow, int ncolumn, const double *from)
{
    double *to = flx_arena_take(arena, (size_t)nrow * (size_t)ncolumn, sizeof *to);
    for (int i = 0; i < nrow && to; i++) {
        for (int k = 0; k < ncolumn; k++)
            to[(size_t)k * (size_t)nrow + (size_t)i] =
                from[(size_t)i * (size_t)ncolumn + (size_t)k];
    }
    return to;
}

static flx_status create_block(flx_of_part *p)
{
    const flx_of_keys *of = p->of;
    p->nin = of->nin;
    p->nout = of->nout;
    p->inputs = of->inputs;
    p->outputs = of->outputs;
    p->D = of->D;
    p->plant = (flx_plant){.n = of->n, .inputs = of->nin, .outputs = of->nout};
    p->plant.A = turn(p->arena, of->n, of->n, of->A);
    p->plant.B = turn(p->arena, of->n, of->nin, of->B);
    p->plant.C = turn(p->arena, of->nout, of->n, of->C);
    p->H = flx_arena_take(p->arena, 2 * (size_t)of->nin * (size_t)of->nout, sizeof *p->H);
    return p->plant.A && p->plant.B && p->plant.C && p->H ? FLX_OK : FLX_ERR_MEMORY;
}

// C (i w - A)^-1 B + D.
static flx_status respond_block(flx_of_part *p, double w, double *re, double *im)
{
    flx_status status = flx_plant_response(p->sim->ctx, &p->plant, 1, &w, p->H);
    if (status == FLX_ERR_ARGUMENT) {
        return FLX_FAIL(p->sim->ctx, FLX_ERR_CANNOT, p->of->loc,
                        "%g rad/s is a pole of '%s': its response there is infinite", w,
                        p->of->name);
    }
    for (int i = 0; i < p->nin * p->nout; i++) {
        re[i] = p->H[2 * i] + p->D[i];
        im[i] = p->H[2 * i + 1];
    }
    return status;
}

// ---- both -----------------------------------------------------------------------------------------

flx_status flx_of_part_create(flx_simulation *sim, const flx_of_keys *of, double to, int ndirect,
                              const double *hz, flx_of_part *out)
{
    *out = (flx_of_part){.sim = sim, .of = of, .arena = flx_arena_create(sim->ctx)};
    flx_status status = !out->arena ? FLX_ERR_MEMORY
                        : of->body  ? create_body(out, to, ndirect, hz)
                                    : create_block(out);
    if (status != FLX_OK) flx_of_part_destroy(out);
    return status;
}

void flx_of_part_destroy(flx_of_part *p)
{
    flx_reduction_destroy(&p->r);
    flx_arena_destroy(&p->arena);
    *p = (flx_of_part){0};
}

flx_status flx_of_part_respond(flx_of_part *p, double w, bool direct, double *re, double *im)
{
    return p->of->body ? respond_body(p, w, direct, re, im) : respond_block(p, w, re, im);
}
