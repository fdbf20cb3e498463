import { example, scenario } from '../lib/engine/cases.ts'
import type { TestRequest } from '../lib/engine/test-request.ts'
import { answers, sameOutcome, succeeds } from '../lib/judge/judge.ts'
import { requiredFields } from '../lib/spec/endpoints.ts'
import { flawedRequests, wrongKey, wrongSecret } from '../lib/suite/flawed-requests.ts'
import { area, onEachEndpoint, onEveryAnswer, rule } from '../lib/suite/rule.ts'

export const conventions = area('Conventions', [
  onEveryAnswer('conventions/json-response'),

  onEveryAnswer('conventions/json-content-type'),

  rule(
    'conventions/accept-optional',
    onEachEndpoint((endpoint, context) =>
      [
        { name: 'valid', request: endpoint.request, check: succeeds() },
        ...flawedRequests(context, endpoint),
      ].map(({ name, request, check }) =>
        scenario(name, 1, async (stage) => {
          const without = await stage.judge(request.without('accept'), check)
          if (without.judgement.kind === 'holds') return [without]

          const sent = await stage.send(request)
          return [{ ...without, judgement: sameOutcome(sent, without.exchange) }]
        }),
      ),
    ),
  ),

  rule(
    'conventions/header-case-insensitive',
    onEachEndpoint(({ request }, context) => {
      const { exhaustive } = context
      const flawed = [
        {
          flaw: 'wrong-key',
          wrong: request.with('x-api-key', wrongKey(context)),
          check: answers({ status: 401, errorCode: '1006' }),
        },
        {
          flaw: 'wrong-secret',
          wrong: request.with('x-secret-key', wrongSecret(context)),
          check: answers({ status: 401, errorCode: '1007' }),
        },
      ]
      // A gate tries the forms that differ most, and fewer of them on flawed requests.
      const onValid = forms.filter(({ name }) => exhaustive || inGate.has(name))
      const onFlawed = forms.filter(({ name }) => exhaustive || onFlawedInGate.has(name))

      return [
        ...onValid.map(({ name, inForm }) => example(`valid-${name}`, inForm(request), succeeds())),
        ...flawed.flatMap(({ flaw, wrong, check }) =>
          onFlawed.map(({ name, inForm }) => ({
            ...example(`${flaw}-${name}`, inForm(wrong), check),
            lettingInBreaks: 'authentication/no-bypass' as const,
          })),
        ),
      ]
    }),
  ),
])

interface Form {
  readonly name: string
  readonly inForm: (request: TestRequest) => TestRequest
}

const spellings: readonly Form[] = [
  { name: 'upper-case', inForm: (one) => one.named((name) => name.toUpperCase()) },
  {
    name: 'capitalised',
    inForm: (one) => one.named((name) => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())),
  },
  {
    name: 'mixed-case',
    inForm: (one) =>
      one.named((name) => name.replace(/.[a-z]?/g, (pair) => pair[0] + pair.slice(1).toUpperCase())),
  },
]

/** Every order of the three fields except the plain request's own. */
const orders: readonly Form[] = requiredFields
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
  .map((fields) => ({
    name: fields.map((name) => name.replace(/^x-|-key$/g, '')).join('-'),
    inForm: (one) => one.ordered(fields),
  }))

const forms = [...spellings, ...orders]
const inGate = new Set([
  'upper-case',
  'capitalised',
  'mixed-case',
  'version-secret-api',
  'secret-version-api',
])
const onFlawedInGate = new Set(['upper-case', 'version-secret-api'])
