// SHA-256 (FIPS 180-4) of two messages at once, on processors with SHA instructions. Each round waits for the one
// before, so two independent digests take little longer than one.
//
// These digests only identify containers. OpenSSL computes all digests that signatures cover.

#include "internal.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>

enum { BLOCK = 64, LENGTH = 8, GROUPS = 16 };

#define SHA_CODE __attribute__((target("sha,sse4.1")))
#define SHA_INLINE static inline __attribute__((always_inline, target("sha,sse4.1")))

/// 4.2.2: four constants for each group of rounds.
static const uint32_t constants[GROUPS][4] = {
    {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5}, {0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5},
    {0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3}, {0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174},
    {0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc}, {0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da},
    {0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7}, {0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967},
    {0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13}, {0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85},
    {0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3}, {0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070},
    {0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5}, {0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3},
    {0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208}, {0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2},
};

/// A message that is being hashed.
typedef struct {
    /// The state, in the order of the instructions.
    __m128i abef, cdgh;
    /// The next blocks: at first those of the message, then its end with the padding.
    const uint8_t *next;
    size_t blocks, end_blocks;
    uint8_t end[2 * BLOCK];
} message;

/// Reverses the octets of each word.
SHA_INLINE __m128i swapped(__m128i words) {
    return _mm_shuffle_epi8(words, _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
}

SHA_CODE static void start(message *message, receipt_crypto_slice bytes) {
    // 5.3.3: the initial hash value.
    message->abef = _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c);
    message->cdgh = _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19);
    message->next = bytes.bytes;
    message->blocks = bytes.count / BLOCK;
    // 5.1.1: a bit of 1, zeros, and the length in bits.
    size_t rest = bytes.count % BLOCK;
    uint64_t bits = __builtin_bswap64(8 * (uint64_t)bytes.count);
    message->end_blocks = rest < BLOCK - LENGTH ? 1 : 2;
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

/// Runs four rounds (6.2.2). `words` has the last sixteen words of the message schedule.
SHA_INLINE void run_group(__m128i *abef, __m128i *cdgh, __m128i words[4], const uint8_t *block, int group) {
    __m128i *word = &words[group % 4];
    if (group < 4) {
        *word = swapped(_mm_loadu_si128((const __m128i *)block + group));
    } else {
        __m128i last = words[(group + 3) % 4];
        __m128i sum = _mm_sha256msg1_epu32(*word, words[(group + 1) % 4]);
        *word = _mm_sha256msg2_epu32(_mm_add_epi32(sum, _mm_alignr_epi8(last, words[(group + 2) % 4], 4)), last);
    }
    __m128i input = _mm_add_epi32(*word, _mm_loadu_si128((const __m128i *)constants[group]));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, input);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(input, 0x0E));
}

/// Hashes the next blocks of both messages.
SHA_CODE static void run(message *first, message *second, size_t blocks) {
    const uint8_t *one = first->next, *other = second->next;
    __m128i state[4] = {first->abef, first->cdgh, second->abef, second->cdgh};
    for (size_t i = 0; i < blocks; i++, one += BLOCK, other += BLOCK) {
        __m128i words[2][4], before[4];
        memcpy(before, state, sizeof before);
        _Pragma("clang loop unroll(full)") for (int group = 0; group < GROUPS; group++) {
            run_group(&state[0], &state[1], words[0], one, group);
            run_group(&state[2], &state[3], words[1], other, group);
        }
        for (int j = 0; j < 4; j++) state[j] = _mm_add_epi32(state[j], before[j]);
    }
    first->abef = state[0], first->cdgh = state[1], first->next = one, first->blocks -= blocks;
    second->abef = state[2], second->cdgh = state[3], second->next = other, second->blocks -= blocks;
}

SHA_CODE static void store(const message *message, receipt_crypto_digest *digest) {
    __m128i abcd = _mm_unpackhi_epi64(message->cdgh, message->abef);
    __m128i efgh = _mm_unpacklo_epi64(message->cdgh, message->abef);
    __m128i words[] = {swapped(_mm_shuffle_epi32(abcd, 0x1B)), swapped(_mm_shuffle_epi32(efgh, 0x1B))};
    memcpy(digest->bytes, words, sizeof words);
    digest->count = sizeof words;
}

static bool has_sha;

static void detect(void) {
    unsigned eax, ebx, ecx, edx;
    has_sha = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit_SHA) != 0
        && __builtin_cpu_supports("sse4.1");
}

bool receipt_crypto_sha256_pair(
    receipt_crypto_slice first, receipt_crypto_slice second, receipt_crypto_digest *first_digest,
    receipt_crypto_digest *second_digest) {
    // In a virtual machine, asking the processor takes longer than a digest.
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, detect);
    if (!has_sha) return false;
    message one, other;
    start(&one, first);
    start(&other, second);
    while (has_blocks(&one) && has_blocks(&other))
        run(&one, &other, one.blocks < other.blocks ? one.blocks : other.blocks);
    message *longer = one.blocks > 0 ? &one : &other;
    while (has_blocks(longer)) {
        message copy = *longer;
        run(longer, &copy, longer->blocks);
    }
    store(&one, first_digest);
    store(&other, second_digest);
    return true;
}

#else

bool receipt_crypto_sha256_pair(
    receipt_crypto_slice first, receipt_crypto_slice second, receipt_crypto_digest *first_digest,
    receipt_crypto_digest *second_digest) {
    (void)first, (void)second, (void)first_digest, (void)second_digest;
    return false;
}

#endif
