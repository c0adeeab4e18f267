// The fields of a certificate (RFC 5280, 4.1) and the extensions that paths depend on (4.2). Parsing is strict: a
// certificate with any deviation is rejected.

#include "internal.h"

/// Returns the days between 1970-01-01 and a date of the Gregorian calendar. Counts in years that begin in March, so
/// that the leap day is the last day.
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day) {
    if (month <= 2) year--;
    int64_t month_from_march = (month + 9) % 12;
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month_from_march + 2) / 5 + day - 1 - 719468;
}

/// Reads UTCTime as YYMMDDHHMMSSZ or GeneralizedTime as YYYYMMDDHHMMSSZ (4.1.2.5).
static bool take_time(receipt_crypto_slice *from, int64_t *seconds) {
    receipt_crypto_slice text;
    bool is_general = receipt_crypto_next_tag(*from) == DER_GENERALIZED_TIME;
    if (!receipt_crypto_take(from, is_general ? DER_GENERALIZED_TIME : DER_UTC_TIME, NULL, &text)) return false;
    size_t digits = is_general ? 14 : 12;
    if (text.count != digits + 1 || text.bytes[digits] != 'Z') return false;
    // Century, year, month, day, hour, minute, second.
    int64_t parts[7];
    for (size_t i = 0, part = is_general ? 0 : 1; i < digits; i += 2, part++) {
        uint8_t high = text.bytes[i], low = text.bytes[i + 1];
        if (high < '0' || high > '9' || low < '0' || low > '9') return false;
        parts[part] = (high - '0') * 10 + (low - '0');
    }
    // "Where YY is greater than or equal to 50, the year SHALL be interpreted as 19YY".
    if (!is_general) parts[0] = parts[1] >= 50 ? 19 : 20;
    static const int8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year = parts[0] * 100 + parts[1], month = parts[2], day = parts[3];
    if (month < 1 || month > 12) return false;
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    int64_t length = lengths[month - 1] + (month == 2 && is_leap ? 1 : 0);
    if (day < 1 || day > length || parts[4] > 23 || parts[5] > 59 || parts[6] > 59) return false;
    *seconds = days_since_1970(year, month, day) * 86400 + parts[4] * 3600 + parts[5] * 60 + parts[6];
    return true;
}

// MARK: - Extensions

/// BasicConstraints ::= SEQUENCE { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER (0..MAX) OPTIONAL }
static bool read_basic_constraints(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    receipt_crypto_slice sequence, content;
    if (!receipt_crypto_take(&value, DER_SEQUENCE, NULL, &sequence) || value.count != 0) return false;
    if (receipt_crypto_next_tag(sequence) == DER_BOOLEAN) {
        if (!receipt_crypto_take(&sequence, DER_BOOLEAN, NULL, &content) || content.count != 1
            || (content.bytes[0] != 0 && content.bytes[0] != 0xFF))
            return false;
        fields->is_authority = content.bytes[0] != 0;
    }
    if (sequence.count == 0) return true;
    if (!receipt_crypto_take(&sequence, DER_INTEGER, NULL, &content) || sequence.count != 0 || content.count == 0
        || content.bytes[0] >= 0x80 || (content.count > 1 && content.bytes[0] == 0 && content.bytes[1] < 0x80))
        return false;
    // Larger values are equivalent, because no path here is that long.
    fields->path_length = content.count == 1 ? content.bytes[0] : INT8_MAX;
    return true;
}

/// KeyUsage ::= BIT STRING. "At least one of the bits MUST be set to 1" (4.2.1.3).
static bool read_key_usage(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    receipt_crypto_slice bits;
    if (!receipt_crypto_take(&value, DER_BIT_STRING, NULL, &bits) || value.count != 0 || bits.count < 2
        || bits.count > 3 || bits.bytes[0] > 7)
        return false;
    // X.690, 11.2.1: "Each unused bit in the final octet of the encoding of a bit string value shall be set to zero."
    if ((bits.bytes[bits.count - 1] & ((1u << bits.bytes[0]) - 1)) != 0) return false;
    fields->key_usage = (uint16_t)(bits.bytes[1] << 8 | (bits.count > 2 ? bits.bytes[2] : 0));
    return fields->key_usage != 0;
}

/// AuthorityKeyIdentifier ::= SEQUENCE { keyIdentifier [0], authorityCertIssuer [1] GeneralNames,
/// authorityCertSerialNumber [2] }, all of them optional.
static bool read_authority_key_id(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    receipt_crypto_slice sequence, names = {NULL, 0};
    if (!receipt_crypto_take(&value, DER_SEQUENCE, NULL, &sequence) || value.count != 0) return false;
    if (receipt_crypto_next_tag(sequence) == DER_CONTEXT
        && !receipt_crypto_take(&sequence, DER_CONTEXT, NULL, &fields->authority_key_id))
        return false;
    if (receipt_crypto_next_tag(sequence) == (DER_CONTEXT | DER_CONSTRUCTED | 1)
        && !receipt_crypto_take(&sequence, DER_CONTEXT | DER_CONSTRUCTED | 1, NULL, &names))
        return false;
    if (receipt_crypto_next_tag(sequence) == (DER_CONTEXT | 2)
        && !receipt_crypto_take(&sequence, DER_CONTEXT | 2, NULL, &fields->authority_serial))
        return false;
    // directoryName [4]. The other forms of names do not identify a certificate.
    if (receipt_crypto_next_tag(names) == (DER_CONTEXT | DER_CONSTRUCTED | 4)
        && !receipt_crypto_take(&names, DER_CONTEXT | DER_CONSTRUCTED | 4, NULL, &fields->authority_issuer))
        return false;
    return sequence.count == 0;
}

static bool read_subject_key_id(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    return receipt_crypto_take(&value, DER_OCTET_STRING, NULL, &fields->key_id) && value.count == 0
        && fields->key_id.count > 0;
}

static bool read_signer_marker(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    (void)value;
    return fields->has_signer_marker = true;
}

static bool read_intermediate_marker(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    (void)value;
    return fields->has_intermediate_marker = true;
}

static bool read_old_signer_marker(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    (void)value;
    return fields->has_old_signer_marker = true;
}

static bool read_old_intermediate_marker(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    (void)value;
    return fields->has_old_intermediate_marker = true;
}

/// Refuses nameConstraints and policyConstraints. This code processes neither, and Apple's certificates have neither.
/// "Conforming CAs MUST mark this extension as critical" (RFC 5280, 4.2.1.10 and 4.2.1.11), so both count as critical
/// in any case.
static bool refuse_extension(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    (void)value;
    return fields->has_unhandled_extension = true;
}

/// Reads SEQUENCE SIZE (1..MAX) of names, purposes or policies. Accepts all values, because no check depends on them.
static bool read_list(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    receipt_crypto_slice list;
    (void)fields;
    return receipt_crypto_take(&value, DER_SEQUENCE, NULL, &list) && value.count == 0 && list.count > 0;
}

/// Reads inhibitAnyPolicy, which has no effect without a required policy (6.1.2, d).
static bool read_inhibition(receipt_crypto_slice value, receipt_crypto_fields *fields) {
    (void)fields;
    return receipt_crypto_take(&value, DER_INTEGER, NULL, NULL) && value.count == 0;
}

#define ID(bytes) {(const uint8_t *)(bytes), sizeof(bytes) - 1}

/// The known extensions, and whether each may be critical.
static const struct {
    receipt_crypto_slice identifier;
    bool may_be_critical;
    bool (*read)(receipt_crypto_slice value, receipt_crypto_fields *fields);
} extensions[] = {
    {ID("\x55\x1D\x13"), true, read_basic_constraints},
    {ID("\x55\x1D\x0F"), true, read_key_usage},
    // 4.2.1.1 and 4.2.1.2: "Conforming CAs MUST mark this extension as non-critical."
    {ID("\x55\x1D\x0E"), false, read_subject_key_id},
    {ID("\x55\x1D\x23"), false, read_authority_key_id},
    {ID("\x55\x1D\x11"), true, read_list},  // subjectAltName
    {ID("\x55\x1D\x1E"), true, refuse_extension},  // nameConstraints
    {ID("\x55\x1D\x25"), true, read_list},  // extKeyUsage
    {ID("\x55\x1D\x20"), true, read_list},  // certificatePolicies
    {ID("\x55\x1D\x21"), true, read_list},  // policyMappings
    {ID("\x55\x1D\x36"), true, read_inhibition},  // inhibitAnyPolicy
    {ID("\x55\x1D\x24"), true, refuse_extension},  // policyConstraints
    // 1.2.840.113635.100.6.11.1 and 1.2.840.113635.100.6.2.1, exactly.
    {ID("\x2A\x86\x48\x86\xF7\x63\x64\x06\x0B\x01"), false, read_signer_marker},
    {ID("\x2A\x86\x48\x86\xF7\x63\x64\x06\x02\x01"), false, read_intermediate_marker},
    // 1.2.840.113635.100.6.5.1 and 1.2.840.113635.100.6.2.2, exactly.
    {ID("\x2A\x86\x48\x86\xF7\x63\x64\x06\x05\x01"), false, read_old_signer_marker},
    {ID("\x2A\x86\x48\x86\xF7\x63\x64\x06\x02\x02"), false, read_old_intermediate_marker},
};

/// Extension ::= SEQUENCE { extnID OBJECT IDENTIFIER, critical BOOLEAN DEFAULT FALSE, extnValue OCTET STRING }
static bool read_extension(
    receipt_crypto_slice *from, receipt_crypto_fields *fields, receipt_crypto_slice *identifier) {
    receipt_crypto_slice extension, critical = {NULL, 0}, value;
    if (!receipt_crypto_take(from, DER_SEQUENCE, NULL, &extension)
        || !receipt_crypto_take(&extension, DER_OBJECT_IDENTIFIER, NULL, identifier))
        return false;
    if (receipt_crypto_next_tag(extension) == DER_BOOLEAN
        && (!receipt_crypto_take(&extension, DER_BOOLEAN, NULL, &critical) || critical.count != 1
            || (critical.bytes[0] != 0 && critical.bytes[0] != 0xFF)))
        return false;
    if (!receipt_crypto_take(&extension, DER_OCTET_STRING, NULL, &value) || extension.count != 0) return false;
    bool is_critical = critical.count == 1 && critical.bytes[0] != 0;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (!receipt_crypto_same(extensions[i].identifier, *identifier)) continue;
        if (is_critical && !extensions[i].may_be_critical) fields->has_unhandled_extension = true;
        return extensions[i].read(value, fields);
    }
    // 4.2: "A certificate-using system MUST reject the certificate if it encounters a critical extension it does not
    // recognize or a critical extension that contains information that it cannot process."
    if (is_critical) fields->has_unhandled_extension = true;
    return true;
}

/// Reads the extensions. 4.2: "A certificate MUST NOT include more than one instance of a particular extension."
static bool read_extensions(receipt_crypto_slice list, receipt_crypto_fields *fields) {
    enum { MAX_EXTENSIONS = 64 };
    receipt_crypto_slice identifiers[MAX_EXTENSIONS];
    size_t count = 0;
    while (list.count > 0) {
        if (count == MAX_EXTENSIONS || !read_extension(&list, fields, &identifiers[count])) return false;
        for (size_t i = 0; i < count; i++)
            if (receipt_crypto_same(identifiers[i], identifiers[count])) return false;
        count++;
    }
    return count > 0;
}

// MARK: - Certificate

/// Returns whether this is an RDNSequence: SEQUENCE OF SET SIZE (1..MAX) OF SEQUENCE { type, value } (4.1.2.4).
/// Values are not read.
static bool is_name(receipt_crypto_slice parts) {
    receipt_crypto_slice attributes, attribute;
    while (parts.count > 0) {
        if (!receipt_crypto_take(&parts, DER_SET, NULL, &attributes) || attributes.count == 0) return false;
        while (attributes.count > 0)
            if (!receipt_crypto_take(&attributes, DER_SEQUENCE, NULL, &attribute)
                || !receipt_crypto_take(&attribute, DER_OBJECT_IDENTIFIER, NULL, NULL)
                || !receipt_crypto_take(&attribute, receipt_crypto_next_tag(attribute), NULL, NULL)
                || attribute.count != 0)
                return false;
    }
    return true;
}

// TBSCertificate ::= SEQUENCE {
//     version [0] EXPLICIT DEFAULT v1, serialNumber INTEGER, signature AlgorithmIdentifier, issuer Name,
//     validity Validity, subject Name, subjectPublicKeyInfo SubjectPublicKeyInfo,
//     issuerUniqueID [1] OPTIONAL, subjectUniqueID [2] OPTIONAL, extensions [3] EXPLICIT OPTIONAL }
const char *receipt_crypto_read_certificate(receipt_crypto_slice der, receipt_crypto_fields *fields) {
    receipt_crypto_slice rest = der, certificate, tbs, version, number, names, validity, wrapped, list;
    *fields = (receipt_crypto_fields){.der = der, .path_length = -1, .key_usage = UINT16_MAX};
    if (!receipt_crypto_take(&rest, DER_SEQUENCE, NULL, &certificate)) return "the certificate is not a SEQUENCE in DER";
    if (rest.count != 0) return "bytes follow the certificate";
    if (!receipt_crypto_take(&certificate, DER_SEQUENCE, &fields->tbs, &tbs)
        || !receipt_crypto_take(&certificate, DER_SEQUENCE, NULL, NULL)
        || !receipt_crypto_take(&certificate, DER_BIT_STRING, NULL, NULL) || certificate.count != 0)
        return "fields of the certificate";
    uint8_t number_of_version = 0;
    if (receipt_crypto_next_tag(tbs) == (DER_CONTEXT | DER_CONSTRUCTED)) {
        if (!receipt_crypto_take(&tbs, DER_CONTEXT | DER_CONSTRUCTED, NULL, &version)
            || !receipt_crypto_take(&version, DER_INTEGER, NULL, &number) || version.count != 0 || number.count != 1
            || number.bytes[0] < 1 || number.bytes[0] > 2)
            return "version";
        number_of_version = number.bytes[0];
    }
    if (!receipt_crypto_take(&tbs, DER_INTEGER, NULL, &fields->serial) || fields->serial.count == 0)
        return "serialNumber";
    if (!receipt_crypto_take(&tbs, DER_SEQUENCE, NULL, NULL)) return "signature";
    // 4.1.2.4: "The issuer field MUST contain a non-empty distinguished name (DN)."
    if (!receipt_crypto_take(&tbs, DER_SEQUENCE, &fields->issuer, &names) || names.count == 0 || !is_name(names))
        return "issuer";
    if (!receipt_crypto_take(&tbs, DER_SEQUENCE, NULL, &validity) || !take_time(&validity, &fields->not_before)
        || !take_time(&validity, &fields->not_after) || validity.count != 0)
        return "validity";
    if (!receipt_crypto_take(&tbs, DER_SEQUENCE, &fields->subject, &names) || !is_name(names)) return "subject";
    if (!receipt_crypto_take(&tbs, DER_SEQUENCE, &fields->key, NULL)) return "subjectPublicKeyInfo";
    for (uint8_t tag = DER_CONTEXT | 1; tag <= (DER_CONTEXT | 2); tag++)
        if (receipt_crypto_next_tag(tbs) == tag
            && (number_of_version < 1 || !receipt_crypto_take(&tbs, tag, NULL, NULL)))
            return "unique identifiers";
    if (tbs.count == 0) return NULL;
    // 4.1.2.9: "This field MUST only appear if the version is 3".
    bool are_extensions_read = number_of_version == 2
        && receipt_crypto_take(&tbs, DER_CONTEXT | DER_CONSTRUCTED | 3, NULL, &wrapped) && tbs.count == 0
        && receipt_crypto_take(&wrapped, DER_SEQUENCE, NULL, &list) && wrapped.count == 0
        && read_extensions(list, fields);
    return are_extensions_read ? NULL : "extensions";
}
