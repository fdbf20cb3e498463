'use strict';
// The service on Koa with its router.
const Koa = require('koa');
const Router = require('@koa/router');
const contract = require('../contract.cjs');
const { FAULT, errors, clients, errorOf, refusalOf, notPermitted, refuseUnparsed, endAtSigterm } = contract;

function refuse(ctx, code) {
  ctx.status = errors[code][0];
  ctx.body = errorOf(code);
}

const customizations = [
  { id: 9001, kind: 'logo', createdAt: '2022-08-01', settings: { width: 320, height: 80, alt: 'Logo' } },
  { id: 9002, kind: 'palette', createdAt: '2022-08-02', settings: { primary: '#0050ff', secondary: '#fafafa' } },
  { id: 9003, kind: 'font', createdAt: '2022-09-14', settings: { family: 'Inter', weights: [400, 600] } },
  { id: 9004, kind: 'terms', createdAt: '2023-01-30', settings: { url: 'https://example.com/terms' } },
];

const quota = { left: async (client) => (client.role === 'exhausted' ? 0 : 1000) };

const app = new Koa();

app.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (error.status >= 400 && error.status < 500) return refuse(ctx, 1010);
    console.error(error);
    ctx.status = 500;
    ctx.body = { error_code: '500', error_message: 'internal server error' };
  }
});

app.use(async (ctx, next) => {
  // Koa returns an empty text for an absent header.
  const [apiKey, secretKey, version] = ['x-api-key', 'x-secret-key', 'x-version'].map((name) => ctx.get(name) || undefined);
  const client = clients.get(apiKey);
  const code = refusalOf(apiKey, secretKey, version);
  if (code && code !== 1020) return refuse(ctx, code);
  const left = FAULT === 'promise-compared' ? quota.left(client) : await quota.left(client);
  if (left <= 0) return refuse(ctx, 1020);
  ctx.state.client = client;
  await next();
  if (ctx.body === undefined) refuse(ctx, 1010);
});

const router = new Router({ prefix: '/api', strict: true, sensitive: true });
router.get('/customizations/list', (ctx) => {
  const version = ctx.get('x-version');
  if (FAULT === 'loose-version' ? version != 1 : version !== '1') {
    if (FAULT === 'body-without-status') {
      ctx.body = errorOf(1010);
      return;
    }
    return refuse(ctx, 1010);
  }
  const code = notPermitted(ctx.state.client.role);
  if (code) return refuse(ctx, code);

  const { limit } = ctx.query;
  if (limit !== undefined && !(typeof limit === 'string' && /^(100|[1-9]\d?)$/.test(limit))) return refuse(ctx, 1030);
  ctx.body = { count: customizations.length, customizations: customizations.slice(0, limit ? Number(limit) : undefined) };
});
app.use(router.routes());

const server = app.listen(Number(process.env.PORT), '127.0.0.1');
server.on('clientError', refuseUnparsed);
endAtSigterm(server);
