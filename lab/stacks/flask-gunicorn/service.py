"""The service on Flask, for gunicorn."""
import functools
import hmac
import json
import os
import re

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

FAULT = os.environ.get("FAULT", "")

with open(os.environ["CLIENTS"], encoding="utf-8") as file:
    CLIENTS = {client["apiKey"]: dict(client, role=role) for role, client in json.load(file).items()}

ERRORS = {
    "1001": (400, "api key header is missing"),
    "1002": (400, "secret key header is missing"),
    "1003": (400, "version header is missing"),
    "1006": (401, "invalid api key"),
    "1007": (401, "invalid secret key"),
    "1010": (400, "endpoint not found for the specified version"),
    "1011": (401, "inactive endpoint"),
    "1012": (401, "customer not found"),
    "1013": (401, "unauthorized_endpoint"),
    "1020": (429, "daily quota limit exceeded"),
    "1030": (400, "invalid input parameters"),
}

CUSTOMIZATIONS = [
    {"id": 11, "name": "Blue card", "created_at": "2024-01-15T09:00:00+00:00", "colors": {"front": "#00f", "back": "#fff"}},
    {"id": 12, "name": "Café card", "created_at": "2024-02-20T10:30:00+00:00", "colors": {"front": "#6f4e37", "back": "#fff"}},
    {"id": 13, "name": "Green card", "created_at": "2024-03-05T23:59:59+00:00", "colors": {"front": "#0f0", "back": None}},
    {"id": 14, "name": "Plain card", "created_at": "2024-03-06T00:00:00+00:00", "colors": {}},
    {"id": 15, "name": "Red card", "created_at": "2024-12-31T12:00:00+00:00", "colors": {"front": "#f00", "back": "#000"}},
]


class Application(Flask):
    # No redirect from /api//customizations.
    url_map_class = functools.partial(Map, merge_slashes=False)


app = Application(__name__, static_folder=None)


def error(code):
    status, message = ERRORS[code]
    return jsonify(error_code=code, error_message=message), status


@app.before_request
def authenticate():
    api_key = request.headers.get("x-api-key")
    secret_key = request.headers.get("x-secret-key")
    if api_key is None:
        return error("1001")
    if secret_key is None:
        return error("1002")
    if request.headers.get("x-version") is None:
        return error("1003")
    client = CLIENTS.get(api_key)
    if client is None:
        return error("1006")
    if not hmac.compare_digest(secret_key.encode(), client["secretKey"].encode()):
        return error("1007")
    if client["role"] == "noCustomer":
        return error("1012")
    if client["role"] == "exhausted":
        return error("1020")
    g.role = client["role"]


@app.get("/api/customizations/list", provide_automatic_options=False)
def list_customizations():
    if request.headers["x-version"] != "1":
        return error("1010")
    if g.role == "inactive":
        return error("1011")
    if g.role == "unauthorized":
        return error("1013")

    if FAULT == "args-type-int":
        limit = request.args.get("limit", type=int)
        if limit is not None and not 1 <= limit <= 100:
            return error("1030")
        return jsonify(customizations=CUSTOMIZATIONS[:limit])

    limit = request.args.get("limit")
    if limit is None:
        return jsonify(customizations=CUSTOMIZATIONS)
    if not (limit.isdigit() if FAULT == "isdigit-and-int" else re.fullmatch("[0-9]{1,3}", limit)):
        return error("1030")
    if not 1 <= int(limit) <= 100:
        return error("1030")
    return jsonify(customizations=CUSTOMIZATIONS[:int(limit)])


@app.errorhandler(404)
def not_found(_):
    return error("1010")


if FAULT != "method-not-allowed-page":
    @app.errorhandler(405)
    def method_not_allowed(_):
        return error("1010")


    @app.errorhandler(HTTPException)
    def other(exception):
        return jsonify(error_code=str(exception.code), error_message=exception.name), exception.code
