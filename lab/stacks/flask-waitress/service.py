"""The service on Flask, for waitress and its threads."""
import os
import re
import time
from http import HTTPStatus

from flask import Blueprint, Flask, request
from waitress import serve
from werkzeug.routing import Map

from contract import CLIENTS, ERRORS, FAULT, NOT_PERMITTED, absent, body


class ApiError(Exception):
    def __init__(self, code):
        super().__init__(ERRORS[code][1])
        self.code = code


ENDPOINT_NOT_FOUND = ApiError("1010")
REFUSALS = {"noCustomer": "1012", "exhausted": "1020", **NOT_PERMITTED}


def find(api_key):
    """The client with this key, as if it were a row of a database."""
    time.sleep(0.003)
    return CLIENTS.get(api_key)


current = {}

api = Blueprint("api", __name__, url_prefix="/api")


def authenticate():
    headers = request.headers
    if absent(headers):
        raise ApiError(absent(headers))
    if FAULT == "secret-in-module-variable":
        current["secret"] = headers["x-secret-key"]
        row = find(headers["x-api-key"])
        given = current["secret"]
    else:
        row = find(headers["x-api-key"])
        given = headers["x-secret-key"]
    if row is None:
        raise ApiError("1006")

    expected = row["secretKey"]
    if FAULT == "case-folded-secret":
        given, expected = given.lower(), expected.lower()
    if given != expected:
        raise ApiError("1007")
    if row["role"] in REFUSALS:
        raise ApiError(REFUSALS[row["role"]])


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
        raise ApiError("1030")
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


def create_app():
    app = Flask(__name__, static_folder=None)
    # No redirect from /api//customizations.
    app.url_map = Map(merge_slashes=False)
    app.before_request(authenticate)
    app.register_blueprint(api)

    @app.errorhandler(ApiError)
    def api_error(error):
        return body(error.code), ERRORS[error.code][0]

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
