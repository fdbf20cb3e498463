'use strict';
// The service on node:http alone.
const http = require('node:http');
const fs = require('node:fs');
const { createHash, timingSafeEqual } = require('node:crypto');
const { setTimeout: pause } = require('node:timers/promises');

const FAULT = process.env.FAULT || '';
const { permitted, second, noCustomer, inactive, unauthorized, exhausted } =
  JSON.parse(fs.readFileSync(process.env.CLIENTS, 'utf8'));

const clients = new Map([
  [permitted, 'served'],
  [second, 'served'],
  [noCustomer, 'noCustomer'],
  [inactive, 'inactive'],
  [unauthorized, 'unauthorized'],
  [exhausted, 'exhausted'],
].map(([{ apiKey, secretKey }, state]) => [apiKey, { secretKey, state }]));

const customizations = [
  { id: 'cst_1001', name: 'Matte black', created_at: '2024-02-11T09:30:00Z', design: { finish: 'matte', colour: '#111111' } },
  { id: 'cst_1002', name: 'Midnight blue', created_at: '2024-03-02T14:05:10Z', design: { finish: 'gloss', colour: '#191970' } },
  { id: 'cst_1003', name: 'Rosé', created_at: '2024-05-21T08:00:00Z', design: { finish: 'metal', colour: '#b76e79' } },
  { id: 'cst_1004', name: 'Zürich – Löwenbräu', created_at: '2024-07-30T17:45:00Z', design: { finish: 'wood', colour: null } },
];

const errors = {
  1001: [400, 'api key header is missing'],
  1002: [400, 'secret key header is missing'],
  1003: [400, 'version header is missing'],
  1006: [401, 'invalid api key'],
  1007: [401, 'invalid secret key'],
  1010: [400, 'endpoint not found for the specified version'],
  1011: [401, 'inactive endpoint'],
  1012: [401, 'customer not found'],
  1013: [401, 'unauthorized_endpoint'],
  1020: [429, 'daily quota limit exceeded'],
  1030: [400, 'invalid input parameters'],
};

const digest = (text) => createHash('sha256').update(text).digest();
const same = (a, b) => timingSafeEqual(digest(a), digest(b));

function send(res, status, value) {
  const text = JSON.stringify(value);
  const length = FAULT === 'content-length-in-characters' ? text.length : Buffer.byteLength(text);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length });
  if (FAULT === 'content-length-in-characters') return res.end(Buffer.from(text).subarray(0, length));
  res.end(text);
}

function fail(res, code) {
  const [status, message] = errors[code];
  send(res, status, { error_code: String(code), error_message: message });
}

// Where the clients are kept could be a database: reading one takes a moment.
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
  if (!same(secretKey, client.secretKey)) return fail(res, 1007);
  if (client.state === 'noCustomer') return fail(res, 1012);
  if (client.state === 'exhausted') return fail(res, 1020);

  const question = req.url.indexOf('?');
  const path = question < 0 ? req.url : req.url.slice(0, question);
  const query = new URLSearchParams(question < 0 ? '' : req.url.slice(question));
  const known = path === '/api/customizations/list' && (req.method === 'GET' || req.method === 'HEAD');
  if (!known || version !== '1') return fail(res, 1010);
  if (client.state === 'inactive') return fail(res, 1011);
  if (client.state === 'unauthorized') return fail(res, 1013);

  let limit = customizations.length;
  if (query.has('limit')) {
    const given = query.getAll('limit');
    if (FAULT === 'parse-int-limit') {
      limit = parseInt(given[0], 10);
      if (!(limit >= 1 && limit <= 100)) return fail(res, 1030);
    } else {
      if (given.length > 1 || !/^[0-9]{1,3}$/.test(given[0])) return fail(res, 1030);
      limit = Number(given[0]);
      if (limit < 1 || limit > 100) return fail(res, 1030);
    }
  }
  send(res, 200, { customizations: customizations.slice(0, limit) });
}

const server = http.createServer((req, res) => {
  handle(req, res).catch((error) => {
    console.error(error);
    if (!res.headersSent) send(res, 500, { error_code: '500', error_message: 'internal error' });
    else res.destroy();
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1');
// What node's parser refuses never becomes a request.
server.on('clientError', (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  const code = error.code === 'HPE_INVALID_METHOD' ? 1010 : 1030;
  const body = JSON.stringify({ error_code: String(code), error_message: errors[code][1] });
  socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
});
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
