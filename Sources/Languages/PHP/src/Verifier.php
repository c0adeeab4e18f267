<?php

declare(strict_types=1);

namespace AppReceipt;

use FFI;

/** Verifies App Store receipts and signed transactions offline, in the process, with libappreceipt. Create one, and reuse it. */
final class Verifier
{
    private const READING = JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING;
    private static ?FFI $library = null;
    private ?FFI\CData $handle;

    /**
     * @param string|list<string> $bundle_ids the accepted app or apps, or "any"
     * @param string|list<string> $environment "production", "sandbox", "xcode", several of them, or "any"
     * @param mixed ...$settings the other settings of appreceipt.h by name: roots, storekit_test_roots, app_apple_id, device_id,
     *     cross_check, sha1_signatures, crl, distrust, revocation, limits, catalog, policies, verify_receipt. null is an error
     * @throws AppReceiptException if a setting is missing or invalid
     */
    public function __construct(string|array $bundle_ids, string|array $environment, mixed ...$settings)
    {
        foreach (['roots', 'storekit_test_roots', 'crl'] as $name) {
            $settings = isset($settings[$name]) ? [$name => self::texts($name, $settings[$name])] + $settings : $settings;
        }
        $given = self::json(['bundle_ids' => $bundle_ids, 'environment' => $environment, ...$settings]);
        $this->handle = self::library()->new('appreceipt *');
        self::answered(fn (...$answer) => self::library()->appreceipt_open(
            $given, strlen($given), FFI::addr($this->handle), ...$answer));
    }

    /** Returns the version of the library. */
    public static function version(): string { return self::library()->appreceipt_version(); }

    /** Releases the verifier's resources. Later calls throw an exception with the code "closed". */
    public function close(): void
    {
        [$handle, $this->handle] = [$this->handle, null];
        self::library()->appreceipt_close($handle);
    }

    public function __destruct() { $this->close(); }

    private function __clone() {}

    /**
     * Verifies one signed object: a receipt (DER, base64 or PEM), a compact JWS or a transaction receipt.
     *
     * @throws Refused
     * @throws AppReceiptException with the code "not_one_object" unless there is exactly one
     */
    public function verify(string $data): SignedObject
    {
        $results = $this->verifyAll($data);
        if (count($results) !== 1) {
            throw new AppReceiptException('not_one_object', count($results) . ' signed objects, expected one; use verifyAll');
        }
        return $results[0] instanceof Refused ? throw $results[0] : $results[0];
    }

    /** @return list<SignedObject|Refused> the result of every signed object of the data, in order */
    public function verifyAll(string $data): array
    {
        $answer = $this->answer($data);
        $results = self::parsed($answer)['results'];
        return array_map(self::result(...), $results, self::split($answer, count($results)));
    }

    /** Returns the library's JSON answer: "results", each of which is a line of `appreceipt verify --json`. */
    public function answer(string $data): string { return $this->call('appreceipt_verify', $data); }

    /**
     * Determines the subscription offers that one customer can still get.
     *
     * @param list<string> $evidence inputs of verify()
     * @param mixed ...$options the options of appreceipt.h by name: renewal_info, unsigned_renewal_info, products, as_of, catalog,
     *     single_group, refused_evidence
     * @throws EvidenceRefused if evidence is refused or belongs to several apps or environments
     */
    public function eligibility(array $evidence, mixed ...$options): Verdicts
    {
        $request = ['evidence' => self::texts('evidence', $evidence), ...$options];
        if (isset($request['renewal_info'])) {
            $request['renewal_info'] = self::texts('renewal_info', $request['renewal_info']);
        }
        if (($request['as_of'] ?? null) instanceof \DateTimeInterface) {
            $request['as_of'] = $request['as_of']->format('Y-m-d\TH:i:s.vP');
        }
        $text = $this->call('appreceipt_eligibility', self::json($request));
        $answer = self::parsed($text);
        $refusals = array_map(
            fn (array $each) => RefusedEvidence::of(['refusal' => new Refused($each['refusal'])] + $each), $answer['refusals'] ?? []);
        $verdicts = $answer['verdicts'] ?? throw new EvidenceRefused($answer['error'], $refusals);
        return new Verdicts(array_map(Verdict::of(...), $verdicts), $refusals, $text);
    }

    /** Returns the answer of Apple's verifyReceipt to a request's body: JSON, or an array. */
    public function verifyReceiptAnswer(string|array $request): array
    {
        return self::parsed($this->call('appreceipt_verify_receipt_answer', is_array($request) ? self::json($request) : $request));
    }

    /** Returns the library, which the setting ffi.preload may have loaded already. */
    private static function library(): FFI
    {
        try {
            return self::$library ??= FFI::scope('appreceipt');
        } catch (FFI\Exception) {
            return self::$library = FFI::load(__DIR__ . '/appreceipt.ffi.h');
        }
    }

    private function call(string $function, string $input): string
    {
        $handle = $this->handle ?? throw new AppReceiptException('closed', 'verifier: closed');
        return self::answered(fn (...$answer) => self::library()->$function($handle, $input, strlen($input), ...$answer));
    }

    /** Returns the answer of a call. Throws an exception if nothing was verified. */
    private static function answered(\Closure $call): string
    {
        [$answer, $length] = [self::library()->new('char *'), self::library()->new('size_t')];
        try {
            $code = $call(FFI::addr($answer), FFI::addr($length));
            $text = FFI::isNull($answer) ? '' : FFI::string($answer, $length->cdata);
        } finally {
            self::library()->appreceipt_free($answer);
        }
        if ($code <= 1) {  // 0 is genuine, 1 refused
            return $text;
        }
        $error = self::parsed($code === 2 && $text !== '' ? $text : '{}')['error'] ?? ($code === 2
            ? ['code' => 'bad_request', 'message' => 'request not understood']
            : ['code' => 'unavailable', 'message' => 'out of memory, or OpenSSL failed; nothing was verified']);
        throw new AppReceiptException($error['code'], $error['message']);
    }

    private static function parsed(string $json): array { return json_decode($json, true, 1 << 20, self::READING); }

    /** Returns JSON. A catalog that is text is inserted unparsed, so that the library refuses duplicate members. */
    private static function json(array $members): string
    {
        $catalog = $members['catalog'] ?? null;
        if (!is_string($catalog)) {
            return json_encode($members, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        }
        self::parsed($catalog);
        unset($members['catalog']);
        return substr(json_encode($members, JSON_THROW_ON_ERROR), 0, -1) . ",\"catalog\":$catalog}";
    }

    /** Returns text unchanged, and DER as base64. DER of more than 127 bytes is never UTF-8, because of its length bytes. */
    private static function texts(string $name, mixed $inputs): array
    {
        if (!is_array($inputs) || $inputs !== array_filter($inputs, is_string(...))) {
            throw new \TypeError("$name: must be an array of strings, not " . get_debug_type($inputs));
        }
        return array_map(fn (string $input) => preg_match('//u', $input) ? $input : base64_encode($input), array_values($inputs));
    }

    private static function result(array $line, string $text): SignedObject|Refused
    {
        $path = substr($line['source'], 2) ?: null;
        if ($line['status'] === 'refused') {
            return new Refused($line['refusal'], $path, $line['sha256'], $line['format'] ?? null);
        }
        $kind = $line['kind'] ?? 'receipt';
        return SignedObject::of(
            ['kind' => $kind, 'members' => $kind === 'receipt' ? null : $line[$kind], 'path' => $path, 'json' => $text] + $line);
    }

    /** Returns the text of each result in an answer. */
    private static function split(string $answer, int $count): array
    {
        if ($count === 1) {
            return [substr($answer, strlen('{"results":['), -strlen(']}'))];
        }
        for ([$lines, $depth, $start, $inString, $place] = [[], 0, 0, false, 0]; ($place += strcspn($answer, '\\"{}', $place)) < strlen($answer); $place++) {
            if ($answer[$place] === '\\') {
                $place++;
            } elseif ($answer[$place] === '"') {
                $inString = !$inString;
            } elseif (!$inString && $answer[$place] === '{' && ++$depth === 2) {
                $start = $place;
            } elseif (!$inString && $answer[$place] === '}' && --$depth === 1) {
                $lines[] = substr($answer, $start, $place + 1 - $start);
            }
        }
        return $lines;
    }
}
