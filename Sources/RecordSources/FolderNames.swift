import SystemLibrary

/// The names in a folder, sorted by bytes and packed, because a folder may contain millions.
package struct FolderNames {
    private var bytes: [UInt8] = []
    private var starts: ArraySlice<Int> = []
    /// The number of names that begin with a period, which are skipped.
    package private(set) var hidden = 0

    package var isEmpty: Bool { starts.isEmpty }

    package mutating func add(_ name: some Collection<UInt8>) {
        if name.first == UInt8(ascii: ".") {
            let isFolderItself = name.count == 1 || (name.count == 2 && name.allSatisfy { $0 == name.first })
            hidden += isFolderItself ? 0 : 1
            return
        }
        starts.append(bytes.count)
        bytes += name
        bytes.append(0)
    }

    package mutating func sort() {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return }
            starts.sort { unsafe strcmp(base + $0, base + $1) < 0 }
        }
    }

    package mutating func next() -> ArraySlice<UInt8>? {
        starts.popFirst().map { bytes[$0...].prefix { $0 != 0 } }
    }
}
