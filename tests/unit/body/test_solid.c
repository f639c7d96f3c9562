// test_solid.c - elements of solids: tangents against differences, rigid motions, states of uniform strain
// on shaken meshes, energies, discrete gradients.
#include "body/solid.h"
#include "check.h"
#include "fe_mesh.h"

#include <string.h>

#define NODES FLX_SOLID_NODES

typedef struct specimen { // one element, its nodes free, one of them on a rigid body if wanted
    flx_solid_element e;
    flx_frame f[NODES + 1];
    double X[NODES][3], weight[FLX_RULE_POINTS], dN[FLX_RULE_POINTS * NODES * 3], arm[NODES * 3];
    int frame[NODES], v[NODES], nv[NODES], block[NODES * NODES], n; // n: velocities
} specimen;

static double noise(int i, int c)
{
    return fe_noise(i, 3 * i + 1, 7, c);
}

// A shaken element, deformed by a part of its size, moving.
static void make(specimen *s, flx_cell cell, flx_solid_law law, bool held, double size)
{
    flx_shape_table t;
    memset(s, 0, sizeof *s);
    flx_shape_fill(cell, FLX_RULE_STIFFNESS, &t);
    s->e = (flx_solid_element){.n = t.nodes,
                               .npoint = t.points,
                               .weight = s->weight,
                               .dN = s->dN,
                               .frame = s->frame,
                               .v = s->v,
                               .nv = s->nv,
                               .arm = s->arm,
                               .block = s->block,
                               .law = law,
                               .lambda = 1.3,
                               .mu = 0.9,
                               .viscosity = 0.2};
    for (int a = 0; a < t.nodes; a++) {
        flx_shape_node(cell, a, s->X[a]);
        for (int c = 0; c < 3; c++) s->X[a][c] += 0.1 * noise(a, c);
    }
    for (int g = 0; g < t.points; g++) {
        v3 c[3] = {{0}}, across[3];
        for (int a = 0; a < t.nodes; a++) {
            for (int k = 0; k < 3; k++) {
                c[k] = v3_add(c[k], v3_scale(t.dN[g][a][k], v3_load(s->X[a])));
            }
        }
        for (int k = 0; k < 3; k++) across[k] = v3_cross(c[(k + 1) % 3], c[(k + 2) % 3]);
        double det = v3_dot(c[0], across[0]);
        s->weight[g] = t.weight[g] * det;
        for (int a = 0; a < t.nodes; a++) {
            v3 sum = {0};
            for (int k = 0; k < 3; k++) sum = v3_add(sum, v3_scale(t.dN[g][a][k] / det, across[k]));
            v3_store(s->dN + 3 * (g * t.nodes + a), sum);
        }
    }
    for (int a = 0; a < t.nodes; a++) {
        flx_frame *f = s->f + a + 1;
        bool body = held && a == 1;
        s->frame[a] = a + 1;
        s->v[a] = s->n;
        s->nv[a] = body ? 6 : 3;
        s->n += s->nv[a];
        m33 R = body ? quat_to_m33(quat_unit((quat){0.9, 0.2, -0.3, 0.4})) : m33_identity();
        m33_store(f->R, R);
        for (int c = 0; c < 3; c++) {
            s->arm[3 * a + c] = body ? 0.3 * noise(5, c) : 0.0;
            f->v[c] = noise(a + 30, c);
            f->w[c] = body ? noise(a + 60, c) : 0.0;
        }
        v3 at = v3_load(s->X[a]), arm = m33_mul_v(R, v3_load(s->arm + 3 * a));
        for (int c = 0; c < 3; c++) f->r[c] = s->X[a][c] + size * noise(a + 90, c);
        (void)at;
        v3_store(f->r, v3_sub(v3_load(f->r), arm));
    }
    // a dense matrix over all velocities
    int at = 0;
    for (int k = 0; k < t.nodes * t.nodes; k++) {
        s->block[k] = at;
        at += s->nv[k / t.nodes] * s->nv[k % t.nodes];
    }
}

static void move(specimen *s, int a, int c, double h)
{
    flx_frame *f = s->f + a + 1;
    if (c < 3) {
        f->r[c] += h;
        return;
    }
    v3 th = {c == 3 ? h : 0, c == 4 ? h : 0, c == 5 ? h : 0};
    m33_store(f->R, m33_mul(m33_load(f->R), quat_to_m33(quat_exp(th))));
}

static void push(specimen *s, int a, int c, double h)
{
    flx_frame *f = s->f + a + 1;
    if (c < 3) {
        f->v[c] += h;
    } else {
        f->w[c - 3] += h;
    }
}

static int tangents_are_derivatives(void)
{
    static const flx_cell cells[] = {FLX_CELL_TET4, FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20};
    static double A0[(3 * NODES + 3) * (3 * NODES + 3)], A1[(3 * NODES + 3) * (3 * NODES + 3)];
    for (int k = 0; k < 8; k++) {
        specimen s, o;
        make(&s, cells[k % 4], k < 4 ? FLX_SOLID_ST_VENANT_KIRCHHOFF : FLX_SOLID_NEO_HOOKEAN, true,
             0.15);
        memset(A0, 0, sizeof A0);
        memset(A1, 0, sizeof A1);
        flx_solid_linearise(1, &s.e, s.f, A0, A1);
        double most = 0.0, worst = 0.0;
        for (int b = 0; b < s.e.n; b++) {
            for (int c = 0; c < s.nv[b]; c++) {
                for (int rate = 0; rate < 2; rate++) {
                    double r[2][3 * NODES + 3] = {{0}}, h = 1e-5;
                    for (int side = 0; side < 2; side++) {
                        o = s;
                        o.e = s.e;
                        (rate ? push : move)(&o, b, c, side ? h : -h);
                        flx_solid_residual(1, &o.e, o.f, r[side]);
                    }
                    for (int a = 0; a < s.e.n; a++) {
                        for (int i = 0; i < s.nv[a]; i++) {
                            double d = (r[1][s.v[a] + i] - r[0][s.v[a] + i]) / (2 * h);
                            int at = s.block[a * s.e.n + b] + i * s.nv[b] + c;
                            double own = (rate ? A1 : A0)[at];
                            most = fmax(most, fabs(d));
                            worst = fmax(worst, fabs(d - own));
                        }
                    }
                }
            }
        }
        CHECK_NEAR(worst / most, 0.0, 1e-8);
    }
    return 0;
}

// The power of the forces is that of the energy, less what is dissipated.
static int forces_are_those_of_the_energy(void)
{
    for (int k = 0; k < 2; k++) {
        specimen s;
        double r[3 * NODES + 3] = {0}, power = 0.0, h = 1e-5, E[2];
        make(&s, FLX_CELL_HEX20, k ? FLX_SOLID_NEO_HOOKEAN : FLX_SOLID_ST_VENANT_KIRCHHOFF, false,
             0.1);
        flx_energies e = {0};
        flx_solid_residual(1, &s.e, s.f, r);
        flx_solid_energy(1, &s.e, s.f, &e);
        for (int a = 0; a < s.e.n; a++) {
            for (int c = 0; c < 3; c++) power += r[s.v[a] + c] * s.f[a + 1].v[c];
        }
        for (int side = 0; side < 2; side++) {
            specimen o = s;
            o.e = s.e;
            flx_energies at = {0};
            for (int a = 0; a < s.e.n; a++) {
                for (int c = 0; c < 3; c++) o.f[a + 1].r[c] += (side ? h : -h) * s.f[a + 1].v[c];
            }
            flx_solid_energy(1, &o.e, o.f, &at);
            E[side] = at.strain;
        }
        CHECK(e.dissipated_power > 0.0);
        CHECK_REL(power, (E[1] - E[0]) / (2 * h) + e.dissipated_power, 1e-8);
    }
    return 0;
}

static int rigid_motion_gives_no_force(void)
{
    for (int k = 0; k < 2; k++) {
        specimen s;
        double r[3 * NODES] = {0};
        flx_energies e = {0};
        make(&s, FLX_CELL_HEX20, k ? FLX_SOLID_NEO_HOOKEAN : FLX_SOLID_ST_VENANT_KIRCHHOFF, false,
             0.0);
        m33 R = quat_to_m33(quat_unit((quat){0.3, -0.7, 0.5, 0.4}));
        const v3 spin = {1.0, 2.0, -1.0};
        for (int a = 0; a < s.e.n; a++) {
            v3 x = m33_mul_v(R, v3_load(s.X[a]));
            v3_store(s.f[a + 1].r, v3_add(x, (v3){10, -20, 5}));
            v3_store(s.f[a + 1].v, v3_cross(spin, x));
        }
        flx_solid_residual(1, &s.e, s.f, r);
        flx_solid_energy(1, &s.e, s.f, &e);
        for (int i = 0; i < s.n; i++) CHECK_NEAR(r[i], 0.0, 1e-12);
        CHECK_NEAR(e.strain, 0.0, 1e-12);
        CHECK_NEAR(e.dissipated_power, 0.0, 1e-12);
    }
    return 0;
}

// Rotated as a whole, an element has the same energy, and forces that are rotated.
static int strains_are_objective(void)
{
    specimen s;
    double r[3 * NODES] = {0}, turned[3 * NODES] = {0};
    flx_energies before = {0}, after = {0};
    make(&s, FLX_CELL_TET10, FLX_SOLID_ST_VENANT_KIRCHHOFF, false, 0.2);
    s.e.viscosity = 0.0;
    flx_solid_residual(1, &s.e, s.f, r);
    flx_solid_energy(1, &s.e, s.f, &before);
    m33 R = quat_to_m33(quat_unit((quat){0.1, 0.6, -0.5, 0.8}));
    for (int a = 0; a < s.e.n; a++) v3_store(s.f[a + 1].r, m33_mul_v(R, v3_load(s.f[a + 1].r)));
    flx_solid_residual(1, &s.e, s.f, turned);
    flx_solid_energy(1, &s.e, s.f, &after);
    CHECK_REL(after.strain, before.strain, 1e-13);
    for (int a = 0; a < s.e.n; a++) {
        v3 f = m33_mul_v(R, v3_load(r + 3 * a));
        CHECK_NEAR(v3_norm(v3_sub(f, v3_load(turned + 3 * a))), 0.0, 1e-12);
    }
    return 0;
}

// x = F X: the energy is that of the strain times the volume, on any element (patch test).
static int uniform_strain_is_exact(void)
{
    static const flx_cell cells[] = {FLX_CELL_TET4, FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20};
    const m33 F = m33_load((const double[9]){1.2, 0.3, -0.1, 0.0, 0.9, 0.2, 0.15, -0.05, 1.1});
    double C[9], E2 = 0.0, trace = 0.0;
    m33_store(C, m33_tmul(F, F));
    for (int i = 0; i < 9; i++) {
        double E = 0.5 * (C[i] - (i % 4 == 0));
        E2 += E * E;
        if (i % 4 == 0) trace += E;
    }
    for (int k = 0; k < 4; k++) {
        specimen s;
        flx_energies e = {0};
        double volume = 0.0;
        make(&s, cells[k], FLX_SOLID_ST_VENANT_KIRCHHOFF, false, 0.0);
        for (int a = 0; a < s.e.n; a++) v3_store(s.f[a + 1].r, m33_mul_v(F, v3_load(s.X[a])));
        for (int g = 0; g < s.e.npoint; g++) volume += s.weight[g];
        flx_solid_energy(1, &s.e, s.f, &e);
        CHECK_REL(e.strain, volume * (0.5 * 1.3 * trace * trace + 0.9 * E2), 1e-13);
    }
    return 0;
}

// The discrete gradient along the step is the change of the energy.
static int discrete_gradients_do_the_work(void)
{
    for (int k = 0; k < 2; k++) {
        specimen a, b, m;
        static double before[FLX_RULE_POINTS * 6], after[FLX_RULE_POINTS * 6];
        double r[3 * NODES] = {0}, work = 0.0;
        flx_energies e0 = {0}, e1 = {0};
        make(&a, FLX_CELL_HEX20, k ? FLX_SOLID_NEO_HOOKEAN : FLX_SOLID_ST_VENANT_KIRCHHOFF, false,
             0.1);
        a.e.viscosity = 0.0;
        b = m = a;
        b.e = m.e = a.e;
        for (int i = 0; i < a.e.n; i++) {
            for (int c = 0; c < 3; c++) {
                b.f[i + 1].r[c] += 0.2 * noise(i + 200, c);
                m.f[i + 1].r[c] = 0.5 * (a.f[i + 1].r[c] + b.f[i + 1].r[c]);
            }
        }
        flx_solid_strains(1, &a.e, a.f, before);
        flx_solid_strains(1, &b.e, b.f, after);
        flx_solid_residual(1, &m.e, m.f, r);
        flx_solid_discrete(1, &m.e, m.f, before, after, r);
        flx_solid_energy(1, &a.e, a.f, &e0);
        flx_solid_energy(1, &b.e, b.f, &e1);
        for (int i = 0; i < a.e.n; i++) {
            for (int c = 0; c < 3; c++) {
                work += r[a.v[i] + c] * (b.f[i + 1].r[c] - a.f[i + 1].r[c]);
            }
        }
        CHECK_NEAR(work, e1.strain - e0.strain, 1e-13);
    }
    return 0;
}

TEST_MAIN(TEST(tangents_are_derivatives), TEST(forces_are_those_of_the_energy),
          TEST(rigid_motion_gives_no_force), TEST(strains_are_objective),
          TEST(uniform_strain_is_exact), TEST(discrete_gradients_do_the_work))
