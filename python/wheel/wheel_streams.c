// wheel_streams.c - the standard streams for static libraries that were not made for shared ones: they can name nothing but
// what is in this one. No header of C may be included: it declares other types.
void *dlsym(void *library, const char *name);
void abort(void);
void free(void *p);
void *malloc(unsigned long size);

#define OF_THE_PROCESS ((void *)-1) // RTLD_NEXT
__attribute__((visibility("hidden"))) void *stdin, *stdout, *stderr;

static void *stream(const char *name)
{
    void **found = dlsym(OF_THE_PROCESS, name);
    return found ? *found : 0;
}

__attribute__((constructor)) static void find_streams(void)
{
    stdin = stream("stdin");
    stdout = stream("stdout");
    stderr = stream("stderr");
}

typedef struct qhT qhT;
void qh_fprintf(qhT *qh, void *file, int code, const char *format, ...);
void qh_fprintf(qhT *qh, void *file, int code, const char *format, ...)
{
    (void)qh, (void)file, (void)code, (void)format;
}
void qh_fprintf_stderr(int code, const char *format, ...);
void qh_fprintf_stderr(int code, const char *format, ...)
{
    (void)code, (void)format;
}
void *qh_malloc(unsigned long size);
void *qh_malloc(unsigned long size)
{
    return malloc(size);
}
void qh_free(void *p);
void qh_free(void *p)
{
    free(p);
}
// Never reached: Qhull's failures go back to our call.
void qh_exit(int code);
void qh_exit(int code)
{
    (void)code;
    abort();
}

// Facts about a build name the library of BLAS.
char *openblas_get_config(void);
char *openblas_get_config(void)
{
    static char name[] = "reference BLAS";
    return name;
}
