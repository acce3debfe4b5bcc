"""Secrets in each place where one can be in a value: secret.py OUT. The texts are made here, so
that no source has them; test_values.py makes the same. OUT gets what the recorder's memory has of them.

What is done with secrets is done in the module's own code, or in C, whose values nobody keeps.
"""
import collections
import hashlib
import sys

Login = collections.namedtuple("Login", "user password")


class Text(str):
    """As many libraries have for the names of headers."""


class Account:
    def __init__(self, user, password):
        self.user, self.password = user, password

    def check(self):
        return self.user

    def get_password(self):
        return self.password

    def one_more(self):
        self.apiKey = self.password
        return self


class Customer:
    def __init__(self, iban):
        self.customer_pin = iban

    def get_IBAN(self):
        return self.customer_pin


class Slots:
    __slots__ = ("name", "private_key")


class Both(Slots):
    pass


class LoginFailed(Exception):
    pass


def take(value):
    return value


def login(user, password, *, api_key=None):
    return user


def shared(accessToken):
    return lambda: len(accessToken)


def with_words(**more):
    return len(more)


def several(*passwords):
    return len(passwords)


def in_another_language(clé_password, токен_token):
    return None


# these take it themselves, for that a value is a secret is known by a name alone

def make_token():
    return next(given)


def each_token():
    while True:
        yield next(given)


def next_password():
    yield next(given)
    return next(given)


async def read_cookie():
    return next(given)


class Vault:
    @property
    def secret(self):
        return next(given)


def fails(text):
    raise LoginFailed(text)


made = []
for number in range(60):
    made.append("s3" + hashlib.sha256(b"%d" % number).hexdigest()[:20])
given = iter(made)

login("ann", next(given))
login(password=next(given), user="ann", api_key=next(given))
shared(next(given))()
with_words(user="ann", sessionid=next(given), refresh_token=next(given))
several(next(given), next(given))
in_another_language(next(given), next(given))
make_token()
g = each_token()
next(g), next(g)
g.close()
for _ in next_password():
    pass
try:
    read_cookie().send(None)
except StopIteration:
    pass
Vault().secret
account = Account("ann", next(given))
account.check()
account.get_password()
take(account)
take([{"account": account}])
account.__dict__["client_secret"] = next(given)
take(account)
account.one_more()
slots, both = Slots(), Both()
slots.name, slots.private_key = "n", next(given)
both.private_key, both.cvv = next(given), next(given)
take([slots, both])
take(Login("ann", next(given)))
take({"user": "ann", "password": next(given), "nested": {"Authorization": next(given), "X-API-Key": next(given)}})
take({Text("Authorization"): next(given), b"Authorization": next(given), "clé_token": next(given)})
take([("a", {"secret": (next(given), [next(given)])})])
take({"passwords": {"ann": next(given)}})
take(collections.OrderedDict(token=next(given)))
take(collections.defaultdict(str, pwd=next(given)))

# what is one by itself
jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ." + next(given)
pem = "-----BEGIN PRIVATE KEY-----\n" + next(given) + "\n" + next(given) + "\n-----END PRIVATE KEY-----\n"
url = "postgresql://ann:" + next(given) + "@db.example/shop?x=1"
bearer = "Bearer " + next(given)
aws = "AKIA" + next(given).upper()[:16]
key = "password=" + next(given) + "&user=ann"
header = "Authorization: Basic " + next(given)
for text in (jwt, pem, url, bearer, aws, key, header):
    take(text)
    take(text.encode())
    take(bytearray(text.encode()))
    take(memoryview(text.encode()))
    take(Text(text))
    take("é " + text)
    take("漢😀 " + text)
    take([text, {"a": text, text: 1}])
    account = Account(text, None)
    take(account)
    for front in range(150, 205, 3):
        take("x" * front + " " + text)
        take("é" * front + " " + text)
        take(b"x" * front + b" " + text.encode())
        take(["x" * (front - 100), text + " ", text])
    try:
        fails(text)
    except LoginFailed:
        pass
    try:
        fails(("x" * 100, {"where": text}))
    except LoginFailed:
        pass

# what --redact adds
customer = Customer(next(given))
take(customer)
customer.get_IBAN()
take({"user": "ann", "Iban": next(given), b"new_PIN": next(given)})
take("IBAN=" + next(given))
take({"text": '{"old_pin": "%s"}' % next(given)})

kept = b""
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
    for line in maps:
        if " rw-s " in line or " r--s " in line:
            at, end = line.split()[0].split("-")
            memory.seek(int(at, 16))
            try:
                kept += memory.read(int(end, 16) - int(at, 16))
            except OSError:
                pass
with open(sys.argv[1], "wb") as out:
    out.write(kept)
