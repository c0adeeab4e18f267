// Tests of the library's C interface: boundary TEST…, with the files and settings of `run`.
//
//     boundary calls                    wrong arguments, settings, codes
//     boundary verify SETTINGS FILE…    a line for each file: the code and the answer, which `run` compares
//     boundary eligibility SETTINGS FILE… the same for requests; also verify-receipt
//     boundary record SETTINGS FILE…    the same for records
//     boundary mutants SETTINGS FILE…   damaged inputs, which must have an answer
//     boundary namespaces               the library in a separate link-map namespace
//     boundary first-calls              forks while threads make the first call of the process
//     boundary threads SETTINGS FILE…   one handle, many threads, small stacks
//     boundary forks SETTINGS FILE…     children of a process with verifying threads; the children verify, too
//     boundary forked-threads SETTINGS FILE… the forking thread and other threads of a child, for ten seconds
//     boundary last-threads SETTINGS FILE… threads that end after the handle that they used
//     boundary forked-first-calls SETTINGS FILE… the same, with the first calls of the process
//     boundary memory SETTINGS FILE     little memory
//     boundary speed SETTINGS FILE      verifications a second
#define _GNU_SOURCE
#include "appreceipt_batch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Atomic int failures;

#define EXPECT(condition, ...)                                          \
    do {                                                                \
        if (!(condition)) {                                             \
            failures++;                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                               \
            fputc('\n', stderr);                                        \
        }                                                               \
    } while (0)

// MARK: - Files and answers

typedef struct {
    const char *path;
    char *bytes;
    size_t length;
} file;

static file read_file(const char *path) {
    file file = {path, NULL, 0};
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        perror(path);
        exit(2);
    }
    size_t capacity = 1 << 20, count;
    file.bytes = malloc(capacity);
    while ((count = fread(file.bytes + file.length, 1, capacity - file.length, stream)) > 0)
        if ((file.length += count) == capacity) file.bytes = realloc(file.bytes, capacity *= 2);
    fclose(stream);
    return file;
}

typedef struct {
    int code;
    char *text;
    size_t length;
} answer;

/// Checks that an answer is complete or absent. If no part of a record is stored, the last line is null.
/// Leaves follow an empty line.
static void expect_whole(answer answer, const char *what) {
    EXPECT(answer.code >= APPRECEIPT_OK && answer.code <= APPRECEIPT_UNAVAILABLE, "%s: %d", what, answer.code);
    if (answer.text == NULL) {
        EXPECT(answer.length == 0, "%s: %zu", what, answer.length);
        return;
    }
    EXPECT(strlen(answer.text) == answer.length, "%s: %s", what, answer.text);
    const char *leaves = strstr(answer.text, "\n\n");
    size_t length = leaves != NULL ? (size_t)(leaves - answer.text) : answer.length;
    bool isEnded = length >= 2 && (answer.text[length - 1] == '}' || strstr(answer.text, "\nnull") != NULL);
    EXPECT(isEnded && answer.text[0] == '{', "%s: %s", what, answer.text);
}

static answer verified(appreceipt *handle, const void *bytes, size_t length) {
    answer answer = {-1, (char *)1, 1};
    answer.code = appreceipt_verify(handle, bytes, length, &answer.text, &answer.length);
    expect_whole(answer, "verify");
    return answer;
}

static appreceipt *opened(const char *settings, size_t length) {
    appreceipt *handle = (appreceipt *)1;
    answer answer = {-1, (char *)1, 1};
    answer.code = appreceipt_open(settings, length, &handle, &answer.text, &answer.length);
    expect_whole(answer, "open");
    EXPECT(answer.code == APPRECEIPT_OK, "%s", answer.text);
    EXPECT(answer.text == NULL, "%s", answer.text);
    if (answer.code != APPRECEIPT_OK) exit(1);
    return handle;
}

static answer verified_together(
    appreceipt *handle, const void *const *inputs, const size_t *lengths, size_t count) {
    answer answer = {-1, (char *)1, 1};
    answer.code = appreceipt_verify_many(handle, inputs, lengths, count, &answer.text, &answer.length);
    EXPECT(answer.text == NULL || strlen(answer.text) == answer.length, "%zu", answer.length);
    return answer;
}

/// Checks that inputs verified together have the same answers in the same order as each alone.
static void expect_each_as_alone(appreceipt *handle, const void *const *inputs, const size_t *lengths, size_t count) {
    answer together = verified_together(handle, inputs, lengths, count);
    const char *line = together.text;
    int code = APPRECEIPT_OK;
    for (size_t i = 0; i < count && line != NULL; i++) {
        answer alone = verified(handle, inputs[i], lengths[i]);
        EXPECT(strncmp(line, alone.text, alone.length) == 0 && line[alone.length] == '\n', "%zu: %.400s", i, line);
        if (alone.code > code) code = alone.code;
        appreceipt_free(alone.text);
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    EXPECT(line != NULL && *line == 0 && together.code == code, "%zu: %d", count, together.code);
    appreceipt_free(together.text);
}

// MARK: - Calls

typedef struct {
    const char *text;
    int code;
    /// A part of the expected answer.
    const char *part;
} row;

/// Every app in every environment.
#define ANY "\"bundle_ids\":\"any\",\"environment\":\"any\""
/// Settings without anything else.
static const char any[] = "{" ANY "}";

static const row settings_rows[] = {
    // missing or ambiguous apps and environments: a missing setting does not remove a check
    {"", APPRECEIPT_BAD_REQUEST, "\"code\":\"bad_settings\",\"message\":\"bundle_ids: required"},
    {"{}", APPRECEIPT_BAD_REQUEST, "bundle_ids"},
    {"{\"environment\":\"production\"}", APPRECEIPT_BAD_REQUEST, "bundle_ids"},
    {"{\"bundle_ids\":\"a\"}", APPRECEIPT_BAD_REQUEST, "environment: required"},
    {"{\"bundle_ids\":\"a\",\"environment\":null}", APPRECEIPT_BAD_REQUEST, "environment"},
    {any, APPRECEIPT_OK, NULL},
    // all settings
    {"{\"bundle_ids\":[\"a\",\"b\"],\"environment\":\"sandbox\",\"device_id\":\"00:1b-63\",\"cross_check\":true,"
     "\"catalog\":{\"groups\":{\"G\":[\"P\"]}},\"policies\":{\"refunds\":\"ignore\",\"stale_evidence\":"
     "\"undetermined\",\"partial_evidence\":\"undetermined\",\"promotional_scope\":\"app\"},\"verify_receipt\":{\"environment\":\"sandbox\","
     "\"shared_secret\":\"s\",\"latest\":\"as-of-receipt\"}}",
     APPRECEIPT_OK, NULL},
    // invalid JSON, or not an object
    {"x", APPRECEIPT_BAD_REQUEST, "\"code\":\"bad_settings\""},
    {"[]", APPRECEIPT_BAD_REQUEST, "bad_settings"},
    {"{} {}", APPRECEIPT_BAD_REQUEST, "bad_settings"},
    {"{\"cross_check\":true,\"cross_check\":false}", APPRECEIPT_BAD_REQUEST, "bad_settings"},
    // misspelled members and values
    {"{\"bundle_id\":\"a\"}", APPRECEIPT_BAD_REQUEST, "bundle_id"},
    {"{\"environment\":\"Sandbox\"}", APPRECEIPT_BAD_REQUEST, "Sandbox"},
    {"{\"policies\":{\"refund\":\"block\"}}", APPRECEIPT_BAD_REQUEST, "refund"},
    {"{\"policies\":{\"refunds\":\"no\"}}", APPRECEIPT_BAD_REQUEST, "policies.refunds"},
    {"{\"verify_receipt\":{\"environment\":\"any\"}}", APPRECEIPT_BAD_REQUEST, "any"},
    {"{\"device_id\":\"0\"}", APPRECEIPT_BAD_REQUEST, "device_id"},
    // lists that could be mistaken for no policy or for no trust anchors
    {"{\"bundle_ids\":[]}", APPRECEIPT_BAD_REQUEST, "bundle_ids"},
    {"{\"sha1_signatures\":\"until2025\"}", APPRECEIPT_BAD_REQUEST, "until2025"},
    {"{\"limits\":{\"signature_checks\":0}}", APPRECEIPT_BAD_REQUEST, "from 1 to 1000000"},
    {"{\"limits\":{\"signature-checks\":8}}", APPRECEIPT_BAD_REQUEST, "signature-checks"},
    {"{\"limits\":{\"signature_checks\":1e3}}", APPRECEIPT_BAD_REQUEST, "signature_checks"},
    {"{" ANY ",\"limits\":{\"signature_checks\":64},\"sha1_signatures\":\"none\"}", APPRECEIPT_OK, NULL},
    {"{\"bundle_ids\":[\"any\",\"a\"]}", APPRECEIPT_BAD_REQUEST, "any"},
    {"{\"environment\":[]}", APPRECEIPT_BAD_REQUEST, "environment"},
    {"{\"environment\":[\"sandbox\",\"any\"]}", APPRECEIPT_BAD_REQUEST, "any"},
    {"{\"environment\":[\"sandbox\",\"production\"],\"bundle_ids\":\"a\"}", APPRECEIPT_OK, NULL},
    {"{\"roots\":[]}", APPRECEIPT_BAD_REQUEST, "roots"},
    // revocation lists that cannot be used, and policies without lists
    {"{" ANY ",\"crl\":[\"x\"]}", APPRECEIPT_BAD_REQUEST, "crl[0]"},
    {"{" ANY ",\"crl\":[]}", APPRECEIPT_BAD_REQUEST, "crl"},
    {"{" ANY ",\"distrust\":{\"certificates\":[{}]}}", APPRECEIPT_BAD_REQUEST, "distrust.certificates[0]"},
    {"{" ANY ",\"distrust\":\"x\"}", APPRECEIPT_BAD_REQUEST, "distrust"},
    {"{" ANY ",\"revocation\":\"check\"}", APPRECEIPT_BAD_REQUEST, "check requires crl or distrust"},
    {"{" ANY ",\"revocation\":\"require\",\"distrust\":{\"certificates\":[]}}", APPRECEIPT_BAD_REQUEST, "require requires crl"},
    {"{" ANY ",\"revocation\":\"off\",\"distrust\":{\"certificates\":[]}}", APPRECEIPT_BAD_REQUEST, "off cannot be combined"},
    {"{" ANY ",\"revocation\":\"maybe\"}", APPRECEIPT_BAD_REQUEST, "maybe"},
    {"{" ANY ",\"revocation\":\"off\"}", APPRECEIPT_OK, NULL},
    {"{" ANY ",\"distrust\":{\"certificates\":[]}}", APPRECEIPT_OK, NULL},
    {"{\"storekit_test_roots\":[]}", APPRECEIPT_BAD_REQUEST, "storekit_test_roots"},
    // empty bundle ID, and invalid app numbers
    {"{\"bundle_ids\":\"\",\"app_apple_id\":1}", APPRECEIPT_BAD_REQUEST, "bundle_ids"},
    {"{\"app_apple_id\":[1,2],\"bundle_ids\":\"a\",\"environment\":\"any\"}", APPRECEIPT_OK, NULL},
    {"{" ANY ",\"app_apple_id\":\"any\"}", APPRECEIPT_OK, NULL},
    {"{\"app_apple_id\":0}", APPRECEIPT_BAD_REQUEST, "app_apple_id"},
    {"{\"app_apple_id\":-1}", APPRECEIPT_BAD_REQUEST, "app_apple_id"},
    {"{\"app_apple_id\":[]}", APPRECEIPT_BAD_REQUEST, "app_apple_id"},
    {"{\"app_apple_id\":null}", APPRECEIPT_BAD_REQUEST, "app_apple_id"},
    {"{\"app_apple_id\":true}", APPRECEIPT_BAD_REQUEST, "app_apple_id"},
    {"{\"app_apple_id\":\"1\"}", APPRECEIPT_BAD_REQUEST, "app_apple_id"},
    {"{\"app_apple_id\":9223372036854775808}", APPRECEIPT_BAD_REQUEST, "app_apple_id"},
    // null is not a list
    {"{\"bundle_ids\":null}", APPRECEIPT_BAD_REQUEST, "bundle_ids"},
    // invalid certificates
    {"{\"roots\":[\"\"]}", APPRECEIPT_BAD_REQUEST, "roots[0]"},
    {"{" ANY ",\"roots\":[\"MAA=\"]}", APPRECEIPT_BAD_REQUEST, "roots"},
    {"{" ANY ",\"storekit_test_roots\":[\"MAA=\"]}", APPRECEIPT_BAD_REQUEST, "roots"},
    // stored records, with a catalog and without
    {"{" ANY ",\"records\":{\"evidence\":true}}", APPRECEIPT_OK, NULL},
    {"{" ANY ",\"records\":{\"evidence\":false,\"as_of\":\"2026-01-01T00:00:00Z\"},\"catalog\":{\"groups\":{\"G\":[\"P\"]}}}",
     APPRECEIPT_OK, NULL},
    {"{\"records\":{\"evidence\":1}}", APPRECEIPT_BAD_REQUEST, "records.evidence"},
    // records without a catalog, and with an invalid date
    {"{\"records\":{\"as_of\":\"2026-01-01T00:00:00Z\"}}", APPRECEIPT_BAD_REQUEST, "records.as_of"},
    {"{\"catalog\":{\"groups\":{\"G\":[\"P\"]}},\"records\":{\"as_of\":\"yesterday\"}}", APPRECEIPT_BAD_REQUEST,
     "records.as_of"},
    {"{\"catalog\":{\"groups\":{\"G\":[\"P\"]}},\"records\":{\"asof\":\"\"}}", APPRECEIPT_BAD_REQUEST, "asof"},
    // a catalog without products
    {"{\"catalog\":{}}", APPRECEIPT_BAD_REQUEST, "catalog"},
};

static const row eligibility_rows[] = {
    {"", APPRECEIPT_BAD_REQUEST, "\"code\":\"bad_request\""},
    {"{\"evidence\":[]}", APPRECEIPT_BAD_REQUEST, "evidence: must not be empty"},
    {"{\"evidence\":[\"MAA=\"]}", APPRECEIPT_BAD_REQUEST, "catalog: required"},
    {"{\"evidence\":[\"MAA=\"],\"catalog\":{\"groups\":{\"G\":[\"P\"]}}}", APPRECEIPT_REFUSED,
     "\"refusals\":[{\"evidence\":0,\"refusal\":{\"code\":\"malformed\""},
    {"{\"evidence\":[\"x\"],\"as_of\":\"yesterday\"}", APPRECEIPT_BAD_REQUEST, "as_of"},
    // no catalog: products alone, a single group, and both together
    {"{\"evidence\":[\"MAA=\"],\"products\":[\"P\"]}", APPRECEIPT_REFUSED, "\"refusals\":[{\"evidence\":0,"},
    {"{\"evidence\":[\"MAA=\"],\"single_group\":true}", APPRECEIPT_BAD_REQUEST, "products: required"},
    {"{\"evidence\":[\"MAA=\"],\"products\":[\"P\"],\"single_group\":true}", APPRECEIPT_REFUSED, "\"refusals\":"},
    {"{\"evidence\":[\"x\"],\"single_group\":true,\"catalog\":{\"groups\":{\"G\":[\"P\"]}}}", APPRECEIPT_BAD_REQUEST,
     "single_group: cannot be combined with catalog"},
    {"{\"evidence\":[\"x\"],\"single_group\":1}", APPRECEIPT_BAD_REQUEST, "single_group"},
    // unsigned renewal information in no known format
    {"{\"evidence\":[\"x\"],\"products\":[\"P\"],\"unsigned_renewal_info\":[5]}", APPRECEIPT_BAD_REQUEST,
     "unsigned_renewal_info[0]"},
    {"{\"evidence\":[\"x\"],\"products\":[\"P\"],\"unsigned_renewal_info\":[\"x\"]}", APPRECEIPT_BAD_REQUEST,
     "unsigned_renewal_info[0]"},
    {"{\"evidence\":[\"x\"],\"products\":[\"P\"],\"unsigned_renewal_info\":[{}]}", APPRECEIPT_BAD_REQUEST,
     "pending_renewal_info"},
    // refused evidence: an unknown choice, and no genuine evidence left
    {"{\"evidence\":[\"x\"],\"products\":[\"P\"],\"refused_evidence\":\"ignore\"}", APPRECEIPT_BAD_REQUEST,
     "refused_evidence"},
    {"{\"evidence\":[\"MAA=\"],\"products\":[\"P\"],\"refused_evidence\":\"caveat\"}", APPRECEIPT_REFUSED,
     "{\"error\":{\"code\":\"refused\""},
};

static const row verify_receipt_rows[] = {
    {"", APPRECEIPT_REFUSED, "{\"status\":21002}"},
    {"{\"receipt-data\":\"MAA=\"}", APPRECEIPT_REFUSED, "{\"status\":21002}"},
};

static const row record_rows[] = {
    // invalid records, a record of another kind, and one without objects
    {"", APPRECEIPT_REFUSED, "{\"id\":null,\"line\":7,\"status\":\"refused\""},
    {"7", APPRECEIPT_REFUSED, "{\"id\":null,\"line\":7,"},
    {"{\"receipt\":null}", APPRECEIPT_OK, "{\"id\":7,\"sha256\":null,\"status\":\"absent\"}"},
    {"{\"id\":\"a\",\"receipt\":\"MAA=\"}", APPRECEIPT_REFUSED, "{\"id\":\"a\","},
};

static const row records_rows[] = {
    // no record, blank lines, and records of several kinds
    {"", APPRECEIPT_OK, "{}"},
    {"\n \t\r\n\n", APPRECEIPT_OK, "{}"},
    {"\n7", APPRECEIPT_REFUSED, "{\"id\":null,\"line\":8,"},
    {"{\"receipt\":null}\n{\"receipt\":null}\r\n", APPRECEIPT_OK, "\"absent\"}\n{\"id\":8,"},
    {"{\"receipt\":null}\n{\"id\":\"a\",\"receipt\":\"MAA=\"}", APPRECEIPT_REFUSED, "\"absent\"}\n{\"id\":\"a\","},
};

static const row leaves_rows[] = {
    {"\n", APPRECEIPT_OK, "{}"},
    // SHA-256 of NUL, "appreceipt record 2", "source 1", "place 7", "received nothing" and the answer, with
    // LF after each line
    {"{\"receipt\":null}", APPRECEIPT_OK, "\"absent\"}\n\n2b1d04fa9bb000dc30806f9368fcc347820ee8a9ca21ddc991ea3a8f37ceac83"},
};

static const row customer_rows[] = {
    // no request, no customer, and no evidence
    {"", APPRECEIPT_BAD_REQUEST, "bad_request"},
    {"{}", APPRECEIPT_BAD_REQUEST, "customer"},
    {"{\"customer\":1,\"evidence\":[]}", APPRECEIPT_BAD_REQUEST, "evidence"},
    // a stored notification, a record of another customer, and a record of no known kind
    {"{\"customer\":1,\"evidence\":[{\"number\":1,\"kept\":{\"kind\":\"notification\"}}]}", APPRECEIPT_OK,
     "\"rule\":\"no-purchase-evidence\""},
    {"{\"customer\":1,\"evidence\":[{\"number\":1,\"kept\":{\"kind\":\"receipt\",\"subject\":\"s\"}}]}",
     APPRECEIPT_BAD_REQUEST, "another customer"},
    {"{\"customer\":1,\"evidence\":[{\"number\":1,\"kept\":{\"kind\":\"pass\"}}]}", APPRECEIPT_BAD_REQUEST, "evidence[0].kept"},
};

typedef int call(appreceipt *, const char *, size_t, char **, size_t *);

/// Returns the answer to a record, without the line end.
static int answer_record(appreceipt *handle, const char *text, size_t length, char **answer, size_t *answer_length) {
    int code = appreceipt_answer_record(handle, text, length, 7, answer, answer_length);
    if (answer != NULL && answer_length != NULL && *answer != NULL && (*answer)[*answer_length - 1] == '\n')
        (*answer)[--*answer_length] = 0;
    return code;
}

/// Returns the answers to records and the leaves, without the last line end, or {} without records.
static int answer_records(appreceipt *handle, const char *text, size_t length, char **answer, size_t *answer_length) {
    size_t number = 7;
    int code = appreceipt_answer_records(handle, text, length, &number, answer, answer_length);
    bool isAnswered = answer != NULL && answer_length != NULL && *answer != NULL && code != APPRECEIPT_BAD_REQUEST;
    // The last line may lack its end.
    size_t lines = isAnswered && length > 0 && text[length - 1] != '\n';
    for (size_t i = 0; isAnswered && i < length; i++) lines += text[i] == '\n';
    EXPECT(number == 7 + lines, "%zu", number);
    if (isAnswered && *answer_length == 0) {
        appreceipt_free(*answer);
        *answer = strdup("{}");
        *answer_length = 2;
    } else if (isAnswered && (*answer)[*answer_length - 1] == '\n') {
        (*answer)[--*answer_length] = 0;
    }
    return code;
}

/// Returns the answers about a customer, without the last line end.
static int answer_customer(appreceipt *handle, const char *text, size_t length, char **answer, size_t *answer_length) {
    int code = appreceipt_answer_customer(handle, text, length, answer, answer_length);
    if (answer != NULL && answer_length != NULL && *answer != NULL && (*answer)[*answer_length - 1] == '\n')
        (*answer)[--*answer_length] = 0;
    return code;
}

static int verify_text(appreceipt *handle, const char *text, size_t length, char **answer, size_t *answer_length) {
    return appreceipt_verify(handle, text, length, answer, answer_length);
}

static void expect_rows(appreceipt *handle, call *call, const row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        answer answer = {-1, (char *)1, 1};
        answer.code = call(handle, rows[i].text, strlen(rows[i].text), &answer.text, &answer.length);
        expect_whole(answer, rows[i].text);
        EXPECT(answer.code == rows[i].code, "%s: %d %s", rows[i].text, answer.code, answer.text ? answer.text : "");
        EXPECT((rows[i].part == NULL) == (answer.text == NULL), "%s", rows[i].text);
        if (rows[i].part != NULL && answer.text != NULL)
            EXPECT(strstr(answer.text, rows[i].part) != NULL, "%s: %s", rows[i].text, answer.text);
        appreceipt_free(answer.text);
    }
}

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/// Checks invalid arguments.
static void expect_arguments(appreceipt *handle, call *call, int code_of_long) {
    answer answer = {-1, (char *)1, 1};
    EXPECT(call(handle, "x", 1, NULL, &answer.length) == APPRECEIPT_BAD_REQUEST, "no answer");
    EXPECT(answer.length == 0, "%zu", answer.length);
    EXPECT(call(handle, "x", 1, &answer.text, NULL) == APPRECEIPT_BAD_REQUEST, "no length");
    EXPECT(answer.text == NULL, "%p", (void *)answer.text);
    EXPECT(call(handle, "x", 1, NULL, NULL) == APPRECEIPT_BAD_REQUEST, "neither");
    const struct {
        appreceipt *handle;
        const char *input;
        size_t length;
        int code;
    } rows[] = {
        {NULL, "x", 1, APPRECEIPT_BAD_REQUEST},
        {NULL, NULL, 0, APPRECEIPT_BAD_REQUEST},
        {handle, NULL, 1, APPRECEIPT_BAD_REQUEST},
        {handle, NULL, SIZE_MAX, APPRECEIPT_BAD_REQUEST},
        // There is no memory at this address. The library does not read an input that is too long.
        {handle, "x", SIZE_MAX, APPRECEIPT_BAD_REQUEST},
        {handle, "x", (size_t)PTRDIFF_MAX + 1, APPRECEIPT_BAD_REQUEST},
        {handle, "x", PTRDIFF_MAX, code_of_long},
        {handle, "x", PTRDIFF_MAX / 16 + 1, code_of_long},
        {handle, "x", (size_t)1 << 40, code_of_long},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        answer.text = (char *)1;
        answer.length = 1;
        answer.code = call(rows[i].handle, rows[i].input, rows[i].length, &answer.text, &answer.length);
        expect_whole(answer, "argument");
        EXPECT(answer.code == rows[i].code && answer.text != NULL, "row %zu: %d", i, answer.code);
        appreceipt_free(answer.text);
    }
}

/// Checks inputs with wrong lengths, counts and pointers.
static void test_many(appreceipt *handle) {
    static const char byte;
    const void *inputs[4097];
    size_t lengths[4097] = {0};
    for (size_t i = 0; i < COUNT(inputs); i++) inputs[i] = &byte;
    const size_t together[] = {1 << 19, (1 << 19) + 1}, overflowing[] = {2, SIZE_MAX}, absent[] = {0, 1, 0};
    const void *const nothing[] = {NULL, NULL, NULL};
    const struct {
        appreceipt *handle;
        const void *const *inputs;
        const size_t *lengths;
        size_t count;
        int code;
        const char *part;
    } rows[] = {
        // no inputs, and NULL arrays
        {handle, inputs, lengths, 0, APPRECEIPT_OK, ""},
        {handle, NULL, NULL, 0, APPRECEIPT_OK, ""},
        // the maximum number of empty inputs
        {handle, inputs, lengths, 4096, APPRECEIPT_REFUSED, "the input is empty"},
        // one more, and more than any memory holds
        {handle, inputs, lengths, 4097, APPRECEIPT_BAD_REQUEST, "count: must be a number from 0 to 4096"},
        {handle, inputs, lengths, SIZE_MAX, APPRECEIPT_BAD_REQUEST, "count: must be a number from 0 to 4096"},
        // more than the limit of bytes together, and a sum that overflows
        {handle, inputs, together, 2, APPRECEIPT_BAD_REQUEST, "lengths: more than the limit of 1048576 bytes in total"},
        {handle, inputs, overflowing, 2, APPRECEIPT_BAD_REQUEST, "lengths: more than the limit of 1048576 bytes in total"},
        {handle, inputs, overflowing + 1, 1, APPRECEIPT_BAD_REQUEST, "length: out of range"},
        // a single input above the limit, which is not read
        {handle, inputs, (const size_t[]){(size_t)1 << 40}, 1, APPRECEIPT_REFUSED, "too_large"},
        // NULL as an empty input, and as an input of one byte
        {handle, nothing, absent, 1, APPRECEIPT_REFUSED, "the input is empty"},
        {handle, nothing, absent, 3, APPRECEIPT_BAD_REQUEST, "data: must not be NULL with a length of 1"},
        // NULL for required arguments
        {NULL, inputs, lengths, 1, APPRECEIPT_BAD_REQUEST, "handle: must not be NULL"},
        {handle, NULL, lengths, 1, APPRECEIPT_BAD_REQUEST, "inputs, lengths: must not be NULL"},
        {handle, inputs, NULL, 1, APPRECEIPT_BAD_REQUEST, "inputs, lengths: must not be NULL"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        answer answer = verified_together(rows[i].handle, rows[i].inputs, rows[i].lengths, rows[i].count);
        EXPECT(answer.code == rows[i].code && answer.text != NULL && strstr(answer.text, rows[i].part) != NULL
                   && (answer.length == 0) == (rows[i].part[0] == 0), "row %zu: %d %s", i, answer.code, answer.text);
        appreceipt_free(answer.text);
    }
    EXPECT(appreceipt_verify_many(handle, inputs, lengths, 1, NULL, NULL) == APPRECEIPT_BAD_REQUEST, "no answer");
}

static int open_text(appreceipt *unused, const char *text, size_t length, char **answer, size_t *answer_length) {
    (void)unused;
    appreceipt *handle = (appreceipt *)1;
    int code = appreceipt_open(text, length, &handle, answer, answer_length);
    EXPECT((handle != NULL) == (code == APPRECEIPT_OK), "%s: %d", text, code);
    appreceipt_close(handle);
    return code;
}

static void test_calls(void) {
    const char *version = appreceipt_version();
    EXPECT(version != NULL && version == appreceipt_version(), "the version has one address");
    EXPECT(version != NULL && strspn(version, "0123456789.") > 4, "%s", version);
    appreceipt_close(NULL);
    appreceipt_free(NULL);

    answer none = {-1, (char *)1, 1};
    EXPECT(appreceipt_open(NULL, 0, NULL, &none.text, &none.length) == APPRECEIPT_BAD_REQUEST, "no handle");
    appreceipt_free(none.text);
    appreceipt *handle = (appreceipt *)1;
    EXPECT(appreceipt_open("{}", 2, &handle, NULL, NULL) == APPRECEIPT_BAD_REQUEST && handle == NULL, "no answer");
    handle = (appreceipt *)1;
    none.text = NULL;
    EXPECT(appreceipt_open("{}", SIZE_MAX, &handle, &none.text, &none.length) == APPRECEIPT_BAD_REQUEST
               && handle == NULL, "invalid length");
    appreceipt_free(none.text);
    expect_rows(NULL, open_text, settings_rows, COUNT(settings_rows));

    handle = opened(any, strlen(any));
    expect_arguments(handle, verify_text, APPRECEIPT_REFUSED);
    test_many(handle);
    expect_arguments(handle, appreceipt_eligibility, APPRECEIPT_BAD_REQUEST);
    expect_arguments(handle, appreceipt_verify_receipt_answer, APPRECEIPT_REFUSED);
    expect_arguments(handle, answer_record, APPRECEIPT_REFUSED);
    expect_rows(handle, answer_record, record_rows, COUNT(record_rows));
    expect_arguments(handle, answer_records, APPRECEIPT_BAD_REQUEST);
    expect_rows(handle, answer_records, records_rows, COUNT(records_rows));
    size_t last = 0;
    EXPECT(appreceipt_answer_records(handle, "7", 1, &last, &none.text, &none.length) == APPRECEIPT_BAD_REQUEST
               && last == 0, "invalid number");
    appreceipt_free(none.text);
    last = SIZE_MAX;
    EXPECT(appreceipt_answer_records(handle, "7", 1, NULL, &none.text, &none.length) == APPRECEIPT_BAD_REQUEST, "no number");
    appreceipt_free(none.text);
    EXPECT(appreceipt_answer_records(handle, "7", 1, &last, &none.text, &none.length) == APPRECEIPT_BAD_REQUEST
               && last == SIZE_MAX, "invalid number");
    appreceipt_free(none.text);
    // Invalid record numbers, and the largest one, after which no number exists.
    const size_t numbers[] = {0, SIZE_MAX, (size_t)PTRDIFF_MAX, (size_t)PTRDIFF_MAX - (32 << 20) + 1};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        answer refused = {-1, (char *)1, 1};
        refused.code = appreceipt_answer_record(handle, "{}", 2, numbers[i], &refused.text, &refused.length);
        EXPECT(refused.code == APPRECEIPT_BAD_REQUEST && refused.text != NULL && strstr(refused.text, "number: must be a number from 1") != NULL,
               "%zu: %d %s", numbers[i], refused.code, refused.text);
        appreceipt_free(refused.text);
        last = numbers[i];
        refused.code = appreceipt_answer_records(handle, "{}", 2, &last, &refused.text, &refused.length);
        EXPECT(refused.code == APPRECEIPT_BAD_REQUEST && last == numbers[i], "%zu: %d", numbers[i], refused.code);
        appreceipt_free(refused.text);
    }
    const char *source = "{" ANY ",\"records\":{\"source\":1}}";
    appreceipt *telling = opened(source, strlen(source));
    expect_rows(telling, answer_records, leaves_rows, COUNT(leaves_rows));
    expect_rows(telling, answer_record, leaves_rows + 1, 1);
    appreceipt_close(telling);
    expect_rows(handle, appreceipt_eligibility, eligibility_rows, COUNT(eligibility_rows));
    expect_rows(handle, appreceipt_verify_receipt_answer, verify_receipt_rows, COUNT(verify_receipt_rows));
    expect_arguments(handle, answer_customer, APPRECEIPT_BAD_REQUEST);
    const row without_catalog[] = {{customer_rows[3].text, APPRECEIPT_BAD_REQUEST, "catalog"}};
    expect_rows(handle, answer_customer, without_catalog, 1);
    const char *catalog = "{" ANY ",\"catalog\":{\"groups\":{\"G\":[\"P\"]}}}";
    appreceipt *asking = opened(catalog, strlen(catalog));
    expect_rows(asking, answer_customer, customer_rows, COUNT(customer_rows));
    appreceipt_close(asking);
    answer empty = verified(handle, NULL, 0);
    EXPECT(empty.code == APPRECEIPT_REFUSED && strstr(empty.text, "the input is empty") != NULL, "%s", empty.text);
    appreceipt_free(empty.text);
    appreceipt_close(handle);

    // Apple's endpoint makes fewer checks, so settings with others are refused.
    const char *demanding[] = {
        "{" ANY ",\"device_id\":\"00\"}",
        "{\"bundle_ids\":\"any\",\"environment\":\"xcode\"}",
        "{\"bundle_ids\":\"any\",\"environment\":\"sandbox\",\"verify_receipt\":{\"environment\":\"production\"}}",
    };
    const row refused[] = {{"{}", APPRECEIPT_BAD_REQUEST, "bad_settings"}};
    for (size_t i = 0; i < COUNT(demanding); i++) {
        handle = opened(demanding[i], strlen(demanding[i]));
        expect_rows(handle, appreceipt_verify_receipt_answer, refused, 1);
        appreceipt_close(handle);
    }
}

// MARK: - Answers

static void print_answers(appreceipt *handle, call *call, const file *files, int count) {
    for (int i = 0; i < count; i++) {
        answer answer = {-1, NULL, 0};
        answer.code = call(handle, files[i].bytes, files[i].length, &answer.text, &answer.length);
        expect_whole(answer, files[i].path);
        printf("%d %s\n", answer.code, answer.text);
        appreceipt_free(answer.text);
    }
}

/// Returns the next number of a fixed series (xorshift64).
static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void test_mutants(appreceipt *handle, const file *files, int count) {
    uint64_t state = 0x5DEECE66D;
    const char *share = getenv("MUTANTS");
    int mutants = share ? atoi(share) : 200;
    for (int i = 0; i < count; i++) {
        if (files[i].length == 0) continue;
        for (int mutant = 0; mutant < mutants; mutant++) {
            // A separate allocation, so that a sanitizer detects reads beyond its end.
            size_t length = mutant % 4 == 0 ? next(&state) % files[i].length : files[i].length;
            char *bytes = malloc(length + 1);
            memcpy(bytes, files[i].bytes, length);
            for (int change = mutant % 3; length > 0 && change >= 0; change--)
                bytes[next(&state) % length] ^= (char)(1 << next(&state) % 8);
            char *exact = realloc(bytes, length > 0 ? length : 1);
            call *calls[] = {verify_text, appreceipt_eligibility, appreceipt_verify_receipt_answer, answer_record,
                             answer_records, answer_customer, open_text};
            for (size_t c = 0; c < (mutant % 16 == 0 ? COUNT(calls) : 1); c++) {
                answer answer = {-1, NULL, 0};
                answer.code = calls[c](handle, exact, length, &answer.text, &answer.length);
                expect_whole(answer, files[i].path);
                EXPECT(answer.code != APPRECEIPT_UNAVAILABLE, "%s", files[i].path);
                appreceipt_free(answer.text);
            }
            const void *const several[] = {exact, files[i].bytes, exact};
            const size_t lengths[] = {length, files[i].length, length};
            if (mutant % 16 == 0) expect_each_as_alone(handle, several, lengths, COUNT(several));
            free(exact);
        }
    }
}

// MARK: - Namespaces

/// Checks that the library refuses to run in a separate namespace. It would have another C library than the
/// program, and OpenSSL would end the process.
static void test_namespaces(void) {
    Dl_info info;
    if (dladdr((void *)(uintptr_t)appreceipt_version, &info) == 0) exit(2);
    void *library = dlmopen(LM_ID_NEWLM, info.dli_fname, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    int (*open)(const char *, size_t, appreceipt **, char **, size_t *);
    void (*give_back)(char *);
    *(void **)&open = dlsym(library, "appreceipt_open");
    *(void **)&give_back = dlsym(library, "appreceipt_free");
    appreceipt *handle = (appreceipt *)1;
    answer answer = {-1, NULL, 0};
    answer.code = open(any, strlen(any), &handle, &answer.text, &answer.length);
    expect_whole(answer, "namespace");
    EXPECT(answer.code == APPRECEIPT_BAD_REQUEST && handle == NULL && strstr(answer.text, "dlmopen") != NULL, "%s", answer.text);
    give_back(answer.text);
    // The program's own copy of the library still works.
    appreceipt_close(opened(any, strlen(any)));
}

// MARK: - Threads and processes

typedef struct {
    appreceipt *handle;
    const file *files;
    answer *wanted;
    int count, rounds;
    _Atomic bool *is_over;
    _Atomic long *calls;
} work;

static void expect_same(const work *work, int i) {
    answer answer = verified(work->handle, work->files[i].bytes, work->files[i].length);
    EXPECT(answer.code == work->wanted[i].code && answer.length == work->wanted[i].length
               && strcmp(answer.text, work->wanted[i].text) == 0, "%s", work->files[i].path);
    appreceipt_free(answer.text);
}

static void expect_all_together(const work *work) {
    const void **inputs = calloc((size_t)work->count, sizeof *inputs);
    size_t *lengths = calloc((size_t)work->count, sizeof *lengths);
    for (int i = 0; i < work->count; i++) {
        inputs[i] = work->files[i].bytes;
        lengths[i] = work->files[i].length;
    }
    expect_each_as_alone(work->handle, inputs, lengths, (size_t)work->count);
    free(inputs);
    free(lengths);
}

static void *verify_often(void *argument) {
    work *work = argument;
    for (int round = 0; round < work->rounds && !*work->is_over; round++)
        for (int i = 0; i < work->count; i++) {
            expect_same(work, i);
            if (work->calls != NULL) ++*work->calls;
            if (i == 0) expect_all_together(work);
        }
    return NULL;
}

static pthread_t start(work *work, size_t stack) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    int status = stack ? pthread_attr_setstacksize(&attributes, stack) : 0;
    if (status == 0) status = pthread_create(&thread, &attributes, verify_often, work);
    pthread_attr_destroy(&attributes);
    if (status != 0) {
        fprintf(stderr, "no thread: %s\n", strerror(status));
        exit(2);
    }
    return thread;
}

static work all_of(appreceipt *handle, const file *files, int count, _Atomic bool *is_over) {
    work work = {handle, files, calloc((size_t)count, sizeof(answer)), count, 0, is_over, NULL};
    for (int i = 0; i < count; i++) work.wanted[i] = verified(handle, files[i].bytes, files[i].length);
    return work;
}

static void free_work(work work) {
    for (int i = 0; i < work.count; i++) appreceipt_free(work.wanted[i].text);
    free(work.wanted);
}

static void test_threads(appreceipt *handle, const file *files, int count) {
    _Atomic bool is_over = false;
    work work = all_of(handle, files, count, &is_over);
    expect_all_together(&work);
    const char *rounds = getenv("ROUNDS");
    work.rounds = rounds ? atoi(rounds) : 20;
    pthread_t threads[16];
    // The minimum that the header states. A sanitizer's frames are larger.
    size_t stack = getenv("STACK") ? (size_t)atol(getenv("STACK")) : 256 << 10;
    for (size_t i = 0; i < COUNT(threads); i++) threads[i] = start(&work, stack);
    for (size_t i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
    free_work(work);
}

static _Atomic bool are_children_over;
static appreceipt *handle_of_children;

/// Verifies in a fork handler of the host. The host registers the handler before the library registers its own, so
/// it runs while the FFI boundary is closed for the fork.
static void verify_before_fork(void) {
    if (handle_of_children != NULL) appreceipt_free(verified(handle_of_children, "x", 1).text);
}

static void prepare(void) { pthread_atfork(verify_before_fork, NULL, NULL); }

// Before the constructors of libraries.
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = prepare;

static void test_forks(appreceipt *handle, const file *files, int count) {
    work work = all_of(handle, files, count, &are_children_over);
    work.rounds = 1 << 20;
    _Atomic long calls = 0;
    work.calls = &calls;
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++) threads[i] = start(&work, 0);
    for (int child = 0; child < 200; child++) {
        // Forks at different places of a call.
        struct timespec pause = {0, (child * 7919) % 2000 * 1000};
        nanosleep(&pause, NULL);
        pid_t pid = fork();
        if (pid == 0) {
            // A child that waits for a lock of the parent would never end.
            alarm(60);
            failures = 0;
            work.calls = NULL;
            for (int i = 0; i < count; i++) expect_same(&work, i);
            // The child can also use a handle, threads and a child of its own.
            appreceipt_close(opened(any, strlen(any)));
            if (child % 10 == 0) {
                work.rounds = 1;
                pthread_join(start(&work, 0), NULL);
                pid_t grandchild = fork();
                if (grandchild == 0) {
                    expect_same(&work, 0);
                    _exit(failures != 0);
                }
                int status = -1;
                waitpid(grandchild, &status, 0);
                EXPECT(status == 0, "grandchild: %d", status);
            }
            _exit(failures != 0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        EXPECT(status == 0, "child %d: %d", child, status);
    }
    long before = calls;
    while (calls < before + 100) usleep(1000);  // The parent's threads continue.
    are_children_over = true;
    for (size_t i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
    free_work(work);
}

static void doze(int signal) {
    (void)signal;
    struct timespec pause = {0, 20000};
    nanosleep(&pause, NULL);
}

/// Interrupts this thread about a thousand times a second at any point, so that it often holds locks for which
/// other threads wait.
static void let_this_thread_doze(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    event._sigev_un._tid = gettid();
    struct itimerspec period = {{0, 970000}, {0, 970000}};
    timer_t timer;
    signal(SIGUSR1, doze);
    EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "no timer");
    EXPECT(timer_settime(timer, 0, &period, NULL) == 0, "no timer");
}

/// Checks locks in a child, where the forking thread has another thread ID. A lock that stores the old ID
/// would have no valid owner.
static void test_forked_threads(appreceipt *handle, const file *files, int count) {
    _Atomic bool is_over = false;
    work work = all_of(handle, files, count, &is_over);
    work.rounds = 1 << 30;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        pthread_t threads[3];
        for (size_t i = 0; i < COUNT(threads); i++) threads[i] = start(&work, 0);
        let_this_thread_doze();
        for (time_t end = time(NULL) + 10; time(NULL) < end;)
            for (int i = 0; i < count; i++) expect_same(&work, i);
        is_over = true;
        for (size_t i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
        _exit(failures != 0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT(status == 0, "child: %d", status);
    free_work(work);
}

typedef struct {
    appreceipt *handle;
    const file *files;
    int count;
    pthread_barrier_t barrier;
} questions;

static void *ask_at_once(void *argument) {
    questions *questions = argument;
    pthread_barrier_wait(&questions->barrier);
    for (int i = 0; i < questions->count; i++)
        appreceipt_free(verified(questions->handle, questions->files[i].bytes, questions->files[i].length).text);
    return NULL;
}

static void *ask_and_wait(void *argument) {
    questions *questions = argument;
    for (int i = 0; i < questions->count; i++) {
        answer answer = verified(questions->handle, questions->files[i].bytes, questions->files[i].length);
        EXPECT(strstr(answer.text, "\"status\":\"genuine\"") != NULL, "%s: %s", questions->files[i].path, answer.text);
        appreceipt_free(answer.text);
    }
    pthread_barrier_wait(&questions->barrier);
    pthread_barrier_wait(&questions->barrier);
    return NULL;
}

/// Closes handles before the threads end that used them. OpenSSL's state of a thread must not refer to a closed handle.
static void test_last_threads(const file *settings, const file *files, int count) {
    for (int round = 0; round < 10; round++) {
        questions questions = {opened(settings->bytes, settings->length), files, count, {{0}}};
        pthread_t threads[4];
        pthread_barrier_init(&questions.barrier, NULL, COUNT(threads) + 1);
        for (size_t i = 0; i < COUNT(threads); i++) pthread_create(&threads[i], NULL, ask_and_wait, &questions);
        pthread_barrier_wait(&questions.barrier);
        appreceipt_close(questions.handle);
        pthread_barrier_wait(&questions.barrier);
        for (size_t i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&questions.barrier);
    }
}

/// Checks one-time initialization in a child, where the forking thread has another thread ID.
static void test_forked_first_calls(appreceipt *handle, const file *files, int count) {
    for (int child = 0; child < 300; child++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            failures = 0;
            questions questions = {.handle = handle, .files = files, .count = count};
            pthread_t threads[3];
            pthread_barrier_init(&questions.barrier, NULL, COUNT(threads) + 1);
            for (size_t i = 0; i < COUNT(threads); i++) pthread_create(&threads[i], NULL, ask_at_once, &questions);
            ask_at_once(&questions);
            for (size_t i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
            _exit(failures != 0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        EXPECT(status == 0, "child %d: %d", child, status);
    }
}

/// Makes the first call of a process from many threads while it forks.
static void *open_one(void *unused) {
    (void)unused;
    appreceipt_close(opened(any, strlen(any)));
    return NULL;
}

static void test_first_calls(void) {
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT(threads); i++) pthread_create(&threads[i], NULL, open_one, NULL);
    for (int child = 0; child < 20; child++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            open_one(NULL);
            _exit(failures != 0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        EXPECT(status == 0, "child %d: %d", child, status);
    }
    for (size_t i = 0; i < COUNT(threads); i++) pthread_join(threads[i], NULL);
}

// MARK: - Memory and time

static void test_memory(appreceipt *handle, const file *file) {
    answer before = verified(handle, file->bytes, file->length);
    size_t length = 16 << 20;
    char *large = calloc(1, length);
    // A SEQUENCE that covers all bytes.
    memcpy(large, "\x30\x84\x00\xff\xff\xfa", 6);
    long pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    if (stream == NULL || fscanf(stream, "%ld", &pages) != 1) exit(2);
    fclose(stream);
    struct rlimit old;
    getrlimit(RLIMIT_AS, &old);
    struct rlimit low = {(rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (8 << 20), old.rlim_max};
    setrlimit(RLIMIT_AS, &low);
    answer without = verified(handle, large, length);
    EXPECT(without.code == APPRECEIPT_UNAVAILABLE && without.text == NULL, "%d", without.code);
    // Short records with answers that are a hundred times as long.
    static char records[64 << 10];
    for (size_t i = 0; i < sizeof records; i += 2) memcpy(records + i, "7\n", 2);
    size_t number = 1;
    answer growing = {-1, (char *)1, 1};
    growing.code = appreceipt_answer_records(handle, records, sizeof records, &number, &growing.text, &growing.length);
    EXPECT(growing.code == APPRECEIPT_UNAVAILABLE && growing.text == NULL && number == 1, "%d", growing.code);
    static const void *inputs[4096];
    static size_t lengths[4096];
    low.rlim_cur -= 4 << 20;
    setrlimit(RLIMIT_AS, &low);
    answer many = verified_together(handle, inputs, lengths, 4096);
    EXPECT(many.code == APPRECEIPT_UNAVAILABLE && many.text == NULL, "%d", many.code);
    // Inputs that need little memory have their usual answers.
    answer after = verified(handle, file->bytes, file->length);
    EXPECT(after.code == before.code && strcmp(after.text, before.text) == 0, "%s", after.text);
    setrlimit(RLIMIT_AS, &old);
    answer with = verified(handle, large, length);
    EXPECT(with.code == APPRECEIPT_REFUSED, "%d", with.code);
    appreceipt_free(before.text);
    appreceipt_free(without.text);
    appreceipt_free(after.text);
    appreceipt_free(with.text);
    free(large);
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);  // Processor time, because the machine may be shared.
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void test_speed(appreceipt *handle, const file *file) {
    const int count = 20000;
    for (int round = 0; round < 3; round++) {
        double start = seconds();
        for (int i = 0; i < count; i++) appreceipt_free(verified(handle, file->bytes, file->length).text);
        printf("%.0f verifications a second\n", count / (seconds() - start));
    }
}

int main(int count, char **arguments) {
    const char *test = count > 1 ? arguments[1] : "";
    if (strcmp(test, "calls") == 0) {
        test_calls();
    } else if (strcmp(test, "first-calls") == 0) {
        test_first_calls();
    } else if (strcmp(test, "namespaces") == 0) {
        test_namespaces();
    } else if (count < 4) {
        return 64;
    } else {
        file settings = read_file(arguments[2]);
        appreceipt *handle = opened(settings.bytes, settings.length);
        handle_of_children = handle;
        int number = count - 3;
        file *files = calloc((size_t)number, sizeof *files);
        for (int i = 0; i < number; i++) files[i] = read_file(arguments[i + 3]);
        if (strcmp(test, "verify") == 0) print_answers(handle, verify_text, files, number);
        else if (strcmp(test, "eligibility") == 0) print_answers(handle, appreceipt_eligibility, files, number);
        else if (strcmp(test, "verify-receipt") == 0)
            print_answers(handle, appreceipt_verify_receipt_answer, files, number);
        else if (strcmp(test, "record") == 0) print_answers(handle, answer_record, files, number);
        else if (strcmp(test, "customer") == 0) print_answers(handle, answer_customer, files, number);
        else if (strcmp(test, "mutants") == 0) test_mutants(handle, files, number);
        else if (strcmp(test, "threads") == 0) test_threads(handle, files, number);
        else if (strcmp(test, "forks") == 0) test_forks(handle, files, number);
        else if (strcmp(test, "forked-threads") == 0) test_forked_threads(handle, files, number);
        else if (strcmp(test, "last-threads") == 0) test_last_threads(&settings, files, number);
        else if (strcmp(test, "forked-first-calls") == 0) test_forked_first_calls(handle, files, number);
        else if (strcmp(test, "memory") == 0) test_memory(handle, &files[0]);
        else if (strcmp(test, "speed") == 0) test_speed(handle, &files[0]);
        else return 64;
        for (int i = 0; i < number; i++) free(files[i].bytes);
        free(files);
        free(settings.bytes);
        appreceipt_close(handle);
    }
    if (failures != 0) fprintf(stderr, "%s: %d failures\n", test, (int)failures);
    return failures != 0;
}
