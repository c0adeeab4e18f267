// swift-tools-version: 6.2
import PackageDescription

// A program that embeds the library and also uses OpenSSL itself, for `Tests/Hardening/hosts`.

let package = Package(
    name: "Embedding",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "appreceipt", path: "../../..", traits: [])],
    targets: [
        .target(name: "COpinion", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CHost", linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "Embedding",
            dependencies: [
                "COpinion", "CHost",
                .product(name: "AppReceipt", package: "appreceipt"),
                .product(name: "ReceiptForge", package: "appreceipt"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
