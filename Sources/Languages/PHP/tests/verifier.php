<?php

declare(strict_types=1);

require __DIR__ . '/bootstrap.php';

use AppReceipt\{AppReceiptException, Refused, Verifier};

const ANY = ['bundle_ids' => 'any', 'environment' => 'any'];

/** Returns a verifier that trusts the authority of Fixtures. */
function trusting(mixed ...$settings): Verifier
{
    return new Verifier(...[...ANY, 'roots' => [fixture('roots/root.cer')], ...$settings]);
}

$receipt = fixture('receipts/never-subscribed.der');

$tests = [
    'invalid settings are errors' => function () {
        foreach ([
            [['environment' => []], 'must not be empty'], [['environment' => 'prod'], 'environment'],
            [['distrust' => ['certificates' => [['serial' => 7]]]], 'distrust.certificates[0].serial'],
            [['device_id' => null], 'device_id'], [['device_id' => ''], 'device_id'], [['app_apple_id' => []], 'app_apple_id'],
            [['roots' => []], 'roots'], [['roots' => null], 'roots'], [['roots' => ['no certificate']], 'roots[0]'],
            [['limits' => ['checks' => 1]], 'checks'], [['bundle_id' => 'a.b'], 'bundle_id'],
        ] as [$change, $message]) {
            throws(AppReceiptException::class, "bad_settings: ", fn () => new Verifier(...[...ANY, ...$change]));
            throws(AppReceiptException::class, $message, fn () => new Verifier(...[...ANY, ...$change]));
        }
        throws(ArgumentCountError::class, 'Too few', fn () => new Verifier(bundle_ids: 'any'));
        throws(TypeError::class, 'roots', fn () => new Verifier(...ANY, roots: 'root'));
    },
    'settings apply' => function () use ($receipt) {
        foreach ([
            [['bundle_ids' => ['com.example.other']], 'wrong_bundle_id'], [['environment' => ['sandbox']], 'wrong_environment'],
            [['distrust' => ['certificates' => [['serial' => '7e570001']]]], 'revoked'],
            [['device_id' => str_repeat('00', 16)], 'wrong_device'], [['limits' => ['certificates' => 2]], 'too_large'],
        ] as [$change, $code]) {
            throws(Refused::class, "$code: ", fn () => trusting(...$change)->verify($receipt));
        }
        same('custom', trusting()->verify($receipt)->realm);
    },
    'results are read-only' => function () {
        $object = trusting()->verify(fixture('jws/transaction.jws'));
        throws(Error::class, 'readonly', function () use ($object) { $object->kind = 'receipt'; });
        throws(Error::class, 'readonly', function () use ($object) { $object->members['productId'] = 'other'; });
        same('2026-02-02T08:00:00.250', $object->date('signedDate')->format('Y-m-d\TH:i:s.v'));
        same(null, $object->date('productId'));
    },
    'several objects are not one' => fn () => throws(
        AppReceiptException::class, 'not_one_object', fn () => trusting()->verify(fixture('jws/history.json'))),
    // Tests/Languages/counted.c returns APPRECEIPT_UNAVAILABLE for this input.
    'unavailable is transient' => function () {
        try {
            trusting()->verify('unavailable');
        } catch (AppReceiptException $error) {
            same(getenv('COUNTS') !== false, $error->isTransient);
            same(getenv('COUNTS') !== false, $error->errorCode === 'unavailable');
        }
    },
    'verifyReceipt is answered' => fn () => same(21002, trusting()->verifyReceiptAnswer(['receipt-data' => 'AA=='])['status']),
    'a closed verifier is an error' => function () use ($receipt) {
        $verifier = trusting();
        $verifier->close();
        $verifier->close();
        throws(AppReceiptException::class, 'closed: ', fn () => $verifier->verify($receipt));
        throws(Error::class, 'private', fn () => clone $verifier);
    },
    'the library is loaded once' => function () {
        same(Verifier::version(), FFI::load(__DIR__ . '/../src/appreceipt.ffi.h')->appreceipt_version());
    },
];
foreach ($tests as $name => $test) {
    $test();
    echo "passed: $name\n";
}
