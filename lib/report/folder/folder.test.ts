import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readdir, readFile, stat, utimes, writeFile, chmod, rename, symlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { nonconformantVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { verdictJson } from '../../verdict/verdict.ts'
import { clearReports, lockReports, lockName, RefusedFolderError } from './reports-folder.ts'
import { ReportsFolderError, writeReport } from './reports-folder.ts'
import { setAside } from './reports-folder.ts'

/** The id of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

/** The text that this process writes into a lock, with changes. */
async function lockText(changes: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await folderWith()
  const lock = await lockReports(folder)
  const holder: unknown = JSON.parse(await readFile(join(folder, lockName), 'utf8'))
  lock.release()
  return JSON.stringify(Object.assign({}, holder, changes))
}

it('the lock of a folder rejects a second run, with the holder and a remedy in the message, until it is released', async () => {
  const folder = await folderWith()
  const lock = await lockReports(folder)
  const error: unknown = await lockReports(folder).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(RefusedFolderError)
  expect(String(error)).toContain(`process ${process.pid} on "${hostname()}`)
  expect(String(error)).toContain('RUN_REPORTS_DIR')
  expect(await readdir(folder)).toEqual([lockName])

  lock.release()
  lock.release()
  expect(await readdir(folder)).toEqual([])
  const again = await lockReports(folder)
  again.release()
})

it.each<[string, ...(readonly string[])]>([
  ['that nobody holds'],
  ['of a dead process', lockName],
  ['of a process that was killed during a takeover', lockName, `${lockName}.takeover`],
])('the lock of a folder %s goes to exactly one of many simultaneous requests', async (_, ...names) => {
  const text = await lockText({ pid: await deadProcess() })
  const folder = await folderWith(Object.fromEntries(names.map((name) => [name, text])))
  const asked = await Promise.allSettled(Array.from({ length: 40 }, async () => lockReports(folder)))

  expect(asked.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  expect(await readdir(folder)).toEqual([lockName])
})

it.each([
  ['of another host', { host: 'elsewhere' }],
  ['that is empty', null],
] as const)('the lock of a folder %s is respected while it is renewed', async (_, changes) => {
  const pid = await deadProcess()
  const text = changes === null ? '' : await lockText({ ...changes, pid })
  const folder = await folderWith({ [lockName]: text })
  const file = join(folder, lockName)
  await expect(lockReports(folder)).rejects.toThrow(RefusedFolderError)

  const old = new Date(0)
  await utimes(file, old, old)
  await expect(lockReports(folder)).resolves.toBeDefined()
})

it('the lock of a dead process is left to the run that took it over first', async () => {
  const folder = await folderWith({ [lockName]: await lockText({ pid: await deadProcess() }) })
  const file = join(folder, lockName)
  const theirs = await lockText({})
  // Another run takes the lock over right after its process was found dead.
  const kill = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    writeFileSync(file, theirs)
    throw Object.assign(new Error('no such process'), { code: 'ESRCH' })
  })
  onTestFinished(() => kill.mockRestore())

  await expect(lockReports(folder)).rejects.toThrow(RefusedFolderError)
  expect(await readFile(file, 'utf8')).toBe(theirs)
  expect(await readdir(folder)).toEqual([lockName])
})

it('the lock of a folder is renewed only while its run lives', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const folder = await folderWith()
  const file = join(folder, lockName)
  const lock = await lockReports(folder)
  await utimes(file, new Date(0), new Date(0))
  vi.advanceTimersByTime(15_000)

  await expect.poll(async () => (await stat(file)).mtimeMs).toBeGreaterThan(0)
  await expect(lockReports(folder)).rejects.toThrow(RefusedFolderError)
  lock.release()
  expect(vi.getTimerCount()).toBe(0)
})

it('the lock of a folder is not removed by a process that lost it', async () => {
  const folder = await folderWith()
  const lock = await lockReports(folder)
  await writeFile(join(folder, lockName), 'of another run')
  lock.release()

  expect(await readFile(join(folder, lockName), 'utf8')).toBe('of another run')
})

it.each([
  ['ends without releasing it', 'process.exit(4)', 4],
  ['has nothing left to do, without keeping it alive', '', 0],
])('the lock of a folder disappears with a process that %s', async (_, then, code) => {
  const folder = await folderWith()
  const module = new URL('reports-folder.ts', import.meta.url).href
  const locks = `const { lockReports } = await import(${JSON.stringify(module)})
    await lockReports(${JSON.stringify(folder)})
    ${then}`
  const args = ['--import', 'tsx', '--input-type=module', '-e', locks]
  const child = spawn(process.execPath, args, { stdio: 'ignore', timeout: 60_000 })
  const [ended]: unknown[] = await once(child, 'exit')

  expect(ended).toBe(code)
  expect(await readdir(folder)).toEqual([])
})

type Files = Readonly<Record<string, string>>

async function filesIn(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name !== '.run.lock')
    .map(({ parentPath, name }) => join(parentPath, name))
  const texts = paths.map(async (path) => [relative(folder, path), await readFile(path, 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

it('clearing earlier reports removes every report, but keeps the history and other files', async () => {
  const kept = ['history.jsonl', 'README.md', 'baseline.json', 'verdict.json.bak', '.gitkeep']
  const reports = ['verdict.json', 'index.html', 'junit.xml', 'summary.md', 'metrics.prom']
  // Left by a program that was killed while writing.
  const half = `.verdict.json.${randomUUID()}`
  const names = [...reports, half, ...kept, 'allure-results/deep/a-result.json']
  const folder = await folderWith(Object.fromEntries(names.map((name) => [name, 'old'])))
  await clearReports(folder)

  expect(await filesIn(folder)).toEqual(Object.fromEntries(kept.map((name) => [name, 'old'])))
})

it.skipIf(process.getuid?.() === 0)('a folder that is not writable keeps its reports', async () => {
  const folder = await folderWith({ 'verdict.json': 'old' })
  await chmod(folder, 0o500)
  onTestFinished(() => chmod(folder, 0o700))

  await expect(clearReports(folder)).rejects.toThrow(ReportsFolderError)
  await expect(writeReport(folder, 'verdict.json', 'new')).rejects.toThrow(ReportsFolderError)
  expect(await filesIn(folder)).toEqual({ 'verdict.json': 'old' })
})

it('writing a report never exposes a half-written file to concurrent readers', async () => {
  const folder = await folderWith()
  const texts = ['é', 'b'].map((letter) => letter.repeat(2_000_000))
  await writeReport(folder, 'verdict.json', texts[0] ?? '')
  const seen = new Set<string>()
  const look = async () => seen.add(await readFile(join(folder, 'verdict.json'), 'utf8'))
  for (const text of [...texts, ...texts, ...texts])
    await Promise.all([writeReport(folder, 'verdict.json', text), ...Array.from({ length: 10 }, look)])

  for (const one of seen) expect(texts.includes(one)).toBe(true)
  expect(await filesIn(folder)).toEqual({ 'verdict.json': texts[1] })
})

it('writing a report replaces a link without following it, and clearing removes one', async () => {
  const folder = await folderWith({ 'elsewhere.json': 'mine' })
  for (const name of ['verdict.json', 'summary.md'])
    await symlink(join(folder, 'elsewhere.json'), join(folder, name))
  await writeReport(folder, 'verdict.json', 'report')
  expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('report')
  await clearReports(folder)

  expect(await filesIn(folder)).toEqual({ 'elsewhere.json': 'mine' })
})

it('writing a report leaves no files and names the path if it fails', async () => {
  const folder = await folderWith({ 'verdict.json/in-the-way': '' })
  const gone = join(folder, 'gone')
  const failed = writeReport(folder, 'verdict.json', 'report')

  await expect(failed).rejects.toThrow(ReportsFolderError)
  await expect(failed).rejects.toThrow(join(folder, 'verdict.json'))
  await expect(writeReport(gone, 'verdict.json', 'report')).rejects.toThrow(ReportsFolderError)
  expect(await readdir(folder)).toEqual(['verdict.json'])
})

/** The end of a run that sent nothing because of a user's mistake. */
const mistake = { ...verdictWith(), exitCode: 2, requests: { ...verdictWith().requests, sent: 0 } } as const
const mistaken = { verdict: 'error', because: ['why'], rules: [] } as const
const begun = verdictJson(verdictWith({ ...mistaken, exitCode: 4 }))
const slip = verdictJson(verdictWith({ ...mistaken, exitCode: 2 }))
const failed = verdictJson(nonconformantVerdict())
const begunFiles = { 'verdict.json': begun, 'metrics.prom': 'begun' }

/** The reports of a run, including its verdict, under a path prefix. */
function runAs(label: string, below = ''): Files {
  const verdict = verdictJson(verdictWith({ target: targetWith({ label }) }))
  const files = { 'verdict.json': verdict, 'junit.xml': label, 'allure-results/a.json': label }
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${below}${name}`, text]))
}

const yesterday = { ...runAs('yesterday'), 'history.html': 'page', 'history.jsonl': 'lines' }
const before = { ...yesterday, ...runAs('last week', 'previous/') }
const after = { 'history.jsonl': 'lines', ...runAs('yesterday', 'previous/') }

/** The contents of two equal folders: one after a user's mistake, one after a run that began. An empty one is created with its parent. */
async function endsOf(files: Files): Promise<readonly [slipped: Files, began: Files]> {
  const below = Object.keys(files).length === 0 ? 'a/b' : ''
  const [one, other] = [await folderWith(files), join(await folderWith(files), below)]
  const aside = await setAside(one)
  await aside.conclude(mistake)
  aside.lock.release()
  const next = await setAside(other)
  await next.begin(begun, 'begun')
  next.keep()
  next.lock.release()
  return [await filesIn(one), await filesIn(other)]
}

/** Files under the names that a killed run left them with. */
function moved(files: Files, names: readonly string[], from: string, to: string): Files {
  const isMoved = (name: string): boolean => names.some((one) => name.startsWith(`${from}${one}`))
  const placeOf = (name: string): string => (isMoved(name) ? `${to}${name.slice(from.length)}` : name)
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [placeOf(name), text]))
}

const aside = (...names: readonly string[]): Files => moved(before, names, '', '.previous/')
const all = ['verdict.json', 'junit.xml', 'allure-results', 'history.html']

const incomplete = verdictJson(verdictWith({ verdict: 'incomplete', exitCode: 3, because: ['why'] }))
const of = (verdict: string): Files => ({ 'verdict.json': verdict })
const ofLines = { 'history.jsonl': 'lines' }
const ofSlip = { ...of(slip), 'junit.xml': 'slip' }
const older = { ...runAs('last week', 'previous/'), 'previous/notes.txt': 'mine' }
const kept = { 'previous/verdict.json': failed, 'previous/notes.txt': 'mine' }

it.each<[string, Files, Files, slipped?: Files]>([
  ['keeps nothing from a folder that it creates', {}, {}, {}],
  ['keeps nothing from a folder without an earlier run', ofLines, ofLines, ofLines],
  ["drops the result of a user's mistake", { ...ofLines, ...ofSlip }, ofLines, ofLines],
  ['keeps a conformant earlier run', before, after],
  ['keeps a nonconformant earlier run', of(failed), { 'previous/verdict.json': failed }],
  ['keeps an incomplete earlier run', of(incomplete), { 'previous/verdict.json': incomplete }],
  ['keeps only the last run, and files that are not ours', { ...older, 'verdict.json': failed }, kept],
  ['drops an earlier run without a verdict', { ...older, ...runAs(''), 'verdict.json': begun }, older],
  ['drops a verdict that is not JSON', { ...older, 'verdict.json': '{"format":' }, older],
  ['drops a verdict in another format', of('{"format":"other/1","verdict":"conformant"}'), {}],
  ['drops a verdict that is a string', of('"yesterday"'), {}],
])('a run that begins %s', async (_, files, expected, slipped = files) => {
  expect(await endsOf(files)).toEqual([slipped, { ...expected, ...begunFiles }])
})

/** What a run left that was killed after it began and set everything aside, without these files. */
const without = (...names: readonly string[]): Files => {
  const left = ['.previous/history.html', ...names.map((one) => `previous/${one}`)]
  const files = Object.entries({ ...aside(...all), ...begunFiles })
  return Object.fromEntries(files.filter(([name]) => !left.includes(name)))
}
const removed = without('junit.xml', 'allure-results/a.json', 'verdict.json')
const hasBegun = { ...after, ...begunFiles }

it.each<[string, Files, slipped: Files]>([
  ['before it set anything aside', before, before],
  ['after it set the verdict aside', aside('verdict.json'), before],
  ['after it set the verdict and one report aside', aside('verdict.json', 'junit.xml'), before],
  ['after it set everything aside', aside(...all), before],
  ['after it began', without(), hasBegun],
  ['while it removed the older run', without('junit.xml'), hasBegun],
  ['after it removed the older run', removed, hasBegun],
  ['while it moved the reports', moved(removed, ['junit.xml'], '.previous/', 'previous/'), hasBegun],
])('earlier reports are not lost if a run was killed %s', async (_, files, slipped) => {
  expect(await endsOf(files)).toEqual([slipped, hasBegun])
})

it('reports that are set aside can be restored after the run begins, but not once they are kept, and are locked until then', async () => {
  const folder = await folderWith(before)
  const one = await setAside(folder)
  await one.begin(begun, 'begun')
  await expect(setAside(folder)).rejects.toThrow(RefusedFolderError)
  expect(await one.conclude(mistake)).toBe(true)
  expect(await filesIn(folder)).toEqual(before)
  one.lock.release()

  const other = await setAside(folder)
  await other.begin(begun, 'begun')
  other.keep()
  expect(await other.conclude(mistake)).toBe(false)
  other.lock.release()
})

it.each(['.previous', 'previous'])('reports never go through a link named %s', async (name) => {
  const [folder, elsewhere] = [await folderWith(yesterday), await folderWith(runAs('elsewhere'))]
  await symlink(elsewhere, join(folder, name))
  const one = await setAside(folder)
  one.keep()
  one.lock.release()

  expect(await filesIn(folder)).toEqual(after)
  expect(await filesIn(elsewhere)).toEqual(runAs('elsewhere'))
})

it('reports that are set aside cause exactly one error if they cannot be kept', async () => {
  const folder = await folderWith(before)
  await rename(join(folder, 'previous'), join(folder, 'older'))
  await writeFile(join(folder, 'previous'), 'a file')
  const one = await setAside(folder)
  await one.begin(begun, 'begun')

  expect(() => one.keep()).toThrow(/the reports cannot be written to .*previous/)
  expect(() => one.keep()).not.toThrow()
  one.lock.release()
})
