import { brokenEncodingKinds } from './broken-encoding-kinds.ts'
import { disguiseKinds } from './disguise-kinds.ts'
import type { CredentialField, Kind, Material } from './fuzzed.ts'
import { injectionKinds, loneSignKinds } from './injection-kinds.ts'
import { literalKinds } from './literal-kinds.ts'
import { nearMissKinds } from './near-miss-kinds.ts'
import { presenceKinds } from './presence-kinds.ts'
import { sizeKinds } from './size-kinds.ts'
import { storeKinds } from './store-kinds.ts'
import { credentialSubject } from './subject.ts'
import { separatorAtEndKinds, unicodeKinds } from './unicode-kinds.ts'
import { whiteSpaceAroundKinds, whiteSpaceInsideKinds } from './white-space-kinds.ts'

/**
 * What is sent in the place of a credential: values that nearly equal it first, half of all cases; then all else that is wrong
 * with a header value, as far as every HTTP client can send it. A gate's kinds have a weight of 20 in all, all kinds of 23.
 */
export function credentialKinds(field: CredentialField, material: Material): readonly Kind[] {
  const subject = credentialSubject(field, material)
  return [
    ...nearMissKinds(subject),
    ...storeKinds(subject),
    ...disguiseKinds(subject, material),
    ...loneSignKinds(subject),
    ...literalKinds(subject),
    ...sizeKinds(subject),
    ...whiteSpaceInsideKinds(subject),
    ...unicodeKinds(subject),
    ...brokenEncodingKinds(subject),
    ...presenceKinds(subject),
    ...whiteSpaceAroundKinds(subject),
    ...injectionKinds(subject),
    ...separatorAtEndKinds(subject),
  ]
}
