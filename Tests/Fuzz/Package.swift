// swift-tools-version: 6.2
import PackageDescription

// The fuzz targets, one program for all. Built and started by `Tests/Fuzz/run`, which knows the flags.

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
                // The checks' own comparisons need not guide the search, and tracing them takes a third of its time.
                // The package's are traced.
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
