/* pthread_setspecific: the one call that CPython 3.11 makes in every new thread, whoever made it, before its first frame. */
#include "preload/preload.h"

PRELOAD_EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
	int err = originals()->setspecific(key, value);
	key_hook *hook = atomic_load_explicit(&preload.on_key, memory_order_acquire);

	if (hook && value && err == 0)
		hook(key, value);
	return err;
}
