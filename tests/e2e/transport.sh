#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Below HTTP (tests/faults.md H8, H19, cases.md B36): HTTP/2 that goes away or resets, a server
# without its intermediate certificate, interim answers, a close while the request is written.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

make_certificates() { # FOLDER: a root, an intermediate that it signed, a leaf that that one signed
  printf '[req]\ndistinguished_name = names\n[names]\n' >"$1/config"
  local new=(openssl req -x509 -config "$1/config" -newkey rsa:2048 -nodes -days 2)
  local authority=(-addext "basicConstraints=critical,CA:TRUE")
  "${new[@]}" -subj /CN=root "${authority[@]}" -keyout "$1/root.key" -out "$1/root.pem" &&
    "${new[@]}" -subj /CN=middle "${authority[@]}" -CA "$1/root.pem" -CAkey "$1/root.key" \
      -keyout "$1/middle.key" -out "$1/middle.pem" &&
    "${new[@]}" -subj /CN=leaf -addext subjectAltName=IP:127.0.0.1 -CA "$1/middle.pem" \
      -CAkey "$1/middle.key" -keyout "$1/leaf.key" -out "$1/leaf.pem" &&
    cat "$1/leaf.pem" "$1/middle.pem" >"$1/chain.pem"
}

start_database
provider_url=https://127.0.0.1:9
default_config
mkdir "$work/tls"
make_certificates "$work/tls" 2>"$work/tls/openssl" || give_up 'certificates are made' <"$work/tls/openssl"
node "$source_dir/tests/support/transport_server.mjs" "$work/tls" >"$work/servers" 2>&1 &
at_end "kill $!"
until_true test -s "$work/tls/ports" || give_up 'the servers start' <"$work/servers"
config[provider.ca_file]=$work/tls/root.pem
touch "$work/tls/requests"

asks() { # SERVER [WAY [ID]]: one look, at a new operation unless it is named
  config[provider.base_url]=https://127.0.0.1:$(sed -n "s/^$1 //p" "$work/tls/ports")${2:+/$2}
  write_config
  op=${3:-$(add_operations 1)}
  due "$op"
  run look --once
}
looked() { evidence "$op" | tail -n1; }
answered() { grep -c "key=$op" "$work/tls/requests"; }
proven='lookup found Succeeded proven'

asks h2 good
same 'HTTP/2: proven' "$proven" "$(looked)"
matches 'HTTP/2: it was that' '^h2 2.0 /good/v1/credits' "$(tail -n1 "$work/tls/requests")"
asks h2 goaway-after
same 'GOAWAY behind the answer: proven' "$proven" "$(looked)"
# Said to be not processed, so that curl asks again on a connection of its own.
asks h2 refused
same 'RST_STREAM, refused: proven' "$proven 1" "$(looked) $(answered)"
asks h2 reset
same 'RST_STREAM, an error: no answer, and nothing is decided' 'lookup no-answer Unknown no-answer' "$(looked)"
asks h2 reset "$op"
same 'RST_STREAM, an error: proven by the next look' "$proven" "$(looked)"
# Which of the two is up to libcurl's version; a GET may be sent again.
asks h2 goaway-before
matches 'GOAWAY in place of the answer: none, or asked again' \
  "^(lookup no-answer Unknown no-answer|$proven)\$" "$(looked)"
asks h2 goaway-before "$op"
same 'GOAWAY in place of the answer: proven by the next look' "$proven" "$(looked)"

asks leaf
same 'without its intermediate certificate: not sent' 'lookup unreachable Unknown unreachable 0' \
  "$(looked) $(answered)"
matches 'without its intermediate certificate: told' 'issuer certificate' "$(event look recorded)"

sed 's|{kind: none}|{kind: link_header}|' "$source_dir/tests/support/profile.yaml" >"$work/profile.yaml"
asks interim
same '100, 102 and 103 before the answer: proven' "$proven" "$(looked)"
same '100, 102 and 103 before the answer: their headers are not its own' 1 "$(answered)"

asks slams
same 'closed while the request is written: no signal' 1 "$status"
same 'closed while the request is written: no answer' 'lookup no-answer Unknown no-answer' "$(looked)"
nothing_is_broken
