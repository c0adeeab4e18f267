// Checks whether SHA-1 signatures are refused here. OpenSSL's own PKCS #7 verification of a SHA-1 receipt
// must fail under the hostile host, or the emulation proves nothing. The exit status is 0 if the receipt
// verifies.

#include "../Opinion/include/COpinion.h"

#include <stdio.h>
#include <stdlib.h>

static opinion_bytes read_file(const char *path) {
    opinion_bytes read = {malloc(1 << 20), 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL || read.bytes == NULL) exit(2);
    read.count = fread(read.bytes, 1, 1 << 20, file);
    fclose(file);
    return read;
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    opinion_bytes root = read_file(arguments[1]), receipt = read_file(arguments[2]);
    const opinion_container *container = opinion_decode(receipt.bytes, receipt.count);
    const opinion_roots *roots = opinion_roots_decode(root.bytes, root.count);
    return container != NULL && opinion_verify(container, roots, atoll(arguments[3])) ? 0 : 1;
}
