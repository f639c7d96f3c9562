// structure.h - a linear structure as it was said: nodes, elements, sets, materials, sections,
// supports, loads, rigid links. Readers of meshes fill it, the model file adds to it, and the finite
// elements (src/fe) compute with it. It owns all its arrays; names are interned in the context.
#pragma once

#include "base/common.h"
#include "math/symmetric.h"

// Shapes of elements: word, nodes, dimension of the shape, number in Gmsh, number in VTK. Nodes are in
// the order of VTK and Abaqus: corners, then the middles of edges; readers permute where a format has
// another one.
#define FLX_CELL_LIST(X)                                                                           \
    X(POINT, "point", 1, 0, 15, 1)                                                                 \
    X(LINE2, "line2", 2, 1, 1, 3)                                                                  \
    X(LINE3, "line3", 3, 1, 8, 21)                                                                 \
    X(TRI3, "tri3", 3, 2, 2, 5)                                                                    \
    X(TRI6, "tri6", 6, 2, 9, 22)                                                                   \
    X(QUAD4, "quad4", 4, 2, 3, 9)                                                                  \
    X(QUAD8, "quad8", 8, 2, 16, 23)                                                                \
    X(TET4, "tet4", 4, 3, 4, 10)                                                                   \
    X(TET10, "tet10", 10, 3, 11, 24)                                                               \
    X(HEX8, "hex8", 8, 3, 5, 12)                                                                   \
    X(HEX20, "hex20", 20, 3, 17, 25)

typedef enum flx_cell {
#define X(name, word, nodes, dimension, gmsh, vtk) FLX_CELL_##name,
    FLX_CELL_LIST(X)
#undef X
        FLX_CELL_COUNT
} flx_cell;

#define FLX_CELL_NODES 20 // most nodes of one

typedef struct flx_cell_def {
    const char *word;
    int nodes, dimension, gmsh, vtk;
} flx_cell_def;
extern const flx_cell_def flx_cells[FLX_CELL_COUNT];
// Triangles of a cell of dimension 2, by its own nodes; quadratic ones are split at the middles of their
// edges. Returns their number.
int flx_cell_triangles(flx_cell cell, const int (**list)[3]);

// What an element is in mechanics. A shape alone does not say it: a line may be a truss or a beam.
typedef enum flx_family {
    FLX_FAMILY_NONE, // part of a boundary: faces that loads act on, lines of a drawing
    FLX_FAMILY_SOLID,
    FLX_FAMILY_PLANE_STRESS,
    FLX_FAMILY_PLANE_STRAIN,
    FLX_FAMILY_BEAM,
    FLX_FAMILY_TRUSS,
    FLX_FAMILY_COUNT
} flx_family;
extern const char *const flx_family_words[FLX_FAMILY_COUNT + 1]; // ends with NULL

typedef struct flx_element {
    flx_cell cell;
    flx_family family;
    int label;         // number in the file
    int line;          // of the file; 0: none
    int64_t first;     // its nodes are nodes[first] ...
    int material;      // -1: none given
    int section;       // -1: none given
    bool incompatible; // with modes of its own that do not lock in bending: quad4, hex8
} flx_element;

typedef struct flx_material {
    const char *name; // "": none
    flx_loc loc;
    double E, nu, density;
    double loss; // factor of E: E (1 + i loss) in responses
} flx_material;

// Of beams, trusses and plates. Stiffnesses are of the section itself: a section given by its size has
// them from the material of the element, by `sized`.
typedef struct flx_section {
    const char *name;
    flx_loc loc;
    bool sized;          // A, I, J are geometry; else EA, EI, GJ, GA are given
    double A, Iy, Iz, J; // area, second moments about the section's y and z, torsion constant
    double ky, kz;       // shear correction: effective area k*A along y and z
    double EA, EIy, EIz, GJ, GAy, GAz; // not sized
    const double
        *coupled; // not sized: (36) all of its stiffness, of beams of large deformation; else NULL
    double mass, inertia[3]; // per length; rotational about x, y, z
    bool own_inertia;        // inertia is given; else a section by size has that of its material
    double thickness;        // of plane elements
    double nonstructural;    // sized: a further mass per length
    bool shear;              // Timoshenko's beam; else Euler's and Bernoulli's
    bool rotary;             // sections have rotational inertia in bending
    bool has_up;
    double up[3]; // direction of the section's y, projected; a default where has_up is false
    // Of one element whose section varies: at Gauss's FLX_SECTION_POINTS points; NULL: the same all along.
    const struct flx_section *along;
} flx_section;
#define FLX_SECTION_POINTS 6

typedef struct flx_mesh_set { // named nodes and elements; a name may have both
    const char *name;
    int nnode, node_capacity;
    int *nodes;
    int nelement, element_capacity;
    int *elements;
} flx_mesh_set;

typedef struct flx_support { // of one node
    int node;
    flx_loc loc;
    unsigned mask; // bit c: component c (ux uy uz rx ry rz) is prescribed
    double value[6];
    bool turned;    // components are along axes of its own
    double axes[9]; // rows
} flx_support;

typedef struct flx_nodal_load {
    int node;
    double force[6]; // force and moment, structure's axes
    int history;     // that multiplies it in a transient, counted from 1; 0: none
} flx_nodal_load;

typedef struct flx_pressure { // on a face given by its corner nodes (a boundary element)
    int element;              // of family NONE; positive pressure acts against its normal
    double value;
    bool traction; // value is not used: vector below, a force an area
    double vector[3];
    int history; // as of a nodal load
} flx_pressure;

typedef struct flx_line_load { // along a beam or a truss
    int element;
    double force[3]; // a length, structure's axes
    int history;     // as of a nodal load
} flx_line_load;

typedef struct flx_point_mass {
    int node;
    int element; // 1 + the element of the file that it is, which sets may hold; 0: none
    flx_loc loc;
    double mass, inertia[6]; // xx yy zz xy yz xz about the node; xy = -integral of x y dm
} flx_point_mass;

typedef struct flx_spring_element { // between components of two nodes, or of one and the ground
    int node[2];                    // second -1: the ground
    flx_loc loc;
    double stiffness[6];
    double damping[6]; // of a dashpot beside it
} flx_spring_element;

typedef enum flx_node_link_kind {
    FLX_LINK_RIGID,   // dependents follow the reference node as a rigid body (RBE2)
    FLX_LINK_AVERAGE, // the reference node follows the weighted mean motion of the others (RBE3)
    FLX_LINK_EQUATION, // sum of weight times component of nodes is zero; the first term follows (MPC)
} flx_node_link_kind;

typedef struct flx_node_link {
    flx_node_link_kind kind;
    flx_loc loc;
    int reference;
    unsigned mask; // rigid: components of the dependents that follow; average: of the reference
    int nnode;
    int *nodes;      // owned
    double *weights; // owned; average: may be NULL: all 1; equation: the factors
    int *components; // owned; equation: of each node; else NULL
} flx_node_link;

// Accelerations of all elements or of a set, as forces: F_e = M_e a, a = g + w^2 (r - n n.r), r = x - centre.
typedef struct flx_body_load {
    int set; // of elements; -1: everything
    double gravity[3];
    double speed2, centre[3], axis[3]; // square of an angular velocity about a unit axis
} flx_body_load;

typedef struct flx_source { // lines that come from another file, or another place of it
    int from;               // number of the first one in the structure
    const char *file;       // interned
    int line;               // of it in that file
} flx_source;

typedef struct flx_structure {
    flx_ctx *ctx;
    const char *file; // interned; for messages
    flx_loc named;    // where a model names the file; line 0: nowhere
    int nsource, source_capacity;
    flx_source *sources; // ascending; lines before the first are those of `file`
    int dimension;       // 2: all nodes in the plane z = 0, unknowns ux uy rz
    int nnode, node_capacity;
    double *x;  // (nnode, 3)
    int *label; // (nnode) number in the file
    int *node_line;
    int label_capacity, line_capacity;
    int nelement, element_capacity;
    flx_element *elements;
    int nodes_capacity;
    int64_t nnodes;
    int *nodes;
    int nset, set_capacity;
    flx_mesh_set *sets;
    int nmaterial, material_capacity;
    flx_material *materials;
    int nsection, section_capacity;
    flx_section *sections;
    int nsupport, support_capacity;
    flx_support *supports;
    int nload, load_capacity;
    flx_nodal_load *loads;
    int npressure, pressure_capacity;
    flx_pressure *pressures;
    int nmass, mass_capacity;
    flx_point_mass *masses;
    int nspring, spring_capacity;
    flx_spring_element *springs;
    int nlink, link_capacity;
    flx_node_link *links;
    int nline, line_load_capacity;
    flx_line_load *lines;
    int nbody, body_capacity;
    flx_body_load *bodies;
    // matrices of another program over all nodes, in their order; width 0: none
    int width;             // unknowns a node: 3 or 6, in the plane 2 or 3
    flx_symmetric K, M;    // one pattern
    flx_symmetric D;       // damping, of a pattern of its own; n = 0: none
    int npair, (*pair)[2]; // nodes that an entry couples, the first not below the second
    double gravity[3];
    // node of a label: open addressing, made by flx_structure_index
    int slots;
    int *slot;
} flx_structure;

// NULL: no memory. file: where it comes from, for messages; may be NULL.
flx_structure *flx_structure_create(flx_ctx *ctx, const char *file);
void flx_structure_destroy(flx_structure **s);

// Stiffness and mass of all nodes, which the structure takes over also on failure. loc: where they are named.
flx_status flx_structure_set_matrices(flx_structure *s, flx_symmetric *K, flx_symmetric *M,
                                      flx_loc loc);
// Their damping, which the structure takes over also on failure.
flx_status flx_structure_set_damping(flx_structure *s, flx_symmetric *D, flx_loc loc);
// Component of the k-th unknown of a node.
int flx_structure_component(const flx_structure *s, int k);

// These return FLX_ERR_MEMORY when there is none; the number of the new thing is the count before.
flx_status flx_structure_add_node(flx_structure *s, int label, int line, const double x[3]);
flx_status flx_structure_add_element(flx_structure *s, const flx_element *e, const int *nodes);
flx_status flx_structure_add_material(flx_structure *s, const flx_material *m);
flx_status flx_structure_add_section(flx_structure *s, const flx_section *c);
flx_status flx_structure_add_support(flx_structure *s, const flx_support *p);
flx_status flx_structure_add_load(flx_structure *s, const flx_nodal_load *l);
flx_status flx_structure_add_pressure(flx_structure *s, const flx_pressure *p);
flx_status flx_structure_add_mass(flx_structure *s, const flx_point_mass *m);
flx_status flx_structure_add_spring(flx_structure *s, const flx_spring_element *k);
flx_status flx_structure_add_line_load(flx_structure *s, const flx_line_load *l);
flx_status flx_structure_add_body_load(flx_structure *s, const flx_body_load *b);
// nodes (l->nnode), weights and components (both may be NULL) are copied.
flx_status flx_structure_add_link(flx_structure *s, const flx_node_link *l);
void flx_structure_drop_links(flx_structure *s);
// The set of that name, made when there is none; NULL: no memory.
flx_mesh_set *flx_structure_set(flx_structure *s, const char *name);
// The set of that name, or NULL.
const flx_mesh_set *flx_structure_find_set(const flx_structure *s, const char *name);
flx_status flx_structure_add_to_set(flx_structure *s, flx_mesh_set *set, int node, int element);
// The nodes of an element; whole: itself as well.
flx_status flx_structure_add_cell_to_set(flx_structure *s, int set, int element, bool whole);
// Nodes and elements of every set ascending, each once.
void flx_structure_tidy_sets(flx_structure *s);

// Node with that number in the file; -1: none. Call flx_structure_index first and after new nodes; it
// refuses a number that two nodes have.
flx_status flx_structure_index(flx_structure *s);
int flx_structure_node_of(const flx_structure *s, int label);
// "node(7)": the number in the file; false: the text is another word.
bool flx_structure_node_word(const char *text, int *label);

static inline const int *flx_element_nodes(const flx_structure *s, int element)
{
    return s->nodes + s->elements[element].first;
}
// Lines from this number on are those of a file, from one of its lines on.
flx_status flx_structure_add_source(flx_structure *s, const flx_source *source);
flx_loc flx_structure_loc(const flx_structure *s, int line);

// A face (from 0, numbered as in Abaqus) of a solid, or an edge of a plane element: its cell and its nodes,
// in the order that turns its normal outwards. false: there is none.
bool flx_structure_face(const flx_structure *s, int element, int face, flx_cell *cell, int *nodes);
// The centroid of the outer faces (in the plane edges) all of whose nodes are among n; *size: their area, 0: there are none.
flx_status flx_structure_centroid(const flx_structure *s, int n, const int *nodes, double x[3],
                                  double *size);
// Add to weight (nnode) what each node has of the area of these faces (in the plane of the length of edges):
// the integral of its shape function, which is negative at the corners of a quadrilateral with 8 nodes.
void flx_structure_face_weights(const flx_structure *s, int n, const int *elements, double *weight);

// A straight or kinked line of beam elements through n places (n, 3), `elements` of them along the
// whole length, at least one between two places; nodes are numbered from 1, the sets "start" and
// "end" hold the first and the last, "line" everything.
flx_status flx_structure_add_line(flx_structure *s, int n, const double *places, int elements,
                                  int material, int section);

// structure_units.c: lengths were in units of `by` metres, with forces in newtons and times in seconds.
void flx_structure_scale(flx_structure *s, double by);
#define FLX_LARGE_MESH 100.0 // metres; most parts of a machine are smaller

// section.c: a section by its size; width along its z, height along its y.
flx_section flx_section_rectangle(double width, double height, double nu);
flx_section flx_section_circle(double radius, double nu);
flx_section flx_section_tube(double outer, double inner, double nu); // radii
// Walls of a box: of both sides (along y) and of top and bottom.
flx_section flx_section_box(double width, double height, double side, double top);
// Flanges across the ends of a web along y; widths and thicknesses of the lower and the upper one.
flx_section flx_section_profile(double height, const double width[2], const double thickness[2],
                                double web);

// What a beam is made of: EA, EI, ... by its section and the material, which may be NULL where the section
// gives stiffnesses.
typedef struct flx_beam_law {
    double EA, EIy, EIz, GJ;
    double GAy, GAz;   // 0: no shear deformation
    double mass;       // per length
    double Ix, Iy, Iz; // rotational inertia per length about the axis, the section's y and z
} flx_beam_law;
void flx_section_law(const flx_section *c, const flx_material *m, flx_beam_law *law);

// The axes of a section as rows: x along the beam, y as near to `up` as can be. Without that (NULL) z is as near
// to the z axis as can be, and y of an upright beam is y; in the plane y is in the plane. False: no direction.
bool flx_section_axes(const double along[3], const double *up, int dimension, double R[9]);
