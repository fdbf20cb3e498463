import { outcomeOf } from '../../lib/judge/explain.ts'
import { scenario, type Case } from '../../lib/engine/cases.ts'
import type { SuiteContext } from '../../lib/engine/suite-context.ts'

/** What HEAD and OPTIONS are answered with valid credentials: written down, never judged. */
export function otherMethods({ list, exhaustive }: SuiteContext): readonly Case[] {
  // What is only observed is not worth a gate's requests.
  if (!exhaustive) return []
  return ['HEAD', 'OPTIONS'].map((method) =>
    scenario(`${method.toLowerCase()}-observed`, 1, async ({ send, session }) => {
      const exchange = await send(list.request.method(method).trait({ observed: true }))
      session.log.note('methods', method, outcomeOf(exchange))
      return []
    }),
  )
}
