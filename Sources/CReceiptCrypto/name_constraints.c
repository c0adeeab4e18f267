// Name constraints (RFC 5280, 4.2.1.10).
//
// Constraints on directory names are processed. "If a name constraints extension that is marked as critical imposes
// constraints on a particular name form, and an instance of that name form appears in the subject field or
// subjectAltName extension of a subsequent certificate, then the application MUST either process the constraint or
// reject the certificate": certificates of receipts have no names of other forms, so these are rejected.

#include "internal.h"

#include <openssl/x509.h>

enum { RFC822_NAME = 1, DIRECTORY_NAME = 4 };

/// The first `count` parts of a name, for comparison in OpenSSL's canonical form (RFC 5280, 7.1: case and spaces do
/// not count); NULL where it has fewer, or does not decode.
static X509_NAME *prefix_of(receipt_crypto_slice name, int count) {
    const unsigned char *position = name.bytes;
    X509_NAME *prefix = d2i_X509_NAME(NULL, &position, (long)name.count);
    if (prefix == NULL || position != name.bytes + name.count) {
        X509_NAME_free(prefix);
        return NULL;
    }
    for (int i = X509_NAME_entry_count(prefix); i > 0; i--) {
        X509_NAME_ENTRY *last = X509_NAME_get_entry(prefix, i - 1);
        if (X509_NAME_ENTRY_set(last) < count) break;
        X509_NAME_ENTRY_free(X509_NAME_delete_entry(prefix, i - 1));
    }
    return prefix;
}

/// Whether the name lies below the base: X509_V_OK, X509_V_ERR_PERMITTED_VIOLATION where not, or another error.
static int is_below(receipt_crypto_slice base, receipt_crypto_slice name) {
    X509_NAME *wanted = prefix_of(base, INT32_MAX);
    int count = wanted != NULL ? X509_NAME_entry_count(wanted) : 0;
    int parts = count > 0 ? X509_NAME_ENTRY_set(X509_NAME_get_entry(wanted, count - 1)) + 1 : 0;
    X509_NAME *found = wanted != NULL ? prefix_of(name, parts) : NULL;
    int result = X509_V_ERR_UNSUPPORTED_NAME_SYNTAX;
    if (found != NULL) result = X509_NAME_cmp(wanted, found) == 0 ? X509_V_OK : X509_V_ERR_PERMITTED_VIOLATION;
    X509_NAME_free(wanted);
    X509_NAME_free(found);
    return result;
}

/// GeneralSubtrees, permitted or excluded, against one name of this form.
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

/// emailAddress, 1.2.840.113549.1.9.1, somewhere in the name.
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
        || constraints.count > 0)
        return X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX;
    receipt_crypto_slice nothing = {NULL, 0};
    int result = X509_V_OK;
    // An empty subject is no name: SEQUENCE {} has two bytes.
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
