/** A receipt (DER, base64 or PEM), a compact JWS, a transaction receipt, or a response of the App Store Server API. */
export type Data = string | ArrayBufferView;
export type Catalog = object | Data;
export type Environment = 'production' | 'sandbox' | 'xcode';

/** The settings of appreceipt.h. A missing setting is an error if it would remove a check. */
export interface Settings {
  bundleIds: 'any' | string | string[];
  environment: 'any' | Environment | Environment[];
  appAppleId?: 'any' | number | number[];
  deviceId?: string | ArrayBufferView;
  roots?: Data[];
  storekitTestRoots?: Data[];
  crossCheck?: boolean;
  sha1Signatures?: 'until-apple-stopped' | 'until-2025' | 'all' | 'none';
  crl?: Data[];
  distrust?: object;
  revocation?: 'off' | 'check' | 'require';
  limits?: {
    signatureChecks?: number; inputBytes?: number; nesting?: number; certificates?: number; certificateBytes?: number;
    purchases?: number; signedTextBytes?: number; signedObjects?: number };
  catalog?: Catalog;
  policies?: {
    refunds?: 'block' | 'ignore'; staleEvidence?: 'accept' | 'undetermined'; partialEvidence?: 'accept' | 'undetermined';
    promotionalScope?: 'group' | 'app' };
  verifyReceipt?: { environment?: 'production' | 'sandbox'; sharedSecret?: string; latest?: 'omitted' | 'as-of-receipt' };
}

export interface Question {
  evidence: Data[];
  renewalInfo?: Data[];
  unsignedRenewalInfo?: (string | object)[];
  products?: string[];
  asOf?: Date | string;
  catalog?: Catalog;
  singleGroup?: boolean;
  refusedEvidence?: 'error' | 'caveat';
}

type Text = string | null;
type When = Date | null;
export interface Certificate {
  readonly subject: string; readonly issuer: string; readonly serial: string; readonly sha256: string;
  readonly notBefore: Date; readonly notAfter: Date;
}
export interface UnknownAttribute { readonly type: number; readonly version: number; readonly value: string }
export interface Purchase {
  readonly quantity: number | null; readonly productId: Text; readonly productType: Text; readonly transactionId: Text;
  readonly originalTransactionId: Text; readonly purchaseDate: When; readonly originalPurchaseDate: When;
  readonly expiresDate: When; readonly cancellationDate: When; readonly cancellationReason: number | null;
  readonly isTrialPeriod: boolean | null; readonly isInIntroOfferPeriod: boolean | null;
  readonly promotionalOfferIdentifier: Text; readonly webOrderLineItemId: Text;
  /** Only signed transactions have this member. */
  readonly subscriptionGroupIdentifier?: Text;
  /** Only purchases in receipts have this member. */
  readonly unknown?: readonly UnknownAttribute[];
}
export interface Receipt {
  readonly receiptType: Text; readonly bundleId: string; readonly applicationVersion: Text;
  readonly originalApplicationVersion: Text; readonly receiptCreationDate: Date; readonly originalPurchaseDate: When;
  readonly expirationDate: When; readonly appItemId: Text; readonly downloadId: Text; readonly versionExternalIdentifier: Text;
  /** Hexadecimal. */
  readonly opaqueValue: Text; readonly sha1Hash: Text;
  readonly inApp: readonly Purchase[]; readonly unknown: readonly UnknownAttribute[];
}
interface Genuine {
  readonly sha256: string; readonly realm: 'app_store' | 'storekit_test' | 'custom'; readonly environment: Text;
  readonly signature: {
    readonly digest: string; readonly algorithm?: string; readonly verifiedAt: Date; readonly chain: readonly Certificate[] };
  /** The path in the input, or null for the whole input. */
  readonly path: Text;
  /** The line of `appreceipt verify --json`. */
  readonly json: string;
}
interface Signed extends Genuine {
  readonly format: 'jws' | 'transaction_receipt';
  /** All signed members under Apple's names. Dates are milliseconds since 1970. Integers beyond 2^53 are BigInts. */
  readonly members: { readonly [name: string]: any };
}
export type SignedObject =
  | Genuine & { readonly kind: 'receipt'; readonly contentSha256: string; readonly receipt: Receipt }
  | Signed & { readonly kind: 'transaction'; readonly inApp: Purchase; readonly caveats?: readonly string[] }
  | Signed & { readonly kind: 'renewal_info' | 'app_transaction' | 'notification' | 'realtime_request' };

export interface Offer {
  readonly outcome: 'eligible' | 'ineligible' | 'undetermined'; readonly rule: string; readonly certainty: Text;
  readonly configured: boolean | null; readonly transactions: readonly string[]; readonly explanation: string;
  readonly findings: readonly string[]; readonly caveats: readonly string[]; readonly offers?: readonly string[];
}
export interface Verdict {
  readonly productId: string; readonly subscriptionGroup: Text; readonly asOf: Date; readonly evidenceDate: When;
  readonly introductoryOffer: Offer; readonly promotionalOffer: Offer; readonly winBackOffer: Offer;
  readonly subscription: { readonly state: string; readonly productId: Text; readonly since: When; readonly until: When };
  readonly sources: readonly string[];
}
export interface RefusedEvidence {
  readonly evidence?: number; readonly renewalInfo?: number; readonly path: Text; readonly refusal: Refused;
}

export class AppReceiptError extends Error {
  readonly code: string;
  /** Whether the same call may succeed later. */
  readonly transient: boolean;
}
export class Refused extends AppReceiptError {
  readonly offset: number | null; readonly field: Text; readonly path: Text; readonly sha256: Text; readonly format: Text;
}
export class EvidenceRefused extends AppReceiptError { readonly refusals: readonly RefusedEvidence[] }

/** Verifies receipts and other signed objects. Each thread (`worker_threads`) creates its own. */
export class Verifier {
  constructor(settings: Settings);
  /** Verifies one signed object. Throws `Refused`, or `AppReceiptError` unless there is exactly one. */
  verify(data: Data): SignedObject;
  verifyAll(data: Data): (SignedObject | Refused)[];
  /** Returns the library's JSON answer, unchanged. */
  answer(data: Data): string;
  /** Throws `EvidenceRefused` if evidence is refused or belongs to several apps or environments. */
  eligibility(question: Question): {
    readonly verdicts: readonly Verdict[]; readonly refusals: readonly RefusedEvidence[]; readonly json: string };
  /** Returns the answer of Apple's verifyReceipt to a request's body. */
  verifyReceiptAnswer(request: Data | object): any;
  close(): void;
}
export const version: string;
