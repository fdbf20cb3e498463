import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FolderInUseError } from './lock.ts'
import { clearReports, ReportsFolderError, writeReport } from './reports-folder.ts'
import { setAside } from './set-aside.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import type { Verdict, VerdictWord } from '../../verdict/verdict.ts'
import { nonconformantVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reports-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const reports = ['verdict.json', 'index.html', 'junit.xml', 'summary.md', 'metrics.prom'] as const

describe('clearing the reports of an earlier run', () => {
  it('makes the folder where it is missing, with those above it', async () => {
    const folder = join(await emptyFolder(), 'a', 'b')
    await clearReports(folder)

    expect(await readdir(folder)).toEqual([])
  })

  it('removes every report, and nothing else: not the history, not what is not ours', async () => {
    const folder = await emptyFolder()
    const kept = ['history.jsonl', 'README.md', 'baseline.json', 'verdict.json.bak', '.gitkeep']
    for (const name of [...reports, ...kept]) await writeFile(join(folder, name), 'old')
    await mkdir(join(folder, 'allure-results', 'deep'), { recursive: true })
    await writeFile(join(folder, 'allure-results', 'deep', 'a-result.json'), '{}')
    await clearReports(folder)

    expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted())
    expect(await readFile(join(folder, 'history.jsonl'), 'utf8')).toBe('old')
  })

  it('has nothing against an empty folder, nor against doing it twice', async () => {
    const folder = await emptyFolder()
    await clearReports(folder)

    await expect(clearReports(folder)).resolves.toBeUndefined()
  })

  it('removes a link in the place of a report, not what it leads to', async () => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'elsewhere.json'), 'mine')
    await symlink(join(folder, 'elsewhere.json'), join(folder, 'verdict.json'))
    await clearReports(folder)

    expect(await readdir(folder)).toEqual(['elsewhere.json'])
    expect(await readFile(join(folder, 'elsewhere.json'), 'utf8')).toBe('mine')
  })

  it.each([
    ['is a file', (folder: string) => join(folder, 'file')],
    ['is below a file', (folder: string) => join(folder, 'file', 'reports')],
  ])('says what to do where the folder %s', async (_, path) => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'file'), 'not a folder')
    const error: unknown = await clearReports(path(folder)).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(ReportsFolderError)
    expect(String(error)).toContain(path(folder))
    expect(String(error)).toContain('RUN_REPORTS_DIR')
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('not a folder')
  })

  it.skipIf(process.getuid?.() === 0)('says what to do where the folder cannot be written', async () => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'verdict.json'), 'old')
    await chmod(folder, 0o500)
    onTestFinished(() => chmod(folder, 0o700))

    await expect(clearReports(folder)).rejects.toThrow(ReportsFolderError)
    await expect(writeReport(folder, 'verdict.json', 'new')).rejects.toThrow(ReportsFolderError)
    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('old')
  })
})

describe('writing a report', () => {
  it('leaves the whole text, and nothing beside it', async () => {
    const folder = await emptyFolder()
    await writeReport(folder, 'verdict.json', '{"é":1}\n')

    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('{"é":1}\n')
    expect(await readdir(folder)).toEqual(['verdict.json'])
  })

  it('replaces an earlier one', async () => {
    const folder = await emptyFolder()
    await writeReport(folder, 'summary.md', 'a longer text than the next one')
    await writeReport(folder, 'summary.md', 'new')

    expect(await readFile(join(folder, 'summary.md'), 'utf8')).toBe('new')
  })

  it('is never seen half, however often it is read meanwhile', async () => {
    const folder = await emptyFolder()
    const texts = ['a', 'b'].map((letter) => letter.repeat(2_000_000))
    await writeReport(folder, 'verdict.json', texts[0] ?? '')
    const seen = new Set<string>()
    const look = async (): Promise<void> => {
      const bytes = await readFile(join(folder, 'verdict.json'))
      seen.add(`${bytes.toString('utf8', 0, 1)} ${bytes.length} ${bytes.toString('utf8', bytes.length - 1)}`)
    }
    for (let time = 0; time < 6; time += 1) {
      await Promise.all([
        writeReport(folder, 'verdict.json', texts[time % 2] ?? ''),
        ...Array.from({ length: 10 }, look),
      ])
    }

    for (const one of seen) expect(['a 2000000 a', 'b 2000000 b']).toContain(one)
  })

  it('does not follow a link to somewhere else', async () => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'elsewhere.json'), 'mine')
    await symlink(join(folder, 'elsewhere.json'), join(folder, 'verdict.json'))
    await writeReport(folder, 'verdict.json', 'report')

    expect(await readFile(join(folder, 'elsewhere.json'), 'utf8')).toBe('mine')
    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('report')
  })

  it('that fails leaves nothing behind, and says what to do', async () => {
    const folder = await emptyFolder()
    await mkdir(join(folder, 'verdict.json', 'in-the-way'), { recursive: true })
    const error: unknown = await writeReport(folder, 'verdict.json', 'report').catch(
      (thrown: unknown) => thrown,
    )

    expect(error).toBeInstanceOf(ReportsFolderError)
    expect(String(error)).toContain(join(folder, 'verdict.json'))
    expect(await readdir(folder)).toEqual(['verdict.json'])
  })

  it('in a folder that is gone says what to do', async () => {
    const folder = join(await emptyFolder(), 'gone')

    await expect(writeReport(folder, 'verdict.json', 'report')).rejects.toThrow(ReportsFolderError)
  })
})

/** Verdicts that a reader takes. */
const outcomes: Readonly<Record<VerdictWord, Partial<Verdict>>> = {
  conformant: {},
  nonconformant: nonconformantVerdict(),
  incomplete: { verdict: 'incomplete', exitCode: 3, because: ['why'] },
  error: { verdict: 'error', exitCode: 4, because: ['why'], rules: [] },
}

/** Leaves every report of a run with this word and label, Allure's included. */
async function leaveRun(
  folder: string,
  verdict: VerdictWord,
  label: string,
  startedAt = verdictWith().startedAt,
): Promise<void> {
  const target = targetWith({ label })
  await mkdir(join(folder, 'allure-results'), { recursive: true })
  await writeFile(
    join(folder, 'verdict.json'),
    verdictJson(verdictWith({ ...outcomes[verdict], target, startedAt })),
  )
  for (const name of reports.slice(1)) await writeFile(join(folder, name), label)
  await writeFile(join(folder, 'allure-results', 'a-result.json'), label)
}

/** Which run the reports in a folder are of; the names of those that are there. */
async function runIn(folder: string): Promise<readonly (readonly [string, string])[]> {
  const names = [...reports.slice(1), join('allure-results', 'a-result.json')]
  const found = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8').catch(() => null)] as const),
  )
  const verdict = await readFile(join(folder, 'verdict.json'), 'utf8').catch(() => null)
  const label = /"label": "([^"]*)"/.exec(verdict ?? '')?.[1]
  return [
    ...(label === undefined ? [] : [['verdict.json', label] as const]),
    ...found.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])),
  ]
}

function wholeRun(label: string): readonly (readonly [string, string])[] {
  return [...reports, join('allure-results', 'a-result.json')].map((name) => [name, label])
}

async function begin(folder: string): Promise<void> {
  const aside = await setAside(folder)
  await aside.begin(begun)
  aside.keep()
  aside.lock.release()
}

const begun = { verdict: '"begun"', metrics: 'begun' }
const begunReports = ['metrics.prom', 'verdict.json']

describe('beginning to write reports', () => {
  it('makes the folder, and leaves the given verdict and metrics alone in it', async () => {
    const folder = join(await emptyFolder(), 'a', 'b')
    await begin(folder)

    expect((await readdir(folder)).toSorted()).toEqual(begunReports)
    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('"begun"')
    expect(await readFile(join(folder, 'metrics.prom'), 'utf8')).toBe('begun')
  })

  it.each(['conformant', 'nonconformant', 'incomplete'] as const)(
    'moves the reports of a %s run into previous/, in the place of those that are there',
    async (word) => {
      const folder = await emptyFolder()
      await leaveRun(join(folder, 'previous'), 'conformant', 'last week')
      await writeFile(join(folder, 'previous', 'notes.txt'), 'mine')
      await writeFile(join(folder, 'history.jsonl'), 'old')
      await leaveRun(folder, word, 'yesterday')
      await begin(folder)

      expect(await runIn(join(folder, 'previous'))).toEqual(wholeRun('yesterday'))
      expect(await readFile(join(folder, 'previous', 'notes.txt'), 'utf8')).toBe('mine')
      expect((await readdir(folder)).toSorted()).toEqual([
        'history.jsonl',
        'metrics.prom',
        'previous',
        'verdict.json',
      ])
    },
  )

  it('keeps no report of an older run beside those of the last one', async () => {
    const folder = await emptyFolder()
    await leaveRun(join(folder, 'previous'), 'conformant', 'last week')
    await writeFile(join(folder, 'verdict.json'), verdictJson(verdictWith()))
    await begin(folder)

    expect(await runIn(join(folder, 'previous'))).toEqual([['verdict.json', 'vendor']])
  })

  it('drops a run that came to no verdict, and leaves previous/ as it was', async () => {
    const folder = await emptyFolder()
    await leaveRun(join(folder, 'previous'), 'conformant', 'last week')
    await leaveRun(folder, 'error', 'yesterday')
    await begin(folder)

    expect(await runIn(join(folder, 'previous'))).toEqual(wholeRun('last week'))
    expect((await readdir(folder)).toSorted()).toEqual(['metrics.prom', 'previous', 'verdict.json'])
  })

  it.each([
    ['is no JSON', '{"format":'],
    ['is of another format', '{"format":"another/1","verdict":"conformant"}'],
    ['is a text', '"yesterday"'],
  ])('drops what is not ours: a verdict.json that %s', async (_, text) => {
    const folder = await emptyFolder()
    await writeFile(join(folder, 'verdict.json'), text)
    await begin(folder)

    expect((await readdir(folder)).toSorted()).toEqual(begunReports)
  })

  it('ends a move that a killed run began', async () => {
    const folder = await emptyFolder()
    await leaveRun(join(folder, 'previous'), 'conformant', 'last week')
    await leaveRun(join(folder, '.previous'), 'nonconformant', 'yesterday')
    await writeFile(join(folder, 'verdict.json'), verdictJson(verdictWith({ verdict: 'error' })))
    await begin(folder)

    expect(await runIn(join(folder, 'previous'))).toEqual(wholeRun('yesterday'))
    expect((await readdir(folder)).toSorted()).toEqual(['metrics.prom', 'previous', 'verdict.json'])
  })

  it('keeps a second run out while the first one writes, and touches nothing for it', async () => {
    const folder = await emptyFolder()
    const aside = await setAside(folder)
    await aside.begin({ ...begun, verdict: '"first"' })

    await expect(setAside(folder)).rejects.toThrow(FolderInUseError)
    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('"first"')
    aside.lock.release()
  })
})
