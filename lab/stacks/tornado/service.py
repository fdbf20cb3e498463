"""The service on Tornado and its own server."""
import asyncio
import hmac
import json
import os
import signal

import tornado.web

FAULT = os.environ.get("FAULT", "")

CLIENTS = {}
with open(os.environ["CLIENTS"], encoding="utf-8") as file:
    for role, client in json.load(file).items():
        CLIENTS[client["apiKey"]] = {"role": role, "secret": client["secretKey"].encode()}

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

ITEMS = [
    {"id": n, "label": label, "created_at": 1690000000 + n, "flags": {"default": n == 0, "beta": n > 2}}
    for n, label in enumerate(["none", "small", "medium", "large", "huge"])
]


class ApiHandler(tornado.web.RequestHandler):
    SUPPORTED_METHODS = tornado.web.RequestHandler.SUPPORTED_METHODS + ("TRACE",)

    def refuse(self, code):
        status, message = ERRORS[code]
        self.set_status(status)
        self.finish({"error_code": code, "error_message": message})

    def prepare(self):
        headers = self.request.headers
        if "X-Api-Key" not in headers:
            return self.refuse("1001")
        if "X-Secret-Key" not in headers:
            return self.refuse("1002")
        if "X-Version" not in headers:
            return self.refuse("1003")
        client = CLIENTS.get(headers["X-Api-Key"])
        if client is None:
            return self.refuse("1006")
        if not hmac.compare_digest(headers["X-Secret-Key"].encode(), client["secret"]):
            return self.refuse("1007")
        if client["role"] == "noCustomer":
            return self.refuse("1012")
        if client["role"] == "exhausted":
            return self.refuse("1020")
        self.role = client["role"]

    def absent(self, *args):
        self.refuse("1010")

    get = head = post = put = patch = delete = options = trace = absent

    def write_error(self, status_code, **kwargs):
        if status_code == 405:
            return self.refuse("1010")
        if 400 <= status_code < 500:
            return self.refuse("1030")
        self.set_status(status_code)
        self.finish({"error_code": str(status_code), "error_message": "internal server error"})


class ListHandler(ApiHandler):
    def get(self):
        if self.request.headers["X-Version"] != "1":
            return self.refuse("1010")
        if self.role == "inactive":
            return self.refuse("1011")
        if self.role == "unauthorized":
            return self.refuse("1013")

        items = ITEMS
        limit = self.get_query_argument("limit", None, strip=FAULT == "stripped-limit")
        if limit is not None:
            if not (limit.isascii() and limit.isdecimal() and len(limit) < 4 and 1 <= int(limit) <= 100):
                return self.refuse("1030")
            if FAULT == "shared-list-shortened":
                del items[int(limit):]
            items = items[:int(limit)]
        self.write({"customizations": items})

    head = get


async def main():
    arguments = {} if FAULT == "default-error-page" else {"default_handler_class": ApiHandler}
    application = tornado.web.Application([(r"/api/customizations/list", ListHandler)], **arguments)
    server = application.listen(int(os.environ["PORT"]), "127.0.0.1")
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    server.stop()


asyncio.run(main())
