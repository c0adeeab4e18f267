
# --- A record of an audit.

inclusion() {
    [ -d inclusion ] || return 0
    fail 'inclusion/ is there, and this script does not know how to check it'
}
