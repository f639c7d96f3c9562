// body_file.c - elastic bodies to a file and back. One walk over the body does both, so that they cannot differ.
#include "results/body_file.h"
#include "base/number.h"
#include "base/output_file.h"
#include "results/hdf5_disk.h"
#include "results/meshes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define MOST_SHAPES 20000
#define MOST_CONDITIONS 100000

// HDF5 bears one thread at a time, and models are read by several.
static pthread_mutex_t one_thread = PTHREAD_MUTEX_INITIALIZER;

typedef struct walk {
    flx_ctx *ctx;
    bool write;
    hid_t file;
    flx_hdf5_source source; // reading: into the arena of a result that is nothing else
    flx_arena *arena;
    bool bad; // HDF5 refused; reading: missing or damaged
} walk;

// ---- arrays -------------------------------------------------------------------------------------

// `count` numbers at *data; NULL: none. Reading: of any other count they are damaged.
static void numbers(walk *w, const char *name, hid_t type, size_t count, void **data)
{
    hsize_t dims[3] = {count};
    if (w->bad || count == 0) return;
    if (w->write) {
        w->bad = *data && !flx_hdf5_put(w->file, name, type, 1, dims, *data);
        return;
    }
    *data = NULL;
    if (H5Lexists(w->file, name, H5P_DEFAULT) <= 0) return;
    *data = flx_hdf5_take(&w->source, name, type, 1, dims);
    w->bad = !*data || dims[0] != count;
}

// An error that nobody knows is no number.
static void values(walk *w, const char *name, size_t count, double **data)
{
    void *x = *data;
    numbers(w, name, H5T_NATIVE_DOUBLE, count, &x);
    *data = x;
    if (!x && count > 0) w->bad = true;
}

static void reals(walk *w, const char *name, size_t count, double **data)
{
    void *x = *data;
    numbers(w, name, H5T_NATIVE_DOUBLE, count, &x);
    *data = x;
    for (size_t i = 0; !w->write && !w->bad && x && i < count; i++) w->bad = !isfinite((*data)[i]);
}

// That must be there.
static void needed(walk *w, const char *name, size_t count, double **data)
{
    reals(w, name, count, data);
    if (!*data && count > 0) w->bad = true;
}

static void fixed(walk *w, const char *name, size_t count, double *place)
{
    double *x = place;
    needed(w, name, count, &x);
    if (!w->write && !w->bad) memcpy(place, x, count * sizeof *x);
}

static void integers(walk *w, const char *name, size_t count, int *place)
{
    void *x = place;
    numbers(w, name, H5T_NATIVE_INT, count, &x);
    if (!x) w->bad = true;
    if (!w->write && !w->bad) memcpy(place, x, count * sizeof *place);
}

// Texts; "" stands for NULL.
static void texts(walk *w, const char *name, int count, const char **list)
{
    int n = 0;
    if (w->bad || count == 0) return;
    if (w->write) {
        w->bad = !flx_hdf5_put_texts(w->ctx, w->file, name, list[0], count - 1, list + 1);
        return;
    }
    bool there = H5Lexists(w->file, name, H5P_DEFAULT) > 0;
    const char **found = there ? flx_hdf5_take_texts(&w->source, name, &n) : NULL;
    w->bad = !found || n != count;
    for (int i = 0; i < count && !w->bad; i++) list[i] = found[i];
}

static void group(walk *w, const char *name)
{
    if (w->write && !w->bad) w->bad = !flx_hdf5_put_group(w->file, name);
}

static bool has(const walk *w, const char *name)
{
    return !w->bad && H5Lexists(w->file, name, H5P_DEFAULT) > 0;
}

// ---- nodes --------------------------------------------------------------------------------------

// Arrays that some nodes have and others have not, all in one: `of` says whose they are.
static void node_arrays(walk *w, flx_elastic *e, const char *name, size_t offset, size_t count)
{
    char of[48], values[48];
    int n = 0;
    flx_snprintf(of, sizeof of, "nodes/%s/of", name);
    flx_snprintf(values, sizeof values, "nodes/%s/values", name);
    if (w->bad) return;
    int *list = flx_arena_take(w->arena, (size_t)e->nnode + 1, sizeof *list);
    if (!list) {
        w->bad = w->source.failed = true;
        return;
    }
    for (int i = 0; i < e->nnode && w->write; i++) {
        double *x;
        memcpy(&x, (char *)(e->nodes + i) + offset, sizeof x);
        if (x) list[n++] = i;
    }
    char place[48];
    flx_snprintf(place, sizeof place, "nodes/%s", name);
    if (w->write && n == 0) return;
    group(w, place);
    if (!w->write) {
        if (!has(w, place)) return;
        hsize_t dims[3] = {0};
        const int *found = flx_hdf5_take(&w->source, of, H5T_NATIVE_INT, 1, dims);
        if (!found || dims[0] > (hsize_t)e->nnode) {
            w->bad = true;
            return;
        }
        n = (int)dims[0];
        memcpy(list, found, (size_t)n * sizeof *list);
        for (int k = 0; k < n; k++) {
            if (list[k] < 0 || list[k] >= e->nnode) w->bad = true;
        }
    }
    if (w->write) integers(w, of, (size_t)n, list);
    double *all = NULL;
    if (w->write) {
        all = flx_alloc(w->ctx, (size_t)n * count, sizeof *all);
        if (!all) w->bad = true;
        for (int k = 0; k < n && all; k++) {
            double *x;
            memcpy(&x, (char *)(e->nodes + list[k]) + offset, sizeof x);
            memcpy(all + (size_t)k * count, x, count * sizeof *x);
        }
    }
    if (!w->bad) needed(w, values, (size_t)n * count, &all);
    for (int k = 0; k < n && !w->write && !w->bad; k++) {
        double *x = all + (size_t)k * count;
        memcpy((char *)(e->nodes + list[k]) + offset, &x, sizeof x);
    }
    if (w->write) flx_free(all);
}

static void node_places(walk *w, flx_elastic *e)
{
    size_t n = (size_t)e->nnode;
    const char **words = flx_arena_take(w->arena, 2 * n + 1, sizeof *words);
    double *x = flx_arena_take(w->arena, 18 * n + 1, sizeof *x), *all = x;
    if (!words || !x) {
        w->bad = w->source.failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const flx_elastic_node *node = e->nodes + i;
        words[i] = node->id;
        words[n + i] = node->name;
        memcpy(x + 18 * i, node->at, sizeof node->at);
        memcpy(x + 18 * i + 3, node->R, sizeof node->R);
        memcpy(x + 18 * i + 12, node->sigma_rest, sizeof node->sigma_rest);
    }
    texts(w, "nodes/id", e->nnode, words);
    texts(w, "nodes/name", e->nnode, words + n);
    needed(w, "nodes/at", 18 * n, &all);
    for (size_t i = 0; i < n && !w->write && !w->bad; i++) {
        flx_elastic_node *node = e->nodes + i;
        node->id = words[i];
        node->name = words[n + i][0] ? words[n + i] : NULL;
        memcpy(node->at, all + 18 * i, sizeof node->at);
        memcpy(node->R, all + 18 * i + 3, sizeof node->R);
        memcpy(node->sigma_rest, all + 18 * i + 12, sizeof node->sigma_rest);
    }
}

static void nodes(walk *w, flx_elastic *e)
{
    size_t n = (size_t)e->n, nn = n * n;
    group(w, "nodes");
    if (e->nnode == 0) return;
    node_places(w, e);
#define ARRAY(name, count) node_arrays(w, e, #name, offsetof(flx_elastic_node, name), count)
    ARRAY(phi, 3 * n);
    ARRAY(psi, 3 * n);
    ARRAY(phi2, 3 * nn);
    ARRAY(psi2, 3 * nn);
    ARRAY(push, 3 * nn);
    ARRAY(twist, 3 * nn);
    ARRAY(sigma, 6 * n);
    ARRAY(eps, 6 * n);
    ARRAY(residual, 9);
#undef ARRAY
    for (int i = 0; i < e->nnode && !w->bad; i++) w->bad = !e->nodes[i].phi || !e->nodes[i].psi;
}

// ---- the certificate ----------------------------------------------------------------------------

static void conditions(walk *w, flx_reduction_report *r)
{
    size_t n = (size_t)r->ncondition, all = n * (size_t)r->nhz;
    flx_reduction_condition *c = flx_arena_take(w->arena, n, sizeof *c);
    const char **words = flx_arena_take(w->arena, n, sizeof *words);
    double *x = flx_arena_take(w->arena, 4 * n + 1, sizeof *x), *four = x;
    double *courses = w->write ? flx_arena_take(w->arena, all, sizeof *courses) : NULL;
    if (!c || !words || !x || (w->write && !courses)) {
        w->bad = w->source.failed = true;
        return;
    }
    for (size_t i = 0; i < n && w->write; i++) {
        const flx_reduction_condition *from = r->conditions + i;
        const double values[4] = {from->error, from->at, from->estimate, from->proof};
        words[i] = from->name;
        memcpy(x + 4 * i, values, sizeof values);
        memcpy(courses + i * (size_t)r->nhz, from->errors, (size_t)r->nhz * sizeof *courses);
    }
    texts(w, "report/condition", r->ncondition, words);
    values(w, "report/condition_numbers", 4 * n, &four);
    values(w, "report/errors", all, &courses);
    double *hz = (double *)(uintptr_t)r->hz;
    needed(w, "report/hz", (size_t)r->nhz, &hz);
    if (w->write || w->bad) return;
    r->hz = hz;
    for (size_t i = 0; i < n; i++) {
        const double *v = four + 4 * i;
        c[i] = (flx_reduction_condition){words[i], v[0], v[1],
                                         v[2],     v[3], courses + i * (size_t)r->nhz};
    }
    r->conditions = c;
}

static void report(walk *w, flx_elastic_cut *cut)
{
    flx_reduction_report none = {0}, *r = &none;
    if (w->write && !cut->report) return;
    group(w, "report");
    if (!w->write && !has(w, "report")) return;
    if (w->write) {
        none = *cut->report;
    } else {
        r = flx_arena_take(w->arena, 1, sizeof *r);
        if (!r) {
            w->bad = w->source.failed = true;
            return;
        }
    }
    const char *words[3] = {r->body, r->type, r->interfaces};
    int counts[] = {r->unknowns,       r->shapes,    r->ports,  r->met,     r->assumed,
                    r->ncondition,     r->nhz,       r->modes,  r->counted, r->vectors,
                    r->factorisations, r->solutions, r->counts, r->nfewer,  r->fewer[0],
                    r->fewer[1],       r->fewer[2],  r->above,  r->other,   r->checked,
                    r->centrifugal};
    double sizes[] = {
        r->from,  r->to,     r->tolerance,      r->loss,           r->alpha,          r->beta,
        r->known, r->proved, r->fewer_error[0], r->fewer_error[1], r->fewer_error[2], r->highest};
    texts(w, "report/words", 3, words);
    integers(w, "report/counts", sizeof counts / sizeof *counts, counts);
    double *given = sizes;
    values(w, "report/numbers", sizeof sizes / sizeof *sizes, &given);
    if (!w->write && !w->bad) memcpy(sizes, given, sizeof sizes);
    if (w->bad) return;
    if (!w->write) {
        const flx_reduction_report found = {.body = words[0],
                                            .type = words[1],
                                            .interfaces = words[2],
                                            .unknowns = counts[0],
                                            .shapes = counts[1],
                                            .ports = counts[2],
                                            .met = counts[3],
                                            .assumed = counts[4],
                                            .ncondition = counts[5],
                                            .nhz = counts[6],
                                            .modes = counts[7],
                                            .counted = counts[8],
                                            .vectors = counts[9],
                                            .factorisations = counts[10],
                                            .solutions = counts[11],
                                            .counts = counts[12],
                                            .nfewer = counts[13],
                                            .fewer = {counts[14], counts[15], counts[16]},
                                            .above = counts[17],
                                            .other = counts[18],
                                            .checked = counts[19],
                                            .centrifugal = counts[20],
                                            .from = sizes[0],
                                            .to = sizes[1],
                                            .tolerance = sizes[2],
                                            .loss = sizes[3],
                                            .alpha = sizes[4],
                                            .beta = sizes[5],
                                            .known = sizes[6],
                                            .proved = sizes[7],
                                            .fewer_error = {sizes[8], sizes[9], sizes[10]},
                                            .highest = sizes[11]};
        *r = found;
        w->bad = r->ncondition < 0 || r->ncondition > MOST_CONDITIONS || r->nhz < 0 ||
                 r->nfewer < 0 || r->nfewer > 3;
        cut->report = r;
    }
    if (!w->bad && r->ncondition > 0 && r->nhz > 0) conditions(w, r);
}

static void cut(walk *w, flx_elastic *e)
{
    if (w->write && !e->cut) return;
    group(w, "cut");
    if (!w->write) {
        if (!has(w, "cut")) return;
        e->cut = flx_arena_take(w->arena, 1, sizeof *e->cut);
        if (!e->cut) {
            w->bad = w->source.failed = true;
            return;
        }
    }
    integers(w, "cut/unknowns", 1, &e->cut->unknowns);
    needed(w, "cut/omega2", (size_t)e->n, &e->cut->omega2);
    needed(w, "cut/error", (size_t)e->n, &e->cut->error);
    fixed(w, "cut/next", 1, &e->cut->next);
    double *mesh = &e->cut->mesh; // missing in files that were written before it was known
    reals(w, "cut/mesh", 1, &mesh);
    if (!w->write && !w->bad) e->cut->mesh = mesh ? *mesh : 0;
    if (!w->bad) report(w, e->cut);
}

// ---- the whole ----------------------------------------------------------------------------------

static void one_sided(walk *w, flx_elastic *e)
{
    size_t nn = (size_t)e->n * (size_t)e->n;
    if (w->write && !e->one_sided) return;
    group(w, "one_sided");
    if (!w->write) {
        if (!has(w, "one_sided")) return;
        e->one_sided = flx_arena_take(w->arena, 1, sizeof *e->one_sided);
        if (!e->one_sided) {
            w->bad = w->source.failed = true;
            return;
        }
    }
    reals(w, "one_sided/S2", 3 * nn, &e->one_sided->S2);
    reals(w, "one_sided/J2", 6 * nn, &e->one_sided->J2);
    reals(w, "one_sided/N1", 3 * nn, &e->one_sided->N1);
}

static void mesh(walk *w, flx_elastic *e)
{
    flx_elastic_mesh *m = e->mesh;
    if (w->bad) return;
    if (w->write) {
        if (!m) return;
        const flx_result_mesh drawn = {FLX_ELASTIC_MESH_DRAWN(m, e->n)};
        w->bad = !flx_meshes_put(w->file, 1, &drawn);
        return;
    }
    if (!has(w, "meshes")) return;
    w->bad = flx_meshes_read(&w->source) != FLX_OK || w->source.r->nmesh != 1 ||
             w->source.r->meshes[0].nmode != e->n;
    e->mesh = w->bad ? NULL : flx_arena_take(w->arena, 1, sizeof *e->mesh);
    if (!e->mesh) {
        w->bad = true;
        return;
    }
    const flx_result_mesh *r = w->source.r->meshes;
    // the arrays are this body's own
    *e->mesh = (flx_elastic_mesh){.nnode = r->nnode,
                                  .nsurface = r->nsurface,
                                  .ntriangle = r->ntriangle,
                                  .ncell = r->ncell,
                                  .nodes = (float *)(uintptr_t)r->nodes,
                                  .labels = (int *)(uintptr_t)r->labels,
                                  .triangles = (int *)(uintptr_t)r->triangles,
                                  .cells = (int *)(uintptr_t)r->cells,
                                  .offsets = (int *)(uintptr_t)r->offsets,
                                  .connectivity = (int *)(uintptr_t)r->connectivity,
                                  .modes = (float *)(uintptr_t)r->modes,
                                  .stress = (float *)(uintptr_t)r->stress};
}

static void body(walk *w, flx_elastic *e)
{
    int counts[] = {e->n, e->nnode, e->line, e->stiffened, e->ngrain};
    integers(w, "counts", 5, counts);
    if (w->bad) return;
    if (!w->write) {
        *e = (flx_elastic){.n = counts[0], .nnode = counts[1], .ngrain = counts[4]};
        e->line = counts[2] != 0;
        e->stiffened = counts[3] != 0;
        w->bad = e->n < 1 || e->n > MOST_SHAPES || e->nnode < 0 || e->nnode > INT_MAX / 20 ||
                 e->ngrain < 0 || e->ngrain > INT_MAX / FLX_CHUNK;
        if (w->bad) return;
        e->labels = flx_arena_take(w->arena, (size_t)e->n, sizeof *e->labels);
        e->nodes = flx_arena_take(w->arena, (size_t)e->nnode + 1, sizeof *e->nodes);
        if (!e->labels || !e->nodes) w->bad = w->source.failed = true;
    }
    size_t n = (size_t)e->n, nn = n * n, grains = (size_t)e->ngrain;
    fixed(w, "m", 1, &e->m);
    if (!(e->m > 0)) w->bad = true;
    fixed(w, "S0", 3, e->S0);
    fixed(w, "J0", 6, e->J0);
    needed(w, "S1", 3 * n, &e->S1);
    needed(w, "J1", 6 * n, &e->J1);
    needed(w, "N0", 3 * n, &e->N0);
    needed(w, "M", nn, &e->M);
    needed(w, "K", nn, &e->K);
    needed(w, "D", nn, &e->D);
    needed(w, "k0", n, &e->k0);
    reals(w, "S2", 3 * nn, &e->S2);
    reals(w, "J2", 6 * nn, &e->J2);
    reals(w, "N1", 3 * nn, &e->N1);
    texts(w, "labels", e->n, e->labels);
    if (grains > 0) needed(w, "weights", grains, &e->weights);
    if (grains > 0) needed(w, "grains", 3 * (size_t)FLX_GRAIN_ROWS(e->n) * grains, &e->grains);
    nodes(w, e);
    one_sided(w, e);
    mesh(w, e);
    if (!w->bad) cut(w, e);
}

// ---- files --------------------------------------------------------------------------------------

static bool put_contents(walk *w, const flx_elastic *e, const flx_body_origin *o)
{
    const int format = FLX_BODY_FILE_FORMAT;
    flx_elastic copy = *e; // the walk reads and writes
    if (!flx_hdf5_put(w->file, "body_format", H5T_NATIVE_INT, 0, NULL, &format)) return false;
    if (!flx_hdf5_put_text(w->file, "body", o->body)) return false;
    if (!flx_hdf5_put_text(w->file, "key", o->key)) return false;
    if (o->nnote > 0 &&
        !flx_hdf5_put_texts(w->ctx, w->file, "notes", o->notes[0], o->nnote - 1, o->notes + 1))
        return false;
    body(w, &copy);
    return !w->bad;
}

static flx_status lay_out(walk *w, flx_output *output, const flx_elastic *e,
                          const flx_body_origin *o)
{
    flx_hdf5_disk disk;
    bool good = false;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    w->file = flx_hdf5_disk_create(&disk, output->part, access);
    H5Pclose(access);
    if (w->file >= 0) {
        good = put_contents(w, e, o);
        if (H5Fclose(w->file) < 0) good = false;
    }
    flx_hdf5_disk_end(&disk);
    if (good && disk.error == 0) return FLX_OK;
    unlink(output->part);
    errno = disk.error;
    return flx_output_fail(output, disk.error ? "" : "HDF5 refused");
}

flx_status flx_body_file_write(flx_ctx *ctx, const char *path, const flx_elastic *e,
                               const flx_body_origin *origin)
{
    flx_output *output = NULL;
    FLX_TRY(flx_output_reserve(ctx, "the body", path, &output));
    walk w = {.ctx = ctx, .write = true, .arena = flx_arena_create(ctx)};
    flx_status status = FLX_ERR_MEMORY;
    if (w.arena) {
        pthread_mutex_lock(&one_thread);
        flx_hdf5_silence before = flx_hdf5_hush();
        status = lay_out(&w, output, e, origin);
        flx_hdf5_speak(before);
        pthread_mutex_unlock(&one_thread);
    }
    flx_arena_destroy(&w.arena);
    return flx_output_close(&output, status);
}

static flx_status take_contents(walk *w, const char *path, flx_loc loc, flx_elastic *e,
                                flx_body_origin *o)
{
    hsize_t dims[3];
    const int *format = flx_hdf5_take(&w->source, "body_format", H5T_NATIVE_INT, 0, dims);
    int n = 0;
    if (!format) {
        return FLX_FAIL(w->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is no body: 'flexion export body' writes one", path);
    }
    if (*format != FLX_BODY_FILE_FORMAT) {
        return FLX_FAIL(w->ctx, FLX_ERR_MODEL, loc,
                        "the body '%s' has format %d, this program reads %d: write it anew by "
                        "'flexion export body'",
                        path, *format, FLX_BODY_FILE_FORMAT);
    }
    const char **found = flx_hdf5_take_texts(&w->source, "body", &n);
    o->body = found ? found[0] : "";
    found = flx_hdf5_take_texts(&w->source, "key", &n);
    o->key = found ? found[0] : "";
    if (has(w, "notes")) o->notes = flx_hdf5_take_texts(&w->source, "notes", &o->nnote);
    body(w, e);
    if (w->source.failed) return FLX_ERR_MEMORY;
    if (!w->bad) return FLX_OK;
    return FLX_FAIL(w->ctx, FLX_ERR_MODEL, loc,
                    "the body '%s' is damaged: write it anew by 'flexion export body'", path);
}

static flx_status read_silently(walk *w, const char *path, flx_loc loc, flx_elastic *e,
                                flx_body_origin *o)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        int input = -1;
        flx_status noted = flx_input_note(w->ctx, descriptor, &input);
        close(descriptor);
        if (noted == FLX_OK) noted = flx_input_name(w->ctx, input, path);
        if (noted != FLX_OK) return noted;
    }
    errno = descriptor < 0 ? errno : 0;
    w->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (w->file < 0) {
        return FLX_FAIL(w->ctx, FLX_ERR_IO, loc, "cannot read the body '%s': %s", path,
                        errno ? flx_error_text(errno) : "it is damaged");
    }
    w->source.file = w->file;
    flx_status status = take_contents(w, path, loc, e, o);
    H5Fclose(w->file);
    return status;
}

flx_status flx_body_file_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                              flx_elastic **e, flx_body_origin *origin)
{
    flx_result holder = {.ctx = ctx, .arena = arena};
    walk w = {.ctx = ctx, .arena = arena, .source = {.r = &holder}};
    flx_elastic *found = flx_arena_take(arena, 1, sizeof *found);
    *e = NULL;
    *origin = (flx_body_origin){.body = "", .key = ""};
    if (!found) return FLX_ERR_MEMORY;
    pthread_mutex_lock(&one_thread);
    flx_hdf5_silence before = flx_hdf5_hush();
    flx_status status = read_silently(&w, path, loc, found, origin);
    flx_hdf5_speak(before);
    pthread_mutex_unlock(&one_thread);
    if (status == FLX_OK) *e = found;
    return status;
}
