import { ruleIds, ruleOf } from '../rules.ts'

/** How many rules there are. */
export const ruleCount = ruleIds.length

/** How many of them are about the service. */
export const serviceRules = ruleIds.filter((id) => ruleOf(id).level !== 'expectation').length
