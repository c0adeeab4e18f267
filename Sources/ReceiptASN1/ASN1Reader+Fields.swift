extension ASN1Reader {
    /// Calls `body` and adds `name` to the path of its errors.
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

    /// Calls `body` for each remaining element of the scope and adds the element's index to the path of
    /// errors.
    /// - Throws: ``ASN1Fault/tooMany(limit:)`` before it reads an element beyond the limit.
    @inlinable
    public mutating func elements<Value>(
        atMost limit: Int, _ body: (inout ASN1Reader) throws(ASN1Error) -> Value
    ) throws(ASN1Error) -> [Value] {
        var values: [Value] = []
        // Most lists have at most four elements.
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
