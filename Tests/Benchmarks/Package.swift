// swift-tools-version: 6.2
import PackageDescription

// Benchmarks without assertions: swift run -c release --package-path Tests/Benchmarks

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "appreceipt", path: "../..", traits: [])],
    targets: [
        .target(name: "CFloor", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CFloor",
                .product(name: "AppReceipt", package: "appreceipt"),
                .product(name: "OfferEligibility", package: "appreceipt"),
                .product(name: "ReceiptForge", package: "appreceipt"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
