#!/bin/sh
# Checks evidence without the program that made it: with sh, openssl, and cmp, od, tr, head, tail, cat, fold, wc, mkdir,
# mktemp, mv, rm of any Unix. It is the same file, byte for byte, in every folder of evidence: whoever has read it once, or
# has its SHA-256 from elsewhere, runs that one copy.
#
#     sh check.sh            the evidence in the folder that it stands in
#     sh check.sh FOLDER     that in another one, whose own check.sh is not run
#
# Exit status 0: the evidence is what verdict.json claims, also where that says "refused". 1: it is not, and the last line
# says where. 2: it could not be checked here, as the last line says. Nothing in the folder is run; what it holds is read as
# data, and shown as hexadecimal digits if at all.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH ENV IFS _POSIX2_VERSION
set +f
umask 077
# What the signed bytes say is kept by these names, and nothing that the environment says.
unset trial intro j_absent j_signedDate j_receiptCreationDate j_environment j_receiptType j_bundleId app_apple_id j_appAppleId j_quantity j_productId j_type
unset j_transactionId j_originalTransactionId j_purchaseDate j_originalPurchaseDate j_expiresDate j_revocationDate
unset j_revocationReason j_offerType j_offerDiscountType j_offerIdentifier j_webOrderLineItemId j_subscriptionGroupIdentifier
unset j_deviceVerification j_deviceVerificationNonce
unset v_0 v_1 v_2 v_3 v_4 v_5 v_12 v_15 v_16 v_18 v_19 v_21 v_1701 v_1702 v_1703 v_1704 v_1705 v_1706 v_1707 v_1708 v_1711
unset v_1712 v_1713 v_1719 v_1720 v_1721
# unable WHY: that says nothing of the evidence.
unable() {
    printf 'Not checked: %s\n' "$1" >&2
    exit 2
}
case ${TMPDIR-} in /*) ;; *) TMPDIR=/tmp ;; esac
case $0 in /*) self=$0 ;; *) self=$PWD/$0 ;; esac
cd -- "${1:-${self%/*}}/" || unable 'the folder cannot be opened'
tools=$(mktemp -d "$TMPDIR/evidence.XXXXXX") || unable "$TMPDIR has no place for temporary files"
trap 'rm -rf -- "$tools"' EXIT
trap 'exit 2' HUP INT TERM
parts=$tools/parts
mkdir "$parts" "$tools/none" || unable "$TMPDIR has no place for temporary files"
# No configuration, engine or certificate of this machine takes part; and none of the evidence but those that are named.
: > "$tools/empty"
OPENSSL_CONF=$tools/empty
SSL_CERT_FILE=$tools/empty
SSL_CERT_DIR=$tools/none
export OPENSSL_CONF SSL_CERT_FILE SSL_CERT_DIR

number=0
# step WHAT IT PROVES: the line of a step; the next one says that it held.
step() {
    number=$((number + 1))
    printf '%d. %s\n' "$number" "$1"
}
note() { printf '   %s\n' "$1"; }
fail() {
    printf 'NOT what it claims to be: %s\n' "$1" >&2
    exit 1
}

# hex: standard input as digits.
hex() { od -An -v -tx1 | tr -d ' \n'; }
size() { wc -c < "$1" | tr -d ' '; }
# sha256 FILE
sha256() {
    openssl dgst -sha256 -binary < "$1" > "$tools/digest" 2> /dev/null || fail "openssl cannot take a digest"
    hex < "$tools/digest"
}
# binary DIGITS: the bytes that they stand for.
binary() {
    digits=$1
    while [ -n "$digits" ]; do
        rest=${digits#??}
        octet=$((0x${digits%"$rest"}))
        printf "\\$((octet >> 6))$((octet >> 3 & 7))$((octet & 7))"
        digits=$rest
    done
}
# Arithmetic is done with digits alone: bash takes a word for a variable, and runs commands that stand in one. Without a zero
# before them, which would make them octal.
is_number() {
    case $1 in '' | 0?* | *[!0-9]* | ???????????*) return 1 ;; esac
}
# is_date MILLISECONDS: since 1970.
is_date() {
    case ${1#-} in '' | 0?* | *[!0-9]* | ?????????????????*) return 1 ;; esac
}
# is_part NAME: of bytes that are taken from others.
is_part() {
    case $1 in
    container | unwrapped | list | notification | notification.json | content.der | content | signed-attributes | signature | \
        signature-blob | purchase-info | header.json | payload.json | signing-input | signer.pem | intermediate.pem) ;;
    *) return 1 ;;
    esac
}
# is_ours NAME: of a file that evidence has.
is_ours() {
    case $1 in
    facts | received | root.pem | roots.pem | citations.json | verdict.json | request.json | account.txt | eligibility.json | \
        eligibility.txt | catalog.json | check.sh | inclusion/leaf | inclusion/place | inclusion/path | inclusion/root) ;;
    *) is_part "$1" ;;
    esac
}

# --- The manifest.

files() {
    step 'files: the folder holds the files of its manifest, SHA256SUMS, and no others'
    [ -f SHA256SUMS ] && [ ! -h SHA256SUMS ] || fail 'there is no SHA256SUMS'
    names=' '
    while IFS= read -r line || [ -n "$line" ]; do
        digest=${line%%  *}
        name=${line#*  }
        is_ours "$name" || fail 'SHA256SUMS names a file that no evidence has'
        case $names in *" $name "*) fail "SHA256SUMS names $name twice" ;; esac
        names="$names$name "
        [ -f "$name" ] && [ ! -h "$name" ] || fail "$name: no such file"
        [ "$(sha256 "$name")" = "$digest" ] || fail "$name: not the file of the manifest"
    done < SHA256SUMS
    for name in * .[!.]* ..?* inclusion/* inclusion/.[!.]* inclusion/..?*; do
        [ -e "$name" ] || [ -h "$name" ] || continue
        [ "$name" != SHA256SUMS ] || continue
        if [ "$name" = inclusion ] && [ -d inclusion ] && [ ! -h inclusion ] && has inclusion/leaf; then continue; fi
        is_ours "$name" || fail 'there is a file that the manifest does not name'
        has "$name" || fail "$name: a file that the manifest does not name"
    done
    for name in facts received verdict.json request.json account.txt check.sh; do
        has "$name" || fail "$name is missing"
    done
    cmp -s "$self" check.sh || fail 'check.sh: not the one that is running'
}
# has NAME: whether the manifest names it.
has() { case $names in *" $1 "*) ;; *) return 1 ;; esac; }

# --- What is said of the evidence, in words and numbers of ours alone.

facts() {
    form='' kind='' status='' code='' stage='' offset='' realm='' instant='' made=' ' demand='' demanded=''
    while IFS= read -r line; do
        # Each line is words of letters, digits and a few signs: it can be split.
        case $line in *[!a-zA-Z0-9_.\ /-]*) fail 'facts: a line that no evidence has' ;; esac
        set -f
        # shellcheck disable=SC2086
        set -- $line
        set +f
        case ${1-}:$# in
        form:2) form=$2 ;;
        kind:2) kind=$2 ;;
        genuine:2) status=genuine realm=$2 ;;
        refused:4)
            status=refused code=$2 stage=$3 offset=$4
            is_refusal || fail 'facts: a refusal that no evidence has'
            ;;
        instant:2) instant=$2 ;;
        realm:2) realm=$2 ;;
        demand:3) demanded_too "$2" "$3" ;;
        part:6) part "$2" "$3" "$4" "$5" "$6" ;;
        loose:2) loose "$2" ;;
        *) fail 'facts: a line that no evidence has' ;;
        esac
    done < facts
    case $form$kind in
    pkcs7) content=content.der ;;
    jws | jwstransaction | jwsrenewal_info | jwsapp_transaction | jwsnotification | jwsrealtime_request) content=payload.json ;;
    transaction_receipt) content=content ;;
    none) content= ;;
    *) fail 'facts: no form' ;;
    esac
    case $status$realm in
    refused | genuineapp_store | genuinestorekit_test | genuinecustom) ;;
    refusedapp_store | refusedstorekit_test | refusedcustom) [ "$stage" = demand ] || fail 'facts: whose root refuses it?' ;;
    *) fail 'facts: no verdict' ;;
    esac
    [ -z "$instant" ] || is_date "$instant" || fail 'facts: no date'
    for name in $made; do
        has "$name" || fail "$name is missing"
        if [ "${name%.pem}" = "$name" ]; then
            cmp -s "$parts/$name" "$name" || fail "$name: not the bytes that stand in what it was taken from"
        else
            { echo '-----BEGIN CERTIFICATE-----' && openssl base64 -e < "$parts/$name" && echo '-----END CERTIFICATE-----'; } \
                > "$tools/pem"
            cmp -s "$tools/pem" "$name" || fail "$name: not the certificate that stands in what it was taken from"
        fi
    done
}

# demanded_too NAME VALUE: one more value that was allowed, in digits; none is the empty one.
demanded_too() {
    case $2 in none) ;; *[!0-9a-f]*) fail 'facts: a demand that no evidence has' ;; esac
    [ $((${#2} % 2)) -eq 0 ] && [ "${demand:-$1}" = "$1" ] || fail 'facts: a demand that no evidence has'
    demand=$1 demanded="$demanded $2"
}

# is_refusal: whether the code is one that the step gives which is said to fail, and the place is one.
is_refusal() {
    [ "$offset" = none ] || is_number "$offset" || return 1
    case $stage:$code in
    chain:untrusted_chain | marker:wrong_purpose | signature:bad_signature) ;;
    demand:wrong_bundle_id | demand:wrong_environment | demand:wrong_device) ;;
    read:* | own:* | signed:*)
        case $code in
        malformed | too_large | untrusted_chain | wrong_purpose | bad_signature | wrong_bundle_id | wrong_environment | \
            wrong_device | unreadable) ;;
        *) return 1 ;;
        esac
        ;;
    *) return 1 ;;
    esac
}

# loose NAME: what an export had wrapped, as the program unwrapped it.
loose() {
    case $1 in container | unwrapped) ;; *) fail 'facts: a part that no evidence has' ;; esac
    has "$1" || fail "$1 is missing"
    cat "$1" > "$parts/$1"
    made="$made$1 "
    note "$1 is taken as it is: received holds it in a wrapping that only the program undoes"
}

# part NAME HOW SOURCE OFFSET LENGTH: bytes of a source, as they are or decoded, are a file of the evidence.
part() {
    is_part "$1" && is_number "$4" && is_number "$5" || fail 'facts: a part that no evidence has'
    has "$1" || fail "$1 is missing"
    [ "$1" != "$3" ] || fail "facts: $1 is taken from itself"
    source=$3
    if [ "$source" != received ]; then
        case $made in *" $source "*) source=$parts/$source ;; *) fail "facts: $1 is taken from what is not there" ;; esac
    fi
    [ "$(($4 + $5))" -le "$(size "$source")" ] || fail "facts: $1 ends behind $3"
    tail -c "+$(($4 + 1))" "$source" | head -c "$5" > "$tools/slice"
    case $2 in
    bytes) cat "$tools/slice" ;;
    text) tr -d '\\' < "$tools/slice" ;;
    base64) decode '' < "$tools/slice" ;;
    base64url) decode '_-' < "$tools/slice" ;;
    *) fail 'facts: a part that no evidence has' ;;
    esac >> "$parts/$1" || fail "$1: $3 holds no base64 there"
    # Of a certificate the file has more: it is PEM.
    [ "$(size "$parts/$1")" -le "$(size "$1")" ] || fail "$1: not the bytes that stand in what it was taken from"
    case $made in *" $1 "*) ;; *) made="$made$1 " ;; esac
}

# decode ALPHABET: base64 without its blanks, line ends and padding; what comes out, encoded again, is what went in.
decode() {
    tr -d ' \t\r\n\\=' > "$tools/text"
    if [ -n "$1" ]; then
        tr '_-' '/+' < "$tools/text" > "$tools/standard" && mv "$tools/standard" "$tools/text"
    fi
    characters=$(size "$tools/text")
    {
        cat "$tools/text"
        case $((characters % 4)) in 2) printf '==' ;; 3) printf '=' ;; esac
    } | fold -w 64 > "$tools/lines"
    echo >> "$tools/lines"
    openssl base64 -d < "$tools/lines" > "$tools/bytes" 2> /dev/null || return 1
    openssl base64 -e < "$tools/bytes" | tr -d '\n=' | cmp -s - "$tools/text" || return 1
    cat "$tools/bytes"
}

# need NAME…: these were made from the bytes that came, not only found beside them.
need() {
    for name in "$@"; do
        case $made in *" $name "*) ;; *) fail "$name: facts do not say what it was taken from" ;; esac
    done
}

# --- Certificates.

# SHA-256 of Apple Inc. Root, Apple Root CA - G2 and G3, as https://www.apple.com/certificateauthority/ publishes them.
apple='b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024
c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050
63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179'

# der FILE: of a certificate.
der() {
    openssl x509 -in "$1" -outform DER -out "$tools/der" 2> /dev/null || fail "$1: not a certificate"
    { echo '-----BEGIN CERTIFICATE-----' && openssl base64 -e < "$tools/der" && echo '-----END CERTIFICATE-----'; } \
        > "$tools/pem"
    cmp -s "$tools/pem" "$1" || fail "$1: more than a certificate"
}

# roots_told: the roots that were asked, and whether they are Apple's three.
roots_told() {
    number_of_roots=0 apples=0
    : > "$tools/one"
    while IFS= read -r line; do
        printf '%s\n' "$line" >> "$tools/one"
        [ "$line" = '-----END CERTIFICATE-----' ] || continue
        der "$tools/one"
        fingerprint=$(sha256 "$tools/der")
        number_of_roots=$((number_of_roots + 1))
        case $apple in *"$fingerprint"*) apples=$((apples + 1)) ;; *) note "asked was $fingerprint, which is NOT one of Apple's" ;; esac
        : > "$tools/one"
    done < roots.pem
    [ "$number_of_roots" -gt 0 ] && [ ! -s "$tools/one" ] || fail 'roots.pem: not certificates'
    note "asked were $number_of_roots roots; of Apple's three: $apples"
}

# chain_holds ROOTS: whether the signer's certificate was signed, by way of the intermediate, by one of the roots.
chain_holds() {
    names_of_root=$(openssl x509 -in "$1" -noout -subject -issuer 2> /dev/null)
    subject_of_root=${names_of_root%%issuer=*}
    set -- -attime $((instant / 1000)) -CAfile "$1"
    # A root that somebody else signed, or one of several: LibreSSL does not know the option, and needs none for Apple's.
    if [ "$roots" = roots.pem ] || [ "${names_of_root#*issuer=}" != "$(printf %s "${subject_of_root#subject=}")" ]; then
        set -- "$@" -partial_chain
    fi
    if has intermediate.pem; then set -- "$@" -untrusted intermediate.pem; fi
    verified "$@" && return
    # Where SHA-1 is banned, this is how Red Hat's OpenSSL is told otherwise; others do not know the line.
    printf '%s\n' 'openssl_conf = a' '[a]' 'alg_section = b' '[b]' 'rh-allow-sha1-signatures = yes' > "$tools/conf"
    OPENSSL_CONF=$tools/conf
    verified "$@" && is_verified=yes || is_verified=no
    OPENSSL_CONF=$tools/empty
    [ $is_verified = yes ]
}
# Some end with 0 after they complained.
verified() { openssl verify "$@" signer.pem > "$tools/verify" 2>&1 && [ "$(cat "$tools/verify")" = 'signer.pem: OK' ]; }

# element OFFSET: of DER in $tools/der: its tag, in digits, and where its content begins and ends.
element() {
    octets=$(tail -c "+$(($1 + 1))" "$tools/der" | head -c 5 | hex)
    [ ${#octets} -eq 10 ] || return 1
    tag=${octets%????????} octets=${octets#??}
    count=$((0x${octets%??????})) octets=${octets#??} begins_at=$(($1 + 2))
    case $count in
    129) count=$((0x${octets%????})) begins_at=$(($1 + 3)) ;;
    130) count=$((0x${octets%??})) begins_at=$(($1 + 4)) ;;
    131) count=$((0x$octets)) begins_at=$(($1 + 5)) ;;
    *) [ "$count" -lt 128 ] || return 1 ;;
    esac
    ends_at=$((begins_at + count))
}

# has_marker FILE OID: whether a certificate has an extension, which is the OID in DER, in digits: RFC 5280, 4.1.
has_marker() {
    openssl x509 -in "$1" -outform DER -out "$tools/der" 2> /dev/null && element 0 && element "$begins_at" || return 1
    last_of=$ends_at ends_at=$begins_at tag=
    until [ "$tag" = a3 ]; do
        [ "$ends_at" -lt "$last_of" ] && element "$ends_at" || return 1
    done
    element "$begins_at" || return 1
    last_of=$ends_at ends_at=$begins_at
    while [ "$ends_at" -lt "$last_of" ]; do
        element "$ends_at" || return 1
        # Behind it stands the value, and before that perhaps whether it is critical.
        case $(tail -c "+$((begins_at + 1))" "$tools/der" | head -c 20 | hex) in "$2"04* | "$2"0101??04*) return 0 ;; esac
    done
    return 1
}

# Who signs what: Apple's markers of signer and intermediate, below 1.2.840.113635.100.6.
markers_hold() {
    signer=060a2a864886f76364060b01 intermediate=060a2a864886f76364060201
    if [ "$form$version" = transaction_receipt2 ]; then
        signer=060a2a864886f76364060501 intermediate=060a2a864886f76364060202
    fi
    has_marker signer.pem $signer && has intermediate.pem && has_marker intermediate.pem $intermediate
}

# --- Signatures.

# signature_holds: whether the signer's key made the signature over the content.
signature_holds() {
    openssl x509 -in signer.pem -noout -pubkey > "$tools/key" 2> /dev/null || return 1
    if [ "$form" = jws ]; then
        es256
    else
        case $(openssl pkey -pubin -in "$tools/key" -noout -text 2> /dev/null) in
        *'NIST CURVE: '*) [ "$form" = pkcs7 ] && ecdsa ;;
        *) rsa ;;
        esac
    fi
}

# RSA, PKCS #1 1.5 (RFC 8017, 9.2): what the key opens is the name of a digest algorithm and the digest.
# A machine that bans SHA-1 in signatures still computes it: that is all that is asked of openssl here.
rsa() {
    openssl pkeyutl -verifyrecover -pubin -inkey "$tools/key" -in signature -out "$tools/opened" 2> /dev/null || return 1
    opened=$(hex < "$tools/opened")
    case $opened in
    3021300906052b0e03021a05000414*) algorithm=sha1 name=3021300906052b0e03021a05000414 ;;
    3031300d060960864801650304020105000420*) algorithm=sha256 name=3031300d060960864801650304020105000420 ;;
    3041300d060960864801650304020205000430*) algorithm=sha384 name=3041300d060960864801650304020205000430 ;;
    3051300d060960864801650304020305000440*) algorithm=sha512 name=3051300d060960864801650304020305000440 ;;
    *) return 1 ;;
    esac
    digest=$(openssl dgst -$algorithm -binary < "$content" | hex)
    if has signed-attributes; then
        # RFC 5652, 5.4: signed are the attributes, as a SET, and they hold the digest of the content.
        case $(hex < signed-attributes) in
        *06092a864886f70d01090431??04??"$digest"*) ;;
        *) return 1 ;;
        esac
        digest=$({ printf '1' && tail -c +2 signed-attributes; } | openssl dgst -$algorithm -binary | hex)
    fi
    [ "$opened" = "$name$digest" ]
}

# ECDSA (RFC 3279, 2.2.3): the signature does not name its digest, so each of the list is tried.
ecdsa() {
    for algorithm in sha256 sha384 sha512; do
        digest=$(openssl dgst -$algorithm -binary < "$content" | hex)
        signed=$content
        if has signed-attributes; then
            # As in rsa.
            case $(hex < signed-attributes) in
            *06092a864886f70d01090431??04??"$digest"*) ;;
            *) continue ;;
            esac
            { printf '1' && tail -c +2 signed-attributes; } > "$tools/signed"
            signed=$tools/signed
        fi
        ! openssl dgst -$algorithm -verify "$tools/key" -signature signature "$signed" > /dev/null 2>&1 || return 0
    done
    return 1
}

# ECDSA (RFC 7518, 3.4): r and s, 32 bytes each, which openssl wants as a SEQUENCE of two INTEGERs.
es256() {
    algorithm=sha256
    [ "$(size signature)" -eq 64 ] || return 1
    pair=$(hex < signature)
    s=$(integer "${pair#????????????????????????????????????????????????????????????????}")
    r=$(integer "${pair%????????????????????????????????????????????????????????????????}")
    sum=$(((${#r} + ${#s}) / 2))
    binary "30$(printf '%02x' "$sum")$r$s" > "$tools/ecdsa"
    openssl dgst -sha256 -verify "$tools/key" -signature "$tools/ecdsa" signing-input > /dev/null 2>&1
}
# integer DIGITS: as DER, in digits.
integer() {
    value=$1
    while :; do
        case $value in 00??*) value=${value#00} ;; *) break ;; esac
    done
    case $value in [89a-f]*) value=00$value ;; esac
    printf '02%02x%s' $((${#value} / 2)) "$value"
}
