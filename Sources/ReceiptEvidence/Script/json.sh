
# --- A JWS's payload: JSON, of which nothing is taken apart but its tokens.

# token: the bytes up to the next sign of JSON's grammar, as the verdict writes them, in chars; from and to are their place.
token() {
    chars= held= from=$at
    if [ "$b" -eq 34 ]; then
        chars=$quote
        while :; do
            byte
            case $b in
            34) break ;;
            [0-9] | 1[0-9] | 2[0-9] | 3[01]) broken ;;
            92)
                has_escapes=yes
                byte
                eval "chars=\$chars\$c_92\$c_$b"
                ;;
            *) put "$b" ;;
            esac
        done
        chars=$chars$quote
        to=$at
        next
    else
        while :; do
            case $b in
            44 | 93 | 125 | 32 | 9 | 10 | 13) break ;;
            43 | 45 | 46 | 4[89] | 5[0-7] | 69 | 9[7-9] | 1[01]? | 12[0-2]) eval "chars=\$chars\$c_$b" ;;
            *) broken ;;
            esac
            to=$at
            next
        done
        # A word is one of three, and a number has no other letter.
        case $chars in
        true | false | null) ;;
        [0-9]* | -[0-9]*) case $chars in *[a-df-z]*) broken ;; esac ;;
        *) broken ;;
        esac
    fi
    cited_at=$((from - 1)) cited=$((to - from + 1))
}
# next: the next byte that is no white space; none behind the end.
next() {
    b=
    while read -r b; do
        [ -n "$b" ] || continue
        at=$((at + 1))
        case $b in 32 | 9 | 10 | 13) [ "${1-}" = skip ] || return 0 ;; *) return 0 ;; esac
    done
    b=
}
skip() { case $b in 32 | 9 | 10 | 13) next skip ;; esac; }

# payload: reads the content's bytes, and writes it as it stands in the verdict.
payload() {
    at=0 separator='' depth=0 path=$kind kinds=''
    : > "$tools/payload"
    next skip
    [ "${b:-0}" -eq 123 ] || broken
    while [ -n "$b" ]; do
        case $b in
        123 | 91)
            depth=$((depth + 1))
            eval "path_$depth=\$path list_$depth=$((b == 91 ? 0 : -1))"
            mark
            next skip
            opens=yes
            ;;
        125 | 93)
            mark
            depth=$((depth - 1))
            [ $depth -gt 0 ] || break
            next skip
            opens=
            ;;
        44)
            mark
            eval "[ \$list_$depth -lt 0 ] || list_$depth=\$((list_$depth + 1))"
            next skip
            opens=yes
            ;;
        *) broken ;;
        esac
        [ -n "$opens" ] || continue
        case $b in 125 | 93) continue ;; esac
        eval "path=\$path_$depth place=\$list_$depth"
        if [ "$place" -lt 0 ]; then
            [ "$b" -eq 34 ] || broken
            has_escapes=
            token
            key=${chars#"$quote"} key=${key%"$quote"}
            if [ $depth -eq 1 ]; then
                # Names are compared as they are written.
                [ -z "$has_escapes" ] || broken
                case $key in
                transactionId) kinds=$kinds:transaction ;;
                autoRenewStatus) kinds=$kinds:renewal_info ;;
                receiptType) kinds=$kinds:app_transaction ;;
                notificationType) kinds=$kinds:notification ;;
                userLocale) kinds=$kinds:realtime_request ;;
                esac
            fi
            printf -- "$chars:" >> "$tools/payload"
            path=$path.$key
            skip
            [ "$b" -eq 58 ] || broken
            next skip
        else
            path="$path[$place]"
        fi
        case $b in
        123 | 91) ;;
        *)
            has_escapes=
            token
            printf -- "$chars" >> "$tools/payload"
            cite "$path" '' "$cited_at" "$cited" "$chars"
            member
            skip
            ;;
        esac
    done
    [ $depth -eq 0 ] || broken
    [ "$kinds" = ":$kind" ] || fail "facts: a $kind, and what was signed is none"
}
mark() { eval "printf %s \"\$s_$b\"" >> "$tools/payload"; }
s_44=, s_91='[' s_93=']' s_123='{' s_125='}'

# member: keeps a value that the verdict says once more in a receipt's words.
member() {
    case $path in
    # A notification says them of what it carries alone, a token names its environment otherwise, and a request no bundle.
    notification.environment | notification.bundleId | notification.externalPurchaseToken.environment | \
        realtime_request.bundleId) ;;
    "$kind".signedDate | "$kind".receiptCreationDate | "$kind".environment | "$kind".receiptType | "$kind".bundleId | \
        "$kind".quantity | "$kind".productId | "$kind".type | "$kind".transactionId | "$kind".originalTransactionId | \
        "$kind".purchaseDate | "$kind".originalPurchaseDate | "$kind".expiresDate | "$kind".revocationDate | \
        "$kind".revocationReason | "$kind".offerType | "$kind".offerDiscountType | "$kind".offerIdentifier | \
        "$kind".webOrderLineItemId | "$kind".subscriptionGroupIdentifier | \
        "$kind".deviceVerification | "$kind".deviceVerificationNonce)
        [ -z "$has_escapes" ] || unescaped
        eval "j_${path#"$kind".}=\$chars"
        ;;
    notification.externalPurchaseToken.externalPurchaseId)
        [ -z "$has_escapes" ] || unescaped
        case $chars in
        "$quote$quote") ;;
        "${quote}SANDBOX"*) j_environment=${quote}Sandbox$quote ;;
        *) j_environment=${quote}Production$quote ;;
        esac
        ;;
    app_transaction.appAppleId | realtime_request.appAppleId) j_appAppleId=$chars ;;
    notification.*.environment | notification.*.bundleId | notification.*.appAppleId)
        key=${path#notification.*.}
        case $path in notification.*.*.*) ;; *) eval "j_$key=\$chars" ;; esac
        ;;
    esac
}

# unescaped: chars, a string, as it is written where its text is told once more: without escapes that are not needed.
unescaped() {
    behind=$b
    printf -- "$chars" > "$tools/escaped"
    # shellcheck disable=SC2046
    set -- $(numbers "$tools/escaped")
    bytes_of=
    shift
    while [ $# -gt 1 ]; do
        b=$1
        shift
        if [ "$b" -eq 92 ]; then
            b=$1
            shift
            case $b in
            98) b=8 ;;
            102) b=12 ;;
            110) b=10 ;;
            114) b=13 ;;
            116) b=9 ;;
            117)
                [ $# -gt 4 ] || broken
                unit "$1" "$2" "$3" "$4"
                shift 4
                scalar=$unit
                case $((scalar >> 10)) in
                54)
                    # The first half of a pair, and the other one behind it.
                    [ $# -gt 6 ] && [ "$1 $2" = '92 117' ] || broken
                    unit "$3" "$4" "$5" "$6"
                    shift 6
                    [ $((unit >> 10)) -eq 55 ] || broken
                    scalar=$((65536 + ((scalar & 1023) << 10 | unit & 1023)))
                    ;;
                55) broken ;;
                esac
                utf8 $scalar
                continue
                ;;
            esac
        fi
        bytes_of="$bytes_of $b"
    done
    string "$bytes_of"
    b=$behind
}
# unit DIGIT…: four hexadecimal digits' number.
unit() {
    unit=0
    for b in "$1" "$2" "$3" "$4"; do
        case $b in
        4[89] | 5[0-7]) b=$((b - 48)) ;;
        6[5-9] | 70) b=$((b - 55)) ;;
        9[7-9] | 10[0-2]) b=$((b - 87)) ;;
        *) broken ;;
        esac
        unit=$((unit << 4 | b))
    done
}
# utf8 SCALAR: its bytes, behind bytes_of.
utf8() {
    if [ "$1" -lt 128 ]; then
        bytes_of="$bytes_of $1"
        return
    fi
    if [ "$1" -lt 2048 ]; then
        bytes_of="$bytes_of $((192 | $1 >> 6))"
    else
        if [ "$1" -lt 65536 ]; then
            bytes_of="$bytes_of $((224 | $1 >> 12))"
        else
            bytes_of="$bytes_of $((240 | $1 >> 18)) $((128 | $1 >> 12 & 63))"
        fi
        bytes_of="$bytes_of $((128 | $1 >> 6 & 63))"
    fi
    bytes_of="$bytes_of $((128 | $1 & 63))"
}

# date_member NAME: of milliseconds, as JSON in chars.
date_member() {
    eval "chars=\${j_$1-null}"
    [ "$chars" != null ] || return 0
    case $chars in
    *.*)
        chars=${chars%%.*}
        ;;
    esac
    civil "$chars"
    chars=$quote$date$quote
}

# purchase_of_payload: a transaction in a receipt's words.
purchase_of_payload() {
    offer=${j_offerType-} discount=${j_offerDiscountType-null}
    trial=false intro=false promotional=null
    if [ "$offer" = 1 ]; then
        case $discount in
        null) trial=null intro=true ;;
        "${quote}FREE_TRIAL$quote") trial=true ;;
        *) intro=true ;;
        esac
    elif [ "$offer" = 2 ]; then
        promotional=${j_offerIdentifier-null}
    fi
    type=null
    case ${j_type-} in
    '') ;;
    "${quote}Non-Consumable$quote") type=${quote}non_consumable$quote ;;
    "${quote}Consumable$quote") type=${quote}consumable$quote ;;
    "${quote}Non-Renewing${c_32}Subscription$quote") type=${quote}non_renewing_subscription$quote ;;
    "${quote}Auto-Renewable${c_32}Subscription$quote") type=${quote}auto_renewable_subscription$quote ;;
    *) type=${quote}unknown$quote ;;
    esac
    quantity=${j_quantity-null}
    case $quantity in null | 0) ;; -* | ???????????* | 0*) quantity=null ;; *) [ "$quantity" -le 4294967295 ] || quantity=null ;; esac
    in_app "$quantity" "${j_productId-null}" "$type" "${j_transactionId-null}" "${j_originalTransactionId-null}" \
        purchaseDate originalPurchaseDate expiresDate revocationDate \
        "${j_revocationReason-null}" $trial $intro "$promotional" "${j_webOrderLineItemId-null}" \
        "${j_subscriptionGroupIdentifier-null}"
}

# in_app VALUES: the purchase's object; the dates by the names of their members.
in_app() {
    members="{${quote}quantity$quote:$1,${quote}product_id$quote:$2,${quote}product_type$quote:$3"
    members="$members,${quote}transaction_id$quote:$4,${quote}original_transaction_id$quote:$5"
    for name in purchase_date original_purchase_date expires_date cancellation_date; do
        date_member "$6"
        members="$members,$quote$name$quote:$chars"
        shift
    done
    members="$members,${quote}cancellation_reason$quote:$6,${quote}is_trial_period$quote:$7"
    members="$members,${quote}is_in_intro_offer_period$quote:$8,${quote}promotional_offer_identifier$quote:$9"
    shift
    members="$members,${quote}web_order_line_item_id$quote:$9"
    shift
    printf "$members,${quote}subscription_group_identifier$quote:$9}"
}

# --- A transaction receipt's purchase-info: { "name" = "value"; … } behind the byte of the version.

list() {
    at=0 separator='' members=''
    byte
    version=$b
    next skip
    [ "${b:-0}" -eq 123 ] || broken
    next skip
    while [ "${b:-0}" -eq 34 ]; do
        quoted
        name=$chars
        next skip
        [ "${b:-0}" -eq 61 ] || broken
        next skip
        quoted
        cite "transaction.$name" '' $from $((at - 1 - from)) "$quote$chars$quote"
        members="$members${members:+,}$quote$name$quote:$quote$chars$quote"
        list_member
        next skip
        [ "${b:-0}" -eq 59 ] || broken
        next skip
    done
    [ "${b:-0}" -eq 125 ] || broken
    printf "{$members}" > "$tools/payload"
    j_purchaseDate=${j_purchaseDate-$(in_words "${purchased-}")}
    j_originalPurchaseDate=${j_originalPurchaseDate-$(in_words "${first_purchased-}")}
    j_expiresDate=${j_expiresDate-$(in_words "${expires-}")}
    [ -n "$j_purchaseDate" ] || unset j_purchaseDate
    [ -n "$j_originalPurchaseDate" ] || unset j_originalPurchaseDate
    [ -n "$j_expiresDate" ] || unset j_expiresDate
}
# in_words TEXT: the milliseconds of "2011-10-12 20:05:50 Etc/GMT"; receipts of 2011 have no others.
in_words() {
    words=$(printf -- "$1")
    case $words in
    *' Etc/GMT')
        words=${words% Etc/GMT}
        instant_of "${words% *}T${words#* }Z"
        printf %s "$milliseconds_of"
        ;;
    esac
}
# quoted: the bytes between quotes, in chars.
quoted() {
    [ "${b:-0}" -eq 34 ] || broken
    from=$at text=
    while :; do
        byte
        [ "$b" -ne 34 ] || break
        text="$text $b"
    done
    string "$text"
    chars=${chars#"$quote"} chars=${chars%"$quote"}
}
list_member() {
    case $name in
    quantity) j_quantity=$chars ;;
    product-id) j_productId=$quote$chars$quote ;;
    transaction-id) j_transactionId=$quote$chars$quote ;;
    original-transaction-id) j_originalTransactionId=$quote$chars$quote ;;
    purchase-date-ms) j_purchaseDate=$chars ;;
    original-purchase-date-ms) j_originalPurchaseDate=$chars ;;
    expires-date) j_expiresDate=$chars ;;
    purchase-date) purchased=$chars ;;
    original-purchase-date) first_purchased=$chars ;;
    expires-date-formatted) expires=$chars ;;
    subscription-group-identifier) j_group=$quote$chars$quote ;;
    is-trial-period) trial=$chars ;;
    is-in-intro-offer-period) intro=$chars ;;
    web-order-line-item-id) j_webOrderLineItemId=$quote$chars$quote ;;
    bid) bundle_id=$quote$chars$quote ;;
    app-item-id) app_apple_id=$chars ;;
    esac
}
purchase_of_list() {
    quantity=${j_quantity-null}
    [ "$quantity" = null ] || { plain "${quantity#"$c_43"}" && quantity=$number_of; }
    in_app "$quantity" "${j_productId-null}" null "${j_transactionId-null}" "${j_originalTransactionId-null}" \
        purchaseDate originalPurchaseDate expiresDate absent null "${trial-null}" "${intro-null}" null \
        "${j_webOrderLineItemId-null}" "${j_group-null}"
}
