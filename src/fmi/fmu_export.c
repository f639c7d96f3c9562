// fmu_export.c - an FMU: the model and its files, what it says of itself, and the run-time library, in one zip archive.
#include "flexion/fmi.h"

#include "base/letters.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"
#include "base/text_file.h"
#include "fmi/fmu_describe.h"
#include "fmi/fmu_files.h"
#include "fmi/fmu_unfit.h"
#include "read/fmu/zip.h"

#include <stdlib.h>

#if defined(__x86_64__)
#define PLATFORM2 "linux64"
#define PLATFORM3 "x86_64-linux"
#elif defined(__aarch64__)
#define PLATFORM2 "aarch64-linux"
#define PLATFORM3 "aarch64-linux"
#else
#define PLATFORM2 "linux"
#define PLATFORM3 "linux"
#endif

typedef struct job {
    flx_ctx *ctx;   // of the caller
    flx_ctx *inner; // of the model: the files that it has read are those of the model
    flx_arena *arena;
    const char *path; // of the model
    flx_fmu_def def;
    flx_system *system; // owned
    flx_run *run;       // owned
    flx_fmu_files files;
    flx_fmu_description description;
} job;

// ---- the model ------------------------------------------------------------------------------------------

// What the model has to say goes to the caller.
static void pass_messages(const job *j, flx_status status)
{
    for (int i = 0; i < flx_ctx_warning_count(j->inner); i++) {
        const flx_message *m = flx_ctx_warning(j->inner, i);
        flx_loc loc = m->loc;
        if (loc.file) loc.file = flx_intern(j->ctx, loc.file);
        flx_ctx_warn(j->ctx, loc, "%s", m->text);
    }
    for (int i = 0; status != FLX_OK && i < flx_ctx_error_count(j->inner); i++) {
        const flx_message *m = flx_ctx_error(j->inner, i);
        flx_loc loc = m->loc;
        if (loc.file) loc.file = flx_intern(j->ctx, loc.file);
        (void)FLX_FAIL(j->ctx, m->status, loc, "%s", m->text);
    }
}

static flx_status compile(job *j)
{
    flx_model *model = NULL;
    flx_read_def def = flx_read_def_default();
    def.nset = j->def.nset;
    def.settings = j->def.settings;
    flx_status status = flx_model_read_by(j->inner, j->path, &def, &model);
    if (status == FLX_OK) status = flx_fmu_refuse_model(j->inner, model);
    if (status == FLX_OK) status = flx_system_compile(model, NULL, j->inner, &j->system);
    flx_model_destroy(&model);
    if (status == FLX_OK) status = flx_run_create(j->system, NULL, j->inner, &j->run);
    if (status == FLX_OK) status = flx_fmu_refuse_method(j->inner, j->run);
    pass_messages(j, status);
    return status;
}

// ---- its names ------------------------------------------------------------------------------------------

static const char *make_identifier(job *j)
{
    const char *from = j->def.name;
    if (!from) {
        const char *slash = strrchr(j->path, '/');
        from = slash ? slash + 1 : j->path;
    }
    const char *dot = j->def.name ? NULL : strrchr(from, '.');
    size_t length = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    char *id = flx_arena_printf(j->arena, "%s%.*s", length && flx_is_digit(from[0]) ? "m" : "",
                                (int)length, from);
    for (char *c = id; c && *c; c++) {
        if (!flx_is_of_name(*c)) *c = '_';
    }
    return id && *id ? id : "model";
}

// A hash of 128 bits (FNV-1a, twice) of what the FMU is made of.
typedef struct digest {
    uint64_t a, b;
} digest;

static void feed(digest *d, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) {
        d->a = (d->a ^ p[i]) * 0x100000001b3u;
        d->b = (d->b ^ (p[i] + 0x9eu)) * 0x100000001b3u;
    }
    d->a = (d->a ^ 0xff) * 0x100000001b3u;
    d->b ^= d->a >> 29;
}

static void make_guid(job *j)
{
    digest d = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    unsigned char version = (unsigned char)j->def.version;
    feed(&d, flx_version(), strlen(flx_version()));
    feed(&d, &version, 1);
    for (int i = 0; i < j->files.count; i++) {
        const flx_fmu_file *f = j->files.items + i;
        feed(&d, f->inside, strlen(f->inside));
        feed(&d, f->data, f->size);
    }
    for (int i = 0; i < j->def.nset; i++) {
        feed(&d, j->def.settings[i], strlen(j->def.settings[i]));
    }
    flx_snprintf(j->description.guid, sizeof j->description.guid, "{%08x-%04x-%04x-%04x-%04x%08x}",
                 (unsigned)(d.a >> 32), (unsigned)(d.a >> 16) & 0xffff, (unsigned)d.a & 0xffff,
                 (unsigned)(d.b >> 48), (unsigned)(d.b >> 32) & 0xffff, (unsigned)d.b);
}

// ---- the archive ----------------------------------------------------------------------------------------

static flx_status add_note(job *j, flx_zip *zip)
{
    const char *text = flx_arena_printf(j->arena, "guid %s\nmodel %s\n", j->description.guid,
                                        j->files.items[0].inside);
    for (int i = 0; text && i < j->def.nset; i++) {
        text = flx_arena_printf(j->arena, "%sset %s\n", text, j->def.settings[i]);
    }
    if (!text) return FLX_ERR_MEMORY;
    return flx_zip_add(zip, "resources/" FLX_FMU_NOTE, text, strlen(text));
}

static flx_status add_library(job *j, flx_zip *zip)
{
    char *packed;
    size_t size;
    const char *platform = j->def.version == 2 ? PLATFORM2 : PLATFORM3;
    flx_status status =
        flx_file_read(j->inner, j->arena, j->def.library, FLX_NOWHERE, &packed, &size);
    if (status != FLX_OK) {
        return FLX_FAIL(j->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the run-time library of FMUs is not at '%s': this build of Flexion may "
                        "have none (docs/dependencies.md)",
                        j->def.library);
    }
    const char *name =
        flx_arena_printf(j->arena, "binaries/%s/%s.so", platform, j->description.identifier);
    return name ? flx_zip_add_gzip(zip, name, packed, size) : FLX_ERR_MEMORY;
}

static flx_status fill(job *j, flx_zip *zip)
{
    char *xml = NULL;
    size_t length = 0;
    flx_status status = (j->def.version == 2 ? flx_fmu_write_xml2 : flx_fmu_write_xml3)(
        j->ctx, &j->description, &xml, &length);
    if (status == FLX_OK) status = flx_zip_add(zip, "modelDescription.xml", xml, length);
    free(xml);
    FLX_TRY(status);
    FLX_TRY(add_library(j, zip));
    FLX_TRY(add_note(j, zip));
    for (int i = 0; i < j->files.count; i++) {
        const flx_fmu_file *f = j->files.items + i;
        const char *name = flx_arena_printf(j->arena, "resources/%s", f->inside);
        if (!name) return FLX_ERR_MEMORY;
        FLX_TRY(flx_zip_add(zip, name, f->data, f->size));
    }
    return flx_zip_add(zip, "documentation/licenses/licenses.txt", flx_fmu_licences,
                       strlen(flx_fmu_licences));
}

static flx_status work(job *j, const char *path)
{
    flx_zip *zip = NULL;
    FLX_TRY(compile(j));
    FLX_TRY(flx_fmu_collect_files(j->ctx, j->inner, j->arena, j->path, &j->files));
    FLX_TRY(flx_fmu_refuse_files(j->ctx, &j->files));
    j->description.cosimulation = j->def.exchange != 1;
    j->description.exchange = j->def.exchange != 0;
    FLX_TRY(flx_fmu_describe(j->ctx, j->arena, j->system, j->run, &j->description));
    j->description.identifier = make_identifier(j);
    make_guid(j);
    for (int i = 0; i < j->files.count; i++) {
        FLX_TRY(flx_ctx_protect(j->ctx, j->files.items[i].path));
    }
    FLX_TRY(flx_zip_create(j->ctx, "the FMU", path, &zip));
    return flx_zip_close(&zip, fill(j, zip));
}

flx_status flx_fmu_export(flx_ctx *ctx, const char *model, const flx_fmu_def *def, const char *path)
{
    if (!ctx || !model || !path) return flx_refuse_null(ctx, __func__);
    job j = {.ctx = ctx, .path = model, .def = flx_fmu_def_default()};
    if (def && (def->size < offsetof(flx_fmu_def, library) || def->size > sizeof j.def)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the definition of an FMU has no valid size: begin with "
                        "flx_fmu_def_default()");
    }
    if (def) memcpy(&j.def, def, def->size);
    if (j.def.version != 2 && j.def.version != 3) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "FMUs are written for FMI 2 and 3, not %d", j.def.version);
    }
    if (!j.def.library) j.def.library = FLX_FMI_LIBRARY;
    j.inner = flx_ctx_create();
    j.arena = j.inner ? flx_arena_create(ctx) : NULL;
    flx_status status = j.arena ? work(&j, path) : FLX_ERR_MEMORY;
    flx_run_destroy(&j.run);
    flx_system_destroy(&j.system);
    flx_arena_destroy(&j.arena);
    flx_ctx_destroy(&j.inner);
    return status;
}
