// build_model.c - from the tree of a file to a model: the order of the work, and the model's life.
#include "language/build_model.h"
#include "flexion/fmi.h"
#include "language/calls/description.h"
#include "language/flexible/deformable.h"
#include "language/schema/schema_old.h"
#include "language/scope/nums.h"
#include "model/fmu/fmu_data.h"
#include "model/fmu/fmu_live.h"
#include "model/numbers.h"
#include "model/structure.h"

#include <string.h>

// Definitions that failed. Of a repeated item or part one failure is enough: the others would fail
// alike.
typedef struct failures {
    int count;
    const flx_entry *defs[FLX_MAX_ERRORS];
} failures;

static bool has_failed(const failures *f, const flx_entry *def)
{
    for (int i = 0; i < f->count; i++) {
        if (f->defs[i] == def) return true;
    }
    return false;
}

static flx_status for_all(flx_builder *b, const flx_items *list,
                          flx_status (*finish)(flx_builder *b, flx_item *item))
{
    failures failed = {.count = 0};
    for (int i = 0; i < list->count; i++) {
        flx_item *item = list->items[i];
        if (has_failed(&failed, item->def)) continue;
        flx_status status = finish(b, item);
        if (status == FLX_ERR_MEMORY) return status;
        if (status == FLX_OK) continue;
        b->failed = true;
        if (failed.count < FLX_MAX_ERRORS) failed.defs[failed.count++] = item->def;
    }
    return FLX_OK;
}

static flx_status finish_parameter(flx_builder *b, flx_item *item)
{
    return flx_parameter_resolve(b, item, item->loc);
}

static flx_status finish_function(flx_builder *b, flx_item *item)
{
    return flx_function_resolve(b, item, item->loc);
}

static flx_status finish_signal(flx_builder *b, flx_item *item)
{
    return flx_signal_resolve(b, item, item->loc);
}

static flx_status finish_path(flx_builder *b, flx_item *item)
{
    return flx_path_resolve(b, item, item->loc);
}

static flx_status finish_input(flx_builder *b, flx_item *item)
{
    return flx_input_resolve(b, item, item->loc);
}

static flx_status finish_part(flx_builder *b, flx_item *item)
{
    return item->data ? flx_space_place(b, item->data) : FLX_OK;
}

// ---- the head of the model ----------------------------------------------------------------------

static flx_status read_dimension(flx_builder *b, const flx_entry *tree)
{
    const flx_entry *y = flx_entry_get(tree, "dimension");
    b->m->dimension = 3;
    if (!y) return FLX_OK;
    if (y->kind == FLX_ENTRY_SCALAR && (strcmp(y->text, "2") == 0 || strcmp(y->text, "3") == 0)) {
        b->m->dimension = y->text[0] - '0';
        return FLX_OK;
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "the dimension is 2 or 3");
}

static flx_status read_gravity(flx_builder *b)
{
    const flx_entry *y = flx_entry_get(b->top->def, "gravity");
    flx_env e;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    return y ? flx_build_open_vector(&e, y, b->m->gravity, b->m->gravity_open) : FLX_OK;
}

static flx_status make_top(flx_builder *b, const flx_entry *tree)
{
    const flx_entry *title = flx_entry_get(tree, "title");
    b->top = flx_take(b, 1, sizeof *b->top);
    b->ground = flx_take(b, 1, sizeof *b->ground);
    if (!b->top || !b->ground) return FLX_ERR_MEMORY;
    *b->top = (flx_space){.def = tree, .prefix = "", .placed = FLX_ITEM_DONE, .plain = true};
    b->top->R = flx_num9_identity();
    *b->ground = (flx_item){.kind = FLX_KIND_GROUND,
                            .name = "ground",
                            .full = "ground",
                            .base = "ground",
                            .space = b->top,
                            .number = FLX_BODY_GROUND};
    b->m->title = title && title->kind == FLX_ENTRY_SCALAR ? title->text : "";
    return read_dimension(b, tree);
}

// ---- filling the model --------------------------------------------------------------------------

static flx_status fill_items(flx_builder *b)
{
    flx_model *m = b->m;
    m->bodies =
        flx_arena_take(m->arena, (size_t)(b->bodies.count + b->attached.count), sizeof *m->bodies);
    m->joints = flx_arena_take(m->arena, (size_t)b->joints.count, sizeof *m->joints);
    size_t nforce = (size_t)b->forces.count;
    for (int i = 0; i < b->forces.count; i++) {
        nforce += (size_t)((flx_force_data *)b->forces.items[i]->data)->nspread;
    }
    m->forces = flx_arena_take(m->arena, nforce, sizeof *m->forces);
    m->frictions = flx_arena_take(m->arena, (size_t)b->joints.count, sizeof *m->frictions);
    m->contacts = flx_arena_take(m->arena, (size_t)b->forces.count, sizeof *m->contacts);
    size_t nstop = 0;
    for (int i = 0; i < b->joints.count; i++) {
        nstop += (size_t)((flx_joint_data *)b->joints.items[i]->data)->nstop;
    }
    m->stops = flx_arena_take(m->arena, nstop, sizeof *m->stops);
    m->sticks = flx_arena_take(m->arena, (size_t)b->joints.count, sizeof *m->sticks);
    if (!m->bodies || !m->joints || !m->forces || !m->frictions || !m->stops || !m->sticks ||
        !m->contacts) {
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < b->bodies.count; i++) {
        m->bodies[m->nbody++] = ((flx_body_data *)b->bodies.items[i]->data)->def;
    }
    for (int i = 0; i < b->joints.count; i++) {
        const flx_joint_data *d = b->joints.items[i]->data;
        m->joints[m->njoint++] = d->def;
        if (d->friction) m->frictions[m->nfriction++] = *d->friction;
        for (int k = 0; k < d->nstop; k++) m->stops[m->nstop++] = d->stops[k];
        if (d->stick) m->sticks[m->nstick++] = *d->stick;
    }
    for (int i = 0; i < b->forces.count; i++) {
        const flx_force_data *d = b->forces.items[i]->data;
        if (d->unavailable) continue;
        if (d->contact) {
            m->contacts[m->ncontact] = *d->contact;
            m->contacts[m->ncontact].force = m->nforce;
        }
        m->forces[m->nforce] = d->nspread > 0 ? d->spread[0] : d->def;
        if (d->contact) m->forces[m->nforce].contact = m->ncontact++;
        m->nforce++;
    }
    for (int i = 0; i < b->forces.count; i++) { // the first is at the force's own number
        const flx_force_data *d = b->forces.items[i]->data;
        for (int k = 1; k < d->nspread; k++, m->nspread++) m->forces[m->nforce++] = d->spread[k];
    }
    FLX_TRY(flx_beams_finish(b));
    FLX_TRY(flx_solids_finish(b));
    return flx_elastic_body_finish(b);
}

static flx_status check_content(flx_builder *b)
{
    const flx_model *m = b->m;
    if (m->nbody + m->nvariable + m->nfirst > 0) return FLX_OK;
    if (m->fe.structure || m->fe.K.n > 0) return FLX_OK; // for `flexion fe`
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, b->top->def->loc,
                    "the model has neither bodies nor equations: nothing would move");
}

static flx_status build(flx_builder *b, const flx_entry *tree)
{
    FLX_TRY(make_top(b, tree));
    FLX_TRY(flx_build_unavailable(b, tree));
    FLX_TRY(flx_space_declare(b, b->top));
    FLX_TRY(flx_space_expand(b, b->top));
    b->top->end_body = b->bodies.count;
    FLX_TRY(for_all(b, &b->parameters, finish_parameter));
    FLX_TRY(flx_parameters_finish(b));
    FLX_TRY(for_all(b, &b->functions, finish_function));
    FLX_TRY(for_all(b, &b->paths, finish_path));
    GO_ON(flx_beams_declare(b));
    GO_ON(flx_solids_declare(b));
    GO_ON(read_gravity(b));
    GO_ON(flx_fe_finish(b));
    GO_ON(flx_simulate_finish(b)); // the step decides about the form of stiff forces
    FLX_TRY(for_all(b, &b->parts, finish_part));
    FLX_TRY(for_all(b, &b->bodies, flx_body_finish));
    FLX_TRY(for_all(b, &b->joints, flx_joint_finish));
    FLX_TRY(flx_inputs_check_asked(b));
    FLX_TRY(for_all(b, &b->inputs, finish_input));
    FLX_TRY(for_all(b, &b->signals, finish_signal));
    FLX_TRY(flx_equations_finish(b));
    FLX_TRY(for_all(b, &b->forces, flx_force_finish));
    FLX_TRY(flx_force_states_finish(b));
    FLX_TRY(flx_events_finish(b));
    GO_ON(flx_particles_finish(b));
    GO_ON(flx_fmus_finish(b));
    GO_ON(flx_reduce_finish(b));
    FLX_TRY(flx_analyses_finish(b));
    FLX_TRY(flx_sweep_finish(b));
    FLX_TRY(flx_outputs_finish(b));
    FLX_TRY(flx_optimise_finish(b)); // of metrics
    if (!b->failed) FLX_TRY(flx_inputs_finish(b));
    if (!b->failed) FLX_TRY(fill_items(b)); // after outputs, which may ask for coordinates
    if (!b->failed) GO_ON(flx_switches_finish(b));
    if (!b->failed) GO_ON(check_content(b));
    if (!b->failed) FLX_TRY(flx_numbers_finish(b->m));
    return b->failed ? FLX_ERR_MODEL : FLX_OK;
}

// What the model owns beside its arena.
static void clear(flx_model *m)
{
    for (int i = 0; i < m->nfmu; i++) {
        if (m->fmus[i].live) {
            flx_fmu_live_leave(m->fmus[i].live);
        } else {
            flx_fmu_info_destroy(&m->fmus[i].info);
        }
    }
    m->nfmu = 0;
    flx_structure_destroy(&m->fe.structure);
    flx_symmetric_clear(&m->fe.K);
    flx_symmetric_clear(&m->fe.M);
    flx_free(m->surfaces);
    m->surfaces = NULL;
    flx_free(m->limits);
    m->limits = NULL;
    for (int i = 0; i < m->nforce; i++) flx_program_destroy(&m->forces[i].elastic);
    flx_numbers_destroy(&m->numbers);
    flx_graph_destroy(&m->graph);
}

// open: NULL, or the parameters that are open.
static flx_status build_once(const flx_model *head, const flx_builder *from, flx_open_set *open,
                             const flx_entry *tree, flx_model *m)
{
    flx_builder b = *from;
    *m = *head;
    b.m = m;
    b.open = open;
    m->graph = b.g = flx_graph_create(b.ctx);
    b.scratch = flx_arena_create(b.ctx);
    if (open) flx_open_start(open, b.g);
    flx_status status = m->graph && b.scratch ? build(&b, tree) : FLX_ERR_MEMORY;
    // programs of forces that have not become the model's
    for (int i = 0; status != FLX_OK && m->nforce == 0 && i < b.forces.count; i++) {
        flx_force_data *d = b.forces.items[i]->data;
        if (d) flx_program_destroy(&d->def.elastic);
    }
    flx_arena_destroy(&b.scratch);
    if (status != FLX_OK) clear(m);
    return status;
}

// Derivatives are by parameters that are open.
static bool has_sensitivity(const flx_entry *tree)
{
    const flx_entry *analyses = flx_entry_get(tree, "analyse");
    for (int i = 0; analyses && analyses->kind == FLX_ENTRY_MAP && i < analyses->count; i++) {
        const flx_entry *type = flx_entry_get(analyses->items[i], "type");
        if (type && type->text && strcmp(type->text, "sensitivity") == 0) return true;
    }
    return false;
}

flx_status flx_model_build(flx_ctx *ctx, const char *path, const char *text, size_t length,
                           const flx_entry *tree, const flx_reader *reader,
                           const flx_read_def *asked, flx_arena *arena, flx_model **model)
{
    *model = NULL;
    FLX_TRY(flx_schema_check(ctx, tree));
    flx_model *m = flx_arena_take(arena, 1, sizeof *m);
    atomic_int *users = flx_arena_take(arena, 1, sizeof *users);
    if (!m || !users) return FLX_ERR_MEMORY;
    const flx_model head = {.users = users,
                            .ctx = ctx,
                            .arena = arena,
                            .path = path,
                            .text = text,
                            .text_length = length};
    flx_open_set set = {.exported = asked->exported};
    flx_open_set *open =
        asked->nopen != 0 || asked->exported || has_sensitivity(tree) ? &set : NULL;
    // what was found holds for these parameters alone
    if (reader->known && !asked->exported) open = NULL;
    flx_beam_marks marks = {0};
    flx_carried carried = {0};
    const flx_builder b = {.ctx = ctx,
                           .reader = reader,
                           .marks = &marks,
                           .carried = &carried,
                           .asked = asked,
                           .known = reader->known};
    flx_status status = build_once(&head, &b, open, tree, m);
    // every time one parameter less is open, more places are nodes, or more variables are carried
    while (status == FLX_OK && (set.changed || marks.changed || carried.changed)) {
        clear(m);
        marks.changed = carried.changed = false;
        status = build_once(&head, &b, open, tree, m);
    }
    flx_open_clear(&set);
    flx_free(marks.marks);
    flx_free(carried.names);
    if (status == FLX_OK) *model = m;
    return status;
}

flx_status flx_simulate_read(flx_ctx *ctx, int n, flx_option *options, flx_simulate *out)
{
    flx_entry nodes[2 * FLX_MOST_OPTIONS], *pairs[2 * FLX_MOST_OPTIONS];
    for (int i = 0; i < n; i++) {
        pairs[i] = nodes + i;
        pairs[n + i] = nodes + n + i;
        *pairs[i] = (flx_entry){.text = options[i].key, .written = options[i].key};
        *pairs[n + i] = (flx_entry){.text = options[i].value, .written = options[i].value};
    }
    flx_entry head[] = {{.text = "flexion", .written = "flexion"},
                        {.text = "simulate", .written = "simulate"},
                        {.text = "1", .written = "1"},
                        {.kind = FLX_ENTRY_MAP, .count = n, .keys = pairs, .items = pairs + n}};
    flx_entry *keys[] = {head, head + 1}, *items[] = {head + 2, head + 3};
    flx_entry tree = {.kind = FLX_ENTRY_MAP, .count = 2, .keys = keys, .items = items};
    const flx_read_def asked = {0};
    FLX_TRY(flx_schema_renew(ctx, &tree));
    for (int i = 0; i < n; i++) options[i].key = nodes[i].text;
    FLX_TRY(flx_schema_check(ctx, &tree));
    flx_model m = {.ctx = ctx, .arena = flx_arena_create(ctx), .graph = flx_graph_create(ctx)};
    flx_builder b = {.ctx = ctx, .m = &m, .g = m.graph, .scratch = m.arena, .asked = &asked};
    flx_status status = m.arena && m.graph ? make_top(&b, &tree) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_simulate_finish(&b);
    *out = m.simulate;
    clear(&m);
    flx_arena_destroy(&m.arena);
    return status;
}

// ---- the model's life ---------------------------------------------------------------------------

static void destroy_handle(flx_model *m)
{
    flx_description_destroy(&m->description);
    if (m->core) m->core->handle = NULL;
    flx_model_destroy(&m->core);
    flx_free(m);
}

void flx_model_destroy(flx_model **model)
{
    if (!model || !*model) return;
    flx_model *m = *model;
    *model = NULL;
    if (m->description) {
        destroy_handle(m);
        return;
    }
    if (m->users && atomic_fetch_sub(m->users, 1) > 0) return; // others hold it
    flx_arena *arena = m->arena;                               // holds the model itself
    if (!m->varied) clear(m);
    flx_arena_destroy(&arena);
}

int flx_model_unavailable_count(const flx_model *model)
{
    if (!model) return 0;
    return model->nunavailable;
}

const char *flx_model_unavailable(const flx_model *model, int i, flx_loc *loc)
{
    if (!model) return NULL;
    if (i < 0 || i >= model->nunavailable) return NULL;
    if (loc) *loc = model->unavailable[i].loc;
    return model->unavailable[i].what;
}

const char *flx_model_text(const flx_model *model)
{
    if (!model) return NULL;
    return model->text;
}

const char *flx_model_title(const flx_model *model)
{
    if (!model) return NULL;
    return model->title;
}
