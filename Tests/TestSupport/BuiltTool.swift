import Foundation

/// The built executable.
package enum BuiltTool {
    /// Its path: in the folder of the test bundle, or where the variable TESTED_TOOL says.
    package static let path: String = {
        if let path = ProcessInfo.processInfo.environment["TESTED_TOOL"] { return path }
        let bundle = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" }
        let folder = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
        return folder.appending(path: "appreceipt").path
    }()
}
