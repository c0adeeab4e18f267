#include <appreceipt_batch.h>
#include <stdio.h>
#include <string.h>

static const char records[] = "{\"id\": \"a\", \"receipt\": null}\n\n{\"receipt\": \"no receipt\"}\n";

int main(void) {
    appreceipt *verifier;
    char *answer;
    size_t length, number = 1;
    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"any\"}";
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &length) != APPRECEIPT_OK) return 1;
    int code = appreceipt_answer_records(verifier, records, strlen(records), &number, &answer, &length);
    if (answer != NULL)
        for (char *line = strtok(answer, "\n"); line != NULL; line = strtok(NULL, "\n")) printf("%.40s\n", line);
    printf("%d, next line: %zu\n", code, number);
    /* prints: {"id":"a","sha256":null,"status":"absent */
    /* prints: {"id":3,"sha256":null,"status":"refused" */
    /* prints: 1, next line: 4 */
    appreceipt_free(answer);
    appreceipt_close(verifier);
    return 0;
}
