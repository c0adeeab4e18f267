<?php

declare(strict_types=1);

namespace AppReceipt;

/**
 * A type with members of the contract, which `appreceipt schema verify` and `appreceipt schema eligibility` describe. Dates are in
 * UTC, binary values are hexadecimal, and absent values are null.
 */
abstract class Value
{
    private const DATES = [
        'verified_at', 'not_before', 'not_after', 'receipt_creation_date', 'original_purchase_date', 'expiration_date', 'purchase_date',
        'expires_date', 'cancellation_date', 'as_of', 'evidence_date', 'since', 'until'];
    private const TYPES = [
        'signature' => Signature::class, 'revocation' => Revocation::class, 'chain' => Certificate::class, 'receipt' => Receipt::class, 'in_app' => Purchase::class,
        'unknown' => UnknownAttribute::class, 'introductory_offer' => Offer::class, 'promotional_offer' => Offer::class,
        'win_back_offer' => Offer::class, 'subscription' => Subscription::class];
    private static array $members = [];

    /** Returns an instance without members of later versions. */
    public static function of(array $values): static
    {
        $known = self::$members[static::class] ??= array_flip(array_map(
            fn (\ReflectionParameter $each) => $each->name, (new \ReflectionMethod(static::class, '__construct'))->getParameters()));
        $arguments = [];
        foreach ($values as $name => $value) {
            $camel = lcfirst(str_replace('_', '', ucwords((string) $name, '_')));
            $arguments += isset($known[$camel]) ? [$camel => self::typed($name, $value)] : [];
        }
        return new static(...$arguments);
    }

    private static function typed(string $name, mixed $value): mixed
    {
        return match (true) {
            is_array($value) && array_is_list($value) => array_map(fn (mixed $each) => self::typed($name, $each), $value),
            is_array($value) => isset(self::TYPES[$name]) ? self::TYPES[$name]::of($value) : $value,
            is_string($value) && in_array($name, self::DATES, true) => new \DateTimeImmutable($value),
            default => $value,
        };
    }
}

final class Certificate extends Value
{
    public function __construct(
        public readonly string $subject, public readonly string $issuer, public readonly string $serial, public readonly string $sha256,
        public readonly \DateTimeImmutable $notBefore, public readonly \DateTimeImmutable $notAfter) {}
}

final class Signature extends Value
{
    /** @param list<Certificate> $chain from the signer to the root */
    public function __construct(
        public readonly string $digest, public readonly \DateTimeImmutable $verifiedAt, public readonly array $chain,
        public readonly ?string $algorithm = null) {}
}

/** What revocation lists show about the certificates: not_checked, good or no_information. */
final class Revocation extends Value
{
    public function __construct(public readonly string $status, public readonly ?\DateTimeImmutable $asOf, public readonly array $caveats) {}
}

final class UnknownAttribute extends Value
{
    public function __construct(public readonly int $type, public readonly int $version, public readonly string $value) {}
}

final class Purchase extends Value
{
    /** @param list<UnknownAttribute> $unknown */
    public function __construct(
        public readonly ?int $quantity, public readonly ?string $productId, public readonly ?string $productType,
        public readonly ?string $transactionId, public readonly ?string $originalTransactionId,
        public readonly ?\DateTimeImmutable $purchaseDate, public readonly ?\DateTimeImmutable $originalPurchaseDate,
        public readonly ?\DateTimeImmutable $expiresDate, public readonly ?\DateTimeImmutable $cancellationDate,
        public readonly ?int $cancellationReason, public readonly ?bool $isTrialPeriod, public readonly ?bool $isInIntroOfferPeriod,
        public readonly ?string $promotionalOfferIdentifier, public readonly ?string $webOrderLineItemId,
        public readonly ?string $subscriptionGroupIdentifier = null, public readonly array $unknown = []) {}
}

final class Receipt extends Value
{
    /**
     * @param list<Purchase> $inApp
     * @param list<UnknownAttribute> $unknown
     */
    public function __construct(
        public readonly ?string $receiptType, public readonly string $bundleId, public readonly ?string $applicationVersion,
        public readonly ?string $originalApplicationVersion, public readonly \DateTimeImmutable $receiptCreationDate,
        public readonly ?\DateTimeImmutable $originalPurchaseDate, public readonly ?\DateTimeImmutable $expirationDate,
        public readonly ?string $appItemId, public readonly ?string $downloadId,
        public readonly ?string $versionExternalIdentifier, public readonly ?string $opaqueValue,
        public readonly ?string $sha1Hash, public readonly array $inApp, public readonly array $unknown) {}
}

/** A genuine object. */
final class SignedObject extends Value
{
    /**
     * @param string $kind receipt, transaction, renewal_info, app_transaction, notification or realtime_request
     * @param ?Receipt $receipt if $kind is receipt
     * @param ?array<string, mixed> $members the signed members under Apple's names, or null if $kind is receipt
     * @param ?Purchase $inApp if $kind is transaction
     * @param ?string $path the path in the input, or null for the whole input
     * @param string $json the line of `appreceipt verify --json`
     */
    public function __construct(
        public readonly string $kind, public readonly string $sha256, public readonly string $realm,
        public readonly ?string $environment, public readonly Signature $signature, public readonly Revocation $revocation,
        public readonly ?string $path, public readonly string $json, public readonly ?string $format = null,
        public readonly ?string $contentSha256 = null, public readonly ?Receipt $receipt = null,
        public readonly ?array $members = null, public readonly ?Purchase $inApp = null, public readonly array $caveats = []) {}

    /** Returns a signed member that is a date, for example "signedDate", or null if there is none. */
    public function date(string $member): ?\DateTimeImmutable
    {
        $value = $this->members[$member] ?? null;
        $milliseconds = is_int($value) || is_float($value) ? (int) floor($value) : null;
        $seconds = (int) floor(($milliseconds ?? 0) / 1000);
        return $milliseconds === null ? null
            : \DateTimeImmutable::createFromFormat('U.v', sprintf('%d.%03d', $seconds, $milliseconds - $seconds * 1000));
    }
}

final class Offer extends Value
{
    /** @param string $outcome eligible, ineligible or undetermined */
    public function __construct(
        public readonly string $outcome, public readonly string $rule, public readonly ?string $certainty,
        public readonly ?bool $configured, public readonly array $transactions, public readonly string $explanation,
        public readonly array $findings, public readonly array $caveats, public readonly array $offers = []) {}
}

final class Subscription extends Value
{
    public function __construct(
        public readonly string $state, public readonly ?string $productId, public readonly ?\DateTimeImmutable $since,
        public readonly ?\DateTimeImmutable $until) {}
}

/** The answer for one product. */
final class Verdict extends Value
{
    public function __construct(
        public readonly string $productId, public readonly ?string $subscriptionGroup, public readonly \DateTimeImmutable $asOf,
        public readonly ?\DateTimeImmutable $evidenceDate, public readonly Offer $introductoryOffer, public readonly Offer $promotionalOffer,
        public readonly Offer $winBackOffer, public readonly Subscription $subscription, public readonly array $sources) {}
}

/** A refused object. Its index is in $evidence or $renewalInfo, and the other is null. */
final class RefusedEvidence extends Value
{
    public function __construct(
        public readonly Refused $refusal, public readonly ?int $evidence = null,
        public readonly ?int $renewalInfo = null, public readonly ?string $path = null) {}
}

/** The verdict for each product, the refused evidence that the verdicts leave out, and the library's answer. */
final class Verdicts
{
    /**
     * @param list<Verdict> $verdicts
     * @param list<RefusedEvidence> $refusals
     */
    public function __construct(
        public readonly array $verdicts, public readonly array $refusals, public readonly string $json) {}
}
