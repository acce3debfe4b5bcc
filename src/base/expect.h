/* Which way almost every run takes: the compiler keeps that one straight, and moves the other away.
 * Use it only where a profile shows a gain. */
#ifndef PL_BASE_EXPECT_H
#define PL_BASE_EXPECT_H

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

#endif
