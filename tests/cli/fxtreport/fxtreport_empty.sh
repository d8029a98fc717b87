# No samples: a report that says so, and exit status 1.
: >empty
echo magic | python3 "$data/../support/fxtwrite.py" >magic.fxt
try() {
    fxtreport "$@"
    echo "exit $?"
}
for view in --quiet --tree '--callers .' --lines '--by thread' --json; do
    echo "--- $view"
    # shellcheck disable=SC2086
    try -q $view magic.fxt
done
echo "---"
try empty
try --spans magic.fxt
try --diff magic.fxt magic.fxt
