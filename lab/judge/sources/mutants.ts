import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { settingsOf } from '../../../lib/doors/cli/serve-command.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { disposableQuota } from '../../../lib/serve/reference/quota.ts'
import type { ReferenceService } from '../../../lib/serve/reference/service.ts'
import { bundled } from '../../mutants/bundle.ts'
import { httpMutants } from '../../mutants/http/http-mutants.ts'
import { serveHttpMutant } from '../../mutants/http/serve.ts'
import { freshMutants, readKept } from '../../mutants/inventory.ts'
import { closeAll, watchSockets } from '../../mutants/open-sockets.ts'
import { impatient } from '../../targets/target.ts'
import { profileNames, type Expectation, type Service, type Started } from '../service.ts'

const { mutants, conformant, published } = await readKept()

/** Services with one small change that a program made. Those that were caught before must still be caught. */
export const mutantServices: readonly Service[] = mutants.map(({ id, line }) => ({
  of: 'mutants',
  name: id,
  expects: expectationOf(id),
  profiles: ['gate', 'acceptance'],
  over: 'sockets',
  start: () => (line === null ? ofAnswers(id) : ofCode(id)),
}))

function expectationOf(id: string): Expectation {
  if (id in conformant) return { exit: 0, inPart: true, mayBeIncomplete: true, mayNotRun: true }
  const unnoticed = profileNames.filter((profile) => published[profile]?.includes(id) !== true)
  return { exit: 1, unnoticed, ...(unnoticed.length === profileNames.length ? { mayNotRun: true } : {}) }
}

/** Settings with every fixture of the plain service, regardless of what the mutant knows. */
function started(id: string, service: ReferenceService, reached: () => boolean): Started {
  const plain = { ...service, clients, disposableQuota, invalidQuery: 'limit=abc', settings: {} }
  return {
    // A wrong mutant may never answer, and a run waits for it up to 150 times, one after another.
    env: { ...settingsOf(plain), ...(id in conformant ? {} : impatient) },
    reached,
    close: async () => {
      // A mutant may be unable to close its connections.
      await Promise.race([service.close().catch(() => {}), sleep(500, undefined, { ref: false })])
      closeAll()
    },
  }
}

async function ofAnswers(id: string): Promise<Started> {
  const mutant = httpMutants.find((one) => one.id === id)
  if (mutant === undefined) throw new Error(`there is no mutant of answers ${id}`)
  watchSockets()
  const { service, applied } = await serveHttpMutant(mutant)
  return started(id, service, () => applied() > 0)
}

/** The names by which Stryker's instrumentation finds the active mutant and counts its evaluations. */
const active: { activeMutant?: string; hitCount: number } = { hitCount: 0 }

/** A service that does not listen within this time does not run, in milliseconds. */
const startsWithinMs = 20_000

async function late(): Promise<never> {
  await sleep(startsWithinMs, undefined, { ref: false })
  throw new Error(`it does not listen within ${startsWithinMs} ms`)
}

let code: Promise<{ readonly file: string; readonly numbers: ReadonlyMap<string, string> }> | null = null
let loaded = 0

/** Loads the code again for each mutant, so that its constants are mutated, too. */
async function ofCode(id: string): Promise<Started> {
  code ??= freshMutants().then(async ({ code: { files, mutants: all } }) => ({
    file: await bundled(files),
    numbers: new Map(all.map((mutant) => [mutant.id, mutant.active])),
  }))
  const { file, numbers } = await code
  const number = numbers.get(id)
  if (number === undefined) throw new Error(`there is no mutant of code ${id}`)
  watchSockets()
  Reflect.set(globalThis, '__stryker__', active)
  active.activeMutant = number
  active.hitCount = 0
  loaded += 1
  const url = `${pathToFileURL(file).href}?mutant=${loaded}`
  const { startReference }: { readonly startReference: () => Promise<ReferenceService> } = await import(url)
  return started(id, await Promise.race([startReference(), late()]), () => active.hitCount > 0)
}
