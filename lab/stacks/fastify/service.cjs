'use strict';
// The service on Fastify.
const Fastify = require('fastify');
const contract = require('../contract.cjs');
const { FAULT, errors, clients, errorOf, refusalOf, notPermitted, refuseUnparsed } = contract;

const fail = (reply, code) => reply.code(errors[code][0]).send(errorOf(code));

// The code of a flaw in the credentials, or undefined.
function refusal(request) {
  const { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': version } = request.headers;
  request.clientRole = clients.get(apiKey)?.role;
  return refusalOf(apiKey, secretKey, version);
}

const app = Fastify({
  logger: false,
  forceCloseConnections: true,
  return503OnClosing: false,
  // A path that cannot be decoded: no hook runs for it.
  frameworkErrors(error, request, reply) {
    fail(reply, refusal(request) ?? 1010);
  },
  clientErrorHandler: refuseUnparsed,
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
  // A body that Fastify could not read before the not-found handler ran.
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
    const code = notPermitted(request.clientRole);
    if (code) return fail(reply, code);
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
