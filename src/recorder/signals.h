/* Fatal signals (signals.c). */
#ifndef PL_RECORDER_SIGNALS_H
#define PL_RECORDER_SIGNALS_H

/* The handlers of fatal signals write where their thread is, and then do what they did before. */
void signals_install(void);
void signals_remove(void);

#endif
