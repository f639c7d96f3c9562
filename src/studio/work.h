// work.h - what the processes beside the server do. Each reads the model from a text, as if it were the file at `path`, and
// tells the server what it found, in JSON.
#pragma once

#include "flexion/flexion.h"
#include "studio/job.h"

typedef struct flx_chore {
    const char *path;    // of the model
    const char *text;    // of the model
    const char *scratch; // a folder for files that nobody keeps
    const char *option;  // of an analysis or a study its name, of what is live its number; else ""
} flx_chore;

// One message "answer": {"messages", "summary", "ports", "data"}.
void flx_work_check(flx_desk *d, void *chore);
// Messages "progress", then "result" (data of the page) and "done"; a line "stop" ends it.
void flx_work_run(flx_desk *d, void *chore);
// Messages "ready", "frame", "note" and, when it ends, "done"; lines are commands (work_live.c).
void flx_work_live(flx_desk *d, void *chore);
// An analysis of the model by its name, or "@modes", "@equilibrium", "@rest" for modes about it, "@frequency:FROM:TO:SIGNAL": messages "result", where it is a motion, and "done".
void flx_work_analyse(flx_desk *d, void *chore);
// Many runs (work_study.c): messages "progress", in runs, and "done" with a table.
void flx_work_study(flx_desk *d, void *chore);
// A robot file beside the model, by its plain name: message "done" with the text of a model.
void flx_work_import(flx_desk *d, void *chore);

// ---- shared (work.c) --------------------------------------------------------------------------------

// [{"line", "column", "text", "path", "error"}]; file: only of other files.
void flx_work_put_messages(flx_text *t, flx_ctx *ctx, const char *path);
// The model; open: its parameters can be set, else all is as the program reads it. The messages of why not are in the context.
flx_status flx_work_read(flx_ctx *ctx, const flx_chore *task, bool open, flx_model **model);
// A file of the scratch folder; the caller frees it. NULL: no memory.
char *flx_work_scratch(const flx_chore *task, const char *name);
// A file beside the model, named after it: "models/crank.yaml" and ".h5" are "models/crank.h5"; the caller frees it.
char *flx_work_beside(const flx_chore *task, const char *ending);
// What an analysis of this type found (work_findings.c): members of an object that is open.
void flx_work_put_finding(flx_text *t, const flx_simulation *sim, const char *type,
                          const flx_finding *f);
// What a result file holds, as data for the page.
flx_status flx_work_put_result(flx_ctx *ctx, const char *path, const char *label, flx_text *t);
