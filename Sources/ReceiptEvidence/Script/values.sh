
# --- What the signed bytes say, written anew as the verdict and the citations write it.

# c_0 to c_255: a byte as text; as an escape of printf where a shell, printf or JSON would take it for something else.
alphabet() {
    value=0
    while [ "$value" -lt 256 ]; do
        eval "c_$value='\\$((value >> 6))$((value >> 3 & 7))$((value & 7))'"
        value=$((value + 1))
    done
    for range in 45:-. 48:0123456789: 65:ABCDEFGHIJKLMNOPQRSTUVWXYZ 95:_ 97:abcdefghijklmnopqrstuvwxyz; do
        value=${range%%:*} range=${range#*:}
        while [ -n "$range" ]; do
            others=${range#?}
            eval "c_$value=${range%"$others"}"
            value=$((value + 1)) range=$others
        done
    done
    quote=$c_34
}

# Shows FILE as numbers, a byte a line.
numbers() { od -An -v -tu1 "$1" | tr -s ' ' '\n' | tr -s '\n'; }

broken() { fail "$reading: byte $at is not as expected, or of a form that only the program reads"; }

# byte: the next one of the content, in b.
byte() {
    b=
    while [ -z "$b" ]; do read -r b || broken; done
    at=$((at + 1))
}

# take COUNT: so many bytes, in taken.
take() {
    taken=
    left=$1
    while [ "$left" -gt 0 ]; do
        byte
        taken="$taken $b"
        left=$((left - 1))
    done
}

# put BYTE: of UTF-8 within a JSON string, behind chars. What steers a terminal is escaped.
put() {
    case $held in
    '')
        case $1 in
        127) unicode 00 127 ;;
        194 | 216 | 226) held=$1 ;;
        *) eval "chars=\$chars\$c_$1" ;;
        esac
        return
        ;;
    194) if [ "$1" -lt 160 ]; then unicode 00 "$1"; else eval "chars=\$chars\$c_194\$c_$1"; fi ;;
    216) if [ "$1" -eq 156 ]; then unicode 06 28; else eval "chars=\$chars\$c_216\$c_$1"; fi ;;
    226)
        if [ "$1" -le 129 ]; then
            held=$1
            return
        fi
        eval "chars=\$chars\$c_226\$c_$1"
        ;;
    *)
        case $(((held & 1) << 6 | $1 & 63)) in
        14 | 15 | 4[2-6] | 10[2-5]) unicode 20 $(((held & 1) << 6 | $1 & 63)) ;;
        *) eval "chars=\$chars\$c_226\$c_$held\$c_$1" ;;
        esac
        ;;
    esac
    held=
}
# unicode HIGH LOW: an escape; the high byte in digits, the low one as a number.
unicode() {
    nibble $(($2 >> 4))
    chars="$chars${c_92}u$1$digit"
    nibble $(($2 & 15))
    chars="$chars$digit"
}
nibble() {
    case $1 in 10) digit=a ;; 11) digit=b ;; 12) digit=c ;; 13) digit=d ;; 14) digit=e ;; 15) digit=f ;; *) digit=$1 ;; esac
}

# string BYTES: the JSON string of UTF-8, in chars.
string() {
    chars=$quote held=
    for b in $1; do
        case $b in
        34 | 92) eval "chars=\$chars\$c_92\$c_$b" ;;
        10) chars="$chars${c_92}n" ;;
        [0-9] | 1[1-9] | 2[0-9] | 30 | 31) unicode 00 "$b" ;;
        *) put "$b" ;;
        esac
    done
    chars=$chars$quote
}
# digits BYTES: in hexadecimal, as a JSON string.
digits() {
    chars=$quote
    for b in $1; do
        nibble $((b >> 4))
        chars=$chars$digit
        nibble $((b & 15))
        chars=$chars$digit
    done
    chars=$chars$quote
}

# cite PATH ATTRIBUTE OFFSET LENGTH VALUE
cite() {
    printf "$separator{${quote}path$quote:$quote$1$quote,${2:+${quote}attribute$quote:$2,}${quote}offset$quote:$3,${quote}length$quote:$4,${quote}value$quote:$5}" \
        >> "$tools/citations"
    separator=',\n'
}

# --- Dates.

# civil MILLISECONDS: since 1970, as RFC 3339 in date.
civil() {
    is_date "$1" || broken
    milliseconds=$((($1 % 1000 + 1000) % 1000))
    seconds=$((($1 - milliseconds) / 1000))
    in_day=$(((seconds % 86400 + 86400) % 86400))
    days=$(((seconds - in_day) / 86400 + 719468 + 146097))
    day_of_era=$((days % 146097))
    year_of_era=$(((day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365))
    day_of_year=$((day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100)))
    march_month=$(((5 * day_of_year + 2) / 153))
    month=$((march_month < 10 ? march_month + 3 : march_month - 9))
    year=$((year_of_era + days / 146097 * 400 - 400 + (month <= 2 ? 1 : 0)))
    four $year
    date=$padded
    for value in - $month - $((day_of_year - (153 * march_month + 2) / 5 + 1)) T $((in_day / 3600)) : \
        $((in_day / 60 % 60)) : $((in_day % 60)); do
        case $value in ? | ??) case $value in [0-9]) value=0$value ;; esac ;; esac
        date=$date$value
    done
    case $milliseconds in
    0) ;;
    ?) date=$date.00$milliseconds ;;
    ??) date=$date.0$milliseconds ;;
    *) date=$date.$milliseconds ;;
    esac
    date=${date}Z
}
four() { case $1 in ?) padded=000$1 ;; ??) padded=00$1 ;; ???) padded=0$1 ;; *) padded=$1 ;; esac; }
# plain DIGITS: a number without the zeros that would make it octal.
plain() {
    case $1 in '' | *[!0-9]* | ???????????*) broken ;; esac
    number_of=$1
    while :; do case $number_of in 0?*) number_of=${number_of#0} ;; *) break ;; esac; done
}
# days YEAR MONTH DAY: since 1970.
days() {
    march_year=$((($2 <= 2 ? $1 - 1 : $1) + 400))
    days=$((march_year * 365 + march_year / 4 - march_year / 100 + march_year / 400))
    days=$((days + (153 * (($2 + 9) % 12) + 2) / 5 + $3 - 1 - 719468 - 146097))
}
# instant_of TEXT: RFC 3339, as milliseconds since 1970 in milliseconds_of.
instant_of() {
    text=$1
    plain "${text%%-*}" && y=$number_of && text=${text#*-}
    plain "${text%%-*}" && m=$number_of && text=${text#*-}
    plain "${text%%T*}" && d=$number_of && text=${text#*T}
    plain "${text%%:*}" && h=$number_of && text=${text#*:}
    plain "${text%%:*}" && i=$number_of && text=${text#*:}
    others=${text#??}
    plain "${text%"$others"}" && seconds=$number_of && text=$others
    fraction=0
    case $text in
    .*)
        text=${text#.} fraction='' scale=100 milli=0
        while :; do
            case $text in
            [0-9]*) others=${text#?} && milli=$((milli + ${text%"$others"} * scale)) && scale=$((scale / 10)) && text=$others ;;
            *) break ;;
            esac
        done
        fraction=$milli
        ;;
    esac
    offset_minutes=0
    case $text in
    +* | -* | "$c_43"*)
        case $text in -*) sign=-1 ;; *) sign=1 ;; esac
        text=${text#"$c_43"} text=${text#[+-]}
        others=${text#??}
        plain "${text%"$others"}" && offset_minutes=$((number_of * 60))
        plain "${others#:}" && offset_minutes=$((sign * (offset_minutes + number_of)))
        ;;
    esac
    days "$y" "$m" "$d"
    milliseconds_of=$((((days * 24 + h) * 60 + i - offset_minutes) * 60000 + seconds * 1000 + fraction))
}

# --- A receipt: SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }.

# header: of an element: tag, and count of its content.
header() {
    byte
    tag=$b
    byte
    count=$b
    if [ "$b" -gt 128 ]; then
        octets=$((b - 128)) count=0
        [ $octets -le 4 ] || broken
        while [ $octets -gt 0 ]; do
            byte
            count=$((count << 8 | b)) octets=$((octets - 1))
        done
    elif [ "$b" -eq 128 ]; then
        broken
    fi
}
expect() {
    header
    [ "$tag" -eq "$1" ] || broken
}
# whole BYTES: of an INTEGER, in whole.
whole() {
    whole=
    for b in $1; do
        if [ -z "$whole" ]; then whole=$((b > 127 ? b - 256 : b)); else whole=$((whole << 8 | b)); fi
    done
}

# attribute: its type, version, and value in taken, which begins at value_at. A purchase's value is not taken.
attribute() {
    expect 48
    expect 2
    take "$count"
    whole "$taken"
    type=$whole
    expect 2
    take "$count"
    whole "$taken"
    version=$whole
    expect 4
    value_at=$at
    [ "$scope$type" = app17 ] || take "$count"
}

# row: name and kind of the attribute; there is none where nobody knows what it means.
row() {
    case $scope$type in
    app0) name=receipt_type kind=text ;;
    app1) name=app_item_id kind=identifier ;;
    app2) name=bundle_id kind=text ;;
    app3) name=application_version kind=text ;;
    app4) name=opaque_value kind=bytes ;;
    app5) name=sha1_hash kind=bytes ;;
    app12) name=receipt_creation_date kind=date ;;
    app15) name=download_id kind=identifier ;;
    app16) name=version_external_identifier kind=identifier ;;
    app18) name=original_purchase_date kind=date ;;
    app19) name=original_application_version kind=text ;;
    app21) name=expiration_date kind=date ;;
    in_app1701) name=quantity kind=integer ;;
    in_app1702) name=product_id kind=text ;;
    in_app1703) name=transaction_id kind=text ;;
    in_app1704) name=purchase_date kind=date ;;
    in_app1705) name=original_transaction_id kind=text ;;
    in_app1706) name=original_purchase_date kind=date ;;
    in_app1707) name=product_type kind=type ;;
    in_app1708) name=expires_date kind=date ;;
    in_app1711) name=web_order_line_item_id kind=identifier ;;
    in_app1712) name=cancellation_date kind=date ;;
    in_app1713) name=is_trial_period kind=flag ;;
    in_app1719) name=is_in_intro_offer_period kind=flag ;;
    in_app1720) name=cancellation_reason kind=integer ;;
    in_app1721) name=promotional_offer_identifier kind=text ;;
    *) return 1 ;;
    esac
}

# attribute_value PATH: the value of the attribute as JSON in v_TYPE, cited; behind unknown where it has no row.
attribute_value() {
    if ! row; then
        digits "$taken"
        unknown="$unknown${unknown:+,}{${quote}type$quote:$type,${quote}version$quote:$version,${quote}value$quote:$chars}"
        return
    fi
    cited_at=$value_at
    # shellcheck disable=SC2086
    set -- "$1" $taken
    path=$1
    shift
    if [ $kind != bytes ]; then
        [ $# -ge 2 ] || broken
        octets=$2
        shift 2
        cited_at=$((cited_at + 2))
        if [ "$octets" -gt 128 ]; then
            cited_at=$((cited_at + octets - 128))
            shift $((octets - 128))
        fi
    fi
    cited=$#
    [ "$scope$type" != app2 ] || bundle_at=$value_at bundle_count=$((cited_at + cited - value_at))
    case $kind in
    text) string "$*" ;;
    bytes) digits "$*" ;;
    date)
        string "$*"
        chars=${chars#"$quote"} chars=${chars%"$quote"}
        # Whether it is in UTC and to the second: as it is written.
        case ${chars}$cited in
        '0') chars=null cited=0 ;;
        ????-??-??T??:??:??Z20) chars=$quote$chars$quote ;;
        *)
            instant_of "$chars"
            civil $milliseconds_of
            chars=$quote$date$quote
            ;;
        esac
        ;;
    *)
        whole "$*"
        chars=$whole
        case $kind$whole in
        flag0) chars=false ;;
        flag1) chars=true ;;
        type0) chars=${quote}non_consumable$quote ;;
        type1) chars=${quote}consumable$quote ;;
        type2) chars=${quote}non_renewing_subscription$quote ;;
        type3) chars=${quote}auto_renewable_subscription$quote ;;
        type4) chars=${quote}free_subscription$quote ;;
        type*) chars=${quote}unknown_$whole$quote ;;
        identifier-*) chars=$quote$(printf %u "$whole")$quote ;;
        identifier*) chars=$quote$whole$quote ;;
        esac
        ;;
    esac
    eval "v_$type=\$chars"
    if [ "$cited" -gt 0 ] || [ $kind = text ] || [ $kind = bytes ]; then cite "$path.$name" "$type" $cited_at "$cited" "$chars"; fi
}

# rows TYPES: their members, null where the attribute is absent, without the braces.
rows() {
    members=
    for type in $1; do
        row
        eval "chars=\${v_$type-null} && unset v_$type"
        members="$members${members:+,}$quote$name$quote:$chars"
    done
}

# receipt: reads the content's bytes, and writes it as it stands in the verdict.
receipt() {
    at=0 separator='' unknown_of_app=''
    : > "$tools/purchases"
    header
    # Xcode wraps it once more.
    [ "$tag" -ne 4 ] || header
    [ "$tag" -eq 49 ] || broken
    set_end=$((at + count)) index=0
    while [ "$at" -lt $set_end ]; do
        scope=app
        attribute
        if [ "$type" -eq 17 ]; then
            purchase
        else
            unknown=$unknown_of_app
            attribute_value receipt
            unknown_of_app=$unknown
        fi
    done
    [ "$at" -eq "$(size "$content")" ] || broken
    scope=app
    verified_at=${v_12-}
    verified_at=${verified_at#"$quote"} verified_at=${verified_at%"$quote"}
    case ${v_0-} in
    "${quote}Production$quote" | "${quote}ProductionVPP$quote") environment=Production ;;
    "${quote}ProductionSandbox$quote" | "${quote}ProductionVPPSandbox$quote") environment=Sandbox ;;
    "${quote}Xcode$quote") environment=Xcode ;;
    esac
    bundle_id=${v_2-} opaque_value=${v_4-} device_hash=${v_5-} app_apple_id=${v_1-}
    app_apple_id=${app_apple_id#"$quote"} app_apple_id=${app_apple_id%"$quote"}
    opaque_value=${opaque_value#"$quote"} opaque_value=${opaque_value%"$quote"}
    device_hash=${device_hash#"$quote"} device_hash=${device_hash%"$quote"}
    rows '0 2 3 19 12 18 21 1 15 16 4 5'
    {
        printf "{$members,${quote}in_app$quote:["
        cat "$tools/purchases"
        printf "],${quote}unknown$quote:[$unknown_of_app]}"
    } > "$tools/receipt"
}

purchase() {
    purchase_end=$((at + count)) unknown='' scope=in_app
    expect 49
    while [ "$at" -lt $purchase_end ]; do
        attribute
        attribute_value "receipt.in_app[$index]"
    done
    rows '1701 1702 1707 1703 1705 1704 1706 1708 1712 1720 1713 1719 1721 1711'
    if [ $index -gt 0 ]; then printf ,; fi >> "$tools/purchases"
    printf "{$members,${quote}unknown$quote:[$unknown]}" >> "$tools/purchases"
    index=$((index + 1))
}
