// The compiled library of the package, or of a checkout, which is compiled if needed. A test compares the names with
// lib/doors/library/library.ts.
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
