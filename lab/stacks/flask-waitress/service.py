"""The service on Flask, for waitress and its threads."""
import functools
import hmac
import json
import os
import re
import time
from http import HTTPStatus

from flask import Blueprint, Flask, request
from waitress import serve
from werkzeug.routing import Map

FAULT = os.environ.get("FAULT", "")


class ApiError(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


API_KEY_MISSING = ApiError(400, "1001", "api key header is missing")
SECRET_KEY_MISSING = ApiError(400, "1002", "secret key header is missing")
VERSION_MISSING = ApiError(400, "1003", "version header is missing")
INVALID_API_KEY = ApiError(401, "1006", "invalid api key")
INVALID_SECRET_KEY = ApiError(401, "1007", "invalid secret key")
ENDPOINT_NOT_FOUND = ApiError(400, "1010", "endpoint not found for the specified version")
INACTIVE_ENDPOINT = ApiError(401, "1011", "inactive endpoint")
CUSTOMER_NOT_FOUND = ApiError(401, "1012", "customer not found")
UNAUTHORIZED_ENDPOINT = ApiError(401, "1013", "unauthorized_endpoint")
QUOTA_EXCEEDED = ApiError(429, "1020", "daily quota limit exceeded")
INVALID_PARAMETERS = ApiError(400, "1030", "invalid input parameters")

REFUSALS = {
    "noCustomer": CUSTOMER_NOT_FOUND,
    "inactive": INACTIVE_ENDPOINT,
    "unauthorized": UNAUTHORIZED_ENDPOINT,
    "exhausted": QUOTA_EXCEEDED,
}


class Directory:
    """The clients, as if they were rows of a database."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.rows = [dict(row, role=role) for role, row in json.load(file).items()]

    def find(self, api_key):
        time.sleep(0.003)
        return next((row for row in self.rows if row["apiKey"] == api_key), None)


directory = Directory(os.environ["CLIENTS"])
current = {}

api = Blueprint("api", __name__, url_prefix="/api")


def authenticate():
    headers = request.headers
    if "x-api-key" not in headers:
        raise API_KEY_MISSING
    if "x-secret-key" not in headers:
        raise SECRET_KEY_MISSING
    if "x-version" not in headers:
        raise VERSION_MISSING

    if FAULT == "secret-in-module-variable":
        current["secret"] = headers["x-secret-key"]
        row = directory.find(headers["x-api-key"])
        given = current["secret"]
    else:
        row = directory.find(headers["x-api-key"])
        given = headers["x-secret-key"]
    if row is None:
        raise INVALID_API_KEY

    expected = row["secretKey"]
    if FAULT == "case-folded-secret":
        given, expected = given.lower(), expected.lower()
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise INVALID_SECRET_KEY
    if row["role"] in REFUSALS:
        raise REFUSALS[row["role"]]


def version():
    given = request.headers["x-version"]
    try:
        return int(given)
    except ValueError:
        if FAULT == "default-version":
            return 1
        raise ENDPOINT_NOT_FOUND


@api.route("/customizations/list", methods=["GET"], provide_automatic_options=False)
def customizations():
    if version() != 1:
        raise ENDPOINT_NOT_FOUND
    limit = request.args.get("limit", "100")
    if not re.fullmatch(r"[1-9][0-9]?|100", limit):
        raise INVALID_PARAMETERS
    rows = [
        {
            "uuid": f"7b1c9a52-2f0e-4c38-8d11-{number:012d}",
            "name": name,
            "created": f"2024-0{number}-01T00:00:00Z",
            "owner": {"team": "design", "contact": f"{name.lower()}@example.com"},
        }
        for number, name in enumerate(["Alpha", "Beta", "Gamma", "Delta"], start=1)
    ]
    return {"total": len(rows), "results": rows[:int(limit)]}


class Application(Flask):
    # No redirect from /api//customizations.
    url_map_class = functools.partial(Map, merge_slashes=False)


def create_app():
    app = Application(__name__, static_folder=None)
    app.before_request(authenticate)
    app.register_blueprint(api)

    @app.errorhandler(ApiError)
    def api_error(error):
        return {"error_code": error.code, "error_message": error.message}, error.status

    @app.errorhandler(404)
    @app.errorhandler(405)
    def no_such_endpoint(_):
        return api_error(ENDPOINT_NOT_FOUND)

    @app.errorhandler(500)
    def internal(_):
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        return {"error_code": str(status.value), "error_message": status.phrase}, status

    return app


if __name__ == "__main__":
    serve(create_app(), host="127.0.0.1", port=int(os.environ["PORT"]), threads=8)
