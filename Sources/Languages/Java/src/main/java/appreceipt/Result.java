package appreceipt;

/** The result of one signed object: genuine, or refused. */
public sealed interface Result permits SignedObject, Refusal {
    /** The path in the input, for example {@code signedTransactions[0]}, or null for the whole input. */
    String path();
}
