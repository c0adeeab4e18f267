#include <appreceipt.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    appreceipt *verifier;
    char *answer;
    size_t length;
    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"any\"}";
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &length) != APPRECEIPT_OK) return 1;
    appreceipt_free(answer);                                        /* no answer, so nothing is freed */
    appreceipt_verify(verifier, "no receipt", 10, &answer, &length);
    if (answer != NULL) puts(strlen(answer) == length ? "whole" : "?");     /* prints: whole */
    appreceipt_free(answer);
    appreceipt_close(verifier);
    return 0;
}
