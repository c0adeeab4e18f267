/// The server's page for people, and its OpenAPI description.
package enum ServerPages {
    package static let index = PackageResources.index_html
    package static let style = PackageResources.page_css
    package static let script = PackageResources.page_js
    package static let openAPI = PackageResources.openapi_yaml
}
