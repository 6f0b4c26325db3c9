// BLAKE2b (RFC 7693) with a digest of 16 bytes and no key. Host only.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "values/integers.h"

namespace arcbatt {

class Blake2b {
 public:
  static constexpr u64 DIGEST_SIZE = 16;

  static void digest(const std::string& content, u8* made) {
    const u8* const bytes = reinterpret_cast<const u8*>(content.data());
    u64 state[8], done = 0;
    for (u32 k = 0; k < 8; ++k) state[k] = START[k];
    state[0] ^= 0x01010000 ^ DIGEST_SIZE;
    for (; content.size() - done > BLOCK; done += BLOCK) mix(state, bytes + done, done + BLOCK, false);
    u8 last[BLOCK] = {};
    std::copy(bytes + done, bytes + content.size(), last);
    mix(state, last, content.size(), true);
    for (u64 k = 0; k < DIGEST_SIZE; ++k) made[k] = u8(state[k / 8] >> 8 * (k % 8));
  }

 private:
  static constexpr u64 BLOCK = 128;
  static constexpr u64 START[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                   0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                   0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
  static constexpr u8 ORDERS[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

  static u64 word(const u8* bytes) {
    u64 made = 0;
    for (u32 k = 0; k < 8; ++k) made |= u64(bytes[k]) << 8 * k;
    return made;
  }

  // Mix a block into the state; `count` is the number of bytes up to its end.
  static void mix(u64* state, const u8* block, u64 count, bool is_last) {
    u64 m[16], v[16];
    for (u32 k = 0; k < 16; ++k) {
      m[k] = word(block + 8 * k);
      v[k] = k < 8 ? state[k] : START[k - 8];
    }
    v[12] ^= count;
    if (is_last) v[14] = ~v[14];
    const auto quarter = [&](u32 a, u32 b, u32 c, u32 d, u64 x, u64 y) {
      v[a] += v[b] + x;
      v[d] = std::rotr(v[d] ^ v[a], 32);
      v[c] += v[d];
      v[b] = std::rotr(v[b] ^ v[c], 24);
      v[a] += v[b] + y;
      v[d] = std::rotr(v[d] ^ v[a], 16);
      v[c] += v[d];
      v[b] = std::rotr(v[b] ^ v[c], 63);
    };
    for (u32 round = 0; round < 12; ++round) {
      const u8* const order = ORDERS[round % 10];
      for (u32 k = 0; k < 4; ++k)  // columns
        quarter(k, 4 + k, 8 + k, 12 + k, m[order[2 * k]], m[order[2 * k + 1]]);
      for (u32 k = 0; k < 4; ++k)  // diagonals
        quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4, m[order[8 + 2 * k]],
                m[order[9 + 2 * k]]);
    }
    for (u32 k = 0; k < 8; ++k) state[k] ^= v[k] ^ v[k + 8];
  }
};

}  // namespace arcbatt
