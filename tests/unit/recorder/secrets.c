/* Which names are secret, and which parts of a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "recorder/values/secrets.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define MARK	 SECRET_MARK

/* ---- names ---- */

static const char *const secret_names[] = {"password", "PASSWORD", "Password", "passwords",
	"password1", "password_", "__password", "_User__password", "new_password", "newPassword",
	"userpassword", "passwordhash", "password_hash", "PGPASSWORD", "DB_PASSWORD", "passWord",
	"pass_word", "passwd", "pwd", "passphrase", "passPhrase", "passcode", "db_pass", "pass_",
	"pw", "root_pw", "secret", "secrets", "client_secret", "clientSecret", "clientsecret",
	"secret_key", "SECRET_KEY_BASE", "aws_secret_access_key", "token", "Token", "access_token",
	"accessToken", "accesstoken", "access_tokens", "refresh_tokens", "csrf_token",
	"csrfmiddlewaretoken", "next_token", "token_value", "oauth2_token", "oauth2token",
	"password_reset_token", "api_key", "apikey", "apiKey", "APIKey", "API_KEY", "api_keys",
	"X-API-Key", "x-api-key", "myapikey", "OPENAI_API_KEY", "access_key", "accessKeyId", "auth",
	"http_auth", "proxyAuth", "auth_token", "authorization", "Authorization",
	"HTTP_AUTHORIZATION", "proxy-authorization", "bearer", "cookie", "cookies", "Set-Cookie",
	"HTTP_COOKIE", "cookie_jar", "cookiejar", "session", "sessions", "session_id", "sessionid",
	"sessionId", "SessionLocal", "JSESSIONID", "PHPSESSID", "sid", "connect.sid", "credential",
	"credentials", "creds", "cred", "privateKey", "private_key", "private-key", "signing_key",
	"card_number", "cardnumber", "cardNumber", "credit_card", "creditcard", "cvv", "cvv2",
	"CVC", "ssn", "social_security_number", "pin", "PIN", "pin_code", "otp", "jwt", "JWTs",
	"csrf", "xsrf", "encryption_key", "wsgi.session",
	"a_name_that_is_longer_than_sixty_four_bytes_and_has_at_its_very_end_password"};

static const char *const plain_names[] = {"", "_", "1", "x", "self", "name", "key", "keys",
	"public_key", "primary_key", "cache_key", "user", "username", "tokens", "tokenize",
	"tokenizer", "tokenized", "tokens_used", "max_tokens", "token_count", "tokenCount",
	"token_type", "token_index", "num_token", "password_length", "min_password_length",
	"password_policy", "has_password", "hasPassword", "is_secret", "needs_auth",
	"session_timeout", "session_name", "cookie_name", "secretary", "secretion", "passenger",
	"passes", "passed", "compass", "bypass", "pass_count", "passing", "ping", "pins", "spin",
	"pinned", "gpio_pin", "author", "authors", "auth_backend", "authority", "obsession",
	"possession", "possess_ids", "accession", "discards_numbers", "incredible", "accredited",
	"sidebar", "inside", "side", "pwdx", "apikeyboard", "cookieless", "assn", "optics", "card",
	"number", "access", "access_keys_used", "\xd0\xbf\xd0\xb0\xd1\x80", "\xff\xfe",
	"t\xc3\xb6ken", "secret\xc3\xa4r"};

static void names_that_are_secret(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(secret_names); i++)
		if (!secret_name(secret_names[i], strlen(secret_names[i])))
			fail_msg("'%s' is not taken for a secret", secret_names[i]);
}

static void names_that_are_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plain_names); i++)
		if (secret_name(plain_names[i], strlen(plain_names[i])))
			fail_msg("'%s' is taken for a secret", plain_names[i]);
}

static void names_that_are_added(void **state)
{
	static const char patterns[] = "iban\n*_pin\nx[ab]?\n\xc3\xa4*\n";
	static const char *const these[] = {
		"iban", "IBAN", "card_pin", "CARD_PIN", "_pin", "xaz", "\xc3\xa4rger", "password"};
	static const char *const others[] = {"ibans", "my_iban", "my_pin_x", "xa", "xcz", "", "a"};
	char longer[SECRET_NAME_BYTES + 8];

	(void)state;
	secret_names_add(view_of(patterns, strlen(patterns)));
	for (size_t i = 0; i < COUNT(these); i++)
		if (!secret_name(these[i], strlen(these[i])))
			fail_msg("'%s' is not taken for a secret", these[i]);
	for (size_t i = 0; i < COUNT(others); i++)
		if (secret_name(others[i], strlen(others[i])))
			fail_msg("'%s' is taken for a secret", others[i]);
	memset(longer, 'x', sizeof longer);
	memcpy(longer, "xaz", 3);
	assert_false(secret_name(longer, sizeof longer));
	memcpy(longer + SECRET_NAME_BYTES - 4, "_pin", 4);
	assert_true(secret_name(longer, sizeof longer));
	secret_names_add(view_of("", 0));
	assert_false(secret_name("iban", 4));
}

/* ---- texts ---- */

/* From memory of exactly this size, so that the sanitizer sees each byte too far. */
static size_t copy_exact(uint8_t **to, size_t room, const char *text, size_t length)
{
	char *exact = malloc(length ? length : 1);
	size_t n;

	memcpy(exact, text, length);
	*to = malloc(room ? room : 1);
	n = secret_copy(*to, room, exact, length, &(struct secret_parts){0});
	free(exact);
	return n;
}

static void check_copy(size_t room, const char *text, const char *expected)
{
	uint8_t *to;
	size_t n = copy_exact(&to, room, text, strlen(text));

	if (n != strlen(expected) || memcmp(to, expected, n))
		fail_msg("'%s' became '%.*s', not '%s'", text, (int)n, (char *)to, expected);
	free(to);
}

static void parts_are_counted(void **state)
{
	static const struct {
		const char *text;
		struct secret_parts hidden;
	} rows[] = {
		{"plain and long enough to be looked at", {0}},
		{"Bearer abc", {1, 3, 3}},
		{"x://u:p\xc3\xa4ss@h/ x://v:q@i", {2, 6, 5}},
	};
	uint8_t to[100];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct secret_parts hidden = {0};
		secret_copy(to, sizeof to, rows[i].text, strlen(rows[i].text), &hidden);
		assert_int_equal(hidden.count, rows[i].hidden.count);
		assert_int_equal(hidden.bytes, rows[i].hidden.bytes);
		assert_int_equal(hidden.characters, rows[i].hidden.characters);
	}
}

/* A part whose mark has no room is cut as other text is. */
static void a_part_without_room_is_not_counted(void **state)
{
	static const char text[] = "with Bearer 0123456789";
	struct secret_parts hidden = {0};
	uint8_t to[15];

	(void)state;
	assert_int_equal(secret_copy(to, sizeof to, text, strlen(text), &hidden), 12);
	assert_int_equal(hidden.count, 0);
}

#define HEAD   "eyJhbGciOiJIUzI1NiJ9"
#define CLAIMS "eyJzdWIiOiIxMjM0In0"
#define PEM                                                                                        \
	"-----BEGIN RSA PRIVATE KEY-----\n"                                                        \
	"MIIEowIBAAKCAQEA\nq2w3\n-----END RSA PRIVATE KEY-----"

static void texts_with_secrets(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{HEAD "." CLAIMS ".c2lnbmF0dXJl", MARK},
		{"got " HEAD "." CLAIMS ".c2ln_-ZQ, next", "got " MARK ", next"},
		{HEAD "." CLAIMS, MARK},
		{"(" HEAD "." CLAIMS ".x)", "(" MARK ")"},
		{PEM, MARK},
		{"a\n" PEM "\nb", "a\n" MARK "\nb"},
		{"-----BEGIN PRIVATE KEY-----\nMIIE", MARK},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nMIIE\n-----END OPENSSH", MARK},
		{"Bearer abc", "Bearer " MARK},
		{"bearer hunter-of.two~tokens", "bearer " MARK},
		{"with Bearer 0123456789 it goes", "with Bearer " MARK " it goes"},
		{"Basic dXNlcjpwYXNz", "Basic " MARK},
		{"Basic dXNlcjpwYXNzMQ==", "Basic " MARK},
		{"('authorization', 'Basic dXNl')", "('authorization', 'Basic " MARK "')"},
		{"(b'Authorization', b'Basic dXNl')", "(b'Authorization', b'Basic " MARK "')"},
		{"Authorization: Basic dXNlcg==\r\nHost: x", "Authorization: " MARK "\nHost: x"},
		{"GET / HTTP/1.1\nCookie: a=b; c=d\nHost: x",
			"GET / HTTP/1.1\nCookie: " MARK "\nHost: x"},
		{"AKIAIOSFODNN7EXAMPLE", MARK},
		{"key ASIAIOSFODNN7EXAMPLE.", "key " MARK "."},
		{"ghp_0123456789abcdefghijABCDEFGHIJ012345", MARK},
		{"sk-ant-api03-0123456789abcdefghijABCDEFGHIJ-012345", MARK},
		{"sk_live_0123456789abcdef", MARK},
		{"https://ann:hunter2@example.org/x", "https://ann:" MARK "@example.org/x"},
		{"postgres://u:p@h:5432/db", "postgres://u:" MARK "@h:5432/db"},
		{"redis://:pw@h:6379/0", "redis://:" MARK "@h:6379/0"},
		{"x://u:1234@h", "x://u:" MARK "@h"},
		{"x://u:p@ss@h/", "x://u:" MARK "@h/"},
		{"x://u:p/ss@h/", "x://u:" MARK "@h/"},
		{"x://u:p\xc3\xa4ss@h/ x://v:q@i", "x://u:" MARK "@h/ x://v:" MARK "@i"},
		{"mongodb://u:p@h1:27017,h2:27017/a", "mongodb://u:" MARK "@h1:27017,h2:27017/a"},
		{"/login?token=abc&next=/", "/login?token=" MARK "&next=/"},
		{"host=h password=hunter2 port=1", "host=h password=" MARK " port=1"},
		{"Server=h;Pwd=hunter2;", "Server=h;Pwd=" MARK ";"},
		{"--api-key=abc", "--api-key=" MARK},
		{"User(name='ann', password='a b\\'c', n=1)",
			"User(name='ann', password='" MARK "', n=1)"},
		{"{\"password\": \"hunter2\", \"a\": 1}", "{\"password\": \"" MARK "\", \"a\": 1}"},
		{"{'secret': b'x, y', 'b': 2}", "{'secret': b'" MARK "', 'b': 2}"},
		{"{\"pin\":1234,\"a\":1}", "{\"pin\":" MARK ",\"a\":1}"},
		{"{\"tokens\": [1], \"cookies\": [\"a\", \"b\"]}",
			"{\"tokens\": [1], \"cookies\": " MARK},
		{"{\\\"password\\\": \\\"hunter2", "{\\\"password\\\": \\\"" MARK},
		{"password: hunter2", "password: " MARK},
		{"  db_password: hunter2\nuser: ann", "  db_password: " MARK "\nuser: ann"},
		{"a=1&session_id=q", "a=1&session_id=" MARK},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_copy(1000, rows[i].text, rows[i].expected);
}

static void texts_without(void **state)
{
	static const char *const rows[] = {"", "a", ":", "=", "://", "eyJ", "-----BEGIN ",
		"eyJhbGciOiJIUzI1NiJ9", "eyJ.a.b", "heyJhbGciOiJIUz.abcdef.abc",
		"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----", "the bearer of news",
		"the Bearer authentication.", "Basic usage", "Basic", "Bearer ", "AKIA",
		"ASIA-PACIFIC-REGION-OF-2020", "AKIAIOSFODNN7EXAMPL", "ghp_short",
		"sk-learn-is-the-name-of-a-very-long-package", "http://localhost:8080",
		"http://localhost:8080/a@b", "http://[::1]:8080/x", "http://h/a:b@c", "http://h:/",
		"https://ann@example.org/", "C:\\x", "token == other", "if token==other: pass",
		"key=value", "max_tokens=10", "tokens=[1, 2]",
		"password=", "password:", "token = f()", "error at token: here", "a: b",
		"{'a': 'b'}", "'token'", "\xf0\x9f\x98\x80 \xc3\xa4"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_copy(1000, rows[i], rows[i]);
}

/* ---- texts that are longer than what is kept ---- */

/* A secret in front of which `before` bytes stand, and of which the copy ends within: nothing of it
 * is in the copy. */
static void check_cut(const char *secret, size_t shown, size_t before)
{
	char text[1000];
	size_t length, room;
	uint8_t *to;

	memset(text, '.', before);
	memcpy(text + before, secret, strlen(secret));
	for (size_t inside = 1; inside < strlen(secret); inside++) {
		room = before + inside;
		length = before + strlen(secret);
		if (length > room + SECRET_AHEAD_BYTES)
			length = room + SECRET_AHEAD_BYTES;
		size_t n = copy_exact(&to, room, text, length);
		assert_true(n <= room);
		if (n > before + shown && (n < before + shown + strlen(MARK) ||
						  memcmp(to + before + shown, MARK, strlen(MARK))))
			fail_msg("%zu bytes of '%s' became '%.*s'", inside, secret, (int)n,
				(char *)to);
		free(to);
	}
}

static void cut_in_a_secret(void **state)
{
	static const char z[] =
		"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrst"
		"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrst"
		"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrst";
	char text[500];

	(void)state;
	check_cut(HEAD "." CLAIMS ".c2ln", 0, 40);
	check_cut(PEM, 0, 40);
	check_cut("AKIAIOSFODNN7EXAMPLE", 0, 40);
	check_cut("x://user:hunter2", strlen("x://user:"), 0);
	check_cut("x://user:hunter2@h", strlen("x://user:"), 0);
	snprintf(text, sizeof text, "eyJ%s.%s.%s", z, z, "c2ln");
	check_cut(text, 0, 40);
	snprintf(text, sizeof text, "x://u:%s@h", z);
	check_cut(text, strlen("x://u:"), 0);
	snprintf(text, sizeof text, "Bearer %s", z);
	check_cut(text, strlen("Bearer "), 0);
	snprintf(text, sizeof text, "password=%s", z);
	check_cut(text, strlen("password="), 0);
	snprintf(text, sizeof text, "github_pat_%s", z);
	check_cut(text, 0, 40);
}

static void cut_between_characters(void **state)
{
	(void)state;
	check_copy(0, "abc", "");
	check_copy(3, "abcd", "abc");
	check_copy(3, "ab\xc3\xa4", "ab");
	check_copy(4, "ab\xc3\xa4", "ab\xc3\xa4");
	check_copy(3, "\xf0\x9f\x98\x80", "");
	check_copy(5, "\xed\xa0\x80\xed\xa0\x80", "\xed\xa0\x80");	   /* surrogates */
	check_copy(4, "\x80\x80\x80\x80\x80\x80\x80", "\x80\x80\x80\x80"); /* no UTF-8 */
	check_copy(strlen("a:") + 13, "pw=x&b=2", "pw=" MARK "&b");
	check_copy(12, "pw=x&b=2", "pw="); /* half a mark would be no mark */
	check_copy(13, "pw=x&b=2", "pw=" MARK);
}

static uint32_t next(uint32_t random)
{
	return random * 1664525u + 1013904223u;
}

/* Any bytes: what is written fits, and is read from what was given. */
static void any_bytes(void **state)
{
	static const char *const pieces[] = {"eyJ", ".", "-----", "BEGIN ", "PRIVATE KEY", "END ",
		"://", ":", "@", "=", "\"", "'", "\\", "password", "token", "Bearer ", "Basic ",
		"AKIA", "sk-", "a", "Z9", " ", "\n", "\xc3\xa4", "\xff", "[", "b'",
		"authorization"};
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[0x7f + 16];
		size_t length = 0, n;
		uint8_t *to;
		for (random = next(random); length < ((random >> 8) & 0x7f);) {
			random = next(random);
			const char *piece = pieces[(random >> 16) % COUNT(pieces)];
			memcpy(text + length, piece, strlen(piece));
			length += strlen(piece);
		}
		size_t room = (random >> 4) % 160;
		n = copy_exact(&to, room, text, length);
		assert_true(n <= room);
		free(to);
		char *exact = malloc(length ? length : 1);
		memcpy(exact, text, length);
		secret_name(exact, length);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_are_secret),
		cmocka_unit_test(names_that_are_not),
		cmocka_unit_test(names_that_are_added),
		cmocka_unit_test(texts_with_secrets),
		cmocka_unit_test(texts_without),
		cmocka_unit_test(parts_are_counted),
		cmocka_unit_test(a_part_without_room_is_not_counted),
		cmocka_unit_test(cut_in_a_secret),
		cmocka_unit_test(cut_between_characters),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
