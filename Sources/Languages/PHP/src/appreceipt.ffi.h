#define FFI_SCOPE "appreceipt"
#define FFI_LIB "libappreceipt.so.0"
typedef struct appreceipt appreceipt;
const char *appreceipt_version(void);
int appreceipt_open(const char *, size_t, appreceipt **, char **, size_t *);
void appreceipt_close(appreceipt *);
int appreceipt_verify(appreceipt *, const char *, size_t, char **, size_t *);
int appreceipt_eligibility(appreceipt *, const char *, size_t, char **, size_t *);
int appreceipt_verify_receipt_answer(appreceipt *, const char *, size_t, char **, size_t *);
void appreceipt_free(char *);
