import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { parsedLine } from '../lib/verdict/history-text.ts'
import { readHistory } from '../lib/report/history/history.ts'
import { historyLine, type HistoryLine } from '../lib/verdict/history-line.ts'
import { findingWith, ruleWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import { emptyFolder, folderWith } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const quick = ['--base-url', 'embedded', '--only', 'endpoints/list-succeeds', '--quiet']

describe.concurrent('the history', () => {
  test('gets a line for every run, also for one that came to nothing, and is never removed', async ({
    expect,
  }) => {
    const cwd = await emptyFolder()
    const history = join(cwd, 'reports', 'history.jsonl')
    await mkdir(join(cwd, 'reports'))
    await writeFile(history, '{"format":"another"}\n{"half a li')

    const first = await run(quick, { cwd })
    const firstLine = await expectedLine(cwd)
    const second = await run([...quick, '--seed', 'one'], { cwd })
    const texts = (await readFile(history, 'utf8')).split('\n')

    expect([first.code, second.code]).toEqual([0, 2])
    expect(texts.slice(0, 2)).toEqual(['{"format":"another"}', '{"half a li'])
    expect(texts.slice(2).flatMap((text) => parsedLine(text) ?? [])).toEqual([
      firstLine,
      await expectedLine(cwd),
    ])
    expect((await readHistory(history)).map(({ verdict }) => verdict)).toEqual(['conformant', 'error'])
  })

  test('says that lines of another format are not read, and begins anew', async ({ expect }) => {
    const cwd = await folderWith({ 'old.jsonl': '{"format":"card-switch-conformance/history/1"}\n' })
    const runs = [await run([...quick, '--history', 'old.jsonl'], { cwd })]
    runs.push(await run([...quick, '--history', 'old.jsonl'], { cwd }))

    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    expect(runs.map(({ stderr }) => stderr.includes('history/1, which are not read'))).toEqual([true, false])
    expect(await readHistory(join(cwd, 'old.jsonl'))).toHaveLength(2)
  })

  test('may be elsewhere (RUN_HISTORY)', async ({ expect }) => {
    const cwd = await emptyFolder()
    await run(quick, { cwd, env: { RUN_HISTORY: 'kept/runs.jsonl' } })

    expect(await readHistory(join(cwd, 'kept', 'runs.jsonl'))).toHaveLength(1)
    expect(await readHistory(join(cwd, 'reports', 'history.jsonl'))).toEqual([])
  })

  test('leads from its page to the reports of the run before, and no other report tells of that', async ({
    expect,
  }) => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    const read = (name: string): Promise<string> => readFile(join(reports, name), 'utf8')
    const first = await run(quick, { cwd })
    const before = await read('history.html')
    const second = await run(quick, { cwd })

    expect(
      [before, await read('history.html')].map((page) => page.includes('href="previous/index.html"')),
    ).toEqual([false, true])
    expect([first, second].map(({ stdout }) => stdout.includes('nothing is new; see history.html'))).toEqual([
      false,
      true,
    ])
    for (const name of ['index.html', 'summary.md', 'junit.xml', 'metrics.prom'])
      // Each run has a port of its own.
      expect(await read(name), name).not.toMatch(
        new RegExp(`previous/|${first.verdict?.startedAt}|${first.verdict?.target.baseUrl}`),
      )
  })

  test('leads to the runs that RUN_KEEP keeps, each with its own reports, which bundle and compare leave alone', async ({
    expect,
  }) => {
    const cwd = await emptyFolder()
    const env = { RUN_KEEP: '2' }
    const runs: (string | undefined)[] = []
    for (const label of ['a', 'b', 'c', 'd'])
      runs.push((await run([...quick, '--label', label], { cwd, env })).verdict?.startedAt)
    const page = await readFile(join(cwd, 'reports', 'history.html'), 'utf8')
    const links = [...page.matchAll(/href="(runs\/[^"]*)"/g)].map(([, link]) => link ?? '')
    const labels = await Promise.all(
      links.map(
        async (link) =>
          /"label": "(.)"/.exec(
            await readFile(join(cwd, 'reports', link, '..', 'verdict.json'), 'utf8'),
          )?.[1],
      ),
    )
    const compared = await run(['compare', '--targets', '.'], { cwd })

    expect(links).toEqual([runs[2], runs[1]].map((at) => `runs/${at?.replaceAll(':', '-')}/index.html`))
    expect(labels).toEqual(['c', 'b'])
    expect(await readdir(join(cwd, 'reports', 'runs'))).toHaveLength(2)
    expect(compared.stdout).toContain('1 target')
  })

  test('loses and tears nothing when many processes write at once', async ({ expect }) => {
    const file = join(await emptyFolder(), 'history.jsonl')
    const writers = Array.from({ length: 6 }, (_, index) => `writer ${index}`)
    await Promise.all(writers.map((writer) => writeMany(file, writer)))
    const texts = (await readFile(file, 'utf8')).split('\n').filter((text) => text !== '')
    const labels = texts.map((text) => parsedLine(text)?.target.label ?? 'torn')

    expect(labels.toSorted()).toEqual(
      writers.flatMap((writer) => Array.from({ length: linesEach }, () => writer)),
    )
  })
})

/** The line of the run whose verdict stands in `reports/`, as it is read again. */
async function expectedLine(cwd: string): Promise<HistoryLine> {
  const bytes = await readFile(join(cwd, 'reports', 'verdict.json'))
  const { observations: _, ...line } = historyLine(JSON.parse(bytes.toString()))
  return { ...line, digest: createHash('sha256').update(bytes).digest('hex') }
}

const linesEach = 40

/** Writes lines larger than a page, each as soon as the one before is written. */
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
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', script, input, file],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`the writer ${label} ended with ${String(code)}`)
}
