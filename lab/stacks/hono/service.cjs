'use strict';
// The service on Hono, served by its adapter for Node.
const { Hono } = require('hono');
const { serve } = require('@hono/node-server');
const contract = require('../contract.cjs');
const { FAULT, errors, clients, errorOf, refusalOf, notPermitted, refuseUnparsed, endAtSigterm } = contract;

function refuse(c, code) {
  const [status] = errors[code];
  const body = errorOf(code);
  if (FAULT === 'text-content-type' && code === 1010) return c.text(JSON.stringify(body), status);
  return c.json(body, status);
}

const list = [
  { id: 'a1', label: 'Default greeting', updatedAt: '2025-01-09T11:00:00+01:00', rules: [{ field: 'locale', equals: 'en' }] },
  { id: 'b2', label: 'Begrüßung', updatedAt: '2025-01-10T11:00:00+01:00', rules: [{ field: 'locale', equals: 'de' }] },
  { id: 'c3', label: '挨拶', updatedAt: '2025-01-11T11:00:00+01:00', rules: [{ field: 'locale', equals: 'ja' }] },
];

const known = new Set();

const app = new Hono();

app.use('*', async (c, next) => {
  const apiKey = c.req.header('x-api-key');
  const secretKey = c.req.header('x-secret-key');
  const client = clients.get(apiKey);
  const isKnown = FAULT === 'cached-authentication' && known.has(apiKey);
  const code = refusalOf(apiKey, isKnown && secretKey !== undefined ? client.secretKey : secretKey, c.req.header('x-version'));
  // The keys whose secret has been compared.
  if (code === undefined || code === 1012 || code === 1020) known.add(apiKey);
  if (code) return refuse(c, code);
  c.set('role', client.role);
  await next();
});

app.get('/api/customizations/list', (c) => {
  if (c.req.header('x-version') !== '1') return refuse(c, 1010);
  const code = notPermitted(c.get('role'));
  if (code) return refuse(c, code);

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
server.on('clientError', refuseUnparsed);
endAtSigterm(server);
