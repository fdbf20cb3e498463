import { credentialKinds } from './credential-kinds.ts'
import { combinedFlawKinds } from './flaw-kinds.ts'
import type { Kind, Material } from './fuzzed.ts'
import { headerLineKinds } from './header-line-kinds.ts'
import { pathKinds } from './path-kinds.ts'
import { queryKinds } from './query-kinds.ts'
import { strangerKinds } from './stranger-kinds.ts'
import { oddValueKinds } from './value-line-kinds.ts'
import { versionKinds } from './version-kinds.ts'

/** What each rule that generates its cases sends. */
export const kindsOfRules = {
  'fuzz/api-key': (material) => credentialKinds('x-api-key', material),
  'fuzz/secret-key': (material) => credentialKinds('x-secret-key', material),
  'fuzz/version': versionKinds,
  'fuzz/path': pathKinds,
  'fuzz/query': queryKinds,
  'fuzz/headers': (material) => [...headerLineKinds(material), ...oddValueKinds(material)],
  'fuzz/combined-flaws': (material) => [...combinedFlawKinds(material), ...strangerKinds(material)],
} as const satisfies Readonly<Record<string, (material: Material) => readonly Kind[]>>
