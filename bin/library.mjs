// The library: compiled beside it in the package, or from the sources of a checkout, compiled where that is needed. A test holds the names
// against lib/doors/library/library.ts.
import { existsSync } from 'node:fs'

const isCheckout = existsSync(new URL('../lib/doors/library/library.ts', import.meta.url))
const program = isCheckout ? (await import('./build.mjs')).built() : new URL('../dist/', import.meta.url)

export const {
  adding,
  answers,
  answersOneOf,
  area,
  caseClass,
  describeIssues,
  example,
  findingText,
  fuzzed,
  inTurn,
  judge,
  judged,
  neverSucceeds,
  onEachEndpoint,
  plan,
  readSettings,
  rule,
  sameOutcome,
  scenario,
  setting,
  startProxy,
  startReference,
  succeeds,
  succeedsWith,
  suites,
  verdictJson,
  withPath,
  withQuery,
  withTarget,
  without,
  writeReports,
} = await import(new URL('lib/chunks/library.js', program).href)
