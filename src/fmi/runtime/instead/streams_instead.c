// streams_instead.c - the standard streams, as libraries inside an FMU see them: there are none. Static libraries that were
// not made for shared ones can name nothing but what is here. No header of C may be included: it declares other types.
void *stdin, *stdout, *stderr;

int printf(const char *format, ...);
int printf(const char *format, ...)
{
    (void)format;
    return 0;
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

void *malloc(unsigned long size);
void free(void *p);
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
_Noreturn void qh_exit(int code);
_Noreturn void qh_exit(int code)
{
    (void)code;
    for (;;) {
    }
}

// What Qhull prints, and how it would present hulls that are printed: 100 kB that nobody sees. Ours are read from its lists.
#define NOTHING(name)                                                                              \
    void name(qhT *qh);                                                                            \
    void name(qhT *qh)                                                                             \
    {                                                                                              \
        (void)qh;                                                                                  \
    }
NOTHING(qh_copyfilename)
NOTHING(qh_prepare_output)
NOTHING(qh_printafacet)
NOTHING(qh_printbegin)
NOTHING(qh_printend)
NOTHING(qh_printfacet)
NOTHING(qh_printneighborhood)
NOTHING(qh_printpoint)
NOTHING(qh_printpointid)
NOTHING(qh_printridge)
NOTHING(qh_printvertex)
NOTHING(qh_printvertexlist)
NOTHING(qh_produce_output)
NOTHING(qh_setfeasible)
NOTHING(qh_skipfilename)
