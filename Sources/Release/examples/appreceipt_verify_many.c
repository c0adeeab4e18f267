#include <appreceipt_batch.h>
#include <stdio.h>
#include <string.h>

static char receipt[1 << 20];

int main(void) {
    FILE *file = fopen("genuine/receipts/ideas-mac-mindnode-sha256-production.der", "rb");
    if (file == NULL) return 1;
    const void *inputs[] = {receipt, "no receipt"};
    size_t lengths[] = {fread(receipt, 1, sizeof receipt, file), strlen("no receipt")};
    fclose(file);

    appreceipt *verifier;
    char *answer;
    size_t length;
    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"any\"}";
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &length) != APPRECEIPT_OK) return 1;
    int code = appreceipt_verify_many(verifier, inputs, lengths, 2, &answer, &length);
    if (answer != NULL)
        for (char *line = strtok(answer, "\n"); line != NULL; line = strtok(NULL, "\n"))
            puts(strstr(line, "\"status\":\"genuine\"") != NULL ? "genuine" : "not genuine");
    printf("%d\n", code);
    /* prints: genuine */
    /* prints: not genuine */
    /* prints: 1 */
    appreceipt_free(answer);
    appreceipt_close(verifier);
    return 0;
}
