import type { ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { deadline } from './support/deadline.ts'
import { expectIncomplete, runWhole, test } from './support/program-test.ts'
import { emptyFolder, ruleIn, rulesThat, settingsFor } from './support/program.ts'

/** A child process that is sent a signal once, by the service it talks to. */
function interruption(signal: NodeJS.Signals): {
  readonly started: (child: ChildProcess) => void
  readonly send: () => void
  /** The signal that ended the program, or null. */
  readonly endedBy: () => NodeJS.Signals | null
} {
  let child: ChildProcess | null = null
  let isSent = false
  return {
    started: (one) => {
      child = one
    },
    send: () => {
      if (isSent) return
      isSent = true
      child?.kill(signal)
    },
    endedBy: () => child?.signalCode ?? null,
  }
}

describe.concurrent('a signal ends the run, and the verdict says what is known:', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} in the middle`, async ({ reference, expect }) => {
      const { started, send } = interruption(signal)
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
    })
  }

  test('what was found before counts', async ({ reference, expect }) => {
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
    expect(stdout).toContain('401 / 1006, documented 400 / 1001')
    expect(code).toBe(1)
  })

  test('while the first answer is waited for', async ({ reference, expect }) => {
    const { started, send } = interruption('SIGINT')
    const service = await reference({
      intervene: () => {
        send()
        return true
      },
    })

    const result = await runWhole(['--timeout-ms', '600000'], { env: settingsFor(service), started })

    expectIncomplete(expect, result, ['the run was interrupted (SIGINT)'])
    expect(rulesThat(result.verdict, 'passed')).toEqual([])
  })

  test("before the first request, once yesterday's verdict is gone", async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    const yesterdays = join(cwd, 'reports', 'verdict.json')
    await mkdir(join(cwd, 'reports'))
    await writeFile(yesterdays, '{}')
    const { started, send } = interruption('SIGINT')
    const service = await reference({ latencyMs: 100 })
    const whenGone = async (child: ChildProcess): Promise<void> => {
      started(child)
      const isThere = async (): Promise<boolean> =>
        (await readFile(yesterdays, 'utf8').catch(() => '')) === '{}'
      await expect.poll(async () => !(await isThere()) || child.exitCode !== null, { interval: 5 }).toBe(true)
      send()
    }

    const result = await runWhole([], {
      cwd,
      env: settingsFor(service),
      started: (child) => void whenGone(child),
    })

    expectIncomplete(expect, result, ['the run was interrupted (SIGINT)'])
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
    const { started, send, endedBy } = interruption('SIGINT')
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

    expect(endedBy()).toBe('SIGINT')
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
    const { started, send } = interruption('SIGUSR2')
    const service: ReferenceService = await reference({
      latencyMs: 100,
      intervene: () => {
        if (service.requests() === 80) send()
        return false
      },
    })

    const result = await runWhole(deadline.args, {
      env: { ...settingsFor(service), ...deadline.env },
      started,
    })

    expectIncomplete(expect, result, [deadline.says])
    expect(rulesThat(result.verdict, 'inconclusive')).toContain('quota/exhausted')
    expect(result.verdict?.requests.sent).toBeGreaterThan(70)
    expect(result.verdict?.requests.sent).toBeLessThanOrEqual(service.requests() + 8)
    expect(service.requests()).toBeLessThan(120)
  })

  test('a service that never answers', async ({ reference, expect }) => {
    const { started, send } = interruption('SIGUSR2')
    const service = await reference({
      intervene: () => {
        send()
        return true
      },
    })
    const env = { ...settingsFor(service), ...deadline.env }

    // Far less than the time after which the first request would be given up, or the program be killed.
    const result = await runWhole([...deadline.args, '--timeout-ms', '600000'], { env, started })

    expectIncomplete(expect, result, [deadline.says])
  })
})
