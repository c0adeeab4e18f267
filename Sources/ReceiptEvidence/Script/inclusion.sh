
# --- A record of an audit: RFC 9162, 2.1.3.2.

# hashed MARK FILE…: SHA-256 of the mark and the files, as a hash on the way to the root.
hashed() {
    mark=$1
    shift
    { binary "$mark" && cat "$@"; } | openssl dgst -sha256 -binary > "$tools/next" 2> /dev/null || fail 'openssl cannot take a digest'
    mv "$tools/next" "$tools/hash"
}

# without_path STATEMENT: in others. A quotation mark within a text of JSON has a sign before it.
without_path() {
    others=$1
    case $others in
    *,\"path\":\"*) others=${others%%,\"path\":\"*},\"sha256\":${others#*\",\"sha256\":} ;;
    esac
}

inclusion() {
    has inclusion/leaf || return 0
    step 'inclusion: this record and its verdict are among those whose root hash an audit told'
    for name in place path root; do has "inclusion/$name" || fail "inclusion/$name is missing"; done
    index='' leaves=''
    IFS=' ' read -r index leaves < inclusion/place
    is_number "$index" && is_number "$leaves" || fail 'inclusion/place: no index and size'
    printf '%s %s\n' "$index" "$leaves" | cmp -s - inclusion/place || fail 'inclusion/place: more than index and size'
    [ "$index" -lt "$leaves" ] || fail 'inclusion/place: no such leaf in a tree of that size'

    # What the leaf says is what is claimed here, of these very bytes.
    [ "$(head -n 1 inclusion/leaf)" = 'appreceipt record 1' ] || fail 'inclusion/leaf: not the leaf of a record'
    statement=$(tail -n +4 inclusion/leaf)
    claimed=$(cat verdict.json)
    if [ "$status" = genuine ]; then claimed=${claimed%%,\"signature\":*}; else claimed=${claimed%\}}; fi
    # What it says of the offers, if it was asked, is no matter of these bytes alone; nor is where in its record they stood.
    case $statement in *,\"eligibility\":*) statement=${statement%%,\"eligibility\":*} ;; *) statement=${statement%\}} ;; esac
    without_path "$statement"
    statement=$others
    without_path "$claimed"
    [ "$statement" = "$others" ] || fail 'inclusion/leaf: of another record, or with another verdict'

    hashed 00 inclusion/leaf
    node=$index last=$((leaves - 1)) taken=0
    while [ $((taken * 32)) -lt "$(size inclusion/path)" ]; do
        [ "$last" -gt 0 ] || fail 'inclusion/path: longer than the tree is high'
        tail -c "+$((taken * 32 + 1))" inclusion/path | head -c 32 > "$tools/other"
        if [ $((node & 1)) -eq 1 ] || [ "$node" -eq "$last" ]; then
            hashed 01 "$tools/other" "$tools/hash"
            while [ $((node & 1)) -eq 0 ] && [ "$node" -gt 0 ]; do node=$((node >> 1)) last=$((last >> 1)); done
        else
            hashed 01 "$tools/hash" "$tools/other"
        fi
        node=$((node >> 1)) last=$((last >> 1)) taken=$((taken + 1))
    done
    [ "$last" -eq 0 ] || fail 'inclusion/path: shorter than the tree is high'
    root=$(hex < "$tools/hash")
    printf '%s\n' "$root" | cmp -s - inclusion/root || fail 'inclusion/root: another root follows from the leaf and its path'
    note "record $((index + 1)) of $leaves; root: $root"
    note 'compare that with the number that the audit told, wherever that was written down, signed or time-stamped; how many'
    note 'records there were has to be told with it: which of how many this one is does not follow from the root'
}
