#define OPENSSL_SUPPRESS_DEPRECATED

#include "CHost.h"

#include <openssl/crypto.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <stdio.h>
#include <string.h>

void host_initialises_openssl(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG | OPENSSL_INIT_ADD_ALL_DIGESTS | OPENSSL_INIT_ENGINE_ALL_BUILTIN, NULL);
}

bool host_sets_default_engine(const char *path) {
    ENGINE_load_dynamic();
    ENGINE *engine = ENGINE_by_id("dynamic");
    return engine != NULL && ENGINE_ctrl_cmd_string(engine, "SO_PATH", path, 0) == 1
        && ENGINE_ctrl_cmd_string(engine, "LIST_ADD", "1", 0) == 1 && ENGINE_ctrl_cmd_string(engine, "LOAD", NULL, 0) == 1
        && ENGINE_init(engine) == 1 && ENGINE_set_default(engine, ENGINE_METHOD_ALL) == 1;
}

static const char *text_of(int index) {
    static char text[32];
    snprintf(text, sizeof text, "the host's error %d", index);
    return text;
}

void host_queues_errors(int count) {
    ERR_clear_error();
    for (int i = 0; i < count; i++) {
        ERR_raise_data(ERR_LIB_USER, i + 1, "%s", text_of(i));
        if (i == 0) ERR_set_mark();
    }
}

bool host_finds_its_errors(int count) {
    const char *data;
    int flags;
    bool is_same = true;
    for (int i = 0; i < count; i++) {
        unsigned long error = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
        is_same = is_same && ERR_GET_LIB(error) == ERR_LIB_USER && ERR_GET_REASON(error) == i + 1
            && strcmp(data, text_of(i)) == 0;
    }
    return ERR_get_error() == 0 && is_same;
}

bool host_finds_its_mark(void) {
    bool is_marked = ERR_pop_to_mark() == 1 && ERR_GET_REASON(ERR_get_error()) == 1;
    return ERR_get_error() == 0 && is_marked;
}
