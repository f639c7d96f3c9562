// descriptor_chart.h - what the table of operations has of a descriptor: its chart, and tables of its own.
#pragma once

#include "flexion/extend/system_table.h"

void flx_chart_retract(const flx_system *s, const double *q, const double *theta, double *q_out);
void flx_chart_difference(const flx_system *s, const double *q0, const double *q1, double *theta);
void flx_chart_velocity(const flx_system *s, const double *theta, const double *in, double *out);
void flx_chart_rate(const flx_system *s, const double *theta, const double *in, double *out);
void flx_chart_velocity_t(const flx_system *s, const double *theta, const double *in, double *out);
void flx_chart_rate_t(const flx_system *s, const double *theta, const double *in, double *out);
void flx_chart_velocity_slope_t(const flx_system *s, const double *theta, const double *dtheta,
                                const double *u, double *out);

extern const flx_explicit flx_descriptor_explicit;
extern const flx_components flx_descriptor_components;
extern const flx_lagrangian flx_descriptor_lagrangian;
