// page.c - one page of HTML that plays results. The page itself is made from viewer/; here its data
// are put into it: a header in JSON, and all numbers as one block (page_pack.h), in this order for
// each result: times of the signals, the signals, times of the frames, the numbers of the motion.
#include "base/output_file.h"
#include "page/page_data.h"
#include "page/page_mesh.h"
#include "page/page_pack.h"
#include "page/page_template.h"
#include "page/scene_json.h"
#include "results/result.h"
#include "results/result_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_LIMIT 10000000
#define MARK "<!--flexion-data-->"
#define MESH_PART 2   // surfaces and meshes take at most this part of a room that is too small
#define SIGNAL_PART 3 // signals are thinned when they take more than this part of the room
#define MOST_TRIES 12

// Every so many rows are kept, of the signals and of the frames.
typedef struct strides {
    int signals, frames;
} strides;

static void put_texts(flx_text *t, const char *key, const flx_result *r,
                      const char *(*get)(const flx_result *, int))
{
    flx_text_print(t, ", \"%s\": [", key);
    for (int c = 1; c < flx_result_columns(r); c++) {
        if (c > 1) flx_text_put(t, ", ");
        flx_text_put_string(t, get(r, c));
    }
    flx_text_put(t, "]");
}

static void put_facts(flx_text *t, const flx_result *r)
{
    const char *name, *text;
    double number;
    flx_text_put(t, ", \"facts\": [");
    for (int i = 0; (name = flx_result_fact(r, i, &text, &number)) != NULL; i++) {
        flx_text_put(t, i ? ", [" : "[");
        flx_text_put_string(t, name);
        flx_text_put(t, ", ");
        if (text) {
            flx_text_put_string(t, text);
        } else {
            flx_text_put_number(t, number);
        }
        flx_text_put(t, "]");
    }
    flx_text_put(t, "], \"events\": [");
    for (int i = 0; (name = flx_result_event(r, i, &number)) != NULL; i++) {
        flx_text_put(t, i ? ", [" : "[");
        flx_text_put_number(t, number);
        flx_text_put(t, ", ");
        flx_text_put_string(t, name);
        flx_text_put(t, "]");
    }
    flx_text_put(t, "]");
}

static void put_model(flx_text *t, const char *text)
{
    flx_text_put(t, ", \"model\": ");
    if (text) {
        flx_text_put_string(t, text);
    } else {
        flx_text_put(t, "null");
    }
}

static void put_header(flx_text *t, const flx_result *r, const char *label, strides s,
                       const flx_text *meshes)
{
    int nmotion, rows = flx_result_rows(r);
    const bool moves = flx_result_motion(r, &nmotion) != NULL;
    flx_text_put(t, "{\"label\": ");
    flx_text_put_string(t, label);
    flx_text_put(t, ", \"title\": ");
    flx_text_put_string(t, flx_result_title(r));
    flx_text_print(t, ", \"complete\": %s, \"rows\": %d", flx_result_complete(r) ? "true" : "false",
                   rows);
    put_texts(t, "names", r, flx_result_name);
    put_texts(t, "units", r, flx_result_unit);
    flx_text_print(t, ", \"signalRows\": %d, \"frameRows\": %d, \"nmotion\": %d",
                   flx_pack_count(rows, s.signals), moves ? flx_pack_count(rows, s.frames) : 0,
                   moves ? nmotion : 0);
    put_facts(t, r);
    put_model(t, flx_result_model(r));
    flx_text_put(t, ", \"scene\": ");
    if (moves && flx_result_scene(r)) {
        flx_scene_put_json(t, flx_result_scene(r));
    } else {
        flx_text_put(t, "null");
    }
    flx_text_put_bytes(t, meshes->data, meshes->length);
    flx_text_put(t, "}");
}

static void put_numbers(flx_text *t, const flx_result *r, strides s)
{
    int nmotion, rows = flx_result_rows(r);
    const float *motion = flx_result_motion(r, &nmotion);
    flx_pack_doubles(t, rows, s.signals, flx_result_column(r, 0));
    for (int c = 1; c < flx_result_columns(r); c++) {
        flx_pack_narrowed(t, rows, s.signals, flx_result_column(r, c));
    }
    if (!motion) return;
    flx_pack_doubles(t, rows, s.frames, flx_result_column(r, 0));
    for (int k = 0; k < nmotion; k++) flx_pack_floats(t, rows, s.frames, motion + k, nmotion);
}

static void put_tables(flx_text *t, const flx_page_def *def)
{
    flx_text_put(t, ", \"tables\": [");
    for (int i = 0; i < def->ntable; i++) {
        const flx_page_table *x = def->tables + i;
        flx_text_put(t, i > 0 ? ", {\"name\": " : "{\"name\": ");
        flx_text_put_string(t, x->name);
        flx_text_put(t, ", \"columns\": [");
        for (int k = 0; k < x->ncolumn; k++) {
            if (k > 0) flx_text_put(t, ", ");
            flx_text_put_string(t, x->columns[k]);
        }
        flx_text_put(t, "], \"values\": [");
        for (int k = 0; k < x->ncolumn; k++) {
            if (k > 0) flx_text_put(t, ", ");
            flx_text_put_numbers(t, x->nrow, x->values + (size_t)k * (size_t)x->nrow);
        }
        flx_text_put(t, "]}");
    }
    flx_text_put(t, "]");
}

// What stands round the three parts of the data: elements that the page looks for, or members of an object.
typedef struct wrapping {
    const char *header, *block, *meshes, *end;
} wrapping;
static const wrapping elements = {"<script type=\"application/json\" id=\"flexion-header\">",
                                  "</script>\n<script type=\"text/plain\" id=\"flexion-block\">",
                                  "</script>\n<script type=\"text/plain\" id=\"flexion-meshes\">",
                                  "</script>\n"};
static const wrapping members = {"{\"header\": ", ", \"block\": \"", "\", \"meshes\": \"", "\"}"};

// The data of all results.
static flx_status put_data(const flx_page_def *def, strides s, const flx_page_meshes *meshes,
                           const wrapping *w, flx_text *t)
{
    flx_text numbers;
    flx_text_start(&numbers, t->ctx);
    flx_text_put(t, w->header);
    flx_text_put(t, "{\"results\": [");
    for (int i = 0; i < def->nresult; i++) {
        if (i > 0) flx_text_put(t, ", ");
        put_header(t, def->results[i], def->labels[i], s, &meshes->headers[i]);
        put_numbers(&numbers, def->results[i], s);
    }
    flx_text_print(t, "], \"meshPoints\": [%ld, %ld]", meshes->kept, meshes->points);
    put_tables(t, def);
    flx_text_put(t, "}");
    flx_text_put(t, w->block);
    flx_status status = flx_pack_deflate(t, &numbers);
    flx_text_put(t, w->meshes);
    if (meshes->block.length > 0) flx_text_put_bytes(t, meshes->block.data, meshes->block.length);
    flx_text_put(t, w->end);
    flx_text_clear(&numbers);
    return t->failed ? FLX_ERR_MEMORY : status;
}

// Numbers of signals and of frames in all results: what thinning can save.
static void count(const flx_page_def *def, strides s, double *signals, double *frames)
{
    *signals = *frames = 0;
    for (int i = 0; i < def->nresult; i++) {
        int nmotion, rows = flx_result_rows(def->results[i]);
        bool moves = flx_result_motion(def->results[i], &nmotion) != NULL;
        *signals += (double)flx_pack_count(rows, s.signals) * flx_result_columns(def->results[i]);
        if (moves) *frames += (double)flx_pack_count(rows, s.frames) * nmotion;
    }
}

// Strides with which the data are likely to fit, from how large they were with these.
static strides thin(const flx_page_def *def, strides s, size_t size, size_t room)
{
    double signals, frames, factor = 1.05 * (double)size / (double)room;
    count(def, s, &signals, &frames);
    bool many = signals * SIGNAL_PART > signals + frames;
    strides next = s;
    if (many || frames == 0) next.signals = (int)ceil(factor * s.signals);
    if (frames > 0) next.frames = (int)ceil(factor * s.frames);
    return next;
}

// Meshes as they are where everything fits with them; else coarser.
static flx_status make_meshes(flx_ctx *ctx, const flx_page_def *def, size_t room, const wrapping *w,
                              flx_page_meshes *meshes)
{
    flx_text all;
    FLX_TRY(flx_page_meshes_make(ctx, def, room, meshes));
    if (meshes->block.length <= room / MESH_PART) return FLX_OK;
    flx_text_start(&all, ctx);
    flx_status status = put_data(def, (strides){1, 1}, meshes, w, &all);
    bool fits = all.length <= room;
    flx_text_clear(&all);
    if (status != FLX_OK || fits) return status;
    flx_page_meshes_clear(meshes);
    return flx_page_meshes_make(ctx, def, room / MESH_PART, meshes);
}

static flx_status make_data(flx_ctx *ctx, const flx_page_def *def, size_t room,
                            const flx_page_meshes *meshes, const wrapping *w, strides *s,
                            flx_text *t)
{
    *s = (strides){1, 1};
    for (int i = 0; i < MOST_TRIES; i++) {
        flx_text_clear(t);
        FLX_TRY(put_data(def, *s, meshes, w, t));
        if (t->length <= room) return FLX_OK;
        size_t fixed = meshes->block.length < room ? meshes->block.length : 0;
        *s = thin(def, *s, t->length - fixed, room - fixed);
    }
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "the page cannot be made as small as %zu bytes: %zu are left with the fewest "
                    "frames; allow more",
                    room, t->length);
}

static flx_status write_file(flx_ctx *ctx, const char *path, const flx_text *data)
{
    const char *mark = strstr(flx_page_template, MARK), *rest = mark + strlen(MARK);
    flx_output *o;
    FLX_TRY(flx_output_create(ctx, "the page", path, &o));
    FILE *f = flx_output_file(o);
    fwrite(flx_page_template, 1, (size_t)(mark - flx_page_template), f);
    fwrite(data->data, 1, data->length, f);
    fwrite(rest, 1, strlen(rest), f);
    return flx_output_close(&o, FLX_OK);
}

static void tell_size(const flx_page_def *def, strides s, flx_page_size *size)
{
    for (int i = 0; i < def->nresult; i++) {
        int nmotion, rows = flx_result_rows(def->results[i]);
        if (rows < size->rows) continue;
        size->rows = rows;
        size->signal_rows = flx_pack_count(rows, s.signals);
        bool moves = flx_result_motion(def->results[i], &nmotion) != NULL;
        size->frames = moves ? flx_pack_count(rows, s.frames) : 0;
    }
}

flx_status flx_page_write(flx_ctx *ctx, const flx_page_def *def, flx_page_size *size)
{
    *size = (flx_page_size){0};
    if (!flx_page_template) {
        return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                        "this program was built without its page: install node and npm, and build "
                        "it again");
    }
    size_t limit = def->limit > 0 ? def->limit : DEFAULT_LIMIT, page = strlen(flx_page_template);
    if (limit <= page) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "an empty page has %zu bytes already; allow more than that", page);
    }
    flx_text data;
    flx_text_start(&data, ctx);
    strides s;
    flx_page_meshes meshes;
    flx_status status = make_meshes(ctx, def, limit - page, &elements, &meshes);
    if (status == FLX_OK) status = make_data(ctx, def, limit - page, &meshes, &elements, &s, &data);
    if (status == FLX_OK) status = write_file(ctx, def->path, &data);
    for (int i = 0; i < def->nresult; i++) {
        if (def->results[i]->old_scene) flx_ctx_warn(ctx, FLX_NOWHERE, "%s", FLX_RESULT_OLD_SCENE);
    }
    if (status == FLX_OK) {
        size->bytes = page - strlen(MARK) + data.length;
        size->points = meshes.points;
        size->kept = meshes.kept;
        tell_size(def, s, size);
    }
    flx_page_meshes_clear(&meshes);
    flx_text_clear(&data);
    return status;
}

flx_status flx_page_put_data(flx_ctx *ctx, const flx_page_def *def, flx_text *t)
{
    size_t limit = def->limit > 0 ? def->limit : DEFAULT_LIMIT;
    strides s;
    flx_page_meshes meshes;
    flx_text data;
    flx_text_start(&data, ctx);
    flx_status status = make_meshes(ctx, def, limit, &members, &meshes);
    if (status == FLX_OK) status = make_data(ctx, def, limit, &meshes, &members, &s, &data);
    if (status == FLX_OK) flx_text_put_bytes(t, data.data, data.length);
    flx_page_meshes_clear(&meshes);
    flx_text_clear(&data);
    return status == FLX_OK && t->failed ? FLX_ERR_MEMORY : status;
}
