import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createVitest } from 'vitest/node'
import { Collector, type Collected } from './collector.ts'

const installed = fileURLToPath(new URL('../../node_modules', import.meta.url))
const result = `{ id: 'endpoints/list-succeeds', status: 'passed', because: null, answers: 1, sample: null, findings: [] }`

/** What the collector has after vitest ran a file with this text. */
async function collectedOf(text: string): Promise<Collected> {
  const folder = await mkdtemp(join(tmpdir(), 'collector-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await symlink(installed, join(folder, 'node_modules'))
  await writeFile(join(folder, 'one.probe.ts'), `import { describe, expect, test } from 'vitest'\n${text}\n`)
  const collector = new Collector()
  const { exitCode } = process
  const vitest = await createVitest(
    'test',
    {
      config: false,
      root: folder,
      include: ['*.probe.ts'],
      watch: false,
      cache: false,
      pool: 'threads',
      reporters: [collector],
    },
    { envDir: false, logLevel: 'silent' },
  )
  try {
    await vitest.start()
  } finally {
    await vitest.close()
    // vitest sets it when a test fails; these are to fail.
    process.exitCode = exitCode
  }
  return collector.collected()
}

describe('the collector', () => {
  it('takes results and the record out of tests, also of those that failed or were skipped', async () => {
    const { results, record, mishaps } = await collectedOf(`
      test('passes', ({ task }) => { task.meta.result = { ...${result}, id: 'a' }; task.meta.record = { sent: 1 } })
      test('fails', ({ task }) => { task.meta.result = { ...${result}, id: 'b' }; task.meta.record = { sent: 2 }; throw new Error('violated') })
      test('skips', ({ task, skip }) => { task.meta.result = { ...${result}, id: 'c' }; task.meta.record = { sent: 3 }; skip('untested') })
    `)

    expect(results.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(record).toEqual({ sent: 3 })
    expect(mishaps).toEqual([])
  })

  it('calls a test that failed without a result a mishap, and says where', async () => {
    const { results, mishaps } = await collectedOf(
      `test('a rule', () => { throw new TypeError('a bug of ours') })`,
    )

    expect(results).toEqual([])
    expect(mishaps).toHaveLength(1)
    expect(mishaps[0]).toMatch(/^a rule: a bug of ours \(at .*one\.probe\.ts/)
  })

  it('calls what is thrown outside of tests a mishap', async () => {
    const { mishaps } = await collectedOf(`
      test('a rule', ({ task }) => { task.meta.result = ${result} })
      throw new Error('thrown while the file was loaded')
    `)

    expect(mishaps.join()).toContain('one.probe.ts: thrown while the file was loaded')
  })

  it('calls a promise that nobody waited for a mishap', async () => {
    const { results, mishaps } = await collectedOf(`
      test('a rule', async ({ task }) => {
        task.meta.result = ${result}
        void Promise.reject(new Error('rejected with nobody there'))
        await new Promise((resolve) => setTimeout(resolve, 20))
      })
    `)

    expect(results).toHaveLength(1)
    expect(mishaps.join()).toContain('rejected with nobody there')
  })

  it('has nothing to tell of a run without tests but that there was none', async () => {
    const { results, record } = await collectedOf(`export {}`)

    expect(results).toEqual([])
    expect(record).toBeNull()
  })
})
