// swift-tools-version: 6.2
import PackageDescription

// The fuzz targets in a single program. `Tests/Fuzz/run` builds and runs it with the necessary flags.

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "appreceipt", path: "../..", traits: [])],
    targets: [
        .target(name: "COpinion", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "COpinion",
                .product(name: "AppReceipt", package: "appreceipt"),
                .product(name: "OfferEligibility", package: "appreceipt"),
                .product(name: "ReceiptForge", package: "appreceipt"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                // The comparisons in the checks themselves need not guide the search, and tracing them takes
                // a third of the time. The package's comparisons are traced.
                .unsafeFlags(["-sanitize-coverage=edge,inline-8bit-counters,pc-table"]),
            ]),
        .executableTarget(
            name: "WorstCases",
            dependencies: [
                .product(name: "AppReceipt", package: "appreceipt"),
                .product(name: "OfferEligibility", package: "appreceipt"),
                .product(name: "ReceiptForge", package: "appreceipt"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
)
