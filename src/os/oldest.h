/* What the libraries inside a program may ask of glibc: nothing newer than 2.28, so that they load
 * in older images than the one they are built on.
 *
 * The linker takes the newest version of a symbol. Those that glibc moved or renamed since, and
 * that still do the same, are asked for by their oldest version here; a name that is not used
 * leaves no mark. The build includes this in front of each file of src/preload and src/recorder.
 * What has no old name is in os/stat.h; tools/check-glibc.py looks at the result.
 */
#ifndef PL_OS_OLDEST_H
#define PL_OS_OLDEST_H

#if defined(__x86_64__)
#define GLIBC_FIRST "GLIBC_2.2.5"
#define GLIBC_2_3_3 "GLIBC_2.3.3"
#elif defined(__aarch64__)
#define GLIBC_FIRST "GLIBC_2.17"
#define GLIBC_2_3_3 GLIBC_FIRST
#endif

#if defined(GLIBC_FIRST)
#define OLDEST(name, old) __asm__(".symver " #name ", " #old "@" GLIBC_FIRST)
/* 2.34: from libdl and libpthread into libc */
OLDEST(dladdr, dladdr);
__asm__(".symver dladdr1, dladdr1@" GLIBC_2_3_3);
OLDEST(dlerror, dlerror);
OLDEST(dlopen, dlopen);
OLDEST(dlsym, dlsym);
OLDEST(pthread_getspecific, pthread_getspecific);
OLDEST(pthread_key_create, pthread_key_create);
OLDEST(pthread_key_delete, pthread_key_delete);
#ifndef PL_OWN_SETSPECIFIC /* the preload takes its place */
OLDEST(pthread_setspecific, pthread_setspecific);
#endif
/* 2.38: C23's, which also take 0b1 */
OLDEST(__isoc23_strtol, strtol);
OLDEST(__isoc23_strtoul, strtoul);
OLDEST(__isoc23_strtoull, strtoull);
#undef OLDEST
#endif

#endif
