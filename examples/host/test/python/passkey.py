"""A passkey of another implementation. Reads orders, one JSON a line, and answers each with the credential as JSON."""
import base64
import json
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.utils import sha256
from soft_webauthn import SoftWebauthnDevice

FLAGS = 32
VERIFIED = 4


def verified(data):
    return data[:FLAGS] + bytes([data[FLAGS] | VERIFIED]) + data[FLAGS + 1 :]


class VerifyingDevice(SoftWebauthnDevice):
    """It knows its owner by a PIN: the library's own never does."""

    def create(self, options, origin):
        made = super().create(options, origin)
        attestation = cbor.decode(made["response"]["attestationObject"])
        attestation["authData"] = verified(attestation["authData"])
        made["response"]["attestationObject"] = cbor.encode(attestation)
        return made

    def get(self, options, origin):
        made = super().get(options, origin)
        response = made["response"]
        response["authenticatorData"] = verified(response["authenticatorData"])
        signed = response["authenticatorData"] + sha256(response["clientDataJSON"])
        response["signature"] = self.private_key.sign(signed, ec.ECDSA(hashes.SHA256()))
        return made


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(value):
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def shown(credential):
    """As browsers give it to the page's script: bytes as base64url."""
    raw = encoded(credential["rawId"])
    response = {name: encoded(value) for name, value in credential["response"].items()}
    return {
        "id": raw,
        "rawId": raw,
        "type": credential["type"],
        "response": response,
        "clientExtensionResults": {},
    }


device = (VerifyingDevice if sys.argv[1] == "verifying" else SoftWebauthnDevice)()
for line in sys.stdin:
    order = json.loads(line)
    options = order["options"]
    options["challenge"] = decoded(options["challenge"])
    if "user" in options:
        options["user"]["id"] = decoded(options["user"]["id"])
    make = device.create if "user" in options else device.get
    print(json.dumps(shown(make({"publicKey": options}, order["origin"]))), flush=True)
