// The quick part of base64. Sixteen characters a step take arithmetic on vectors, which Swift's standard library
// does element by element; the decoder in Swift judges all that is not plain.

#include "include/CReceiptCrypto.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

typedef uint8_t bytes_16 __attribute__((vector_size(16)));
typedef int8_t characters_16 __attribute__((vector_size(16)));
typedef uint16_t pairs_8 __attribute__((vector_size(16)));
typedef uint32_t groups_4 __attribute__((vector_size(16)));
typedef uint64_t words_2 __attribute__((vector_size(16)));

enum { STEP = 16, STEP_BYTES = 12, STEP_ROOM = 14 };

static bool any(bytes_16 bytes) { return (((words_2)bytes)[0] | ((words_2)bytes)[1]) != 0; }

size_t receipt_crypto_base64(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    size_t taken = 0;
    bytes_16 others = {0};
    for (; text.count - taken >= STEP && room >= STEP_ROOM; taken += STEP, bytes += STEP_BYTES, room -= STEP_BYTES) {
        characters_16 text_16;
        memcpy(&text_16, text.bytes + taken, STEP);
        // What is outside ASCII is negative, and so below them all.
        bytes_16 upper = (bytes_16)((text_16 >= 'A') & (text_16 <= 'Z'));
        bytes_16 lower = (bytes_16)((text_16 >= 'a') & (text_16 <= 'z'));
        bytes_16 digit = (bytes_16)((text_16 >= '0') & (text_16 <= '9'));
        bytes_16 plus = (bytes_16)(text_16 == '+'), slash = (bytes_16)(text_16 == '/');
        // From character to value; no distance is 0, so 0 is a character of no alphabet, or of the other one.
        bytes_16 distance = (upper & (uint8_t)(0 - 'A')) | (lower & (uint8_t)(26 - 'a'))
            | (digit & (uint8_t)(52 - '0')) | (plus & (uint8_t)(62 - '+')) | (slash & (uint8_t)(63 - '/'));
        if (any((bytes_16)(distance == 0))) break;
        others |= plus | slash;
        // Six bits of each byte, then twelve of each pair, 24 of each group of four, 48 of each word.
        pairs_8 pairs = (pairs_8)((bytes_16)text_16 + distance);
        groups_4 groups = (groups_4)((pairs & 0xFF) << 6 | pairs >> 8);
        words_2 words = (words_2)((groups & 0xFFFF) << 12 | groups >> 16);
        words = (words & 0xFFFFFFFF) << 40 | words >> 32 << 16;
        // Six bytes of each are the content; the second overwrites what the first has too many.
        uint64_t first = __builtin_bswap64(words[0]), second = __builtin_bswap64(words[1]);
        memcpy(bytes, &first, sizeof first);
        memcpy(bytes + 6, &second, sizeof second);
    }
    *has_plus_or_slash = any(others);
    return taken;
}

#else

size_t receipt_crypto_base64(
    receipt_crypto_slice text, uint8_t *bytes, size_t room, bool *has_plus_or_slash) {
    (void)text, (void)bytes, (void)room;
    *has_plus_or_slash = false;
    return 0;
}

#endif
