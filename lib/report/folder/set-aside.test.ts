import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import { nonconformantVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { RefusedFolderError } from './lock.ts'
import { setAside } from './set-aside.ts'

type Files = Readonly<Record<string, string>>

const nameOf = (label: string): string => verdictJson(verdictWith({ target: targetWith({ label }) }))
const begun = verdictJson(verdictWith({ verdict: 'error', exitCode: 4, because: ['why'], rules: [] }))
const slip = verdictJson(verdictWith({ verdict: 'error', exitCode: 2, because: ['why'], rules: [] }))
const failed = verdictJson(nonconformantVerdict())
const first = { verdict: begun, metrics: 'begun' }
const begunFiles = { 'verdict.json': begun, 'metrics.prom': 'begun' }

/** The reports of a run, including its verdict, under a path prefix. */
function runAs(label: string, below = ''): Files {
  return {
    [`${below}verdict.json`]: nameOf(label),
    [`${below}junit.xml`]: label,
    [`${below}allure-results/a.json`]: label,
  }
}

const yesterday = { ...runAs('yesterday'), 'history.html': 'page', 'history.jsonl': 'lines' }
const before = { ...yesterday, ...runAs('last week', 'previous/') }
const after = { 'history.jsonl': 'lines', ...runAs('yesterday', 'previous/') }

async function filesIn(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== '.run.lock')
    .map(({ parentPath, name }) => join(parentPath, name))
  const texts = paths.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

/** The contents of two equal folders: one after a user's mistake, one after a run that began. */
async function endsOf(files: Files): Promise<readonly [slipped: Files, began: Files]> {
  const [one, other] = [await folderWith(files), await folderWith(files)]
  const aside = await setAside(one)
  await aside.bringBack()
  aside.lock.release()
  const next = await setAside(other)
  await next.begin(first)
  next.keep()
  next.lock.release()
  const { 'verdict.json': _, 'metrics.prom': __, ...began } = await filesIn(other)
  return [await filesIn(one), began]
}

/** Files under the names that a killed run left them with. */
function moved(files: Files, names: readonly string[], from: string, to: string): Files {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) =>
      names.some((one) => name.startsWith(`${from}${one}`))
        ? [`${to}${name.slice(from.length)}`, text]
        : [name, text],
    ),
  )
}

const aside = (...names: readonly string[]): Files => moved(before, names, '', '.previous/')
const all = ['verdict.json', 'junit.xml', 'allure-results', 'history.html']

describe('a run that begins', () => {
  const incomplete = verdictJson(verdictWith({ verdict: 'incomplete', exitCode: 3, because: ['why'] }))
  const of = (verdict: string): Files => ({ 'verdict.json': verdict })
  const older = { ...runAs('last week', 'previous/'), 'previous/notes.txt': 'mine' }
  it.each<[string, Files, Files]>([
    ['keeps nothing from an empty folder', {}, {}],
    ['keeps a conformant earlier run', before, after],
    ['keeps a nonconformant earlier run', of(failed), { 'previous/verdict.json': failed }],
    ['keeps an incomplete earlier run', of(incomplete), { 'previous/verdict.json': incomplete }],
    [
      'keeps only the last run, and files that are not ours',
      { ...older, 'verdict.json': failed },
      { 'previous/verdict.json': failed, 'previous/notes.txt': 'mine' },
    ],
    ['drops an earlier run without a verdict', { ...older, ...runAs(''), 'verdict.json': begun }, older],
    ['drops a verdict that is not JSON', { ...older, 'verdict.json': '{"format":' }, older],
    ['drops a verdict in another format', of('{"format":"other/1","verdict":"conformant"}'), {}],
    ['drops a verdict that is a string', of('"yesterday"'), {}],
  ])('%s', async (_, files, expected) => {
    expect((await endsOf(files))[1]).toEqual(expected)
  })

  it('creates the folder with the given verdict and metrics', async () => {
    const folder = join(await folderWith({}), 'a', 'b')
    const one = await setAside(folder)
    await one.begin(first)
    one.lock.release()

    expect(await filesIn(folder)).toEqual(begunFiles)
  })
})

describe('a run after a killed run', () => {
  it.each<[string, Files]>([
    ['nothing aside', before],
    ['only the verdict aside', aside('verdict.json')],
    ['the verdict and one report aside', aside('verdict.json', 'junit.xml')],
    ['everything aside', aside(...all)],
    ['the verdict and one report aside, after restoring the others', aside(...all.slice(0, 2))],
  ])('restores the earlier reports or keeps them in previous/, with %s', async (_, files) => {
    expect(await endsOf(files)).toEqual([before, after])
  })

  /** What is left of everything set aside, without these files. */
  const without = (...names: readonly string[]): Files =>
    Object.fromEntries(
      Object.entries({ ...aside(...all), ...begunFiles }).filter(
        ([name]) => !['.previous/history.html', ...names.map((one) => `previous/${one}`)].includes(name),
      ),
    )
  const removed = without('junit.xml', 'allure-results/a.json', 'verdict.json')
  it.each<[string, Files]>([
    ['before it moved them there', without()],
    ['while it removed the older run', without('junit.xml')],
    ['after it removed the older run', removed],
    ['while it moved them', moved(removed, ['junit.xml'], '.previous/', 'previous/')],
  ])('keeps the reports in previous/ if the killed run had begun and was killed %s', async (__, files) => {
    const [slipped, began] = await endsOf(files)

    expect(slipped).toEqual({ ...after, ...begunFiles })
    expect(began).toEqual(after)
  })
})

describe('reports that are set aside', () => {
  it('can be restored after the run begins, but not once they are kept', async () => {
    const folder = await folderWith(before)
    const one = await setAside(folder)
    await one.begin(first)
    expect(await one.bringBack()).toBe(true)
    expect(await filesIn(folder)).toEqual(before)
    one.lock.release()

    const other = await setAside(folder)
    await other.begin(first)
    other.keep()
    expect(await other.bringBack()).toBe(false)
    other.lock.release()
  })

  it.each<[string, Files]>([
    ['no earlier run', { 'history.jsonl': 'lines' }],
    ["a user's mistake", { 'verdict.json': slip, 'junit.xml': 'slip', 'history.jsonl': 'lines' }],
  ])('are not restored after %s', async (_, files) => {
    const folder = await folderWith(files)
    const one = await setAside(folder)

    expect(await one.bringBack()).toBe(false)
    one.keep()
    one.lock.release()
    expect(await filesIn(folder)).toEqual({ 'history.jsonl': 'lines' })
  })

  it('stay in place while another run holds the folder', async () => {
    const folder = await folderWith(before)
    const one = await setAside(folder)
    await one.begin(first)
    one.keep()

    await expect(setAside(folder)).rejects.toThrow(RefusedFolderError)
    expect(await filesIn(folder)).toEqual({ ...after, ...begunFiles })
    one.lock.release()
  })

  it.each(['.previous', 'previous'])('never go through a link named %s', async (name) => {
    const [folder, elsewhere] = [await folderWith(yesterday), await folderWith(runAs('elsewhere'))]
    await symlink(elsewhere, join(folder, name))
    const one = await setAside(folder)
    one.keep()
    one.lock.release()

    expect(await filesIn(folder)).toEqual(after)
    expect(await filesIn(elsewhere)).toEqual(runAs('elsewhere'))
  })

  it('cause exactly one error if they cannot be kept', async () => {
    const folder = await folderWith(before)
    await rename(join(folder, 'previous'), join(folder, 'older'))
    await writeFile(join(folder, 'previous'), 'a file')
    const one = await setAside(folder)
    await one.begin(first)

    expect(() => one.keep()).toThrow(/the reports cannot be written to .*previous/)
    expect(() => one.keep()).not.toThrow()
    one.lock.release()
  })
})
