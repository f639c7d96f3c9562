// flexion/base.h - status, messages and the context that everything is created in.
//
// Every failure returns a status and leaves a message for a person in the context, with
// file:line:column where a model file is at fault, and the path of the item in the model.
#pragma once

#include "flexion/version.h"

#include <stddef.h>
#include <string.h>

#if defined(__GNUC__)
#define FLX_API __attribute__((visibility("default")))
#define FLX_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define FLX_API
#define FLX_PRINTF(fmt, args)
#endif

// type_default(): all members zero but `size`. It is compiled into the program, so that the size is that of the
// program's headers, whatever the library is.
#define FLX_DEFAULT_OF(type)                                                                       \
    static inline type type##_default(void)                                                        \
    {                                                                                              \
        type def;                                                                                  \
        memset(&def, 0, sizeof def);                                                               \
        def.size = sizeof def;                                                                     \
        return def;                                                                                \
    }

#ifdef __cplusplus
extern "C" {
#endif

// Negative: the input or the machine is at fault and the call cannot succeed.
// Positive: the numbers did not work out; a smaller step or another start may help.
#define FLX_STATUS_LIST(X)                                                                         \
    X(FLX_OK, 0, "done")                                                                           \
    X(FLX_ERR_MEMORY, -1, "out of memory")                                                         \
    X(FLX_ERR_IO, -2, "a file could not be read or written")                                       \
    X(FLX_ERR_MODEL, -3, "the model is wrong")                                                     \
    X(FLX_ERR_UNAVAILABLE, -4, "not supported yet")                                                \
    X(FLX_ERR_ARGUMENT, -5, "an argument is wrong")                                                \
    X(FLX_ERR_CANNOT, -6, "this system cannot do what the method needs")                           \
    X(FLX_NO_CONVERGENCE, 1, "the iteration did not converge")                                     \
    X(FLX_SINGULAR, 2, "a matrix is singular")                                                     \
    X(FLX_STEP_TOO_SMALL, 3, "the step became too small")                                          \
    X(FLX_NOT_FINITE, 4, "a value is not finite")                                                  \
    X(FLX_TOO_MANY_STEPS, 5, "too many steps")                                                     \
    X(FLX_INCONSISTENT, 6, "the constraints cannot be satisfied")                                  \
    X(FLX_INTERRUPTED, 7, "interrupted")                                                           \
    X(FLX_STOPPED, 8, "an event ended the motion")

typedef enum flx_status {
#define X(name, value, text) name = value,
    FLX_STATUS_LIST(X)
#undef X
} flx_status;

// A place in a model file. file is NULL where no file is at fault.
typedef struct flx_loc {
    const char *file; // interned in the context
    int line, column; // counted from 1
    const struct flx_trail
        *trail; // where it is in the description; NULL in messages, which have its path
} flx_loc;

#define FLX_NOWHERE ((flx_loc){NULL, 0, 0, NULL})

// One message.
typedef struct flx_message {
    flx_status status;  // FLX_OK for a warning or a note
    flx_loc loc;        // place in the model file, or nowhere
    const char *text;   // one or more lines for a person; owned by the context
    const char *c_file; // where in our source it was recorded
    int c_line;
    const char *path; // of what is at fault in the model, "bodies.rod.inertia"; "": nothing of it
} flx_message;

// The context owns memory accounting, interned strings and messages. One per thread of control.
typedef struct flx_ctx flx_ctx;

// NULL when memory is exhausted.
FLX_API flx_ctx *flx_ctx_create(void);
FLX_API void flx_ctx_destroy(flx_ctx **ctx);

// Messages recorded so far. At most FLX_MAX_ERRORS errors are kept; the rest are counted.
#define FLX_MAX_ERRORS 20
FLX_API int flx_ctx_error_count(const flx_ctx *ctx);
FLX_API const flx_message *flx_ctx_error(const flx_ctx *ctx, int i); // NULL when out of range
FLX_API int flx_ctx_warning_count(const flx_ctx *ctx);
FLX_API const flx_message *flx_ctx_warning(const flx_ctx *ctx, int i);
FLX_API void flx_ctx_clear_messages(flx_ctx *ctx);

// Number of allocations made through the context since it was created; a test holds it still
// across the time loop. fail_at >= 0 makes the allocation of that number fail (for tests).
FLX_API long flx_ctx_allocation_count(const flx_ctx *ctx);
FLX_API void flx_ctx_fail_allocation(flx_ctx *ctx, long fail_at);

// What a method or a system of one's own has to say of its failure; returns the status.
FLX_API flx_status flx_ctx_complain(flx_ctx *ctx, flx_status status, const char *text);

// A walk over what an object remembers, which counts, saves or loads it: for those who write methods and
// systems. Pass every number that the next step depends on; while loading they are overwritten.
typedef struct flx_memory flx_memory;
FLX_API void flx_memory_pass(flx_memory *m, void *data, size_t size);
// What a status means, in a few words: "no memory".
FLX_API const char *flx_status_text(flx_status status);

// Of the library, such as "0.1.0"; FLX_VERSION is that of the headers.
FLX_API const char *flx_version(void);

// A function of the program that uses the library, y = f(x_1, ..., x_n): see flx_model_bind. slopes (n): the derivatives
// by the arguments, or NULL where they are not asked for. Returns one of the words below; a failure is a value that is
// no number, which a run reports. Its value depends on x alone, and threads may call it at once.
enum { FLX_FUNCTION_FAILED = -1, FLX_FUNCTION_VALUE = 0, FLX_FUNCTION_SLOPES = 1 };
typedef int (*flx_function_callback)(void *user, int n, const double *x, double *y, double *slopes);

#ifdef __cplusplus
}
#endif
