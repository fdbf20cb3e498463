import { suites } from '../../../suites/index.ts'
import { settingsOf } from '../../../lib/doors/cli/serve-command.ts'
import { judge } from '../../../lib/engine/run/run.ts'
import { findFault } from '../../service/find.ts'
import { startService } from '../../service/start.ts'
import { answering } from '../measure/child.ts'
import { settingsFrom } from '../measure/settings.ts'
import type { Fixtures } from '../peers/hand-written.ts'
import { newmanFails } from '../peers/newman.ts'
import { pactumFails } from '../peers/pactum.ts'

/** Who looks for faults. */
export type Seeker = 'gate' | 'essential' | 'newman' | 'pactum'

/** A service to be looked at: one with this fault, or the plain one. */
export interface Suspect {
  readonly seeker: Seeker
  readonly fault: string | null
}

/** A bent service need not be waited for longer than this, in milliseconds: some never answer. */
const patienceMs = 1_000
/** A body that drips for ever passes the time limits of newman and pactum: then the service is cut off, which they report. */
const longestMs = 15_000

const catches: Readonly<Record<Seeker, (fixtures: Fixtures, fault: string | null) => Promise<boolean>>> = {
  gate: gateCatches,
  essential: (fixtures, fault) => gateCatches({ ...fixtures, RUN_ESSENTIAL: 'true' }, fault),
  newman: (fixtures) => newmanFails(fixtures, patienceMs),
  pactum: (fixtures) => pactumFails(fixtures, patienceMs),
}

/** Whether a rule that is named for the fault is red; of the plain service, whether any is. */
async function gateCatches(fixtures: Fixtures, fault: string | null): Promise<boolean> {
  const settings = await settingsFrom({ ...fixtures, RUN_TIMEOUT_MS: String(patienceMs) })
  const { verdict } = await judge(settings, suites)
  const red = verdict.rules.filter(({ status }) => status === 'failed' || status === 'warned')
  const named: readonly string[] | null = fault === null ? null : findFault(fault).rules
  return red.some(({ id }) => named === null || named.includes(id))
}

answering<Suspect, boolean>(async ({ seeker, fault }) => {
  const service = await startService({ faults: fault === null ? [] : [fault] })
  const isPeer = seeker === 'newman' || seeker === 'pactum'
  const timer = isPeer ? setTimeout(() => void service.close(), longestMs) : undefined
  try {
    return await catches[seeker](settingsOf(service), fault)
  } finally {
    clearTimeout(timer)
    await service.close()
  }
})
