// Laws of compliant contact: values, derivatives against differences, and the restitution that a drop has.
#include "check.h"
#include "contact/law.h"

static const flx_law laws[] = {
    {.k = 3e5, .n = 1.5},                           // hertz
    {.k = 2e4, .n = 1.0},                           // penalty
    {.k = 2e4, .n = 1.0, .c = 30.0},                //
    {.k = 2e4, .n = 1.0, .c = 30.0, .pulls = true}, //
    {.k = 2e4, .n = 1.0, .c = 300.0, .m = 0.5},     //
    {.k = 2e6, .n = 2.0, .c = 3e4, .m = 1.0},       //
    {.k = 2e6, .n = 2.0, .c = 3e4, .m = 1.0, .approach = true},
    {.k = 1e5, .n = 1.5, .a = 0.7},                          // hunt-crossley
    {.k = 1e5, .n = 2.2, .a = 0.7},                          //
    {.k = 1e5, .n = 1.5, .av = 0.63482828, .slowest = 1e-3}, // by the speed of closing
};
#define NLAW ((int)(sizeof laws / sizeof *laws))

static int derivatives_are_those_of_the_force(void)
{
    for (int i = 0; i < NLAW; i++) {
        for (int k = 0; k < 8; k++) {
            double d = 1e-3 * (1 + k), rate = k % 2 ? 0.4 : -0.3, h = 1e-7, v = 0.5;
            flx_law_force f = flx_law_eval(laws + i, d, rate, v, true);
            double up = flx_law_eval(laws + i, d + 1e-3 * h, rate, v, true).force;
            double down = flx_law_eval(laws + i, d - 1e-3 * h, rate, v, true).force;
            CHECK_NEAR((up - down) / (2e-3 * h), f.by_depth, 1e-5 * (1.0 + fabs(f.by_depth)));
            up = flx_law_eval(laws + i, d, rate + h, v, true).force;
            down = flx_law_eval(laws + i, d, rate - h, v, true).force;
            CHECK_NEAR((up - down) / (2 * h), f.by_rate, 1e-5 * (1.0 + fabs(f.by_rate)));
        }
    }
    return 0;
}

static int nothing_pulls_and_nothing_acts_from_afar(void)
{
    for (int i = 0; i < NLAW; i++) {
        for (int k = 0; k < 40; k++) {
            double d = 1e-3 * (k % 8 - 2), rate = 2.0 * (k / 8 - 2);
            double f = flx_law_eval(laws + i, d, rate, 0.5, d > 0).force;
            CHECK(f >= 0.0 || laws[i].pulls);
            if (d <= 0.0) CHECK(f == 0.0);
        }
        CHECK(flx_law_energy(laws + i, -1e-3) == 0.0);
        // the slope of what is stored is the force at rest
        double d = 2e-3, h = 1e-7;
        double slope =
            (flx_law_energy(laws + i, d + h) - flx_law_energy(laws + i, d - h)) / (2 * h);
        CHECK_REL(slope, flx_law_eval(laws + i, d, 0.0, 0.5, true).force, 1e-6);
    }
    return 0;
}

// A branch that is held goes on smoothly beyond its border; laws without a kink have none.
static int held_branch_goes_on(void)
{
    const flx_law *line = laws + 3;
    CHECK(flx_law_has_kink(line) && flx_law_has_kink(laws + 1) && !flx_law_has_kink(laws));
    CHECK(!flx_law_has_kink(laws + 5) && !flx_law_has_kink(laws + 7));
    const flx_law jump = {.k = 1e5, .n = 1.5, .c = 20.0};
    CHECK(flx_law_has_kink(&jump));
    flx_law_force f = flx_law_eval(line, -1e-3, 0.1, 0, true);
    CHECK_REL(f.force, -20.0 + 3.0, 1e-14);
    CHECK_REL(f.by_depth, 2e4, 1e-14);
    CHECK(flx_law_eval(line, 1e-3, 0.1, 0, false).force == 0.0);
    CHECK(flx_law_eval(laws, 1e-3, 0.1, 0, false).force > 0.0);
    return 0;
}

static int damping_follows_from_restitution(void)
{
    static const double known[][2] = {
        {0.9, 0.16648195}, {0.7, 0.63482828}, {0.5, 1.43275053}, {0.3, 3.08708198}};
    static const double table[][2] = {{0.05, 0.9677385785309502}, {0.1, 0.9374755799498656},
                                      {0.2, 0.8821899862473058},  {0.5, 0.7484349315974342},
                                      {1.0, 0.5936242600396008},  {2.0, 0.41071968606104126}};
    for (int i = 0; i < 4; i++) CHECK_NEAR(flx_law_damping(known[i][0]), known[i][1], 6e-9);
    for (int i = 0; i < 6; i++) {
        CHECK_REL(flx_law_restitution(table[i][0]), table[i][1], 1e-12);
        CHECK_REL(flx_law_damping(table[i][1]), table[i][0], 1e-11);
    }
    CHECK(flx_law_damping(1.0) == 0.0 && flx_law_restitution(0.0) == 1.0);
    CHECK_REL(flx_law_damping(1.0 - 1e-7), 1.5e-7, 1e-6);
    for (double e = 0.02; e < 1.0; e += 0.02) {
        CHECK_REL(flx_law_restitution(flx_law_damping(e)), e, 1e-12);
    }
    return 0;
}

// m d'' = -F from d = 0, d' = v to where it opens, by Runge and Kutta's method: -d' there over v.
static double bounce(const flx_law *l, double mass, double v)
{
    double d = 0, r = v;
    double h = flx_law_duration(l->k, l->n, mass, v) / 20000;
    for (int i = 0; i < 400000 && (d > 0 || r > 0); i++) {
        double kd[4], kr[4], x = d, y = r;
        for (int s = 0; s < 4; s++) {
            kd[s] = y;
            kr[s] = -flx_law_eval(l, x, y, v, true).force / mass;
            double step = s == 2 ? h : 0.5 * h;
            x = d + step * kd[s];
            y = r + step * kr[s];
        }
        d += h * (kd[0] + 2 * kd[1] + 2 * kd[2] + kd[3]) / 6;
        r += h * (kr[0] + 2 * kr[1] + 2 * kr[2] + kr[3]) / 6;
    }
    return -r / v;
}

static int drops_have_the_restitution(void)
{
    static const double es[] = {0.9, 0.5, 0.3};
    for (int i = 0; i < 3; i++) {
        for (int n = 0; n < 2; n++) {
            flx_contact c = {.law = FLX_CONTACT_HUNT_CROSSLEY,
                             .exponent = n ? 2.0 : 1.5,
                             .restores = true,
                             .restitution = es[i]};
            flx_law l = flx_law_of(&c, 3e6, 0.4, 0.0, 1e-5);
            CHECK(flx_law_reads_closing(&l));
            CHECK_NEAR(bounce(&l, 0.4, 0.2), es[i], 1e-5);
            CHECK_NEAR(bounce(&l, 7.0, 3.0), es[i], 1e-5); // of every mass and speed
            c.law = FLX_CONTACT_FLORES;                    // an approximation
            l = flx_law_of(&c, 3e6, 0.4, 0.0, 1e-5);
            CHECK_NEAR(bounce(&l, 0.4, 0.2), es[i], 0.06);
        }
    }
    flx_contact c = {
        .law = FLX_CONTACT_LANKARANI, .exponent = 1.5, .restores = true, .restitution = 0.9};
    flx_law l = flx_law_of(&c, 3e6, 0.4, 0.0, 1e-5);
    CHECK_NEAR(bounce(&l, 0.4, 0.2), 0.9, 0.02);
    // a linear spring and damper that may pull until it opens: exp(-pi z/sqrt(1 - z^2))
    const flx_law line = {.k = 2e6, .n = 1.0, .c = 200.0, .pulls = true};
    double z = 200.0 / (2.0 * sqrt(2e6 * 0.25));
    CHECK_NEAR(bounce(&line, 0.25, 1.0), exp(-3.14159265358979 * z / sqrt(1 - z * z)), 1e-4);
    return 0;
}

// F(d - R F), its slopes and what is stored, over all stiffnesses of the spring beside that of the law.
static int a_spring_in_series_gives_way(void)
{
    const flx_law line = {.k = 2e6, .n = 1.0}, hertz = {.k = 3e9, .n = 1.5, .a = 0.4};
    for (int i = -8; i <= 2; i++) {
        double R = pow(10.0, i) / 2e6, d = 1e-5, stored;
        flx_law_force F = flx_law_eval_behind(&line, R, d, 0.3, 1.0, true, &stored);
        CHECK_REL(F.force, 2e6 * d / (1 + 2e6 * R), 1e-14);
        CHECK_REL(F.by_depth, 2e6 / (1 + 2e6 * R), 1e-14);
        CHECK_REL(stored, 0.5 * F.force * d, 1e-14);
        for (double rate = -1; rate <= 1; rate += 0.5) {
            double h = 1e-4 * d, side[2], held[2];
            F = flx_law_eval_behind(&hertz, R, d, rate, 1.0, true, &stored);
            CHECK_REL(F.force, flx_law_eval(&hertz, d - R * F.force, rate, 1.0, true).force, 1e-11);
            for (int k = 0; k < 2; k++) {
                side[k] =
                    flx_law_eval_behind(&hertz, R, d + (2 * k - 1) * h, rate, 1.0, true, &held[k])
                        .force;
            }
            CHECK_REL(F.by_depth, (side[1] - side[0]) / (2 * h), 1e-6);
            if (rate == 0) CHECK_REL(F.force, (held[1] - held[0]) / (2 * h), 1e-6);
            for (int k = 0; k < 2; k++) {
                side[k] =
                    flx_law_eval_behind(&hertz, R, d, rate + (2 * k - 1) * 1e-4, 1.0, true, NULL)
                        .force;
            }
            CHECK_REL(F.by_rate, (side[1] - side[0]) / 2e-4, 1e-6);
        }
    }
    CHECK(flx_law_eval_behind(&hertz, 1e-8, -1e-9, 1.0, 1.0, true, NULL).force == 0);
    flx_law_force plain = flx_law_eval(&hertz, 1e-6, 0.1, 1.0, true);
    flx_law_force same = flx_law_eval_behind(&hertz, 0.0, 1e-6, 0.1, 1.0, true, NULL);
    CHECK(plain.force == same.force && plain.by_depth == same.by_depth);
    return 0;
}

// (LAW-11) The row of a force that is an unknown vanishes where the force is that of the law, has its slopes there, and leads to
// it from every force.
static int rows_have_the_zero_of_their_law(void)
{
    static const flx_law invertible[] = {{.k = 3e7, .n = 1.5},
                                         {.k = 3e7, .n = 1.5, .a = 0.4},
                                         {.k = 3e7, .n = 2.2, .av = 0.5},
                                         {.k = 2e4, .n = 1.0, .c = 30.0},
                                         {.k = 2e6, .n = 1.5, .c = 30.0, .approach = true},
                                         {.k = 2e4, .n = 1.0, .c = 900.0, .pulls = true}};
    static const double depths[] = {1e-7, 1e-5, 3e-3}, rates[] = {-0.3, 0.0, 0.2},
                        yields[] = {0.0, 1e-5}, masses[] = {1e-2, 1e3, 1e8};
    for (int c = 0; c < 6 * 3 * 3 * 2 * 3; c++) {
        const flx_law *l = invertible + c % 6;
        double d = depths[c / 6 % 3], rate = rates[c / 18 % 3], R = yields[c / 54 % 2];
        flx_law_point p = {
            .d = d, .rate = rate, .R = R, .C = 1e-6, .m = masses[c / 108], .closing = 1};
        p.held = flx_law_has_kink(l);
        p.closed = true;
        CHECK(flx_law_has_inverse(l));
        flx_law_force F = flx_law_eval_behind(l, R, d, rate, 1.0, true, NULL);
        if (R > 0 && l->c > 0) continue; // a damper behind a spring holds where there is no depth
        for (double start = -1; start <= 3; start += 0.5) { // Newton's iteration
            p.lambda = start * F.force;
            for (int k = 0; k < 40; k++) {
                flx_law_row r = flx_law_eval_row(l, &p);
                p.lambda -= r.value / r.by_force;
            }
            CHECK_NEAR(p.lambda, F.force, 1e-9 * fabs(F.force));
        }
        if (F.force == 0) continue;
        p.lambda = F.force;
        flx_law_row r = flx_law_eval_row(l, &p);
        CHECK(r.acts);
        CHECK_REL(-r.by_depth / r.by_force, F.by_depth, 1e-8);
        CHECK_NEAR(-r.by_rate / r.by_force, F.by_rate, 1e-8 * (fabs(F.by_rate) + 1e-6 * l->k));
        double elastic, stored = flx_law_stored(l, &p, &elastic), held;
        double still = flx_law_eval_behind(l, R, d, 0.0, 1.0, true, &held).force;
        if (R > 0 || !(F.force > 1e-3)) continue;
        CHECK_REL(stored, held, 1e-9);
        CHECK_REL(elastic, still, 1e-9);
    }
    flx_law_point far = {.d = -1e-3, .lambda = 5, .C = 1e-6, .m = 1e4}; // open: the force goes
    flx_law_row r = flx_law_eval_row(invertible, &far);
    CHECK_NEAR(far.lambda - r.value / r.by_force, 0, 1e-12);
    far.held = true;
    CHECK(!flx_law_eval_row(invertible, &far).acts);
    CHECK(!flx_law_has_inverse(&(flx_law){.k = 1, .n = 1.5, .c = 1, .m = 1}));
    return 0;
}

static int hertz_of_two_spheres(void)
{
    const double E[] = {7e10, 7e10}, nu[] = {0.3, 0.3}, pi = 3.14159265358979323846;
    double k = flx_law_hertz(E, nu, 200.0), mass = 0.5 * 2700.0 * 4.0 / 3.0 * pi * 1e-6;
    CHECK_REL(k, 3626188621.4694743, 1e-14);
    CHECK_REL(flx_law_duration(k, 1.5, mass, 0.2), 8.40577323072598e-05, 1e-9);
    CHECK_REL(flx_law_duration(1e4, 1.0, 4.0, 0.3), pi * sqrt(4.0 / 1e4), 1e-13);
    return 0;
}

TEST_MAIN(TEST(derivatives_are_those_of_the_force), TEST(nothing_pulls_and_nothing_acts_from_afar),
          TEST(held_branch_goes_on), TEST(damping_follows_from_restitution),
          TEST(drops_have_the_restitution), TEST(a_spring_in_series_gives_way),
          TEST(rows_have_the_zero_of_their_law), TEST(hertz_of_two_spheres))
