import { fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProfileName } from '../../../lib/settings/profiles.ts'
import type { ClientName } from '../../../lib/specification/client-rows.ts'
import { settingsAt, type Service, type Started } from '../service.ts'

const folder = fileURLToPath(new URL('../../strangers', import.meta.url))

/** One file each. */
const families = readdirSync(folder)
  .filter((name) => name.endsWith('.mjs') && name !== 'base.mjs' && name !== 'serve.mjs')
  .map((name) => basename(name, '.mjs'))

/** A service by an author who knew only the specification. */
interface Stranger {
  readonly wrong: boolean
  /** The entries of an endpoints file, if the service has more than the list. */
  readonly endpoints?: readonly object[]
}

/**
 * Services that their authors call conformant, but which the specification's text contradicts. Their rows
 * keep the authors' label.
 */
const settledAsWrong: readonly string[] = [
  // It refuses a lone quote in a parameter, a header of 257 bytes and an unknown path with a quote by a page:
  // "responses, including errors, are JSON", and a parameter that may be valid gets success or 400 / 1030. A
  // single character is not an attack.
  'locks/firewall-403-page-then-cut-for-odd-requests',
  // Its cache serves a client more than twice its declared quota: "there is a daily quota per client".
  'edge/hits-cost-no-quota',
  // The same: concurrent requests that share an answer count once.
  'state/equal-flights-share-one-answer',
  // On an old connection it answers 401 / 1013 to a client that is permitted to use the endpoint.
  'state/connection-distrusted-after-refusals',
  // It answers 429 / 1020 to a client whose quota is not used up.
  'state/three-at-once-of-a-client',
]

/** The result of each service when it was first judged. Never changed. */
const firstRun: { readonly outcomes: readonly Readonly<Record<'service' | 'profile' | 'code', unknown>>[] } =
  JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8'))

/** The order of requests on a pooled connection is random. On a busy machine no request may follow two successes. */
const byChance = ['sharing/sticky-connection']

/** Behaviour that honest services may share, so no rule forbids it for a described parameter. */
const mayBeHonest: readonly string[] = [
  // A text outside of a closed set may name something that does not exist, and get 1030 for that.
  'described/the-longest-text-is-refused',
  // Some programs count UTF-16 units in a text, and read an enum in any letter case.
  'described/length-in-utf-16-units',
  'described/enum-in-any-case',
]

/**
 * When a wrong service may be missed: if it depends on chance, if an honest service may do the same, and
 * otherwise if the first run missed it.
 */
function unnoticed(name: string): readonly ProfileName[] {
  if (name.startsWith('described/')) return mayBeHonest.includes(name) ? ['gate', 'acceptance'] : []
  if (!name.startsWith('sharing/') || byChance.includes(name)) return ['gate', 'acceptance']
  const first = firstRun.outcomes.filter(({ service, profile }) => service === name && profile === 'gate')
  return first.some(({ code }) => code === 1) ? ['acceptance'] : ['gate', 'acceptance']
}

/** Services that are wrong or odd in one family of requests, each in a separate process. */
export const strangerServices: readonly Service[] = (await Promise.all(families.map(servicesOf))).flat()

async function servicesOf(family: string): Promise<readonly Service[]> {
  const file = join(folder, `${family}.mjs`)
  const { strangers }: { readonly strangers: Readonly<Record<string, Stranger>> } = await import(file)
  return Object.entries(strangers).map(([row, { wrong, endpoints }]): Service => {
    const name = `${family}/${row}`
    return {
      of: 'strangers',
      name,
      expects:
        wrong || settledAsWrong.includes(name)
          ? { exit: 1, unnoticed: unnoticed(name) }
          : { exit: 0, inPart: true, mayBeIncomplete: true },
      profiles: ['gate', 'acceptance'],
      ...(endpoints === undefined ? {} : { needs: { endpoints } }),
      over: 'sockets',
      start: () => started(file, row),
    }
  })
}

async function started(file: string, row: string): Promise<Started> {
  const service = fork(join(folder, 'serve.mjs'), [file, row], { execArgv: [] })
  const url = await new Promise<string>((resolve, reject) => {
    service.once('message', (given: string) => resolve(given))
    service.once('exit', (code) => reject(new Error(`it ended with ${code} as it started`)))
  })
  return { env: await settingsOf(url), close: () => Promise.resolve(void service.kill()) }
}

/** The clients of `base.mjs`. */
type StrangerClients = Readonly<
  Record<ClientName, { readonly key: string; readonly secret: string; readonly quota: number }>
>

async function settingsOf(url: string): Promise<Readonly<Record<string, string>>> {
  const { clients }: { readonly clients: StrangerClients } = await import(join(folder, 'base.mjs'))
  const all = Object.entries(clients)
  const known = all.map(([name, { key, secret }]) => [name, { apiKey: key, secretKey: secret }])
  const FIXTURE_DISPOSABLE_QUOTA = String(clients.disposable.quota)
  return { ...settingsAt(url, Object.fromEntries(known)), FIXTURE_DISPOSABLE_QUOTA }
}
