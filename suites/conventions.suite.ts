import { answers, sameOutcome, succeeds } from '../lib/judge/judge.ts'
import {
  area,
  countByClient,
  example,
  flawedRequests,
  onEachEndpoint,
  onEveryAnswer,
  rule,
  scenario,
  wrongKey,
  wrongSecret,
} from '../lib/run/plan/cases.ts'
import { formsOfValid, formsOfWrong } from './cases/header-forms.ts'
import { httpMessages } from './cases/http-messages.ts'

export const conventions = area('Conventions', [
  onEveryAnswer('conventions/json-response'),

  onEveryAnswer('conventions/json-content-type'),

  rule(
    'conventions/accept-optional',
    onEachEndpoint((endpoint, context) =>
      [
        { name: 'valid', request: endpoint.request, check: succeeds() },
        ...flawedRequests(context, endpoint),
      ].map(({ name, request, check }) => {
        const wanted = request.without('accept')
        return scenario(
          name,
          1,
          async (stage) => {
            const without = await stage.judgeKnown(wanted, check)
            if (without.judgement.kind === 'holds') return [without]

            const sent = await stage.send(request)
            return [{ ...without, judgement: sameOutcome(sent, without.exchange) }]
          },
          { wants: [wanted], byClient: countByClient([wanted]) },
        )
      }),
    ),
  ),

  rule(
    'conventions/header-case-insensitive',
    onEachEndpoint(({ request }, context) => {
      const flawed = [
        { of: 'key', wrong: request.with('x-api-key', wrongKey(context)), errorCode: '1006' },
        {
          of: 'secret',
          wrong: request.with('x-secret-key', wrongSecret(context)),
          errorCode: '1007',
        },
      ] as const
      return [
        ...formsOfValid(context).map(({ name, inForm }) =>
          example(`valid-${name}`, inForm(request), succeeds()),
        ),
        ...flawed.flatMap(({ of, wrong, errorCode }) =>
          formsOfWrong(of, context).map(({ name, inForm }) => ({
            ...example(`wrong-${of}-${name}`, inForm(wrong), answers({ status: 401, errorCode })),
            brokenIfServed: 'authentication/no-bypass' as const,
          })),
        ),
      ]
    }),
  ),

  rule('conventions/http-messages', httpMessages),
])
