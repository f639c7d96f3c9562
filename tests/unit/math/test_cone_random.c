// Impulses with friction of many random problems, most of them redundant: the law holds to 1e-10 in each.
#include "check.h"
#include "cone_rig.h"

#include "base/common.h"

static flx_ctx *ctx;
static flx_cone *cone;

// The law itself, in velocities: what is wrong, relative to the largest of them.
static double tangent_error(const cone_rig *r, const flx_cone_group *g, double radius)
{
    double w = 0, y[2] = {0}, error = 0;
    for (int i = 0; i < g->ntangent; i++)
        w = fmax(w, r->W[(size_t)g->tangent[i] * (size_t)(r->m + 1)]);
    for (int i = 0; i < g->ntangent; i++) y[i] = w * r->lam[g->tangent[i]] - r->u[g->tangent[i]];
    double size = hypot(y[0], y[1]), s = size > w * radius ? w * radius / size : 1.0;
    for (int i = 0; i < g->ntangent; i++) {
        double meant = g->slides ? -w * radius * g->slip[i] : s * y[i];
        error = fmax(error, fabs(w * r->lam[g->tangent[i]] - meant));
    }
    return error;
}

static double law_error(const cone_rig *r)
{
    double most = 0, size = 0;
    char *in_group = calloc((size_t)r->m + 1, 1);
    for (int i = 0; i < r->m; i++) {
        double w = r->W[(size_t)i * (size_t)(r->m + 1)];
        size = fmax(size, fabs(r->b[i]) + fabs(r->u[i]) + w * fabs(r->lam[i]));
    }
    for (int k = 0; k < r->ngroup; k++) {
        const flx_cone_group *g = &r->groups[k];
        double radius = g->limit;
        if (g->normal >= 0) {
            double un = r->u[g->normal], ln = r->lam[g->normal];
            double w = r->W[(size_t)g->normal * (size_t)(r->m + 1)];
            most = fmax(most, fabs(w * ln - fmax(0, w * ln - un)));
            radius = g->friction * fmax(0, ln);
            in_group[g->normal] = 1;
        }
        most = fmax(most, tangent_error(r, g, radius));
        for (int i = 0; i < g->ntangent; i++) in_group[g->tangent[i]] = 1;
    }
    for (int i = 0; i < r->m; i++) {
        if (!in_group[i]) most = fmax(most, fabs(r->u[i]));
    }
    free(in_group);
    return size > 0 ? most / size : 0.0;
}

// A direction, and two others across it.
static void random_axes(uint64_t *s, double axes[9])
{
    for (;;) {
        double size = 0;
        for (int i = 0; i < 6; i++) axes[i] = rig_between(s, -1, 1);
        for (int i = 0; i < 3; i++) size += axes[i] * axes[i];
        size = sqrt(size);
        if (size < 0.1) continue;
        for (int i = 0; i < 3; i++) axes[i] /= size;
        double along = 0, across = 0;
        for (int i = 0; i < 3; i++) along += axes[i] * axes[3 + i];
        for (int i = 0; i < 3; i++) axes[3 + i] -= along * axes[i];
        for (int i = 0; i < 3; i++) across += axes[3 + i] * axes[3 + i];
        across = sqrt(across);
        if (across < 0.1) continue;
        for (int i = 0; i < 3; i++) axes[3 + i] /= across;
        axes[6] = axes[1] * axes[5] - axes[2] * axes[4];
        axes[7] = axes[2] * axes[3] - axes[0] * axes[5];
        axes[8] = axes[0] * axes[4] - axes[1] * axes[3];
        return;
    }
}

static double random_friction(uint64_t *s)
{
    double x = rig_random(s);
    return x < 0.15 ? 0.0 : 2 * rig_random(s);
}

static double random_mass(uint64_t *s)
{
    return pow(10, rig_between(s, -6, 6));
}

static void make_box(cone_rig *r, uint64_t *s)
{
    const double axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, ground[3] = {0};
    double f = random_friction(s), m = random_mass(s), size[3];
    rig_init(r, 6, 12);
    for (int i = 0; i < 3; i++) size[i] = rig_between(s, 0.1, 1);
    for (int i = 0; i < 3; i++) {
        double a = size[(i + 1) % 3], b = size[(i + 2) % 3];
        r->M_inv[i] = 1 / m;
        r->M_inv[3 + i] = 3 / (m * (a * a + b * b));
        r->free[i] = rig_between(s, -1, i == 2 ? 0.2 : 1);
        r->free[3 + i] = rig_between(s, -1, 1);
    }
    for (int c = 0; c < 4; c++) {
        double x[3] = {c & 1 ? size[0] : -size[0], c & 2 ? size[1] : -size[1], -size[2]};
        rig_contact(r, -1, ground, 0, x, axes, 2, f);
    }
    rig_close(r);
}

static void make_column(cone_rig *r, uint64_t *s)
{
    double g[2] = {rig_between(s, -1, 1), -1};
    rig_column(r, 2 + (int)(12 * rig_random(s)), random_friction(s), g, random_mass(s),
               rig_random(s) < 0.5 ? 1000.0 : 1.0);
    for (int i = 0; i < r->nv; i++) r->free[i] += rig_between(s, -0.3, 0.3);
    rig_close(r);
}

static void make_stack(cone_rig *r, uint64_t *s)
{
    double g[3] = {rig_between(s, -1, 1), rig_between(s, -1, 1), -1};
    rig_stack(r, 2 + (int)(3 * rig_random(s)), random_friction(s), g, random_mass(s),
              rig_random(s) < 0.3 ? 1000.0 : 1.0);
    double noise = rig_random(s) < 0.5 ? 0.0 : 0.2;
    for (int i = 0; i < r->nv; i++) r->free[i] += noise * rig_between(s, -1, 1);
    rig_close(r);
}

// Bodies of many masses touch one another and the ground anywhere, in any direction; some rows hold always.
static void make_heap(cone_rig *r, uint64_t *s)
{
    int nbody = 1 + (int)(5 * rig_random(s)), ncontact = 1 + (int)(12 * rig_random(s));
    int nhold = rig_random(s) < 0.3 ? 1 + (int)(3 * rig_random(s)) : 0;
    double unit = random_mass(s);
    rig_init(r, 6 * nbody, 3 * ncontact + nhold);
    for (int i = 0; i < 6 * nbody; i++) {
        r->M_inv[i] = pow(10, rig_between(s, -1, 1)) / unit;
        r->free[i] = rig_between(s, -1, 1);
    }
    for (int c = 0; c < ncontact; c++) {
        double axes[9], xa[3], xb[3];
        random_axes(s, axes);
        for (int i = 0; i < 3; i++) xa[i] = rig_between(s, -1, 1), xb[i] = rig_between(s, -1, 1);
        int a = (int)(nbody * rig_random(s)), b = (int)(nbody * rig_random(s));
        rig_contact(r, a == b ? -1 : 6 * a, xa, 6 * b, xb, axes, (int)(3 * rig_random(s)),
                    random_friction(s));
        // the same place again: redundant
        if (rig_random(s) < 0.3 && c + 1 < ncontact) {
            c++;
            rig_contact(r, a == b ? -1 : 6 * a, xa, 6 * b, xb, axes, (int)(3 * rig_random(s)),
                        random_friction(s));
        }
        if (rig_random(s) < 0.1) {
            r->groups[r->ngroup - 1].slides = 1;
            double turn = rig_between(s, 0, 6.28);
            int one = r->groups[r->ngroup - 1].ntangent == 1;
            r->groups[r->ngroup - 1].slip[0] = one ? 1.0 : cos(turn);
            r->groups[r->ngroup - 1].slip[1] = one ? 0.0 : sin(turn);
            r->groups[r->ngroup - 1].friction *= 0.02; // a solution exists
        }
    }
    for (int i = 0; i < nhold; i++) {
        double *row = rig_row(r);
        for (int k = 0; k < r->nv; k++) row[k] = rig_between(s, -1, 1);
    }
    rig_close(r);
}

static const struct {
    const char *name;
    void (*make)(cone_rig *, uint64_t *);
} kinds[] = {
    {"box", make_box}, {"column", make_column}, {"stack", make_stack}, {"heap", make_heap}};

static bool slides(const cone_rig *r)
{
    for (int k = 0; k < r->ngroup; k++) {
        if (r->groups[k].slides) return true;
    }
    return false;
}

static int random_problems(void)
{
    const char *seed_text = getenv("FLX_SEED");
    int count = short_runs() && !getenv("FLX_LONG") ? 200 : 10000, failed = 0;
    int stages[4][5] = {{0}}, most[4] = {0};
    double sum[4] = {0}, worst = 0, sparse = 0;
    uint64_t s = seed_text ? strtoull(seed_text, NULL, 10) : 0x9e3779b97f4a7c15u;
    for (int k = 0; k < count; k++) {
        cone_rig r;
        flx_cone_report rep;
        uint64_t seed = s;
        kinds[k % 4].make(&r, &s);
        flx_status status =
            flx_cone_solve(cone, r.m, r.W, r.b, r.ngroup, r.groups, 0, r.lam, r.u, &rep);
        double error = law_error(&r);
        stages[k % 4][rep.stage]++;
        sum[k % 4] += rep.iterations;
        if (rep.iterations > most[k % 4]) most[k % 4] = rep.iterations;
        worst = fmax(worst, error);
        if (status != FLX_OK || !(error <= 1e-10)) {
            printf("%s %d (seed %llu): m = %d, stage %d, %d iterations, residual %.3g, law %.3g\n",
                   kinds[k % 4].name, k, (unsigned long long)seed, r.m, (int)rep.stage,
                   rep.iterations, rep.residual, error);
            failed++;
        }
        if (!slides(&r)) {
            status = rig_solve_sparse(cone, &r, k % 4 == 1 ? 3 : 6, &rep);
            error = law_error(&r);
            sparse = fmax(sparse, error);
            if (status != FLX_OK || !(error <= 1e-10)) {
                printf(
                    "%s %d (seed %llu), sparse: stage %d, %d iterations, residual %.3g, law %.3g\n",
                    kinds[k % 4].name, k, (unsigned long long)seed, (int)rep.stage, rep.iterations,
                    rep.residual, error);
                failed++;
            }
        }
        rig_free(&r);
    }
    for (int k = 0; k < 4; k++)
        printf("%-8s mean %5.2f, most %3d iterations; cold %d, convex %d, sweeps %d, best %d\n",
               kinds[k].name, 4 * sum[k] / count, most[k], stages[k][1], stages[k][2], stages[k][3],
               stages[k][4]);
    printf("%d problems, the law holds to %.2g, by sparse matrices %.2g\n", count, worst, sparse);
    CHECK(failed == 0);
    return 0;
}

int main(void)
{
    ctx = flx_ctx_create();
    cone = flx_cone_create(ctx);
    const test_entry tests[] = {TEST(random_problems)};
    int failed = run_tests(tests, 1);
    flx_cone_destroy(&cone);
    flx_ctx_destroy(&ctx);
    return failed;
}
