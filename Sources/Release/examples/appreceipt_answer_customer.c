#include <appreceipt_batch.h>
#include <stdio.h>
#include <string.h>

static const char settings[] =
    "{\"bundle_ids\": \"any\", \"environment\": \"sandbox\", \"catalog\": {\"groups\": {\"pro\": [\"monthly\"]}},"
    " \"records\": {\"as_of\": \"2026-01-01T00:00:00Z\", \"evidence\": true}}";
static char record[1 << 20], request[1 << 20];

int main(void) {
    FILE *file = fopen("genuine/receipts/revenuecat-sample1-sandbox-2020.b64", "r");
    if (file == NULL) return 1;
    size_t length = (size_t)sprintf(record, "{\"id\": \"r1\", \"subject\": \"anna\", \"receipt\": \"");
    length += fread(record + length, 1, sizeof record - length - 3, file);    /* one line of base64 */
    memcpy(record + length, "\"}", 3);
    fclose(file);

    appreceipt *verifier;
    char *answer;
    size_t answer_length;
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &answer_length)) return 1;
    length = strlen(record);
    if (appreceipt_answer_record(verifier, record, length, 1, &answer, &answer_length)) return 1;
    const char *kept = strchr(answer, '\n') + 1;    /* after the record's line */
    sprintf(request,
            "{\"customer\": 1, \"subject\": \"anna\", \"environment\": \"Sandbox\", \"bundle_id\":"
            " \"com.revenuecat.sampleapp\", \"realm\": \"app_store\", \"evidence\": [{\"number\": 1, \"kept\": %s}]}",
            kept);
    appreceipt_free(answer);

    length = strlen(request);
    int code = appreceipt_answer_customer(verifier, request, length, &answer, &answer_length);
    const char *evidence = code == APPRECEIPT_OK ? strstr(answer, "\"rests_on\"") : NULL;
    if (evidence != NULL) printf("%.39s\n", evidence);
    /* prints: "rests_on":[{"number":1,"record":"r1"}] */
    appreceipt_free(answer);
    appreceipt_close(verifier);
    return 0;
}
