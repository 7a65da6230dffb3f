"""The part of `unittest` that the portable tests use, for MicroPython, which has none."""

import gc
import sys


class SkipTest(Exception):
    """Raised by a test that cannot run on this interpreter."""


class _Raises:
    """Context of assertRaises: passes when the body raises `expected`, kept as `exception`."""

    def __init__(self, expected):
        self._expected = expected
        self.exception = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            raise AssertionError(f"{self._expected!r} was not raised")
        self.exception = error
        return issubclass(kind, self._expected)


class _SubTest:
    """Context of subTest: names the case that failed and lets the failure through."""

    def __init__(self, label):
        self._label = label

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            print(f"in sub-test {self._label}:")
        return False


class TestCase:
    """A group of tests: each method named test* runs on a new instance between setUp and tearDown."""

    def setUp(self):
        pass

    def tearDown(self):
        pass

    def fail(self, msg=None):
        raise AssertionError(msg or "failed")

    def skipTest(self, reason):
        raise SkipTest(reason)

    def subTest(self, msg=None, **params):
        return _SubTest(msg if msg is not None else params)

    def _hold(self, truth, what, msg):
        if not truth:
            raise AssertionError(what if msg is None else f"{what}: {msg}")

    def assertTrue(self, value, msg=None):
        self._hold(value, f"{value!r} is not true", msg)

    def assertFalse(self, value, msg=None):
        self._hold(not value, f"{value!r} is not false", msg)

    def assertEqual(self, first, second, msg=None):
        self._hold(first == second, f"{first!r} != {second!r}", msg)

    def assertNotEqual(self, first, second, msg=None):
        self._hold(first != second, f"{first!r} == {second!r}", msg)

    def assertIs(self, first, second, msg=None):
        self._hold(first is second, f"{first!r} is not {second!r}", msg)

    def assertIsNot(self, first, second, msg=None):
        self._hold(first is not second, f"both are {first!r}", msg)

    def assertIsNone(self, value, msg=None):
        self._hold(value is None, f"{value!r} is not None", msg)

    def assertIsNotNone(self, value, msg=None):
        self._hold(value is not None, "it is None", msg)

    def assertIn(self, member, container, msg=None):
        self._hold(member in container, f"{member!r} is not in {container!r}", msg)

    def assertNotIn(self, member, container, msg=None):
        self._hold(member not in container, f"{member!r} is in {container!r}", msg)

    def assertIsInstance(self, value, kind, msg=None):
        self._hold(isinstance(value, kind), f"{value!r} is not a {kind!r}", msg)

    def assertLess(self, first, second, msg=None):
        self._hold(first < second, f"{first!r} is not below {second!r}", msg)

    def assertLessEqual(self, first, second, msg=None):
        self._hold(first <= second, f"{first!r} is above {second!r}", msg)

    def assertGreater(self, first, second, msg=None):
        self._hold(first > second, f"{first!r} is not above {second!r}", msg)

    def assertGreaterEqual(self, first, second, msg=None):
        self._hold(first >= second, f"{first!r} is below {second!r}", msg)

    def assertRaises(self, expected):
        return _Raises(expected)


def run_module(module):
    """Run every test of `module`, printing what failed; returns (passed, failed, skipped)."""
    passed = failed = skipped = 0
    for class_name in sorted(dir(module)):
        case = getattr(module, class_name)
        if not isinstance(case, type) or case is TestCase or not issubclass(case, TestCase):
            continue
        for name in sorted(dir(case)):
            if name[:4] != "test":
                continue
            gc.collect()
            try:
                _run_one(case(), name)
                passed += 1
            except SkipTest as reason:
                skipped += 1
                print(f"skipped {class_name}.{name}: {reason}")
            except Exception as error:
                failed += 1
                print(f"FAILED {class_name}.{name}")
                sys.print_exception(error)  # pyright: ignore[reportAttributeAccessIssue]
    return passed, failed, skipped


def _run_one(case, name):
    case.setUp()
    try:
        getattr(case, name)()
    finally:
        case.tearDown()
