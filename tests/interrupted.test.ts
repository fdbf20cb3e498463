import type { ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { expectIncomplete, run, runWhole, test } from './support/program-test.ts'
import { emptyFolder, ruleIn, rulesThat, settingsFor } from './support/program.ts'

/** How long after the signal the program may still write its reports, in milliseconds. */
const quickly = 10_000

/** A child process that is sent a signal once, by the service it talks to. */
function interruption(signal: NodeJS.Signals): {
  readonly started: (child: ChildProcess) => void
  readonly send: () => void
  /** How long the program lived on. */
  readonly after: () => number
} {
  let child: ChildProcess | null = null
  let sentAt: number | null = null
  let endedAt = Infinity
  return {
    started: (one) => {
      child = one
      one.once('exit', () => {
        endedAt = performance.now()
      })
    },
    send: () => {
      if (sentAt !== null) return
      sentAt = performance.now()
      child?.kill(signal)
    },
    after: () => endedAt - (sentAt ?? 0),
  }
}

describe.concurrent('a signal ends the run, and the verdict says what is known:', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} in the middle`, async ({ reference, expect }) => {
      const { started, send, after } = interruption(signal)
      const service: ReferenceService = await reference({
        latencyMs: 100,
        intervene: () => {
          if (service.requests() === 80) send()
          return false
        },
      })

      const result = await runWhole([], { env: settingsFor(service), started })

      expectIncomplete(expect, result, [`the run was interrupted (${signal})`])
      expect(rulesThat(result.verdict, 'passed')).toContain('conventions/accept-optional')
      expect(rulesThat(result.verdict, 'inconclusive')).toContain('quota/exhausted')
      expect(ruleIn(result.verdict, 'quota/exhausted').because).toContain('interrupted')
      expect(result.verdict?.requests.sent).toBeGreaterThan(70)
      expect(result.verdict?.requests.sent).toBeLessThanOrEqual(service.requests() + 8)
      expect(service.requests()).toBeLessThan(120)
      expect(after()).toBeLessThan(quickly)
    })
  }

  test('what was found before counts', async ({ reference, expect }) => {
    const { started, send, after } = interruption('SIGINT')
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
    expect(stdout).toContain('401 / 1006, documented 400 / 1001')
    expect(after()).toBeLessThan(quickly)
    expect(code).toBe(1)
  })

  test('while the first answer is waited for', async ({ reference, expect }) => {
    const { started, send, after } = interruption('SIGINT')
    const service = await reference({
      intervene: () => {
        send()
        return true
      },
    })

    const result = await runWhole(['--timeout-ms', '600000'], { env: settingsFor(service), started })

    expectIncomplete(expect, result, ['the run was interrupted (SIGINT)'])
    expect(rulesThat(result.verdict, 'passed')).toEqual([])
    expect(after()).toBeLessThan(quickly)
  })

  test("before the first request, once yesterday's verdict is gone", async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    const yesterdays = join(cwd, 'reports', 'verdict.json')
    await mkdir(join(cwd, 'reports'))
    await writeFile(yesterdays, '{}')
    const { started, send, after } = interruption('SIGINT')
    const service = await reference({ latencyMs: 100 })
    const whenGone = async (child: ChildProcess): Promise<void> => {
      started(child)
      const isThere = async (): Promise<boolean> =>
        (await readFile(yesterdays, 'utf8').catch(() => '')) === '{}'
      while ((await isThere()) && child.exitCode === null) await sleep(5)
      send()
    }

    const result = await runWhole([], {
      cwd,
      env: settingsFor(service),
      started: (child) => void whenGone(child),
    })

    expectIncomplete(expect, result, ['the run was interrupted (SIGINT)'])
    expect(after()).toBeLessThan(quickly)
  })

  test('a second one ends the program at once', async ({ reference, expect }) => {
    // The program listens anew for the second one, and is sent it before it can do anything else.
    const code = `
      let listened = 0
      process.on('newListener', (name) => {
        if (name === 'SIGINT' && (listened += 1) === 3) process.nextTick(() => process.kill(process.pid, 'SIGINT'))
      })
    `
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`
    const { started, send, after } = interruption('SIGINT')
    const service: ReferenceService = await reference({
      intervene: () => {
        if (service.requests() < 30) return false
        send()
        return true
      },
    })

    const {
      code: exit,
      verdict,
      cwd,
    } = await runWhole(['--timeout-ms', '600000'], {
      env: { ...settingsFor(service), NODE_OPTIONS },
      started,
    })

    expect(after()).toBeLessThan(quickly)
    expect(verdict?.because.join()).toContain('the run did not finish')
    expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
    expect(exit).toBeNull()
  })
})

/** Node's options for a program that is sent these signals as soon as it listens, before its commands are loaded. */
function atOnce(...signals: readonly NodeJS.Signals[]): string {
  const code = `
    import { isMainThread } from 'node:worker_threads'
    let sent = !isMainThread
    process.on('newListener', (name) => {
      if (sent || name !== 'SIGHUP') return
      sent = true
      process.nextTick(() => { for (const signal of ${JSON.stringify(signals)}) process.kill(process.pid, signal) })
    })
  `
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

describe.concurrent('a signal while the program is loaded', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} leaves a verdict that says so, in the place of the one before`, async ({
      reference,
      expect,
    }) => {
      const cwd = await emptyFolder()
      const service = await reference()
      const env = settingsFor(service)
      const first = await runWhole(['--only', 'endpoints/*'], { cwd, env })
      const sent = service.requests()

      const result = await runWhole([], { cwd, env: { ...env, NODE_OPTIONS: atOnce(signal) } })

      expect(first.code).toBe(0)
      expectIncomplete(expect, result, [`the run was interrupted (${signal})`])
      expect(rulesThat(result.verdict, 'passed')).toEqual([])
      expect(service.requests()).toBe(sent)
      expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
    })
  }

  test('ends a command that writes no verdict', async ({ expect }) => {
    const { code } = await runWhole(['plan', '--base-url', 'embedded'], {
      env: { NODE_OPTIONS: atOnce('SIGTERM') },
    })

    expect(code).toBeNull()
  })
})

/** Node's options for a program that does this once the file `now` stands in the working folder. */
function inTheMiddle(statement: string, options = ''): string {
  const code = `
    import { existsSync } from 'node:fs'
    setInterval(() => { if (existsSync('now')) { ${statement} } }, 20).unref()
  `
  return `${options} --import=data:text/javascript,${encodeURIComponent(code)}`
}

describe.concurrent('the suite itself fails, and leaves a verdict that says that the run did not finish:', () => {
  test.for([
    ['an error that nobody catches', inTheMiddle('throw new Error("oh")'), 4],
    ['a rejection that nobody handles', inTheMiddle('Promise.reject(new Error("oh"))'), 4],
    [
      'too little memory',
      inTheMiddle('for (const a = []; ; ) a.push([...a])', '--max-old-space-size=200'),
      null,
    ],
  ] as const)('%s', async ([, NODE_OPTIONS, expected], { reference, expect }) => {
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

describe.concurrent('a run that takes longer than RUN_MAX_MINUTES is incomplete, and says so:', () => {
  test('a service that is slow', async ({ reference, expect }) => {
    const service = await reference({ latencyMs: 500 })

    const result = await run(['--max-minutes', '0.1'], { env: settingsFor(service) })

    expectIncomplete(expect, result, ['the run took longer than 0.1 minutes (RUN_MAX_MINUTES)'])
    expect(rulesThat(result.verdict, 'inconclusive')).toContain('quota/exhausted')
    expect(result.verdict?.requests.sent).toBeLessThanOrEqual(service.requests() + 8)
    // All of its requests would take 25 seconds.
    expect(service.requests()).toBeLessThan(300)
    expect(result.verdict?.durationMs).toBeGreaterThanOrEqual(5_000)
  })

  test('a service that never answers', async ({ reference, expect }) => {
    const service = await reference({ intervene: () => true })
    const env = { ...settingsFor(service), RUN_MAX_MINUTES: '0.05' }

    const result = await run(['--timeout-ms', '600000'], { env })

    expectIncomplete(expect, result, ['the run took longer than 0.05 minutes (RUN_MAX_MINUTES)'])
    // Far less than the ten minutes after which the first request would be given up.
    expect(result.durationMs).toBeLessThan(60_000)
  })
})
