// abaqus_assembly.c - parts and their instances: the text of a part is read again for each of its instances,
// with numbers of their own. Numbers of the first instance are those of the file; those of the next ones, and
// of nodes of the assembly itself, begin above them, at a round number.
#include "math/small.h"
#include "read/abaqus/abaqus_parts.h"

#include <math.h>
#include <string.h>

// Above all numbers so far.
static flx_status free_offset(const flx_abaqus *r, int *offset)
{
    int64_t largest = 0, step = 10;
    for (int i = 0; i < r->s->nnode; i++) {
        if (r->s->label[i] > largest) largest = r->s->label[i];
    }
    for (int i = 0; i < r->s->nelement; i++) {
        if (r->s->elements[i].label > largest) largest = r->s->elements[i].label;
    }
    while (step <= largest / 10) step *= 10;
    int64_t next = largest == 0 ? 0 : (largest / step + 1) * step;
    if (next > INT32_MAX / 2) {
        return ABAQUS_FAIL(r, r->number, "the numbers of the instances are too large");
    }
    *offset = (int)next;
    return FLX_OK;
}

flx_status flx_abaqus_number_scope(flx_abaqus *r)
{
    if (r->scope > 0 || r->numbered) return FLX_OK;
    r->numbered = true;
    return r->nscope > 1 ? free_offset(r, &r->scopes[0].offset) : FLX_OK;
}

flx_status flx_abaqus_start_part(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name;
    FLX_TRY(flx_abaqus_need(r, k, "NAME", &name));
    if (r->replaying || r->scope > 0) return ABAQUS_FAIL(r, k->line, "*PART within a part");
    flx_abaqus_part part = {.name = flx_abaqus_name(r, *name), .text = *r->scan};
    if (!part.name) return FLX_ERR_MEMORY;
    FLX_SCAN_GROW(r, r->parts, r->part_capacity, r->npart + 1);
    r->parts[r->npart++] = part;
    const char *text;
    int length;
    while (flx_scan_line(r->scan, &text,
                         &length)) { // passed over; *END PART may be written in many ways
        flx_abaqus_field f = {text, length};
        if (length > 0 && text[0] == '*' && flx_abaqus_is(f, "*END PART")) {
            flx_abaqus_next_line(r);
            return FLX_OK;
        }
    }
    return ABAQUS_FAIL(r, k->line, "*PART has no *END PART in its file");
}

flx_status flx_abaqus_end_part(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    if (!r->replaying) return ABAQUS_FAIL(r, k->line, "*END PART without *PART");
    r->replaying = false;
    FLX_TRY(flx_include_jump(&r->include, &r->back));
    flx_abaqus_next_line(r);
    return FLX_OK;
}

// ---- places -------------------------------------------------------------------------------------

static void place(const flx_abaqus_scope *s, double x[3])
{
    v3 p = v3_load(x);
    for (int i = 0; i < 3; i++) x[i] = s->shift[i] + v3_dot(v3_load(s->turn + 3 * i), p);
}

void flx_abaqus_place(const flx_abaqus *r, double x[3])
{
    if (r->system.name) place(&r->system, x);
    if (r->scope > 0) place(r->scopes + r->scope, x);
}

// Its origin, a place on its x, one in its plane x, y. The origin alone shifts; two places turn about z. Without
// any the coordinates are again those of the part, or of the file.
flx_status flx_abaqus_system(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    static const flx_abaqus_scope along = {.name = "", .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double v[9] = {0};
    int n = 0, third = 0;
    r->system.name = NULL;
    if (!flx_abaqus_next_data(r)) return FLX_OK;
    FLX_TRY(flx_abaqus_numbers(r, 6, "a coordinate", v, &n));
    if (flx_abaqus_next_data(r)) {
        FLX_TRY(flx_abaqus_numbers(r, 3, "a coordinate", v + 6, &third));
        FLX_TRY(flx_abaqus_pass(r));
    }
    r->system = along;
    memcpy(r->system.shift, v, sizeof r->system.shift);
    if (n > 4) { // a comma after three is no fourth
        v3 o = v3_load(v), x = v3_sub(v3_load(v + 3), o), z = {0, 0, 1};
        if (third > 0) z = v3_cross(x, v3_sub(v3_load(v + 6), o));
        v3 axis[3] = {x, v3_cross(z, x), z};
        for (int c = 0; c < 3; c++) {
            double size = v3_norm(axis[c]), e[3];
            if (!(size > 0)) {
                return ABAQUS_FAIL(r, k->line, "the places of *SYSTEM are on one line");
            }
            v3_store(e, v3_scale(1 / size, axis[c]));
            for (int i = 0; i < 3; i++) r->system.turn[3 * i + c] = e[i];
        }
    }
    return FLX_OK;
}

// Shift, and then a turn by degrees about the axis through two places.
static flx_status read_place(flx_abaqus *r, flx_abaqus_scope *scope)
{
    double v[7] = {0};
    int n;
    const double still[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(scope->turn, still, sizeof still);
    if (!flx_abaqus_next_data(r)) return FLX_OK;
    FLX_TRY(flx_abaqus_numbers(r, 3, "a shift", scope->shift, &n));
    if (!flx_abaqus_next_data(r)) return FLX_OK;
    FLX_TRY(flx_abaqus_numbers(r, 7, "an axis and an angle", v, &n));
    double e[3] = {v[3] - v[0], v[4] - v[1], v[5] - v[2]};
    double size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), angle = v[6] * FLX_PI / 180;
    if (!(size > 0)) return ABAQUS_FAIL(r, r->number, "the axis of the instance has no length");
    for (int i = 0; i < 3; i++) e[i] /= size;
    double c = cos(angle), s = sin(angle), from[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int other = 3 - i - j; // e~ has -e_k above its diagonal where i, j, k follow each other
            double cross = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * e[other];
            scope->turn[3 * i + j] = (i == j) * c + (1 - c) * e[i] * e[j] + s * cross;
        }
        from[i] = scope->shift[i] - v[i];
    }
    for (int i = 0; i < 3; i++) { // turn (x + shift - a) + a
        scope->shift[i] = v[i];
        for (int j = 0; j < 3; j++) scope->shift[i] += scope->turn[3 * i + j] * from[j];
    }
    flx_abaqus_next_line(r);
    return FLX_OK;
}

flx_status flx_abaqus_start_instance(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name, *part = flx_abaqus_option(k, "PART");
    flx_abaqus_scope scope = {0};
    char buffer[64];
    FLX_TRY(flx_abaqus_need(r, k, "NAME", &name));
    if (r->replaying || r->scope > 0) {
        return ABAQUS_FAIL(r, k->line, "*INSTANCE within a part or another instance");
    }
    if (flx_abaqus_option(k, "LIBRARY")) {
        return ABAQUS_FAIL(r, k->line, "an instance from the results of another run is not read");
    }
    FLX_TRY(free_offset(r, &scope.offset));
    if (!(scope.name = flx_abaqus_name(r, *name))) return FLX_ERR_MEMORY;
    int i = 1;
    while (i < r->nscope && !flx_abaqus_is(*name, r->scopes[i].name)) i++;
    if (i < r->nscope) {
        return ABAQUS_FAIL(r, k->line, "an instance named '%s' is there already", scope.name);
    }
    i = 0;
    while (part && i < r->npart && !flx_abaqus_is(*part, r->parts[i].name)) i++;
    if (part && i == r->npart) {
        return ABAQUS_FAIL(r, k->line, "no part is named '%s'",
                           flx_text_quote(part->text, part->length, buffer));
    }
    flx_scan at = *r->scan; // of the line that ends the data of the instance
    int depth = r->include.depth;
    FLX_TRY(read_place(r, &scope));
    FLX_SCAN_GROW(r, r->scopes, r->scope_capacity, r->nscope + 1);
    r->scope = r->nscope;
    r->scopes[r->nscope++] = scope;
    r->system.name = NULL;
    if (!part || !r->line) return FLX_OK;
    if (depth != r->include.depth) {
        return ABAQUS_FAIL(r, k->line, "the data of an instance cannot be in a file of their own");
    }
    // back to the keyword after the data, which is read again
    while (r->line != at.at && at.at < at.end) {
        flx_scan before = at;
        const char *text;
        int length;
        flx_scan_line(&at, &text, &length);
        if (text == r->line) {
            at = before;
            break;
        }
    }
    r->back = at;
    r->replaying = true;
    FLX_TRY(flx_include_jump(&r->include, &r->parts[i].text));
    flx_abaqus_next_line(r);
    return FLX_OK;
}

flx_status flx_abaqus_end_instance(flx_abaqus *r)
{
    r->scope = 0;
    r->system.name = NULL;
    flx_abaqus_next_line(r);
    return FLX_OK;
}
