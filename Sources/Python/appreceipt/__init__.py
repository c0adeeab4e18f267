"""Verifies App Store receipts and signed transactions offline, in the process, with libappreceipt.

    verifier = appreceipt.Verifier(bundle_ids=["com.example.app"], environment="production")
    receipt = verifier.verify(bytes_or_base64)    # appreceipt.Receipt, or raises appreceipt.Refused
"""

from ._library import version
from .advanced_commerce import (
    AdvancedCommerceDescriptors,
    AdvancedCommerceOffer,
    AdvancedCommercePriceIncreaseInfo,
    AdvancedCommerceRefund,
    AdvancedCommerceRenewalInfo,
    AdvancedCommerceRenewalItem,
    AdvancedCommerceTransactionInfo,
    AdvancedCommerceTransactionItem,
)
from .answers import Answers
from .errors import BadRequest, EvidenceRefused, NotOneObject, Refused, RefusedEvidence, Unavailable
from .exports import Record
from .objects import (
    AppTransaction,
    Certificate,
    Foreign,
    Notification,
    Purchase,
    RealtimeRequest,
    Receipt,
    RenewalCommitmentInfo,
    RenewalInfo,
    RevocationStatus,
    Signature,
    SignedObject,
    TransactionPurchase,
    Transaction,
    TransactionCommitmentInfo,
    UnknownAttribute,
)
from .verdicts import Offer, Subscription, Verdict, Verdicts
from .verifier import Verifier

__version__ = version()

__all__ = [
    "AdvancedCommerceDescriptors", "AdvancedCommerceOffer", "AdvancedCommercePriceIncreaseInfo", "AdvancedCommerceRefund",
    "AdvancedCommerceRenewalInfo", "AdvancedCommerceRenewalItem", "AdvancedCommerceTransactionInfo",
    "AdvancedCommerceTransactionItem", "Answers", "AppTransaction", "BadRequest", "Certificate", "EvidenceRefused",
    "Foreign", "NotOneObject", "Notification", "Offer", "Purchase", "RealtimeRequest", "Receipt", "Record", "Refused",
    "RefusedEvidence", "RenewalCommitmentInfo", "RenewalInfo", "RevocationStatus", "Signature", "SignedObject", "Subscription",
    "TransactionPurchase", "Transaction", "TransactionCommitmentInfo", "Unavailable", "UnknownAttribute", "Verdict", "Verdicts", "Verifier",
    "version",
]
