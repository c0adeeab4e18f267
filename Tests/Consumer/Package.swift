// swift-tools-version: 6.2
// A package that depends only on the library products. `run` checks that it pulls in no other package, and
// that code which must not compile is refused.
import PackageDescription

// `traits: []` disables the command-line tool, the only target with other dependencies.
let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "appreceipt", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "AppReceipt", package: "appreceipt"),
                .product(name: "OfferEligibility", package: "appreceipt"),
                .product(name: "ReceiptJSON", package: "appreceipt"),
                .product(name: "AppReceiptFoundation", package: "appreceipt"),
            ],
            swiftSettings: Context.environment["CONSUMER_FLAG"].map { [.define($0)] } ?? [])
    ]
)
