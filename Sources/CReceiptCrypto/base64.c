// The fast path of base64. Decoding 32 characters at a time needs vector arithmetic, which Swift's standard library
// does element by element. The decoder in Swift handles all other characters.

#include "include/CReceiptCrypto.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

enum { STEP = 32, STEP_BYTES = 24 };

typedef uint8_t bytes_32 __attribute__((vector_size(STEP)));
typedef int8_t characters_32 __attribute__((vector_size(STEP)));
typedef uint16_t pairs_16 __attribute__((vector_size(STEP)));
typedef uint32_t groups_8 __attribute__((vector_size(STEP)));
typedef uint64_t words_4 __attribute__((vector_size(STEP)));

/// Returns whether any byte is not 0. Takes a pointer, because the calling convention for such vectors depends on the
/// processor.
static inline __attribute__((always_inline)) bool any(const bytes_32 *bytes) {
    words_4 words = *(const words_4 *)bytes;
    return (words[0] | words[1] | words[2] | words[3]) != 0;
}

/// Decodes plain characters. Inlined into functions for different processors.
static inline __attribute__((always_inline)) size_t decode(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    size_t taken = 0;
    bytes_32 others = {0};
    for (; text.count - taken >= STEP && room >= STEP; taken += STEP, bytes += STEP_BYTES, room -= STEP_BYTES) {
        characters_32 text_32;
        memcpy(&text_32, text.bytes + taken, STEP);
        // Characters outside ASCII are negative, and so below all ranges.
        bytes_32 upper = (bytes_32)((text_32 >= 'A') & (text_32 <= 'Z'));
        bytes_32 lower = (bytes_32)((text_32 >= 'a') & (text_32 <= 'z'));
        bytes_32 digit = (bytes_32)((text_32 >= '0') & (text_32 <= '9'));
        bytes_32 plus = (bytes_32)(text_32 == '+'), slash = (bytes_32)(text_32 == '/');
        // The distance from character to value. No distance is 0, so 0 marks a character that is not in this
        // alphabet.
        bytes_32 distance = (upper & (uint8_t)(0 - 'A')) | (lower & (uint8_t)(26 - 'a'))
            | (digit & (uint8_t)(52 - '0')) | (plus & (uint8_t)(62 - '+')) | (slash & (uint8_t)(63 - '/'));
        bytes_32 not_plain = (bytes_32)(distance == 0);
        if (any(&not_plain)) break;
        others |= plus | slash;
        // Joins the six bits of each byte into 12 bits for each pair, then into 24 for each group of four. These three
        // bytes are in reverse order.
        pairs_16 pairs = (pairs_16)((bytes_32)text_32 + distance);
        groups_8 groups = (groups_8)((pairs & 0xFF) << 6 | pairs >> 8);
        bytes_32 triples = (bytes_32)((groups & 0xFFFF) << 12 | groups >> 16);
        bytes_32 content = __builtin_shufflevector(
            triples, triples, 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 18, 17, 16, 22, 21, 20, 26, 25, 24, 30, 29, 28,
            3, 3, 3, 3, 3, 3, 3, 3);
        memcpy(bytes, &content, STEP);
    }
    *has_plus_or_slash = any(&others);
    return taken;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static size_t decode_with_avx2(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    return decode(text, bytes, room, has_plus_or_slash);
}

#endif

size_t receipt_crypto_base64(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return decode_with_avx2(text, bytes, room, has_plus_or_slash);
#endif
    return decode(text, bytes, room, has_plus_or_slash);
}

#else

size_t receipt_crypto_base64(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    (void)text, (void)bytes, (void)room;
    *has_plus_or_slash = false;
    return 0;
}

#endif
