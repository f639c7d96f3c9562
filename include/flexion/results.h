// flexion/results.h - results leave a run through sinks, and are read back by name.
#pragma once

#include "flexion/base.h"
#include "flexion/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// The mesh of a flexible body as it is drawn (docs/dev/scene.md). With elastic coordinates q a node is
// displaced by sum_k q_k modes_k and stressed by sum_k q_k stress_k, body axes.
typedef struct flx_result_mesh {
    int nnode, nsurface; // nodes; the first of them lie on the surface
    int ntriangle, ncell, nmode;
    const float *nodes;      // (nnode, 3) body frame
    const int *labels;       // (nnode) numbers in the mesh file
    const int *triangles;    // (ntriangle, 3) the surface, counter-clockwise from outside
    const int *cells;        // (ncell) VTK's numbers of cells
    const int *offsets;      // (ncell + 1) into connectivity
    const int *connectivity; // nodes of cells, VTK's order
    const float *modes;      // (nmode, nnode, 3)
    const float *stress;     // (nmode, nnode, 6) xx yy zz xy yz xz; NULL: none
} flx_result_mesh;

// What a result says of itself. Kept by the caller until the sink's end.
typedef struct flx_result_info {
    const char *title, *model_path, *model_text; // model_text: the whole file
    const char *version;                         // of Flexion
    const char *method, *formulation;
    const char *settings;                    // one line for a person
    const char *reason;                      // why `auto` took the method; NULL: it was named
    int ncolumn;                             // signals, without t
    const char *const *names, *const *units; // (ncolumn)
    long rows;                               // expected; 0: not known
    int nmetric;                             // numbers of the whole run
    const char *const *metrics;              // (nmetric) their names
    int nevent;
    const char *const *events; // (nevent) names of the model's events
    const flx_scene *scene;    // what there is to see; NULL: no sink asked, or no bodies
    int nmotion;               // numbers a row that move the scene
    int nmesh;
    const flx_result_mesh *meshes; // (nmesh) of flexible bodies
    int nsurface;
    const flx_scene_surface *surfaces; // (nsurface) that the scene names by number
    int nstate;            // numbers of a whole state of the motion: t, positions, velocities, ...
    int state_rows;        // a state at every row; 0: the last one alone
    const char *structure; // what these numbers are of: an item per line; NULL: no states
} flx_result_info;

// What this build is made of and where it runs: "compiler", "HDF5", "processor", ... Returns the
// name of fact i and its value, NULL when out of range.
FLX_API const char *flx_build_fact(int i, const char **value);

struct flx_ledger;

// Particles at a time, in the order in which they came.
typedef struct flx_particle_frame {
    int count;
    const float *positions;      // (count, 3)
    const float *radii, *speeds; // (count)
    const int *labels;           // (count) which each is; it keeps it when others leave
} flx_particle_frame;

// A sink takes rows of numbers: t and one number a column.
typedef struct flx_sink flx_sink; // its table: flexion/extend/sink_table.h
// Files of results: HDF5, and CSV. Destroying a sink closes its file.
FLX_API flx_status flx_hdf5_sink_create(flx_ctx *ctx, const char *path, flx_sink **s);
FLX_API flx_status flx_csv_sink_create(flx_ctx *ctx, const char *path, flx_sink **s);
FLX_API void flx_sink_destroy(flx_sink **s);

// The rows so far of a run that can be continued (flexion/checkpoint.h). mark: how many records there are, which
// from now on no interruption can take away. replay: the first of them to other sinks, which have begun.
FLX_API flx_status flx_journal_sink_create(flx_ctx *ctx, const char *path, flx_sink **s);
FLX_API flx_status flx_journal_sink_mark(flx_sink *s, long *records);
FLX_API flx_status flx_journal_replay(flx_ctx *ctx, const char *path, long records,
                                      const flx_result_info *info, int nsink,
                                      flx_sink *const *sinks);

// What a run cost; NaN where the file does not say (a table of text does not).
typedef struct flx_result_work {
    double steps, evaluations, factorisations;
    double seconds; // of its time loop
} flx_result_work;

// A result read back from HDF5 (also one whose run was cut off) or CSV.
typedef struct flx_result flx_result;
FLX_API flx_status flx_result_open(flx_ctx *ctx, const char *path, flx_result **r);
FLX_API void flx_result_close(flx_result **r);
FLX_API int flx_result_rows(const flx_result *r);
FLX_API int flx_result_columns(const flx_result *r); // with t as column 0
FLX_API const char *flx_result_name(const flx_result *r, int column);
FLX_API const char *flx_result_unit(const flx_result *r, int column);
FLX_API const char *flx_result_title(const flx_result *r);
FLX_API int flx_result_complete(const flx_result *r); // 0: the run was cut off or failed
FLX_API const double *flx_result_column(const flx_result *r, int column); // (rows)
// Text of the model; what there is to see. NULL: the result has none.
FLX_API const char *flx_result_model(const flx_result *r);
FLX_API const flx_scene *flx_result_scene(const flx_result *r);
// The motion of the scene: (rows * n), row by row; NULL: the result has none.
FLX_API const float *flx_result_motion(const flx_result *r, int *n);
// Whole states of the motion, from which a run can begin (flx_simulation_create_from): number i, in the order of time; its first
// number is t; NULL: no more.
FLX_API const double *flx_result_state(const flx_result *r, int i);
// How many numbers a state has, and what of: an item per line; NULL: the result has no states.
FLX_API const char *flx_result_structure(const flx_result *r, int *n);
// Meshes of flexible bodies: number i, by which the scene names them; NULL: no more.
FLX_API const flx_result_mesh *flx_result_get_mesh(const flx_result *r, int i);
// The surfaces that the scene names; NULL: out of range.
FLX_API const flx_scene_surface *flx_result_surface(const flx_result *r, int i);
// What the result says of itself and its run: "method", "created", "ledger/steps", "measures/far",
// ... Returns the name of fact i, NULL when out of range; its text, or NULL and its number.
FLX_API const char *flx_result_fact(const flx_result *r, int i, const char **text, double *number);
// The events that happened: name and time of event i; NULL: no more.
FLX_API const char *flx_result_event(const flx_result *r, int i, double *t);
// Places of particles: how many times were kept, number i of them. The arrays are valid until the next call.
FLX_API int flx_result_frames(const flx_result *r);
FLX_API flx_status flx_result_particles(flx_result *r, int i, double *t, flx_particle_frame *out);
FLX_API const flx_result_work *flx_result_get_work(const flx_result *r);
// A sink that keeps its rows; after the run they are taken as a result, once.
FLX_API flx_status flx_memory_sink_create(flx_ctx *ctx, flx_sink **s);
FLX_API flx_status flx_memory_sink_take(flx_sink *s, flx_result **r);
// Columns whose name is `signal` or begins with "signal." or "signal("; "pin.angle" is also
// "pin(2).angle". At most max are stored; returns their number (0, with the nearest name in the
// message, when there is none).
FLX_API int flx_result_find(flx_result *r, const char *signal, int max, int *columns);

// ---- many runs in one file -----------------------------------------------------------------------
// Signals of runs side by side, as studies keep them (docs/guide/cluster.md): /t (runs, rows), /signals (runs, rows, columns),
// /rows (runs) how many each run has, /names and /units (columns). Where a run has no row, or was not done, there is NaN.
typedef struct flx_series flx_series;
// Of runs `first` to before `end`; the file is at its place when it is closed with FLX_OK, and not at all else.
FLX_API flx_status flx_series_create(flx_ctx *ctx, const char *path, int first, int end,
                                     flx_series **s);
// A sink that adds one run when it ends well.
FLX_API flx_status flx_series_sink(flx_series *s, int run, flx_sink **sink);
FLX_API flx_status flx_series_close(flx_series **s, flx_status how);
// One file of n others, which are made of chunks of `chunk` runs and lie in a folder beside it: their signals seen as one
// array (virtual datasets), or copied (pack). files (n): names relative to the folder of `path`; NULL: a chunk that is not there.
FLX_API flx_status flx_series_join(flx_ctx *ctx, const char *path, int runs, int chunk, int n,
                                   const char *const *files, int pack);

// Shapes of a structure as a result file that pages and pictures show: modes swing one after the other, a second
// each and equally large; a static shape grows with the load.
typedef struct flx_shapes_def {
    const char *path, *title, *model_path, *model_text;
    const flx_result_mesh *mesh;
    const double *frequencies; // (mesh->nmode) Hz; NULL: statics
} flx_shapes_def;
FLX_API flx_status flx_shapes_write(flx_ctx *ctx, const flx_shapes_def *def);

#ifdef __cplusplus
}
#endif
