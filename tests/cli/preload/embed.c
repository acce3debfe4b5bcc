/* A program with an interpreter in it, which comes by LD_PRELOAD, that runs no program. */
#pragma weak Py_InitializeEx
#pragma weak Py_FinalizeEx
void Py_InitializeEx(int handle_signals);
int Py_FinalizeEx(void);

int main(void)
{
	if (!Py_InitializeEx)
		return 2;
	Py_InitializeEx(0);
	return Py_FinalizeEx() < 0;
}
