"""The service on Tornado and its own server."""
import asyncio
import os

import tornado.web

from contract import CLIENTS, ERRORS, FAULT, NOT_PERMITTED, body, refusal

ITEMS = [
    {"id": n, "label": label, "created_at": 1690000000 + n, "flags": {"default": n == 0, "beta": n > 2}}
    for n, label in enumerate(["none", "small", "medium", "large", "huge"])
]


class ApiHandler(tornado.web.RequestHandler):
    SUPPORTED_METHODS = tornado.web.RequestHandler.SUPPORTED_METHODS + ("TRACE",)

    def refuse(self, code):
        self.set_status(ERRORS[code][0])
        self.finish(body(code))

    def prepare(self):
        code = refusal(self.request.headers)
        if code:
            return self.refuse(code)
        self.role = CLIENTS[self.request.headers["X-Api-Key"]]["role"]

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
        if self.role in NOT_PERMITTED:
            return self.refuse(NOT_PERMITTED[self.role])

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
    application.listen(int(os.environ["PORT"]), "127.0.0.1")
    await asyncio.Event().wait()


asyncio.run(main())
