import { echoes } from '../../echoes/all-echoes.ts'
import type { Echo } from '../../echoes/echo.ts'
import { cannotBeJudged } from '../../targets/cannot-be-judged.ts'
import { misread } from '../../targets/easily-misread.ts'
import { hostile } from '../../targets/hostile.ts'
import { large } from '../../targets/large.ts'
import type { ProofTarget } from '../../targets/target.ts'
import { tls } from '../../targets/tls.ts'
import type { Service } from '../service.ts'

/** Every target that cannot be judged, is hostile, or is easily misread. */
export const targets: readonly ProofTarget[] = [...cannotBeJudged, ...tls, ...hostile, ...large, ...misread]

/** These as services. */
export const targetServices: readonly Service[] = targets.map(fromTarget)

/** Services that repeat the credentials they receive. */
export const echoServices: readonly Service[] = echoes.map(fromEcho)

function fromTarget({ name, exit, rules, says, also, profiles, over, start }: ProofTarget): Service {
  const expects = { exit, by: rules, says, inPart: true, ...also } as const
  return {
    of: 'targets',
    name,
    expects,
    profiles: profiles ?? ['gate', 'acceptance'],
    over: over ?? 'process',
    start,
  }
}

/** The stated exit code is the one of a gate; other profiles may differ. */
function fromEcho({ name, exit, rules, start }: Echo): Service {
  const expects = { exit, by: rules, inPart: true } as const
  return { of: 'echoes', name, expects, profiles: ['gate'], over: 'program', start }
}
