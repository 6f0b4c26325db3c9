// The layout of an upload, a batt and a batch of samples as one block of bytes, and of the download.
//
// Upload, in this order: the batt (nodes, arguments, constants, roots, schedules), the Launch, the samples.
// All addresses in it are the device's. A device that has the batt gets the block from the Launch on.
// Download, in this order: a status and counts for each sample, verdicts, scores, and where outcomes are
// wanted for each sample the place of its block, the outcomes, and the blocks.
#pragma once

#include "machine/lane_loop.h"

namespace arcbatt {

// The nodes that a task's roots need, and the roots, as parts of one list of nodes and one of roots.
struct ScheduleRecord {
  u32 nodes;  // where they begin
  Stages stages;
  u32 wanted, wanted_count;
};

struct SampleRecord {
  Sample inputs;
  u32 task;  // samples of one task in a row share what depends on the task alone
  u32 schedule;
  u64 first;  // the place of its first result
};

// The elements that a sample's ops applied functions to, and those of them that ran in columns.
struct ElementCounts {
  u64 all, in_columns;
};

struct Launch {
  BattView batt;
  const Root* roots;
  const ScheduleRecord* schedules;
  const u32* order;  // node numbers
  const u32* wanted;  // root numbers
  const SampleRecord* samples;
  u64 sample_count;
  u64 chunk;  // samples in a row that a group takes at a time
  Limits limits;
  bool columns;
  u32 stop;  // set while the device runs to end it early

  // Memory of the groups: each has its registers, frames, stack and arena in a part of its own.
  u8* workspace;
  u64 group_bytes;
  u32 frame_size, stack_size;

  // Where the results of one group stay on the device: it builds values here instead of in its part.
  u8* arena;  // null for results that go back
  u8* arena_end;

  unsigned long long next;  // the first sample that nobody has taken
  unsigned long long block_top;  // bytes of blocks that are taken

  u8* statuses;
  ElementCounts* counts;
  u8* verdicts;
  i32* scores;
  u64* block_places;  // null unless outcomes are wanted
  Value* outcomes;
  u8* blocks;
  u64 block_bytes;
};

// The bytes of a group without its arena.
HOST_DEVICE constexpr u64 fixed_bytes(u64 nodes, u32 frames, u32 stack) {
  return rounded(nodes * sizeof(Value)) + rounded(u64(frames) * sizeof(Frame)) +
         rounded(u64(stack) * sizeof(Value));
}

}  // namespace arcbatt
