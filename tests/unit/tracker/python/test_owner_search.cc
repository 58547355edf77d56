// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_map.h"

#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

/// Makes `look()`, which searches for the owner of `inner`, in a module that has `inner` and `model` in a function's
/// reach only.
class OwnerFixture {
 public:
  OwnerFixture() {
    torch_.define("look", [this] {
      PyObject* const owner = search_.ownerOf(torch_["held[0]"].get());
      CHECK(PyErr_Occurred() == nullptr);
      found_ = owner == nullptr ? "none" : textOf(attribute(owner, "label").get());
    });
  }

 protected:
  const FakeTorch torch_{R"(
class Model(Module):
    label = "model"
held = [Linear()]
def make(label="model", **more):
    model = Model({"list": ModuleList({"0": held[0]})} | more)
    model.label = label
    return model
)"};
  OwnerSearch search_;
  std::string found_ = "not searched";
};

TEST_CASE_FIXTURE(OwnerFixture, "the owner is a variable of a running function, or of one that called it") {
  torch_.run(R"(
def call(x): look()
def train(model): call(1)
train(make())
)");
  CHECK(found_ == "model");
}

TEST_CASE_FIXTURE(OwnerFixture, "the owner is an attribute of the object whose method runs, of no other") {
  torch_.run(R"(
class Trainer:
    def __init__(self): self.model = make()
    def fit(self): look()
    def other(self, trainer): look()
Trainer().fit()
)");
  CHECK(found_ == "model");
  torch_.run("Trainer.other(17, Trainer())");
  CHECK(found_ == "none");
}

TEST_CASE_FIXTURE(OwnerFixture, "the owner is a variable of the code of a script") {
  torch_.run("model = make()\ndef run(): look()\nrun()");
  CHECK(found_ == "model");
}

TEST_CASE_FIXTURE(OwnerFixture, "the outermost module of several that hold it is the owner") {
  torch_.run(R"(
def call(part, x): look()
def train(model, whole): call(model, 1)
def run(inner): train(inner, Model({"inner": inner}))
run(make("inner"))
)");
  CHECK(found_ == "model");
}

TEST_CASE_FIXTURE(OwnerFixture, "a module that none registers has no owner, and a list of modules is none") {
  torch_.run(R"(
def run(model, modules, inner): look()
run(Model({"other": Linear(), "none": None, "odd": 17}), ModuleList({"0": held[0]}), held[0])
)");
  CHECK(found_ == "none");
  CHECK_FALSE(search_.gaveUp());
}

TEST_CASE_FIXTURE(OwnerFixture, "a class of which many had no owner is not searched for") {
  for (int i = 0; i < 8; ++i) {
    torch_.run("held[0] = Linear()\ndef run(): look()\nrun()");
    CHECK(found_ == "none");
  }
  torch_.run("held[0] = Linear()\ndef run(model): look()\nrun(make())");
  CHECK(found_ == "none");
  CHECK_FALSE(search_.gaveUp());
  torch_.run("held[0] = Net()\ndef run(model): look()\nrun(make())");
  CHECK(found_ == "model");
}

TEST_CASE_FIXTURE(OwnerFixture, "a module below itself ends the search") {
  torch_.run(R"(
loop = Module()
loop._modules["self"] = loop
def run(first, second): look()
run(loop, make())
)");
  CHECK(found_ == "model");
}

TEST_CASE_FIXTURE(OwnerFixture, "the search runs no code of the job's objects") {
  torch_.run(R"(
class Trainer:
    def __getattribute__(self, name): raise RuntimeError(name)
def run(self, model): look()
run(Trainer(), make())
)");
  CHECK(found_ == "model");
}

std::atomic<int> times_stopped{0};

void stopAgainInOneMs() {
  const itimerval once{{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

/// Keeps the thread off its core for 20 ms, ten times, while `run()` is called again and again.
template <typename Run>
void whileStoppedOften(const Run& run) {
  times_stopped = 0;
  struct sigaction stop {};
  struct sigaction before {};
  stop.sa_flags = SA_RESTART;
  stop.sa_handler = [](int) {
    const timespec still{0, 20'000'000};
    nanosleep(&still, nullptr);
    if (++times_stopped < 10) {
      stopAgainInOneMs(); // a timer that went on in the sleep would leave the thread no time
    }
  };
  sigaction(SIGALRM, &stop, &before);
  stopAgainInOneMs();
  while (times_stopped < 10) {
    run();
  }
  sigaction(SIGALRM, &before, nullptr);
}

TEST_CASE_FIXTURE(OwnerFixture, "a search ends after 50 ms of CPU time, not of the time in which others run") {
  torch_.run(R"(
many = Model({str(i): Linear() for i in range(2048)})
def run(many, model): look()
)");
  whileStoppedOften([this] { torch_.run("run(many, make())"); });
  CHECK(found_ == "model");
  CHECK_FALSE(search_.gaveUp());
}

} // namespace
} // namespace commtap
