import { randomUUID } from 'node:crypto'
import { chmod, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { clearReports, ReportsFolderError, writeReport } from './reports-folder.ts'

const reports = ['verdict.json', 'index.html', 'junit.xml', 'summary.md', 'metrics.prom'] as const

describe('clearing earlier reports', () => {
  it('creates a missing folder with its parents, and can be repeated', async () => {
    const folder = join(await folderWith(), 'a', 'b')
    await clearReports(folder)
    await clearReports(folder)

    expect(await readdir(folder)).toEqual([])
  })

  it('removes every report, but keeps the history and other files', async () => {
    const kept = ['history.jsonl', 'README.md', 'baseline.json', 'verdict.json.bak', '.gitkeep']
    // Left by a program that was killed while writing.
    const half = `.verdict.json.${randomUUID()}`
    const names = [...reports, half, ...kept, 'allure-results/deep/a-result.json']
    const folder = await folderWith(Object.fromEntries(names.map((name) => [name, 'old'])))
    await clearReports(folder)

    expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted())
    expect(await readFile(join(folder, 'history.jsonl'), 'utf8')).toBe('old')
  })

  it.skipIf(process.getuid?.() === 0)('fails without changes if the folder is not writable', async () => {
    const folder = await folderWith({ 'verdict.json': 'old' })
    await chmod(folder, 0o500)
    onTestFinished(() => chmod(folder, 0o700))

    await expect(clearReports(folder)).rejects.toThrow(ReportsFolderError)
    await expect(writeReport(folder, 'verdict.json', 'new')).rejects.toThrow(ReportsFolderError)
    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('old')
  })
})

describe('writing a report', () => {
  it('replaces the whole earlier text and leaves no other files', async () => {
    const folder = await folderWith()
    await writeReport(folder, 'verdict.json', 'a longer text than the next one')
    await writeReport(folder, 'verdict.json', '{"é":1}\n')

    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('{"é":1}\n')
    expect(await readdir(folder)).toEqual(['verdict.json'])
  })

  it('never exposes a half-written file to concurrent readers', async () => {
    const folder = await folderWith()
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

  it('replaces a link without following it, and clearing removes one', async () => {
    const folder = await folderWith({ 'elsewhere.json': 'mine' })
    await symlink(join(folder, 'elsewhere.json'), join(folder, 'verdict.json'))
    await symlink(join(folder, 'elsewhere.json'), join(folder, 'summary.md'))
    await writeReport(folder, 'verdict.json', 'report')
    expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe('report')
    await clearReports(folder)

    expect(await readdir(folder)).toEqual(['elsewhere.json'])
    expect(await readFile(join(folder, 'elsewhere.json'), 'utf8')).toBe('mine')
  })

  it('leaves no files and names the path if it fails', async () => {
    const folder = await folderWith({ 'verdict.json/in-the-way': '' })
    const error: unknown = await writeReport(folder, 'verdict.json', 'report').catch(
      (thrown: unknown) => thrown,
    )

    expect(error).toBeInstanceOf(ReportsFolderError)
    expect(String(error)).toContain(join(folder, 'verdict.json'))
    expect(await readdir(folder)).toEqual(['verdict.json'])
  })

  it('fails with its own error if the folder is gone', async () => {
    const folder = join(await folderWith(), 'gone')

    await expect(writeReport(folder, 'verdict.json', 'report')).rejects.toThrow(ReportsFolderError)
  })
})
