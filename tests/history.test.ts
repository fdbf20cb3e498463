import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readHistory } from '../lib/report/history/history.ts'
import { parsedLine } from '../lib/report/history/history.ts'
import { historyLine, type HistoryLine } from '../lib/verdict/history-line.ts'
import { findingWith, ruleWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import { run } from './support/program-test.ts'
import { emptyFolder, folderWith, type ProgramResult } from './support/program.ts'

const quick = ['--base-url', 'embedded', '--only', 'endpoints/list-succeeds']

describe('the history', () => {
  test('gains a line for every run, even an incomplete one, and keeps its earlier lines', async () => {
    const cwd = await emptyFolder()
    const history = join(cwd, 'reports', 'history.jsonl')
    await mkdir(join(cwd, 'reports'))
    await writeFile(history, '{"format":"another"}\n{"half a li')

    const first = await run(quick, { cwd })
    const firstLine = await expectedLine(cwd)
    await run([...quick, '--seed', 'one'], { cwd })
    const second = await run(['--base-url', 'http://127.0.0.1:1'], {
      cwd,
      env: { TARGET_API_KEY: 'key-of-a-client', TARGET_SECRET_KEY: 'secret-of-a-client' },
    })
    const texts = (await readFile(history, 'utf8')).split('\n')

    expect([first.code, second.code]).toEqual([0, 3])
    expect(texts.slice(0, 2)).toEqual(['{"format":"another"}', '{"half a li'])
    expect(texts.slice(2).flatMap((text) => parsedLine(text) ?? [])).toEqual([
      firstLine,
      await expectedLine(cwd),
    ])
    expect((await readHistory(history)).map(({ verdict }) => verdict)).toEqual(['conformant', 'incomplete'])
  })

  test('may be another file, and starts anew after lines in another format', async () => {
    const cwd = await folderWith({ 'old.jsonl': '{"format":"card-switch-conformance/history/2"}\n' })
    const env = { RUN_HISTORY: 'old.jsonl' }
    const runs = [await run(quick, { cwd, env }), await run(quick, { cwd, env })]

    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    expect(await readHistory(join(cwd, 'old.jsonl'))).toHaveLength(2)
    expect(await readHistory(join(cwd, 'reports', 'history.jsonl'))).toEqual([])
  })

  test('links to the previous run, which no other report names', async () => {
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

  test('loses and tears no lines when many processes write at once', async () => {
    const file = join(await emptyFolder(), 'history.jsonl')
    const writers = Array.from({ length: 3 }, (_, index) => `writer ${index}`)
    await Promise.all(writers.map((writer) => writeMany(file, writer)))
    const texts = (await readFile(file, 'utf8')).split('\n').filter((text) => text !== '')
    const labels = texts.map((text) => parsedLine(text)?.target.label ?? 'torn')

    expect(labels.toSorted()).toEqual(writers.flatMap((writer) => Array(linesEach).fill(writer)))
  })
})

/** The history line expected for the verdict in `reports/`. */
async function expectedLine(cwd: string): Promise<HistoryLine> {
  const bytes = await readFile(join(cwd, 'reports', 'verdict.json'))
  return {
    ...historyLine(JSON.parse(bytes.toString())),
    digest: createHash('sha256').update(bytes).digest('hex'),
  }
}

const linesEach = 80

/** Writes lines larger than a memory page, one right after another. */
async function writeMany(file: string, label: string): Promise<void> {
  const findings = Array.from({ length: 500 }, (_, index) =>
    findingWith({ fingerprint: `${label} ${index}`.padEnd(16) }),
  )
  const line = historyLine(
    verdictWith({
      target: { ...verdictWith().target, label },
      rules: [ruleWith('errors/body-shape', { status: 'failed', findings })],
    }),
  )
  const input = `${file}.${label}.json`
  await appendFile(input, JSON.stringify(line))
  const history = new URL('../lib/report/history/history.ts', import.meta.url)
  const script = `
    import { readFileSync } from 'node:fs'
    import { appendHistory } from ${JSON.stringify(history.href)}
    const [input, file] = process.argv.slice(1)
    const line = JSON.parse(readFileSync(input, 'utf8'))
    for (let count = 0; count < ${linesEach}; count += 1) await appendHistory(file, line)
  `
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, input, file]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`the writer ${label} exited with ${String(code)}`)
}
