/* Addresses of functions and variables in another process, by the dynamic symbols of what its
 * loader has mapped. Its memory is read, not its files: those may be deleted, or be others in its
 * mount namespace. What is read is hostile. */
#ifndef PL_ATTACH_SYMBOLS_H
#define PL_ATTACH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read the memory of a process whole; false: not all of it can be read. */
bool memory_read(int pid, uint64_t at, void *to, size_t bytes);
bool memory_write(int pid, uint64_t at, const void *from, size_t bytes);
/* The address of a symbol in the ELF object that is mapped at `base`; 0: it has none. */
uint64_t symbol_find(int pid, uint64_t base, const char *name);

#endif
