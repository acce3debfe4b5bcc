/* Names of Rust as its older mangling leaves them after a demangler of C++:
 *
 *	app::work::h0123456789abcdef                       -> app::work
 *	_$LT$app..Job$u20$as$u20$core..Run$GT$::go::h01…    -> <app::Job as core::Run>::go
 *
 * Pure.
 */
#ifndef PL_SOURCE_RUST_NAME_H
#define PL_SOURCE_RUST_NAME_H

/* In place; what is no such name stays. */
void rust_name(char *name);

#endif
