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

#include <immintrin.h>

/// Decodes 64 characters at a time. The rest is left to the code for other processors.
__attribute__((target("avx512f,avx512bw,avx512vbmi"))) static size_t decode_with_vbmi(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    enum { WIDE = 64, WIDE_BYTES = 48, OTHER = 0x80 };
    // The values of the 128 ASCII characters.
    uint8_t values[2 * WIDE], order[WIDE] = {0};
    memset(values, OTHER, sizeof values);
    for (uint8_t i = 0; i < 26; i++) values['A' + i] = i, values['a' + i] = 26 + i;
    for (uint8_t i = 0; i < 10; i++) values['0' + i] = 52 + i;
    values['+'] = 62, values['/'] = 63;
    // The three bytes of a group of four are in reverse order.
    for (uint8_t i = 0; i < WIDE_BYTES; i++) order[i] = i / 3 * 4 + 2 - i % 3;
    __m512i low = _mm512_loadu_si512(values), high = _mm512_loadu_si512(values + WIDE);
    __m512i content_order = _mm512_loadu_si512(order);
    __mmask64 others = 0;
    size_t taken = 0;
    for (; text.count - taken >= WIDE && room >= WIDE; taken += WIDE, bytes += WIDE_BYTES, room -= WIDE_BYTES) {
        __m512i characters = _mm512_loadu_si512(text.bytes + taken);
        __m512i sextets = _mm512_permutex2var_epi8(low, characters, high);
        // Characters outside ASCII also have the highest bit.
        if (_mm512_movepi8_mask(_mm512_or_si512(characters, sextets)) != 0) break;
        others |= _mm512_cmpge_epu8_mask(sextets, _mm512_set1_epi8(62));
        __m512i pairs = _mm512_maddubs_epi16(sextets, _mm512_set1_epi16(0x0140));
        __m512i groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
        _mm512_storeu_si512(bytes, _mm512_permutexvar_epi8(content_order, groups));
    }
    *has_plus_or_slash = others != 0;
    return taken;
}

__attribute__((target("avx2"))) static size_t decode_with_avx2(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    return decode(text, bytes, room, has_plus_or_slash);
}

#endif

size_t receipt_crypto_base64(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
#if defined(__x86_64__)
    size_t taken = 0;
    bool has_others = false;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        taken = decode_with_vbmi(text, bytes, room, &has_others);
    text.bytes += taken, text.count -= taken;
    bytes += taken / 4 * 3, room -= taken / 4 * 3;
    taken += __builtin_cpu_supports("avx2") ? decode_with_avx2(text, bytes, room, has_plus_or_slash)
                                            : decode(text, bytes, room, has_plus_or_slash);
    *has_plus_or_slash |= has_others;
    return taken;
#else
    return decode(text, bytes, room, has_plus_or_slash);
#endif
}

#else

size_t receipt_crypto_base64(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    (void)text, (void)bytes, (void)room;
    *has_plus_or_slash = false;
    return 0;
}

#endif
