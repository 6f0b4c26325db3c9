// Unit tests of the parts of the core that all ops rest on: sorting, bitboards, compaction.
//
// Built and run by test_core_units.py, with sanitizers where the compiler has them; `units sort` runs one
// group.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "threads/sliding_compaction.h"
#include "values/constructors.h"

namespace {

using namespace arcbatt;

constexpr int NOT_RUN = 3;
int failures = 0;

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      ++failures;                                                          \
      std::printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
    }                                                                      \
  } while (false)

std::mt19937 draw(1);

u32 below(u32 bound) { return u32(draw() % bound); }

// A lane with an arena of its own.
class TestLane {
 public:
  explicit TestLane(u64 bytes = u64(4) << 20) : arena_(bytes / sizeof(Grain)), stack_(64), frames_(4) {
    forbid<Solo>(lane.base, lane.end);
  }
  ~TestLane() { allow<Solo>(lane.base, base() + arena_.size() * sizeof(Grain)); }

 private:
  struct alignas(ALIGNMENT) Grain {
    u8 bytes[ALIGNMENT];
  };

  u8* base() { return reinterpret_cast<u8*>(arena_.data()); }

  std::vector<Grain> arena_;
  std::vector<Value> stack_;
  std::vector<Frame> frames_;
  u32 never_stopped_ = 0;

 public:
  Lane<Solo> lane{.group = {},
                  .limits = {1u << 20, 100, 1u << 20, u64(1) << 40, u64(1) << 40, u64(1) << 30},
                  .base = base(),
                  .top = base(),
                  .end = base() + arena_.size() * sizeof(Grain),
                  .stack = stack_.data(),
                  .stack_size = u32(stack_.size()),
                  .frames = frames_.data(),
                  .frame_size = u32(frames_.size()),
                  .stop = &never_stopped_};
};

// Keys of cells in a box of this many colours, rows and columns.
std::vector<u32> random_keys(u32 count, u32 colors, u32 rows, u32 columns) {
  std::vector<u32> keys(count);
  for (u32& key : keys) key = below(colors) << 24 | (2000 + below(rows)) << 12 | (1990 + below(columns));
  return keys;
}

std::vector<u32> ascending_once(std::vector<u32> keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// An Integer, a pair, a cell, or a Tuple or Set of such.
Value random_value(Lane<Solo>& lane, u32 depth = 0) {
  const i64 number = i64(below(7)) - 3;
  switch (below(depth < 2 ? 5 : 3)) {
    case 0: return integer_value(below(8) ? i32(number) : i32(draw()));
    case 1: return make_pair(lane, number, i64(below(4)));
    case 2: return make_cell(lane, {i64(below(10)), number, i64(below(4))});
    default: break;
  }
  Value parts[4];
  const u32 count = below(5);
  for (u32 k = 0; k < count; ++k) parts[k] = random_value(lane, depth + 1);
  return below(2) ? make_tuple(lane, parts, count) : make_set(lane, parts, count);
}

void keys_are_sorted_and_kept_once() {
  TestLane own;
  const u32 boxes[][3] = {{1, 8, 8}, {1, 30, 30}, {10, 30, 30}, {10, 2000, 2000}, {1, 1, 200}, {1, 2000, 1}};
  for (const auto& [colors, rows, columns] : boxes) {
    for (u32 count : {0u, 1u, 2u, 15u, 16u, 48u, 49u, 300u, 5000u}) {
      std::vector<u32> keys = random_keys(count, colors, rows, columns);
      const std::vector<u32> wanted = ascending_once(keys);
      keys.resize(sort_keys(own.lane, keys.data(), count));
      CHECK(keys == wanted);
    }
  }
  CHECK(own.lane.top == own.lane.base && !own.lane.failed());
}

void keys_without_memory_to_sort_them_fail() {
  TestLane own(256);
  std::vector<u32> keys = random_keys(300, 10, 2000, 2000);
  CHECK(sort_keys(own.lane, keys.data(), 300) == 0);
  CHECK(own.lane.status == Status::overflow);
}

void positions_of_equal_elements_keep_their_order() {
  TestLane own;
  for (u32 count : {0u, 1u, 2u, 3u, 7u, 64u, 65u, 1000u}) {
    std::vector<u32> keys(count), positions(count);
    for (u32 k = 0; k < count; ++k) {
      keys[k] = below(10);
      positions[k] = k;
    }
    std::vector<u32> wanted = positions;
    std::stable_sort(wanted.begin(), wanted.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    CHECK(sort_positions(own.lane, positions.data(), count, [&](u32 a, u32 b) { return keys[a] < keys[b]; }));
    CHECK(positions == wanted);
  }
}

void values_are_sorted_and_kept_once() {
  for (u32 count : {1u, 2u, 20u, 127u, 128u, 1000u}) {
    TestLane own;
    Lane<Solo>& lane = own.lane;
    std::vector<Value> values(count), sorted(count);
    for (Value& value : values) value = random_value(lane);
    sorted.resize(sort_values(lane, values.data(), count, sorted.data()));
    for (u32 k = 1; k < sorted.size(); ++k) CHECK(compare(lane, sorted[k - 1], sorted[k]) < 0);
    const auto is_among_sorted = [&](Value value) {
      return std::any_of(sorted.begin(), sorted.end(), [&](Value v) { return equal(lane, v, value); });
    };
    CHECK(std::all_of(values.begin(), values.end(), is_among_sorted));
    CHECK(!lane.failed());
  }
}

void a_board_gives_keys_back_once_and_ascending() {
  TestLane own;
  const u32 boxes[][3] = {{1, 8, 8}, {3, 30, 64}, {2, 30, 65}, {1, 200, 200}, {10, 1, 1}};
  for (const auto& [colors, rows, columns] : boxes) {
    for (u32 count : {1u, 5u, 500u}) {
      std::vector<u32> keys = random_keys(count, colors, rows, columns);
      Scratch<Solo> scratch(own.lane);
      const Bitboard<Solo> board(own.lane, scratch, box_of(own.lane.group, keys.data(), count));
      CHECK(board.exists());
      board.put_all(keys.data(), count);
      const std::vector<u32> wanted = ascending_once(keys);
      CHECK(board.count() == wanted.size());
      keys.resize(board.write(keys.data()));
      CHECK(keys == wanted);
    }
  }
}

void a_line_on_a_board_is_its_keys_one_by_one() {
  TestLane own;
  for (i32 down = -1; down <= 1; ++down) {
    for (i32 right = -1; right <= 1; ++right) {
      for (u32 columns : {40u, 100u}) {
        Scratch<Solo> scratch(own.lane);
        const KeyBox box{NO_COLOR, 1, 2000, 40, 2000, columns};
        const Bitboard<Solo> line(own.lane, scratch, box), single(own.lane, scratch, box);
        const u32 first = NO_COLOR << 24 | 2020u << 12 | 2019u;
        for (u32 k = 0; k < 15; ++k) single.put(first + k * u32(down * 4096 + right));
        line.put_line(first, down, right, 15);
        std::vector<u32> found(40 * columns), wanted(40 * columns);
        found.resize(line.write(found.data()));
        wanted.resize(single.write(wanted.data()));
        CHECK(found == wanted && found.size() == (down || right ? 15 : 1));
      }
    }
  }
}

void a_board_takes_no_key_outside_its_box() {
  TestLane own;
  Scratch<Solo> scratch(own.lane);
  const KeyBox box{2, 3, 100, 10, 200, 10};
  const Bitboard<Solo> board(own.lane, scratch, box);
  u32 taken = 0;
  for (u32 color = 0; color < 8; ++color) {
    for (u32 row = 95; row < 115; ++row) {
      for (u32 column = 195; column < 215; ++column) {
        const bool is_inside =
            color >= 2 && color < 5 && row >= 100 && row < 110 && column >= 200 && column < 210;
        CHECK(board.add(color << 24 | row << 12 | column) == is_inside);
        taken += is_inside;
      }
    }
  }
  CHECK(board.count() == taken);
}

void bits_are_written_ascending() {
  u32 places[64];
  for (u64 word : {u64(0), u64(1), u64(1) << 63, ~u64(0), u64(0xf0), u64(0x8000000000000101)}) {
    const u32 count = u32(write_bits(word, 1000, places) - places);
    u64 read = 0;
    for (u32 k = 0; k < count; ++k) read |= u64(1) << (places[k] - 1000);
    CHECK(read == word && count == bit_count(word));
    CHECK(std::is_sorted(places, places + count));
  }
}

// A Tuple of Tuples in the arena, with `waste` bytes in front of each part.
Value nested(Lane<Solo>& lane, u32 parts, u64 waste) {
  std::vector<Value> made(parts);
  for (u32 k = 0; k < parts; ++k) {
    lane.allocate(waste);
    const Value numbers[] = {integer_value(i32(k)), make_pair(lane, i64(k) << 20, 7), integer_value(9)};
    made[k] = make_tuple(lane, numbers, 3);
  }
  return make_tuple(lane, made.data(), parts);
}

void a_result_moves_down_over_what_an_application_used() {
  for (u64 waste : {u64(0), u64(64), u64(4096)}) {
    TestLane own, other;
    Lane<Solo>& lane = own.lane;
    const Value wanted = nested(other.lane, 40, 0);
    lane.allocate(160);
    u8* const mark = lane.top;
    lane.allocate(waste * 8);
    const Value result = reclaimed(lane, mark, nested(lane, 40, waste));
    CHECK(equal(lane, result, wanted));
    CHECK(lane.top - mark <= i64(WORTH_COMPACTING));
    const Value numbers = reclaimed(lane, mark, make_integers(lane, 100, [](u32 k) { return i64(k); }));
    CHECK(count_of(numbers) == 100 && reinterpret_cast<const u8*>(numbers.head()) == mark);
    CHECK(lane.top == mark + own_bytes(numbers.head()));
    CHECK(reclaimed(lane, mark, integer_value(5)).integer() == 5 && lane.top == mark);
  }
}

void what_lies_before_an_application_is_shared_not_copied() {
  TestLane own;
  Lane<Solo>& lane = own.lane;
  const Value before = nested(lane, 3, 0);
  u8* const mark = lane.top;
  lane.allocate(2 * WORTH_COMPACTING);
  const Value made = nested(lane, 2, 0), pair[] = {before, made};
  const Value result = reclaimed(lane, mark, make_plain(lane, Form::tuple, pair, 2));
  CHECK(content<Value>(result.head())[0].head() == before.head());
  CHECK(equal(lane, content<Value>(result.head())[1], nested(lane, 2, 0)));
}

void live_values_slide_over_dead_ones() {
  TestLane own, other;
  Lane<Solo>& lane = own.lane;
  std::vector<Value> live, wanted;
  for (u32 k = 0; k < 30; ++k) {
    const Value made = nested(lane, 1 + k, 0);
    if (k % 3) continue;
    live.push_back(made);
    wanted.push_back(nested(other.lane, 1 + k, 0));
  }
  const Value twice[] = {live[2], live[2]};
  const Value shared = make_plain(lane, Form::tuple, twice, 2);
  Compaction compaction(lane.base, lane.top);
  for (const Value value : live) compaction.mark(value);
  compaction.mark(shared);
  u8* const before = lane.top;
  lane.release(compaction.slide());
  CHECK(lane.top < before);
  for (u64 k = 0; k < live.size(); ++k) CHECK(equal(lane, compaction.moved(live[k]), wanted[k]));
  const Value* parts = content<Value>(compaction.moved(shared).head());
  CHECK(parts[0].head() == parts[1].head() && parts[0].head() == compaction.moved(live[2]).head());
}

void sort() {
  keys_are_sorted_and_kept_once();
  keys_without_memory_to_sort_them_fail();
  positions_of_equal_elements_keep_their_order();
  values_are_sorted_and_kept_once();
}

void bitboard() {
  a_board_gives_keys_back_once_and_ascending();
  a_line_on_a_board_is_its_keys_one_by_one();
  a_board_takes_no_key_outside_its_box();
  bits_are_written_ascending();
}

void compaction() {
  a_result_moves_down_over_what_an_application_used();
  what_lies_before_an_application_is_shared_not_copied();
  live_values_slide_over_dead_ones();
}

// Touch memory of an arena that is free, which AddressSanitizer must notice.
void free_memory() {
  TestLane own;
  own.lane.top[0] = 1;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool NOTICES_FREE_MEMORY = true;
#else
constexpr bool NOTICES_FREE_MEMORY = false;
#endif

}  // namespace

int main(int count, char** words) {
  const std::string group = count > 1 ? words[1] : "";
  if (group == "sort") sort();
  else if (group == "bitboard") bitboard();
  else if (group == "compaction") compaction();
  else if (group == "free memory" && NOTICES_FREE_MEMORY) free_memory();
  else return NOT_RUN;
  return failures ? 1 : 0;
}
