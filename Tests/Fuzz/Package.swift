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
            swiftSettings: [.swiftLanguageMode(.v6)]),
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
