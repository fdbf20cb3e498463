import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parsedLine, readHistory } from '../lib/report/history/history.ts'
import { historyLine, type HistoryLine } from '../lib/verdict/history-line.ts'
import { findingWith, ruleWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import { mendable, run } from './support/program-test.ts'
import { emptyFolder, folderWith, rulesThat, type ProgramResult } from './support/program.ts'

const quick = '--base-url embedded --only endpoints/list-succeeds'.split(' ')

test('the history gains a line for every run, even an incomplete one, and keeps its earlier lines', async () => {
  const cwd = await folderWith({ 'reports/history.jsonl': '{"format":"another"}\n{"half a li' })
  const history = join(cwd, 'reports', 'history.jsonl')

  const first = await run(quick, { cwd })
  const firstLine = await expectedLine(cwd)
  await run([...quick, '--seed', 'one'], { cwd })
  const env = { TARGET_API_KEY: 'key-of-a-client', TARGET_SECRET_KEY: 'secret-of-a-client' }
  const second = await run(['--base-url', 'http://127.0.0.1:1'], { cwd, env })
  const texts = (await readFile(history, 'utf8')).split('\n')

  expect([first.code, second.code]).toEqual([0, 3])
  expect(texts.slice(0, 2)).toEqual(['{"format":"another"}', '{"half a li'])
  const lines = [firstLine, await expectedLine(cwd)]
  expect(texts.slice(2).flatMap((text) => parsedLine(text) ?? [])).toEqual(lines)
  expect((await readHistory(history)).map(({ verdict }) => verdict)).toEqual(['conformant', 'incomplete'])
})

/** The history line expected for the verdict in `reports/`. */
async function expectedLine(cwd: string): Promise<HistoryLine> {
  const bytes = await readFile(join(cwd, 'reports', 'verdict.json'))
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { ...historyLine(JSON.parse(bytes.toString())), digest }
}

test('the history links to the previous run, which no other report names', async () => {
  const cwd = await emptyFolder()
  const read = (name: string): Promise<string> => readFile(join(cwd, 'reports', name), 'utf8')
  const runs: ProgramResult[] = []
  const pages: string[] = []
  for (const build of ['a', 'b', 'c']) {
    runs.push(await run([...quick, '--build', build], { cwd }))
    pages.push(await read('history.html'))
  }
  const compared = await run(['compare', '--targets', '.'], { cwd })

  expect(pages.map((page) => page.split('href="previous/index.html"').length - 1)).toEqual([0, 1, 1])
  expect(runs.map(({ stdout }) => stdout.includes('nothing is new'))).toEqual([false, true, true])
  // Each run has its own port.
  const { startedAt, target } = runs[1]?.verdict ?? verdictWith()
  for (const name of ['index.html', 'summary.md', 'junit.xml', 'metrics.prom'])
    expect(await read(name), name).not.toMatch(new RegExp(`previous/|${startedAt}|${target.baseUrl}`))
  expect(/"build": "(.)"/.exec(await read('previous/verdict.json'))?.[1]).toBe('b')
  expect(compared.stdout).toContain('1 target')
})

const linesEach = 80

test('the history neither loses nor mixes lines when many processes write at once', async () => {
  const file = join(await emptyFolder(), 'history.jsonl')
  const writers = Array.from({ length: 3 }, (_, index) => `writer ${index}`)
  await Promise.all(writers.map((writer) => writeMany(file, writer)))
  const texts = (await readFile(file, 'utf8')).split('\n').filter((text) => text !== '')
  const labels = texts.map((text) => parsedLine(text)?.target.label ?? 'torn')

  expect(labels.toSorted()).toEqual(writers.flatMap((writer) => Array(linesEach).fill(writer)))
})

/** Writes lines larger than a memory page, one right after another. */
async function writeMany(file: string, label: string): Promise<void> {
  const findings = Array.from({ length: 500 }, (_, index) =>
    findingWith({ fingerprint: `${label} ${index}`.padEnd(16) }),
  )
  const rules = [ruleWith('errors/body-shape', { status: 'failed', findings })]
  const line = historyLine(verdictWith({ target: { ...verdictWith().target, label }, rules }))
  const input = `${file}.${label}.json`
  await appendFile(input, JSON.stringify(line))
  const history = new URL('../lib/report/history/history.ts', import.meta.url)
  const script = `
    import { readFileSync } from 'node:fs'
    import { appendHistory } from ${JSON.stringify(history.href)}
    const [input, file] = process.argv.slice(1)
    const line = JSON.parse(readFileSync(input, 'utf8'))
    for (let count = 0; count < ${linesEach}; count += 1) await appendHistory(file, line)`
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, input, file]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`the writer ${label} exited with ${String(code)}`)
}

test('--failed judges again the rules that failed in the last finished run, until all pass', async () => {
  const { run: judge, fault } = await mendable()
  const { verdict: whole } = await judge(
    '--only authentication/*-missing,authentication/no-bypass,versioning/*',
  )
  const failed = rulesThat(whole, 'failed')
  expect(failed).toContain('authentication/api-key-missing')
  expect(failed.length).toBeLessThan((whole?.rules.length ?? 0) / 2)

  expect(await judge('--timeout-ms soon')).toMatchObject({ code: 2, verdict: whole })
  const one = await judge('plan --failed --only authentication/api-key-missing')
  expect(one.stdout).toMatch(/^ {2}authentication\/api-key-missing +\d+$/m)
  expect(one.stdout).not.toMatch(/^ {2}authentication\/no-bypass/m)

  const other = await judge('--failed', { env: { TARGET_BASE_URL: 'embedded' } })
  expect(other.code).toBe(2)
  expect(other.stderr).toMatch(/the last run judged http:\/\/127\.0\.0\.1:\d+/)

  const again = await judge('--failed')
  expect(again).toMatchObject({ code: 1, verdict: { selection: { only: failed } } })
  const statuses = again.verdict?.rules.map(({ id, status }) => [id, status])
  expect(statuses).toEqual(failed.map((id) => [id, 'failed']))

  const planned = await judge('plan --failed')
  expect(planned.code).toBe(0)
  expect(planned.stdout).toContain('authentication/api-key-missing')
  expect(planned.stdout).not.toContain('versioning/')

  fault.isBent = false
  const mended = await judge('--failed')
  expect(mended).toMatchObject({ code: 0, verdict: { verdict: 'conformant', selection: { only: failed } } })
  expect(mended.stdout).toContain('PARTIAL')

  const nothing = await judge('--failed')
  const says = expect.stringContaining('there is nothing to judge again')
  expect(nothing).toMatchObject({ code: 2, stderr: says, verdict: mended.verdict })
})
