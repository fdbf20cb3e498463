import { derivedSecret } from '../../lib/generate/mutated-value.ts'
import { answersOneOf } from '../../lib/judge/judge.ts'
import { allowed } from '../../lib/judge/allowed.ts'
import { factsOf } from '../../lib/judge/facts.ts'
import { scenario, type Scenario } from '../../lib/engine/cases.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/suite-context.ts'

/**
 * The key without its last character, which stands before the secret instead: a cache that joins the two without a separator finds the
 * success before it. No character of the secret enters the key, which services may log.
 */
export function lengthenedSecret({ target, knowledge }: SuiteContext, endpoint: JudgedEndpoint): Scenario {
  const { apiKey, secretKey } = target
  const [key, secret] = [apiKey.reveal(), secretKey.reveal()]
  const moved = derivedSecret(
    secretKey,
    'with the last character of the key before it',
    key.slice(-1) + secret,
  )
  const stimulus = endpoint.request
    .with('x-api-key', derivedSecret(apiKey, 'without its last character', key.slice(0, -1)))
    .with('x-secret-key', moved)
  const check = answersOneOf(allowed(factsOf(stimulus.request, knowledge)))

  return scenario(endpoint.named('key-and-secret-joined'), 2, async (stage) => [
    await stage.served(endpoint.request),
    await stage.judge(stimulus, check),
  ])
}
