'use strict';
// The service on Koa with its router.
const { readFile } = require('node:fs/promises');
const { createHash, timingSafeEqual } = require('node:crypto');
const Koa = require('koa');
const Router = require('@koa/router');

const FAULT = process.env.FAULT || '';

const errors = new Map([
  ['1001', { status: 400, message: 'api key header is missing' }],
  ['1002', { status: 400, message: 'secret key header is missing' }],
  ['1003', { status: 400, message: 'version header is missing' }],
  ['1006', { status: 401, message: 'invalid api key' }],
  ['1007', { status: 401, message: 'invalid secret key' }],
  ['1010', { status: 400, message: 'endpoint not found for the specified version' }],
  ['1011', { status: 401, message: 'inactive endpoint' }],
  ['1012', { status: 401, message: 'customer not found' }],
  ['1013', { status: 401, message: 'unauthorized_endpoint' }],
  ['1020', { status: 429, message: 'daily quota limit exceeded' }],
  ['1030', { status: 400, message: 'invalid input parameters' }],
]);

function refuse(ctx, code) {
  const { status, message } = errors.get(code);
  ctx.status = status;
  ctx.body = { error_code: code, error_message: message };
}

const sha = (text) => createHash('sha256').update(text).digest();

const customizations = [
  { id: 9001, kind: 'logo', createdAt: '2022-08-01', settings: { width: 320, height: 80, alt: 'Logo' } },
  { id: 9002, kind: 'palette', createdAt: '2022-08-02', settings: { primary: '#0050ff', secondary: '#fafafa' } },
  { id: 9003, kind: 'font', createdAt: '2022-09-14', settings: { family: 'Inter', weights: [400, 600] } },
  { id: 9004, kind: 'terms', createdAt: '2023-01-30', settings: { url: 'https://example.com/terms' } },
];

async function main() {
  const roles = JSON.parse(await readFile(process.env.CLIENTS, 'utf8'));
  const clients = new Map(Object.entries(roles).map(([role, { apiKey, secretKey }]) => [apiKey, { role, secretKey }]));
  const quota = { left: async (client) => (client.role === 'exhausted' ? 0 : 1000) };

  const app = new Koa();

  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error.status >= 400 && error.status < 500) return refuse(ctx, '1010');
      console.error(error);
      ctx.status = 500;
      ctx.body = { error_code: '500', error_message: 'internal server error' };
    }
  });

  app.use(async (ctx, next) => {
    const apiKey = ctx.get('x-api-key');
    const secretKey = ctx.get('x-secret-key');
    if (!apiKey) return refuse(ctx, '1001');
    if (!secretKey) return refuse(ctx, '1002');
    if (!ctx.get('x-version')) return refuse(ctx, '1003');

    const client = clients.get(apiKey);
    if (!client) return refuse(ctx, '1006');
    if (!timingSafeEqual(sha(secretKey), sha(client.secretKey))) return refuse(ctx, '1007');
    if (client.role === 'noCustomer') return refuse(ctx, '1012');
    const left = FAULT === 'promise-compared' ? quota.left(client) : await quota.left(client);
    if (left <= 0) return refuse(ctx, '1020');
    ctx.state.client = client;
    await next();
    if (ctx.body === undefined) refuse(ctx, '1010');
  });

  const router = new Router({ prefix: '/api', strict: true, sensitive: true });
  router.get('/customizations/list', (ctx) => {
    const version = ctx.get('x-version');
    if (FAULT === 'loose-version' ? version != 1 : version !== '1') {
      if (FAULT === 'body-without-status') {
        ctx.body = { error_code: '1010', error_message: errors.get('1010').message };
        return;
      }
      return refuse(ctx, '1010');
    }
    const { role } = ctx.state.client;
    if (role === 'inactive') return refuse(ctx, '1011');
    if (role === 'unauthorized') return refuse(ctx, '1013');

    const { limit } = ctx.query;
    if (limit !== undefined && !(typeof limit === 'string' && /^(100|[1-9]\d?)$/.test(limit))) return refuse(ctx, '1030');
    ctx.body = { count: customizations.length, customizations: customizations.slice(0, limit ? Number(limit) : undefined) };
  });
  app.use(router.routes());

  const server = app.listen(Number(process.env.PORT), '127.0.0.1');
  // What node's parser refuses never becomes a request.
  server.on('clientError', (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const code = error.code === 'HPE_INVALID_METHOD' ? '1010' : '1030';
    const body = JSON.stringify({ error_code: code, error_message: errors.get(code).message });
    socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  });
  process.on('SIGTERM', () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}

main();
