import pytest


@pytest.fixture
def numbers():
    yield [1, 2, 3]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_in(numbers, n):
    assert n in numbers


def test_raises():
    with pytest.raises(ZeroDivisionError):
        1 // 0
