'use strict';
// The service on Hono, served by its adapter for node.
const { readFileSync } = require('node:fs');
const { Hono } = require('hono');
const { serve } = require('@hono/node-server');
const { timingSafeEqual } = require('hono/utils/buffer');

const FAULT = process.env.FAULT || '';
const accounts = Object.entries(JSON.parse(readFileSync(process.env.CLIENTS, 'utf8')))
  .map(([role, account]) => ({ role, ...account }));

const table = {
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

function refuse(c, code) {
  const [status, error_message] = table[code];
  const body = { error_code: `${code}`, error_message };
  if (FAULT === 'text-content-type' && code === 1010) return c.text(JSON.stringify(body), status);
  return c.json(body, status);
}

const list = [
  { id: 'a1', label: 'Default greeting', updatedAt: '2025-01-09T11:00:00+01:00', rules: [{ field: 'locale', equals: 'en' }] },
  { id: 'b2', label: 'Begrüßung', updatedAt: '2025-01-10T11:00:00+01:00', rules: [{ field: 'locale', equals: 'de' }] },
  { id: 'c3', label: '挨拶', updatedAt: '2025-01-11T11:00:00+01:00', rules: [{ field: 'locale', equals: 'ja' }] },
];

const known = new Map();

const app = new Hono();

app.use('*', async (c, next) => {
  const apiKey = c.req.header('x-api-key');
  const secretKey = c.req.header('x-secret-key');
  if (apiKey === undefined) return refuse(c, 1001);
  if (secretKey === undefined) return refuse(c, 1002);
  if (c.req.header('x-version') === undefined) return refuse(c, 1003);

  let account = FAULT === 'cached-authentication' ? known.get(apiKey) : undefined;
  if (!account) {
    account = accounts.find((one) => one.apiKey === apiKey);
    if (!account) return refuse(c, 1006);
    if (!(await timingSafeEqual(secretKey, account.secretKey))) return refuse(c, 1007);
    known.set(apiKey, account);
  }
  if (account.role === 'noCustomer') return refuse(c, 1012);
  if (account.role === 'exhausted') return refuse(c, 1020);
  c.set('role', account.role);
  await next();
});

app.get('/api/customizations/list', (c) => {
  if (c.req.header('x-version') !== '1') return refuse(c, 1010);
  if (c.get('role') === 'inactive') return refuse(c, 1011);
  if (c.get('role') === 'unauthorized') return refuse(c, 1013);

  const limit = c.req.query('limit');
  if (FAULT === 'falsy-limit' ? !Number(limit) : limit === undefined) return c.json({ items: list });
  if (!/^\d+$/.test(limit) || Number(limit) < 1 || Number(limit) > 100) return refuse(c, 1030);
  return c.json({ items: list.slice(0, Number(limit)) });
});

app.notFound((c) => refuse(c, 1010));
app.onError((error, c) => {
  console.error(error);
  return c.json({ error_code: '500', error_message: 'internal server error' }, 500);
});

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
// What node's parser refuses never becomes a request.
server.on('clientError', (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  const code = error.code === 'HPE_INVALID_METHOD' ? 1010 : 1030;
  const body = JSON.stringify({ error_code: String(code), error_message: table[code][1] });
  socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
});
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
