#!/bin/sh
# A client of a personal-data server: sh client.sh https://alice.example.com [once]
# It keeps what it is given in the folder client/, so that its owner is asked once. It needs curl, openssl and a paste
# of the address that the browser comes back with. curl of Debian 12 speaks no websocket: this one asks every second.
set -eu
umask 077
base=${1:-http://localhost:8080}
redirect=http://127.0.0.1:18919/callback # nothing listens there: the address is pasted
scope='io.svc.notes:GET,POST io.svc.notifications:POST'
mkdir -p client

# A text member of a JSON object, a value of the query of an address, and what makes text safe there.
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$2"; }
parameter() { printf %s "$2" | sed -n "s/.*[?&]$1=\([^&#]*\).*/\1/p"; }
encode() { printf %s "$1" | sed 's/%/%25/g; s/:/%3A/g; s/\//%2F/g; s/,/%2C/g; s/ /%20/g; s/=/%3D/g; s/+/%2B/g'; }
random() { openssl rand -base64 32 | tr '+/' '-_' | tr -d '=\n'; }
gone() {
  rm -r client # 9. The owner took the access back: what was kept is worth nothing, and the next start asks anew.
  echo 'Revoked: the owner is asked at the next start'
  exit 0
}

register() { # 2. Once; the secret and the token that manages the registration are kept.
  curl -sf -o client/registration "$(member registration_endpoint client/server)" \
    -H 'Content-Type: application/json' -H 'Accept: application/json' -d '{
      "client_name": "Guide with curl", "software_id": "guide-sh", "redirect_uris": ["'"$redirect"'"],
      "notifications": { "done": { "description": "Something is done" } } }'
}

authorize() { # 3. Ask the owner, with PKCE.
  verifier=$(random)
  state=$(random)
  challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=\n')
  echo "Open $(member authorization_endpoint client/server)?response_type=code&client_id=$id&state=$state\
&redirect_uri=$(encode "$redirect")&scope=$(encode "$scope")&code_challenge=$challenge&code_challenge_method=S256"
  read -r came
  [ "$(parameter state "$came")" = "$state" ] || { echo 'The answer is not for this question.' && exit 1; }
  [ "$(parameter iss "$came")" = "$(encode "$(member issuer client/server)")" ] || { echo 'Wrong server.' && exit 1; }
  [ -z "$(parameter error "$came")" ] || { echo 'The owner said no.' && exit 1; }
  # 4. Exchange the code.
  tokens --data-urlencode grant_type=authorization_code --data-urlencode "code=$(parameter code "$came")" \
    --data-urlencode "redirect_uri=$redirect" --data-urlencode "code_verifier=$verifier"
}

# The secret is read from a file and the form goes to the server alone: other users of the machine see arguments.
tokens() {
  printf %s "$secret" >client/secret
  status=$(curl -s -o client/answer -w '%{http_code}' "$(member token_endpoint client/server)" "$@" \
    --data-urlencode "client_id=$id" --data-urlencode client_secret@client/secret)
  case $status in
    200) mv client/answer client/tokens ;;
    400 | 401) gone ;;
    *) echo "The server answers $status" && exit 1 ;;
  esac
}

refresh() { # 6. The access token is refused: get another one. A client that is gone hears it here.
  member refresh_token client/tokens >client/refresh
  tokens --data-urlencode grant_type=refresh_token --data-urlencode "refresh_token=$(cat client/refresh)"
  echo Refreshed
}

send() { # 5. Call, with the token in the header alone. The first argument is the token.
  printf 'Authorization: Bearer %s\nContent-Type: application/json\n' "$1" >client/headers
  shift
  status=$(curl -s -o client/answer -D client/received -w '%{http_code}' -H @client/headers "$@")
}

call() { # A 401 is answered by one refresh and one repetition.
  send "$(member access_token client/tokens)" "$@"
  [ "$status" != 401 ] || { refresh && send "$(member access_token client/tokens)" "$@"; }
}

# 1. Discover: every address comes from the server's own description. On this computer localhost leads to the space.
well_known=/.well-known/oauth-authorization-server
case $base in http:*) follow=-L ;; *) follow= ;; esac
found=$(curl -sf $follow -o client/server -w '%{url_effective}' "$base$well_known")
base=${found%"$well_known"}
[ "$(member issuer client/server)" = "$base" ] || { echo 'Not the description of this server.' && exit 1; }
[ -e client/registration ] || register
id=$(member client_id client/registration)
secret=$(member client_secret client/registration)
[ -e client/tokens ] || authorize

call "$base/data/io.svc.notes" -d '{"text":"from the guide"}'
echo "Note $status"
# 7. Whoever got no answer sends it again with the same key, and the owner hears it once.
key="Idempotency-Key: $(random)"
data='{"data":{"type":"io.svc.notifications","attributes":{"category":"done","title":"It is done"}}}'
call "$base/notifications" -H "$key" -d "$data"
call "$base/notifications" -H "$key" -d "$data"
echo "Notified $(sed -n 's/^[Ii]dempotency-[Rr]eplayed: \([a-z]*\).*/\1/p' client/received)"
# 8. Change the secret, with the present one; a push token goes the same way. The old secret is dead at once.
send "$(member registration_access_token client/registration)" -X PUT "$base/auth/register/$id" -d '{
  "client_id": "'"$id"'", "client_secret": "'"$secret"'", "client_name": "Guide with curl", "software_id": "guide-sh",
  "redirect_uris": ["'"$redirect"'"], "notification_platform": "android", "notification_device_token": "of-this-phone" }'
[ "$status" != 404 ] || gone
new=$(member client_secret client/answer)
sed "s/$secret/$new/" client/registration >client/changed && mv client/changed client/registration
secret=$new
echo "Secret $status"

[ "${2:-}" != once ] || exit 0
call "$base/data/io.svc.notes"
cp client/answer client/notes
echo Listening # 10. Every second a read: it says what is new, and whether the access still counts.
while sleep 1; do
  call "$base/data/io.svc.notes"
  cmp -s client/answer client/notes || { echo "Heard $status" && cp client/answer client/notes; }
done
