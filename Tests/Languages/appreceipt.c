// The module appreceipt.node: open(settings) returns a verifier, verify(verifier, bytes) returns the answer as text.
//   cc -shared -fPIC -I/usr/include/node appreceipt.c -o appreceipt.node -lappreceipt
#include <appreceipt.h>
#include <node_api.h>
#include <stdlib.h>

// Frees the answer of a call. Returns its text, or throws an error if nothing was verified.
static napi_value taken(napi_env env, int code, char *answer, size_t length) {
    napi_value text = NULL;
    if (code <= APPRECEIPT_REFUSED)
        napi_create_string_utf8(env, answer, length, &text);
    else
        napi_throw_error(env, NULL, answer ? answer : "not judged: no memory");
    appreceipt_free(answer);
    return text;
}

static void close_verifier(napi_env env, void *verifier, void *hint) {
    (void)env, (void)hint;
    appreceipt_close(verifier);
}

static napi_value open_verifier(napi_env env, napi_callback_info info) {
    napi_value argument, made = NULL;
    size_t count = 1, length;
    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) != napi_ok ||
        napi_get_value_string_utf8(env, argument, NULL, 0, &length) != napi_ok)
        return napi_throw_type_error(env, NULL, "open(settings): a text"), NULL;
    char *settings = malloc(length + 1), *answer = NULL;
    if (settings == NULL) return taken(env, APPRECEIPT_UNAVAILABLE, NULL, 0);
    napi_get_value_string_utf8(env, argument, settings, length + 1, &length);
    appreceipt *verifier;
    int code = appreceipt_open(settings, length, &verifier, &answer, &length);
    free(settings);
    if (code != APPRECEIPT_OK) return taken(env, code, answer, length);
    napi_create_external(env, verifier, close_verifier, NULL, &made);
    return made;
}

static napi_value verify(napi_env env, napi_callback_info info) {
    napi_value arguments[2];
    size_t count = 2, length;
    void *verifier, *bytes;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok ||
        napi_get_value_external(env, arguments[0], &verifier) != napi_ok ||
        napi_get_buffer_info(env, arguments[1], &bytes, &length) != napi_ok)
        return napi_throw_type_error(env, NULL, "verify(verifier, bytes): of open, a Buffer"), NULL;
    char *answer;
    int code = appreceipt_verify(verifier, bytes, length, &answer, &length);
    return taken(env, code, answer, length);
}

NAPI_MODULE_INIT() {
    napi_property_descriptor functions[] = {
        {"open", NULL, open_verifier, NULL, NULL, NULL, napi_enumerable, NULL},
        {"verify", NULL, verify, NULL, NULL, NULL, napi_enumerable, NULL}};
    napi_define_properties(env, exports, 2, functions);
    return exports;
}
