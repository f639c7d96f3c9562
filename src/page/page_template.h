// page_template.h - the page without its data, made from viewer/ when the program is built.
#pragma once

// NULL: the program was built without it.
extern const char *const flx_page_template;
// The page of the workbench, likewise.
extern const char *const flx_studio_template;
