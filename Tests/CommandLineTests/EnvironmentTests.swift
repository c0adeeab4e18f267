import Foundation
import ReceiptForge
import Testing

@Suite("Answers do not depend on the machine's configuration")
struct EnvironmentTests {
    let tool: CommandLineTool

    init() throws {
        tool = try .withReceipts()
        // SHA-1 in every signature, which a hardened OpenSSL configuration forbids first.
        var recipe = ReceiptRecipe(
            Receipts.content(),
            authority: try .test { profiles throws(ForgeError) in
                profiles.intermediate.digest = .sha1
                profiles.leaf.digest = .sha1
            })
        recipe.digest = .sha1
        try tool.write(recipe.forge().bytes, to: "sha1.der")
    }

    private func answer(_ environment: [String: String?]) throws -> [String] {
        try [["verify", "--json"], ["verify"], ["verify", "--json", "--cross-check"]].map { command in
            let files = ["--root", "root.cer", "genuine.der", "sha1.der", "forged.der"]
            let answer = try tool.run(files: command + files, environment: environment)
            #expect(answer.status == 1)
            return answer.output + answer.errors
        }
    }

    @Test(
        "OPENSSL_CONF",
        arguments: [
            """
            openssl_conf = init
            [init]
            alg_section = properties
            [properties]
            default_properties = fips=yes
            """,
            """
            openssl_conf = init
            [init]
            ssl_conf = ssl
            [ssl]
            system_default = strict
            [strict]
            CipherString = DEFAULT:@SECLEVEL=5
            MinProtocol = TLSv1.3
            """,
            """
            openssl_conf = init
            config_diagnostics = 1
            [init]
            providers = providers
            [providers]
            missing = missing
            [missing]
            module = /nonexistent/missing.so
            activate = 1
            """,
            "this is no configuration [",
        ])
    func openSSL(configuration: String) throws {
        try tool.write(Array((configuration + "\n").utf8), to: "openssl.cnf")
        let path = tool.folder.appending(path: "openssl.cnf").path
        #expect(
            try answer([
                "OPENSSL_CONF": path, "OPENSSL_MODULES": "/nonexistent",
                "OPENSSL_CONF_INCLUDE": "/nonexistent",
            ])
                == answer([:]))
    }

    @Test(
        "time zone and language",
        arguments: [
            ["TZ": "Pacific/Kiritimati"], ["TZ": "America/St_Johns", "LANG": "de_DE.UTF-8"],
            ["LC_ALL": "tr_TR.UTF-8"], ["LC_ALL": "C"], ["LC_ALL": "nonsense", "TZ": "nonsense"],
            ["HOME": "/nonexistent", "PATH": ""],
            ["SSL_CERT_DIR": "/nonexistent", "SSL_CERT_FILE": "/nonexistent"],
        ])
    func locale(environment: [String: String]) throws {
        #expect(try answer(environment.mapValues { $0 }) == answer([:]))
    }
}
