# What the forge's CI runs on every push: each greeting is one line that ends with an exclamation mark.
set -eu
for greeting in greetings/*.txt; do
    [ "$(wc -l < "$greeting")" -eq 1 ] || { echo "$greeting: a greeting is one line"; exit 1; }
    grep -q '!$' "$greeting" || { echo "$greeting: a greeting ends with an exclamation mark"; exit 1; }
done
echo "all greetings are fine"
