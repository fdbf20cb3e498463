import { memberNames } from '../../text/members.ts'
import { oracle } from '../facts.ts'

export const factValues = {
  apiKey: memberNames(oracle.apiKey),
  secretKey: memberNames(oracle.secretKey),
  version: memberNames(oracle.version),
  endpoint: memberNames(oracle.endpoint),
  state: memberNames(oracle.state),
  customer: memberNames(oracle.customer),
  permission: memberNames(oracle.permission),
  quota: memberNames(oracle.quota),
  input: memberNames(oracle.input),
}
