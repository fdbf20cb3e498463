import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestResult } from 'allure-js-commons'
import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { faults as allFaults } from '../lab/service/faults/all-faults.ts'
import { startService } from '../lab/service/start.ts'
import { readAllure } from '../lib/report/allure/allure.testing.ts'
import { allureResults } from '../lib/report/allure/allure.ts'
import { view } from '../lib/report/view.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { ruleIds, type RuleId } from '../lib/specification/rules.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { judgedInMemory } from './support/in-memory.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { against, run } from './support/program-test.ts'
import { ruleIn, rulesThat, settingsFor, type ProgramResult, type Texts } from './support/program.ts'

/** A run of the corpus: its service, inputs and exit code. */
interface Row extends ReferenceOptions {
  readonly code: number
  readonly args?: readonly string[]
  /** Waivers, by rule and fingerprint. */
  readonly waivers?: readonly object[]
  /** The service is closed before the run. */
  readonly gone?: true
  /** The settings name no inactive client. */
  readonly lacking?: true
}

const fault = { faults: ['missing-api-key-called-invalid'] }
const acceptance = ['--profile', 'acceptance', '--fuzz-cases', '3', '--max-rps', '1000']
const part = ['--only', 'authentication/*,errors/*']
const ofEvery = ['--only', 'endpoints/*,conventions/accept-optional']
const ofUnknown = ['--only', 'versioning/unknown-endpoint']
const waivers = [{ rule: 'authentication/api-key-missing' }, { rule: 'authentication/no-bypass' }]
/** Two entries differ only by method. Reports must distinguish them. */
const endpoints = [
  { method: 'GET', path: '/api/cards' },
  { method: 'POST', path: '/api/cards' },
  { method: 'GET', path: '/api/webhooks', versions: [1, 2] },
]
/** How many requests without a key arrived at the service that counts them. */
const keyless = { arrived: 0 }

type Intervene = NonNullable<ReferenceOptions['intervene']>
const counted: Intervene = ({ headers }) => {
  if (headers['x-api-key'] === undefined) keyless.arrived += 1
  return false
}
const unanswered: Intervene = ({ headers, socket }) =>
  headers['x-version'] === undefined && socket.destroy().destroyed
const missed = 'authentication/api-key-missing,authentication/no-bypass'
const unversioned = ['--only', 'versioning/version-missing,errors/*']

const corpus = {
  'of a conformant service': { code: 0 },
  'of a service below a path': { code: 0, variant: 'path-prefix', args: ['--essential'] },
  'of an accepted service': { code: 0, args: acceptance },
  'of the nightly profile': { code: 0, args: ['--profile', 'nightly', '--fuzz-cases', '5'] },
  'of a service that was not accepted': { code: 1, ...fault, args: acceptance },
  'of a service that breaks a rule': { code: 1, ...fault },
  'of a service that breaks a form': { code: 0, faults: ['success-labelled-html'] },
  'of selected rules': { code: 1, ...fault, intervene: counted, args: ['--only', `${missed},errors/*`] },
  'of selected rules in acceptance': { code: 3, args: [...acceptance, '--only', 'authentication/*'] },
  'with agreed exceptions': { code: 0, ...fault, lacking: true, waivers, args: part },
  'with agreed exceptions in acceptance': { code: 3, ...fault, waivers, args: [...acceptance, ...part] },
  'with too small a budget': { code: 3, args: ['--max-requests', '12'] },
  'that was cut short': { code: 3, latencyMs: 50, args: ['--max-minutes', '0.01'] },
  'with a label of full length': { code: 0, args: ['--essential', '--label', '𝒙'.repeat(200)] },
  'with rules of the user': { code: 1, args: ['--suites', '.'] },
  'with a new baseline': { code: 0, args: ['--baseline', 'baseline.json'] },
  'with wrong settings': { code: 2, args: ['--timeout-ms', 'soon', '--only', 'nothing'] },
  'of the embedded service': { code: 0, args: ['--base-url', 'embedded', '--essential'] },
  'of a service that cannot be reached': { code: 3, gone: true },
  'of a service that leaves a request unanswered': { code: 1, intervene: unanswered, args: unversioned },
  'with additional endpoints': { code: 0, endpoints, args: ['--max-requests', '1000'] },
  'of one case per rule': { code: 0, endpoints, args: ['--essential'] },
  'of rules that judge every endpoint': { code: 0, endpoints, args: ofEvery },
  'of a rule that judges no known endpoint': { code: 0, endpoints, args: ofUnknown },
  'with additional endpoints in acceptance': { code: 3, endpoints, args: acceptance },
} as const satisfies Readonly<Record<string, Row>>

/** A case whose request target is not a path. */
const odd = `(context) => context.endpoints.map(({ request }) =>
  example('odd', request.onRawSocket().to('x'), answers({ status: 418, errorCode: '1' })))`
const agreed = { reason: 'fixed in the next release', owner: 'Kim', expires: '2999-12-31' }

const closing: (() => Promise<void>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** With the results of the commands that read the reports. */
type Left = ProgramResult & { readonly env: Texts; readonly read: readonly ProgramResult[] }

const sealing = ['bundle reports --out evidence.tar.gz', 'verify evidence.tar.gz']
const reading = [...sealing, 'report reports', 'compare reports reports']

/** Makes a run, reads its reports, and passes them to every command that reads reports. */
async function made(row: Row): Promise<Left> {
  const { args = [], waivers: entries = [], gone, lacking, ...options } = row
  const service = await startService(options)
  if (gone === true) await service.close()
  else closing.push(() => service.close())
  const files = {
    'endpoints.json': JSON.stringify(options.endpoints ?? []),
    'waivers.json': JSON.stringify(entries.map((entry) => ({ ...entry, ...agreed }))),
    'own.mjs': declaring(ownEntry, odd),
    'plan.json': '{"version":"1.0","tests":[{"selector":"another test"}]}',
  }
  const cwd = await ownFolder(files)
  const isGiven = (name: string): boolean => lacking !== true || !name.includes('_INACTIVE_')
  const fixtures = Object.entries(settingsFor(service)).filter(([name]) => isGiven(name))
  const env = {
    ...Object.fromEntries(fixtures),
    ...(options.endpoints === undefined ? {} : { TARGET_ENDPOINTS: 'endpoints.json' }),
    RUN_WAIVERS: 'waivers.json',
    // Excludes no rule.
    ALLURE_TESTPLAN_PATH: join(cwd, 'plan.json'),
  }
  const result = await run(args, { cwd, env })
  expectAllure(result)
  const read: ProgramResult[] = []
  for (const command of reading) {
    if (command === 'report reports')
      await rm(join(cwd, 'reports/allure-results'), { recursive: true, force: true })
    read.push(await run(command, { cwd }))
  }
  expectAllure(result)
  return { ...result, env, read }
}

/** Fails unless Allure's results match the verdict for every rule. */
function expectAllure({ verdict, cwd }: ProgramResult): void {
  if (verdict === null) throw new Error('no verdict')
  // After wrong settings only the verdict is written.
  if (verdict.exitCode === 2) return
  const { names, results, text } = readAllure(join(cwd, 'reports', 'allure-results'))
  const shown = view(verdict)
  const saidOf = ({ testCaseId, status, statusDetails, attachments }: Said): string =>
    JSON.stringify([testCaseId, status, statusDetails?.message, attachments?.length])

  const shownResults = allureResults(shown, () => '')
  expect(results.map(saidOf).toSorted()).toEqual(shownResults.map(saidOf).toSorted())
  for (const { attachments } of results) for (const { source } of attachments) expect(names).toContain(source)
  expect(parseEnvInfo(text('environment.properties'))).toEqual(shown.properties)
}

type Said = Partial<Pick<TestResult, 'testCaseId' | 'statusDetails' | 'attachments'>> & { status?: string }

const known: Record<string, Promise<Left>> = {}
const once = (name: string, row: Row): Promise<Left> => (known[name] ??= made(row))

/** The results of a run of the corpus. Each run is made once. */
const left = (name: keyof typeof corpus): Promise<Left> => once(name, corpus[name])

test.for(Object.entries<Row>(corpus))(
  'reports can be read and sealed after a run %s',
  async ([name, row]) => {
    const { read, ...result } = await once(name, row)

    expect(result.code).toBe(row.code)
    for (const one of read) expect(one).toMatchObject({ code: 0, stderr: '' })
  },
)

test('answers with a breach count once, even if several rules blame them, and confirmations do not count', async () => {
  const { verdict } = await left('of selected rules')
  const missing = ruleIn(verdict, 'authentication/api-key-missing')
  const bypass = ruleIn(verdict, 'authentication/no-bypass')
  const findings = missing.findings.length + bypass.findings.length

  expect([missing.power?.faulty, bypass.power?.faulty]).toEqual([2, 18])
  // Both rules share one request. Two more requests confirm each finding. One HEAD request is refused.
  expect(verdict?.power).toMatchObject({ faulty: 19, unanswered: 0, excludes: null })
  expect(keyless.arrived).toBe(19 + 2 * findings + 1)
})

test('answers with a breach are counted only for the rule that warns', async () => {
  const { verdict } = await left('of a service that breaks a form')
  const { answers = 0, faulty } = ruleIn(verdict, 'conventions/json-content-type').power ?? {}

  expect(faulty).toBeLessThan(answers)
  expect(verdict?.power?.faulty).toBe(faulty)
})

test('answers with a breach do not include unanswered requests', async () => {
  const { verdict } = await left('of a service that leaves a request unanswered')

  expect(verdict?.power).toMatchObject({ faulty: 0, unanswered: 3, excludes: null })
})

const list = '/api/customizations/list'
const asked = [list, '/api/cards', '/api/webhooks', '/api/webhooks (version 2)']
const noFuzz = 'POST is sent only if the endpoints file says "fuzz": true'

function notJudged({ verdict }: ProgramResult): readonly string[] {
  return (verdict?.target.notJudged ?? []).map(({ endpoint, because }) => `${endpoint}: ${because}`)
}

test('a method with side effects is not judged by a conformant gate without permission', async () => {
  const result = await left('with additional endpoints')
  const { verdict, cwd, env, read } = result
  const { stdout } = await run(['plan'], { cwd, env })

  expect(verdict?.target.endpoints).toEqual(asked)
  expect(notJudged(result)).toEqual([`POST /api/cards: ${noFuzz}`])
  expect(read[1]?.stdout).toMatch(/^1 endpoint NOT JUDGED, CONFORMANT: /)
  expect(stdout).toContain(`Not judged with these settings (1 endpoint):\n  POST /api/cards\n    ${noFuzz}\n`)
})

test('a method without permission makes an acceptance incomplete unless a waiver names it', async () => {
  const { verdict } = await left('with additional endpoints in acceptance')
  const [fingerprint = ''] = (verdict?.target.notJudged ?? []).map((one) => one.fingerprint)
  const named = [{ rule: 'endpoints/list-succeeds', fingerprint }]
  const waived = await made({ code: 0, endpoints, args: acceptance, waivers: named })

  const because = `POST /api/cards (fingerprint ${fingerprint}) must be judged in acceptance: ${noFuzz}`
  expect(verdict?.because).toEqual([because])
  expect([waived.code, waived.verdict?.waivers[0]?.used]).toEqual([0, true])
})

test('a partial run claims only the endpoints that its rules judged', async () => {
  const essential = await left('of one case per rule')
  const every = await left('of rules that judge every endpoint')
  const unknown = await left('of a rule that judges no known endpoint')
  const because = 'only one case per rule was selected, and no case goes to it'

  expect(essential.verdict?.target.endpoints).toEqual([list])
  expect(notJudged(essential)).toEqual([
    `/api/cards: ${because}`,
    `POST /api/cards: ${noFuzz}`,
    `/api/webhooks: ${because}`,
    `/api/webhooks (version 2): ${because}`,
  ])
  expect(every.verdict?.target.endpoints).toEqual(asked)
  expect(notJudged(every)).toEqual([`POST /api/cards: ${noFuzz}`])
  // No selected rule judges the first plain valid request.
  expect(unknown.verdict?.target.endpoints).toEqual([])
  // Only if the service serves a random path beside the list would the rule request the list, to compare both.
  expect(notJudged(unknown)).toContain(`${list}: no rule judged an answer from exactly this endpoint`)
})

/** A rule that a run with every fixture cannot judge, and why. A run with a baseline judges it below. */
const lacksBaseline = ['tolerance/no-breaking-change', 'no baseline is given (RUN_BASELINE)'] as const
const onlyInAcceptance = 'its cases are sent only in an acceptance (--profile acceptance)'
const inAcceptance = ['conventions/http-messages', onlyInAcceptance] as const

/** Rules that passed without seeing an answer. */
function passedUnseen(verdict: Verdict | null): readonly RuleId[] {
  return (verdict?.rules ?? [])
    .filter(({ status, answers }) => status === 'passed' && answers === 0)
    .map(({ id }) => id)
}

test.for([
  ['of a conformant service', [inAcceptance, lacksBaseline]],
  ['of an accepted service', [lacksBaseline]],
  ['of the nightly profile', [inAcceptance, lacksBaseline]],
] as const)('every rule has a status, and passes only by an answer in a run %s', async ([name, lacking]) => {
  const { verdict } = await left(name)
  const others = verdict?.rules.filter(({ status }) => status !== 'passed') ?? []

  expect(verdict?.rules.map(({ id }) => id)).toEqual(ruleIds)
  expect(others.map(({ id, because }) => [id, because])).toEqual(lacking)
  expect(passedUnseen(verdict)).toEqual([])
})

test('every rule has a status, and passes only by an answer in a gate with a baseline, except the rule that needs an acceptance', async () => {
  const { cwd, env } = await left('with a new baseline')
  const { code, verdict } = await run(['--baseline', 'baseline.json'], { cwd, env })

  const judged = ruleIds.filter((id) => id !== inAcceptance[0])
  expect([code, rulesThat(verdict, 'passed')]).toEqual([0, judged])
  expect(passedUnseen(verdict)).toEqual([])
})

test.for(ruleIds)('every rule has a status, and passes only by an answer in %s alone', async (rule) => {
  const verdict = await judgedInMemory({}, { RUN_ONLY: rule })

  expect(verdict.rules.map(({ id }) => id)).toEqual([rule])
  expect(passedUnseen(verdict)).toEqual([])
})

const several = 'Several kinds of error answer with'

test.for([
  ['errors-in-plain-text', `${several} a body that is not JSON`],
  ['errors-are-pages-without-accept', `${several} a body that is not JSON`],
  ['every-error-under-200', `${several} status 200`],
  ['error-code-padded', `${several} error_code "1006 " instead of "1006", or similar`],
  ['error-body-is-nested', 'Several kinds of error answer without error_code'],
] as const)('%s gives one cause, shown on at most thirty lines', async ([name, sentence]) => {
  const { verdict, stdout } = await (await against({ faults: [name] })).run()

  expect(verdict?.causes).toMatchObject([{ sentence }])
  expect(verdict?.causes[0]?.warning ?? false).toBe(false)
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(30)
})

test('at least nine of ten services with two faults have two causes', async () => {
  // Sorted, so that the drawn pairs do not depend on where a fault stands.
  const ofGate = allFaults
    .flatMap(({ name, profile, needs }) => (profile === undefined && needs === undefined ? [name] : []))
    .toSorted()
  const two = fc.uniqueArray(fc.constantFrom(...ofGate), { minLength: 2, maxLength: 2 })
  const merged: string[] = []
  for (const pair of fc.sample(two, { seed: 20260101, numRuns: 10 })) {
    const { causes } = await judgedInMemory({ faults: pair })
    if (causes.length < 2) merged.push(pair.join())
  }

  expect(merged.length, merged.join('; ')).toBeLessThanOrEqual(1)
})
