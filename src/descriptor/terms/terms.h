// terms.h - what others ask of a term, and what terms ask of each other. The arrays of a term are in its own file.
#pragma once

#include "body/beam_exact.h"
#include "body/body.h"
#include "body/modal.h"
#include "body/solid_pressure.h"
#include "descriptor/term.h"
#include "force/force_kind.h"
#include "model/model_data.h"

#define FLX_TERM(NAME, name, stage) extern const flx_term flx_term_##name;
#include "descriptor/terms.def"
#undef FLX_TERM

// bodies: unknowns of one of the model; those that are rigid in space; frames of all of them; r = M a + gyroscopic terms -
// weight, overwritten.
typedef struct flx_body_size {
    int nq, nv; // equal: they are a vector space
} flx_body_size;
flx_body_size flx_bodies_size(const flx_model *m, int body);
const flx_body_record *flx_bodies_rigid(const flx_descriptor *d, int *n);
void flx_bodies_frames(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
void flx_bodies_residual(const flx_descriptor *d, const double g[3], const double *v,
                         const double *a, double *r);

// elastic bodies: one of them; what a attached frame is, number i of the model, a node of one.
const flx_modal_data *flx_modals_get(const flx_descriptor *d, int i);
typedef struct flx_attached_data flx_attached_data;
void flx_modals_attached(const flx_descriptor *d, int i, flx_attached_data *f);

// beams: stiffness of a section, in the plane the part that acts there; NULL: no memory. Strains without stress at the
// points of an element between these nodes: of a straight line, or in the initial configuration.
// Where it varies that of each point of each element, so many numbers apart; else one, and 0.
typedef struct flx_beam_stiffness { // of all beams that a term takes, one after another
    bool (*takes)(const flx_beam *b);
    int n; // numbers
    double *of;
} flx_beam_stiffness;
flx_status flx_beam_stiffness_make(flx_descriptor *d, bool (*takes)(const flx_beam *b),
                                   flx_beam_stiffness *C);
flx_status flx_beam_stiffness_take(flx_descriptor *d, flx_beam_stiffness *C);
void flx_beam_stiffness_fill(const flx_descriptor *d, flx_beam_stiffness *C);
const double *flx_beam_stiffness_of(const flx_descriptor *d, const flx_beam_stiffness *C,
                                    const flx_beam *b);
// Whether they have damping by stiffness, by mass, or may be given it.
bool flx_beam_is_viscous(const flx_beam *b);
bool flx_beam_is_dragged(const flx_beam *b);
int flx_beam_section_step(const flx_descriptor *d, const flx_beam *b);
void flx_beam_find_rest(const flx_descriptor *d, const flx_beam *b, const int *nodes,
                        const flx_beam_exact *e, double *rest);
// Where an element writes, and which parts it has.
void flx_beam_element_fill(const flx_descriptor *d, const flx_beam_exact *e);
// The beams that a term takes: how many elements they have, and each of them planned.
int flx_beams_count(const flx_model *m, bool (*takes)(const flx_beam *b));
flx_status flx_beams_each(flx_descriptor *d, bool (*takes)(const flx_beam *b),
                          flx_status (*plan_one)(flx_descriptor *d, const flx_beam *b));

// What forces along scalars keep in a step of a conserving method: values at its beginning and at its end, gradients at its
// end.
typedef struct flx_step_values {
    double *phi, *end;
    double (*slope)[2][6];
} flx_step_values;
#define FLX_STEP_VALUES 14 // numbers of each
static inline flx_step_values flx_step_values_of(int n, double *own)
{
    return (flx_step_values){own, own + n, (double(*)[2][6])(void *)(own + (ptrdiff_t)2 * n)};
}
void flx_beam_element_mark(flx_descriptor *d, const flx_beam_exact *e);

// solids: where n nodes of a mesh are in the system, for an element or a face; the offsets of their blocks.
flx_status flx_solids_place_nodes(flx_descriptor *d, const flx_solid *s, int n, const int *nodes,
                                  flx_solid_element *e);
void flx_solids_fill_blocks(const flx_descriptor *d, const flx_solid_element *e);

// forces of stiffness and damping: their parts, at places of the initial configuration; which term a part belongs to, what it
// is there, and where its frames are.
typedef enum flx_part_goes {
    FLX_PART_SPRING,
    FLX_PART_PULL,
    FLX_PART_TWIST, // the first of three stands for all
    FLX_PART_NOWHERE
} flx_part_goes;
flx_status flx_forces_parts(const flx_descriptor *d, const flx_force *f, flx_force_plan *p);
flx_part_goes flx_forces_goes(const flx_force *f, const flx_force_part *part);
flx_spring flx_forces_spring(const flx_force *f, const flx_force_part *part);
void flx_forces_fill_scalar(const flx_descriptor *d, flx_scalar *s);
// With other parameters: the parts once more; numbers of a spring, whose structure stays; a part that comes or goes.
flx_status flx_forces_renew_parts(const flx_descriptor *d, const flx_force *f, flx_force_plan *p);
void flx_forces_take_numbers(flx_spring *to, const flx_spring *from);
flx_status flx_forces_refuse(const flx_descriptor *d, const flx_force *f, const char *what);
// A place of a body from its centre of mass. Refuses a place off a point.
flx_status flx_forces_place(const flx_descriptor *d, const flx_force *f, int side, double s[3]);
// What a force on a joint or along a line acts on: r_v += sign of its kind * value G^T.
flx_status flx_forces_scalar(const flx_descriptor *d, const flx_force *f, flx_scalar *s);

// forces that are unknowns: how many, those among them that expressions give, and all when none is left out.
int flx_pulls_count(const flx_descriptor *d);
int flx_pulls_laws(const flx_descriptor *d);
int flx_pulls_complete(const flx_descriptor *d);
// Numbers their rows, after those of the joints; rows of expressions that give them; these rows scaled by their slopes in the
// initial configuration.
void flx_pulls_number(flx_descriptor *d);
flx_status flx_pulls_plan_laws(flx_descriptor *d);
flx_status flx_pulls_scale(flx_descriptor *d);
// The row of a component of a force; -1: its force is no unknown. The two bodies of a row of stiffness and damping; NULL: it
// is no such row.
int flx_pulls_find(const flx_descriptor *d, int force, int component);
const int *flx_pulls_bodies(const flx_descriptor *d, int row);
// Normal forces of contacts among them: one more, before they are numbered; its row, and the row's scale.
struct flx_scalar_row;
void flx_pulls_add_touch(flx_descriptor *d, int force, int component, const flx_scalar *gap,
                         double C);
const struct flx_scalar_row *flx_pulls_row(const flx_descriptor *d, int row);
void flx_pulls_scale_touch(flx_descriptor *d, int row, double C);

// contacts: the points of compliant laws; what there is to know of a contact of the model at a point that has begun.
int flx_contacts_points(const flx_descriptor *d, const flx_contact_point **of);
int flx_contacts_most(const flx_contact *c); // points of a contact, of all its pairs
double flx_contacts_mass(const flx_model *m, int body);
// Reduced mass of a pair, of bodies as if they were free; 0: neither has a mass of its own.
double flx_contacts_reduced_mass(const flx_descriptor *d, const flx_contact *c, int pair);
// 1/R* of a pair whose curvature is everywhere the same; what: the message where it is not.
flx_status flx_contacts_curvature(const flx_descriptor *d, const flx_contact *c, int pair,
                                  const char *what, double *curvature);
// friction with memory (contact_memories.c): the numbers of a point, what its rows couple, where they are
flx_status flx_memories_set_mindlin(const flx_descriptor *d, const flx_contact *c,
                                    flx_contact_point *p);
void flx_memories_set(const flx_descriptor *d, const flx_contact *c, flx_contact_point *p);
flx_status flx_memories_couple(flx_descriptor *d, const flx_contact_point *p);
void flx_memories_fill(const flx_descriptor *d, flx_contact_point *p);
void flx_memories_mark(flx_descriptor *d, const flx_contact_point *p);
double flx_memories_scale(const flx_descriptor *d,
                          int state); // usual size of a state; 0: not of a contact
// Into lam: normal forces that are unknowns, at a point that has begun. Whether there are any.
bool flx_contacts_give(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       double *lam);
// The normal force of a point, with its derivatives if `slopes` (LAW-16); whether its switch says that it is closed.
void flx_contacts_press(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        int point, bool slopes, flx_contact_press *out);
bool flx_contacts_is_closed(const flx_descriptor *d, const flx_point *p, int point);
void flx_contacts_observe(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          int contact, double out[FLX_CONTACT_SIGNALS]);

// surfaces that deform: what there is to know of a contact, added to out; how long a step may be until two that are apart have
// passed through each other, at frames with accelerations a (of attached frames too), and which contact says so.
// patch_surfaces.c: bodies of a side at most; its patches, of faces their nodes if these are asked for
struct flx_patch_pair;
int flx_patches_bodies(const flx_model *m, const flx_contact_side *side);
flx_status flx_patches_plan_side(flx_descriptor *d, struct flx_patch_pair *p, int i, bool nodes,
                                 const flx_contact_side *side);
// Places of the rigid pair `number` of a contact that are nearer than reach: how many; -1: there is no such pair.
struct flx_patch_touch;
int flx_patches_meet(const flx_descriptor *d, flx_descriptor_work *w, int contact, int number,
                     double reach, const struct flx_patch_pair **p, struct flx_patch_touch **of);
void flx_patches_observe(const flx_descriptor *d, flx_descriptor_work *w, int contact,
                         double out[FLX_CONTACT_SIGNALS]);
double flx_patches_longest(const flx_descriptor *d, flx_descriptor_work *w, const double *a,
                           int *contact);

// expressions: refuses masses that depend on more than positions and time. Sum of a load on a solid, which is that force of the
// model.
flx_status flx_items_check_masses(const flx_descriptor *d);
void flx_solid_loads_resultant(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                               int force, flx_solid_resultant *out);
