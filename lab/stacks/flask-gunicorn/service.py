"""The service on Flask, for gunicorn."""
import re

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

from contract import CLIENTS, ERRORS, FAULT, NOT_PERMITTED, body, refusal

CUSTOMIZATIONS = [
    {"id": 11, "name": "Blue card", "created_at": "2024-01-15T09:00:00+00:00", "colors": {"front": "#00f", "back": "#fff"}},
    {"id": 12, "name": "Café card", "created_at": "2024-02-20T10:30:00+00:00", "colors": {"front": "#6f4e37", "back": "#fff"}},
    {"id": 13, "name": "Green card", "created_at": "2024-03-05T23:59:59+00:00", "colors": {"front": "#0f0", "back": None}},
    {"id": 14, "name": "Plain card", "created_at": "2024-03-06T00:00:00+00:00", "colors": {}},
    {"id": 15, "name": "Red card", "created_at": "2024-12-31T12:00:00+00:00", "colors": {"front": "#f00", "back": "#000"}},
]


app = Flask(__name__, static_folder=None)
# No redirect from /api//customizations.
app.url_map = Map(merge_slashes=False)


def error(code):
    return jsonify(body(code)), ERRORS[code][0]


@app.before_request
def authenticate():
    code = refusal(request.headers)
    if code:
        return error(code)
    g.role = CLIENTS[request.headers["x-api-key"]]["role"]


@app.get("/api/customizations/list", provide_automatic_options=False)
def list_customizations():
    if request.headers["x-version"] != "1":
        return error("1010")
    if g.role in NOT_PERMITTED:
        return error(NOT_PERMITTED[g.role])

    limit = request.args.get("limit", type=int if FAULT == "args-type-int" else None)
    if limit is None:
        return jsonify(customizations=CUSTOMIZATIONS)
    if FAULT == "isdigit-and-int":
        is_number = limit.isdigit()
    else:
        is_number = FAULT == "args-type-int" or re.fullmatch("[0-9]{1,3}", limit)
    if not is_number or not 1 <= int(limit) <= 100:
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
