/* Does the running interpreter have the layout for which this recorder was compiled?
 *
 * The recorder reads frames, code objects and thread states in place. A minor version keeps their
 * layout by custom, not by promise, and builds differ (debug, trace-refs, a distribution's
 * patches). So before anything is read, and before anything of the interpreter is changed:
 *
 *   1. the version    same minor, a final release, the GIL, no debug build
 *   2. the offsets    what _PyRuntime says about itself (_Py_DebugOffsets, 3.13 and later), for
 *                     each field and size in use; in all versions the sizes of the types that end
 *                     in what we read
 *   3. a live frame   a Python function of the interpreter itself calls us back: all that we read
 *                     of its frame and code is compared with what the API says about them
 *
 * Only fields in use are compared: 3.13.1 has another interpreter state than 3.13.0, and is still
 * recorded.
 */
#ifndef PL_RECORDER_LAYOUT_H
#define PL_RECORDER_LAYOUT_H

/* With the GIL, and no error set. 0; or -1 with *why, a static text that says what differs. The
 * program's own trace functions and monitoring tools do not see the call. */
int layout_check(const char **why);

#endif
