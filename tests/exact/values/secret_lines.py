"""Secrets as variables: of functions, cells, a class body, a module, in what is bound to them, and
in texts. Each is made in the place where it is kept; test_variables.py makes the same.
"""
import hashlib

password = "s3" + hashlib.sha256(b"0").hexdigest()[:20]
api_keys = ["s3" + hashlib.sha256(b"1").hexdigest()[:20]]
api_keys.append("s3" + hashlib.sha256(b"2").hexdigest()[:20])
header = "Authorization: Bearer s3" + hashlib.sha256(b"3").hexdigest()[:20]
users = {"ann": 1, "password": "s3" + hashlib.sha256(b"4").hexdigest()[:20]}


class Settings:
    secret = "s3" + hashlib.sha256(b"5").hexdigest()[:20]
    url = "https://ann:s3" + hashlib.sha256(b"6").hexdigest()[:20] + "@example.org/"

    def __init__(self):
        self.token = "s3" + hashlib.sha256(b"7").hexdigest()[:20]
        self.plain = 1


def log_in():
    passwd = "s3" + hashlib.sha256(b"8").hexdigest()[:20]
    for authToken in ["s3" + hashlib.sha256(b"9").hexdigest()[:20]]:
        seen = len(authToken)
    sessionId = "s3" + hashlib.sha256(b"10").hexdigest()[:20]
    settings = Settings()
    settings.plain += 1

    def use():
        nonlocal passwd
        passwd = "s3" + hashlib.sha256(b"11").hexdigest()[:20]
        return len(passwd) + len(sessionId)

    use()
    del passwd
    return seen


log_in()
del password
