// page_template.h - the page without its data, made from viewer/ when the program is built.
#pragma once

// NULL: the program was built without it.
extern const char *const flx_page_template;
// The page of the workbench, likewise.
extern const char *const flx_studio_template;

// A file that an example of the gallery needs beside itself: "human/man.yaml".
typedef struct flx_example_file {
    const char *example; // the model's name
    const char *path;    // of the file, from the folder of the model
    const char *text;
} flx_example_file;
// Ends by one without a name.
extern const flx_example_file flx_example_files[];
