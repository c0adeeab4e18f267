// swift-tools-version: 6.2
// The library products for `check` and `build` in this folder, and the code blocks that `examples` writes.
import PackageDescription

let products = ["AppReceipt", "OfferEligibility", "ReceiptJSON", "AppReceiptFoundation", "ReceiptForge"]
let libraries = products.map { Target.Dependency.product(name: $0, package: "appreceipt") }

// A code block must import every module it uses.
let rules: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

// `examples` sets the folder of the code blocks.
let examples: [Target] =
    Context.environment["EXAMPLES"].map {
        [
            .executableTarget(
                name: "Examples", dependencies: libraries + ["Given"], path: "\($0)/Examples",
                swiftSettings: rules),
            .testTarget(
                name: "ExampleTests", dependencies: libraries + ["Given"], path: "\($0)/ExampleTests",
                swiftSettings: rules),
        ]
    } ?? []

let package = Package(
    name: "documentation",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "appreceipt", path: "../..", traits: [])],
    targets: [.target(name: "Given", dependencies: libraries)] + examples
)
