import type { ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { deadline } from './support/deadline.ts'
import { expectIncomplete, reference, runWhole } from './support/program-test.ts'
import { emptyFolder, ruleIn, rulesThat, settingsFor } from './support/program.ts'
import { withYesterdays, yesterdays } from './support/yesterday.ts'

/** Sends a signal to a started program once. */
function interruption(signal: NodeJS.Signals) {
  let child: ChildProcess | null = null
  let isSent = false
  return {
    started: (one: ChildProcess): void => void (child = one),
    send: (): void => {
      if (!isSent) child?.kill(signal)
      isSent = true
    },
    /** The signal that ended the program, or null. */
    endedBy: (): NodeJS.Signals | null => child?.signalCode ?? null,
  }
}

/** An external event that ends a run. */
interface End {
  readonly signal: NodeJS.Signals
  readonly says: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const bySignal = (signal: NodeJS.Signals): End => ({
  signal,
  says: `the run was interrupted (${signal})`,
  args: [],
  env: {},
})
const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(bySignal)
const byTime: End = { signal: 'SIGUSR2', ...deadline }

describe('a run that is ended early leaves a verdict', () => {
  test.for([...signals, byTime])(
    'with the reason $says, in the middle of the run',
    async ({ signal, says, args, env }) => {
      const { started, send } = interruption(signal)
      const service: ReferenceService = await reference({
        latencyMs: 100,
        intervene: () => {
          if (service.requests() === 80) send()
          return false
        },
      })

      const result = await runWhole(args, { env: { ...settingsFor(service), ...env }, started })

      expectIncomplete(result, [says])
      expect(rulesThat(result.verdict, 'passed')).toContain('conventions/accept-optional')
      expect(rulesThat(result.verdict, 'inconclusive')).toContain('quota/exhausted')
      if (signal !== 'SIGUSR2')
        expect(ruleIn(result.verdict, 'quota/exhausted').because).toContain('interrupted')
      expect(result.verdict?.requests.sent).toBeGreaterThan(70)
      expect(result.verdict?.requests.sent).toBeLessThanOrEqual(service.requests() + 8)
      expect(service.requests()).toBeLessThan(120)
    },
  )

  // The timeout of the request is longer than the time after which the program would be killed.
  test.for([bySignal('SIGINT'), byTime])(
    'with the reason $says, while it waits for the first answer',
    async ({ signal, says, args, env }) => {
      const { started, send } = interruption(signal)
      const service = await reference({
        intervene: () => {
          send()
          return true
        },
      })
      const options = { env: { ...settingsFor(service), ...env }, started }

      const result = await runWhole([...args, '--timeout-ms', '600000'], options)

      expectIncomplete(result, [says])
      expect(rulesThat(result.verdict, 'passed')).toEqual([])
    },
  )

  test('in which earlier findings count', async () => {
    const { started, send } = interruption('SIGINT')
    const service: ReferenceService = await reference({
      latencyMs: 50,
      faults: ['missing-api-key-called-invalid'],
      intervene: () => {
        if (service.requests() === 120) send()
        return false
      },
    })

    const { code, verdict, stdout } = await runWhole([], { env: settingsFor(service), started })

    expect(rulesThat(verdict, 'failed').length).toBeGreaterThan(0)
    expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
    expect(verdict?.because.join(' ')).toContain('the run was interrupted (SIGINT)')
    expect(stdout).toMatch(
      /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 .*\n +got +401 \/ 1006/,
    )
    expect(code).toBe(1)
  })

  test("after a signal before the first request, once yesterday's verdict is gone", async () => {
    const cwd = await emptyFolder()
    const file = join(await withYesterdays(cwd), 'verdict.json')
    const { started, send } = interruption('SIGINT')
    const service = await reference({ latencyMs: 100 })
    const isThere = async (): Promise<boolean> =>
      (await readFile(file, 'utf8').catch(() => '')) === yesterdays
    const whenGone = async (child: ChildProcess): Promise<void> => {
      started(child)
      await expect.poll(async () => !(await isThere()) || child.exitCode !== null, { interval: 5 }).toBe(true)
      send()
    }

    const result = await runWhole([], {
      cwd,
      env: settingsFor(service),
      started: (child) => void whenGone(child),
    })

    expectIncomplete(result, ['the run was interrupted (SIGINT)'])
  })

  test('that says that the run did not finish, if a second signal ends the program at once', async () => {
    // The program adds a listener for the second signal, which arrives before the program can do anything else.
    const NODE_OPTIONS = loading(`
      let listened = 0
      process.on('newListener', (name) => {
        if (name === 'SIGINT' && (listened += 1) === 3) process.nextTick(() => process.kill(process.pid, 'SIGINT'))
      })`)
    const { started, send, endedBy } = interruption('SIGINT')
    const service: ReferenceService = await reference({
      intervene: () => {
        if (service.requests() < 30) return false
        send()
        return true
      },
    })
    const options = { env: { ...settingsFor(service), NODE_OPTIONS }, started }

    const { code, verdict, cwd } = await runWhole(['--timeout-ms', '600000'], options)

    expect([code, endedBy()]).toEqual([null, 'SIGINT'])
    expect(verdict?.because.join()).toContain('the run did not finish')
    expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
  })
})

/** Node options that load this module before the program. */
function loading(code: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

/** Node options that send the program this signal as soon as it listens, before its commands are loaded. */
const atOnce = (signal: NodeJS.Signals): string =>
  loading(`
    import { isMainThread } from 'node:worker_threads'
    let sent = !isMainThread
    process.on('newListener', (name) => {
      if (sent || name !== 'SIGHUP') return
      sent = true
      process.nextTick(() => process.kill(process.pid, '${signal}'))
    })`)

describe('a signal while the program loads', () => {
  test.for(signals)(
    '$signal leaves a verdict that says so, instead of the earlier one',
    async ({ signal, says }) => {
      const cwd = await emptyFolder()
      await withYesterdays(cwd)
      const service = await reference()
      const env = { ...settingsFor(service), NODE_OPTIONS: atOnce(signal) }

      const result = await runWhole([], { cwd, env })

      expectIncomplete(result, [says])
      expect(rulesThat(result.verdict, 'passed')).toEqual([])
      expect(service.requests()).toBe(0)
      expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
    },
  )

  test('ends a command that writes no verdict', async () => {
    const env = { NODE_OPTIONS: atOnce('SIGTERM') }
    const { code } = await runWhole(['plan', '--base-url', 'embedded'], { env })

    expect(code).toBeNull()
  })
})

/** Node options for a program that runs this statement once the file `now` exists in the working folder. */
const inTheMiddle = (statement: string): string =>
  loading(`
    import { existsSync } from 'node:fs'
    setInterval(() => { if (existsSync('now')) { ${statement} } }, 20).unref()`)

const full = 'for (const a = []; ; ) a.push([...a])'

describe('a failure of the suite leaves a verdict that says that the run did not finish', () => {
  test.for([
    ['an uncaught error', inTheMiddle('throw new Error("oh")'), 4],
    ['an unhandled rejection', inTheMiddle('Promise.reject(new Error("oh"))'), 4],
    ['too little memory', `--max-old-space-size=200 ${inTheMiddle(full)}`, null],
  ] as const)('%s', async ([, NODE_OPTIONS, expected]) => {
    const cwd = await emptyFolder()
    const service: ReferenceService = await reference({
      intervene: () => {
        if (service.requests() === 5) writeFileSync(join(cwd, 'now'), '')
        return service.requests() >= 5
      },
    })

    const { code, verdict } = await runWhole([], { cwd, env: { ...settingsFor(service), NODE_OPTIONS } })

    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
    expect(verdict?.because.join()).toContain('the run did not finish')
    expect(code).toBe(expected)
  })
})
