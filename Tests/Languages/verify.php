<?php
// Verifies a file: php verify.php FILE SETTINGS
final class Verifier
{
    private FFI $library;
    private FFI\CData $handle;

    public function __construct(string $settings)
    {
        $this->library = FFI::cdef('
            typedef struct appreceipt appreceipt;
            int appreceipt_open(const char *, size_t, appreceipt **, char **, size_t *);
            int appreceipt_verify(appreceipt *, const char *, size_t, char **, size_t *);
            void appreceipt_close(appreceipt *);
            void appreceipt_free(char *);
        ', 'libappreceipt.so.0');
        $this->handle = $this->library->new('appreceipt *');
        $this->answered(fn (...$answer) => $this->library->appreceipt_open(
            $settings, strlen($settings), FFI::addr($this->handle), ...$answer));
    }

    public function __destruct()
    {
        $this->library->appreceipt_close($this->handle);
    }

    /** Returns the answer as an array. Throws an exception if nothing was verified. */
    public function verify(string $input): array
    {
        return json_decode($this->answered(fn (...$answer) => $this->library->appreceipt_verify(
            $this->handle, $input, strlen($input), ...$answer)), true, 512, JSON_THROW_ON_ERROR);
    }

    private function answered(Closure $call): string
    {
        $answer = $this->library->new('char *');
        $length = $this->library->new('size_t');
        $code = $call(FFI::addr($answer), FFI::addr($length));
        $text = FFI::isNull($answer) ? '' : FFI::string($answer, $length->cdata);
        $this->library->appreceipt_free($answer);
        if ($code > 1) {  // 0 is genuine, 1 refused
            throw new RuntimeException("not judged: $text");
        }
        return $text;
    }
}

$verifier = new Verifier($argv[2]);
foreach ($verifier->verify(file_get_contents($argv[1]))['results'] as $result) {
    echo $result['status'], ' ', $result['receipt']['bundle_id'] ?? '', $result['refusal']['code'] ?? '', "\n";
    foreach ($result['receipt']['in_app'] ?? [] as $purchase) {
        echo '  ', $purchase['product_id'], "\n";
    }
}
