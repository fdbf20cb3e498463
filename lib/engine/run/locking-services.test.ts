import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { refuse } from '../../serve/reference/answer.ts'
import { clients } from '../../serve/reference/clients.ts'
import type { Fault } from '../../serve/reference/fault.ts'
import { startReference, type ReferenceOptions } from '../../serve/reference/service.ts'
import { read, settingsOf, target } from '../../settings/testing/read.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { jumpingNow } from '../testing/at-once.ts'
import { judge } from './run.ts'

// No time passes: the clock of the run, and of the services here, jumps ahead.
vi.mock('../send/sleep.ts', () => import('../testing/at-once.ts'))

/** When a service locks the target client, and what it answers then. */
interface Lock {
  /** Whether it locks after the last of these wrong secrets, by their times in milliseconds. */
  readonly after: (times: readonly number[]) => boolean
  /** Whether a success, or a lock, makes it forget them. */
  readonly forgets: boolean
  readonly lastsMs: number
  /** Status and code, a page where that is null, or a closed connection. */
  readonly answers: readonly [number, string | null] | 'closed'
}

/** Locks the key of the target client, and answers in the place of the service while it is locked. */
function locking({ after, forgets, lastsMs, answers }: Lock): NonNullable<ReferenceOptions['intervene']> {
  const { apiKey, secretKey } = clients.permitted
  let [wrong, until]: [number[], number] = [[], 0]
  return ({ headers, socket }: IncomingMessage, response: ServerResponse) => {
    const secret = headers['x-secret-key']
    if (headers['x-api-key'] !== apiKey || secret === undefined || headers['x-version'] !== '1') return false
    const now = jumpingNow()
    if (until > now) {
      if (answers === 'closed') socket.destroy()
      else respond(response, ...answers)
      return true
    }
    if (secret === secretKey && forgets) wrong = []
    if (secret === secretKey) return false
    wrong.push(now)
    if (!after(wrong)) return false
    until = now + lastsMs
    if (forgets) wrong = []
    return false
  }
}

function respond(response: ServerResponse, status: number, code: string | null): void {
  response.writeHead(status, { 'content-type': code === null ? 'text/html' : 'application/json' })
  if (code === null) return void response.end('<h1>locked</h1>')
  response.end(JSON.stringify({ error_code: code, error_message: 'locked' }))
}

const few = {
  RUN_FUZZ_CASES: '10',
  RUN_ONLY:
    'endpoints/list-succeeds,authentication/secret-key-missing,authentication/secret-key-invalid,versioning/version-missing,errors/documented-pairs,fuzz/secret-key',
}

/** The verdict of a run against a service, and the ids of its rules by status. */
async function judged(
  options: ReferenceOptions,
  profile = 'acceptance',
  only = few.RUN_ONLY,
): Promise<{ readonly verdict: Verdict; readonly rules: (status: string) => readonly string[] }> {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  const { apiKey, secretKey } = clients.permitted
  const env = {
    ...target,
    ...few,
    TARGET_BASE_URL: service.baseUrl,
    TARGET_API_KEY: apiKey,
    TARGET_SECRET_KEY: secretKey,
    RUN_PROFILE: profile,
    RUN_ONLY: only,
  }
  const { verdict } = await judge(settingsOf(await read(env)), suites)
  return {
    verdict,
    rules: (status) => verdict.rules.filter((one) => one.status === status).map(({ id }) => id),
  }
}

const inARow =
  (most: number) =>
  (times: readonly number[]): boolean =>
    times.length >= most
const withinAMinute =
  (most: number) =>
  (times: readonly number[]): boolean =>
    times.filter((time) => time > (times.at(-1) ?? 0) - 60_000).length >= most
const tenSeconds = { forgets: true, lastsMs: 10_000 } as const
const every = few.RUN_ONLY.split(',')
const aboutSecrets = ['authentication/secret-key-invalid', 'fuzz/secret-key']

describe('a service that locks a client', () => {
  test.for<readonly [string, Lock]>([
    ['three in a row, by 1007', { ...tenSeconds, after: inARow(3), answers: [401, '1007'] }],
    [
      'five in a row, by 403 and for longer',
      { after: inARow(5), forgets: true, lastsMs: 40_000, answers: [403, null] },
    ],
    ['ten in a row, by 1020', { ...tenSeconds, after: inARow(10), answers: [429, '1020'] }],
  ])('after wrong secrets is judged to the end: %s', async ([, lock]) => {
    const { rules } = await judged({ intervene: locking(lock) })

    expect(rules('passed').toSorted()).toEqual(every.toSorted())
  })

  test.for<readonly [string, Lock]>([
    ['five in a minute', { ...tenSeconds, forgets: false, after: withinAMinute(5), answers: [401, '1007'] }],
    [
      'the fifth, and each one after it',
      { ...tenSeconds, forgets: false, after: inARow(5), answers: [401, '1007'] },
    ],
    [
      'the second, and each one after it',
      { ...tenSeconds, forgets: false, after: inARow(2), answers: [401, '1006'] },
    ],
    ['five in a row, by silence', { ...tenSeconds, after: inARow(5), answers: 'closed' }],
  ])(
    'otherwise leaves rules about secrets open, is judged by all others, and blamed for nothing: %s',
    async ([, lock]) => {
      const { rules } = await judged({ intervene: locking(lock) })

      expect(rules('inconclusive')).toContain('fuzz/secret-key')
      expect(aboutSecrets).toEqual(expect.arrayContaining(rules('inconclusive').toSorted()))
      expect([...rules('inconclusive'), ...rules('passed')].toSorted()).toEqual(every.toSorted())
    },
  )

  test.for([
    ['acceptance', [401, '1007']],
    ['gate', [401, '1006']],
    ['gate', [403, null]],
  ] as const)('for longer than a run waits ends it, and is not blamed: %j', async ([profile, answers]) => {
    const lock: Lock = { after: inARow(3), forgets: true, lastsMs: 3_600_000, answers }
    const { rules, verdict } = await judged({ intervene: locking(lock) }, profile)

    expect([rules('failed'), rules('warned'), verdict.exitCode]).toEqual([[], [], 3])
    expect(verdict.because.join(' ')).toContain('the client may have been locked out')
  })

  test.for(['acceptance', 'gate'])('by a page is blamed for no row of conditions: %s', async (profile) => {
    const lock: Lock = { after: inARow(3), forgets: true, lastsMs: 10_000, answers: [403, null] }
    const more = 'authentication/no-bypass,fuzz/headers,fuzz/combined-flaws,fuzz/path,fuzz/version'
    const { rules } = await judged({ intervene: locking(lock) }, profile, `${few.RUN_ONLY},${more}`)

    expect([rules('failed'), rules('warned')]).toEqual([[], []])
  })

  test.for(['acceptance', 'gate'])('by a code of its own is blamed for that: %s', async (profile) => {
    const lock: Lock = { ...tenSeconds, after: inARow(5), answers: [403, '1014'] }
    const { rules } = await judged({ intervene: locking(lock) }, profile)

    expect(rules('failed')).toEqual(['errors/documented-pairs'])
  })

  test('is judged by all other rules in a gate, too', async () => {
    const lock: Lock = { ...tenSeconds, after: inARow(3), answers: [401, '1007'] }
    const { rules } = await judged({ intervene: locking(lock) }, 'gate')

    expect([rules('failed'), rules('warned')]).toEqual([[], []])
    expect(rules('passed')).toEqual(expect.arrayContaining(every.filter((id) => !aboutSecrets.includes(id))))
  })
})

const spoiling: Fault = {
  name: 'wrong-secret-spoils-next-success',
  about: 'The next success after a wrong secret is answered 401 and 1007.',
  rules: ['endpoints/list-succeeds'],
  bend: () => {
    let isSpoiled = false
    return {
      answer: (answer) => {
        const isHit = isSpoiled && answer.refusal === null
        isSpoiled = !isHit && (isSpoiled || answer.refusal === '1007')
        return isHit ? refuse('1007') : answer
      },
    }
  },
}

describe('a service that refuses the valid pair after a single wrong secret', () => {
  test.for<readonly [string, ReferenceOptions]>([
    ['for ten seconds', { intervene: locking({ ...tenSeconds, after: inARow(1), answers: [401, '1007'] }) }],
    ['once', { faults: [spoiling] }],
  ])('is blamed, and judged by the rules that need no wrong one: %s', async ([, options]) => {
    const { rules, verdict } = await judged(options)

    expect(rules('failed')).toEqual(['endpoints/list-succeeds'])
    expect(rules('inconclusive').toSorted()).toEqual(aboutSecrets)
    expect(verdict.rules.flatMap(({ findings }) => findings)).toMatchObject([
      { summary: expect.stringContaining('right after one wrong secret, 3 times'), reproduced: '3 of 3' },
    ])
  })
})
