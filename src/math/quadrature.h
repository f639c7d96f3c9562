// quadrature.h - points and weights on [0, 1], and the polynomials through points.
#pragma once

#define FLX_QUADRATURE_MOST 16

// n points inside, exact for polynomials of degree 2n - 1; 1 <= n <= FLX_QUADRATURE_MOST.
void flx_quadrature_gauss(int n, double *x, double *w);
// n points, both ends among them, exact for degree 2n - 3; 2 <= n <= FLX_QUADRATURE_MOST.
void flx_quadrature_lobatto(int n, double *x, double *w);
// n points inside for x^low (1 - x)^high times a polynomial of degree 2n - 1; powers above -1.
void flx_quadrature_ends(int n, double low, double high, double *x, double *w);
// The polynomials that are 1 at one of n nodes and 0 at the others, at x, and their derivatives.
void flx_lagrange_eval(int n, const double *nodes, double x, double *N, double *dN);
