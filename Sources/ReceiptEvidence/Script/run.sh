
# --- The verdict.

# begins: reads the verdict up to the digest of what came; how many bytes that are in taken, what follows in rest.
begins() {
    # Of what nothing could be taken out nobody has the digest.
    digest=
    ! has container || digest=$quote$(sha256 container)$quote
    reading=verdict.json
    numbers verdict.json > "$tools/numbers-of-verdict"
    front < "$tools/numbers-of-verdict"
    reading=$content
    start=$(tail -c "+$((taken + 1))" verdict.json | head -c 20000)
    rest=$start
    if [ "$form$status" = pkcs7genuine ]; then
        digest=$(sha256 "$content")
        eat ",\"content_sha256\":\"$digest\"" 'another digest than that of the content'
    fi
    case $rest in
    ',"wrapping":["'*)
        wrapping=${rest%%]*} rest=${rest#*]}
        wrapping=${wrapping#',"wrapping":["'}
        case $wrapping in *[!a-z0-9_\",]*) fail 'verdict.json: a wrapping that no evidence has' ;; esac
        ;;
    esac
    taken=$((taken + ${#start} - ${#rest}))
}
# front: the names that somebody gave to what came, which nothing else says, and its digest, which is checked.
front() {
    at=0 called='' members={
    byte
    [ "$b" -eq 123 ] || broken
    while :; do
        byte
        text_token
        name=$chars
        [ "${b:-0}" -eq 58 ] || broken
        byte
        case $name in
        "${quote}source$quote") called="$called source" ;;
        "${quote}id$quote") called="$called id" ;;
        "${quote}subject$quote") called="$called subject" ;;
        "${quote}path$quote") called="$called path" ;;
        "${quote}sha256$quote") break ;;
        *) broken ;;
        esac
        case $b in 123 | 91) broken ;; esac
        token
        [ "${b:-0}" -eq 44 ] || broken
        members="$members$name:$chars,"
    done
    # They stand there as they are written anew: without blanks, and with escapes for what steers a terminal.
    printf -- "$members" > "$tools/front"
    head -c "$(size "$tools/front")" verdict.json | cmp -s - "$tools/front" || broken
    case $called in ' source' | ' id' | ' id subject' | ' id path' | ' id subject path') ;; *) broken ;; esac
    token
    [ -z "$digest" ] || [ "$chars" = "$digest" ] || fail 'verdict.json: another digest than that of what came'
    taken=$((at - 1))
}
text_token() {
    [ "${b:-0}" -eq 34 ] || broken
    token
}
# eat TEXT WHY: rest begins with it.
eat() {
    case $rest in "$1"*) rest=${rest#"$1"} ;; *) fail "verdict.json: $2" ;; esac
}

# certificate FILE: its object in the verdict.
certificate() {
    subject='' issuer=''
    if [ "$realm" = app_store ]; then
        subject=$(name_of "$1" subject) issuer=$(name_of "$1" issuer)
    else
        # Of a root of one's own, names are whatever somebody wrote: they stay as they are.
        rest=${rest#*\{\"subject\":\"}
        subject=${rest%%'","issuer":"'*}
        rest=${rest#*'","issuer":"'}
        issuer=${rest%%'","serial":"'*}
        is_text "$subject" && is_text "$issuer" || fail 'verdict.json: a name that is no text'
    fi
    openssl x509 -in "$1" -outform DER -out "$tools/der" 2> /dev/null
    printf '{"subject":"%s","issuer":"%s","serial":"%s","not_before":"%s","not_after":"%s","sha256":"%s"}' \
        "$subject" "$issuer" "$(openssl x509 -in "$1" -noout -serial | tr -d '\n' | tr A-F a-f | tail -c +8)" \
        "$(date_of "$1" -startdate)" "$(date_of "$1" -enddate)" "$(sha256 "$tools/der")"
}
# is_text TEXT: whether it can stand between the quotes of JSON.
is_text() {
    text=$1
    while :; do
        case $text in *[[:cntrl:]]*) return 1 ;; esac
        front=${text%%\\*}
        case $front in *\"*) return 1 ;; esac
        [ "$front" != "$text" ] || return 0
        text=${text#*\\} text=${text#?}
    done
}
# name_of FILE WHICH
name_of() {
    text=$(openssl x509 -in "$1" -noout "-$2" -nameopt sep_comma_plus,sname,utf8)
    text=${text#"$2"=}
    printf %s "${text# }"
}
# date_of FILE WHICH: as RFC 3339.
date_of() {
    # shellcheck disable=SC2046
    set -- $(openssl x509 -in "$1" -noout "$2")
    month=0
    for name in Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec; do
        month=$((month + 1))
        [ "${1#*=}" != $name ] || break
    done
    case $month in ?) month=0$month ;; esac
    case $2 in ?) set -- "$1" "0$2" "$3" "$4" ;; esac
    printf %s "$4-$month-$2T$3Z"
}

# verdict: verdict.json, written anew out of what was checked, but for the name of what came.
verdict() {
    begins
    {
        head -c "$taken" verdict.json
        printf ',"status":"genuine"'
        kind_of=$kind
        [ $form != transaction_receipt ] || kind_of=transaction
        [ $form = pkcs7 ] || printf ',"format":"%s","kind":"%s"' $form "$kind_of"
        printf ',"realm":"%s","environment":%s,"signature":{' "$realm" "$environment"
        [ $form != jws ] || printf '"algorithm":"ES256",'
        [ $form != transaction_receipt ] || printf '"algorithm":"%sWithRSAEncryption",' $algorithm
        printf '"digest":"%s","verified_at":"%s","chain":[' "$algorithm" "$verified_at"
        certificate signer.pem
        if has intermediate.pem; then
            printf ,
            certificate intermediate.pem
        fi
        if ! cmp -s signer.pem root.pem; then
            printf ,
            certificate root.pem
        fi
        printf ']}'
        case $form$version in
        transaction_receipt2) printf ',"caveats":["rsa-1024"]' ;;
        transaction_receipt*) printf ',"caveats":[]' ;;
        esac
        case $form in
        pkcs7)
            printf ',"receipt":'
            cat "$tools/receipt"
            ;;
        *)
            printf ',"%s":' "$kind_of"
            cat "$tools/payload"
            ;;
        esac
        if [ "$form$kind" = jwstransaction ]; then
            printf ',"in_app":'
            purchase_of_payload
        elif [ $form = transaction_receipt ]; then
            printf ',"in_app":'
            purchase_of_list
        fi
        printf '}\n'
    } > "$tools/verdict"
    same verdict verdict.json 'is not what was signed'
}

# device DIGITS: whether the signed bytes name this device.
device() {
    case $form$kind in
    pkcs7) device_of_receipt "$1" ;;
    jwstransaction | jwsrenewal_info | jwsapp_transaction) device_of_jws "$1" ;;
    esac
}
# device_of_jws DIGITS: whether deviceVerification is SHA-384 of the nonce and the device, as UUIDs in lower case.
device_of_jws() {
    nonce=$(printf -- "${j_deviceVerificationNonce-}" | tr -d '"' | tr A-F a-f)
    case $nonce in *[!0-9a-f-]*) return ;; ????????-????-????-????-????????????) ;; *) return ;; esac
    [ ${#1} -eq 32 ] || return 0
    # shellcheck disable=SC2046
    set -- $(printf '%s\n' "$1" | fold -w 4)
    digest=$(printf '%s' "$nonce$1$2-$3-$4-$5-$6$7$8" | openssl dgst -sha384 -binary | openssl base64 -e | tr -d '\n')
    [ "\"$digest\"" != "$(printf -- "${j_deviceVerification-}")" ] || echo device
}
# device_of_receipt DIGITS: whether attribute 5 is SHA-1 of the device, attribute 4 and the value of attribute 2.
device_of_receipt() {
    digest=$({
        binary "$1"
        binary "$opaque_value"
        tail -c "+$((bundle_at + 1))" "$content" | head -c "$bundle_count"
    } | openssl dgst -sha1 -binary | hex)
    [ "$digest" != "$device_hash" ] || echo device
}

# same WRITTEN FILE WHAT: the file is what was written anew.
same() {
    cmp -s "$tools/$1" "$2" && return
    place=$(cmp "$tools/$1" "$2" 2>&1)
    case $place in *differ*) place="from ${place#*differ: }" ;; *) place='it ends too early or too late' ;; esac
    fail "$2 $3: ${place%%,*}"
}

# refused: verdict.json says what the facts say, and nothing else but words.
refused() {
    begins
    eat ',"status":"refused"' 'not refused'
    case $form:$rest in
    jws:* | transaction_receipt:*) eat ",\"format\":\"$form\"" 'another form' ;;
    none:,\"format\":\"jws\"*) rest=${rest#*jws\"} ;;
    none:,\"format\":\"transaction_receipt\"*) rest=${rest#*transaction_receipt\"} ;;
    esac
    eat ",\"refusal\":{\"code\":\"$code\",\"message\":" 'another refusal'
    if [ "$offset" = none ]; then offset=null; fi
    tail -c "+$((taken + ${#start} - ${#rest} + 1))" verdict.json > "$tools/words"
    numbers "$tools/words" > "$tools/numbers-of-verdict"
    reading='verdict.json behind "message"'
    words < "$tools/numbers-of-verdict"
}
words() {
    at=0
    byte
    text_token
    member_is offset
    [ "$chars" = "$offset" ] || fail 'verdict.json: another place'
    member_is field
    for wanted in 125 125 10; do
        [ "${b:-0}" -eq $wanted ] || broken
        next
    done
    [ -z "$b" ] || broken
}
# member_is NAME: of the next member, whose value is in chars.
member_is() {
    [ "${b:-0}" -eq 44 ] || broken
    byte
    text_token
    [ "$chars${b:-0}" = "$quote$1${quote}58" ] || broken
    byte
    case $b in 123 | 91) broken ;; esac
    token
}

# judged STAGE HOLDS WHAT: goes on where a step holds; where the verdict says that it does not, that is the end.
judged() {
    if [ "$status:$stage" = "refused:$1" ]; then
        [ "$2" = no ] || fail "refused, says the verdict, but: $3 holds"
        note "$3 does NOT hold, as the verdict says: $code"
        refused
        end
    fi
    [ "$2" = yes ] || fail "$3 does not hold"
}
# holds COMMAND…: yes or no.
holds() { if "$@"; then echo yes; else echo no; fi; }

end() {
    inclusion
    step 'what none of this proves:'
    note 'that a key was not stolen, or a certificate not revoked: nothing here asks a network;'
    note 'that whoever presented it is the customer; what happened after it was signed;'
    note 'what account.txt and eligibility.txt say in words: read the values in citations.json instead.'
    case $status:$realm in
    genuine:app_store) printf 'It is what it claims to be: GENUINE, signed by Apple.\n' ;;
    genuine:*)
        if [ $is_apple = yes ]; then
            printf "It is what it claims to be: genuine under a root of Apple's, which the program was told to take for another one.\n"
        else
            printf "It is what it claims to be: genuine under a root that is NOT APPLE'S, and proves nothing about the App Store.\n"
        fi
        ;;
    *)
        note 'And it accuses nobody: that these are the right pieces of what came, and the right roots, date and step, is the'
        note "program's word, which appreceipt evidence --check looks into."
        printf 'It is what it claims to be: REFUSED (%s), as far as a step here can show it.\n' "$code"
        ;;
    esac
    exit 0
}

# --- All of it.

version='' environment=null verified_at='' algorithm='' reading=facts
alphabet
# FIPS 180-4: the digest of nothing. Where openssl takes none, two that failed would be alike.
nothing=$(openssl dgst -sha256 -binary < "$tools/empty" 2> /dev/null | hex)
[ "$nothing" = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 ] || unable 'there is no openssl here that takes a digest'
files
step 'received: content, signature and certificates are bytes of what came, at the places that facts name'
facts
reading=$content
case $form in
pkcs7) set -- container content.der signature signer.pem ;;
jws) set -- container signing-input payload.json signature signer.pem ;;
transaction_receipt) set -- container content signature signer.pem ;;
none) set -- ;;
esac
if [ "$status:$stage" = refused:read ]; then
    refused
    note "refused by a rule of the program's that openssl does not know: $code; no step here shows it"
    if [ "$offset" != null ] && [ "$form" != none ]; then
        note "where it blames a byte, $offset of container: $(tail -c "+$((offset + 1))" container | head -c 16 | hex)"
    fi
    end
fi
need "$@"
if [ $form = jws ]; then
    # What is signed is the text; the payload is what its second part says.
    text=$(cat signing-input)
    printf %s "${text#*.}" | decode '_-' | cmp -s - payload.json || fail 'payload.json is not what the signing input holds'
    case ${text#*.} in *.*) fail 'signing-input: more than two parts' ;; esac
elif [ $form = transaction_receipt ]; then
    version=$(head -c 1 content | od -An -tu1 | tr -d ' \n')
fi
der signer.pem
! has intermediate.pem || der intermediate.pem
case $instant in '' | -*) fail 'no date at which the certificates could be judged' ;; esac

civil "$instant"
step "chain: when it was signed, as facts say on $date, a root vouched for the signer's certificate"
roots=root.pem
if [ $status = refused ] && [ "$stage" != demand ]; then roots=roots.pem; fi
has $roots || fail "$roots is missing"
vouched=$(holds chain_holds $roots)
if [ "$vouched$roots" = noroot.pem ]; then
    note 'openssl does not take it. One that bans SHA-1 takes no chain of before 2025: then this machine is to blame, not'
    note 'the evidence. Check on another one too; RHEL takes it after: update-crypto-policies --set DEFAULT:SHA1'
fi
[ "$roots" = root.pem ] || roots_told
judged chain "$vouched" 'the chain'
if [ $roots = root.pem ]; then
    der root.pem
    fingerprint=$(sha256 "$tools/der")
    [ ${#fingerprint} -eq 64 ] || fail 'root.pem: no digest'
    case $apple in *"$fingerprint"*) is_apple=yes ;; *) is_apple=no ;; esac
    note "the root's SHA-256: $fingerprint"
    if [ $is_apple = yes ]; then
        note 'Apple publishes it; compare it: https://www.apple.com/certificateauthority/'
    else
        note "it is NOT one of Apple's"
    fi
    [ "$realm" != app_store ] || [ $is_apple = yes ] || fail "root.pem is none of Apple's roots"
fi
if [ "$realm" != storekit_test ]; then
    step "markers: Apple's extensions say that these certificates sign such things and nothing else"
    judged marker "$(holds markers_hold)" 'the markers'
fi
if [ "$status:$stage" = refused:own ]; then
    note "refused by a rule of the program's that openssl does not know: $code; no step here shows it"
    refused
    end
fi
step "signature: the signer's key made this signature over these bytes, and over no others"
signature_holds && held_up=yes || held_up=no
[ $form != jws ] || algorithm=sha256
judged signature $held_up 'the signature'
if [ "$status:$stage" = refused:signed ]; then
    note "refused by a rule of the program's that openssl does not know: $code; no step here shows it"
    refused
    end
fi

step 'values: read out of the signed bytes and written anew, they are those of citations.json and verdict.json'
numbers "$content" > "$tools/numbers"
printf '{"content":"%s","citations":[\n' $content > "$tools/citations"
case $form in
pkcs7) receipt < "$tools/numbers" ;;
jws)
    payload < "$tools/numbers"
    case $kind in app_transaction) date_member receiptCreationDate ;; *) date_member signedDate ;; esac
    verified_at=${chars#"$quote"} verified_at=${verified_at%"$quote"}
    environment=${j_environment-null}
    [ "$kind" != app_transaction ] || environment=${j_receiptType-null}
    environment=${environment#"$quote"} environment=${environment%"$quote"}
    bundle_id=${j_bundleId-} app_apple_id=${j_appAppleId-}
    ;;
transaction_receipt)
    list < "$tools/numbers"
    date_member purchaseDate
    verified_at=${chars#"$quote"} verified_at=${verified_at%"$quote"}
    ;;
esac
case $environment in Production | Sandbox | Xcode | LocalTesting) environment="\"$environment\"" ;; *) environment=null ;; esac
printf '\n]}\n' >> "$tools/citations"
instant_of "$verified_at"
[ "$instant" = "$milliseconds_of" ] || fail 'facts: another date than the one that was signed'
civil "$instant"
note "signed on $date, by its own word"
same citations citations.json 'does not cite what was signed'
if [ $form = pkcs7 ]; then
    note "to see them: openssl asn1parse -inform DER -i -in $content"
else
    note "to see them: cat -v $content"
fi
if [ $status = refused ]; then
    step 'demand: it is genuine, and not what was asked for'
    held_up=no
    # Several values are allowed at once: it is refused where it fits none of them.
    for allowed in $demanded; do
        [ "$allowed" != none ] || allowed=
        binary "$allowed" > "$tools/demanded"
        case $demand in
        bundle_id)
            string "$(numbers "$tools/demanded" | tr '\n' ' ')"
            found=${bundle_id-}
            ;;
        app_apple_id)
            chars=$(cat "$tools/demanded")
            found=${app_apple_id-}
            ;;
        environment)
            chars=\"$(cat "$tools/demanded")\"
            found=$environment
            ;;
        device)
            chars=device found=$(device "$allowed")
            ;;
        *) fail 'facts: no demand' ;;
        esac
        [ "$chars" != "$found" ] || held_up=yes
    done
    judged demand $held_up 'the demand'
fi
verdict
end
