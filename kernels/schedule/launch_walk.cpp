#include "kernels/schedule/launch_walk.h"

#include <algorithm>

#include <fmt/format.h>

namespace spyre::kernels {

LaunchWalk::LaunchWalk(const Schedule& schedule) : schedule_(schedule) {
  std::vector<std::string> loops;
  flatten(schedule.launches, loops);
}

void LaunchWalk::flatten(const std::vector<LaunchItem>& items, std::vector<std::string>& loops) {
  for (const LaunchItem& item : items) {
    const auto* loop = std::get_if<LaunchLoop>(&item.item);
    if (loop == nullptr) {
      flatten_launch(item, loops);
      continue;
    }
    const std::size_t head = items_.size();
    Item begin;
    begin.kind = Item::Kind::loop;
    begin.source = &item;
    begin.depth = loops.size();
    begin.start = loop->start;
    begin.stop = loop->stop;
    items_.push_back(begin);
    loops.push_back(loop->variable);
    values_.resize(std::max(values_.size(), loops.size()));
    flatten(loop->body, loops);
    loops.pop_back();
    Item end = begin;
    end.kind = Item::Kind::end_of_loop;
    end.jump = head + 1;
    items_.push_back(end);
    items_[head].jump = items_.size();
  }
}

void LaunchWalk::flatten_launch(const LaunchItem& item, const std::vector<std::string>& loops) {
  const auto& launch = std::get<KernelLaunch>(item.item);
  Item result;
  result.source = &item;
  result.depth = loops.size();
  const auto kernel =
      std::find_if(schedule_.kernels.begin(), schedule_.kernels.end(),
                   [&](const Kernel& candidate) { return candidate.name == launch.kernel; });
  if (kernel == schedule_.kernels.end()) {
    throw models::InputError("no kernel is called \"" + launch.kernel + "\"", item.position);
  }
  result.kernel = static_cast<std::size_t>(kernel - schedule_.kernels.begin());
  // Arguments are bound afresh, innermost loop first where two have one name.
  SymbolTable symbols;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const bool hidden = std::find(loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops.end(),
                                  loops[i]) != loops.end();
    symbols.add(hidden ? fmt::format("{}#{}", loops[i], i) : loops[i]);
  }
  for (const auto& [name, value] : launch.arguments) {
    const auto param = std::find(kernel->params.begin(), kernel->params.end(), name);
    if (param == kernel->params.end()) continue;
    Expression bound = Expression::parse(value.text(), value.where());
    bound.bind(symbols);
    result.arguments.push_back(
        {static_cast<std::size_t>(param - kernel->params.begin()), std::move(bound)});
  }
  if (launch.layer) result.layer_loop = symbols.find(*launch.layer);
  items_.push_back(std::move(result));
}

bool LaunchWalk::next(LaunchStep& step) {
  while (next_item_ < items_.size()) {
    const Item& item = items_[next_item_];
    if (item.kind == Item::Kind::loop) {
      const bool runs = item.start < item.stop;
      values_[item.depth] = item.start;
      next_item_ = runs ? next_item_ + 1 : item.jump;
      continue;
    }
    if (item.kind == Item::Kind::end_of_loop) {
      const bool again = ++values_[item.depth] < item.stop;
      next_item_ = again ? item.jump : next_item_ + 1;
      continue;
    }
    const auto& launch = std::get<KernelLaunch>(item.source->item);
    step.index = launches_++;
    step.kernel = item.kernel;
    step.where = &item.source->position;
    step.arguments.assign(schedule_.kernels[item.kernel].params.size(), 0);
    for (const Argument& argument : item.arguments) {
      step.arguments[argument.param] = argument.value.evaluate(values_);
    }
    const std::string& name = launch.name.empty() ? launch.kernel : launch.name;
    step.layer = -1;
    step.name = name;
    if (item.layer_loop >= 0) {
      step.layer = static_cast<std::int32_t>(values_[static_cast<std::size_t>(item.layer_loop)]);
      step.name = fmt::format("l{}.{}", step.layer, name);
    }
    ++next_item_;
    return true;
  }
  return false;
}

}  // namespace spyre::kernels
