import { ruleIds, ruleOf } from '../rules.ts'

/** The number of rules about the service. */
export const serviceRules = ruleIds.filter((id) => ruleOf(id).level !== 'expectation').length
