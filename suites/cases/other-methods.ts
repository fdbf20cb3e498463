import { outcomeOf } from '../../lib/judge/explain.ts'
import { scenario, type Case } from '../../lib/engine/cases.ts'
import type { SuiteContext } from '../../lib/engine/suite-context.ts'

/** What HEAD and OPTIONS are answered with valid credentials: written down, never judged. */
export function otherMethods({ list, exhaustive }: SuiteContext): readonly Case[] {
  // What is only observed is not worth a gate's requests.
  if (!exhaustive) return []
  return ['HEAD', 'OPTIONS'].map((method) =>
    scenario(`${method.toLowerCase()}-observed`, 1, async (stage) => {
      const exchange = await stage.send(list.request.method(method).trait({ observed: true }))
      stage.observations.note('methods', method, outcomeOf(exchange))
      return []
    }),
  )
}
