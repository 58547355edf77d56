// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// A libtorch job without Python. Two Gloo ranks train a layer whose forward, backward and gradients communicate. They
// name their scopes with labels and with commtap.h. One binary runs with and without commtap.

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "shim/commtap.h"

namespace {

constexpr int64_t kFeatures = 4;
constexpr int kSteps = 3;

c10::intrusive_ptr<c10d::ProcessGroup>& world() {
  static c10::intrusive_ptr<c10d::ProcessGroup> group;
  return group;
}

void allReduce(const at::Tensor& tensor) {
  std::vector<at::Tensor> tensors{tensor};
  world()->allreduce(tensors)->wait();
}

/// Sums the input over the ranks in forward, and the gradient in backward.
class SumOfRanks : public torch::autograd::Function<SumOfRanks> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& input) {
    at::Tensor sum = input.clone();
    allReduce(sum);
    return sum;
  }
  static torch::autograd::variable_list backward(
      torch::autograd::AutogradContext*,
      const torch::autograd::variable_list& gradients) {
    at::Tensor sum = gradients[0].contiguous().clone();
    allReduce(sum);
    return {sum};
  }
};

at::Tensor mix(const at::Tensor& hidden) {
  RECORD_USER_SCOPE("mix");
  return SumOfRanks::apply(hidden);
}

at::Tensor encode(const at::Tensor& input, const at::Tensor& weight) {
  RECORD_USER_SCOPE("Encoder");
  return mix(input.mm(weight));
}

at::Tensor decode(const at::Tensor& hidden) {
  commtap_scope_push("Decoder");
  at::Tensor output = SumOfRanks::apply(hidden * 2);
  commtap_scope_pop();
  return output;
}

void trainingStep(const at::Tensor& input, at::Tensor& weight) {
  const at::Tensor loss = decode(encode(input, weight)).sum();
  loss.backward();
  {
    RECORD_USER_SCOPE("Optimizer.step#SGD");
    const at::NoGradGuard no_grad;
    allReduce(weight.mutable_grad());
    weight.sub_(weight.grad(), 0.01);
    weight.mutable_grad().zero_();
  }
  std::cout << "loss " << loss.item<float>() << "\n";
}

void joinWorld(const std::string& store_path, int rank, int size) {
  auto store = c10::make_intrusive<c10d::FileStore>(store_path, size);
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
  auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
  world() = c10::make_intrusive<c10d::ProcessGroup>(store, rank, size);
  world()->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
  world()->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  world()->setGroupName("0");
  world()->setGroupDesc("default_pg");
}

int numberOf(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: scopes FILE_STORE\n";
    return 2;
  }
  const int rank = numberOf("RANK");
  joinWorld(argv[1], rank, numberOf("WORLD_SIZE"));
  at::Tensor weight = at::full({kFeatures, kFeatures}, 0.5);
  weight.requires_grad_(true);
  for (int step = 0; step < kSteps; ++step) {
    trainingStep(at::full({2, kFeatures}, static_cast<float>(rank + step)), weight);
  }
  world()->barrier()->wait();
  world().reset();
  return 0;
}
