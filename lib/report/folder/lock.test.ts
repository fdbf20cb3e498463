import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { RefusedFolderError, lockFolder, lockName } from './lock.ts'

/** The id of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

/** The text that this process writes into a lock, with changes. */
async function lockText(changes: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await folderWith()
  const lock = await lockFolder(folder)
  const holder: unknown = JSON.parse(await readFile(join(folder, lockName), 'utf8'))
  lock.release()
  return JSON.stringify(Object.assign({}, holder, changes))
}

it('the lock of a folder rejects a second run, with the holder and a remedy in the message, until it is released', async () => {
  const folder = await folderWith()
  const lock = await lockFolder(folder)
  const error: unknown = await lockFolder(folder).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(RefusedFolderError)
  expect(String(error)).toContain(`process ${process.pid} on "${hostname()}`)
  expect(String(error)).toContain('RUN_REPORTS_DIR')
  expect(await readdir(folder)).toEqual([lockName])

  lock.release()
  lock.release()
  expect(await readdir(folder)).toEqual([])
  const again = await lockFolder(folder)
  again.release()
})

it.each<[string, ...(readonly string[])]>([
  ['that nobody holds'],
  ['of a dead process', lockName],
  ['of a process that was killed during a takeover', lockName, `${lockName}.takeover`],
])('the lock of a folder %s goes to exactly one of many simultaneous requests', async (_, ...names) => {
  const text = await lockText({ pid: await deadProcess() })
  const folder = await folderWith(Object.fromEntries(names.map((name) => [name, text])))
  const asked = await Promise.allSettled(Array.from({ length: 40 }, async () => lockFolder(folder)))

  expect(asked.filter(({ status }) => status === 'fulfilled').length).toBe(1)
  expect(await readdir(folder)).toEqual([lockName])
})

it.each([
  ['of another host', { host: 'elsewhere' }],
  ['that is empty', null],
] as const)(
  'the lock of a folder %s is respected while it is renewed, and taken over otherwise',
  async (_, changes) => {
    const pid = await deadProcess()
    const text = changes === null ? '' : await lockText({ ...changes, pid })
    const folder = await folderWith({ [lockName]: text })
    const file = join(folder, lockName)
    await expect(lockFolder(folder)).rejects.toThrow(RefusedFolderError)

    const old = new Date(0)
    await utimes(file, old, old)
    await expect(lockFolder(folder)).resolves.toBeDefined()
  },
)

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

  await expect(lockFolder(folder)).rejects.toThrow(RefusedFolderError)
  expect(await readFile(file, 'utf8')).toBe(theirs)
  expect(await readdir(folder)).toEqual([lockName])
})

it('the lock of a folder is renewed only while its run lives', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const folder = await folderWith()
  const file = join(folder, lockName)
  const lock = await lockFolder(folder)
  await utimes(file, new Date(0), new Date(0))
  vi.advanceTimersByTime(15_000)

  await expect.poll(async () => (await stat(file)).mtimeMs).toBeGreaterThan(0)
  await expect(lockFolder(folder)).rejects.toThrow(RefusedFolderError)
  lock.release()
  expect(vi.getTimerCount()).toBe(0)
})

it('the lock of a folder is not removed by a process that lost it', async () => {
  const folder = await folderWith()
  const lock = await lockFolder(folder)
  await writeFile(join(folder, lockName), 'of another run')
  lock.release()

  expect(await readFile(join(folder, lockName), 'utf8')).toBe('of another run')
})

it.each([
  ['ends without releasing it', 'process.exit(4)', 4],
  ['has nothing left to do, without keeping it alive', '', 0],
])('the lock of a folder disappears with a process that %s', async (_, then, code) => {
  const folder = await folderWith()
  const module = new URL('lock.ts', import.meta.url).href
  const locks = `const { lockFolder } = await import(${JSON.stringify(module)})
    await lockFolder(${JSON.stringify(folder)})
    ${then}`
  const args = ['--import', 'tsx', '--input-type=module', '-e', locks]
  const child = spawn(process.execPath, args, { stdio: 'ignore', timeout: 60_000 })
  const [ended]: unknown[] = await once(child, 'exit')

  expect(ended).toBe(code)
  expect(await readdir(folder)).toEqual([])
})
