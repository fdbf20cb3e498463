import { answers, succeeds, sameOutcome } from '../lib/judge/judge.ts'
import { example, scenario } from '../lib/engine/cases.ts'
import type { TestRequest } from '../lib/engine/test-request.ts'
import { requiredFields } from '../lib/spec/endpoints.ts'
import { flawedRequests, wrongKey, wrongSecret } from '../lib/suite/flawed-requests.ts'
import { onEveryAnswer } from './cases/every-answer.ts'
import { area, rule } from '../lib/suite/rule.ts'

export const conventions = area('Conventions', [
  onEveryAnswer('conventions/json-response'),

  onEveryAnswer('conventions/json-content-type'),

  rule('conventions/accept-optional', (context) =>
    context.endpoints.flatMap((endpoint) =>
      [
        { name: 'valid', stimulus: endpoint.request, check: succeeds() },
        ...flawedRequests(context, endpoint),
      ].map(({ name, stimulus, check }) =>
        scenario(endpoint.named(name), 1, async (stage) => {
          const without = await stage.judge(stimulus.without('accept'), check)
          if (without.judgement.kind === 'holds') return [without]

          const sent = await stage.send(stimulus)
          return [{ ...without, judgement: sameOutcome(sent, without.exchange) }]
        }),
      ),
    ),
  ),

  rule('conventions/header-case-insensitive', (context) =>
    context.endpoints.flatMap((endpoint) => {
      const forms = [
        ...spellings.map(({ name, spell }) => ({ name, inForm: (one: TestRequest) => one.named(spell) })),
        ...orders.map(({ name, fields }) => ({ name, inForm: (one: TestRequest) => one.ordered(fields) })),
      ]
      const flawed = [
        {
          name: 'wrong-key',
          stimulus: endpoint.request.with('x-api-key', wrongKey(context)),
          check: answers({ status: 401, errorCode: '1006' }),
        },
        {
          name: 'wrong-secret',
          stimulus: endpoint.request.with('x-secret-key', wrongSecret(context)),
          check: answers({ status: 401, errorCode: '1007' }),
        },
      ]
      // A gate tries the forms that differ most, and on flawed requests fewer of them.
      const onValid = forms.filter(({ name }) => context.exhaustive || inGate.has(name))
      const telling = forms.filter(({ name }) => context.exhaustive || tellingForms.has(name))

      return [
        ...onValid.map(({ name, inForm }) =>
          example(endpoint.named(`valid-${name}`), inForm(endpoint.request), succeeds()),
        ),
        ...flawed.flatMap(({ name: flaw, stimulus, check }) =>
          telling.map(({ name, inForm }) => ({
            ...example(endpoint.named(`${flaw}-${name}`), inForm(stimulus), check),
            lettingInBreaks: 'authentication/no-bypass' as const,
          })),
        ),
      ]
    }),
  ),
])

const inGate = new Set([
  'upper-case',
  'capitalised',
  'mixed-case',
  'version-secret-api',
  'secret-version-api',
])
const tellingForms = new Set(['upper-case', 'version-secret-api'])

const spellings = [
  { name: 'upper-case', spell: (name: string) => name.toUpperCase() },
  {
    name: 'capitalised',
    spell: (name: string) => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()),
  },
  {
    name: 'mixed-case',
    spell: (name: string) => name.replace(/.[a-z]?/g, (pair) => pair[0] + pair.slice(1).toUpperCase()),
  },
] as const

/** Every order of the three fields but the plain request's own. */
const orders = requiredFields
  .flatMap((first) =>
    requiredFields
      .filter((name) => name !== first)
      .map((second) => [
        first,
        second,
        ...requiredFields.filter((name) => name !== first && name !== second),
      ]),
  )
  .slice(1)
  .map((fields) => ({ name: fields.map((name) => name.replace(/^x-|-key$/g, '')).join('-'), fields }))
