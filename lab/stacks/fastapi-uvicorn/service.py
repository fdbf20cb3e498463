"""The service on FastAPI, for uvicorn."""
from typing import List, Optional

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException as StarletteHTTPException

from contract import CLIENTS, ERRORS, FAULT, NOT_PERMITTED, body, refusal


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
    return JSONResponse(body(code), status_code=ERRORS[code][0])


@app.middleware("http")
async def authenticate(request: Request, call_next):
    code = refusal(request.headers)
    if code:
        return error(code)
    request.state.role = CLIENTS[request.headers["x-api-key"]]["role"]
    return await call_next(request)


def version_one(request: Request):
    if request.headers["x-version"] != "1":
        raise Refused("1010")


def permitted(request: Request):
    code = NOT_PERMITTED.get(request.state.role)
    if code == "1013" and FAULT == "exception-with-detail":
        raise HTTPException(ERRORS[code][0], body(code))
    if code:
        raise Refused(code)


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
