#include <appreceipt.h>
#include <stdio.h>
#include <string.h>

static char receipt[1 << 20];

int main(void) {
    FILE *file = fopen("genuine/receipts/ideas-mac-mindnode-sha256-production.der", "rb");
    if (file == NULL) return 1;
    size_t size = fread(receipt, 1, sizeof receipt, file);
    fclose(file);

    appreceipt *verifier;
    char *answer;
    size_t length;
    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"any\"}";
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &length) != APPRECEIPT_OK) return 1;
    int code = appreceipt_verify(verifier, receipt, size, &answer, &length);
    puts(code == APPRECEIPT_OK ? "genuine" : "not genuine");                /* prints: genuine */
    if (answer != NULL) printf("%.24s...\n", answer);                       /* prints: {"results":[{"source":"-... */
    appreceipt_free(answer);

    receipt[size / 2] ^= 1;
    code = appreceipt_verify(verifier, receipt, size, &answer, &length);
    puts(code == APPRECEIPT_REFUSED ? "not genuine" : "?");                 /* prints: not genuine */
    appreceipt_free(answer);
    appreceipt_close(verifier);
    return 0;
}
