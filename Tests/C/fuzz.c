// A libFuzzer target for the FFI boundary. The first byte selects a function, and the rest is its input.
// `run` builds and starts it and sets SETTINGS to a file of settings.
#include "appreceipt_batch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static appreceipt *handle;

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    static char settings[1 << 16];
    FILE *file = fopen(getenv("SETTINGS"), "rb");
    if (file == NULL) abort();
    size_t length = fread(settings, 1, sizeof settings, file);
    fclose(file);
    char *answer;
    size_t answer_length;
    if (appreceipt_open(settings, length, &handle, &answer, &answer_length) != APPRECEIPT_OK) abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0) return 0;
    const char *text = (const char *)bytes + 1;
    size_t length = size - 1;
    char *answer = (char *)1;
    size_t answer_length = 1, number = 1;
    appreceipt *other = NULL;
    int code;
    switch (bytes[0]) {
    case 's': code = appreceipt_open(text, length, &other, &answer, &answer_length); break;
    case 'e': code = appreceipt_eligibility(handle, text, length, &answer, &answer_length); break;
    case 'l': code = appreceipt_answer_record(handle, text, length, 1, &answer, &answer_length); break;
    case 'm': code = appreceipt_answer_records(handle, text, length, &number, &answer, &answer_length); break;
    case 'n': {
        // The next byte gives the number of inputs, which have equal lengths. The last one has the rest.
        size_t count = length > 0 ? (size_t)(unsigned char)text[0] % 8 + 1 : 0, all = length > 0 ? length - 1 : 0;
        const void *inputs[8];
        size_t lengths[8];
        for (size_t i = 0; i < count; i++) {
            inputs[i] = text + 1 + all / count * i;
            lengths[i] = i < count - 1 ? all / count : all - all / count * i;
        }
        code = appreceipt_verify_many(handle, inputs, lengths, count, &answer, &answer_length);
        break;
    }
    case 'c': code = appreceipt_answer_customer(handle, text, length, &answer, &answer_length); break;
    case 'r': code = appreceipt_verify_receipt_answer(handle, text, length, &answer, &answer_length); break;
    default: code = appreceipt_verify(handle, text, length, &answer, &answer_length);
    }
    // OpenSSL has enough memory here, so every input must have a verdict.
    if (code < APPRECEIPT_OK || code > APPRECEIPT_BAD_REQUEST) abort();
    if (answer == NULL ? answer_length != 0 || other == NULL : strlen(answer) != answer_length) abort();
    if ((bytes[0] == 'm' || bytes[0] == 'n') && answer_length == 0) {
        appreceipt_free(answer);  // for blank lines or no input
        return 0;
    }
    bool isLines = bytes[0] == 'l' || bytes[0] == 'n' || (bytes[0] == 'm' && number > 1) || (bytes[0] == 'c' && code == APPRECEIPT_OK);
    char last = isLines ? '\n' : '}';
    if (answer != NULL && (answer[0] != '{' || answer[answer_length - 1] != last)) abort();
    appreceipt_free(answer);
    appreceipt_close(other);
    return 0;
}
