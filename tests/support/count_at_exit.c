// count_at_exit.c - in a build that counts lines, processes that end by _exit write what they have counted: the work of
// flexion studio is done in such. Linked with --wrap=_exit.
#include <unistd.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

_Noreturn void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}
