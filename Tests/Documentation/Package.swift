// swift-tools-version: 6.2
// The library products for `check` and `build` beside this file, and what `examples` makes of the pages' code blocks.
import PackageDescription

let products = ["AppReceipt", "OfferEligibility", "ReceiptJSON", "AppReceiptFoundation", "ReceiptForge"]
let libraries = products.map { Target.Dependency.product(name: $0, package: "appreceipt") }

// A block imports what it needs.
let rules: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

// `examples` names the folder into which it wrote the blocks.
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
