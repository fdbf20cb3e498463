import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emptyFolder, rulesThat, runProgram, type ProgramResult } from '../../tests/support/program.ts'

/** Where the services are. */
export const strangersFolder = fileURLToPath(new URL('.', import.meta.url))

/** A service by people who knew the specification alone. */
export interface Stranger {
  /** Its path in the folder, without its ending. */
  readonly name: string
  readonly about: string
  readonly wrong: boolean
}

/** Services that their authors call conformant, and we do not, by the text of the specification. Their files stay as they were written. */
export const settledAsWrong: Readonly<Record<string, string>> = {
  'locks/firewall-403-page-then-cut-for-odd-requests':
    'it refuses a lone quote in a parameter, a header of 257 bytes and an unknown path with a quote by a page: "responses, including errors, are JSON", and a parameter that may be valid gets success or 400 / 1030. What may refuse whole injection strings and oversized values is let off (docs/fuzzing.md); one character is no attack.',
}

/** Every service. */
export const allStrangers: readonly Stranger[] = await Promise.all(
  ['banking', 'concurrency', 'gateway', 'http', 'locks', 'quota', 'sharing', 'vendor'].flatMap((folder) =>
    readdirSync(join(strangersFolder, folder))
      .toSorted()
      .map(async (file) => {
        const { about, wrong }: Stranger = await import(join(strangersFolder, folder, file))
        const name = `${folder}/${basename(file, '.mjs')}`
        return { name, about, wrong: wrong || name in settledAsWrong }
      }),
  ),
)

/** Profiles that a service is judged in. */
export const strangerProfiles = ['gate', 'acceptance'] as const

/** How a service is judged. */
export interface StrangerRun {
  readonly service: string
  readonly profile: (typeof strangerProfiles)[number]
  /** Counts from 1 where the same is judged several times. */
  readonly run: number
}

/** What a run came to. */
export interface StrangerOutcome extends StrangerRun {
  readonly code: number | null
  readonly failed: readonly string[]
  /** Without those that need what no service here has, a baseline. */
  readonly notJudged: readonly string[]
  /** Why it is incomplete, in sentences of the verdict; none where rules failed. */
  readonly because: readonly string[]
  readonly requests: number
  readonly seconds: number
}

/** A run of the largest profile against a slow service. */
const longestRunMs = 3_600_000

/** Starts a service in a process of its own, judges it by the whole program with every fixture, and ends it. */
export async function judgeStranger(
  run: StrangerRun,
): Promise<{ readonly outcome: StrangerOutcome; readonly verdict: ProgramResult['verdict'] }> {
  const service = fork(join(strangersFolder, 'serve.mjs'), [fileOf(run.service)], { execArgv: [] })
  const cwd = await emptyFolder()
  try {
    const url = await new Promise<string>((resolve, reject) => {
      service.once('message', (given: string) => resolve(given))
      service.once('exit', (code) => reject(new Error(`${run.service} ended with ${code} as it started`)))
    })
    const env = { RUN_PROFILE: run.profile, RUN_QUIET: 'true', ...(await settingsAt(url)) }
    const came = await runProgram([], { env, cwd, limitMs: longestRunMs })
    if (service.exitCode !== null) throw new Error(`${run.service} ended with ${service.exitCode}`)
    return { outcome: outcomeOf(run, came), verdict: came.verdict }
  } finally {
    service.kill()
    await rm(cwd, { recursive: true, force: true })
  }
}

function outcomeOf(run: StrangerRun, { code, verdict, durationMs }: ProgramResult): StrangerOutcome {
  const notJudged = rulesThat(verdict, 'inconclusive', 'untested')
  return {
    ...run,
    code,
    failed: rulesThat(verdict, 'failed'),
    notJudged: notJudged.filter(
      (rule) => rule !== 'tolerance/no-breaking-change' && rule !== 'conventions/http-messages',
    ),
    because: code === 1 ? [] : (verdict?.because ?? []),
    requests: verdict?.requests.sent ?? 0,
    seconds: Math.round(durationMs / 1_000),
  }
}

/** Whether a service is wrong on purpose. */
export function isWrong(service: string): boolean {
  return allStrangers.some(({ name, wrong }) => wrong && name === service)
}

/** What a run may say of the suite: a wrong service is found or missed, a conformant one blamed or cleared. */
export const senses = ['found', 'missed', 'blamed', 'cleared', 'incomplete', 'not judged'] as const

/** Reads the exit code of a run by what the service is. */
export function senseOf({ service, code }: StrangerOutcome): (typeof senses)[number] {
  if (code === 3) return 'incomplete'
  if (code === 1) return isWrong(service) ? 'found' : 'blamed'
  if (code === 0) return isWrong(service) ? 'missed' : 'cleared'
  return 'not judged'
}

/** What the names of settings begin with, by client of `base.mjs`. */
const prefixes = [
  ['target', 'TARGET'],
  ['second', 'FIXTURE_SECOND'],
  ['noCustomer', 'FIXTURE_NO_CUSTOMER'],
  ['inactive', 'FIXTURE_INACTIVE'],
  ['unauthorized', 'FIXTURE_UNAUTHORIZED'],
  ['exhausted', 'FIXTURE_EXHAUSTED'],
  ['disposable', 'FIXTURE_DISPOSABLE'],
] as const

/** Clients of `base.mjs`. */
type StrangerClients = Readonly<
  Record<
    (typeof prefixes)[number][0],
    { readonly key: string; readonly secret: string; readonly quota: number }
  >
>

async function settingsAt(url: string): Promise<Readonly<Record<string, string>>> {
  const { clients }: { readonly clients: StrangerClients } = await import(fileOf('base'))
  return {
    TARGET_BASE_URL: url,
    FIXTURE_INVALID_QUERY: 'limit=abc',
    FIXTURE_DISPOSABLE_QUOTA: String(clients.disposable.quota),
    ...Object.fromEntries(
      prefixes.flatMap(([name, prefix]) => [
        [`${prefix}_API_KEY`, clients[name].key],
        [`${prefix}_SECRET_KEY`, clients[name].secret],
      ]),
    ),
  }
}

function fileOf(name: string): string {
  return join(strangersFolder, `${name}.mjs`)
}
