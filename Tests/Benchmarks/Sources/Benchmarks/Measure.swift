/// Returns the minimum of many runs in nanoseconds, which is the cost without interference.
func nanoseconds(runs: Int = 2000, _ work: () -> Void) -> Double {
    let clock = ContinuousClock()
    var least = Duration.seconds(1_000)
    for _ in 0..<runs { least = min(least, clock.measure(work)) }
    return Double(least.components.seconds) * 1e9 + Double(least.components.attoseconds) / 1e9
}

/// Prevents the compiler from removing the computation of a result.
@inline(never)
func use<Value>(_ value: Value) {}

func row(_ texts: String...) {
    let widths = [44, 12, 12, 8]
    print(
        zip(texts, widths).map { text, width in
            text + String(repeating: " ", count: max(1, width - text.count))
        }.joined())
}

func rounded(_ value: Double, digits: Int = 0) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let number = (value * scale).rounded() / scale
    return digits == 0 ? "\(Int(number))" : "\(number)"
}
