#include <appreceipt.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *verify(void *verifier) {
    char *answer;
    size_t length;
    int code = appreceipt_verify(verifier, "no receipt", 10, &answer, &length);
    puts(code == APPRECEIPT_REFUSED ? "refused" : "?");
    appreceipt_free(answer);
    return NULL;
}

int main(void) {
    appreceipt *verifier;
    char *answer;
    size_t length;
    const char *settings = "{\"bundle_ids\": \"any\", \"environment\": \"any\"}";
    if (appreceipt_open(settings, strlen(settings), &verifier, &answer, &length) != APPRECEIPT_OK) return 1;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, verify, verifier);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    /* prints: refused */
    /* prints: refused */
    appreceipt_close(verifier);     /* no call is running */
    return 0;
}
