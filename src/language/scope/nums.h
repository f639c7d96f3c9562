// nums.h - numbers of the drawing that may depend on open parameters: their values, and beside them their
// expressions (flx_open), 0 where they are constants. Plain models make no nodes here.
#pragma once

#include "language/builder.h"
#include "model/nodes.h"

flx_num3 flx_num3_of(const double x[3]);
flx_num9 flx_num9_of(const double x[9]);
flx_num9 flx_num9_identity(void);
bool flx_num3_is_open(const flx_num3 *a);
bool flx_num9_is_open(const flx_num9 *a);
static inline flx_node flx_num_node(flx_graph *g, flx_num a)
{
    return node_open(g, a.x, a.n);
}
void flx_num3_nodes(flx_graph *g, const flx_num3 *a, flx_node out[3]);
void flx_num9_nodes(flx_graph *g, const flx_num9 *a, flx_node out[9]);
// A number with its value known, and its node.
flx_num flx_num_keep(const flx_graph *g, double x, flx_node n);

flx_num flx_num_add(flx_graph *g, flx_num a, flx_num b);
flx_num flx_num_sub(flx_graph *g, flx_num a, flx_num b);
flx_num3 flx_num3_add(flx_graph *g, flx_num3 a, flx_num3 b);
flx_num3 flx_num3_sub(flx_graph *g, flx_num3 a, flx_num3 b);
flx_num3 flx_num3_cross(flx_graph *g, flx_num3 a, flx_num3 b);
flx_num3 flx_num3_unit(flx_graph *g, flx_num3 a); // v3_unit
flx_num flx_num3_norm(flx_graph *g, flx_num3 a);
flx_num flx_num3_dot(flx_graph *g, flx_num3 a, flx_num3 b);
flx_num3 flx_num3_negative(flx_graph *g, flx_num3 a, int i);             // with entry i negative
flx_num3 flx_num3_axpy(flx_graph *g, flx_num s, flx_num3 a, flx_num3 b); // s a + b
flx_num3 flx_num9_mul_v(flx_graph *g, flx_num9 A, flx_num3 b);
flx_num3 flx_num9_tmul_v(flx_graph *g, flx_num9 A, flx_num3 b);
flx_num9 flx_num9_mul(flx_graph *g, flx_num9 A, flx_num9 B);
flx_num9 flx_num9_tmul(flx_graph *g, flx_num9 A, flx_num9 B);
flx_num9 flx_num9_from_cols(flx_num3 a, flx_num3 b, flx_num3 c);
flx_num3 flx_num9_col(flx_num9 A, int j);
// cos I + sin n~ + (1 - cos) n n^T about an axis of any length
flx_num9 flx_num9_turn_about(flx_graph *g, flx_num3 axis, flx_num angle);

// R v and R^T v of nodes
void flx_num9_turn3(flx_graph *g, const flx_num9 *R, const flx_node v[3], flx_node out[3]);
void flx_num9_turn_back3(flx_graph *g, const flx_num9 *R, const flx_node v[3], flx_node out[3]);

// Into the model, number and expression. FLX_ERR_MEMORY: a node could not be made.
flx_status flx_num_store(flx_num a, double *x, flx_open *n);
flx_status flx_num3_store(const flx_num3 *a, double x[3], flx_open n[3]);
flx_status flx_num9_store(const flx_num9 *a, double x[9], flx_open n[9]);

// As numbers alone: the parameters in them become structural, needed at loc.
void flx_num_fix(flx_builder *b, flx_num *a, flx_loc loc);
void flx_nums_fix(flx_builder *b, int n, flx_open *open, flx_loc loc);
void flx_num3_fix(flx_builder *b, flx_num3 *a, flx_loc loc);
void flx_num9_fix(flx_builder *b, flx_num9 *a, flx_loc loc);

void flx_start_fix(flx_builder *b, flx_body_start *s, flx_loc loc);

// From the file. Exported equations follow places, axes and the numbers of joints, and no others that are kept.
// of_joint: what: it must be positive; NULL: any number.
flx_status flx_build_of_joint(flx_env *e, const flx_entry *y, const char *what, double *x,
                              flx_open *n);
flx_status flx_build_kept(flx_env *e, const flx_entry *y, double *x, flx_open *n);
flx_status flx_build_kept_positive(flx_env *e, const flx_entry *y, const char *what, double *x,
                                   flx_open *n);
flx_status flx_build_num(flx_env *e, const flx_entry *y, flx_num *out);
flx_status flx_build_num3(flx_env *e, const flx_entry *y, flx_num3 *out);
flx_status flx_operand_to_num3(flx_env *e, const flx_operand *v, flx_loc loc, flx_num3 *out);
