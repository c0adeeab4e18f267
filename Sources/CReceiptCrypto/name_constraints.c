// Name constraints (RFC 5280, 4.2.1.10).
//
// Constraints on directory names are processed. "If a name constraints extension that is marked as critical imposes
// constraints on a particular name form, and an instance of that name form appears in the subject field or
// subjectAltName extension of a subsequent certificate, then the application MUST either process the constraint or
// reject the certificate". Certificates of receipts have no names of other forms, so these are rejected.

#include "internal.h"

enum { RFC822_NAME = 1, DIRECTORY_NAME = 4, UTF8_STRING = 0x0C, PRINTABLE_STRING = 0x13 };

/// Returns the next character in the form for comparison (RFC 5280, 7.1). It is in lower case. Several spaces count as
/// one, and spaces at the ends are skipped. Returns 0 at the end, and a negative number for a character outside ASCII.
static int next_character(receipt_crypto_slice *text, bool is_first) {
    size_t spaces = 0;
    while (spaces < text->count && text->bytes[spaces] == ' ') spaces++;
    bool is_at_end = spaces == text->count;
    size_t taken = is_at_end || spaces == 0 || is_first ? spaces : spaces - 1;
    text->bytes += taken;
    text->count -= taken;
    if (is_at_end) return 0;
    int character = text->bytes[0];
    text->bytes++;
    text->count--;
    // RFC 4518, 2.2 maps control characters to spaces or to nothing. They are not accepted, so they cannot hide text
    // from a constraint.
    if (character < ' ' || character >= 0x7F) return -1;
    return character >= 'A' && character <= 'Z' ? character + 'a' - 'A' : character;
}

/// Compares two attributes of names. Returns X509_V_OK if they match, X509_V_ERR_PERMITTED_VIOLATION if not, and
/// X509_V_ERR_UNSUPPORTED_NAME_SYNTAX if this code cannot determine it.
static int compare_attributes(receipt_crypto_slice left, receipt_crypto_slice right) {
    receipt_crypto_slice types[2], values[2], *attributes[] = {&left, &right};
    if (receipt_crypto_same(left, right)) return X509_V_OK;
    for (int i = 0; i < 2; i++) {
        receipt_crypto_slice fields;
        if (!receipt_crypto_take(attributes[i], DER_SEQUENCE, NULL, &fields) || attributes[i]->count != 0
            || !receipt_crypto_take(&fields, DER_OBJECT_IDENTIFIER, NULL, &types[i]))
            return X509_V_ERR_UNSUPPORTED_NAME_SYNTAX;
        values[i] = fields;
    }
    if (!receipt_crypto_same(types[0], types[1])) return X509_V_ERR_PERMITTED_VIOLATION;
    for (int i = 0; i < 2; i++) {
        uint8_t tag = receipt_crypto_next_tag(values[i]);
        receipt_crypto_slice fields = values[i];
        if ((tag != UTF8_STRING && tag != PRINTABLE_STRING) || !receipt_crypto_take(&fields, tag, NULL, &values[i])
            || fields.count != 0)
            return X509_V_ERR_UNSUPPORTED_NAME_SYNTAX;
    }
    for (bool is_first = true;; is_first = false) {
        int characters[] = {next_character(&values[0], is_first), next_character(&values[1], is_first)};
        if (characters[0] < 0 || characters[1] < 0) return X509_V_ERR_UNSUPPORTED_NAME_SYNTAX;
        if (characters[0] != characters[1]) return X509_V_ERR_PERMITTED_VIOLATION;
        if (characters[0] == 0) return X509_V_OK;
    }
}

/// Checks whether the name is below the base. Returns X509_V_OK, X509_V_ERR_PERMITTED_VIOLATION if it is not, or
/// another error. Each part of a name is a SET, usually of one attribute. Parts with several attributes match only if
/// their bytes do.
static int is_below(receipt_crypto_slice base, receipt_crypto_slice name) {
    receipt_crypto_slice wanted, found, wanted_part, found_part;
    if (!receipt_crypto_take(&base, DER_SEQUENCE, NULL, &wanted) || base.count != 0
        || !receipt_crypto_take(&name, DER_SEQUENCE, NULL, &found) || name.count != 0)
        return X509_V_ERR_UNSUPPORTED_NAME_SYNTAX;
    int result = X509_V_OK;
    while (wanted.count > 0 && result == X509_V_OK) {
        if (found.count == 0) return X509_V_ERR_PERMITTED_VIOLATION;
        if (!receipt_crypto_take(&wanted, DER_SET, NULL, &wanted_part)
            || !receipt_crypto_take(&found, DER_SET, NULL, &found_part))
            return X509_V_ERR_UNSUPPORTED_NAME_SYNTAX;
        result = receipt_crypto_same(wanted_part, found_part) ? X509_V_OK : compare_attributes(wanted_part, found_part);
    }
    return result;
}

/// Checks a name of this form against GeneralSubtrees, permitted or excluded.
static int check_name(receipt_crypto_slice subtrees, bool is_permitted, int form, receipt_crypto_slice name) {
    bool is_constrained = false;
    receipt_crypto_slice subtree, base;
    while (subtrees.count > 0) {
        if (!receipt_crypto_take(&subtrees, DER_SEQUENCE, NULL, &subtree)) return X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX;
        uint8_t tag = receipt_crypto_next_tag(subtree);
        // Minimum and maximum are not used: "minimum MUST be zero, and maximum MUST be absent".
        if (!receipt_crypto_take(&subtree, tag, NULL, &base) || subtree.count != 0) return X509_V_ERR_SUBTREE_MINMAX;
        if ((tag & 0x1F) != form) continue;
        if (form != DIRECTORY_NAME) return X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE;
        is_constrained = true;
        int result = is_below(base, name);
        if (result == X509_V_OK) return is_permitted ? X509_V_OK : X509_V_ERR_EXCLUDED_VIOLATION;
        if (result != X509_V_ERR_PERMITTED_VIOLATION) return result;
    }
    return is_permitted && is_constrained ? X509_V_ERR_PERMITTED_VIOLATION : X509_V_OK;
}

static int check_both(
    receipt_crypto_slice permitted, receipt_crypto_slice excluded, int form, receipt_crypto_slice name) {
    int result = check_name(permitted, true, form, name);
    return result == X509_V_OK ? check_name(excluded, false, form, name) : result;
}

/// Returns whether the name contains emailAddress, 1.2.840.113549.1.9.1.
static bool has_email(receipt_crypto_slice name) {
    static const char email[] = "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x09\x01";
    for (size_t i = 0; i + sizeof email - 1 <= name.count; i++)
        if (memcmp(name.bytes + i, email, sizeof email - 1) == 0) return true;
    return false;
}

int receipt_crypto_check_names(receipt_crypto_slice constraints, const receipt_crypto_fields *certificate) {
    receipt_crypto_slice permitted = {NULL, 0}, excluded = {NULL, 0}, names = certificate->alternative_names, name;
    uint8_t tag = DER_CONTEXT | DER_CONSTRUCTED;
    if ((receipt_crypto_next_tag(constraints) == tag && !receipt_crypto_take(&constraints, tag, NULL, &permitted))
        || (constraints.count > 0 && !receipt_crypto_take(&constraints, tag | 1, NULL, &excluded))
        || constraints.count > 0 || (permitted.bytes != NULL && permitted.count == 0)
        || (excluded.bytes != NULL && excluded.count == 0))
        // GeneralSubtrees ::= SEQUENCE SIZE (1..MAX)
        return X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX;
    receipt_crypto_slice nothing = {NULL, 0};
    int result = X509_V_OK;
    // Skips an empty subject, SEQUENCE {}, which has two bytes.
    if (certificate->subject.count > 2) result = check_both(permitted, excluded, DIRECTORY_NAME, certificate->subject);
    if (result == X509_V_OK && has_email(certificate->subject))
        result = check_both(permitted, excluded, RFC822_NAME, nothing);
    while (result == X509_V_OK && names.count > 0) {
        tag = receipt_crypto_next_tag(names);
        if (!receipt_crypto_take(&names, tag, NULL, &name)) return X509_V_ERR_UNSUPPORTED_NAME_SYNTAX;
        result = check_both(permitted, excluded, tag & 0x1F, name);
    }
    return result;
}
