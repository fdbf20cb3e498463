"""What the services in Python have in common: the clients and the errors, and the checks of credentials."""
import json
import os

FAULT = os.environ.get("FAULT", "")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# By code, its status and message.
ERRORS = read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "errors.json"))
# By key.
CLIENTS = {client["apiKey"]: dict(client, role=role) for role, client in read(os.environ["CLIENTS"]).items()}
# For clients that may not use an endpoint which is there.
NOT_PERMITTED = {"inactive": "1011", "unauthorized": "1013"}


def body(code):
    return {"error_code": code, "error_message": ERRORS[code][1]}


def absent(headers):
    """The code of the first header that is absent, None if all are there."""
    codes = (("x-api-key", "1001"), ("x-secret-key", "1002"), ("x-version", "1003"))
    return next((code for name, code in codes if name not in headers), None)


def refusal(headers):
    """The code of what is wrong with the credentials, None if nothing is."""
    if absent(headers):
        return absent(headers)
    client = CLIENTS.get(headers["x-api-key"])
    if client is None:
        return "1006"
    if headers["x-secret-key"] != client["secretKey"]:
        return "1007"
    return {"noCustomer": "1012", "exhausted": "1020"}.get(client["role"])
