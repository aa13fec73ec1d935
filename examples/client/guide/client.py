"""A client of a personal-data server: python3 client.py https://alice.example.com [once]

It keeps what it is given in client.json, so that its owner is asked once. With "once" it ends before it listens.
Python 3.11 with python3-requests and python3-websockets of Debian.
"""
import asyncio, base64, hashlib, json, os, secrets, socket, sys, urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer
import requests, websockets

BASE = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"
FILE = "client.json"
REDIRECT = "http://127.0.0.1:18918/callback"  # a native app may register app.example://callback as well
SCOPE = "io.svc.notes:GET,POST io.svc.notifications:POST"

class Gone(Exception): pass  # the owner took the access back

# Browsers take names below localhost for this computer; the resolvers of many systems do not know them.
resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: resolve(
    "localhost" if str(host).endswith(".localhost") else host, *rest, **more)

def say(*words): print(*words, flush=True)

def save():
    with open(os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(kept, file)

def register():  # 2. Once; the secret and the token that manages the registration are kept.
    answer = requests.post(server["registration_endpoint"], timeout=30, json={
        "client_name": "Guide in Python", "software_id": "guide-py", "redirect_uris": [REDIRECT],
        "notifications": {"done": {"description": "Something is done"}},
    }, headers={"Accept": "application/json"})
    answer.raise_for_status()
    return answer.json()

def authorize():  # 3. Ask the owner, with PKCE; the browser comes back to a port of this computer.
    verifier, state = secrets.token_urlsafe(32), secrets.token_urlsafe(16)
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = {"client_id": kept["client_id"], "redirect_uri": REDIRECT, "response_type": "code", "scope": SCOPE,
             "state": state, "code_challenge": digest, "code_challenge_method": "S256"}
    came = {}

    class Callback(BaseHTTPRequestHandler):
        def do_GET(self):
            came.update(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
            self.send_response(200), self.end_headers()
            self.wfile.write(b"Go back to the program.")

        def log_message(self, *_): pass

    with HTTPServer(("127.0.0.1", 18918), Callback) as loopback:
        say("Open", server["authorization_endpoint"] + "?" + urllib.parse.urlencode(query))
        while not came:
            loopback.handle_request()
    if came.get("state") != state or came.get("iss") != server["issuer"]: raise SystemExit("Not the answer.")
    if "error" in came: raise SystemExit("The owner said no: " + came["error"])
    tokens({"grant_type": "authorization_code", "code": came["code"], "redirect_uri": REDIRECT,
            "code_verifier": verifier})  # 4. Exchange the code.

def tokens(form):
    form.update(client_id=kept["client_id"], client_secret=kept["client_secret"])
    answer = requests.post(server["token_endpoint"], data=form, timeout=30)
    if answer.status_code in (400, 401) and answer.json()["error"] in ("invalid_grant", "invalid_client"):
        raise Gone(answer.text)
    answer.raise_for_status()
    kept.update({name: answer.json()[name] for name in ("access_token", "refresh_token")})
    save()

def refresh():  # 6. The access token is refused: get another one. A client that is gone hears it here.
    tokens({"grant_type": "refresh_token", "refresh_token": kept["refresh_token"]})
    say("Refreshed")

def call(method, path, body=None, headers=None, again=True):  # 5. The token goes into the header alone.
    managing = path.startswith("/auth/register/")
    token = kept["registration_access_token" if managing else "access_token"]
    answer = requests.request(method, BASE + path, json=body, timeout=30,
                              headers={"Authorization": "Bearer " + token, **(headers or {})})
    if managing and answer.status_code == 404: raise Gone("not registered")
    if answer.status_code != 401 or managing or not again: return answer
    refresh()
    return call(method, path, body, headers, again=False)

def work():
    say("Note", call("POST", "/data/io.svc.notes", {"text": "from the guide"}).status_code)
    # 7. Whoever got no answer sends it again with the same key, and the owner hears it once.
    data = {"type": "io.svc.notifications", "attributes": {"category": "done", "title": "It is done"}}
    key = {"Idempotency-Key": secrets.token_urlsafe(16)}
    call("POST", "/notifications", {"data": data}, key)
    say("Notified", call("POST", "/notifications", {"data": data}, key).headers["Idempotency-Replayed"])
    # 8. Change the secret, with the present one; a push token goes the same way. The old secret is dead at once.
    update = {name: kept[name] for name in ("client_id", "client_name", "redirect_uris", "software_id", "client_secret")}
    update.update(notification_platform="android", notification_device_token="token-of-this-phone")
    answer = call("PUT", "/auth/register/" + kept["client_id"], update)
    kept["client_secret"] = answer.json()["client_secret"]; save()
    say("Secret", answer.status_code)

async def listen():  # 10. Connect again after a pause that grows; a read says whether the token still counts.
    pause = 1
    while True:
        try:
            address = BASE.replace("http", "ws", 1) + "/realtime/"
            async with websockets.connect(address, subprotocols=["io.svc.websocket"]) as socket:
                await socket.send(json.dumps({"method": "AUTH", "payload": kept["access_token"]}))
                await socket.send(json.dumps({"method": "SUBSCRIBE", "payload": {"type": "io.svc.notes"}}))
                say("Listening")
                async for message in socket:
                    say("Heard", json.loads(message)["event"])
                    pause = 1
        except (OSError, websockets.WebSocketException): pass
        await asyncio.sleep(pause)
        pause = min(pause * 2, 60)
        await asyncio.to_thread(call, "GET", "/data/io.svc.notes")

# 1. Discover: every address comes from the server's own description. On this computer localhost leads to the space.
WELL_KNOWN = "/.well-known/oauth-authorization-server"
found = requests.get(BASE + WELL_KNOWN, timeout=30, allow_redirects=BASE.startswith("http:"))
found.raise_for_status()
server, BASE = found.json(), found.url.removesuffix(WELL_KNOWN)
if server["issuer"] != BASE: raise SystemExit("Not the description of this server.")
kept = json.load(open(FILE)) if os.path.exists(FILE) else register()
save()
try:
    if "refresh_token" not in kept:
        authorize()
    work()
    if "once" not in sys.argv:
        asyncio.run(listen())
except Gone:  # 9. What was kept is worth nothing; the next start asks anew.
    os.remove(FILE); say("Revoked: the owner is asked at the next start")
