// plugins.c - `--plugin FILE.so`: external functions of models, by the names of their symbols.
//
// The model file names a function and nothing more: what is taken lies in the plugin itself, never in a library that
// the plugin needs, so that no model can reach a function of the C library.
#define _GNU_SOURCE // dladdr1
#include "cli/plugins.h"
#include "cli/cli.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16

static struct {
    const char *path;
    void *library; // stays open: a run may use it to the end
} plugins[MOST];
static int nplugin;

bool cli_plugin_open(const char *command, const char *path)
{
    char *beside = NULL;
    for (int i = 0; i < nplugin; i++) {
        if (strcmp(plugins[i].path, path) == 0) return true;
    }
    if (nplugin == MOST) {
        cli_complain(command, "at most %d plugins", MOST);
        return false;
    }
    if (!strchr(path, '/')) { // a file of this folder, not a library of the system
        beside = malloc(strlen(path) + 3);
        if (!beside) return false;
        memcpy(beside, "./", 3);
        strcat(beside, path);
    }
    void *library = dlopen(beside ? beside : path, RTLD_NOW | RTLD_LOCAL);
    free(beside);
    if (!library) {
        cli_complain(command, "the plugin cannot be loaded: %s", dlerror());
        return false;
    }
    plugins[nplugin].path = path;
    plugins[nplugin++].library = library;
    return true;
}

// Whether the symbol is a function of this very library.
static bool is_own_function(void *library, void *symbol)
{
    struct link_map *map = NULL;
    const ElfW(Sym) *entry = NULL;
    Dl_info info;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return false;
    if (!dladdr1(symbol, &info, (void **)&entry, RTLD_DL_SYMENT) || !entry) return false;
    return (uintptr_t)info.dli_fbase == (uintptr_t)map->l_addr && (entry->st_info & 15) == STT_FUNC;
}

static flx_function_callback find(const char *name)
{
    if (name[0] == '_') return NULL; // of the loader and the compiler
    for (int i = 0; i < nplugin; i++) {
        void *symbol = dlsym(plugins[i].library, name);
        if (!symbol || !is_own_function(plugins[i].library, symbol)) continue;
        flx_function_callback call;
        memcpy(&call, &symbol, sizeof call); // POSIX: a symbol is a function's address
        return call;
    }
    return NULL;
}

flx_status cli_bind_plugins(flx_model *model)
{
    const char *name;
    for (int i = 0; nplugin > 0 && (name = flx_model_external(model, i, NULL, NULL)); i++) {
        flx_function_callback call = find(name);
        if (!call) continue; // where it is needed, it is told as not bound
        flx_status status = flx_model_bind(model, name, call, NULL);
        if (status != FLX_OK) return status;
    }
    return FLX_OK;
}

flx_status cli_model_read_by(flx_ctx *ctx, const char *path, const flx_read_def *def,
                             flx_model **model)
{
    flx_status status = flx_model_read_by(ctx, path, def, model);
    if (status == FLX_OK) status = cli_bind_plugins(*model);
    if (status != FLX_OK) flx_model_destroy(model);
    return status;
}

flx_status cli_model_read(flx_ctx *ctx, const char *path, int nset, const char *const *settings,
                          flx_model **model)
{
    flx_status status = flx_model_read(ctx, path, nset, settings, model);
    if (status == FLX_OK) status = cli_bind_plugins(*model);
    if (status != FLX_OK) flx_model_destroy(model);
    return status;
}

const char *cli_plugin(int i)
{
    return i < nplugin ? plugins[i].path : NULL;
}
