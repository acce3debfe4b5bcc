/* What is taken for a secret: rows for secrets.c and for the manual (pathline-record(1), SECRETS).
 *
 *	X(phrase, place)
 *
 * A phrase is words of a name. A name is split where '_', '-', '.' or a digit stands and before the
 * capitals of camelCase; a space of the phrase is any such place, or none: "api key" is api_key,
 * apiKey, X-API-KEY and apikey. An s may follow the last word, except where `place` says ONE.
 *
 *	WORDS	the words stand anywhere in the name
 *	LAST	they are the end of the name
 *	WHOLE	they are all of the name
 *	ENDS	as WORDS, and other letters may be directly before them: authtoken
 *	INSIDE	as ENDS, and other letters may be directly after them: passwordhash
 *	ONE	and no s follows: in many programs tokens are what a parser reads
 */
#ifndef PL_RECORDER_SECRET_TABLE_H
#define PL_RECORDER_SECRET_TABLE_H

enum secret_place {
	SECRET_WORDS = 0,
	SECRET_LAST = 1,
	SECRET_WHOLE = 2,
	SECRET_ENDS = 4,
	SECRET_INSIDE = 12, /* ENDS, and more */
	SECRET_ONE = 16,
};

/* By their first letters. */
#define SECRET_PHRASES_A(X)                                                                        \
	X("access key", SECRET_WORDS)                                                              \
	X("access token", SECRET_WORDS)                                                            \
	X("account key", SECRET_WORDS)                                                             \
	X("api key", SECRET_ENDS)                                                                  \
	X("api token", SECRET_WORDS)                                                               \
	X("auth key", SECRET_WORDS)                                                                \
	X("auth token", SECRET_WORDS)                                                              \
	X("auth", SECRET_LAST | SECRET_ONE)                                                        \
	X("authorization", SECRET_WORDS)

#define SECRET_PHRASES_B(X) X("bearer", SECRET_WORDS)

#define SECRET_PHRASES_C(X)                                                                        \
	X("card number", SECRET_ENDS)                                                              \
	X("cookie jar", SECRET_WORDS)                                                              \
	X("cookie", SECRET_WORDS)                                                                  \
	X("cred", SECRET_WORDS)                                                                    \
	X("credential", SECRET_WORDS)                                                              \
	X("credit card", SECRET_WORDS)                                                             \
	X("csrf", SECRET_WORDS)                                                                    \
	X("cvc", SECRET_WORDS)                                                                     \
	X("cvv", SECRET_WORDS)

#define SECRET_PHRASES_E(X) X("encryption key", SECRET_WORDS)

#define SECRET_PHRASES_J(X) X("jwt", SECRET_WORDS)

#define SECRET_PHRASES_L(X) X("license key", SECRET_WORDS)

#define SECRET_PHRASES_M(X) X("master key", SECRET_WORDS)

#define SECRET_PHRASES_O(X) X("otp", SECRET_WORDS)

#define SECRET_PHRASES_P(X)                                                                        \
	X("pass code", SECRET_WORDS)                                                               \
	X("pass phrase", SECRET_ENDS)                                                              \
	X("pass word", SECRET_INSIDE)                                                              \
	X("pass", SECRET_LAST | SECRET_ONE)                                                        \
	X("passwd", SECRET_INSIDE)                                                                 \
	X("phpsessid", SECRET_WORDS)                                                               \
	X("pin code", SECRET_WORDS)                                                                \
	X("pin", SECRET_WHOLE | SECRET_ONE)                                                        \
	X("private key", SECRET_WORDS)                                                             \
	X("pw", SECRET_LAST)                                                                       \
	X("pwd", SECRET_WORDS)

#define SECRET_PHRASES_R(X) X("refresh token", SECRET_WORDS)

#define SECRET_PHRASES_S(X)                                                                        \
	X("secret", SECRET_ENDS)                                                                   \
	X("security code", SECRET_WORDS)                                                           \
	X("sess id", SECRET_WORDS)                                                                 \
	X("session id", SECRET_ENDS)                                                               \
	X("session", SECRET_WORDS)                                                                 \
	X("shared key", SECRET_WORDS)                                                              \
	X("sid", SECRET_LAST)                                                                      \
	X("signing key", SECRET_WORDS)                                                             \
	X("social security", SECRET_WORDS)                                                         \
	X("ssn", SECRET_WORDS)

#define SECRET_PHRASES_T(X)                                                                        \
	X("token", SECRET_ENDS | SECRET_ONE)                                                       \
	X("totp", SECRET_WORDS)

#define SECRET_PHRASES_X(X) X("xsrf", SECRET_WORDS)

/* X(letter, list of its phrases) */
#define SECRET_LETTERS(X)                                                                          \
	X('a', SECRET_PHRASES_A)                                                                   \
	X('b', SECRET_PHRASES_B)                                                                   \
	X('c', SECRET_PHRASES_C)                                                                   \
	X('e', SECRET_PHRASES_E)                                                                   \
	X('j', SECRET_PHRASES_J)                                                                   \
	X('l', SECRET_PHRASES_L)                                                                   \
	X('m', SECRET_PHRASES_M)                                                                   \
	X('o', SECRET_PHRASES_O)                                                                   \
	X('p', SECRET_PHRASES_P)                                                                   \
	X('r', SECRET_PHRASES_R)                                                                   \
	X('s', SECRET_PHRASES_S)                                                                   \
	X('t', SECRET_PHRASES_T)                                                                   \
	X('x', SECRET_PHRASES_X)

/* A name that ends with one of these says something about a secret, and is none: token_type. */
#define SECRET_ABOUT_LAST(X)                                                                       \
	X("age")                                                                                   \
	X("class")                                                                                 \
	X("cls")                                                                                   \
	X("count")                                                                                 \
	X("counts")                                                                                \
	X("enabled")                                                                               \
	X("expires")                                                                               \
	X("expired")                                                                               \
	X("expiry")                                                                                \
	X("factory")                                                                               \
	X("index")                                                                                 \
	X("kind")                                                                                  \
	X("len")                                                                                   \
	X("length")                                                                                \
	X("limit")                                                                                 \
	X("maker")                                                                                 \
	X("name")                                                                                  \
	X("names")                                                                                 \
	X("policy")                                                                                \
	X("required")                                                                              \
	X("size")                                                                                  \
	X("timeout")                                                                               \
	X("ttl")                                                                                   \
	X("type")                                                                                  \
	X("usage")                                                                                 \
	X("used")

/* And one that begins with one of these: has_password. */
#define SECRET_ABOUT_FIRST(X)                                                                      \
	X("has")                                                                                   \
	X("is")                                                                                    \
	X("needs")                                                                                 \
	X("num")                                                                                   \
	X("requires")

/* Keys that are known by how they begin; then so many characters, at least: letters and digits, or,
 * if they are dashed, also '-' and '_', and one is a digit.
 *
 *	X(prefix, characters, dashed, text) */
#define SECRET_KEYS(X)                                                                             \
	X("AKIA", 16, false, "an access key of AWS")                                               \
	X("ASIA", 16, false, "an access key of AWS, for a time")                                   \
	X("AIza", 30, true, "a key of Google")                                                     \
	X("ghp_", 30, false, "a token of GitHub")                                                  \
	X("gho_", 30, false, "a token of GitHub")                                                  \
	X("ghs_", 30, false, "a token of GitHub")                                                  \
	X("github_pat_", 20, true, "a token of GitHub")                                            \
	X("glpat-", 16, true, "a token of GitLab")                                                 \
	X("pypi-", 40, true, "a token of PyPI")                                                    \
	X("sk-", 30, true, "a key of a model's service")                                           \
	X("sk_live_", 16, false, "a key of Stripe")                                                \
	X("xoxb-", 16, true, "a token of Slack")                                                   \
	X("xoxp-", 16, true, "a token of Slack")

#endif
