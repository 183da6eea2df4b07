#include "models/dram/lpddr5_channel.h"

namespace spyre::models {
namespace {

std::variant<RunScheduler, BurstScheduler> make_scheduler(const DramDescription& dram,
                                                          const AddressMap& map, ChannelTier tier) {
  if (tier == ChannelTier::burst) return BurstScheduler(dram, map);
  return RunScheduler(dram, map);
}

}  // namespace

Lpddr5Channel::Lpddr5Channel(const DramDescription& dram, const AddressMap& map, ChannelTier tier)
    : gaps_(dram.timing), scheduler_(make_scheduler(dram, map, tier)) {}

}  // namespace spyre::models
