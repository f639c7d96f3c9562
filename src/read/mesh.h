// mesh.h - files of meshes and of whole finite element models, read into a structure.
#pragma once

#include "model/structure.h"
#include "read/scan.h"

// By its ending: .msh (Gmsh), .inp (Abaqus, CalculiX), .nas .bdf .dat .fem (Nastran). loc: where the file
// is named. Elements of Gmsh are boundaries until somebody says what they are; the other formats say it.
flx_status flx_mesh_read(flx_ctx *ctx, const char *path, flx_loc loc, flx_structure **out);

// The nodes of a mesh file, whose elements are boundaries then, or of a table (any other ending): a line a
// node with its number and its coordinates, blanks or commas between them; # begins a comment.
flx_status flx_mesh_read_nodes(flx_ctx *ctx, const char *path, flx_loc loc, flx_structure **out);

flx_status flx_gmsh_read(flx_scan *scan, flx_structure *s);
flx_status flx_abaqus_read(flx_scan *scan, flx_structure *s);
flx_status flx_nastran_read(flx_scan *scan, flx_structure *s);

// A node that an element or a set names, by its number in the file; -1: none, with a message.
int flx_mesh_node(flx_scan *scan, const flx_structure *s, int label, const char *whose, int number);
