// C++ that calls Python, by pybind11: functions, methods that override, iterators, comparisons; in a thread of its own; and
// exceptions that cross it in both directions.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

namespace py = pybind11;

struct Trouble : std::runtime_error {
	using std::runtime_error::runtime_error;
};

struct Shape {
	virtual ~Shape() = default;
	virtual int area(int scale) { return scale; }
};

struct PyShape : Shape {
	using Shape::Shape;
	int area(int scale) override { PYBIND11_OVERRIDE(int, Shape, area, scale); }
};

static int apply(const py::function &f, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += f(i).cast<int>();
	return sum;
}

// A thread that Python has never seen takes the GIL, so many times.
static int in_thread(const py::function &f, int times)
{
	int sum = 0;
	py::gil_scoped_release released;

	std::thread([&] {
		for (int i = 0; i < times; i++) {
			py::gil_scoped_acquire held;
			sum += f(i).cast<int>();
		}
	}).join();
	return sum;
}

// An exception of Python's unwinds C++, and is Python's again.
static void through(const py::function &f)
{
	std::vector<int> destroyed(3);

	f();
}

static std::string caught(const py::function &f)
{
	try {
		f();
	} catch (py::error_already_set &e) {
		if (e.matches(PyExc_KeyError))
			return "C++ caught a KeyError";
		py::raise_from(e, PyExc_RuntimeError, "from C++");
		throw py::error_already_set();
	}
	return "nothing";
}

static void in_trouble(const std::function<int(int)> &f)
{
	throw Trouble("trouble " + std::to_string(f(3)));
}

static std::vector<int> sorted(std::vector<int> values, const std::function<bool(int, int)> &less)
{
	std::sort(values.begin(), values.end(), less);
	return values;
}

static int total(const py::iterable &values)
{
	int sum = 0;

	for (auto value : values)
		sum += value.cast<int>();
	return sum;
}

PYBIND11_MODULE(callbacks, m)
{
	py::register_exception<Trouble>(m, "Trouble");
	py::class_<Shape, PyShape>(m, "Shape").def(py::init<>()).def("area", &Shape::area);
	m.def("area_of", [](Shape &s, int scale) { return s.area(scale) + 1; });
	m.def("apply", &apply);
	m.def("in_thread", &in_thread);
	m.def("through", &through);
	m.def("caught", &caught);
	m.def("in_trouble", &in_trouble);
	m.def("sorted", &sorted);
	m.def("total", &total);
}
