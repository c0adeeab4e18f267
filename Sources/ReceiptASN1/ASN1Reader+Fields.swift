// Names and counts around what a grammar reads.

extension ASN1Reader {
    /// Reads whatever `body` reads; an error's path gets the name.
    @inlinable
    public mutating func field<Value>(
        _ name: StaticString, _ body: (inout ASN1Reader) throws(ASN1Error) -> Value
    ) throws(ASN1Error) -> Value {
        do throws(ASN1Error) {
            return try body(&self)
        } catch {
            throw error.within(name.description)
        }
    }

    /// Reads the rest of the scope, element by element; an error's path gets the index.
    /// - Throws: ``ASN1Fault/tooMany(limit:)`` at the first element too many, before it is read.
    @inlinable
    public mutating func elements<Value>(
        atMost limit: Int, _ body: (inout ASN1Reader) throws(ASN1Error) -> Value
    ) throws(ASN1Error) -> [Value] {
        var values: [Value] = []
        // As many as most lists have.
        values.reserveCapacity(min(limit, 4))
        while !isAtEnd {
            guard values.count < limit else { throw ASN1Error(.tooMany(limit: limit), at: position) }
            do throws(ASN1Error) {
                values.append(try body(&self))
            } catch {
                throw error.within("[\(values.count)]")
            }
        }
        return values
    }
}
