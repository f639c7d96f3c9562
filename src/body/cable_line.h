// cable_line.h - what cables in the plane and in space share: which parts d, t1 and t2 have in the derivatives of the
// line at the points of quadrature (ANC-1, ANC-2), and from these three to the vectors of an element.
#pragma once

// Parts of r,x and r,xx at a point of bending.
typedef struct cable_parts {
    double z[3], w[3];
} cable_parts;

static inline cable_parts cable_bending_at(int k, double inverse)
{
    const double point = 0.28867513459481288; // sqrt(1/12)
    double g = k ? point : -point;
    return (cable_parts){
        {1.0, -g, g}, {-12.0 * g * inverse, (6.0 * g - 1.0) * inverse, (6.0 * g + 1.0) * inverse}};
}

// Parts of r,x where the stretch is taken, and the weights there.
static const double cable_stretch_parts[3][3] = {{0, 1, 0}, {1.5, -0.25, -0.25}, {0, 0, 1}};
static const double cable_stretch_weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};

// A matrix K over (d, t1, t2), of D components each, to one over (r1, t1, r2, t2).
static inline void cable_spread(int D, const double *K, double inverse, double *A)
{
    static const int from[4] = {0, 1, 0, 2};
    const double factor[4] = {-inverse, 1.0, inverse, 1.0};
    for (int i = 0; i < 4; i++) {
        for (int c = 0; c < D; c++) {
            const double *row = K + 3 * D * (D * from[i] + c);
            for (int j = 0; j < 4; j++) {
                double w = factor[i] * factor[j];
                for (int d = 0; d < D; d++) {
                    A[4 * D * (D * i + c) + D * j + d] = w * row[D * from[j] + d];
                }
            }
        }
    }
}
