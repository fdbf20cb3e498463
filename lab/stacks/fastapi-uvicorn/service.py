"""The service on FastAPI, for uvicorn."""
import json
import os
import secrets
from typing import List, Optional

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException

FAULT = os.environ.get("FAULT", "")

with open(os.environ["CLIENTS"], encoding="utf-8") as file:
    CLIENTS = {client["apiKey"]: (role, client["secretKey"]) for role, client in json.load(file).items()}

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


class Refused(Exception):
    def __init__(self, code: str):
        self.code = code


class Style(BaseModel):
    color: str
    radius: Optional[int]


class Customization(BaseModel):
    id: str
    name: str
    created: str
    style: Style


class CustomizationList(BaseModel):
    customizations: List[Customization]


ROWS = [
    Customization(id="c-100", name="Compact", created="2024-09-01T10:00:00Z", style=Style(color="teal", radius=4)),
    Customization(id="c-101", name="Spacious", created="2024-09-02T10:00:00Z", style=Style(color="plum", radius=16)),
    Customization(id="c-102", name="Naïve", created="2024-09-03T10:00:00Z", style=Style(color="sand")),
]

app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
app.router.redirect_slashes = False


def error(code: str) -> JSONResponse:
    status, message = ERRORS[code]
    return JSONResponse({"error_code": code, "error_message": message}, status_code=status)


@app.middleware("http")
async def authenticate(request: Request, call_next):
    api_key = request.headers.get("x-api-key")
    secret_key = request.headers.get("x-secret-key")
    if api_key is None:
        return error("1001")
    if secret_key is None:
        return error("1002")
    if "x-version" not in request.headers:
        return error("1003")
    if api_key not in CLIENTS:
        return error("1006")
    role, expected = CLIENTS[api_key]
    if not secrets.compare_digest(secret_key.encode(), expected.encode()):
        return error("1007")
    if role == "noCustomer":
        return error("1012")
    if role == "exhausted":
        return error("1020")
    request.state.role = role
    return await call_next(request)


def version_one(request: Request):
    if request.headers["x-version"] != "1":
        raise Refused("1010")


def permitted(request: Request):
    if request.state.role == "inactive":
        raise Refused("1011")
    if request.state.role == "unauthorized":
        if FAULT == "exception-with-detail":
            status, message = ERRORS["1013"]
            raise HTTPException(status, {"error_code": "1013", "error_message": message})
        raise Refused("1013")


@app.api_route(
    "/api/customizations/list",
    methods=["GET", "HEAD"],
    dependencies=[Depends(version_one), Depends(permitted)],
    response_model=CustomizationList,
)
async def customizations(limit: Optional[str] = Query(None, regex=r"^([1-9][0-9]?|100)\Z")):
    return {"customizations": ROWS[:int(limit)] if limit else ROWS}


@app.exception_handler(Refused)
async def refused(request: Request, exception: Refused):
    return error(exception.code)


if FAULT != "unprocessable-entity":
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, exception: RequestValidationError):
        return error("1030")


@app.exception_handler(HTTPException if FAULT == "own-exceptions-only" else StarletteHTTPException)
async def no_endpoint(request: Request, exception: StarletteHTTPException):
    if FAULT == "exception-with-detail" and exception.status_code == 401:
        return JSONResponse({"detail": exception.detail}, status_code=401)
    return error("1010")


@app.exception_handler(Exception)
async def internal(request: Request, exception: Exception):
    return JSONResponse({"error_code": "500", "error_message": "internal server error"}, status_code=500)
