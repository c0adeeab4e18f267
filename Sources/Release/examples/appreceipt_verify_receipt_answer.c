#include <appreceipt.h>
#include <stdio.h>
#include <string.h>

static char body[1 << 20] = "{\"receipt-data\": \"";

int main(void) {
    FILE *file = fopen("genuine/receipts/revenuecat-sample1-sandbox-2020.b64", "r");
    if (file == NULL) return 1;
    size_t length = strlen(body);
    length += fread(body + length, 1, sizeof body - length - 3, file);      /* one line of base64 */
    memcpy(body + length, "\"}", 3);
    fclose(file);

    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"sandbox\"}";
    appreceipt *verifier;
    char *answer;
    size_t answer_length;
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &answer_length) != APPRECEIPT_OK) return 1;
    int code = appreceipt_verify_receipt_answer(verifier, body, strlen(body), &answer, &answer_length);
    printf("%d %.11s\n", code, answer ? answer : "");                       /* prints: 0 {"status":0 */
    appreceipt_free(answer);
    appreceipt_close(verifier);
    return 0;
}
