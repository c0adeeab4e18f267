#include <appreceipt.h>
#include <stdio.h>

int main(void) {
    printf("libappreceipt %s\n", appreceipt_version());     /* prints: libappreceipt VERSION */
    return 0;
}
