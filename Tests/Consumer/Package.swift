// swift-tools-version: 6.2
// A package that depends on the library products alone. `run` beside this file proves that it pulls in no
// other package, and that what must not compile does not.
import PackageDescription

// `traits: []` switches the command line off, which alone needs other packages.
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
