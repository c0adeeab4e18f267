#!/bin/sh
# Checks evidence of "appreceipt evidence" without that program: with sh, GNU coreutils and openssl 3.
#     sh check.sh [FOLDER...]        By default, checks the folder of this script.
# Exit status: 0 Apple signed this; 1 not confirmed; 2 not checked; 3 signed under another root; 4 a refusal, no proof.
# With several folders: the first of 1, 2, 3, 4 that occurs. Runs and writes nothing in a folder. check.py checks values.

PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C OPENSSL_CONF=/dev/null SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/dev/null
export PATH LC_ALL OPENSSL_CONF SSL_CERT_FILE SSL_CERT_DIR && unset IFS CDPATH
[ -z "${ZSH_VERSION-}" ] || emulate sh && set -u
# SHA-256 of Apple Inc. Root, Apple Root CA - G2 and - G3: https://www.apple.com/certificateauthority/
apple='b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024
c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050
63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179'

say() { printf '%s\n' "$*" || exit 2; }
unable() { printf 'NOT CHECKED: %s\n' "$*" >&2; exit 2; }
no() { # A full disk is not the evidence's error.
    [ ! -f "$folder/received" ] || cat "$folder/received" "$folder/received" > "$tmp/room" || unable "$tmp is full"
    printf 'NOT CONFIRMED: %s\n' "$*" >&2; exit 11; }
sha256() { openssl dgst -sha256 -r < "$1" | cut -c 1-64; }
same() { one=$(sha256 "$1") && [ ${#one} -eq 64 ] && [ "$one" = "$(sha256 "$2")" ]; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
decode() { # OUT PADDING... < TEXT: base64 (RFC 4648, 4) in one line, with one of these paddings added
    out=$1 && shift && cat > "$tmp/letters" && for padding; do
        printf %s "$padding" | cat "$tmp/letters" - > "$tmp/text"
        { cat "$tmp/text" && echo; } | fold -b -w 64 | openssl base64 -d > "$out" 2> "$tmp/out"
        openssl base64 -e -A < "$out" > "$tmp/again" && same "$tmp/again" "$tmp/text" && return 0
    done; return 1; }
decode_url() { tr '+/' '??' | tr '_-' '/+' | decode "$@"; } # RFC 4648, 5
decode_lines() { # OUT FILE: either alphabet, padded or not; a space between letters is invalid
    case $(head -c 3 "$2" | hex) in efbbbf) start=4 ;; *) start=1 ;; esac && tail -c +$start "$2" | tr '\r\0\\\200-\377' '\n?' |
        { while read -r line; do echo ".$line"; done; echo ".${line-}"; } | cut -c 2- | tr -d '\n' > "$tmp/lines" # mksh lacks printf
    tr = '?' < "$tmp/lines" > "$tmp/bare"
    decode "$1" '' < "$tmp/lines" || decode_url "$1" '' < "$tmp/lines" || decode "$1" = == < "$tmp/bare" ||
        decode_url "$1" = == < "$tmp/bare"; }
pieces() { tr -d '\r\n\t' < "$1" | tr '"' '\n'; } # between quotation marks
member() { pieces "$1" | csplit -s -f "$tmp/$2." - "/^$2\$/" 2> "$tmp/out" && tail -n +2 "$tmp/$2.01"; } # FILE NAME
number() { member "$tmp/content" "$1" | head -n 1 | tr -d ':,} \n'; } # in JSON
text() { member "$1" "$2" | tail -n +2 | head -n 1 | tr -d '\n'; } # in a property list
part() { cut -d . -f "$1" "$in" | tr -d '\n' | tr = '?'; } # of a JWS, which has no padding
creation_date() { # RECEIPT: attribute 12 has the number 12, a version, and an OCTET STRING around the date
    openssl asn1parse -inform DER -in "$1" 2>&1 | cut -c 1-99 | csplit -s -f "$tmp/attribute" - '/INTEGER  *:0C$/' 2> "$tmp/out" &&
        offset=$(tail -n +3 "$tmp/attribute01" | head -n 1 | cut -d : -f 1) &&
        openssl asn1parse -inform DER -in "$1" -strparse $offset 2> "$tmp/out" | head -c 200; }
has_marker() { # CERTIFICATE OID: among the extensions (RFC 5280, 4.1: [3] of the body)
    printf 'd=5  hl=2 l=  10 prim:%s\n' "$2" > "$tmp/marker"
    openssl asn1parse -inform DER -in "$1" | csplit -s -f "$tmp/extensions" - '/^ *[0-9]*:d=2 .*cont \[ 3 \]/' &&
        [ -n "$(cut -d : -f 2,4 "$tmp/extensions01" | sort | comm -12 - "$tmp/marker")" ]; }
chain() { openssl verify -attime "$when" -auth_level 0 -purpose any "$@" "$tmp/signer.pem" > "$tmp/out" 2>&1; }

check() {
    folder=$1 in=$1/container marker=1.2.840.113635.100.6.11.1 issuer_marker=1.2.840.113635.100.6.2.1 when=''
    [ -d "$folder" ] && [ -r "$folder" ] && [ -x "$folder" ] || unable 'there is no such folder, or it is not readable'
    for name in SHA256SUMS check.sh received verdict.json; do [ -f "$folder/$name" ] || no "$name is missing"; done
    same "$self" "$folder/check.sh" ||
        unable "made with another check.sh, of SHA-256 $(sha256 "$folder/check.sh"): get that version from a release"
    say '1. files: the folder holds the files of SHA256SUMS, and no others'
    for path in "$folder"/.[!.]* "$folder"/..?* "$folder"/* "$folder"/inclusion/*; do
        name=${path#"$folder/"} && { [ -e "$path" ] || [ -h "$path" ]; } || continue
        case $name in *[!A-Za-z0-9./]* | .* | */.*) no 'a file that no evidence has' ;; esac
        [ ! -h "$path" ] || no "$name: a link"
        [ -r "$path" ] && { [ ! -d "$path" ] || [ -x "$path" ]; } || unable "$name: not readable"
        [ "$name" = inclusion ] && [ "$(ls -A "$path" | tr '\n' ' ')" = 'leaf path place root ' ] && continue
        [ -f "$path" ] || no "$name: not a file that evidence has"
        [ "$name" = SHA256SUMS ] || { digest=$(sha256 "$path") && [ ${#digest} -eq 64 ] && say "$digest  $name"; } \
            >> "$tmp/sums" || unable "$name: not readable, or $tmp is full"
    done
    same "$tmp/sums" "$folder/SHA256SUMS" || no 'SHA256SUMS does not list these files'
    [ -e "$folder/root.pem" ] || { say 'REFUSED: nothing to prove here. See: appreceipt evidence --check'; exit 14; }
    [ "$(head -c 33554433 "$folder/received" | wc -c)" -le 33554432 ] || unable 'received: more than 32 MiB'
    for name in root signer intermediate; do # only the first certificate of each
        openssl x509 -in "$folder/$name.pem" -out "$tmp/$name.pem" > "$tmp/out" 2>&1
        openssl x509 -in "$tmp/$name.pem" -outform DER -out "$tmp/$name" > "$tmp/out" 2>&1
    done
    openssl x509 -in "$tmp/signer.pem" -noout -pubkey > "$tmp/key" 2> "$tmp/out" && [ -s "$tmp/root" ] || no 'no root, signer'
    root=$(sha256 "$tmp/root") && case ${#root}/$apple in 64/*"$root"*) is_apple=yes ;; *) is_apple=no ;; esac
    cat "$tmp/signer.pem" "$tmp/intermediate.pem" > "$tmp/others.pem" 2> "$tmp/out"

    say '2. container: what was received, with the signed bytes and the certificates beside it'
    if [ -f "$folder/content.der" ]; then
        content=content.der
        openssl asn1parse -inform DER -in "$in" 2>&1 | cut -d = -f 2 | cut -c 1-2 | sort | head -n 2 > "$tmp/depths"
        [ "$(tr -d ' \n' < "$tmp/depths")" = 01 ] || no 'container: not one element of DER'
        openssl cms -verify -nosigs -noverify -binary -inform DER -in "$in" -out "$tmp/content" > "$tmp/out" 2>&1
        date=$(creation_date "$tmp/content") && date=${date#*IA5STRING*:}
        case $date in *[!0-9TZ:.+-]*) ;; ????-??-??T??:??:??*) when=$(date -u -d "$date" +%s) ;; esac
    elif [ -f "$folder/payload.json" ]; then
        content=payload.json digest=sha256 signature=$tmp/der signed=$tmp/input
        { part 1 && printf . && part 2; } > "$signed" && { cat "$signed" && printf . && part 3; } > "$tmp/jws"
        same "$tmp/jws" "$in" && part 2 | decode_url "$tmp/content" '' = == && part 3 | decode_url "$tmp/rs" == &&
            [ "$(wc -c < "$tmp/rs")" -eq 64 ] || no 'container: not a JWS of ES256' # r and s (RFC 7518, 3.4)
        printf 'asn1=SEQUENCE:x\n[x]\nr=INTEGER:0x%s\ns=INTEGER:0x%s\n' "$(head -c 32 "$tmp/rs" | hex)" \
            "$(tail -c 32 "$tmp/rs" | hex)" > "$tmp/pair" && openssl asn1parse -genconf "$tmp/pair" -noout -out "$signature"
        when=$(number receiptCreationDate) && when=${when:-$(number signedDate)} && when=${when%%.*} && when=${when%???}
    else
        content=content size=256 signature=$tmp/signature signed=$tmp/content
        text "$in" signature | decode "$tmp/blob" '' && text "$in" purchase-info | decode "$tmp/info" '' ||
            no 'container: lacks base64'
        head -c 1 "$tmp/blob" | cat - "$tmp/info" > "$tmp/content"
        case $(head -c 1 "$tmp/blob" | hex) in # the blob: version, signature, length in four bytes, certificate
        02) size=128 digest=sha1 marker=1.2.840.113635.100.6.5.1 issuer_marker=1.2.840.113635.100.6.2.2 ;;
        03) digest=sha1 ;; *) digest=sha256 ;; esac
        tail -c +2 "$tmp/blob" | head -c $size > "$signature" && tail -c +$size "$tmp/blob" | tail -c +7 > "$tmp/by"
        same "$tmp/by" "$tmp/signer" || no 'container: another signer'
        when=$(text "$tmp/content" purchase-date-ms) && when=${when%???}
        [ -n "$when" ] || { date=$(text "$tmp/content" purchase-date) && when=$(date -u -d "${date% Etc/GMT}" +%s); }
    fi
    same "$tmp/content" "$folder/$content" || no 'container: signs another content'
    case $when in '' | *[!0-9]* | ????????????*) unable "$content: dated in a form that this script does not read" ;; esac
    { cat "$in" && echo; } > "$tmp/line"
    same "$folder/received" "$in" || case $content in
    payload.json) [ -n "$(pieces "$folder/received" | sort | comm -12 - "$tmp/line")" ] &&
        say '   received holds the container as its line or as a text in quotation marks; check.py checks in which member' ;;
    *) decode_lines "$tmp/bytes" "$folder/received" && same "$tmp/bytes" "$in" ;;
    esac || unable 'received: a form that this script does not take apart: see appreceipt evidence --check'
    say "3. chain: at $when ($(date -u -d "@$when")), as the content is dated, this root vouched for the signer: $root"
    chain -CAfile "$tmp/root.pem" -untrusted "$tmp/others.pem" || no 'the chain does not hold (or this machine bans SHA-1)'
    say '4. markers: Apple made these certificates to sign receipts and transactions'
    [ $is_apple = no ] || { chain -partial_chain -trusted "$tmp/intermediate.pem" && has_marker "$tmp/signer" $marker &&
        has_marker "$tmp/intermediate" $issuer_marker; } || no 'a marker is missing'
    say "5. signature: the signer's key signed $content"
    if [ $content = content.der ]; then
        openssl cms -verify -binary -inform DER -in "$in" -attime "$when" -auth_level 0 -purpose any -CAfile "$tmp/root.pem" \
            -certfile "$tmp/others.pem" -out "$tmp/content" -signer "$tmp/by.pem" > "$tmp/out" 2>&1 &&
            openssl x509 -in "$tmp/by.pem" -outform DER -out "$tmp/by" && same "$tmp/by" "$tmp/signer"
    else openssl dgst -$digest -verify "$tmp/key" -signature "$signature" "$signed" > "$tmp/out" 2>&1; fi &&
        same "$tmp/content" "$folder/$content" || no 'the signature does not hold'
    [ $is_apple = yes ] || { say "ANOTHER ROOT: all of this holds under a root that is not Apple's"; exit 13; }
    case $(head -c 65536 "$folder/verdict.json" | tr -d '\0') in *'"status":"genuine"'*'"realm":"app_store"'*) ;;
    *) no 'verdict.json: another status or realm' ;; esac
    say "CONFIRMED: Apple signed $content: content and signature, not the container's form. Its texts, for you to compare:"
    tr -cs '[:print:]' '\n' < "$tmp/content" | while IFS= read -r line; do case $line in ????*) say "   $line" ;; esac; done
    printf 'verdict.json: ' && tr -c '[:print:]' '?' < "$folder/verdict.json" && echo || exit 2
    say 'Not proven: that no key was stolen, what happened later, whose purchase it is, and names that the author gave.'
    exit 10
}
umask 077 && tmp='' worst=0 self=./$0 && case $0 in /*) self=$0 ;; esac
for tool in cat comm csplit cut date fold head ls mktemp od openssl rm sort tail tr wc; do
    command -v $tool > /dev/null || unable "$tool: missing"; done
[ "$(date -u -d 1970-01-02T00:00:00Z +%s)" = 86400 ] || unable 'date: not of GNU coreutils'
[ -f "$self" ] && [ "$(sha256 /dev/null | cut -c 1-8)" = e3b0c442 ] || unable 'no openssl, or not run as: sh check.sh'
trap 'rm -rf "$tmp"' EXIT && trap 'exit 2' HUP INT PIPE TERM
[ $# -gt 0 ] || set -- "${self%/*}"
for argument; do
    tmp=$(mktemp -d 2> /dev/null) && say "$argument:" || unable 'no place for temporary files: see TMPDIR'
    case $argument in '') (unable 'an empty name of a folder') ;; /*) (check "$argument") ;; *) (check "./$argument") ;; esac
    case $? in 10) result=0 ;; 11) result=1 ;; 13) result=3 ;; 14) result=4 ;; *) result=2 ;; esac && rm -rf "$tmp"
    case $worst$result in 0? | [234]1 | [34]2 | 43) worst=$result ;; esac
done
exit $worst
