#include <appreceipt.h>
#include <stdio.h>
#include <string.h>

/* Returns NULL if the settings are invalid. */
static appreceipt *opened(const char *settings) {
    appreceipt *verifier;
    char *answer;
    size_t length;
    int code = appreceipt_open(settings, strlen(settings), &verifier, &answer, &length);
    if (code != APPRECEIPT_OK) printf("%d %s\n", code, answer ? answer : "");
    appreceipt_free(answer);
    return verifier;
}

int main(void) {
    appreceipt *strict = opened("{\"bundle_ids\": [\"com.example.app\"], \"environment\": \"production\"}");
    appreceipt *misspelt = opened("{\"environment\": \"Production\"}");
    /* prints: 2 {"error":{"code":"bad_settings","message":"environment (byte 16): 'Production' is not one of production, sandbox, xcode, any"}} */
    appreceipt_close(misspelt);
    appreceipt_close(strict);
    return 0;
}
