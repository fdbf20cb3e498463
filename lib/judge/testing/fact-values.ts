import { flaws, flawless } from '../../specification/flaws.ts'
import { memberNames } from '../../text/members.ts'

export const factValues = {
  apiKey: [flawless.apiKey, ...memberNames(flaws.apiKey)],
  secretKey: [flawless.secretKey, ...memberNames(flaws.secretKey)],
  version: [flawless.version, ...memberNames(flaws.version)],
  endpoint: [flawless.endpoint, ...memberNames(flaws.endpoint)],
  state: [flawless.state, ...memberNames(flaws.state)],
  customer: [flawless.customer, ...memberNames(flaws.customer)],
  permission: [flawless.permission, ...memberNames(flaws.permission)],
  quota: [flawless.quota, ...memberNames(flaws.quota)],
  input: [flawless.input, ...memberNames(flaws.input)],
}
