// muscle.h - the curves of a muscle after De Groote, Kinney, Rao, Fregly (2016), all of them smooth.
//
//     F0 (a fl(l) fv(v) + fp(l)) cos alpha = F0 ft(lt),   sin alpha = sin alpha0 / l           (MUS-1)
// l: length of the fibres over their best length; v: rate of l over the largest; lt: length of the tendon
// over its slack length, lt lt0 + l l0 cos alpha = total. A tendon that is slack does not push: ft is 0 or more.
#pragma once

#include <stdbool.h>

#define FLX_MUSCLE_PASSIVE_SHAPE 4.0
#define FLX_MUSCLE_PASSIVE_RATE (4.0 / 0.6)
#define FLX_MUSCLE_SPEED_1 (-0.3211346127989808)
#define FLX_MUSCLE_SPEED_2 (-8.149)
#define FLX_MUSCLE_SPEED_3 (-0.374)
#define FLX_MUSCLE_SPEED_4 0.8825327733249912
#define FLX_MUSCLE_TENDON_STRAIN 0.049
#define FLX_MUSCLE_COSINE 0.1 // of the pennation, at least
#define FLX_MUSCLE_LEAST 0.01 // excitation and activation: a muscle is never quite off

typedef struct flx_muscle_data {
    double fibre, tendon; // best length of the fibres, slack length of the tendon
    double pennation;
} flx_muscle_data;

extern const double flx_muscle_bells[3]
                                    [4]; // of the active curve: height, middle, width and its slope
double flx_muscle_active(double l);      // fl
double flx_muscle_passive(double l);     // fp
double flx_muscle_speed_factor(double v); // fv; v < 0 shortens
double flx_muscle_tendon(double l);       // ft
double flx_muscle_tendon_rate(void);      // kT
// The fibres at rest with an activation, for a total length; false: shorter than the tendon, or they would be longer than 1.8.
bool flx_muscle_rest(const flx_muscle_data *m, double total, double a, double *l);
