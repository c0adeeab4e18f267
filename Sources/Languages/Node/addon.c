// The module appreceipt.node. open(settings) returns [code, answer, verifier], call(function, verifier, input) returns
// [code, answer]. Answers are texts or null. close(verifier) closes the verifier. Otherwise, the garbage collector does.
#include <appreceipt.h>
#include <node_api.h>
#include <stdlib.h>

typedef int function(appreceipt *, const void *, size_t, char **, size_t *);

static int eligibility(appreceipt *verifier, const void *request, size_t length, char **answer, size_t *size) {
    return appreceipt_eligibility(verifier, request, length, answer, size);
}

static int verify_receipt_answer(appreceipt *verifier, const void *request, size_t length, char **answer, size_t *size) {
    return appreceipt_verify_receipt_answer(verifier, request, length, answer, size);
}

static function *const functions[] = {appreceipt_verify, eligibility, verify_receipt_answer};

// Frees the answer of a call. Returns [code, text], or NULL with a pending exception.
static napi_value taken(napi_env env, int code, char *answer, size_t length) {
    napi_value number, text, pair = NULL;
    napi_status status = answer != NULL ? napi_create_string_utf8(env, answer, length, &text) : napi_get_null(env, &text);
    appreceipt_free(answer);
    if (status != napi_ok || napi_create_int32(env, code, &number) != napi_ok ||
        napi_create_array_with_length(env, 2, &pair) != napi_ok || napi_set_element(env, pair, 0, number) != napi_ok ||
        napi_set_element(env, pair, 1, text) != napi_ok)
        return napi_throw_error(env, NULL, "answer: too long for a string"), NULL;
    return pair;
}

// A verifier is an external value with a pointer to its handle, which is NULL after close.
static void close_handle(appreceipt **handle) {
    appreceipt_close(*handle);
    *handle = NULL;
}

static void finalize(napi_env env, void *handle, void *hint) {
    (void)env, (void)hint;
    close_handle(handle);
    free(handle);
}

static napi_value open_verifier(napi_env env, napi_callback_info info) {
    napi_value argument, verifier, pair;
    size_t count = 1, length;
    void *settings;
    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) != napi_ok ||
        napi_get_buffer_info(env, argument, &settings, &length) != napi_ok)
        return napi_throw_type_error(env, NULL, "open(settings): a Buffer"), NULL;
    appreceipt **handle = calloc(1, sizeof(appreceipt *));
    if (handle == NULL) return taken(env, APPRECEIPT_UNAVAILABLE, NULL, 0);
    char *answer;
    int code = appreceipt_open(settings, length, handle, &answer, &length);
    pair = taken(env, code, answer, length);
    if (pair == NULL || napi_create_external(env, handle, finalize, NULL, &verifier) != napi_ok)
        return finalize(env, handle, NULL), NULL;
    napi_set_element(env, pair, 2, verifier);
    return pair;
}

static napi_value call(napi_env env, napi_callback_info info) {
    napi_value arguments[3];
    size_t count = 3, length;
    unsigned index;
    void *handle, *input;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok ||
        napi_get_value_uint32(env, arguments[0], &index) != napi_ok || index >= sizeof functions / sizeof *functions ||
        napi_get_value_external(env, arguments[1], &handle) != napi_ok ||
        napi_get_buffer_info(env, arguments[2], &input, &length) != napi_ok)
        return napi_throw_type_error(env, NULL, "call(function, verifier, input): a number, a verifier and a Buffer"), NULL;
    char *answer;
    int code = functions[index](*(appreceipt **)handle, input, length, &answer, &length);
    return taken(env, code, answer, length);
}

static napi_value close_verifier(napi_env env, napi_callback_info info) {
    napi_value argument;
    size_t count = 1;
    void *handle;
    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) == napi_ok &&
        napi_get_value_external(env, argument, &handle) == napi_ok)
        close_handle(handle);
    return NULL;
}

NAPI_MODULE_INIT() {
    napi_value version;
    napi_property_descriptor members[] = {
        {"open", NULL, open_verifier, NULL, NULL, NULL, napi_enumerable, NULL},
        {"call", NULL, call, NULL, NULL, NULL, napi_enumerable, NULL},
        {"close", NULL, close_verifier, NULL, NULL, NULL, napi_enumerable, NULL}};
    napi_define_properties(env, exports, 3, members);
    if (napi_create_string_utf8(env, appreceipt_version(), NAPI_AUTO_LENGTH, &version) == napi_ok)
        napi_set_named_property(env, exports, "version", version);
    return exports;
}
