import { holdsSecret } from './hide-secrets.ts'
import type { Mistake } from './mistake.ts'

/** Below this a credential occurs in a query by chance. */
const shortestFound = 4

/** What is wrong with a query, as mistakes of `setting`. A credential in a URL would end up in every log on its way. */
export function queryMistakes(
  setting: string,
  query: string,
  credentials: readonly string[],
): readonly Mistake[] {
  return [
    ...(query.startsWith('?')
      ? [{ setting, given: query, expected: 'a query without the question mark', hint: 'leave the ? out' }]
      : []),
    ...(query.includes('#')
      ? [
          {
            setting,
            given: query,
            expected: 'a query without a fragment (#…)',
            hint: 'a # in a value is %23',
          },
        ]
      : []),
    ...(/[^!-~]/.test(query)
      ? [
          {
            setting,
            given: query,
            expected: 'a query of visible ASCII characters, without white space',
            hint: 'percent-encode the others: a space is %20',
          },
        ]
      : []),
    ...(holdsSecret(
      query,
      credentials.filter((credential) => credential.length >= shortestFound),
    )
      ? [
          {
            setting,
            given: `a query of ${query.length} characters that holds a credential`,
            expected: 'a query without any of the configured credentials',
            hint: 'credentials go into headers; a URL is written to logs',
          },
        ]
      : []),
  ]
}
