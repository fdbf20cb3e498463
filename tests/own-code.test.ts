import type { ChildProcess } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import {
  area,
  example,
  judge,
  readSettings,
  rule,
  scenario,
  suites,
  succeeds,
  type Settings,
} from 'card-switch-conformance'
import { describe } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { deadline } from './support/deadline.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { ruleIn, settingsFor, type ProgramOptions, type ProgramResult } from './support/program.ts'
import { run as runInProcess, runWhole as run, test } from './support/program-test.ts'

const id = 'acme/one'
const entry = { id, level: 'documented', section: '1', says: 'it holds' } as const
const only = ['--only', 'acme/*']
const playing = (play: string): string =>
  `({ list, target }) => [scenario('plain', 2, async (stage) => {${play}})]`
/** Lets the run's most minutes pass. */
const passes = 'globalThis.passes()'
const leftBehind = /acme\/one \(.*a\.mjs\), case plain, waited for something that did not come/

/** Runs the one rule whose cases this function makes. */
async function judged(
  by: typeof run,
  service: ReferenceService,
  casesOf: string,
  args: readonly string[] = [],
  more: ProgramOptions = {},
): Promise<ProgramResult> {
  const folder = await ownFolder({ 'a.mjs': declaring(ownEntry, casesOf) })
  return by(['--suites', folder, ...only, ...args], {
    env: { ...settingsFor(service), ...deadline.env },
    ...more,
  })
}

/** The settings of a run of one rule of the caller's own. */
async function settingsOf(env: Readonly<Record<string, string>>): Promise<Settings> {
  const read = await readSettings({ env, flags: { RUN_ONLY: 'endpoints/*' } })
  if (read.kind === 'issues') throw new Error(read.issues.map(({ expected }) => expected).join())
  return { ...read.settings, run: { ...read.settings.run, only: ['acme/*'] } }
}

describe.concurrent('a scenario that never ends is left behind with the run, and told with rule and file:', () => {
  const plays = {
    'that waits for nothing': `${passes}; await new Promise(() => {})`,
    'that waits behind an answer': `await stage.send(list.request); ${passes}; await new Promise(() => {})`,
    'that catches what ends it': `for (;;) try { await stage.send(list.request); ${passes} } catch { await new Promise(() => {}) }`,
  } as const
  test.for(Object.entries(plays))('%s, at --max-minutes', async ([, play], { reference, expect }) => {
    const { code, verdict, stdout } = await judged(run, await reference(), playing(play), deadline.args)

    expect([code, verdict?.verdict]).toEqual([3, 'incomplete'])
    expect(verdict?.because.join()).toMatch(leftBehind)
    expect(verdict?.because.join()).toContain('(RUN_MAX_MINUTES)')
    expect(ruleIn(verdict, id).because).toMatch(leftBehind)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(leftBehind)
  })

  test('of the phase alone, which is played first', async ({ reference, expect }) => {
    const alone = ownEntry.replace('}', `, phase: 'alone' }`)
    const folder = await ownFolder({ 'a.mjs': declaring(alone, playing(plays['that waits for nothing'])) })
    const args = ['--suites', folder, ...only, ...deadline.args]
    const { code, verdict } = await run(args, { env: { ...settingsFor(await reference()), ...deadline.env } })

    expect([code, verdict?.because.join()]).toEqual([3, expect.stringMatching(leftBehind)])
  })

  test('at one signal', async ({ reference, expect }) => {
    const started = (child: ChildProcess): void =>
      void child.stderr?.once('data', () => void child.kill('SIGINT'))
    const waits = 'await stage.send(list.request); console.log(1); await new Promise(() => {})'
    const { code, verdict } = await judged(run, await reference(), playing(waits), [], { started })

    expect([code, verdict?.because.join()]).toEqual([3, expect.stringMatching(leftBehind)])
    expect(verdict?.because.join()).toContain('the run was interrupted (SIGINT)')
  })

  test('as it is sent again', async ({ reference, expect }) => {
    const folder = await ownFolder({ 'a.mjs': declaring(ownEntry, playing(plays['that waits for nothing'])) })
    const args = ['replay', `${id}:1:plain`, '--suites', folder, ...deadline.args]
    const { code, stdout } = await run(args, { env: { ...settingsFor(await reference()), ...deadline.env } })

    expect([code, stdout.replaceAll(/\s+/g, ' ')]).toEqual([3, expect.stringMatching(leftBehind)])
  })

  test('but not where it only waits for an answer', async ({ reference, expect }) => {
    let child: ChildProcess | null = null
    const isAsked = ({ headers }: IncomingMessage): boolean => headers['accept-language'] === 'de'
    const service = await reference({
      intervene: (request) => isAsked(request) && (child?.kill('SIGUSR2') ?? false),
    })
    const play = `return [await stage.judge(list.request.with('accept-language', 'de'), succeeds())]`
    const args = [...deadline.args, '--timeout-ms', '600000']
    const { code, verdict } = await judged(run, service, playing(play), args, {
      started: (one) => (child = one),
    })

    expect([code, verdict?.verdict]).toEqual([3, 'incomplete'])
    expect(verdict?.because.join()).not.toContain('did not come')
  })
})

describe.concurrent('what own code throws when nobody waits for it any more ends the run in 2, with rule and file, without credentials:', () => {
  const waits = 'await new Promise((later) => setTimeout(later, 30_000))'
  const told = "'late ' + target.secretKey.reveal()"
  test.for([
    ['in a timer', `setTimeout(() => { throw new Error(${told}) }, 5); ${waits}`],
    ['in a promise that nobody awaits', `void Promise.reject(new Error(${told})); ${waits}`],
    [
      'in a timer within a promise',
      `void (async () => { await null; setTimeout(() => { throw ${told} }, 5) })(); ${waits}`,
    ],
  ] as const)('%s', async ([, play], { reference, expect }) => {
    const { code, verdict, stderr, stdout } = await judged(run, await reference(), playing(play))

    expect([code, verdict?.verdict]).toEqual([2, 'error'])
    expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*a\.mjs\): expected nothing thrown later/)
    expect(verdict?.because[0]).toContain('instead of: late <TARGET_SECRET_KEY>')
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('instead of: late <TARGET_SECRET_KEY>')
    expect(stderr).not.toContain('at ')
  })

  test.for([
    ['a rejection', `Promise.reject(new Error('late'))`, 'late'],
    ['a rejection with nothing', 'Promise.reject()', 'undefined'],
    ['a timer', `setTimeout(() => { throw new Error('late') }, 1)`, 'late'],
    [
      'what cannot be asked',
      `Promise.reject(new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } }))`,
      'what cannot be told',
    ],
  ] as const)('also by the last rule of a run: %s', async ([, later, text], { reference, expect }) => {
    const casesOf = `({ list }) => [example('plain', list.request, succeedsWith(() => { ${later}; return null }))]`
    const { code, verdict } = await judged(run, await reference(), casesOf)

    expect([code, verdict?.verdict]).toEqual([2, 'error'])
    expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*a\.mjs\): expected nothing thrown later/)
    expect(verdict?.because[0]).toContain(`instead of: ${text}`)
  })

  test.for([
    ['has no text', 'throw Object.create(null)', 'what cannot be told'],
    [
      'throws when it is asked',
      `throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } })`,
      'what cannot be told',
    ],
    ['is nothing', 'throw undefined', 'undefined'],
  ] as const)('and at once, where what is thrown %s', async ([, thrown, text], { reference, expect }) => {
    const casesOf = `({ list }) => [example('plain', list.request, succeedsWith(() => { ${thrown} }))]`
    const { code, verdict } = await judged(runInProcess, await reference(), casesOf)

    expect([code, verdict?.because[0]]).toEqual([2, expect.stringContaining(`instead of: ${text}`)])
  })

  test.for([
    ['an address', `list.request.to('http://127.0.0.1:1/x')`],
    ['another authority', `list.request.to('@h/')`],
    ['a line break', String.raw`list.request.with('x-a', 'b\r\nhost: evil')`],
  ] as const)('and a request that cannot be sent: %s', async ([, request], { reference, expect }) => {
    const casesOf = `({ list }) => [example('plain', ${request}, succeeds())]`
    const { code, verdict } = await judged(runInProcess, await reference(), casesOf)

    expect([code, verdict?.because[0]]).toEqual([
      2,
      expect.stringMatching(/^RUN_SUITES: acme\/one: the pool does not send/),
    ])
  })

  test('at the top level of a module, with the file alone', async ({ reference, expect }) => {
    const play = `globalThis.begun?.(); ${waits}`
    const late = `let begun; const first = new Promise((one) => { globalThis.begun = one })
      void first.then(() => { throw new Error('too late') })`
    const folder = await ownFolder({ 'a.mjs': `${declaring(ownEntry, playing(play))}\n${late}` })
    const { code, verdict } = await run(['--suites', folder, ...only], {
      env: settingsFor(await reference()),
    })

    expect([code, verdict?.because[0]]).toEqual([
      2,
      expect.stringMatching(/a\.mjs: expected nothing thrown later/),
    ])
  })

  test('at the top level of a module that a plan loads: 4, since it ends the command', async ({ expect }) => {
    const folder = await ownFolder({
      'a.mjs': `void Promise.reject(new Error('no such luck')); await new Promise(() => {})`,
    })
    const { code, stderr } = await run(['plan', '--base-url', 'embedded', '--suites', folder])

    expect(stderr).toMatch(/a\.mjs: expected nothing thrown later[^]*instead of: no such luck/)
    expect(code).toBe(4)
  })
})

describe.concurrent('what a rule changes of what it is given', () => {
  const changes: readonly (readonly [string, string])[] = [
    ['the address', `settings.target.baseUrl = 'http://127.0.0.1:1'`],
    ['the credentials', `settings.target.client.apiKey = settings.target.client.secretKey`],
    ['the waivers', `settings.run.waivers.push({ rule: 'acme/one' })`],
    ['what is documented', `context.documented = () => []`],
    ['the known endpoints', `model.endpoints.length = 0`],
    ['the places', `places.paths.push('/')`],
    ['the fields of the plain request', `list.request.request.fields.push({ name: 'x-evil', value: '1' })`],
    ['the target of the plain request', `list.request.request.target = '/evil'`],
    ['what the plain request counts as', `list.request.traits.plain = false`],
    ['a credential', `settings.target.client.apiKey.reveal = () => 'other'`],
  ]
  test.for(changes)('is not changed: %s', async ([, change], { reference, expect }) => {
    const casesOf = `(context) => { const { list, settings, model, places } = context; ${change}; return [example('plain', list.request, succeeds())] }`
    const service = await reference()
    const { code, stderr } = await judged(runInProcess, service, casesOf)

    expect([code, service.requests()]).toEqual([2, 0])
    expect(stderr).toMatch(/acme\/one \(.*a\.mjs\)[^]*instead of: Cannot (?:assign|add)/)
  })

  const ofCatalogue = {
    'the catalogue': `catalogue.clear()`,
    'the catalogue, by what all maps have': `Map.prototype.clear.call(catalogue)`,
    'the level of a rule':
      `try { for (const one of catalogue.values()) one.level = 'implied' } catch {} ` +
      `for (const [id, one] of catalogue) catalogue.set(id, { ...one, level: 'implied' })`,
  } as const
  test.for(Object.entries(ofCatalogue))(
    'counts for no other rule: %s',
    async ([, change], { reference, expect }) => {
      const casesOf = `({ list, catalogue }) => { ${change}; return [example('plain', list.request, succeeds())] }`
      const service = await reference({ faults: ['missing-api-key-unauthorized'] })
      // The later flag counts.
      const also = ['--only', 'acme/*,authentication/api-key-missing']
      const { code, verdict } = await judged(runInProcess, service, casesOf, also)

      expect([code, verdict?.verdict]).toEqual([1, 'nonconformant'])
      expect(ruleIn(verdict, 'authentication/api-key-missing')).toMatchObject({
        level: 'documented',
        status: 'failed',
      })
    },
  )

  test('counts in no run, even if the caller changes the settings while it lasts', async ({
    reference,
    expect,
  }) => {
    const [service, other] = [await reference(), await reference()]
    const settings = await settingsOf(settingsFor(service))
    const kept = structuredClone(settings.target.endpoints)
    const change = (): void => {
      Reflect.set(settings.target, 'baseUrl', other.baseUrl)
      Reflect.set(settings.run, 'maxRequests', 1)
    }
    const changing = area('Acme', [
      rule(entry, ({ list }) => {
        change()
        return [
          scenario('plain', 1, async (stage) => {
            change()
            return [await stage.judge(list.request, succeeds())]
          }),
        ]
      }),
    ])
    const plain = area('Acme', [rule(entry, ({ list }) => [example('plain', list.request, succeeds())])])
    const again = { ...settings, target: { ...settings.target }, run: { ...settings.run } }
    const both = await Promise.all([judge(settings, [...suites, changing]), judge(again, [...suites, plain])])

    expect(both.map(({ verdict }) => [verdict.verdict, verdict.because])).toEqual([
      ['conformant', []],
      ['conformant', []],
    ])
    expect([service.requests() > 0, other.requests()]).toEqual([true, 0])
    // What the caller gave stays the caller's.
    expect([settings.target.baseUrl, Object.isFrozen(settings), Object.isFrozen(settings.target)]).toEqual([
      other.baseUrl,
      false,
      false,
    ])
    expect(settings.target.endpoints).toEqual(kept)
  })
})

describe.concurrent("a module's console", () => {
  const module = `import other from 'node:console'
    console.log('first'); console.table([{ second: 2 }]); console.dir({ third: 3 }); other.info('fourth')
    ${declaring(ownEntry, `({ list }) => { console.log('fifth'); return [example('plain', list.request, succeeds())] }`).replace('\n', ';')}`
  const words = ['first', 'second', 'third', 'fourth', 'fifth']

  test('goes to standard error in the command line, which has standard output for itself', async ({
    expect,
  }) => {
    const folder = await ownFolder({ 'a.mjs': module })
    const { code, stdout, stderr } = await run([
      '--base-url',
      'embedded',
      '--suites',
      folder,
      ...only,
      '--format',
      'json',
    ])

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'conformant' })
    expect(words.filter((word) => !stderr.includes(word))).toEqual([])
  })

  test('is left alone in the library', async ({ expect }) => {
    const methods = Object.entries(console)
    await settingsOf({ TARGET_BASE_URL: 'embedded' })

    expect(Object.entries(console)).toEqual(methods)
  })
})
