import StrictJSON

/// Returns bytes as lower-case hexadecimal text.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes { text.append(hexadecimal: byte) }
    return String(decoding: text, as: UTF8.self)
}
