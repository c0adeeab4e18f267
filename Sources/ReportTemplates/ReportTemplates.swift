/// The Mustache templates of the audit's report, its style and its script.
package enum ReportTemplates {
    package static let style = PackageResources.report_css
    package static let script = PackageResources.filter_js

    /// The templates by their names.
    package static let templates = [
        "page": PackageResources.page_mustache, "apps": PackageResources.apps_mustache,
        "chart": PackageResources.chart_mustache, "plot": PackageResources.plot_mustache,
        "customers": PackageResources.customers_mustache,
        "segments": PackageResources.segments_mustache, "findings": PackageResources.findings_mustache,
        "receipts": PackageResources.receipts_mustache, "receipt": PackageResources.receipt_mustache,
        "foot": PackageResources.foot_mustache,
    ]
}
