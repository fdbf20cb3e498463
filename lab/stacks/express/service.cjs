'use strict';
// The service on Express.
const express = require('express');
const contract = require('../contract.cjs');
const { FAULT, errors, clients, errorOf, refusalOf, notPermitted, refuseUnparsed, endAtSigterm } = contract;

class ApiError extends Error {
  constructor(code) {
    super(errors[code][1]);
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

function authenticate(req, res, next) {
  // An empty header counts as absent.
  const [apiKey, secretKey, version] = ['x-api-key', 'x-secret-key', 'x-version'].map((name) => req.get(name) || undefined);
  const code = refusalOf(apiKey, secretKey, version);
  if (code === 1020 && FAULT === 'numeric-error-code') return res.status(429).json({ ...errorOf(code), error_code: code });
  if (code) throw new ApiError(code);
  req.client = clients.get(apiKey);
  next();
}

function permit(req, res, next) {
  const code = notPermitted(req.client.role);
  if (code) throw new ApiError(code);
  next();
}

const strict = FAULT !== 'default-routing';
const v1 = express.Router({ strict, caseSensitive: strict });
v1.get('/customizations/list', permit, (req, res) => {
  const { limit } = req.query;
  let shown = items;
  if (limit !== undefined) {
    // Express turns ?limit=1&limit=2 into an array.
    if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit)) throw new ApiError(1030);
    const count = Number(limit);
    if (count < 1 || count > 100) throw new ApiError(1030);
    shown = items.slice(0, count);
  }
  res.json({ data: shown, total: items.length });
});
v1.get('/:area/:operation', () => {
  throw new ApiError(1010);
});

const routers = { 1: v1 };

const app = express();
app.disable('x-powered-by');
app.use(authenticate);
app.use('/api', (req, res, next) => {
  const version = req.get('x-version');
  if (!Object.hasOwn(routers, version) || !['GET', 'HEAD'].includes(req.method)) throw new ApiError(1010);
  routers[version](req, res, next);
});
app.use(() => {
  throw new ApiError(1010);
});

function answerError(err, req, res) {
  if (err instanceof ApiError) {
    return res.status(errors[err.code][0]).json(errorOf(err.code));
  }
  // A path that cannot be decoded is an unknown endpoint.
  if (err instanceof URIError) return res.status(400).json(errorOf(1010));
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
server.on('clientError', refuseUnparsed);
endAtSigterm(server);
