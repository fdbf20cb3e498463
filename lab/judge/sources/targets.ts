import { echoes } from '../../echoes/all-echoes.ts'
import type { Echo } from '../../echoes/echo.ts'
import { targets } from '../../targets/all-targets.ts'
import type { ProofTarget } from '../../targets/target.ts'
import type { Service } from '../service.ts'

/** Targets that cannot be judged, or are hostile. */
export const targetServices: readonly Service[] = targets.map(fromTarget)

/** Services that repeat the credentials they receive. */
export const echoServices: readonly Service[] = echoes.map(fromEcho)

function fromTarget({ name, about, exit, rules, says, also, profiles, over, start }: ProofTarget): Service {
  const expects = { exit, by: rules, says, inPart: true, ...also } as const
  return {
    of: 'targets',
    name,
    about,
    expects,
    profiles: profiles ?? ['gate', 'acceptance'],
    over: over ?? 'process',
    start,
  }
}

/** The stated exit code is the one of a gate; other profiles may differ. */
function fromEcho({ name, about, exit, rules, start }: Echo): Service {
  const expects = { exit, by: rules, inPart: true } as const
  return { of: 'echoes', name, about, expects, profiles: ['gate'], over: 'program', start }
}
