// page_template_absent.c - in the place of the page where it could not be built.
#include "page/page_template.h"

#include <stddef.h>

const char *const flx_page_template = NULL;
const char *const flx_studio_template = NULL;
const flx_example_file flx_example_files[] = {{0}};
