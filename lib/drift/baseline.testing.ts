import fc from 'fast-check'
import { emptyBaseline, observe, type Baseline, type ObservedAnswer } from './baseline.ts'
import { json } from './json.testing.ts'

/** Answers with few request names, so that some names repeat. */
export const observations: fc.Arbitrary<ObservedAnswer> = fc.record({
  requestName: fc.constantFrom('GET /a | none', 'GET /a | no api key', '__proto__', ''),
  status: fc.constantFrom(200, 400, 401),
  errorCode: fc.constantFrom(null, '1001', '1006', 'E17'),
  body: fc.option(json.map((value) => ({ value }))),
})

/** Baselines of up to ten answers. */
export const baselines: fc.Arbitrary<Baseline> = fc
  .array(observations, { maxLength: 10 })
  .map((all) => all.reduce(observe, emptyBaseline))
