/// A hash with a random key of the process. Two different values collide with a probability of their length
/// in words divided by 2^61. This also holds for values that an attacker chose, because hashes are never
/// disclosed.
///
/// The words are the coefficients of a polynomial that is evaluated at the key, modulo 2^61 - 1 (Carter and
/// Wegman, "New hash functions and their use in authentication and set equality", 1981). SipHash guarantees
/// more than is needed here, and takes five times as long for values this short.
struct KeyedHash {
    private static let prime: UInt64 = 1 << 61 - 1
    private static let key = UInt64.random(in: 1 << 32..<prime)

    private let key = Self.key
    private var state: UInt64 = 1

    @inline(__always)
    private mutating func add(_ word: UInt64) {
        let product = state.multipliedFullWidth(by: key)
        let sum = (product.high << 3 | product.low >> 61) &+ (product.low & Self.prime) &+ word
        // The result is at most two more than the prime.
        state = (sum & Self.prime) &+ sum >> 61
    }

    @inline(__always)
    mutating func combine(_ number: UInt64) {
        add(number & 0xFFFF_FFFF)
        add(number >> 32)
    }

    @inline(__always)
    mutating func combine(_ number: Int64) { combine(UInt64(bitPattern: number)) }

    /// Adds the bytes and their number, which separates one text from the next.
    @inline(__always)
    mutating func combine(text bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var start = 0
        // Seven bytes are always less than the prime.
        while bytes.count - start >= 8 {
            add(
                unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
                    & (1 << 56 - 1))
            start += 7
        }
        var word: UInt64 = 0
        var shift: UInt64 = 0
        while start < bytes.count {
            word |= unsafe UInt64(bytes[start]) << shift
            shift += 8
            if shift == 56 {
                add(word)
                (word, shift) = (0, 0)
            }
            start += 1
        }
        if shift > 0 { add(word) }
    }

    /// The mixed hash, in which each bit depends on all words, because parts of it select slots.
    @inline(__always)
    var value: UInt64 {
        var mixed = state < Self.prime ? state : state &- Self.prime
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }
}
