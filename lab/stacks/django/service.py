"""The service on Django, for gunicorn."""
import re
import secrets

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import re_path
from django.views import View

from contract import CLIENTS, ERRORS, FAULT, NOT_PERMITTED, body, refusal

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


def error(code):
    return JsonResponse(body(code), status=ERRORS[code][0])


def authentication(get_response):
    def middleware(request):
        code = refusal(request.headers)
        if code:
            return error(code)
        request.role = CLIENTS[request.headers["x-api-key"]]["role"]
        return get_response(request)
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
            return error("1010")
        if request.role in NOT_PERMITTED:
            return error(NOT_PERMITTED[request.role])
        return super().dispatch(request)

    def get(self, request):
        limit = request.GET.get("limit")
        if limit is None:
            return JsonResponse({"objects": self.rows})
        if not LIMIT.match(limit) or not 1 <= int(limit) <= 100:
            return error("1030")
        return JsonResponse({"objects": self.rows[:int(limit)]})


end = "" if FAULT == "unanchored-path" else r"\Z"
urlpatterns = [
    re_path(r"^api/customizations/list" + end, CustomizationList.as_view()),
]


def handler400(request, exception=None):
    return error("1030")


def handler404(request, exception=None):
    return error("1010")


def handler500(request):
    return JsonResponse({"error_code": "500", "error_message": "internal server error"}, status=500)


application = get_wsgi_application()
