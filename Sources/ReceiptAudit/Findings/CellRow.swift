/// A row to be written: its cells without the keys before them.
struct CellRow: ComparedRow {
    let cells: RowCells
    let start: Int

    @inline(__always)
    func isNull(_ column: Int) -> Bool {
        if case .null = cells.cells[start + column] { true } else { false }
    }

    @inline(__always)
    func integer(_ column: Int) -> Int64 {
        if case .integer(let number) = cells.cells[start + column] { number } else { 0 }
    }

    @inline(__always)
    func withBytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        unsafe cells.bytes.withUnsafeBytes { bytes in
            switch cells.cells[start + column] {
            case .text(let range), .blob(let range):
                unsafe body(UnsafeRawBufferPointer(rebasing: bytes[range]))
            default: unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }
}
