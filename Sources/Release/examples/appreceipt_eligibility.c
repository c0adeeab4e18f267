#include <appreceipt.h>
#include <stdio.h>
#include <string.h>

static const char question[] =
    "{\"catalog\": {\"groups\": {\"pro\": [\"com.revenuecat.monthly_4.99.1_week_intro\"]}},"
    " \"as_of\": \"2021-01-01T00:00:00Z\", \"evidence\": [\"";
static char request[1 << 20];

int main(void) {
    FILE *file = fopen("genuine/receipts/revenuecat-sample1-sandbox-2020.b64", "r");
    if (file == NULL) return 1;
    size_t length = sizeof question - 1;
    memcpy(request, question, length);
    length += fread(request + length, 1, sizeof request - length - 4, file);    /* one line of base64 */
    memcpy(request + length, "\"]}", 4);
    fclose(file);

    appreceipt *verifier;
    char *answer;
    size_t answer_length;
    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"any\"}";
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &answer_length) != APPRECEIPT_OK) return 1;
    int code = appreceipt_eligibility(verifier, request, strlen(request), &answer, &answer_length);
    char *offer = code == APPRECEIPT_OK ? strstr(answer, "\"introductory_offer\"") : NULL;
    if (offer != NULL) printf("%.44s\n", offer);
    /* prints: "introductory_offer":{"outcome":"ineligible" */
    appreceipt_free(answer);
    appreceipt_close(verifier);
    return 0;
}
