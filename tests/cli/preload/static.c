/* A program without a loader: prints its environment. */
#include <stdio.h>

int main(int argc, char **argv, char **env)
{
	(void)argc;
	(void)argv;
	while (*env)
		puts(*env++);
	return 0;
}
