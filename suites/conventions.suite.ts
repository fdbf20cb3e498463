import { describe } from 'vitest'
import { answers, succeeds } from '../lib/judge/judge.ts'
import { sameOutcome } from '../lib/judge/same-outcome.ts'
import { example, scenario } from '../lib/session/cases.ts'
import { requiredFields } from '../lib/spec/endpoints.ts'
import { flawedRequests, wrongKey } from '../lib/suite/flawed-requests.ts'
import { rule } from '../lib/suite/rule.ts'

describe('Conventions', () => {
  rule('conventions/accept-optional', (context) =>
    context.endpoints.flatMap((endpoint) =>
      [
        { name: 'valid', stimulus: endpoint.request, check: succeeds() },
        ...flawedRequests(context, endpoint),
      ].map(({ name, stimulus, check }) =>
        scenario(endpoint.named(name), 2, async (stage) => {
          const without = await stage.judge(stimulus.without('accept'), check)
          if (without.judgement.kind === 'holds') return [without]

          const sent = await stage.send(stimulus)
          return [{ ...without, judgement: sameOutcome(sent, without.exchange) }]
        }),
      ),
    ),
  )

  rule('conventions/header-case-insensitive', (context) =>
    context.endpoints.flatMap((endpoint) => {
      const wrong = endpoint.request.with('x-api-key', wrongKey(context))

      return [
        ...spellings.map(({ name, spell }) =>
          example(endpoint.named(`valid-${name}`), endpoint.request.named(spell), succeeds()),
        ),
        ...orders.map((order) =>
          example(endpoint.named(`valid-${order.name}`), endpoint.request.ordered(order.fields), succeeds()),
        ),
        ...spellings.map(({ name, spell }) =>
          example(
            endpoint.named(`wrong-key-${name}`),
            wrong.named(spell),
            answers({ status: 401, errorCode: '1006' }),
          ),
        ),
        ...orders
          .slice(-2)
          .map((order) =>
            example(
              endpoint.named(`wrong-key-${order.name}`),
              wrong.ordered(order.fields),
              answers({ status: 401, errorCode: '1006' }),
            ),
          ),
      ]
    }),
  )
})

const spellings = [
  { name: 'upper-case', spell: (name: string) => name.toUpperCase() },
  {
    name: 'mixed-case',
    spell: (name: string) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()),
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
