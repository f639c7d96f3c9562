// test_beam_exact.c - geometrically exact beam elements: tangents are those of differences, forces those
// of the energy, a rigid motion changes no strain, and any order bends a straight line to an exact arc.
#include "body/beam_exact.h"
#include "body/beam_hinge.h"
#include "check.h"
#include "random_number.h"

enum { MOST = FLX_BEAM_NODES };

static uint64_t seed = 20;
static double draw(double size)
{
    return size * random_number(&seed);
}

// ---- in the plane -------------------------------------------------------------------------------

typedef struct plane {
    int n;
    flx_beam_rule rule;
    double x[MOST], weight[MOST], C[9], rest[3 * MOST], q[3 * MOST], v[3 * MOST];
    int frame[MOST], at[MOST], block[MOST * MOST];
    flx_beam_exact e;
} plane;

static void make_plane(plane *p, int n, double viscosity)
{
    *p = (plane){.n = n};
    flx_beam_rule_make(n, &p->rule, p->x, p->weight);
    for (int i = 0; i < 9; i++) p->C[i] = i % 4 == 0 ? 3.0 + draw(1) : 0.0;
    p->C[1] = p->C[3] = draw(1);
    p->C[5] = p->C[7] = draw(1);
    for (int i = 0; i < 3 * (n - 1); i++) p->rest[i] = (i % 3 == 0) + draw(0.2);
    for (int i = 0; i < n; i++) {
        p->frame[i] = i;
        p->at[i] = 3 * i;
        p->q[3 * i] = 1.3 * p->x[i] + draw(0.2);
        p->q[3 * i + 1] = draw(0.2);
        p->q[3 * i + 2] = 0.8 + draw(0.5);
        for (int k = 0; k < 3; k++) p->v[3 * i + k] = draw(2);
        for (int j = 0; j < n; j++) p->block[n * i + j] = 9 * (n * i + j);
    }
    p->e = (flx_beam_exact){.rule = &p->rule,
                            .frame = p->frame,
                            .v = p->at,
                            .block = p->block,
                            .length = 1.2,
                            .C = p->C,
                            .viscosity = viscosity,
                            .rest = p->rest};
}

static void frames_of(const plane *p, flx_frame2 *f)
{
    for (int i = 0; i < p->n; i++) {
        const double *q = p->q + 3 * i, *v = p->v + 3 * i;
        f[i] = (flx_frame2){cos(q[2]), sin(q[2]), q[0], q[1], q[2], v[0], v[1], v[2]};
    }
}

static void forces_of(const plane *p, double *r)
{
    flx_frame2 f[MOST];
    frames_of(p, f);
    memset(r, 0, 3 * MOST * sizeof *r);
    flx_beam_exact2_residual(1, &p->e, f, r);
}

static flx_energies energy_of(const plane *p)
{
    flx_frame2 f[MOST];
    flx_energies e = {0};
    frames_of(p, f);
    flx_beam_exact2_energy(1, &p->e, f, &e);
    return e;
}

// Column c of a tangent of blocks of d rows against the forces at both sides, 2 h apart.
static int column_is_the_difference(int d, int n, const int *block, const double *A, int c,
                                    const double *up, const double *down, double h, double tol)
{
    for (int i = 0; i < d * n; i++) {
        double slope = A[block[n * (i / d) + c / d] + d * (i % d) + c % d];
        CHECK_NEAR(slope, (up[i] - down[i]) / (2 * h), tol * (1 + fabs(slope)));
    }
    return 0;
}

static int tangent_is_that_of_differences(void)
{
    const double h = 1e-6;
    for (int n = 2; n <= MOST; n++) {
        plane p;
        flx_frame2 f[MOST];
        double A0[9 * MOST * MOST] = {0}, A1[9 * MOST * MOST] = {0};
        make_plane(&p, n, n % 2 ? 0.3 : 0.0);
        frames_of(&p, f);
        flx_beam_exact2_linearise(1, &p.e, f, A0, A1);
        for (int j = 0; j < 6 * n; j++) {
            double *x = j < 3 * n ? p.q + j : p.v + (j - 3 * n), keep = *x;
            const double *A = j < 3 * n ? A0 : A1;
            double up[3 * MOST], down[3 * MOST];
            *x = keep + h;
            forces_of(&p, up);
            *x = keep - h;
            forces_of(&p, down);
            *x = keep;
            int c = j % (3 * n);
            CHECK(column_is_the_difference(3, n, p.block, A, c, up, down, h, 1e-7) == 0);
        }
    }
    return 0;
}

static int forces_are_those_of_the_energy(void)
{
    const double h = 1e-5;
    for (int n = 2; n <= 5; n++) {
        plane p;
        double r[3 * MOST], power = 0;
        make_plane(&p, n, 0.0);
        forces_of(&p, r);
        for (int i = 0; i < 3 * n; i++) {
            double keep = p.q[i];
            p.q[i] = keep + h;
            double up = energy_of(&p).strain;
            p.q[i] = keep - h;
            double down = energy_of(&p).strain;
            p.q[i] = keep;
            CHECK_NEAR(r[i], (up - down) / (2 * h), 1e-8 * (1 + fabs(r[i])));
        }
        // with viscosity the power of the additional forces is dissipated
        p.e.viscosity = 0.7;
        for (int i = 0; i < 3 * n; i++) power -= r[i] * p.v[i];
        forces_of(&p, r);
        for (int i = 0; i < 3 * n; i++) power += r[i] * p.v[i];
        CHECK_REL(energy_of(&p).dissipated_power, power, 1e-12);
    }
    return 0;
}

static int rigid_motion_changes_no_strain(void)
{
    for (int n = 2; n <= 5; n++) {
        plane p;
        flx_frame2 f[MOST];
        double before[3 * MOST], after[3 * MOST], turn = 2.3;
        make_plane(&p, n, 0.0);
        frames_of(&p, f);
        flx_beam_exact2_rest(&p.e, f, before);
        for (int i = 0; i < n; i++) {
            double x = p.q[3 * i], y = p.q[3 * i + 1];
            p.q[3 * i] = 5 + cos(turn) * x - sin(turn) * y;
            p.q[3 * i + 1] = -3 + sin(turn) * x + cos(turn) * y;
            p.q[3 * i + 2] += turn;
        }
        frames_of(&p, f);
        flx_beam_exact2_rest(&p.e, f, after);
        for (int i = 0; i < 3 * (n - 1); i++) CHECK_NEAR(after[i], before[i], 1e-12);
    }
    return 0;
}

// Two nodes that turn by more than the mean of directions bears.
static int wide_turns_are_taken(void)
{
    plane p;
    double r[3 * MOST], near[3 * MOST];
    make_plane(&p, 2, 0.0);
    p.q[2] = -1.0;
    p.q[5] = 1.0 - 1e-9;
    forces_of(&p, near);
    p.q[5] = 1.0 + 1e-9;
    forces_of(&p, r);
    for (int i = 0; i < 6; i++) CHECK_NEAR(r[i], near[i], 1e-7);
    return 0;
}

static int points_of_the_rules(void)
{
    flx_beam_rule rule;
    double x[MOST], w[MOST];
    for (int n = 2; n <= MOST; n++) {
        double mass = 0;
        flx_beam_rule_make(n, &rule, x, w);
        CHECK(rule.npoint == n - 1);
        for (int i = 0; i < n; i++) mass += w[i];
        CHECK_NEAR(mass, 1, 1e-15);
        for (int g = 0; g < rule.npoint; g++) {
            double one = 0, slope = 0, line = 0;
            for (int i = 0; i < n; i++) {
                one += rule.N[g][i];
                slope += rule.dN[g][i];
                line += rule.dN[g][i] * x[i];
            }
            CHECK_NEAR(one, 1, 1e-14);
            CHECK_NEAR(slope, 0, 1e-12);
            CHECK_NEAR(line, 1, 1e-12);
        }
    }
    return 0;
}

// ---- in space -----------------------------------------------------------------------------------

typedef struct space {
    int n;
    flx_beam_rule rule;
    double x[MOST], weight[MOST], C[36], rest[6 * MOST];
    v3 r[MOST], v[MOST], w[MOST];
    m33 R[MOST];
    int frame[MOST], at[MOST], block[MOST * MOST];
    flx_beam_exact e;
} space;

static v3 draw3(double size)
{
    return v3_make(draw(size), draw(size), draw(size));
}

static m33 turn_by(m33 R, v3 th)
{
    return m33_mul(R, quat_to_m33(quat_exp(th)));
}

static void make_space(space *p, int n, double viscosity)
{
    *p = (space){.n = n};
    flx_beam_rule_make(n, &p->rule, p->x, p->weight);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) p->C[6 * i + j] = p->C[6 * j + i] = draw(0.5);
        p->C[7 * i] = 4.0 + draw(1);
    }
    for (int i = 0; i < 6 * (n - 1); i++) p->rest[i] = (i % 6 == 0) + draw(0.2);
    m33 R = turn_by(m33_identity(), draw3(2));
    for (int i = 0; i < n; i++) {
        p->frame[i] = i;
        p->at[i] = 6 * i;
        p->r[i] = v3_add(m33_mul_v(R, v3_make(1.3 * p->x[i], 0, 0)), draw3(0.2));
        p->R[i] = turn_by(R, draw3(0.8));
        p->v[i] = draw3(2);
        p->w[i] = draw3(2);
        for (int j = 0; j < n; j++) p->block[n * i + j] = 36 * (n * i + j);
    }
    p->e = (flx_beam_exact){.rule = &p->rule,
                            .frame = p->frame,
                            .v = p->at,
                            .block = p->block,
                            .length = 1.2,
                            .C = p->C,
                            .viscosity = viscosity,
                            .rest = p->rest};
}

static void space_frames(const space *p, flx_frame *f)
{
    for (int i = 0; i < p->n; i++) {
        m33_store(f[i].R, p->R[i]);
        v3_store(f[i].r, p->r[i]);
        v3_store(f[i].v, p->v[i]);
        v3_store(f[i].w, p->w[i]);
    }
}

static void space_forces(const space *p, double *r)
{
    flx_frame f[MOST];
    space_frames(p, f);
    memset(r, 0, 6 * MOST * sizeof *r);
    flx_beam_exact_residual(1, &p->e, f, r);
}

static flx_energies space_energy(const space *p)
{
    flx_frame f[MOST];
    flx_energies e = {0};
    space_frames(p, f);
    flx_beam_exact_energy(1, &p->e, f, &e);
    return e;
}

// Moves along unknown j: positions, rotations in the axes of the node, then the velocities.
static space moved(const space *p, int j, double h)
{
    space x = *p;
    int n = p->n, c = j % (6 * n), i = c / 6, k = c % 3;
    v3 step = v3_make(k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0);
    x.e.rule = p->e.rule;
    if (j >= 6 * n) {
        v3 *to = c % 6 < 3 ? &x.v[i] : &x.w[i];
        *to = v3_add(*to, step);
    } else if (c % 6 < 3) {
        x.r[i] = v3_add(x.r[i], step);
    } else {
        x.R[i] = turn_by(x.R[i], step);
    }
    return x;
}

static int tangent_in_space(void)
{
    const double h = 1e-6;
    static double A0[36 * MOST * MOST], A1[36 * MOST * MOST];
    for (int n = 2; n <= 6; n++) {
        space p;
        flx_frame f[MOST];
        memset(A0, 0, sizeof A0);
        memset(A1, 0, sizeof A1);
        make_space(&p, n, n % 2 == 0 ? 0.3 : 0.0);
        space_frames(&p, f);
        flx_beam_exact_linearise(1, &p.e, f, A0, A1);
        for (int j = 0; j < 12 * n; j++) {
            const double *A = j < 6 * n ? A0 : A1;
            double up[6 * MOST], down[6 * MOST];
            space a = moved(&p, j, h), b = moved(&p, j, -h);
            space_forces(&a, up);
            space_forces(&b, down);
            int c = j % (6 * n);
            CHECK(column_is_the_difference(6, n, p.block, A, c, up, down, h, 1e-7) == 0);
        }
    }
    return 0;
}

static int forces_of_the_energy_in_space(void)
{
    const double h = 1e-5;
    for (int n = 2; n <= 5; n++) {
        space p;
        double r[6 * MOST], power = 0;
        make_space(&p, n, 0.0);
        space_forces(&p, r);
        for (int i = 0; i < 6 * n; i++) {
            space a = moved(&p, i, h), b = moved(&p, i, -h);
            double slope = (space_energy(&a).strain - space_energy(&b).strain) / (2 * h);
            CHECK_NEAR(r[i], slope, 1e-8 * (1 + fabs(r[i])));
        }
        for (int sign = -1; sign < 2; sign += 2) { // viscous forces do the work that is dissipated
            p.e.viscosity = sign < 0 ? 0.0 : 0.7;
            space_forces(&p, r);
            for (int i = 0; i < n; i++) {
                power += sign * (v3_dot(v3_load(r + 6 * i), p.v[i]) +
                                 v3_dot(v3_load(r + 6 * i + 3), p.w[i]));
            }
        }
        CHECK_REL(space_energy(&p).dissipated_power, power, 1e-12);
    }
    return 0;
}

static int rigid_motion_in_space(void)
{
    for (int n = 2; n <= 6; n++) {
        space p;
        flx_frame f[MOST];
        double before[6 * MOST], after[6 * MOST];
        make_space(&p, n, 0.0);
        space_frames(&p, f);
        flx_beam_exact_rest(&p.e, f, before);
        m33 Q = turn_by(m33_identity(), v3_make(1.1, -2.0, 0.7));
        for (int i = 0; i < n; i++) {
            p.r[i] = v3_add(m33_mul_v(Q, p.r[i]), v3_make(5, -3, 1));
            p.R[i] = m33_mul(Q, p.R[i]);
        }
        space_frames(&p, f);
        flx_beam_exact_rest(&p.e, f, after);
        for (int i = 0; i < 6 * (n - 1); i++) CHECK_NEAR(after[i], before[i], 1e-12);
        // and a motion as a rigid body has no rates of strain
        v3 w = v3_make(0.3, 2.0, -1.0);
        for (int i = 0; i < n; i++) {
            p.v[i] = v3_cross(w, p.r[i]);
            p.w[i] = m33_tmul_v(p.R[i], w);
        }
        p.e.viscosity = 1.0;
        CHECK_NEAR(space_energy(&p).dissipated_power, 0, 1e-24);
    }
    return 0;
}

// Bent in the plane, an element in space is that of the plane.
static int space_contains_the_plane(void)
{
    static const int kept[3] = {0, 1, 5};
    for (int n = 2; n <= 4; n++) {
        plane p;
        space s;
        double flat[3 * MOST], full[6 * MOST];
        make_plane(&p, n, 0.4);
        make_space(&s, n, 0.4);
        memset(s.C, 0, sizeof s.C);
        memset(s.rest, 0, sizeof s.rest);
        for (int i = 0; i < 6; i++) s.C[7 * i] = 1.0;
        for (int i = 0; i < 9; i++) s.C[6 * kept[i / 3] + kept[i % 3]] = p.C[i];
        for (int i = 0; i < 3 * (n - 1); i++) s.rest[6 * (i / 3) + kept[i % 3]] = p.rest[i];
        for (int i = 0; i < n; i++) {
            const double *q = p.q + 3 * i, *v = p.v + 3 * i;
            s.r[i] = v3_make(q[0], q[1], 0);
            s.R[i] = turn_by(m33_identity(), v3_make(0, 0, q[2]));
            s.v[i] = v3_make(v[0], v[1], 0);
            s.w[i] = v3_make(0, 0, v[2]);
        }
        forces_of(&p, flat);
        space_forces(&s, full);
        for (int i = 0; i < 6 * n; i++) {
            int k = i % 6 == 0 ? 0 : i % 6 == 1 ? 1 : i % 6 == 5 ? 2 : -1;
            CHECK_NEAR(full[i], k < 0 ? 0 : flat[3 * (i / 6) + k], 1e-12 * 10);
        }
    }
    return 0;
}

// ---- hinges between segments --------------------------------------------------------------------

static int hinges_in_the_plane(void)
{
    const double h = 1e-6;
    plane p;
    flx_frame2 f[MOST];
    double A[2][36] = {{0}};
    make_plane(&p, 2, 0.3);
    flx_beam_hinge hinge = {.e = p.e, .arm = {{0.4, 0.1}, {-0.5, 0.2}}};
    frames_of(&p, f);
    flx_beam_hinge2_linearise(1, &hinge, f, A[0], A[1]);
    for (int j = 0; j < 12; j++) {
        double *x = j < 6 ? p.q + j : p.v + (j - 6), keep = *x, r[2][6] = {{0}};
        for (int side = 0; side < 2; side++) {
            *x = keep + (side ? h : -h);
            frames_of(&p, f);
            flx_beam_hinge2_residual(1, &hinge, f, r[side]);
        }
        *x = keep;
        for (int i = 0; i < 6; i++) {
            int c = j % 6;
            double slope = A[j / 6][p.block[2 * (i / 3) + c / 3] + 3 * (i % 3) + c % 3];
            CHECK_NEAR(slope, (r[1][i] - r[0][i]) / (2 * h), 1e-7 * (1 + fabs(slope)));
        }
    }
    return 0;
}

static int hinges_in_space(void)
{
    const double h = 1e-6;
    space p;
    flx_frame f[MOST];
    static double A[2][144];
    make_space(&p, 2, 0.3);
    flx_beam_hinge hinge = {.e = p.e, .arm = {{0.4, 0.1, -0.2}, {-0.5, 0.2, 0.3}}};
    memset(A, 0, sizeof A);
    space_frames(&p, f);
    flx_beam_hinge_linearise(1, &hinge, f, A[0], A[1]);
    for (int j = 0; j < 24; j++) {
        double r[2][12] = {{0}}, e[2];
        for (int side = 0; side < 2; side++) {
            space x = moved(&p, j, side ? h : -h);
            flx_energies energy = {0};
            space_frames(&x, f);
            flx_beam_hinge_residual(1, &hinge, f, r[side]);
            flx_beam_hinge_energy(1, &hinge, f, &energy);
            e[side] = energy.strain;
        }
        for (int i = 0; i < 12; i++) {
            int c = j % 12;
            double slope = A[j / 12][p.block[2 * (i / 6) + c / 6] + 6 * (i % 6) + c % 6];
            CHECK_NEAR(slope, (r[1][i] - r[0][i]) / (2 * h), 1e-6 * (1 + fabs(slope)));
        }
        if (j >= 12) CHECK(e[0] == e[1]); // of the positions alone
    }
    hinge.e.viscosity = 0;
    space_frames(&p, f);
    double force[12] = {0};
    flx_beam_hinge_residual(1, &hinge, f, force);
    for (int j = 0; j < 12; j++) { // forces are those of the energy
        flx_energies e[2] = {{0}};
        for (int side = 0; side < 2; side++) {
            space x = moved(&p, j, side ? h : -h);
            space_frames(&x, f);
            flx_beam_hinge_energy(1, &hinge, f, &e[side]);
        }
        CHECK_NEAR(force[j], (e[1].strain - e[0].strain) / (2 * h), 1e-7 * (1 + fabs(force[j])));
    }
    return 0;
}

TEST_MAIN(TEST(points_of_the_rules), TEST(tangent_is_that_of_differences),
          TEST(forces_are_those_of_the_energy), TEST(rigid_motion_changes_no_strain),
          TEST(wide_turns_are_taken), TEST(tangent_in_space), TEST(forces_of_the_energy_in_space),
          TEST(rigid_motion_in_space), TEST(space_contains_the_plane), TEST(hinges_in_the_plane),
          TEST(hinges_in_space))
