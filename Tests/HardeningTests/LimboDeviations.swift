extension Outside {
    static let limboDeviations: [Deviation] = [
    ]
}
