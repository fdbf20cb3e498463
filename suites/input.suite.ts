import { answers, answersOneOf } from '../lib/judge/judge.ts'
import { area, example, NoAnswer, rule, scenario } from '../lib/run/plan/cases.ts'
import { success } from '../lib/specification/answers.ts'

const invalidInput = { status: 400, errorCode: '1030' } as const

export const input = area('Input', [
  rule(
    'input/invalid-parameters',
    ({ endpoints, fixtures, list }) => {
      const known = endpoints.filter(({ invalidQuery }) => invalidQuery !== null)
      if (known.length > 0) {
        const hint = `${fixtures.invalidQuery === null ? 'invalidQuery of the endpoints file' : 'FIXTURE_INVALID_QUERY'} is not invalid`
        return known.map(({ request, path, invalidQuery, named }) =>
          example(named('known-invalid'), request.to(`${path}?${invalidQuery}`), answers(invalidInput), hint),
        )
      }
      return [
        scenario('looked-for', likelyInvalid.length, async (stage) => {
          for (const query of likelyInvalid) {
            const tried = await stage.judge(
              list.request.withQuery(query),
              answersOneOf([success, invalidInput]),
            )
            if (tried.judgement.kind !== 'holds' || tried.exchange.response.status === 400) return [tried]
          }
          throw new NoAnswer(
            'unavailable',
            `no likely parameter (${likelyInvalid.join(', ')}) was refused: set FIXTURE_INVALID_QUERY to a query that must be refused`,
          )
        }),
      ]
    },
    { further: ['known-invalid'] },
  ),
])

/** Parameters that paginated services usually refuse. */
const likelyInvalid = 'limit=abc page=abc limit=-1 page=-1 offset=abc size=abc per_page=abc'.split(' ')
