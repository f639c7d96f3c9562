// report_parts.h - the tables of a report (report_tables.c), put into its page (report.c).
#pragma once

#include "base/text.h"
#include "results/result.h"

void flx_report_html(flx_text *t, const char *text); // escaped
// Whether the run is to be trusted; notes and errors it left.
void flx_report_verdict(flx_text *t, const flx_result *r);
void flx_report_notes(flx_text *t, const flx_result *r);
// Bodies, joints and forces.
void flx_report_summary(flx_text *t, const flx_result *r);
// Facts whose name begins with the prefix; "": those of the run itself.
void flx_report_facts(flx_text *t, const flx_result *r, const char *title, const char *prefix);
void flx_report_signals(flx_text *t, const flx_result *r);
void flx_report_events(flx_text *t, const flx_result *r);
