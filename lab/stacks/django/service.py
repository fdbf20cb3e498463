"""The service on Django, for gunicorn."""
import json
import os
import re
import secrets

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import re_path
from django.utils.crypto import constant_time_compare
from django.views import View

FAULT = os.environ.get("FAULT", "")

settings.configure(
    ALLOWED_HOSTS=["*"],
    APPEND_SLASH=False,
    DEBUG=False,
    LOGGING_CONFIG=None,
    MIDDLEWARE=[
        "service.head_without_body",
        "django.middleware.common.CommonMiddleware",
        *(["django.middleware.csrf.CsrfViewMiddleware"] if FAULT == "csrf-middleware" else []),
        "service.authentication",
    ],
    ROOT_URLCONF="service",
    SECRET_KEY=secrets.token_hex(32),
    USE_TZ=True,
)
django.setup()

with open(os.environ["CLIENTS"], encoding="utf-8") as file:
    ROLES = json.load(file)
KEYS = {client["apiKey"]: role for role, client in ROLES.items()}

ERRORS = {
    1001: (400, "api key header is missing"),
    1002: (400, "secret key header is missing"),
    1003: (400, "version header is missing"),
    1006: (401, "invalid api key"),
    1007: (401, "invalid secret key"),
    1010: (400, "endpoint not found for the specified version"),
    1011: (401, "inactive endpoint"),
    1012: (401, "customer not found"),
    1013: (401, "unauthorized_endpoint"),
    1020: (429, "daily quota limit exceeded"),
    1030: (400, "invalid input parameters"),
}


def error(code):
    status, message = ERRORS[code]
    return JsonResponse({"error_code": str(code), "error_message": message}, status=status)


def refusal(request):
    headers = request.headers
    for name, code in (("x-api-key", 1001), ("x-secret-key", 1002), ("x-version", 1003)):
        if name not in headers:
            return error(code)
    role = KEYS.get(headers["x-api-key"])
    if role is None:
        return error(1006)
    if not constant_time_compare(headers["x-secret-key"], ROLES[role]["secretKey"]):
        return error(1007)
    if role == "noCustomer":
        return error(1012)
    if role == "exhausted":
        return error(1020)
    request.role = role
    return None


def authentication(get_response):
    def middleware(request):
        return refusal(request) or get_response(request)
    return middleware


def head_without_body(get_response):
    # Neither Django nor gunicorn takes it away.
    def middleware(request):
        response = get_response(request)
        if request.method == "HEAD":
            response.content = b""
        return response
    return middleware


LIMIT = re.compile(r"^[0-9]{1,3}$" if FAULT == "dollar-admits-newline" else r"[0-9]{1,3}\Z")


class CustomizationList(View):
    rows = [
        {"pk": 1, "slug": "welcome-screen", "modified": "2023-03-01T08:00:00Z", "parts": [{"kind": "image"}, {"kind": "text"}]},
        {"pk": 2, "slug": "card-picker", "modified": "2023-04-12T15:30:00Z", "parts": [{"kind": "grid"}]},
        {"pk": 3, "slug": "confirmation", "modified": "2023-06-23T20:45:10Z", "parts": []},
        {"pk": 4, "slug": "goodbye", "modified": None, "parts": [{"kind": "text"}]},
    ]

    def dispatch(self, request):
        if request.headers["x-version"] != "1" or request.method not in ("GET", "HEAD"):
            return error(1010)
        if request.role == "inactive":
            return error(1011)
        if request.role == "unauthorized":
            return error(1013)
        return super().dispatch(request)

    def get(self, request):
        limit = request.GET.get("limit")
        if limit is None:
            return JsonResponse({"objects": self.rows})
        if not LIMIT.match(limit) or not 1 <= int(limit) <= 100:
            return error(1030)
        return JsonResponse({"objects": self.rows[:int(limit)]})


end = "" if FAULT == "unanchored-path" else r"\Z"
urlpatterns = [
    re_path(r"^api/customizations/list" + end, CustomizationList.as_view()),
]


def handler400(request, exception=None):
    return error(1030)


def handler404(request, exception=None):
    return error(1010)


def handler500(request):
    return JsonResponse({"error_code": "500", "error_message": "internal server error"}, status=500)


application = get_wsgi_application()
