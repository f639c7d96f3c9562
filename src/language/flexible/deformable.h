// deformable.h - what the files that build bodies that deform share: flexible bodies, solids and beams
// of large deformation.
#pragma once

#include "language/builder.h"
#include "model/beam_numbers.h"

// ---- block_elastic_body.c: flexible bodies ------------------------------------------------------------------

bool flx_body_is_elastic(const flx_item *body);
// Its data are read, its coordinates numbered.
flx_status flx_elastic_body_ready(flx_builder *b, flx_item *body, flx_loc loc);
// Geometric stiffening of a flexible body; *kind stays where the model does not say it.
typedef enum flx_stiffening_kind {
    FLX_STIFFENING_NONE,
    FLX_STIFFENING_BOTH, // a quadratic field
    FLX_STIFFENING_ONE_SIDED,
} flx_stiffening_kind;
flx_status flx_elastic_body_read_stiffening(flx_builder *b, const flx_item *body,
                                            flx_stiffening_kind *kind);
flx_status flx_elastic_body_read_fe(flx_env *e, flx_item *body,
                                    flx_elastic **out); // elastic_line.c
// elastic_basis.c: kind, number of shapes, error and frame of a body's `reduce`.
flx_status flx_elastic_body_read_basis(flx_env *e, const flx_item *body, const flx_entry *reduce,
                                       flx_basis *basis);
// Its conditions, of n interfaces.
flx_status flx_elastic_body_read_conditions(flx_builder *b, const flx_entry *reduce, int n,
                                            const char *const *names, flx_basis *basis);
// Whether <body>.<name> means something of every flexible body: no interface can have the name.
bool flx_is_elastic_word(const char *name);
// elastic_signals.c: all coordinates; `start` and `end`; an interface by its name, NULL where there is none;
// deflection, force and moment of a node.
flx_status flx_elastic_body_modes(flx_env *e, flx_item *body, flx_loc loc, flx_operand *out);
flx_status flx_elastic_body_end(flx_env *e, flx_item *body, const char *name, flx_loc loc,
                                flx_operand *out);
flx_status flx_elastic_body_interface(flx_env *e, flx_item *body, const char *name, flx_loc loc,
                                      flx_item **point);
flx_status flx_elastic_node_member(flx_env *e, const flx_item *point, const char *name, flx_loc loc,
                                   flx_operand *out);
// stress_signals.c: stress, strain and von_mises of a node; von_mises of the body, the largest of all.
flx_status flx_stress_member(flx_env *e, const flx_item *point, const char *name, flx_loc loc,
                             flx_operand *out);
flx_status flx_stress_largest(flx_env *e, flx_item *body, flx_loc loc, flx_operand *out);
bool flx_is_stress(const char *name);
// loaded_nodes.c: nodes of the mesh that joints and forces take besides the interfaces.
flx_status flx_elastic_body_find_loaded(flx_builder *b, const flx_item *body,
                                        const struct flx_structure *s, flx_basis *basis);
// ... and the interfaces that they take, in their place.
flx_status flx_elastic_body_find_held(flx_builder *b, const flx_item *body, flx_basis *basis);
// loads_left_out.c: notes of joints and forces that load a body where its shapes are not made for it.
void flx_elastic_bodies_check_loads(flx_builder *b);
// elastic_mesh.c: a mesh or matrices.
flx_status flx_elastic_body_read_mesh(flx_env *e, const flx_item *body, const flx_entry *fe,
                                      const flx_entry *reduce, flx_elastic **out);
// Node by the number that the data give it; the point of it; the attached frame that joints and forces take.
flx_status flx_elastic_body_find(flx_builder *b, flx_item *body, int id, flx_loc loc, int *node);
// The node at a part of the length of a line.
flx_status flx_elastic_body_along(flx_builder *b, flx_item *body, double part, flx_loc loc,
                                  int *node);
flx_status flx_elastic_body_point(flx_builder *b, flx_item *body, int node, flx_item **out);
flx_status flx_elastic_body_attached(flx_builder *b, flx_item *body, int node, flx_loc loc,
                                     flx_item **out);
// The node drawn at a place; FLX_BODY_GROUND where that is the frame itself. An error where there is none.
flx_status flx_elastic_body_node_at(flx_builder *b, flx_item *body, const double position[3],
                                    flx_loc loc, int *node);
// One coordinate, counted from 0.
flx_node flx_elastic_body_mode(flx_builder *b, const flx_item *body, int k);
// Of a node, ground axes. rotation: from its axes, row-major; spin: angular velocity.
void flx_elastic_body_position(flx_builder *b, const flx_item *body, int node, flx_node out[3]);
void flx_elastic_body_deflection(flx_builder *b, const flx_item *body, int node, flx_node out[3]);
void flx_elastic_body_rotation(flx_builder *b, const flx_item *body, int node, flx_node out[9]);
void flx_elastic_body_angular_velocity(flx_builder *b, const flx_item *body, int node,
                                       flx_node out[3]);
flx_node flx_elastic_body_planar_angle(flx_builder *b, const flx_item *body, int node);
// Force (0) or moment (1) on the body at a node; outputs alone know it.
void flx_elastic_body_load(flx_builder *b, const flx_item *body, int node, int moment,
                           flx_node out[3]);
// Flexible bodies, attached frames and coordinates into the model.
flx_status flx_elastic_body_finish(flx_builder *b);

// ---- block_solid.c: solids of large deformation ---------------------------------------------------------

typedef struct flx_solid_group { // a set of the mesh: faces of the surface
    const char *name;
    int n, *faces;
    int stray; // faces that it has besides
} flx_solid_group;

// What is known of a solid while the model is built; arrays over the nodes of its mesh.
struct flx_solid_data {
    flx_solid def;
    double density, origin[3];
    double *lumped;    // volumes that the masses of nodes stand for
    signed char *kind; // free, held, ...
    flx_item **owner;  // of held ones
    flx_item **nodes;  // bodies of free ones
    flx_item **points; // those that were asked for
    int *labels;
    flx_solid_faces surface; // all of it
    int ngroup;
    flx_solid_group *groups;
};

bool flx_body_is_solid(const flx_builder *b, const flx_item *body); // whose physics is there
// Free nodes of all solids become bodies, after those of the model.
flx_status flx_solids_declare(flx_builder *b);
// Initial nodes, with the frame in the body's own definition before; mass and motion.
flx_status flx_solid_place(flx_builder *b, flx_item *body);
flx_status flx_solid_finish(flx_builder *b, flx_item *body);
// The node of a number in the mesh, as a point; the one at a place, as a body.
flx_status flx_solid_node(flx_builder *b, flx_item *body, int label, flx_loc loc, flx_item **point);
flx_status flx_solid_node_at(flx_builder *b, flx_item *body, const double position[3], flx_loc loc,
                             flx_item **node);
flx_status flx_solids_finish(flx_builder *b); // into the model
// solid_surface.c: the surface of a mesh and its sets; those that a load names, NULL: all of it.
flx_status flx_solid_find_surface(flx_builder *b, const struct flx_structure *s, flx_solid_data *d);
flx_status flx_solid_faces_of(flx_builder *b, const flx_item *solid, const flx_entry *surface,
                              flx_solid_faces *out);

// ---- block_beam.c: beams of large deformation -----------------------------------------------------------

// What is known of a beam while the model is built.
struct flx_beam_data {
    flx_item_state read;
    flx_beam def;
    int nend, nnode;
    double *ends;        // (nend) where elements begin and end, as parts of the length
    int *regular;        // (elements + 1) which of them are node(1), node(2), ...
    double *at;          // (nnode) parts of the length
    flx_item **nodes;    // (nnode) the bodies of these places; the first is the beam itself
    double origin[3];    // its initial start
    flx_item **points;   // (nnode) those that were asked for
    flx_item **slopes;   // (nnode, nslope) of absolute nodal coordinates
    double *stretch;     // (nnode) sizes of the slopes along the line
    flx_item **sections; // (nnode) those that something turns with; NULL: none
    bool *clamped;       // (nnode) of a section: it holds all slopes
    double *along;       // (nelement, points) `s` of a section that varies; NULL: it does not
};

// Places on beams that are not yet nodes: found while the model is built, and nodes when it is built again.
struct flx_beam_marks {
    int n, capacity;
    struct flx_beam_mark {
        const char *beam; // interned
        double at;        // part of the length
        int section;      // 0: a node; of absolute nodal coordinates 1: with axes, 2: clamped
    } * marks;            // owned
    bool changed;
};

bool flx_body_is_beam(const flx_builder *b, const flx_item *body); // whose physics is there
// A node of a beam or of a solid, or one of these itself.
bool flx_body_is_beam_node(const flx_item *body);
// A place on a beam is to be a node, or to have a section, when the model is built again.
flx_status flx_beam_mark(flx_builder *b, const flx_item *body, double at, int section);
flx_status flx_beam_make_node(flx_builder *b, flx_item *body, int i, const char *name,
                              flx_body_type type, flx_item **out);
// Nodes of all beams become bodies, after those of the model.
flx_status flx_beams_declare(flx_builder *b);
// What is said of the section, with that of stations where it varies, and of damping.
flx_status flx_beam_read_section(flx_env *e, const flx_item *body, flx_beam_data *d);
// Its numbers are needed as they are.
void flx_beam_fix_section(flx_builder *b, flx_beam *beam);
// Initial nodes; mass and motion.
flx_status flx_beam_place(flx_builder *b, flx_item *body);
flx_status flx_beam_finish(flx_builder *b, flx_item *body);
flx_status flx_beam_draw(flx_env *e, flx_item *body, flx_beam_data *d); // beam_placement.c
// node(i), counted from 1; start and end; point(at). A point of the node.
flx_status flx_beam_node(flx_builder *b, flx_item *body, int number, flx_loc loc, flx_item **point);
flx_status flx_beam_end(flx_builder *b, flx_item *body, bool last, flx_item **point);
flx_status flx_beam_point(flx_builder *b, flx_item *body, double at, flx_loc loc, flx_item **point);
// The node that is drawn at a place, as a body.
flx_status flx_beam_node_at(flx_builder *b, flx_item *body, const double position[3], flx_loc loc,
                            flx_item **node, double at[3]);
// deflection, force and moment of a node.
flx_status flx_beam_member(flx_env *e, const flx_item *point, const char *name, flx_loc loc,
                           flx_operand *out);
// The part of the length where the mass of node i is.
double flx_beam_part(const flx_beam_data *d, int i);
// Where the rigid piece of node i of segments begins, in the middle of an element, as a part of the length.
double flx_beam_piece_start(const flx_beam_data *d, int i);
flx_status flx_beams_finish(flx_builder *b); // into the model

// ---- beam_ancf.c: absolute nodal coordinates -----------------------------------------------------

// A node that is a place and has no axes.
bool flx_body_is_ancf_node(const flx_item *body);
// The axes of a node's section as expressions of its slopes; how many it has: a cable in space the first alone.
int flx_beam_section_axes(flx_builder *b, const flx_item *beam, int node, flx_node e[3][3]);
// The body at such a node that has axes, all its slopes held by them where it is clamped.
flx_status flx_beam_section(flx_builder *b, flx_item *node, bool clamped, flx_item **out);
bool flx_beam_has_section(const flx_item *node);
flx_status flx_beam_declare_slopes(flx_builder *b, flx_item *body);
void flx_beam_draw_slopes(const flx_item *body);
void flx_beam_move_slopes(const flx_item *body);
// How a node begins whose beam or solid moves as a whole.
flx_body_start flx_start_of_node(const flx_body_start *whole, const double position[3]);
flx_status flx_beams_tie(flx_builder *b); // rows of the sections, after those of the equations
