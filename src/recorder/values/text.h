/* Texts of the program as UTF-8, read in place: PyUnicode_AsUTF8 would keep a copy in each str. */
#ifndef PL_RECORDER_VALUES_TEXT_H
#define PL_RECORDER_VALUES_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/compat/python.h"

/* 3.11 still has strs of the old C API that are not ready: nothing is known of these. */
bool text_is_ready(PyObject *str);

/* Write at most `chars` characters of a str, and at most `room` bytes, whole characters only, as
 * Python's surrogatepass does. Returns the bytes written. */
size_t text_encode(uint8_t *to, size_t room, PyObject *str, size_t chars);

/* The same for the characters from `from` on, before `end`. */
size_t text_encode_part(uint8_t *to, size_t room, PyObject *str, size_t from, size_t end);

/* The bytes of the first `chars` characters of a text, or of all. */
size_t text_cut(const uint8_t *text, size_t length, size_t chars);

/* As many bytes of a text as are at most `most`, in whole characters. */
size_t text_whole(const char *text, size_t length, size_t most);

/* The text itself if it is ASCII, else NULL. */
const char *text_ascii(PyObject *str, size_t *length);

#endif
