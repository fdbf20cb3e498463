import type { Kind, Material } from './fuzzed.ts'
import { gatewayFieldsOfStrangers } from './gateway-field-kinds.ts'
import { misplacedKinds } from './look-alike-kinds.ts'

/**
 * A flaw together with what some services let in for: a required value that stands in another field, a field that means
 * something to gateways. Nothing of it is as good as the required field, so that a success breaks a documented rule. A weight
 * of 4 in all.
 */
export function strangerKinds(material: Material): readonly Kind[] {
  return [...misplacedKinds(material), gatewayFieldsOfStrangers]
}
