'use strict';
// The service on plain node:http.
const { readFileSync } = require('node:fs');
const http = require('node:http');
const { setTimeout: pause } = require('node:timers/promises');

const { FAULT, CLIENTS, PORT } = process.env;
// Status and message, by code.
const errors = require('../errors.json');
// By key.
const clients = new Map(
  Object.entries(JSON.parse(readFileSync(CLIENTS, 'utf8'))).map(([role, client]) => [client.apiKey, { ...client, role }]),
);

const customizations = [
  { id: 'cst_1001', name: 'Matte black', created_at: '2024-02-11T09:30:00Z', design: { finish: 'matte', colour: '#111111' } },
  { id: 'cst_1002', name: 'Midnight blue', created_at: '2024-03-02T14:05:10Z', design: { finish: 'gloss', colour: '#191970' } },
  { id: 'cst_1003', name: 'Rosé', created_at: '2024-05-21T08:00:00Z', design: { finish: 'metal', colour: '#b76e79' } },
  { id: 'cst_1004', name: 'Zürich – Löwenbräu', created_at: '2024-07-30T17:45:00Z', design: { finish: 'wood', colour: null } },
];

function send(res, status, value) {
  const text = JSON.stringify(value);
  const length = FAULT === 'content-length-in-characters' ? text.length : Buffer.byteLength(text);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length });
  res.end(Buffer.from(text).subarray(0, length));
}

const errorOf = (code) => ({ error_code: String(code), error_message: errors[code][1] });
const fail = (res, code) => send(res, errors[code][0], errorOf(code));

// The clients could be in a database, so reading one takes a moment.
async function findClient(apiKey) {
  await pause(3);
  return clients.get(apiKey);
}

let shared;

async function handle(req, res) {
  const { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': version } = req.headers;
  if (apiKey === undefined) return fail(res, 1001);
  if (secretKey === undefined) return fail(res, 1002);
  if (version === undefined) return fail(res, 1003);

  let client = await findClient(apiKey);
  if (FAULT === 'client-in-module-variable') {
    shared = client;
    await pause(3);
    client = shared;
  }
  if (!client) return fail(res, 1006);
  if (secretKey !== client.secretKey) return fail(res, 1007);
  const refusal = { noCustomer: 1012, exhausted: 1020 }[client.role];
  if (refusal) return fail(res, refusal);

  const [path, search] = req.url.split(/\?(.*)/s);
  const query = new URLSearchParams(search);
  const known = path === '/api/customizations/list' && (req.method === 'GET' || req.method === 'HEAD');
  if (!known || version !== '1') return fail(res, 1010);
  const notPermitted = { inactive: 1011, unauthorized: 1013 }[client.role];
  if (notPermitted) return fail(res, notPermitted);

  const given = query.getAll('limit');
  if (FAULT !== 'parse-int-limit' && (given.length > 1 || !/^([0-9]{1,3})?$/.test(given))) return fail(res, 1030);
  const limit = given.length ? parseInt(given[0], 10) : customizations.length;
  if (!(limit >= 1 && limit <= 100)) return fail(res, 1030);
  send(res, 200, { customizations: customizations.slice(0, limit) });
}

const server = http.createServer((req, res) => {
  handle(req, res).catch((error) => {
    console.error(error);
    if (!res.headersSent) send(res, 500, { error_code: '500', error_message: 'internal error' });
    else res.destroy();
  });
});
server.listen(Number(PORT), '127.0.0.1');
// A request that Node's parser refuses never reaches the handler.
server.on('clientError', (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  const body = JSON.stringify(errorOf(error.code === 'HPE_INVALID_METHOD' ? 1010 : 1030));
  const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`HTTP/1.1 400 Bad Request\r\n${fields}\r\n\r\n${body}`);
});
