import type { ChildProcess } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { readSettings } from 'card-switch-conformance'
import { expect, test } from 'vitest'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { deadline } from './support/deadline.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { against, inOneLine, runWhole } from './support/program-test.ts'
import { ruleIn, type ProgramOptions, type ProgramResult } from './support/program.ts'

const id = 'acme/one'
const only = '--only acme/*'
const limited = `${only} ${deadline.args.join(' ')}`
const playing = (play: string): string =>
  `({ list, target }) => [scenario('plain', 2, async (stage) => {${play}})]`
const checking = (does: string): string =>
  `({ list }) => [example('plain', list.request, succeedsWith(() => { ${does}; return null }))]`
/** Makes the deadline of the run pass. */
const passes = 'globalThis.passes()'
const never = 'await new Promise(() => {})'
const leftBehind = /acme\/one \(.*a\.mjs\), case plain, waited for something that never came/

/** Runs a module as a separate process. The deadline of the run passes on demand. */
async function judged(
  module: string,
  words = only,
  more: ProgramOptions = {},
  options: ReferenceOptions = {},
): Promise<ProgramResult> {
  const RUN_SUITES = await ownFolder({ 'a.mjs': module })
  const { run } = await against({ ...options, env: { RUN_SUITES, ...deadline.env } })
  return run(words, more, runWhole)
}

test.for<readonly [what: string, play: string, entry?: string]>([
  ['if it waits for nothing', `${passes}; ${never}`],
  ['if it waits after an answer', `await stage.send(list.request); ${passes}; ${never}`],
  [
    'if it catches the error that ends it',
    `for (;;) try { await stage.send(list.request); ${passes} } catch { ${never} }`,
  ],
  [
    'if it is played alone, before other scenarios',
    `${passes}; ${never}`,
    ownEntry.replace('}', `, phase: 'alone' }`),
  ],
])(
  'a scenario that never ends is reported with rule and file: %s, at --max-minutes',
  async ([, play, declared = ownEntry]) => {
    const { code, verdict, stdout } = await judged(declaring(declared, playing(play)), limited)

    expect([code, verdict?.verdict]).toEqual([3, 'incomplete'])
    expect(verdict?.because.join()).toMatch(leftBehind)
    expect(verdict?.because.join()).toContain('(RUN_MAX_MINUTES)')
    expect(ruleIn(verdict, id).because).toMatch(leftBehind)
    expect(inOneLine(stdout)).toMatch(leftBehind)
  },
)

test('a scenario that never ends is reported with rule and file: at the first signal', async () => {
  const started = (child: ChildProcess): void =>
    void child.stderr?.once('data', () => void child.kill('SIGINT'))
  const waits = declaring(ownEntry, playing(`await stage.send(list.request); console.log(1); ${never}`))
  const { code, verdict } = await judged(waits, only, { started })

  expect([code, verdict?.because.join()]).toEqual([3, expect.stringMatching(leftBehind)])
  expect(verdict?.because.join()).toContain('the run was interrupted (SIGINT)')
})

test('a scenario that never ends is reported with rule and file: in a replay', async () => {
  const module = declaring(ownEntry, playing(`${passes}; ${never}`))
  const { code, stdout } = await judged(module, `replay ${id}:1:plain ${deadline.args.join(' ')}`)

  expect([code, inOneLine(stdout)]).toEqual([3, expect.stringMatching(leftBehind)])
})

test('a scenario that never ends is reported with rule and file, but not if it only waits for an answer', async () => {
  let child: ChildProcess | null = null
  const intervene = ({ headers }: IncomingMessage): boolean =>
    headers['accept-language'] === 'de' && (child?.kill('SIGUSR2') ?? false)
  const play = `return [await stage.judge(list.request.with('accept-language', 'de'), succeeds())]`
  const module = declaring(ownEntry, playing(play))
  const started = (one: ChildProcess): void => void (child = one)
  const words = `${limited} --timeout-ms 600000`
  const { code, verdict } = await judged(module, words, { started }, { intervene })

  expect([code, verdict?.verdict]).toEqual([3, 'incomplete'])
  expect(verdict?.because.join()).not.toContain('did not come')
})

const waits = 'await new Promise((later) => setTimeout(later, 30_000))'
const told = "'late ' + target.secretKey.reveal()"
const hidden = 'late <TARGET_SECRET_KEY>'
const unaskable = 'new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })'
test.for([
  ['in a timer', playing(`setTimeout(() => { throw new Error(${told}) }, 5); ${waits}`), hidden],
  ['in a promise that nobody awaits', playing(`void Promise.reject(new Error(${told})); ${waits}`), hidden],
  [
    'in a timer within a promise',
    playing(`void (async () => { await null; setTimeout(() => { throw ${told} }, 5) })(); ${waits}`),
    hidden,
  ],
  ['in a rejection by the last rule of a run', checking(`Promise.reject(new Error('late'))`), 'late'],
  ['in a rejection without a reason', checking('Promise.reject()'), 'undefined'],
  ['in a timer of the last rule', checking(`setTimeout(() => { throw new Error('late') }, 1)`), 'late'],
  [
    'as a value that cannot be read',
    checking(`Promise.reject(${unaskable})`),
    'a value that cannot be shown, because reading it throws',
  ],
] as const)(
  'a late error in user code makes the run exit 2 and name rule and file: %s',
  async ([, casesOf, text]) => {
    const { code, verdict, stderr, stdout } = await judged(declaring(ownEntry, casesOf))

    expect([code, verdict?.verdict]).toEqual([2, 'error'])
    expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*a\.mjs\): expected nothing thrown later/)
    for (const words of [verdict?.because[0], inOneLine(stdout)])
      expect(words).toContain(`instead of: ${text}`)
    expect(stderr).not.toContain('at ')
  },
)

test('a late error in user code makes the run exit 2 and name the file: at the top level of a module', async () => {
  const late = `let begun; const first = new Promise((one) => { globalThis.begun = one })
    void first.then(() => { throw new Error('too late') })`
  const module = `${declaring(ownEntry, playing(`globalThis.begun?.(); ${waits}`))}\n${late}`
  const { code, verdict } = await judged(module)

  const says = expect.stringMatching(/a\.mjs: expected nothing thrown later/)
  expect([code, verdict?.because[0]]).toEqual([2, says])
})

test('a late error at the top level of a module that plan loads makes plan exit 4 and name the file', async () => {
  const module = `void Promise.reject(new Error('no such luck')); ${never}`
  const { code, stderr } = await judged(module, 'plan --base-url embedded')

  expect(stderr).toMatch(/a\.mjs: expected nothing thrown later[^]*instead of: no such luck/)
  expect(code).toBe(4)
})

test("a module's console goes to standard error on the command line", async () => {
  const says = `({ list }) => { console.log('fifth'); return [example('plain', list.request, succeeds())] }`
  const module = `import other from 'node:console'
      console.log('first'); console.table([{ second: 2 }]); console.dir({ third: 3 }); other.info('fourth')
      ${declaring(ownEntry, says).replace('\n', ';')}`
  const { code, stdout, stderr } = await judged(module, `${only} --format json`)

  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'conformant' })
  for (const word of ['first', 'second', 'third', 'fourth', 'fifth']) expect(stderr).toContain(word)
})

test("a module's console is unchanged in the library", async () => {
  const methods = Object.entries(console)
  await readSettings({ env: { TARGET_BASE_URL: 'embedded' } })

  expect(Object.entries(console)).toEqual(methods)
})
