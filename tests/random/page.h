// page.h - text that is being written.
#pragma once

#include "table.h"

#define LINES 64
#define LINE 2400

typedef struct page {
    const spec *s;
    char *text; // all of it
    size_t n, room;
    int nline; // of the section that is being written
    char (*lines)[LINE];
    int nevent;
    char (*events)[LINE];
} page;

// printf at the end of a line
__attribute__((format(printf, 2, 3))) void put(char *line, const char *format, ...);
char *new_line(page *p);
void put_vector(const page *p, char *line, v3 a);
void put_body(char *line, int body);
// A place of joint or force number i, side k.
void write_mesh_body(const page *p, char *line, const spec_body *b);
void write_solid(const page *p, char *line, const spec_body *b);
void write_orientation(const page *p, char *line, m33 R);
void put_place(const page *p, char *line, char kind, int i, int k, int body, v3 at);
void put_time(const page *p, char *line); // of the original model, in the units of this one
void put_between(const page *p, char *line, int i); // bodies and places of force i
void begin_section(page *p, const char *title);
void end_section(page *p, uint64_t salt); // salt: another order for each section

void write_functions(page *p);
void write_force(page *p, int i);
void write_line(page *p, char *line,
                int i); // of a cable, a muscle, a tyre, a load, a spring by a law
void write_inputs(page *p);
