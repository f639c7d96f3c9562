// section.c - cross-sections of beams: by their sizes areas, second moments, torsion constants, shear factors;
// of all of them stiffness and mass per length, and the axes. What a model says of them: section_read.c.
#include "math/small.h"
#include "model/structure.h"

#include <math.h>

// Torsion constant of a rectangle a >= b, Saint-Venant's series: with z = pi a/(2 b)
//     a b^3 (1/3 - 64/pi^5 (b/a) sum tanh(k z)/k^5),  k odd,  sum 1/k^5 = 31/32 zeta(5).
// Summed is 1 - tanh, which falls with exp(-2 k z), z >= pi/2: twelve terms are exact.
static double torsion_of_rectangle(double a, double b)
{
    if (a < b) return torsion_of_rectangle(b, a);
    double sum = 31.0 / 32 * 1.0369277551433699263, z = FLX_PI * a / (2 * b);
    for (int k = 23; k > 0; k -= 2) sum -= 2 / (exp(2 * k * z) + 1) / pow(k, 5);
    return a * b * b * b * (1.0 / 3 - 64 / pow(FLX_PI, 5) * (b / a) * sum);
}

// Shear correction after Cowper (Journal of Applied Mechanics, 1966, 335-340).
flx_section flx_section_rectangle(double width, double height, double nu)
{
    double k = 10 * (1 + nu) / (12 + 11 * nu);
    return (flx_section){.name = "",
                         .sized = true,
                         .A = width * height,
                         .Iy = height * width * width * width / 12,
                         .Iz = width * height * height * height / 12,
                         .J = torsion_of_rectangle(width, height),
                         .ky = k,
                         .kz = k,
                         .thickness = width,
                         .shear = true,
                         .rotary = true};
}

flx_section flx_section_circle(double radius, double nu)
{
    double k = 6 * (1 + nu) / (7 + 6 * nu), I = FLX_PI / 4 * pow(radius, 4);
    return (flx_section){.name = "",
                         .sized = true,
                         .A = FLX_PI * radius * radius,
                         .Iy = I,
                         .Iz = I,
                         .J = 2 * I,
                         .ky = k,
                         .kz = k,
                         .thickness = 2 * radius,
                         .shear = true,
                         .rotary = true};
}

// Cowper's factor of a hollow circle, m = inner/outer.
flx_section flx_section_tube(double outer, double inner, double nu)
{
    double m = inner / outer, q = (1 + m * m) * (1 + m * m),
           I = FLX_PI / 4 * (pow(outer, 4) - pow(inner, 4));
    double k = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * m * m);
    flx_section c = flx_section_circle(outer, nu);
    c.A = FLX_PI * (outer * outer - inner * inner);
    c.Iy = c.Iz = I;
    c.J = 2 * I;
    c.ky = c.kz = k;
    return c;
}

// The walls along a shear force carry it; torsion after Bredt.
flx_section flx_section_box(double width, double height, double side, double top)
{
    double w = width - 2 * side, h = height - 2 * top, A = width * height - w * h;
    double round = (width - side) * (height - top);
    return (flx_section){.name = "",
                         .sized = true,
                         .A = A,
                         .Iy = (height * pow(width, 3) - h * pow(w, 3)) / 12,
                         .Iz = (width * pow(height, 3) - w * pow(h, 3)) / 12,
                         .J = 2 * round * round / ((width - side) / top + (height - top) / side),
                         .ky = 2 * side * height / A,
                         .kz = 2 * top * width / A,
                         .thickness = width,
                         .shear = true,
                         .rotary = true};
}

// About the centroid; the web carries the shear force along y, the flanges that along z.
flx_section flx_section_profile(double height, const double width[2], const double thickness[2],
                                double web)
{
    double inside = height - thickness[0] - thickness[1];
    double b[3] = {width[0], web, width[1]}, h[3] = {thickness[0], inside, thickness[1]};
    double at[3] = {thickness[0] / 2, thickness[0] + inside / 2, height - thickness[1] / 2};
    flx_section c = {
        .name = "", .sized = true, .thickness = width[0], .shear = true, .rotary = true};
    double moment = 0;
    for (int i = 0; i < 3; i++) {
        c.A += b[i] * h[i];
        moment += b[i] * h[i] * at[i];
    }
    for (int i = 0; i < 3; i++) {
        double arm = at[i] - moment / c.A;
        c.Iz += b[i] * pow(h[i], 3) / 12 + b[i] * h[i] * arm * arm;
        c.Iy += h[i] * pow(b[i], 3) / 12;
        c.J += fmax(b[i], h[i]) * pow(fmin(b[i], h[i]), 3) / 3;
    }
    c.ky = web * height / c.A;
    c.kz = 5.0 / 6 * (b[0] * h[0] + b[2] * h[2]) / c.A;
    return c;
}

// ---- what a beam takes of it ----------------------------------------------------------------------

static void sized_law(const flx_section *c, const flx_material *m, flx_beam_law *law)
{
    double G = m->E / (2 * (1 + m->nu)), mass = c->mass > 0 ? c->mass : m->density * c->A;
    double density = c->A > 0 ? mass / c->A : 0;
    *law = (flx_beam_law){.EA = m->E * c->A,
                          .EIy = m->E * c->Iy,
                          .EIz = m->E * c->Iz,
                          .GJ = G * c->J,
                          .GAy = c->ky * G * c->A,
                          .GAz = c->kz * G * c->A,
                          .mass = mass + c->nonstructural,
                          .Ix = density * (c->Iy + c->Iz),
                          .Iy = density * c->Iy,
                          .Iz = density * c->Iz};
}

void flx_section_law(const flx_section *c, const flx_material *m, flx_beam_law *law)
{
    if (c->sized) {
        sized_law(c, m, law);
    } else {
        *law = (flx_beam_law){.EA = c->EA,
                              .EIy = c->EIy,
                              .EIz = c->EIz,
                              .GJ = c->GJ,
                              .GAy = c->GAy,
                              .GAz = c->GAz,
                              .mass = c->mass};
    }
    if (!c->sized || c->own_inertia) {
        law->Ix = c->inertia[0];
        law->Iy = c->inertia[1];
        law->Iz = c->inertia[2];
    }
    if (!c->shear) law->GAy = law->GAz = 0;
    if (!c->rotary) law->Iy = law->Iz = 0;
}

// ---- axes -----------------------------------------------------------------------------------------

#define UPRIGHT 1e-6  // square of the sine of the angle to the z axis
#define PARALLEL 1e-9 // sine of the angle between `up` and the line

bool flx_section_axes(const double along[3], const double *up, int dimension, double R[9])
{
    double length = v3_norm(v3_load(along));
    if (!(length > 0)) return false;
    v3 x = v3_scale(1 / length, v3_load(along)), y = v3_make(-x.y, x.x, 0);
    if (dimension == 3 && up) {
        y = v3_load(up);
    } else if (dimension == 3 && !(v3_dot(y, y) > UPRIGHT)) {
        y = v3_make(0, 1, 0);
    }
    v3 z = v3_cross(x, y);
    if (!(v3_norm(z) > PARALLEL * v3_norm(y))) return false;
    z = v3_unit(z);
    v3_store(R, x);
    v3_store(R + 3, v3_cross(z, x));
    v3_store(R + 6, z);
    return true;
}
