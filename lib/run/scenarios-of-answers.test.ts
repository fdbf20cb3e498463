import { expect, test } from 'vitest'
import { holds, succeeds, succeedsWith, type Check } from '../judge/judge.ts'
import { answer, refused, served } from '../judge/testing/exchanges.ts'
import { Secret } from '../redact/secret.ts'
import { clients } from '../serve/reference/clients.ts'
import type { RuleId } from '../specification/rules.ts'
import { example } from './plan/cases.ts'
import { rule } from './plan/rule.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  among,
  asking,
  missing,
  noKey,
  plays,
  ruled,
  saying,
  type Came,
  type Meets,
  type Play,
  type Row,
} from './testing/played.ts'

const ruleId = 'authentication/api-key-missing'
const optional = 'conventions/accept-optional'
const wrong = refused(401, '1006')
const { apiKey, secretKey } = clients.permitted

/** A finding of the rule about a missing key. */
function seen(reproduced: string, cases = 'a', difference = 'another answer'): string {
  return `${ruleId}: ${cases}, ${reproduced}: ${difference}`
}

/** A verdict with this observation. */
const noting = (id: string, value: object): Came['verdict'] => ({
  observations: expect.arrayContaining([{ id, value }]),
})
const missingBody = { error_code: '1001', error_message: 'a' }
const twoTypes = ['application/json', 'application/json'].map((type) => ['content-type', type] as const)
/** Holds if the answer was cut. */
const beginning: Check = {
  allowed: [],
  judge: ({ response }) =>
    response.cutFrom === undefined ? { kind: 'unclear', because: 'all came' } : holds,
}

const mustNotServe = (met: Meets): Partial<Play> => ({
  rules: [
    asking(ruleId, 'a', (one) => one.without('x-api-key'), missing, {
      brokenIfServed: 'authentication/no-bypass',
    }),
  ],
  service: { a: [met] },
})

const page = answer(500, '<html>oops', { fields: [['content-type', 'text/html']] })
const coded = (status: number, code: string): Meets =>
  answer(status, { error_code: code, error_message: 'a' }, { fields: [['content-type', 'text/x']] })
/** A case that is only observed, with this answer. */
const observed = (met: Meets): Partial<Play> => ({
  rules: [
    asking(ruleId, 'a', (one) => one.without('x-api-key').trait({ observed: true }), {
      allowed: [],
      judge: () => holds,
    }),
  ],
  service: { a: [met] },
})
const notDocumented = { found: ['errors/documented-pairs: a, 3 of 3: not a documented pair'] }

const near = new Secret('TARGET_API_KEY with character 7 changed', `${apiKey.slice(0, 7)}#${apiKey.slice(8)}`)
/** A request whose credential comes back as the error code. */
const echoing = (change: (request: TestRequest) => TestRequest, status: number): Partial<Play> => ({
  rules: [asking(ruleId, 'a', change, missing)],
  service: ({ name, apiKey: key = '' }) =>
    name === 'a'
      ? answer(
          status,
          { error_code: key, error_message: `invalid: ${key}` },
          {
            fields: [
              ['content-type', 'application/json'],
              ['location', `/?key=${key}`],
            ],
          },
        )
      : null,
})
/** A verdict with a finding like this. */
const findingOf = (id: RuleId, like: object): Came['verdict'] =>
  ruled({ [id]: { findings: [expect.objectContaining(like)] } })
const echoed = (name: string, status: number): Came => ({
  found: among('errors/documented-pairs: a, 3 of 3'),
  verdict: findingOf('errors/documented-pairs', {
    answered: { status, errorCode: `<${name}>` },
    summary: saying(`<${name}>`),
    exchange: expect.objectContaining({
      response: expect.objectContaining({ body: saying(`invalid: <${name}>`) }),
    }),
  }),
})
const notJson = (what: string): string =>
  `a body that is not JSON (${what}), although every body is documented as JSON`

test.for<Row>([
  [
    'answered with a page breaks several rules, which are confirmed together',
    { rules: [noKey('a')], service: { a: [page] } },
    {
      found: [
        'conventions/json-response: a, 3 of 3: body is not JSON',
        'conventions/json-content-type: a, 3 of 3: another content-type',
        seen('3 of 3', 'a', 'body is not JSON'),
        'errors/body-shape: a, 3 of 3: body is not JSON',
        'errors/documented-pairs: a, 3 of 3: not a documented pair',
      ],
      order: 'plain a a plain a',
    },
  ],
  ...[404, 501].map((status): Row => [
    `that is only observed may be answered ${status}`,
    observed(coded(status, '9')),
  ]),
  ['that is only observed may not be answered 500', observed(coded(500, '9')), notDocumented],
  ['that is only observed may not be answered 503 with a code', observed(coded(503, '1001')), notDocumented],
  [
    'that is only observed may not be answered with the secret',
    observed(answer(400, secretKey)),
    { found: ['security/no-secret-echo: a, 3 of 3: secret in the body'] },
  ],
  [
    'whose answer repeats its key as the code is reported without the key',
    echoing((one) => one.without('x-version'), 400),
    echoed('TARGET_API_KEY', 400),
  ],
  [
    'whose answer repeats its near miss of the key as the code is reported without that value',
    echoing((one) => one.with('x-api-key', near), 401),
    echoed(near.name, 401),
  ],
  [
    'of another client that does not succeed is reported with another possible explanation',
    {
      fixtures: ['FIXTURE_SECOND'],
      rules: [
        rule('versioning/default-version', ({ list }) =>
          list.of('second').map((one) => example('second', one, succeeds())),
        ),
      ],
      service: { second: [refused(401, '1013')] },
    },
    {
      found: among('endpoints/list-succeeds: second'),
      verdict: findingOf('endpoints/list-succeeds', {
        summary:
          'answered 401 / 1013 where success is documented, or the client of FIXTURE_SECOND_API_KEY may not use the endpoint',
      }),
    },
  ],
  [
    'answered without JSON during start-up or rate limiting leaves only an observation',
    {
      service: {
        plain: [
          { ...page, status: 503 },
          answer(429, 'slow', { fields: [['content-type', 'text/plain']] }),
          null,
        ],
      },
    },
    {
      trouble: expect.anything(),
      verdict: noting('not-json', {
        '429 without 1020': notJson('text/plain'),
        '503 before the first answer': notJson('text/html'),
      }),
    },
  ],

  [
    'that is served also breaks authentication/no-bypass',
    mustNotServe(served),
    { found: [seen('3 of 3'), 'authentication/no-bypass: a, 3 of 3: another answer'] },
  ],
  [
    'that is refused with another code breaks only its own rule',
    mustNotServe(wrong),
    { found: [seen('3 of 3')] },
  ],
  [
    'whose answer fails only after a tolerated change is not sent again: the suite is at fault',
    {
      rules: [
        asking(
          optional,
          'a',
          (one) => one.without('accept'),
          succeedsWith((body) => (Object.keys(Object(body)).length > 2 ? 'it holds more' : null)),
        ),
      ],
    },
    {
      found: ['tolerance/added-properties: a, 1 of 1: not tolerated: it holds more'],
      order: 'plain a',
      exitCode: 4,
    },
  ],
  ...(
    [
      [optional, []],
      ['mine/long', ['all came']],
    ] as const
  ).map(([id, left]): Row => [
    `whose answer is long is judged ${id === optional ? 'by its beginning' : 'as a whole by rules of users'}`,
    {
      rules: [
        rule(
          id === optional ? id : { id, level: 'documented', section: 'Mine', says: 'it is long' },
          ({ list }) => [example('a', list.request.with('x-case', 'a'), beginning)],
        ),
      ],
      service: { a: [answer(200, 'x'.repeat(1_000_000))] },
    },
    { left, found: among('conventions/json-response: a') },
  ]),
  [
    'whose answer has two equal content types breaks no rule',
    { service: { a: [answer(400, missingBody, { fields: twoTypes })] } },
  ],
  [
    'whose answer has duplicate members leaves an observation and breaks no rule',
    {
      service: {
        a: [answer(400, '{"error_code":"1001","error_code":"1001","error_message":"a","x":{"b":1,"b":2}}')],
      },
    },
    { verdict: noting('duplicate-members', { b: '400 / 1001', error_code: '400 / 1001' }) },
  ],
  ...[true, undefined].map((warning): Row => [
    `whose answer begins with a byte order mark ${warning === true ? 'gets a warning' : 'is a breach in a strict run'}`,
    {
      service: { a: [answer(400, `\uFEFF${JSON.stringify(missingBody)}`)] },
      env: { RUN_STRICT: String(warning !== true) },
    },
    {
      found: ['conventions/json-response: a, 3 of 3: byte order mark'],
      verdict: findingOf('conventions/json-response', {
        summary: saying('U+FEFF'),
        ...(warning && { warning }),
      }),
      exitCode: warning === true ? 0 : 1,
    },
  ]),
  [
    'adds to the duration of its rule and is reported with the number of requests sent',
    {},
    {
      verdict: { rules: expect.arrayContaining([expect.objectContaining({ id: ruleId, durationMs: 3 })]) },
      events: expect.arrayContaining([
        expect.objectContaining({ kind: 'answered' }),
        { kind: 'request-done', sent: 4 },
      ]),
    },
  ],
])('a request %s', plays)
