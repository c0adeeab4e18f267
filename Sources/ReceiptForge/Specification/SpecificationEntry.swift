/// An entry of a specification, which describes a file.
protocol SpecificationEntry {
    var name: String { get }
    var fileName: String { get }
    /// Returns the contents of the file.
    func forge(_ shared: ChainSpecification) throws(ForgeError) -> [UInt8]
}
