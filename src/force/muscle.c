// muscle.c - a muscle with its tendon through places, after De Groote et al. (2016): its curves.
#include "force/muscle.h"

#include "force/force_kind.h"

#include <math.h>

static const flx_force_signal signals[] = {{"value", NULL},
                                           {"length", "m"},
                                           {"power", "W"},
                                           {"activation", ""},
                                           {"fibre", ""},
                                           {"excitation", ""},
                                           {0}};

const flx_force_kind flx_force_muscle = {.word = "muscle",
                                         .symbol = "muscle",
                                         .signals = signals,
                                         .line = true,
                                         .mounted = true,
                                         .links = true,
                                         .along = flx_force_add_line,
                                         .sign = 1.0};

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_THROUGH,
    {.key = "force",
     .form = "number",
     .needed = true,
     .unit = "N",
     .doc = "Largest isometric force, F0."},
    {.key = "fibre",
     .form = "number",
     .needed = true,
     .unit = "m",
     .doc = "Length of the fibres at which they pull most."},
    {.key = "tendon",
     .form = "number",
     .needed = true,
     .unit = "m",
     .doc = "Length of the tendon when it is slack."},
    {.key = "excitation",
     .form = "number",
     .needed = true,
     .doc = "What the nerves ask for, 0 to 1; below 0.01 it counts as 0.01, above 1 as 1."},
    {.key = "activation",
     .form = "number",
     .initial = "0.05",
     .doc = "At t = 0, 0.01 to 1; it follows the excitation. The fibres begin in balance with it."},
    {.key = "pennation",
     .form = "number",
     .unit = "rad",
     .initial = "0",
     .doc = "Angle of the fibres to the tendon at their best length; their thickness stays."},
    {.key = "speed",
     .form = "number",
     .unit = "1/s",
     .initial = "10",
     .doc = "Largest speed of shortening, in best lengths of the fibres per second."},
    {.key = "rise",
     .form = "number",
     .unit = "s",
     .initial = "0.015",
     .doc = "Time constant of activation."},
    {.key = "decay",
     .form = "number",
     .unit = "s",
     .initial = "0.06",
     .doc = "Time constant of deactivation."},
    {0}};

const flx_force_word flx_word_muscle = {
    .row = {.word = "muscle",
            .dimensions = "23",
            .doc = "a muscle with an elastic tendon, through places",
            .example = "vasti: {type: muscle, through: [thigh.front, thigh.patella, "
                       "shank.tuberosity], force: 5000, fibre: 0.08, tendon: 0.22, excitation: 0.1 "
                       "+ 0.5*sin(t)^2}",
            .keys = keys},
    .kind = &flx_force_muscle,
    .at = FLX_AT_THROUGH,
    .law = FLX_LAW_MUSCLE,
    .unit = "N"};

// ---- curves -------------------------------------------------------------------------------------

const double flx_muscle_bells[3][4] = {
    {0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465},
    {0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188},
    {0.1, 1.0, 0.35355339059327379, 0.0}};

// (MUS-2)
double flx_muscle_active(double l)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *b = flx_muscle_bells[i];
        double u = (l - b[1]) / (b[2] + b[3] * l);
        sum += b[0] * exp(-0.5 * u * u);
    }
    return sum;
}

// (MUS-3)
double flx_muscle_passive(double l)
{
    return expm1(FLX_MUSCLE_PASSIVE_RATE * (l - 1.0)) / expm1(FLX_MUSCLE_PASSIVE_SHAPE);
}

// (MUS-4)
double flx_muscle_speed_factor(double v)
{
    return FLX_MUSCLE_SPEED_1 * asinh(FLX_MUSCLE_SPEED_2 * v + FLX_MUSCLE_SPEED_3) +
           FLX_MUSCLE_SPEED_4;
}

double flx_muscle_tendon_rate(void)
{
    return log(6.0) / FLX_MUSCLE_TENDON_STRAIN;
}

// (MUS-5)
double flx_muscle_tendon(double l)
{
    return fmax(0.0, 0.2 * expm1(flx_muscle_tendon_rate() * (l - 1.0)));
}

// Muscle less tendon at rest, parts of F0 (MUS-1).
static double balance(const flx_muscle_data *m, double total, double a, double l)
{
    double s = sin(m->pennation) / l;
    double c = sqrt(fmax(1.0 - s * s, FLX_MUSCLE_COSINE * FLX_MUSCLE_COSINE));
    double pull = a * flx_muscle_active(l) * flx_muscle_speed_factor(0.0) + flx_muscle_passive(l);
    return pull * c - flx_muscle_tendon((total - l * m->fibre * c) / m->tendon);
}

bool flx_muscle_rest(const flx_muscle_data *m, double total, double a, double *l)
{
    // shorter fibres than this pull next to nothing and are pushed back by (MUS-3), longer ones than 1.8 tear
    double low = 0.3, high = 1.8;
    if (!(total >= m->tendon)) return false;
    if (!(balance(m, total, a, low) < 0.0) || !(balance(m, total, a, high) > 0.0)) return false;
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        double mid = 0.5 * (low + high);
        if (mid <= low || mid >= high) break;
        if (balance(m, total, a, mid) < 0.0) {
            low = mid;
        } else {
            high = mid;
        }
    }
    *l = 0.5 * (low + high);
    return true;
}
