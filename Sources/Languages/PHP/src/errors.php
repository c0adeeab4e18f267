<?php

declare(strict_types=1);

namespace AppReceipt;

/** The base class of all errors. $errorCode is for programs. $isTransient states whether the same call may succeed later. */
class AppReceiptException extends \RuntimeException
{
    public readonly bool $isTransient;

    public function __construct(public readonly string $errorCode, string $message)
    {
        parent::__construct("$errorCode: $message");
        $this->isTransient = $errorCode === 'unavailable';
    }
}

/** An object that is not genuine, or does not conform to the settings. verify() throws it, and verifyAll() returns it. */
final class Refused extends AppReceiptException
{
    public readonly ?int $offset;
    public readonly ?string $field;

    public function __construct(
        array $refusal,
        public readonly ?string $path = null,
        public readonly ?string $sha256 = null,
        public readonly ?string $format = null,
    ) {
        $this->offset = $refusal['offset'] ?? null;
        $this->field = $refusal['field'] ?? null;
        $place = ($this->offset === null ? '' : " at byte $this->offset") . ($this->field === null ? '' : " ($this->field)");
        parent::__construct($refusal['code'], $refusal['message'] . $place);
    }
}

/** There are no verdicts, because evidence is refused or belongs to several apps or environments. */
final class EvidenceRefused extends AppReceiptException
{
    /** @param list<RefusedEvidence> $refusals */
    public function __construct(array $error, public readonly array $refusals)
    {
        parent::__construct($error['code'], $error['message']);
    }
}
