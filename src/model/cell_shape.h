// cell_shape.h - the one table of shape functions that all elements are integrated with: functions,
// derivatives, places of nodes and integration rules of every cell. Theory: docs/theory/fe.md.
//
// Reference cells: lines, quadrilaterals, hexahedra on [-1, 1]; triangles and tetrahedra with corners
// at the origin and at unit distance on the axes.
#pragma once

#include "model/structure.h"

#define FLX_RULE_POINTS 36 // most points of a rule

// What a rule has to integrate exactly on a cell with straight edges.
typedef enum flx_rule_use {
    FLX_RULE_STIFFNESS, // products of derivatives
    FLX_RULE_MASS,      // products of functions
    FLX_RULE_USES
} flx_rule_use;

// Shape functions of a cell at the points of a rule.
typedef struct flx_shape_table {
    int nodes, dimension, points;
    double weight[FLX_RULE_POINTS];
    double N[FLX_RULE_POINTS][FLX_CELL_NODES];
    double dN[FLX_RULE_POINTS][FLX_CELL_NODES][3]; // by reference coordinates
} flx_shape_table;

// N (nodes) and dN (nodes, 3) at a place xi of the reference cell; unused derivatives are 0.
void flx_shape_eval(flx_cell cell, const double xi[3], double *N, double (*dN)[3]);
// Place of a node in the reference cell.
void flx_shape_node(flx_cell cell, int node, double xi[3]);
void flx_shape_fill(flx_cell cell, flx_rule_use use, flx_shape_table *shape);
// The table with its points at the nodes of the cell, weights 0.
void flx_shape_fill_nodes(flx_cell cell, flx_shape_table *shape);

// Gauss' points and weights on [-1, 1].
void flx_gauss_points(int n, double *x, double *w);
