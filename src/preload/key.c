/* pthread_setspecific: the one call that CPython 3.11 makes in every new thread, whoever made it,
 * before its first frame; and one that every CPython up to 3.14 makes while it is being
 * initialised. pthread_getattr_np: one that 3.15 makes then. */
#define _GNU_SOURCE
#include "preload/hook.h"
#include "preload/preload.h"

PRELOAD_EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
	int err = originals()->setspecific(key, value);
	key_hook *hook = atomic_load_explicit(&preload.on_key, memory_order_acquire);

	if (value && err == 0 && !hook_meet(__builtin_return_address(0), false) && hook)
		hook(key, value);
	return err;
}

PRELOAD_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
	int err = originals()->getattr_np(thread, attributes);

	hook_meet(__builtin_return_address(0), true);
	return err;
}
