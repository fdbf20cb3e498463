'use strict';
// The service on Fastify.
const { readFileSync } = require('node:fs');
const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto');
const Fastify = require('fastify');

const FAULT = process.env.FAULT || '';
const roles = JSON.parse(readFileSync(process.env.CLIENTS, 'utf8'));
const clients = new Map();
for (const [role, { apiKey, secretKey }] of Object.entries(roles)) clients.set(apiKey, { role, secretKey });

const ERRORS = {
  1001: { status: 400, message: 'api key header is missing' },
  1002: { status: 400, message: 'secret key header is missing' },
  1003: { status: 400, message: 'version header is missing' },
  1006: { status: 401, message: 'invalid api key' },
  1007: { status: 401, message: 'invalid secret key' },
  1010: { status: 400, message: 'endpoint not found for the specified version' },
  1011: { status: 401, message: 'inactive endpoint' },
  1012: { status: 401, message: 'customer not found' },
  1013: { status: 401, message: 'unauthorized_endpoint' },
  1020: { status: 429, message: 'daily quota limit exceeded' },
  1030: { status: 400, message: 'invalid input parameters' },
};

const fail = (reply, code) =>
  reply.code(ERRORS[code].status).send({ error_code: String(code), error_message: ERRORS[code].message });

const salt = randomBytes(32);
const hash = (text) => createHmac('sha256', salt).update(text).digest();

// The code of what is wrong with the credentials, if anything is.
function refusal(request) {
  const { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': version } = request.headers;
  if (apiKey === undefined) return 1001;
  if (secretKey === undefined) return 1002;
  if (version === undefined) return 1003;
  const client = clients.get(apiKey);
  if (client === undefined) return 1006;
  if (!timingSafeEqual(hash(secretKey), hash(client.secretKey))) return 1007;
  if (client.role === 'noCustomer') return 1012;
  if (client.role === 'exhausted') return 1020;
  request.clientRole = client.role;
  return undefined;
}

const app = Fastify({
  logger: false,
  forceCloseConnections: true,
  return503OnClosing: false,
  // A path that cannot be decoded: no hook runs for these.
  frameworkErrors(error, request, reply) {
    fail(reply, refusal(request) ?? 1010);
  },
  // What node's parser refuses never becomes a request.
  clientErrorHandler(error, socket) {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    const code = error.code === 'HPE_INVALID_METHOD' ? 1010 : 1030;
    const body = JSON.stringify({ error_code: String(code), error_message: ERRORS[code].message });
    socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  },
});

async function authenticate(request, reply) {
  const code = refusal(request);
  if (code !== undefined) return fail(reply, code);
}

app.decorateRequest('clientRole', '');
if (FAULT !== 'not-found-outside-hook') app.addHook('onRequest', authenticate);

app.setNotFoundHandler((request, reply) => fail(reply, 1010));
app.setErrorHandler((error, request, reply) => {
  if (error.validation) {
    if (FAULT === 'default-validation-body') return reply.code(400).send(error);
    return fail(reply, 1030);
  }
  // A body that Fastify could not read before it came to the not-found handler.
  if (error.statusCode >= 400 && error.statusCode < 500) return fail(reply, request.is404 ? 1010 : 1030);
  console.error(error);
  reply.code(500).send({ error_code: '500', error_message: 'internal server error' });
});

const CUSTOMIZATIONS = ['Aurora', 'Basalt', 'Coral', 'Dune', 'Ember', 'Fjord'].map((name, index) => ({
  customizationId: `0f8b2c4e-7d11-4a53-9c0e-00000000000${index + 1}`,
  name,
  status: index % 3 === 2 ? 'draft' : 'published',
  timestamps: { created: 1700000000 + index * 86400, updated: 1710000000 + index * 3600 },
  tags: index % 2 ? [] : ['seasonal'],
}));

const limitSchema = FAULT === 'coerced-limit'
  ? { type: 'integer', minimum: 1, maximum: 100 }
  : { type: 'string', pattern: '^([1-9][0-9]?|100)$' };

app.register(async (api) => {
  if (FAULT === 'not-found-outside-hook') api.addHook('onRequest', authenticate);
  api.addHook('preValidation', async (request, reply) => {
    if (request.headers['x-version'] !== '1') return fail(reply, 1010);
    if (request.clientRole === 'inactive') return fail(reply, 1011);
    if (request.clientRole === 'unauthorized') return fail(reply, 1013);
  });
  api.get('/customizations/list', {
    schema: { querystring: { type: 'object', properties: { limit: limitSchema } } },
  }, async (request) => {
    const { limit = CUSTOMIZATIONS.length } = request.query;
    return { customizations: CUSTOMIZATIONS.slice(0, Number(limit)) };
  });
}, { prefix: '/api' });

app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }).catch((error) => {
  console.error(error);
  process.exit(1);
});
process.on('SIGTERM', () => app.close());
