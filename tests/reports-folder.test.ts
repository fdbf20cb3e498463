import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { list } from 'tar'
import { expect, test } from 'vitest'
import { verdictMistakes } from '../lib/verdict/read-verdict.ts'
import { against, expectEnds, run as runAlone, runWhole } from './support/program-test.ts'
import { emptyFolder, folderWith, rulesThat } from './support/program.ts'
import type { ProgramOptions, ProgramResult } from './support/program.ts'

const pages = ['verdict.json', 'index.html', 'history.html', 'junit.xml', 'summary.md']
const reportNames = [...pages, 'metrics.prom', 'run.sha256']
const few = '--only endpoints/*'
const part = '--only authentication/*'
const embedded = `--base-url embedded ${few}`
const fault = { faults: ['missing-api-key-called-invalid'] }
const shownFault = /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 .*\n +got +401 \/ 1006/

/** The files below a folder that still contain text from yesterday. */
async function leftOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')))
  return names.filter((_, at) => texts[at]?.includes('yesterday')).toSorted()
}

/** Fails unless a verdict says that the run did not finish, as it does from before the first request to the end. */
function expectUnfinished(verdict: unknown): void {
  expect(verdictMistakes(verdict)).toEqual([])
  expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
  expect(verdict).toHaveProperty('because', [expect.stringContaining('the run did not finish')])
}

test.for([true, false])("yesterday's reports are gone before a request, answered: %s", async (isThere) => {
  let seen: readonly string[] | null = null
  let first = ''
  const others = ['notes.txt', 'history.jsonl', 'allure-results/yesterday-result.json']
  const names = [...pages, ...others]
  const { service, cwd, run } = await against({
    files: Object.fromEntries(names.map((name) => [`reports/${name}`, '{"yesterday":true}\n'])),
    intervene: () => {
      if (seen === null) first = readFileSync(join(cwd, 'reports/verdict.json'), 'utf8')
      seen ??= reportNames.filter((name) => existsSync(join(cwd, 'reports', name)))
      return false
    },
  })
  if (!isThere) await service.close()

  const { code } = await run(few)

  expect(seen).toEqual(isThere ? ['verdict.json', 'metrics.prom'] : null)
  if (isThere) expectUnfinished(JSON.parse(first))
  expect(await leftOf(join(cwd, 'reports'))).toEqual(['history.jsonl', 'notes.txt'])
  expect(code).toBe(isThere ? 0 : 3)
})

test('the reports of the previous run move to previous/ in a later run, stay after wrong settings, and are ignored by commands', async () => {
  const { cwd, run, read } = await against()
  const reports = join(cwd, 'reports')
  const first = await run(`${few} --label first`)
  const files = (await readdir(reports)).filter((name) => name !== 'previous')

  const mistaken = await run('--target-version one')
  const second = await run(`${few} --label second`)

  expect([first.code, mistaken.code, second.code]).toEqual([0, 2, 0])
  expect(mistaken.verdict).toEqual(first.verdict)
  expect(JSON.parse(await read('reports/previous/verdict.json'))).toEqual(first.verdict)
  const kept = files.filter((name) => !name.startsWith('history')).toSorted()
  expect((await readdir(join(reports, 'previous'))).toSorted()).toEqual(kept)
  expect((await readdir(reports)).filter((name) => name.startsWith('.'))).toEqual([])
  expect(second.verdict?.target.label).toBe('second')

  const page = await read('reports/previous/index.html')
  const sealing = ['bundle reports --out evidence.tar.gz', 'verify evidence.tar.gz']
  for (const command of [...sealing, 'report reports', 'compare reports/previous reports'])
    expect((await run(command)).code, command).toBe(0)
  const names: string[] = []
  await list({ file: join(cwd, 'evidence.tar.gz'), onReadEntry: ({ path }) => names.push(path) })
  expect(names.filter((name) => name.includes('previous'))).toEqual([])
  expect(names.map((name) => name.replace(/^evidence-[^/]+\//, ''))).toContain('verdict.json')
  expect(await read('reports/previous/index.html')).toBe(page)
})

test('the second of two concurrent runs in one folder exits 2, says so and changes nothing', async () => {
  const later: { run?: Promise<ProgramResult> } = {}
  const { cwd, run, read } = await against({
    intervene: async () => {
      await (later.run ??= run('--format json --label second', {}, runWhole))
      return false
    },
  })

  const first = await run(`--label first ${few} --timeout-ms 60000`)
  const second = (await later.run) ?? first

  expectEnds(second, 2, /another run \(process \d+ on .*\) is writing its reports into the same folder/)
  expect(JSON.parse(second.stdout)).toMatchObject({ exitCode: 2, target: { label: 'second' } })
  expectUnfinished(second.verdict)
  expect(second.verdict?.target.label).toBe('first')
  expect(first.verdict).toMatchObject({ verdict: 'conformant', target: { label: 'first' } })
  expect(await readdir(join(cwd, 'reports'))).not.toContain('.run.lock')
  expect((await read('reports/history.jsonl')).split('\n').length).toBe(2)
})

/** A path where not even root can create a folder or a file. */
const unwritable = '/sys/kernel/conformance'

const folder = `${unwritable}: E[A-Z]+: .*RUN_REPORTS_DIR`
const allure = 'the reports cannot be written to .*allure-results: E[A-Z]+: .*RUN_REPORTS_DIR'
const ofHistory = '.jsonl: E[A-Z]+: .*RUN_HISTORY'
const failed = { verdict: 'error', exitCode: 4 }
const spoilt = { ...failed, rules: [], because: expect.arrayContaining([expect.stringContaining('EFBIG')]) }
// No file may be larger than 16 KiB. The whole verdict is larger.
const small = ['bash', '-c', 'ulimit -f 16 && exec "$@"', 'bash']

type Options = ProgramOptions & { readonly words?: string }

/** A run that cannot write its reports: how, its message, its verdict, and a file that takes the place of a folder in its middle. */
test.for<readonly [how: string, run: Options, says: string, verdict: object | null, replaced?: string]>([
  ['its folder cannot be made', { words: `--reports-dir ${unwritable}` }, folder, null],
  ['its folder disappears', { words: part }, '/reports', null, 'reports'],
  ["the folder of Allure's results is a file", { words: part }, allure, failed, 'reports/allure-results'],
  ['the disk is full', { through: small }, '/reports/verdict.json: EFBIG', spoilt],
  ['only the history fails', { words: `${part} --history ${unwritable}.jsonl` }, ofHistory, failed],
])('a run that cannot write its reports exits 4 and prints the verdict: %s', async (row) => {
  const [how, { words, ...options }, says, verdict, replaced] = row
  const { service, cwd, run, read } = await against({
    ...fault,
    intervene: async () => {
      if (replaced === undefined || service.requests() !== 20) return false
      await rm(join(cwd, replaced), { recursive: true, force: true })
      await writeFile(join(cwd, replaced), 'a file\n')
      return false
    },
  })

  const result = await run(words, options)

  expectEnds(result, 4, new RegExp(says))
  expect(result.verdict).toEqual(verdict === null ? null : expect.objectContaining(verdict))
  const isBegun = how !== 'its folder cannot be made'
  expect(result.stdout).toMatch(isBegun ? shownFault : /exit 4/)
  expect(service.requests() > 0).toBe(isBegun)
  const left = await readdir(join(cwd, 'reports')).catch(() => [])
  expect(left.filter((name) => name.startsWith('.'))).toEqual([])
  if (replaced !== undefined) expect(existsSync(join(cwd, 'reports/allure-results'))).toBe(false)
  if (how !== 'only the history fails') return
  expect(rulesThat(result.verdict, 'failed')).toContain('authentication/api-key-missing')
  expect(await read('reports/junit.xml')).toContain('type="exit 4"')
  expect(await read('reports/summary.md')).toContain('**Partial, error**')
})

test.for([
  ['a run', embedded, 'conformant', 0],
  ['a violation', part, 'nonconformant', 1],
  ['wrong settings', '--base-url staging', 'error', 2],
  ['a service that cannot be reached', '--base-url http://127.0.0.1:1', 'incomplete', 3],
  ['reports that cannot be written', embedded, 'error', 4],
] as const)('--format json prints only the verdict on standard output: of %s', async (row) => {
  const [what, words, word, expected] = row
  const { cwd, run } = await against({ ...fault, files: expected === 4 ? { reports: 'a file\n' } : {} })

  const by = what === 'a run' ? runWhole : undefined
  const { verdict, ...result } = await run(`--format json ${words}`, {}, by)

  const printed: unknown = JSON.parse(result.stdout)
  expect(verdictMistakes(printed)).toEqual([])
  expect(printed).toMatchObject({ verdict: word, exitCode: expected })
  expect(verdict).toEqual(expected === 4 ? null : printed)
  if (expected === 1) expect(result.stderr).toBe('')
  expectEnds(result, expected, expected === 4 ? join(cwd, 'reports') : '')
})

test('a link instead of the history is followed only if RUN_HISTORY names it', async () => {
  const cwd = await folderWith({ profile: 'export A=1\n', 'reports/notes.txt': '' })
  const target = join(cwd, 'profile')
  symlinkSync(target, join(cwd, 'reports', 'history.jsonl'))
  const says = 'it is a symbolic link, which is followed only if a setting names it'

  expectEnds(await runAlone(embedded, { cwd }), 4, says)
  expect(readFileSync(target, 'utf8')).toBe('export A=1\n')
  expectEnds(await runAlone(`${embedded} --history reports/history.jsonl`, { cwd }), 0)
  expect(readFileSync(target, 'utf8').split('\n').length).toBe(3)
})

const toReader = ['bash', '-c', '"$@" --history >(cat >&2); code=$?; wait $!; exit $code', 'bash']

test.for<readonly [what: string, code: number, word: string, says: string, options?: ProgramOptions]>([
  ['RUN_HISTORY is reported', 4, 'error', 'it is a pipe without a reader'],
  ['GITHUB_STEP_SUMMARY is reported, and the verdict stays', 0, 'conformant', 'SUMMARY): it is a pipe'],
  ['history gets its line if it has a reader', 0, 'conformant', '/history/', { through: toReader }],
])('no pipe blocks the program: a pipe as %s', async ([what, expected, word, says, options]) => {
  const cwd = await emptyFolder()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  const env = options === undefined ? { [what.split(' ')[0] ?? '']: join(cwd, 'pipe') } : {}
  const { code, stderr, verdict } = await runAlone(embedded, { cwd, env, ...options })

  expect([code, verdict?.verdict, stderr]).toEqual([expected, word, expect.stringContaining(says)])
})
