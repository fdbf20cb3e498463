import { clientFieldKinds } from './client-field-kinds.ts'
import { duplicateKinds } from './duplicate-kinds.ts'
import { equivalentLineKinds } from './equivalent-line-kinds.ts'
import type { Kind, Material } from './fuzzed.ts'
import { gatewayFieldKinds } from './gateway-field-kinds.ts'
import { oddNameKinds } from './look-alike-kinds.ts'
import { parameterOrder } from './parameter-order-kind.ts'

/** What `fuzz/headers` does to header lines and to the order of things, values apart. */
export function headerLineKinds(material: Material): readonly Kind[] {
  return [
    ...equivalentLineKinds(),
    ...clientFieldKinds(material),
    ...duplicateKinds(material),
    ...oddNameKinds(),
    ...gatewayFieldKinds(),
    parameterOrder(material),
  ]
}
