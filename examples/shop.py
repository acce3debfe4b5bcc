"""A small shop that answers twelve requests, one after another: some are refused, one is slow.
doc/COOKBOOK.md asks its recording what happened."""
import time

PRICES = {"anvil": 30.0, "rocket": 250.0, "magnet": 12.0}
REQUESTS = [
    {"id": 1, "customer": "ann", "item": "anvil", "count": 2},
    {"id": 2, "customer": "bob", "item": "magnet", "count": 5},
    {"id": 3, "customer": "ann", "item": "rocket", "count": 1},
    {"id": 4, "customer": "bob", "item": "anvil", "count": 1},
    {"id": 5, "customer": "eve", "item": "magnet", "count": 2},
    {"id": 6, "customer": "ann", "item": "rocket", "count": 2},
    {"id": 7, "customer": "bob", "item": "magnet", "count": 4},
    {"id": 8, "customer": "bob", "item": "magnet", "count": 4},
    {"id": 9, "customer": "eve", "item": "rocket", "count": 1},
    {"id": 10, "customer": "ann", "item": "anvil", "count": 1},
    {"id": 11, "customer": "eve", "item": "anvil", "count": 3},
    {"id": 12, "customer": "ann", "item": "magnet", "count": 1},
]


class SoldOut(Exception):
    """There is less of it in the stock than was asked for."""


class Account:
    """What a customer can spend."""

    def __init__(self, owner, credit):
        self.owner = owner
        self.credit = credit

    def pay(self, amount):
        if amount > self.credit:
            raise ValueError(f"{self.owner} has {self.credit}, and not {amount}")
        self.credit -= amount

    def close(self):
        self.credit = 0


class Stock:
    def __init__(self, **counts):
        self.counts = counts

    def take(self, item, count):
        if self.counts[item] < count:
            raise SoldOut(item)
        self.counts[item] -= count


def discount(customer):
    if customer is None:
        return 0.0
    if customer == "staff":
        return 0.5
    return 0.1 if customer == "ann" else 0.0


def price(item, count=1, customer=None):
    return PRICES[item] * count * (1 - discount(customer))


def deliver(item, count):
    """Two rockets need a second van."""
    time.sleep(1.1 if item == "rocket" and count > 1 else 0.001)


def handle(request, account, stock):
    item, count = request["item"], request["count"]
    amount = price(item, count, account.owner)
    stock.take(item, count)
    account.pay(amount)
    deliver(item, count)
    return amount


def pages(rows, size):
    for start in range(0, len(rows), size):
        yield rows[start:start + size]


def summary(accounts, refused):
    print(len(REQUESTS), "requests,", len(refused), "refused")
    print("an anvil costs", price("anvil"))
    for page in pages(sorted(accounts), 2):
        print(", ".join(page))


def main():
    stock = Stock(anvil=5, magnet=10, rocket=5)
    accounts = {name: Account(name, 1000) for name in ("ann", "bob", "eve")}
    refused = []
    for request in REQUESTS:
        account = accounts[request["customer"]]
        try:
            handle(request, account, stock)
        except (SoldOut, ValueError) as e:
            refused.append((request["id"], e))
        if request["id"] == 8:
            accounts["eve"].close()
    summary(accounts, refused)


if __name__ == "__main__":
    main()
