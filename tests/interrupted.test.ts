import type { ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { deadline, importing } from './support/deadline.ts'
import { against, expectEnds, expectIncomplete, runWhole } from './support/program-test.ts'
import { ruleIn, rulesThat, type Texts } from './support/program.ts'
import { yesterdays } from './support/yesterday.ts'

/** An external event that ends a run. */
interface End {
  readonly signal: NodeJS.Signals
  readonly says: string
  readonly args?: readonly string[]
  readonly env?: Texts
}

const bySignal = (signal: NodeJS.Signals): End => ({ signal, says: `the run was interrupted (${signal})` })
const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(bySignal)
const byTime: End = { signal: 'SIGUSR2', ...deadline }
const waitsLong = ['--timeout-ms', '600000']

type Options = ReferenceOptions & { readonly hangs?: boolean }

/** Runs a process that is ended when the service gets its nth request. */
async function endedAt(nth: number, end: End, { hangs = false, ...others }: Options) {
  const { signal, args = [], env = {} } = end
  let child: ChildProcess | null = null
  let isSent = false
  const { service, cwd, run } = await against({
    ...others,
    intervene: () => {
      if (service.requests() < nth) return false
      if (!isSent) child?.kill(signal)
      isSent = true
      return hangs
    },
  })
  const started = (one: ChildProcess): void => void (child = one)
  // The timeout of a request is longer than the time after which the program would be killed.
  const result = await run(hangs ? [...args, ...waitsLong] : args, { env, started }, runWhole)
  return { result, service, cwd, endedBy: (): NodeJS.Signals | null => child?.signalCode ?? null }
}

test.for([...signals, byTime])(
  'a run that is ended early leaves a verdict with the reason $says, in the middle of the run',
  async (end) => {
    const { result, service } = await endedAt(80, end, { latencyMs: 100 })
    const { verdict } = result

    expectIncomplete(result, [end.says])
    expect(rulesThat(verdict, 'passed')).toContain('conventions/accept-optional')
    expect(rulesThat(verdict, 'inconclusive')).toContain('quota/exhausted')
    if (end !== byTime) expect(ruleIn(verdict, 'quota/exhausted').because).toContain('interrupted')
    expect(verdict?.requests.sent).toBeGreaterThan(70)
    expect(verdict?.requests.sent).toBeLessThanOrEqual(service.requests() + 8)
    expect(service.requests()).toBeLessThan(120)
  },
)

test.for([bySignal('SIGINT'), byTime])(
  'a run that is ended early leaves a verdict with the reason $says, before the first answer',
  async (end) => {
    const { result } = await endedAt(1, end, { hangs: true })

    expectIncomplete(result, [end.says])
    expect(rulesThat(result.verdict, 'passed')).toEqual([])
  },
)

test('a run that is ended early leaves a verdict in which earlier findings count', async () => {
  const faults = ['missing-api-key-called-invalid']
  const { result } = await endedAt(120, bySignal('SIGINT'), { latencyMs: 50, faults })
  const { verdict } = result

  expect(rulesThat(verdict, 'failed').length).toBeGreaterThan(0)
  expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
  expect(verdict?.because.join(' ')).toContain('the run was interrupted (SIGINT)')
  const says = /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 .*\n +got +401 \/ 1006/
  expectEnds(result, 1, says)
})

test("a run that is ended early leaves a verdict after a signal before the first request, once yesterday's verdict is gone", async () => {
  const { run, read } = await against({ latencyMs: 100, files: { 'reports/verdict.json': yesterdays } })
  const isThere = async (): Promise<boolean> =>
    (await read('reports/verdict.json').catch(() => '')) === yesterdays
  const whenGone = async (child: ChildProcess): Promise<void> => {
    await expect.poll(async () => !(await isThere()) || child.exitCode !== null, { interval: 5 }).toBe(true)
    child.kill('SIGINT')
  }

  const result = await run('', { started: (child) => void whenGone(child) }, runWhole)

  expectIncomplete(result, ['the run was interrupted (SIGINT)'])
})

test('a run that is ended early leaves a verdict that says that the run did not finish, if a second signal ends the program at once', async () => {
  // The program adds a listener for the second signal, which arrives before the program can do anything else.
  const NODE_OPTIONS = importing(`
    let listened = 0
    process.on('newListener', (name) => {
      if (name === 'SIGINT' && (listened += 1) === 3) process.nextTick(() => process.kill(process.pid, 'SIGINT'))
    })`)
  const end = { ...bySignal('SIGINT'), env: { NODE_OPTIONS } }
  const { result, cwd, endedBy } = await endedAt(30, end, { hangs: true })

  expect([result.code, endedBy()]).toEqual([null, 'SIGINT'])
  expect(result.verdict?.because.join()).toContain('the run did not finish')
  expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
})

/** Node options that send the program this signal as soon as it listens, before its commands are loaded. */
const atOnce = (signal: NodeJS.Signals): string =>
  importing(`
    import { isMainThread } from 'node:worker_threads'
    let sent = !isMainThread
    process.on('newListener', (name) => {
      if (sent || name !== 'SIGHUP') return
      sent = true
      process.nextTick(() => process.kill(process.pid, '${signal}'))
    })`)

test.for(signals)('$signal while the program loads leaves a verdict that says so', async (end) => {
  const { service, cwd, run } = await against({ files: { 'reports/verdict.json': yesterdays } })

  const result = await run('', { env: { NODE_OPTIONS: atOnce(end.signal) } })

  expectIncomplete(result, [end.says])
  expect(rulesThat(result.verdict, 'passed')).toEqual([])
  expect(service.requests()).toBe(0)
  expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
})

test('a signal while the program loads ends a command that writes no verdict', async () => {
  const env = { NODE_OPTIONS: atOnce('SIGTERM') }
  const { code } = await runWhole('plan --base-url embedded', { env })

  expect(code).toBeNull()
})

/** Node options for a program that runs this statement once the file `now` exists in the working folder. */
const inTheMiddle = (statement: string): string =>
  importing(`
    import { existsSync } from 'node:fs'
    setInterval(() => { if (existsSync('now')) { ${statement} } }, 20).unref()`)

const full = 'for (const a = []; ; ) a.push([...a])'

test.for([
  ['an uncaught error', inTheMiddle('throw new Error("oh")'), 4],
  ['an unhandled rejection', inTheMiddle('Promise.reject(new Error("oh"))'), 4],
  ['too little memory', `--max-old-space-size=200 ${inTheMiddle(full)}`, null],
] as const)(
  'a failure of the suite leaves a verdict that says that the run did not finish: %s',
  async ([, NODE_OPTIONS, expected]) => {
    const { service, cwd, run } = await against({
      intervene: () => {
        if (service.requests() === 5) writeFileSync(join(cwd, 'now'), '')
        return service.requests() >= 5
      },
    })

    const { code, verdict } = await run('', { env: { NODE_OPTIONS } })

    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
    expect(verdict?.because.join()).toContain('the run did not finish')
    expect(code).toBe(expected)
  },
)
