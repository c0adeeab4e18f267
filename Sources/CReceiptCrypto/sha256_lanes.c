// SHA-256 (FIPS 180-4) of sixteen messages at once, on processors with AVX-512. A vector has the same word of each
// message.
//
// These digests only identify bytes. OpenSSL computes all digests that signatures cover.

#include "internal.h"

#if defined(__x86_64__)

#include <immintrin.h>

enum { BLOCK = 64, LENGTH = 8, WORDS = 16, STATE = 8, MESSAGES = 16 };

#define WIDE_CODE __attribute__((target("avx512f,avx512bw")))
#define WIDE_INLINE static inline __attribute__((always_inline, target("avx512f,avx512bw")))

/// 4.2.2: a constant for each round.
static const uint32_t constants[4][WORDS] = {
    {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
     0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174},
    {0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
     0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967},
    {0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
     0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070},
    {0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
     0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2},
};

/// 5.3.3: the initial hash value.
static const uint32_t initial[STATE] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// A message that is being hashed.
typedef struct {
    /// The next blocks: at first those of the message, then its end with the padding. An idle lane hashes the first
    /// block of `end` again and again.
    const uint8_t *next;
    size_t blocks, end_blocks, step;
    /// NULL if the lane is idle.
    receipt_crypto_digest *digest;
    uint8_t end[2 * BLOCK];
} message;

typedef struct {
    uint32_t state[STATE][MESSAGES] __attribute__((aligned(64)));
    message messages[MESSAGES];
} lanes;

// MARK: - Blocks

WIDE_INLINE __m512i parity(__m512i x, __m512i y, __m512i z) { return _mm512_ternarylogic_epi32(x, y, z, 0x96); }

/// Turns rows of one message each into rows of one word each.
WIDE_INLINE void transpose(__m512i rows[WORDS]) {
    __m512i half[WORDS];
    for (int i = 0; i < WORDS; i += 2) {
        half[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
        half[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    for (int i = 0; i < WORDS; i += 4) {
        rows[i] = _mm512_unpacklo_epi64(half[i], half[i + 2]);
        rows[i + 1] = _mm512_unpackhi_epi64(half[i], half[i + 2]);
        rows[i + 2] = _mm512_unpacklo_epi64(half[i + 1], half[i + 3]);
        rows[i + 3] = _mm512_unpackhi_epi64(half[i + 1], half[i + 3]);
    }
    // Each row now has four words of every fourth column.
    for (int i = 0; i < WORDS; i += 8) {
        for (int j = i; j < i + 4; j++) {
            half[j] = _mm512_shuffle_i32x4(rows[j], rows[j + 4], 0x88);
            half[j + 4] = _mm512_shuffle_i32x4(rows[j], rows[j + 4], 0xDD);
        }
    }
    for (int i = 0; i < WORDS / 2; i++) {
        rows[i] = _mm512_shuffle_i32x4(half[i], half[i + 8], 0x88);
        rows[i + 8] = _mm512_shuffle_i32x4(half[i], half[i + 8], 0xDD);
    }
}

/// Computes the word of the schedule sixteen rounds later (6.2.2, step 1).
WIDE_INLINE void replace(__m512i words[WORDS], int i) {
    __m512i one = words[(i + 1) % WORDS], other = words[(i + 14) % WORDS];
    one = parity(_mm512_ror_epi32(one, 7), _mm512_ror_epi32(one, 18), _mm512_srli_epi32(one, 3));
    other = parity(_mm512_ror_epi32(other, 17), _mm512_ror_epi32(other, 19), _mm512_srli_epi32(other, 10));
    words[i] = _mm512_add_epi32(_mm512_add_epi32(words[i], one), _mm512_add_epi32(words[(i + 9) % WORDS], other));
}

/// Keeps the compiler from reordering additions. In the order below, each round waits as briefly as possible for the one
/// before.
#define KEEP(sum) __asm__("" : "+v"(sum))

/// Runs sixteen rounds (6.2.2, step 3).
WIDE_INLINE void run_rounds(
    __m512i state[STATE], __m512i words[WORDS], const uint32_t constants[WORDS], bool is_last) {
    _Pragma("clang loop unroll(full)") for (int i = 0; i < WORDS; i++) {
        // The variables a to h are those of the standard. They move by one place with each round.
#define VARIABLE(place) state[((place) + WORDS - i) % STATE]
        __m512i a = VARIABLE(0), b = VARIABLE(1), c = VARIABLE(2), d = VARIABLE(3);
        __m512i e = VARIABLE(4), f = VARIABLE(5), g = VARIABLE(6), h = VARIABLE(7);
        __m512i input = _mm512_add_epi32(h, _mm512_add_epi32(words[i], _mm512_set1_epi32((int)constants[i])));
        if (!is_last) replace(words, i);
        __m512i choice = _mm512_ternarylogic_epi32(e, f, g, 0xCA), majority = _mm512_ternarylogic_epi32(a, b, c, 0xE8);
        __m512i sum_a = parity(_mm512_ror_epi32(a, 2), _mm512_ror_epi32(a, 13), _mm512_ror_epi32(a, 22));
        __m512i sum_e = parity(_mm512_ror_epi32(e, 6), _mm512_ror_epi32(e, 11), _mm512_ror_epi32(e, 25));
        d = _mm512_add_epi32(d, input);
        KEEP(d);
        d = _mm512_add_epi32(d, choice);
        h = _mm512_add_epi32(input, choice);
        KEEP(d);
        KEEP(h);
        VARIABLE(3) = _mm512_add_epi32(d, sum_e);
        h = _mm512_add_epi32(h, sum_e);
        KEEP(h);
        h = _mm512_add_epi32(h, majority);
        KEEP(h);
        VARIABLE(7) = _mm512_add_epi32(h, sum_a);
#undef VARIABLE
    }
}

/// Hashes the next blocks of all messages.
WIDE_CODE static void run(lanes *lanes, size_t blocks) {
    const __m512i big_endian = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    __m512i state[STATE], before[STATE], words[WORDS];
    memcpy(state, lanes->state, sizeof state);
    for (size_t block = 0; block < blocks; block++) {
        for (int i = 0; i < MESSAGES; i++) {
            words[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(lanes->messages[i].next), big_endian);
            lanes->messages[i].next += lanes->messages[i].step;
        }
        transpose(words);
        memcpy(before, state, sizeof before);
        for (int i = 0; i < 3; i++) run_rounds(state, words, constants[i], false);
        run_rounds(state, words, constants[3], true);
        for (int i = 0; i < STATE; i++) state[i] = _mm512_add_epi32(state[i], before[i]);
    }
    memcpy(lanes->state, state, sizeof state);
}

// MARK: - Messages

static void start(lanes *lanes, int lane, receipt_crypto_slice bytes, receipt_crypto_digest *digest) {
    message *message = &lanes->messages[lane];
    for (int i = 0; i < STATE; i++) lanes->state[i][lane] = initial[i];
    // 5.1.1: a bit of 1, zeros, and the length in bits.
    size_t rest = bytes.count % BLOCK;
    uint64_t bits = __builtin_bswap64(8 * (uint64_t)bytes.count);
    message->next = bytes.bytes;
    message->blocks = bytes.count / BLOCK;
    message->end_blocks = rest < BLOCK - LENGTH ? 1 : 2;
    message->step = BLOCK;
    message->digest = digest;
    memset(message->end, 0, sizeof message->end);
    if (rest > 0) memcpy(message->end, bytes.bytes + bytes.count - rest, rest);
    message->end[rest] = 0x80;
    memcpy(message->end + message->end_blocks * BLOCK - LENGTH, &bits, LENGTH);
}

/// Returns whether there are blocks left.
static bool has_blocks(message *message) {
    if (message->blocks == 0) {
        message->next = message->end;
        message->blocks = message->end_blocks;
        message->end_blocks = 0;
    }
    return message->blocks > 0;
}

static void finish(lanes *lanes, int lane) {
    message *message = &lanes->messages[lane];
    for (int i = 0; i < STATE; i++) {
        uint32_t word = __builtin_bswap32(lanes->state[i][lane]);
        memcpy(message->digest->bytes + i * sizeof word, &word, sizeof word);
    }
    message->digest->count = sizeof initial;
    message->digest = NULL;
    message->next = message->end;
    message->step = 0;
}

bool receipt_crypto_sha256_each(const receipt_crypto_slice *messages, size_t count, receipt_crypto_digest *digests) {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) return false;
    lanes lanes;
    memset(&lanes, 0, sizeof lanes);
    for (int lane = 0; lane < MESSAGES; lane++) lanes.messages[lane].next = lanes.messages[lane].end;
    for (size_t started = 0;;) {
        // The smallest number of blocks that a busy lane has left.
        size_t blocks = SIZE_MAX;
        for (int lane = 0; lane < MESSAGES; lane++) {
            message *message = &lanes.messages[lane];
            if (message->digest != NULL && !has_blocks(message)) finish(&lanes, lane);
            if (message->digest == NULL && started < count) {
                start(&lanes, lane, messages[started], &digests[started]);
                has_blocks(message);
                started++;
            }
            if (message->digest != NULL && message->blocks < blocks) blocks = message->blocks;
        }
        if (blocks == SIZE_MAX) return true;
        run(&lanes, blocks);
        for (int lane = 0; lane < MESSAGES; lane++)
            if (lanes.messages[lane].digest != NULL) lanes.messages[lane].blocks -= blocks;
    }
}

#else

bool receipt_crypto_sha256_each(const receipt_crypto_slice *messages, size_t count, receipt_crypto_digest *digests) {
    (void)messages, (void)count, (void)digests;
    return false;
}

#endif
