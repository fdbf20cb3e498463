import { controlKinds } from './control-kinds.ts'
import type { Kind, Material } from './fuzzed.ts'
import { lineBreakKinds } from './line-break-kinds.ts'
import { oddVersionKinds } from './odd-version-kinds.ts'
import { oversizedKinds } from './oversized-kinds.ts'
import { credentialSubject, versionSubject } from './subject.ts'

/**
 * Values beyond ordinary bytes, for key, secret and version alike: control characters, broken and folded lines, sizes that
 * servers need not take; and versions that are not integers. A gate's kinds have a weight of 8 in all, all kinds of 10.
 */
export function oddValueKinds(material: Material): readonly Kind[] {
  const version = versionSubject(material)
  const subjects = [
    credentialSubject('x-api-key', material),
    credentialSubject('x-secret-key', material),
    version,
  ]
  return [
    ...oddVersionKinds(version),
    ...controlKinds(subjects),
    ...lineBreakKinds(subjects),
    ...oversizedKinds(subjects),
  ]
}
