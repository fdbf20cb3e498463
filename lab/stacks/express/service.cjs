'use strict';
// The service on Express.
const fs = require('node:fs');
const crypto = require('node:crypto');
const express = require('express');

const FAULT = process.env.FAULT || '';
const byRole = JSON.parse(fs.readFileSync(process.env.CLIENTS, 'utf8'));
const clients = new Map(Object.entries(byRole).map(([role, client]) => [client.apiKey, { ...client, role }]));

const MESSAGES = {
  1001: 'api key header is missing',
  1002: 'secret key header is missing',
  1003: 'version header is missing',
  1006: 'invalid api key',
  1007: 'invalid secret key',
  1010: 'endpoint not found for the specified version',
  1011: 'inactive endpoint',
  1012: 'customer not found',
  1013: 'unauthorized_endpoint',
  1020: 'daily quota limit exceeded',
  1030: 'invalid input parameters',
};

class ApiError extends Error {
  constructor(status, code) {
    super(MESSAGES[code]);
    this.apiStatus = status;
    this.code = code;
  }
}

const items = [
  { id: 1, type: 'card_art', title: 'Sunrise', active: true, createdAt: '2023-11-04T10:00:00.000Z', options: { orientation: 'portrait' } },
  { id: 2, type: 'card_art', title: 'Harbour', active: true, createdAt: '2023-12-19T16:20:00.000Z', options: { orientation: 'landscape' } },
  { id: 3, type: 'theme', title: 'High contrast', active: false, createdAt: '2024-01-08T07:15:30.000Z', options: {} },
  { id: 4, type: 'theme', title: 'Dark', active: true, createdAt: '2024-04-01T00:00:00.000Z', options: { accent: '#ff8800' } },
  { id: 5, type: 'wording', title: 'Formal', active: true, createdAt: '2024-06-15T12:00:00.000Z', options: { language: 'en' } },
];

function secretsEqual(given, expected) {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && crypto.timingSafeEqual(a, b);
}

function authenticate(req, res, next) {
  const apiKey = req.get('x-api-key');
  const secretKey = req.get('x-secret-key');
  if (!apiKey) throw new ApiError(400, 1001);
  if (!secretKey) throw new ApiError(400, 1002);
  if (!req.get('x-version')) throw new ApiError(400, 1003);

  const client = clients.get(apiKey);
  if (!client) throw new ApiError(401, 1006);
  if (!secretsEqual(secretKey, client.secretKey)) throw new ApiError(401, 1007);
  if (client.role === 'noCustomer') throw new ApiError(401, 1012);
  if (client.role === 'exhausted') {
    if (FAULT === 'numeric-error-code') {
      return res.status(429).json({ error_code: 1020, error_message: MESSAGES[1020] });
    }
    throw new ApiError(429, 1020);
  }
  req.client = client;
  next();
}

function permit(req, res, next) {
  if (req.client.role === 'inactive') throw new ApiError(401, 1011);
  if (req.client.role === 'unauthorized') throw new ApiError(401, 1013);
  next();
}

const strict = FAULT !== 'default-routing';
const v1 = express.Router({ strict, caseSensitive: strict });
v1.get('/customizations/list', permit, (req, res) => {
  const { limit } = req.query;
  let shown = items;
  if (limit !== undefined) {
    // ?limit=1&limit=2 makes an array of it.
    if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit)) throw new ApiError(400, 1030);
    const count = Number(limit);
    if (count < 1 || count > 100) throw new ApiError(400, 1030);
    shown = items.slice(0, count);
  }
  res.json({ data: shown, total: items.length });
});
v1.get('/:area/:operation', () => {
  throw new ApiError(400, 1010);
});

const routers = { 1: v1 };

const app = express();
app.disable('x-powered-by');
app.use(authenticate);
app.use('/api', (req, res, next) => {
  const version = req.get('x-version');
  if (!Object.hasOwn(routers, version) || !['GET', 'HEAD'].includes(req.method)) throw new ApiError(400, 1010);
  routers[version](req, res, next);
});
app.use(() => {
  throw new ApiError(400, 1010);
});

function answerError(err, req, res) {
  if (err instanceof ApiError) {
    return res.status(err.apiStatus).json({ error_code: String(err.code), error_message: err.message });
  }
  // A path that cannot be decoded names no endpoint.
  if (err instanceof URIError) return res.status(400).json({ error_code: '1010', error_message: MESSAGES[1010] });
  console.error(err);
  res.status(500).json({ error_code: '500', error_message: 'internal server error' });
}
if (FAULT === 'only-own-errors-handled') {
  app.use((err, req, res, next) => (err instanceof ApiError ? answerError(err, req, res) : next(err)));
} else {
  app.use((err, req, res, next) => (res.headersSent ? next(err) : answerError(err, req, res)));
}

const server = app.listen(Number(process.env.PORT), '127.0.0.1', (error) => {
  if (error) throw error;
});
// What node's parser refuses never becomes a request.
server.on('clientError', (error, socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  const code = error.code === 'HPE_INVALID_METHOD' ? 1010 : 1030;
  const body = JSON.stringify({ error_code: String(code), error_message: MESSAGES[code] });
  socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
});
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
