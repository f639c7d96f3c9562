// spring.c - spring-damper on a scalar phi(q): a length, or a joint's angle or displacement.
//
//     F = k (phi - rest) + c phi',   r_v += G^T F                              (SPR-1)
//     A0 += F K + k G^T G + c G^T (G v)_q,   A1 += c G^T G                      (SPR-2)
// A line spring whose rest length is 0 has the potential k |d|^2/2, which is smooth at d = 0: its
// elastic part is taken from that, its damper from the length.
#include "force/force_kind.h"

static double elastic_force(const flx_spring *p, const flx_jet *j)
{
    return p->centred ? 0.0 : p->k * (j->value - p->rest);
}

void flx_spring_residual(int n, const flx_spring *springs, flx_frames f, const double *switches,
                         const double *v, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        flx_jet j;
        if (p->centred) {
            flx_scalar_gradient(&p->centre, f, switches, &j);
            flx_jet_add_force(&p->centre, &j, p->k, r);
            if (p->c == 0.0) continue;
        }
        flx_scalar_gradient(&p->s, f, switches, &j);
        double F = elastic_force(p, &j) + p->c * flx_jet_rate(&p->s, &j, v);
        flx_jet_add_force(&p->s, &j, F, r);
    }
}

void flx_spring_linearise(int n, const flx_spring *springs, flx_frames f, const double *switches,
                          const double *v, double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        flx_jet j;
        if (p->centred) {
            flx_scalar_jet(&p->centre, f, switches, &j);
            flx_jet_add_stiffness(&p->centre, &j, p->k, A0);
            if (p->c == 0.0) continue;
        }
        flx_scalar_jet(&p->s, f, switches, &j);
        double F = elastic_force(p, &j) + p->c * flx_jet_rate(&p->s, &j, v), h[2][6] = {{0.0}};
        if (p->c != 0.0) flx_jet_rate_gradient(&p->s, &j, v, h);
        for (int i = 0; i < 2; i++) { // of the force
            for (int c = 0; c < p->s.e.nv[i]; c++)
                h[i][c] = p->c * h[i][c] + (p->centred ? 0.0 : p->k * j.g[i][c]);
        }
        flx_jet_add_bent(&p->s, &j, F, h, A0);
        if (p->c != 0.0) flx_jet_add_outer(&p->s, &j, p->c, j.g, A1);
    }
}

void flx_spring_energy(int n, const flx_spring *springs, flx_frames f, const double *switches,
                       const double *v, flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        flx_jet j;
        flx_scalar_gradient(&p->s, f, switches, &j);
        double stretch = j.value - p->rest, rate = flx_jet_rate(&p->s, &j, v);
        e->strain += 0.5 * p->k * stretch * stretch;
        e->dissipated_power += p->c * rate * rate;
    }
}

void flx_spring_values(int n, const flx_spring *springs, flx_frames f, const double *switches,
                       double *phi, double (*slope)[2][6])
{
    for (int k = 0; k < n; k++) {
        flx_jet j;
        if (slope) {
            flx_scalar_gradient(&springs[k].s, f, switches, &j);
            memcpy(slope[k], j.g, sizeof j.g);
        } else {
            flx_scalar_value(&springs[k].s, f, switches, &j);
        }
        phi[k] = j.value;
    }
}

static bool is_length(const flx_spring *p)
{
    return p->s.kind == FLX_SCALAR_LENGTH || p->s.kind == FLX_SCALAR_LENGTH2;
}

// (SPR-3) Between points l1 - l0 = (l_m/l) G_m . u, with l the mean of the lengths l0 and l1 and l_m that
// between the middles: the mean force, so much smaller, does the work of the potential.
void flx_spring_discrete(int n, const flx_spring *springs, flx_frames f, const double *switches,
                         const double *phi, const double *end, double *r)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        double mean = 0.5 * (phi[k] + end[k]), F = p->k * (mean - p->rest);
        flx_jet j;
        if (p->centred) continue; // its potential is of second degree
        flx_scalar_gradient(&p->s, f, switches, &j);
        if (is_length(p) && mean > 0.0) F *= j.value / mean;
        flx_jet_add_force(&p->s, &j, F - elastic_force(p, &j), r);
    }
}

void flx_spring_discrete_linearise(int n, const flx_spring *springs, flx_frames f,
                                   const double *switches, const double *phi, const double *end,
                                   const double (*slope)[2][6], double *A0)
{
    for (int k = 0; k < n; k++) {
        const flx_spring *p = springs + k;
        double mean = 0.5 * (phi[k] + end[k]), F = p->k * (mean - p->rest), h[2][6];
        flx_jet j;
        if (p->centred) continue;
        flx_scalar_jet(&p->s, f, switches, &j);
        double own = 0.0, ends = p->k; // of the force by phi in the middle, and at the end
        if (is_length(p) && mean > 0.0) {
            own = F / mean;
            ends = j.value * p->k * p->rest / (mean * mean);
            F *= j.value / mean;
        }
        for (int i = 0; i < 12; i++) {
            h[i / 6][i % 6] = (own - p->k) * j.g[i / 6][i % 6] + ends * slope[k][i / 6][i % 6];
        }
        flx_jet_add_stiffness(&p->s, &j, F - elastic_force(p, &j), A0);
        flx_jet_add_outer(&p->s, &j, 1.0, h, A0);
    }
}

// (MIX-2) the larger part of k (phi - rest) + c phi' is what the pull leaves of the smaller one.
void flx_spring_energy_mixed(int n, const flx_spring *springs, flx_frames f, const double *switches,
                             const double *v, const double *pull, double h, flx_energies *e)
{
    for (int i = 0; i < n; i++) {
        const flx_spring *p = springs + i;
        flx_jet j;
        flx_scalar_gradient(&p->s, f, switches, &j);
        double stretch = j.value - p->rest, rate = flx_jet_rate(&p->s, &j, v);
        if (isinf(p->k)) continue; // it does not move
        if (fabs(p->k) > fabs(p->c) / h) {
            double elastic = pull[i] - p->c * rate;
            e->strain += 0.5 * elastic * elastic / p->k;
            e->dissipated_power += p->c * rate * rate;
        } else {
            double viscous = pull[i] - p->k * stretch;
            e->strain += 0.5 * p->k * stretch * stretch;
            e->dissipated_power += viscous * viscous / p->c;
        }
    }
}

// ---- what it is ---------------------------------------------------------------------------------

static const flx_force_signal line_signals[] = {
    {"value", NULL}, {"length", "m"}, {"power", "W"}, {0}};
static const flx_force_signal joint_signals[] = {{"value", NULL}, {"power", "W"}, {0}};

static flx_status along_joint(flx_force_plan *p)
{
    flx_coordinate which = flx_joint_own_coordinate(p->model, p->force->joint);
    if (p->force->other) {
        which = which == FLX_COORDINATE_ANGLE ? FLX_COORDINATE_DISPLACEMENT : FLX_COORDINATE_ANGLE;
    }
    return flx_force_add_coordinate(p, which);
}

const flx_force_kind flx_force_spring = {.word = "spring",
                                         .mixed = "spring, mixed",
                                         .symbol = "spring",
                                         .signals = line_signals,
                                         .line = true,
                                         .mounted = true,
                                         .links = true,
                                         .potential = true,
                                         .parts = flx_force_add_line,
                                         .sign = 1.0};

const flx_force_kind flx_force_joint_spring = {.word = "spring",
                                               .mixed = "spring, mixed",
                                               .signals = joint_signals,
                                               .joint = true,
                                               .potential = true,
                                               .parts = along_joint,
                                               .sign = 1.0};

// By a function: a value along the same scalars.
const flx_force_kind flx_force_spring_law = {.word = "spring",
                                             .symbol = "spring",
                                             .signals = line_signals,
                                             .line = true,
                                             .mounted = true,
                                             .links = true,
                                             .along = flx_force_add_line,
                                             .sign = 1.0};

const flx_force_kind flx_force_joint_spring_law = {
    .word = "spring", .signals = joint_signals, .joint = true, .along = along_joint, .sign = 1.0};

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_ON_ANY,
    {.key = "at",
     .form = "[place;2]",
     .unit = "m",
     .doc = "The two ends, one on each body; none on a joint."},
    {.key = "stiffness",
     .form = "number",
     .unit = "N/m, N m/rad",
     .initial = "0",
     .doc = "Force per length; on a joint torque per angle; `infinite`: held as by a joint."},
    {.key = "damping",
     .form = "number",
     .unit = "N s/m, N m s/rad",
     .initial = "0",
     .doc = "Force per rate of length; `infinite`: no rate."},
    {.key = "force",
     .form = "number",
     .unit = "N, N m",
     .doc =
         "In place of stiffness and damping: the pull as a function of `x`, how far it is beyond "
         "`length`, and `v`, its rate: `1e4*x + 2e6*x^3 + 30*v`, a table, `bump(x)`. Its part "
         "without a rate is stored, what the rate adds is dissipated."},
    {.key = "length",
     .form = "number",
     .unit = "m",
     .initial = "that of the initial configuration",
     .doc = "Length without force; on a joint its coordinate."},
    {.key = "angle",
     .form = "number",
     .unit = "rad",
     .initial = "that of the initial configuration",
     .doc = "On a joint: its angle without force."},
    {.key = "displacement",
     .form = "number",
     .unit = "m",
     .initial = "that of the initial configuration",
     .doc = "On a joint: its displacement without force."},
    FLX_FORCE_ROW_FORM,
    {0}};

static const flx_rule_row rules[] = {{FLX_RULE_SOME, "stiffness damping force"},
                                     {FLX_RULE_MOST_ONE, "length angle displacement"},
                                     {0}};

const flx_force_word flx_word_spring = {
    .row = {.word = "spring",
            .dimensions = "23",
            .doc = "spring and damper along the line between two places, or on a joint",
            .example = "s1: {type: spring, on: [ground, pebble], at: [[0, 0, 0], pebble], "
                       "stiffness: 100, damping: 2, length: 1}",
            .keys = keys,
            .rules = rules},
    .kind = &flx_force_spring,
    .on_joint = &flx_force_joint_spring,
    .at = FLX_AT_LINE,
    .law = FLX_LAW_ELASTIC,
    .unit = "N"};
