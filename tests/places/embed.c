/* A program that embeds Python, as its arguments say. What of Python it calls it looks up, so that
 * one program serves all versions, linked to a libpython or loading it late.
 *
 *	embed LIBRARY global|local HOW TIMES TEXT...
 *
 * LIBRARY: to be loaded by dlopen; "": it is linked. HOW: string (each TEXT is run), isolated (so,
 * with an isolated configuration), file (each TEXT is a file to run), import (each TEXT is a
 * module's name), threads (each TEXT is run by a thread of C). It initialises and ends Python so
 * many TIMES. A failure is the exit code.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library = RTLD_DEFAULT;

#define PYTHON(result, name, ...) ((result(*)(__VA_ARGS__))find(name))

static void *find(const char *name)
{
	void *found = dlsym(library, name);

	if (!found) {
		fprintf(stderr, "embed: no %s\n", name);
		exit(9);
	}
	return found;
}

/* PyStatus, from 3.8 on. */
struct status {
	int kind;
	const char *function, *message;
	int code;
};

static int initialize_isolated(void)
{
	static char config[4096]; /* PyConfig has some 400 bytes */

	PYTHON(void, "PyConfig_InitIsolatedConfig", void *)(config);
	struct status done = PYTHON(struct status, "Py_InitializeFromConfig", const void *)(config);
	PYTHON(void, "PyConfig_Clear", void *)(config);
	return done.kind != 0;
}

static int run_string(const char *text)
{
	return PYTHON(int, "PyRun_SimpleStringFlags", const char *, void *)(text, NULL);
}

static int run_file(const char *name)
{
	FILE *f = fopen(name, "r");

	return f ? PYTHON(int, "PyRun_SimpleFileExFlags", FILE *, const char *, int, void *)(
			   f, name, 1, NULL)
		 : 8;
}

static int run_import(const char *name)
{
	return PYTHON(void *, "PyImport_ImportModule", const char *)(name) ? 0 : 7;
}

static void *in_thread(void *text)
{
	int held = PYTHON(int, "PyGILState_Ensure", void)();
	long failed = run_string(text);

	PYTHON(void, "PyGILState_Release", int)(held);
	return (void *)failed;
}

static int run_thread(const char *text)
{
	void *saved = PYTHON(void *, "PyEval_SaveThread", void)(), *failed = NULL;
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, (void *)text) == 0)
		pthread_join(thread, &failed);
	PYTHON(void, "PyEval_RestoreThread", void *)(saved);
	return failed != NULL;
}

static int run(const char *how, const char *text)
{
	if (strcmp(how, "file") == 0)
		return run_file(text);
	if (strcmp(how, "import") == 0)
		return run_import(text);
	if (strcmp(how, "threads") == 0)
		return run_thread(text);
	return run_string(text);
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 5)
		return 2;
	if (*argv[1])
		library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "local") ? RTLD_GLOBAL : 0));
	if (*argv[1] && !library) {
		fprintf(stderr, "embed: %s\n", dlerror());
		return 3;
	}
	for (int times = atoi(argv[4]); times > 0; times--) {
		if (strcmp(argv[3], "isolated") == 0)
			failed |= initialize_isolated();
		else
			PYTHON(void, "Py_Initialize", void)();
		for (int i = 5; i < argc; i++)
			failed |= run(argv[3], argv[i]);
		failed |= PYTHON(int, "Py_FinalizeEx", void)();
	}
	return failed;
}
