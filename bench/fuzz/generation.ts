import { caseClasses } from '../../lib/generate/case-classes.ts'
import { readBody } from '../../lib/http/body.ts'
import type { Response } from '../../lib/http/exchange.ts'
import type { Property } from '../../lib/engine/cases.ts'
import { isRuleId } from '../../lib/spec/rules.ts'
import { propertyOf } from '../../lib/suite/fuzz.ts'
import { contextOf, settingsFor, type Tell } from './subject.ts'

const cases = 100_000
const asked = 100_000

/** How many cases a second are generated and judged on one core, without a network; by the processor's time, so that nobody else counts. */
export async function generation(tell: Tell): Promise<boolean> {
  const context = contextOf(await settingsFor('http://127.0.0.1:1', { RUN_FUZZ_CASES: String(cases) }))
  const response: Response = {
    status: 401,
    reason: 'Unauthorized',
    fields: [['content-type', 'application/json']],
    trailers: [],
    ...readBody(Buffer.from('{"error_code":"1006","error_message":"unknown key"}')),
  }
  let [judged, spent] = [0, 0]
  for (const [rule, classesOf] of Object.entries(caseClasses)) {
    if (!isRuleId(rule)) throw new TypeError(rule)
    const property = propertyOf(rule, classesOf, context)
    if ('untested' in property) throw new Error(property.untested)
    judgeSome(property, 20_000, response)
    const seconds = processorTime(() => judgeSome(property, cases, response))
    tell(`${rule}: ${Math.round(cases / seconds)} cases/s`)
    judged += cases
    spent += seconds
  }
  const rate = Math.round(judged / spent)
  tell(`all rules: ${rate} cases/s, generated and judged on one core (asked: ${asked})`)
  return rate >= asked
}

function judgeSome(property: Property, most: number, response: Response): void {
  let left = most
  for (const one of property.cases()) {
    if (left === 0) return
    left -= 1
    const { request } = one.request
    const before = one.before === null ? null : { request, response, durationMs: 1, reused: false }
    one.check(before).judge({ request, response, durationMs: 1, reused: false })
  }
}

/** In seconds, of all threads of this process. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}
