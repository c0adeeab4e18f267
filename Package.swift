// swift-tools-version: 6.3
import PackageDescription

/// The Swift settings of every target.
let swiftRules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]
let cRules: [CSetting] = [.treatAllWarnings(as: .error)]

/// A condition on the trait `Server`. Without the trait, the server's dependencies are not built.
let server: TargetDependencyCondition? = .when(traits: ["Server"])

let package = Package(
    name: "appreceipt",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "AppReceipt", targets: ["AppReceipt", "ReceiptASN1", "StrictJSON"]),
        .library(name: "OfferEligibility", targets: ["OfferEligibility", "StrictJSON"]),
        .library(
            name: "ReceiptJSON",
            targets: ["ReceiptExamination", "ReceiptJSON", "ReceiptServices", "StrictJSON", "JSONSchemas"]),
        .library(name: "AppReceiptFoundation", targets: ["AppReceiptFoundation"]),
        .library(name: "ReceiptForge", targets: ["ReceiptForge"]),
        .library(name: "CAppReceipt", type: .dynamic, targets: ["CAppReceipt"]),
        .executable(name: "appreceipt", targets: ["AppReceiptTool"]),
    ],
    traits: [
        .trait(
            name: "CommandLine",
            description: "The appreceipt tool, which needs packages that the libraries do not."),
        .trait(
            name: "Server",
            description: "The command serve, which needs packages that nothing else does."),
        .default(enabledTraits: ["CommandLine"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // A target depends only on targets before it.
        .systemLibrary(
            name: "CLibCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CMemory", cSettings: cRules),
        .target(name: "SystemLibrary", swiftSettings: swiftRules),
        .target(name: "ReceiptASN1", swiftSettings: swiftRules),
        .target(name: "StrictJSON", swiftSettings: swiftRules),
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: swiftRules),
        .target(
            name: "CReceiptCrypto", dependencies: ["CLibCrypto"], cSettings: cRules,
            linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "EmbeddedFiles",
            exclude: ["AuditQueries", "JSONSchemas", "EvidenceScripts", "ReportTemplates", "ServerPages"],
            cSettings: cRules),
        .target(name: "JSONSchemas", dependencies: ["EmbeddedFiles"], swiftSettings: swiftRules),
        .target(
            name: "AppReceipt", dependencies: ["ReceiptASN1", "StrictJSON", "CReceiptCrypto"],
            swiftSettings: swiftRules),
        .target(
            name: "OfferEligibility", dependencies: ["AppReceipt", "StrictJSON"], swiftSettings: swiftRules),
        .target(
            name: "ReceiptExamination", dependencies: ["AppReceipt", "StrictJSON", "SystemLibrary"],
            swiftSettings: swiftRules),
        .target(
            name: "ReceiptJSON",
            dependencies: ["AppReceipt", "OfferEligibility", "ReceiptExamination", "StrictJSON"],
            swiftSettings: swiftRules),
        .target(
            name: "ReceiptServices",
            dependencies: [
                "AppReceipt", "OfferEligibility", "ReceiptExamination", "ReceiptJSON", "StrictJSON",
            ],
            swiftSettings: swiftRules),
        .target(
            name: "ReceiptEvidence",
            dependencies: [
                "AppReceipt", "OfferEligibility", "ReceiptExamination", "ReceiptJSON", "ReceiptASN1",
                "StrictJSON", "EmbeddedFiles",
            ],
            swiftSettings: swiftRules),
        .target(
            name: "RecordSources",
            dependencies: [
                "AppReceipt", "ReceiptExamination", "StrictJSON", "CZlib", "SQLite", "CSQLite",
                "SystemLibrary",
            ],
            swiftSettings: swiftRules),
        .target(
            name: "AppReceiptFoundation",
            dependencies: ["AppReceipt", "OfferEligibility", "ReceiptASN1", "StrictJSON"],
            swiftSettings: swiftRules),
        .target(
            name: "CForgeCrypto", dependencies: ["CLibCrypto"], exclude: ["test-keys.pem"], cSettings: cRules,
            linkerSettings: [.linkedLibrary("crypto")]),
        // It does not import ReceiptServices. SwiftPM would otherwise build it before AppReceipt, for which most
        // targets wait.
        .target(
            name: "ReceiptForge", dependencies: ["CForgeCrypto", "ReceiptServices"],
            swiftSettings: swiftRules),
        .target(
            name: "ReceiptAudit",
            dependencies: [
                "AppReceipt", "OfferEligibility", "ReceiptEvidence", "ReceiptExamination", "ReceiptJSON",
                "RecordSources", "EmbeddedFiles",
                "StrictJSON", "SQLite", "CSQLite", "SystemLibrary",
                .product(
                    name: "Mustache", package: "swift-mustache", condition: .when(traits: ["CommandLine"])),
            ],
            swiftSettings: swiftRules),
        // Two targets share a folder, because a target can have only one language.
        .target(
            name: "CAppReceiptBoundary", path: "Sources/CAppReceipt", exclude: ["appreceipt.map"],
            sources: ["boundary.c"], publicHeadersPath: ".", cSettings: cRules),
        .target(
            name: "CAppReceipt",
            dependencies: [
                "AppReceipt", "OfferEligibility", "ReceiptEvidence", "ReceiptExamination", "ReceiptJSON",
                "ReceiptServices", "StrictJSON", "SystemLibrary", "CAppReceiptBoundary",
            ],
            exclude: [
                "appreceipt.map", "appreceipt.h", "appreceipt_batch.h", "boundary.c", "boundary.h",
                "module.modulemap",
            ],
            swiftSettings: swiftRules),
        .target(
            name: "ReceiptServer",
            dependencies: [
                "AppReceipt", "JSONSchemas", "OfferEligibility", "ReceiptExamination", "ReceiptJSON",
                "ReceiptServices", "RecordSources", "EmbeddedFiles", "StrictJSON", "SystemLibrary", "CMemory",
                .product(name: "HummingbirdCore", package: "hummingbird", condition: server),
                .product(name: "Logging", package: "swift-log", condition: server),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: server),
                .product(name: "NIOCore", package: "swift-nio", condition: server),
                .product(name: "NIOPosix", package: "swift-nio", condition: server),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: server),
                .product(name: "NIOTLS", package: "swift-nio", condition: server),
                .product(name: "NIOExtras", package: "swift-nio-extras", condition: server),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: server),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: server),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: server),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
            ],
            swiftSettings: swiftRules),
        .target(
            name: "ReceiptCommands",
            dependencies: [
                "AppReceipt", "OfferEligibility", "ReceiptExamination", "ReceiptJSON", "ReceiptServices",
                "RecordSources", "ReceiptForge", "JSONSchemas", "ReceiptASN1", "StrictJSON", "SystemLibrary",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["CommandLine"])),
            ],
            swiftSettings: swiftRules),
        .executableTarget(
            name: "AppReceiptTool",
            dependencies: [
                "ReceiptCommands", "AppReceipt", "OfferEligibility", "ReceiptExamination", "ReceiptJSON",
                "ReceiptServices", "ReceiptEvidence", "RecordSources", "ReceiptAudit", "CReceiptCrypto",
                "StrictJSON", "SystemLibrary",
                .target(name: "ReceiptServer", condition: server),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser",
                    condition: .when(traits: ["CommandLine"])),
            ],
            swiftSettings: swiftRules),

        // An independent verification by OpenSSL, for tests only.
        .target(
            name: "COpinion", dependencies: ["CLibCrypto"], path: "Tests/Opinion", cSettings: cRules,
            linkerSettings: [.linkedLibrary("crypto")]),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftRules),

        .testTarget(name: "ReceiptASN1Tests", dependencies: ["ReceiptASN1"], swiftSettings: swiftRules),
        .testTarget(
            name: "StrictJSONTests", dependencies: ["StrictJSON", "TestSupport"], swiftSettings: swiftRules),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: swiftRules),
        .testTarget(
            name: "AppReceiptTests",
            dependencies: [
                "AppReceipt", "ReceiptForge", "ReceiptASN1", "StrictJSON", "TestSupport",
            ],
            swiftSettings: swiftRules),
        .testTarget(
            name: "AppReceiptFoundationTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceipt", "OfferEligibility", "ReceiptForge", "ReceiptASN1",
            ],
            swiftSettings: swiftRules),
        .testTarget(
            name: "OfferEligibilityTests",
            dependencies: ["OfferEligibility", "StrictJSON", "ReceiptForge", "TestSupport"],
            swiftSettings: swiftRules),
        .testTarget(
            name: "ReceiptJSONTests",
            dependencies: [
                "ReceiptExamination", "ReceiptJSON", "ReceiptServices", "AppReceipt", "OfferEligibility",
                "StrictJSON", "ReceiptForge", "JSONSchemas", "TestSupport",
            ],
            swiftSettings: swiftRules),
        .testTarget(
            name: "ReceiptEvidenceTests",
            dependencies: [
                "ReceiptEvidence", "ReceiptExamination", "ReceiptJSON", "AppReceipt", "OfferEligibility",
                "ReceiptForge", "StrictJSON",
            ],
            swiftSettings: swiftRules),
        .testTarget(
            name: "ReceiptForgeTests", dependencies: ["ReceiptForge", "AppReceipt", "TestSupport"],
            swiftSettings: swiftRules
        ),
        .testTarget(
            name: "HardeningTests",
            dependencies: [
                "AppReceipt", "OfferEligibility", "ReceiptASN1", "StrictJSON", "ReceiptForge", "COpinion",
                "CReceiptCrypto",
            ],
            swiftSettings: swiftRules),
        .testTarget(
            name: "ReceiptAuditTests",
            dependencies: [
                "ReceiptAudit", "RecordSources", "ReceiptEvidence", "ReceiptServices", "ReceiptJSON",
                "ReceiptExamination", "AppReceipt", "OfferEligibility", "ReceiptForge", "AppReceiptTool",
                "SQLite", "TestSupport",
            ],
            swiftSettings: swiftRules),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "AppReceiptTool", "ReceiptCommands", "ReceiptForge", "AppReceipt", "OfferEligibility",
                "TestSupport",
            ],
            swiftSettings: swiftRules),
    ]
)
