// flexion/model.h - a mechanism as its file describes it.
#pragma once

#include "flexion/base.h"
#include "flexion/build.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a model is read. Begin with flx_read_def_default(), which sets size.
typedef struct flx_read_def {
    size_t size;
    const char *text; // the model itself, of `length` bytes, instead of the file; NULL: the file
    size_t length;
    // Texts that override: "name=value" a parameter, the value an expression; "simulate.method=radau" a key by its path
    // (those of flx_model_set), the value YAML, as it stands in the tree before `like` and `repeat` are unrolled.
    int nset;
    const char *const *settings;
    int nopen; // parameters that runs may set without reading again: their names; -1: all, 0: none
    const char *const *open;
    int ninput; // texts "F=force.csv": inputs that follow a table of times and values
    const char *const *inputs;
    // 1: with an analysis `path` of type static, of all loads, where the model has none of loads
    int to_load;
    int exported; // 1: parameters stay symbols where flx_model_export knows them; for it alone
    // Of robot files (URDF, MJCF, SDF):
    int floating; // 1: the base moves freely; else it stands on the ground
    int strict;   // 1: what would be repaired or left out, with a warning, is an error
    int absolute; // 1: names of files become absolute: for flx_model_write to another folder
    int npackage; // texts "name=folder": where `package://name` is
    const char *const *packages;
} flx_read_def;
static inline flx_read_def flx_read_def_default(void) // all parameters open
{
    flx_read_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.nopen = -1;
    return def;
}
// Read a model: in our language (YAML, JSON), or of a robot file, which is known by its first element. path: its file; of a text, what stands for the file in messages, and files that the
// model names are sought in its directory. def may be NULL. The model keeps the position of every entry,
// so that a later complaint can still point at the line that caused it. FLX_ERR_IO, FLX_ERR_MODEL,
// FLX_ERR_MEMORY; on failure *model is NULL and the messages are in the context (reading goes on after
// an error; up to 20 are reported).
FLX_API flx_status flx_model_read_by(flx_ctx *ctx, const char *path, const flx_read_def *def,
                                     flx_model **model);
// The same with settings alone, and no parameter open.
FLX_API flx_status flx_model_read(flx_ctx *ctx, const char *path, int nset,
                                  const char *const *settings, flx_model **model);
FLX_API flx_status flx_model_read_text(flx_ctx *ctx, const char *name, const char *text,
                                       size_t length, int nset, const char *const *settings,
                                       flx_model **model);
FLX_API void flx_model_destroy(flx_model **model);
// Write a flexible body of the model (NULL: its only one) as Standard Input Data; path "-": to the standard
// output.
FLX_API flx_status flx_model_write_sid(const flx_model *model, const char *body, const char *path);
// The same with all its numbers, surface and certificate, as HDF5: `data: arm.h5` reads it, to the last bit.
FLX_API flx_status flx_model_write_body(const flx_model *model, const char *body, const char *path);
// Matrices of the finite elements of a body (NULL: the first), as Matrix Market files PREFIX_K.mtx, _M.mtx, with losses
// _S.mtx (imaginary stiffness) and _D.mtx (dashpots), _B.mtx (unit loads at its interfaces); _ports.csv, _unknowns.csv.
FLX_API flx_status flx_model_write_matrices(flx_model *model, const char *body, const char *prefix);

// Parts of the language that the model uses and that are not supported yet; 0: none.
FLX_API int flx_model_unavailable_count(const flx_model *model);
FLX_API const char *flx_model_unavailable(const flx_model *model, int i, flx_loc *loc);
// The title of the model ("" when it has none), and the text of its file.
FLX_API const char *flx_model_title(const flx_model *model);
FLX_API const char *flx_model_text(const flx_model *model);

// What the model is made of, repeated items unrolled, in the order of the file. type: the word of
// the language, "" where there is none. NULL when out of range.
typedef enum flx_item_kind {
    FLX_ITEM_BODY,
    FLX_ITEM_JOINT,
    FLX_ITEM_FORCE,
    FLX_ITEM_VARIABLE, // of second order
    FLX_ITEM_STATE,    // of first order, algebraic ones too
    FLX_ITEM_CONSTRAINT,
    FLX_ITEM_DISCRETE, // changed by events alone
    FLX_ITEM_EVENT,
    FLX_ITEM_PATH,    // a function of the time
    FLX_ITEM_CONTROL, // the signals, variables and events that it became have names of their own
} flx_item_kind;
FLX_API int flx_model_item_count(const flx_model *model, flx_item_kind kind);
FLX_API const char *flx_model_item(const flx_model *model, flx_item_kind kind, int i,
                                   const char **type);

// Flexible bodies, in the order of the file, and what their reductions kept.
typedef struct flx_elastic_summary {
    const char *name;
    int modes, nodes;
    int unknowns; // of its finite elements; 0: not known
    double mass;
    double inertia[3]; // about the centre of mass: xx yy zz
    double next;       // Hz, of the first mode left out; 0: not known
    double
        mesh; // how far the mesh alone makes the lowest frequencies too high, about, in proportion; 0: not known
} flx_elastic_summary;
typedef struct flx_elastic_mode {
    double frequency;    // Hz, the frame held
    double effective[6]; // masses and inertias about the centre of mass that it moves
} flx_elastic_mode;
typedef struct flx_elastic_shape {
    double frequency; // Hz, of the basis by itself
    double error;     // how far it is above that of all unknowns, in proportion
} flx_elastic_shape;
// 0: there is no body i.
FLX_API int flx_model_elastic(const flx_model *model, int i, flx_elastic_summary *out);
// Its modes (summary.modes); shapes (summary.modes, may be NULL): zero where they are not known.
FLX_API flx_status flx_model_elastic_modes(const flx_model *model, int i, flx_elastic_mode *modes,
                                           flx_elastic_shape *shapes);

// The block `sweep`: how many runs, 0: the model has none; its parameters, NULL when out of range; the
// value of one in a run; analyses that are done instead of the run, by their number in the model, -1 when
// out of range.
FLX_API int flx_model_sweep_count(const flx_model *model);
FLX_API const char *flx_model_sweep_parameter(const flx_model *model, int i);
FLX_API double flx_model_sweep_value(const flx_model *model, int run, int i);
FLX_API int flx_model_sweep_analysis(const flx_model *model, int i);

// A model file with words of older versions of the language, and its text in those of today: comments and
// layout stay as they are. FLX_ERR_IO, FLX_ERR_MODEL (no YAML, or an old key beside its new one),
// FLX_ERR_MEMORY.
typedef struct flx_upgrade flx_upgrade;
FLX_API flx_status flx_upgrade_read(flx_ctx *ctx, const char *path, flx_upgrade **out);
FLX_API const char *flx_upgrade_text(const flx_upgrade *u, size_t *length);
// Old word i, what it is now and where it stands; NULL when out of range.
FLX_API const char *flx_upgrade_word(const flx_upgrade *u, int i, const char **now, flx_loc *loc);
// File i that a part of the model is read from: it may have old words too. NULL when out of range.
FLX_API const char *flx_upgrade_part(const flx_upgrade *u, int i);
FLX_API void flx_upgrade_destroy(flx_upgrade **u);

// The model language itself, from the table that the checker uses.
FLX_API flx_status flx_language_write_schema(flx_ctx *ctx, const char *path);    // JSON Schema
FLX_API flx_status flx_language_write_reference(flx_ctx *ctx, const char *path); // Markdown
FLX_API flx_status flx_language_write_python(flx_ctx *ctx, const char *path); // classes of Python
// What a section of a model ("analyse": its kinds), a kind of item ("linear": its keys) or a key is, as text for a terminal,
// handed to write at once; "": the sections. FLX_ERR_ARGUMENT: there is none of this name.
FLX_API flx_status flx_language_write_help(flx_ctx *ctx, const char *name, void *user,
                                           void (*write)(void *user, const char *text));

#ifdef __cplusplus
}
#endif
