#include <appreceipt_batch.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const char *records[] = {"{\"id\": \"a\", \"receipt\": null}", "{\"receipt\": \"no receipt\"}"};
    appreceipt *verifier;
    char *answer;
    size_t length;
    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"any\"}";
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &length) != APPRECEIPT_OK) return 1;
    for (size_t i = 0; i < 2; i++) {
        int code = appreceipt_answer_record(verifier, records[i], strlen(records[i]), i + 1, &answer, &length);
        if (answer != NULL) printf("%d %.41s\n", code, answer);
        appreceipt_free(answer);
    }
    /* prints: 0 {"id":"a","sha256":null,"status":"absent" */
    /* prints: 1 {"id":2,"sha256":null,"status":"refused", */
    appreceipt_close(verifier);
    return 0;
}
