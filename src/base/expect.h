/* Which way nearly all go: the compiler keeps that one straight, and puts the code of the other
 * aside. Only where a profile shows it. */
#ifndef PL_BASE_EXPECT_H
#define PL_BASE_EXPECT_H

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

#endif
