'use strict';
// The service on plain node:http.
const http = require('node:http');
const { setTimeout: pause } = require('node:timers/promises');
const contract = require('../contract.cjs');
const { FAULT, errors, clients, errorOf, refusalOf, notPermitted, refuseUnparsed } = contract;

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
  if (FAULT === 'content-length-in-characters') return res.end(Buffer.from(text).subarray(0, length));
  res.end(text);
}

const fail = (res, code) => send(res, errors[code][0], errorOf(code));

// The clients could be in a database, so reading one takes a moment.
async function findClient(apiKey) {
  await pause(3);
  return clients.get(apiKey);
}

let shared;

async function handle(req, res) {
  const { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': version } = req.headers;
  if (apiKey === undefined || secretKey === undefined || version === undefined) return fail(res, refusalOf(apiKey, secretKey, version));

  let client = await findClient(apiKey);
  if (FAULT === 'client-in-module-variable') {
    shared = client;
    await pause(3);
    client = shared;
  }
  // An unknown client is null here, because undefined would be looked up.
  const refusal = refusalOf(apiKey, secretKey, version, client ?? null);
  if (refusal) return fail(res, refusal);

  const question = req.url.indexOf('?');
  const path = question < 0 ? req.url : req.url.slice(0, question);
  const query = new URLSearchParams(question < 0 ? '' : req.url.slice(question));
  const known = path === '/api/customizations/list' && (req.method === 'GET' || req.method === 'HEAD');
  if (!known || version !== '1') return fail(res, 1010);
  if (notPermitted(client.role)) return fail(res, notPermitted(client.role));

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
server.on('clientError', refuseUnparsed);
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
