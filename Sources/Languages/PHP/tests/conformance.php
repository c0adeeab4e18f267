<?php

declare(strict_types=1);

// Writes the answers to the cases of Tests/Languages/run, which compares them.

require __DIR__ . '/bootstrap.php';

use AppReceipt\{AppReceiptException, EvidenceRefused, Refused, RefusedEvidence, SignedObject, Verifier};

function verified(Verifier $verifier, string $data): array
{
    try {
        $one = $verifier->verify($data);
    } catch (AppReceiptException $error) {
        $one = $error;
    }
    return ['answer' => $verifier->answer($data), 'results' => plain($verifier->verifyAll($data)), 'one' => plain($one)];
}

function determined(Verifier $verifier, array $given): array
{
    $options = array_intersect_key($given, array_flip(['products', 'single_group', 'refused_evidence']));
    if (isset($given['renewals'])) {
        $options['renewal_info'] = array_map(file_get_contents(...), $given['renewals']);
    }
    if (isset($given['unsigned'])) {
        $options['unsigned_renewal_info'] = $given['unsigned'];
    }
    if (isset($given['catalog'])) {
        $options['catalog'] = file_get_contents($given['catalog']);
    }
    if (isset($given['as_of'])) {
        $options['as_of'] = new DateTimeImmutable($given['as_of']);
    }
    try {
        $found = $verifier->eligibility(array_map(file_get_contents(...), $given['evidence']), ...$options);
        return ['answer' => $found->json, 'verdicts' => plain($found->verdicts), 'refusals' => plain($found->refusals)];
    } catch (EvidenceRefused $error) {
        return ['error' => ['code' => $error->errorCode], 'refusals' => plain($error->refusals)];
    }
}

/** Returns the members of the contract. */
function plain(mixed $value): mixed
{
    if ($value instanceof Refused) {
        return [
            'refusal' => ['code' => $value->errorCode, 'offset' => $value->offset, 'field' => $value->field],
            'path' => $value->path, 'sha256' => $value->sha256, 'format' => $value->format];
    }
    if ($value instanceof AppReceiptException) {
        return ['refusal' => ['code' => $value->errorCode]];
    }
    if ($value instanceof DateTimeImmutable) {
        return $value->format('Y-m-d\TH:i:s.v\Z');
    }
    if (is_array($value)) {
        return array_map(plain(...), $value);
    }
    if (!is_object($value)) {
        return $value;
    }
    $members = [];
    foreach (get_object_vars($value) as $name => $each) {
        $members[strtolower(preg_replace('/[A-Z]/', '_$0', $name))] = plain($each);
    }
    if ($value instanceof SignedObject && $value->members !== null) {
        $members[$value->kind] = $value->members;
    }
    if ($value instanceof RefusedEvidence) {
        $members['refusal'] = plain($value->refusal)['refusal'];
    }
    return $members;
}

if (getenv('CASES') === false) {
    exit("skipped: CASES is not set; run Tests/Languages/run\n");
}
$answers = fopen(getenv('ANSWERS'), 'w');
foreach (new SplFileObject(getenv('CASES')) as $line) {
    if (trim($line) === '') {
        continue;
    }
    $given = json_decode($line, true);
    $verifier = new Verifier(...$given['settings']);
    $made = isset($given['input']) ? verified($verifier, file_get_contents($given['input'])) : determined($verifier, $given);
    fwrite($answers, json_encode($made, JSON_THROW_ON_ERROR, 1 << 20) . "\n");
}
