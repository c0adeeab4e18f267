#!/bin/sh
# Checks evidence of "appreceipt evidence" without that program: with sh, coreutils and openssl (3.0 or later).
#     sh check.sh FOLDER...        without a folder: the one that holds this script
#
# Exit status: 0 Apple signed this; 1 not confirmed; 2 could not be checked here; 3 signed under another root than Apple's;
# 4 a refusal, which proves nothing. Of several folders: the first of 1, 2, 3, 4 that one of them has.
# Folders are data: nothing in them is run or written. The values of verdict.json: see check.py.

[ -z "${ZSH_VERSION-}" ] || emulate sh
PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C OPENSSL_CONF=/dev/null SSL_CERT_FILE=/dev/null SSL_CERT_DIR=/dev/null
export PATH LC_ALL OPENSSL_CONF SSL_CERT_FILE SSL_CERT_DIR
unset IFS CDPATH && set -u
# SHA-256 of Apple Inc. Root, Apple Root CA - G2 and - G3: compare https://www.apple.com/certificateauthority/
apple='b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024
c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050
63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179'

say() { printf '%s\n' "$*"; }
no() { say "NOT CONFIRMED: $*" >&2; exit 1; }
unable() { say "NOT CHECKED: $*" >&2; exit 2; }
sha256() { openssl dgst -sha256 -r < "$1" | cut -c 1-64; }
same() { digest_of=$(sha256 "$1") && [ ${#digest_of} -eq 64 ] && [ "$digest_of" = "$(sha256 "$2")" ]; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
encode() { openssl base64 -e -A < "$1" | tr -d =; }
decode() { # TEXT FILE: base64 or base64url, as encode writes it but for the alphabet
    text=$(printf %s "$1" | tr -d '\\=' | tr '_-' '/+')
    case $((${#text} % 4)) in 2) pad='==' ;; 3) pad='=' ;; *) pad='' ;; esac
    say "$text$pad" | fold -w 64 | openssl base64 -d > "$2" 2> /dev/null
    [ "$(encode "$2")" = "$text" ]
}
member() { # TEXT NAME BETWEEN: the first value of that name in JSON or a property list, up to its end, in $value
    value=${1#*"\"$2\"$3"}
    [ "$value" != "$1" ] && value=${value%%[\",\}]*}
}
has_marker() { # CERTIFICATE OID: an extension of this OID (RFC 5280, 4.1: three levels below [3] of the body)
    openssl asn1parse -inform DER -in "$1" | {
        found=no inside=no
        while IFS= read -r line; do case $line in
        *':d=2 '*'cont [ 3 ]'*) found=no inside=yes ;;
        *':d=2 '*) inside=no ;;
        *':d=5 '*'OBJECT            :'"$2") found=$inside ;;
        esac; done
        [ $found = yes ]
    }
}
chain() { openssl verify -attime "$when" -auth_level 0 -purpose any "$@" "$tmp/signer.pem" > "$tmp/out" 2>&1; }
key_signed() { openssl dgst "-$1" -verify "$tmp/key" -signature "$2" "$3" > "$tmp/out" 2>&1; }

check() {
    folder=$1 in=$1/container marker=1.2.840.113635.100.6.11.1 issuer_marker=1.2.840.113635.100.6.2.1 when='' value=''
    [ -d "$folder" ] || unable 'there is no such folder'
    say '1. files: the folder holds the files of SHA256SUMS, and no others'
    for path in "$folder"/.[!.]* "$folder"/..?* "$folder"/* "$folder"/inclusion/.[!.]* "$folder"/inclusion/*; do
        [ -e "$path" ] || [ -h "$path" ] || continue
        name=${path#"$folder/"}
        case $name in SHA256SUMS) continue ;; [!a-z]* | *[!a-z0-9./]* | */.*) no 'a file that no evidence has' ;; esac
        [ "$name" = inclusion ] && [ -d "$path" ] && [ ! -h "$path" ] && continue
        [ -f "$path" ] && [ ! -h "$path" ] || no "$name: not a file"
        cat "$path" "$path" "$path" >> "$tmp/room" && say "$(sha256 "$path")  $name" >> "$tmp/sums" ||
            unable "$name: not readable, or $tmp is full"
    done && rm -f "$tmp/room"
    for name in SHA256SUMS check.sh received verdict.json; do [ -f "$folder/$name" ] || no "$name is missing"; done
    same "$tmp/sums" "$folder/SHA256SUMS" || no 'SHA256SUMS does not list these files'
    same "$self" "$folder/check.sh" || unable "made with another check.sh, of SHA-256 $(sha256 "$folder/check.sh"): take that"
    [ -e "$folder/root.pem" ] || { say 'REFUSED: nothing to prove here. See: appreceipt evidence --check' && exit 4; }
    for name in root signer intermediate; do # no more than the first certificate of each
        openssl x509 -in "$folder/$name.pem" -out "$tmp/$name.pem" > "$tmp/out" 2>&1
        openssl x509 -in "$tmp/$name.pem" -outform DER -out "$tmp/$name" > "$tmp/out" 2>&1 || : > "$tmp/$name"
    done
    root=$(sha256 "$tmp/root") && [ ${#root} -eq 64 ] || unable 'openssl takes no digest'
    case $apple/$(cat "$folder/verdict.json") in *"$root"*/*'"status":"genuine"'*'"realm":"app_store"'*) ;;
    *) say "ANOTHER ROOT: $root, or not for the App Store. This script proves nothing about it." && exit 3 ;;
    esac

    say '2. container: what was received, with the signed bytes and the certificates beside it'
    text=$(tr -d ' \t\r\n\0=\357\273\277' < "$folder/received") && text=${text#-----BEGIN*-----} text=${text%-----END*-----}
    if ! same "$folder/received" "$in" && [ "$(printf %s "$text" | tr '_-' '/+')" != "$(encode "$in")" ]; then
        case $text in *"\"$(tr -d '\0' < "$in")\""*) ;; *) unable 'received: a form that appreceipt takes apart: evidence --check' ;; esac
    fi
    if [ -f "$folder/content.der" ]; then
        content=$folder/content.der
        case $(openssl asn1parse -inform DER -in "$in" 2>&1) in *:d=0*:d=0* | *rror*) no 'container: not one element' ;; esac
        date=$(hex < "$content") && date=${date#*02010c0201??04161614} text='' # attribute 12: RFC 3339 in an IA5String
        for octet in $(printf %.40s "$date" | fold -w 2); do # digits, and a blank for all else
            case $octet in 3[0-9]) text=$text${octet#3} ;; *) text="$text " ;; esac
        done && set -- $text 0 0 0 0 0 0
        when=$(date -u -d "$1-$2-$3 $4:$5:$6" +%s 2> "$tmp/out")
    elif [ -f "$folder/payload.json" ]; then
        content=$folder/payload.json jws=$(tr -d '\0' < "$in") && input=${jws%.*} && printf %s "$input" > "$tmp/input"
        decode "${jws%%.*}" "$tmp/head" && decode "${input#*.}" "$tmp/content" && decode "${jws##*.}" "$tmp/signature" &&
            same "$tmp/content" "$content" || no 'container: not a JWS of payload.json'
        for name in root signer intermediate; do
            case $(tr -d '\\=' < "$tmp/head") in *"\"$(encode "$tmp/$name")\""*) ;; *) no "$name.pem: not in x5c" ;; esac
        done
        member "$(cat "$content")" signedDate : || member "$(cat "$content")" receiptCreationDate : && when=${value%???}
    elif [ -f "$folder/content" ]; then
        content=$folder/content
        member "$(cat "$in")" signature ' = "' && decode "$value" "$tmp/blob" &&
            member "$(cat "$in")" purchase-info ' = "' && decode "$value" "$tmp/info" || no 'container: lacks base64'
        head -c 1 "$tmp/blob" > "$tmp/content" && cat "$tmp/info" >> "$tmp/content"
        case $(head -c 1 "$content" | hex) in # the blob: version, signature, length in four bytes, certificate
        02) size=128 rest=134 digest=sha1 marker=1.2.840.113635.100.6.5.1 issuer_marker=1.2.840.113635.100.6.2.2 ;;
        03) size=256 rest=262 digest=sha1 ;;
        04) size=256 rest=262 digest=sha256 ;;
        *) no 'container: of no known version' ;;
        esac
        tail -c +2 "$tmp/blob" | head -c $size > "$tmp/signature" && tail -c +$rest "$tmp/blob" > "$tmp/by"
        same "$tmp/content" "$content" && same "$tmp/by" "$tmp/signer" || no 'container: other content or signer'
        member "$(cat "$content")" purchase-date-ms ' = "' && when=${value%???} ||
            { member "$(cat "$content")" purchase-date ' = "' && when=$(date -u -d "${value% Etc/GMT}" +%s); }
    fi
    case $when in '' | *[!0-9]* | ????????????*) no 'there are no signed bytes that say when they were signed' ;; esac

    say "3. chain: at $when ($(date -u -d "@$when")), as the content is dated, this root of Apple's vouched for the signer: $root"
    chain -CAfile "$tmp/root.pem" -untrusted "$tmp/intermediate.pem" && chain -partial_chain -trusted "$tmp/intermediate.pem" ||
        no 'the chain does not hold (on a machine that bans SHA-1: none of before 2025 does)'
    say '4. markers: Apple made these certificates to sign receipts and transactions'
    has_marker "$tmp/signer" $marker && has_marker "$tmp/intermediate" $issuer_marker || no 'a marker is missing'
    say "5. signature: the signer's key signed ${content##*/}"
    openssl x509 -in "$tmp/signer.pem" -noout -pubkey > "$tmp/key"
    case $content in
    */content.der)
        openssl cms -verify -binary -inform DER -in "$in" -attime "$when" -auth_level 0 -purpose any -CAfile "$tmp/root.pem" \
            -certfile "$tmp/intermediate.pem" -out "$tmp/content" -signer "$tmp/by.pem" > "$tmp/out" 2>&1 &&
            openssl x509 -in "$tmp/by.pem" -outform DER -out "$tmp/by" && same "$tmp/by" "$tmp/signer" &&
            same "$tmp/content" "$content" ;;
    */payload.json) # r and s of 32 bytes (RFC 7518, 3.4), as DER
        printf 'asn1=SEQUENCE:x\n[x]\nr=INTEGER:0x%s\ns=INTEGER:0x%s\n' "$(head -c 32 "$tmp/signature" | hex)" \
            "$(tail -c +33 "$tmp/signature" | hex)" > "$tmp/pair"
        openssl asn1parse -genconf "$tmp/pair" -noout -out "$tmp/der" && key_signed sha256 "$tmp/der" "$tmp/input" ;;
    */content) key_signed $digest "$tmp/signature" "$content" ;;
    esac || no 'the signature does not hold'
    say 'CONFIRMED: Apple signed this. Its texts, for you to compare with verdict.json below (check.py compares all values):'
    tr -cs '[:print:]' '\n' < "$content" | while IFS= read -r line; do case $line in ????*) say "   $line" ;; esac; done
    say 'verdict.json:' "$(tr -c '[:print:]' '?' < "$folder/verdict.json")"
    say 'Not proven: that no key was stolen, what happened later, whose purchase it is, and names that the author gave.'
}

umask 077 && tmp='' worst=0 self=./$0 && case $0 in /*) self=$0 ;; esac
for tool in cat cut date fold head mktemp od openssl rm tail tr; do command -v $tool > /dev/null || unable "$tool: missing"; done
[ -f "$self" ] && [ "$(sha256 /dev/null | cut -c 1-8)" = e3b0c442 ] || unable 'no openssl here, or not run as: sh check.sh'
trap 'rm -rf "$tmp"' EXIT && trap 'exit 2' HUP INT TERM
[ $# -gt 0 ] || set -- "${self%/*}"
for argument; do
    tmp=$(mktemp -d 2> /dev/null) && say "$argument:" || unable 'no place for temporary files: see TMPDIR'
    case $argument in '') (unable 'the name of a folder is empty') ;; /*) (check "$argument") ;; *) (check "./$argument") ;; esac
    result=$? && rm -rf "$tmp"
    case $worst$result in 0? | [234]1 | [34]2 | 43) worst=$result ;; esac
done
exit $worst
