import { linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { baselineText, emptyBaseline, type Baseline } from '../drift/baseline.ts'
import { mistake, temporaryFolder } from '../settings/testing/read.ts'
import { verdictWith } from '../verdict/verdict.testing.ts'
import { keepBaseline, knownBaseline } from './baseline-file.ts'

const baseline: Baseline = {
  ...emptyBaseline,
  stimuli: { 'GET /a | none': { '200/': { seen: 1, shape: { $: { object: 1 }, '$.größe': { array: 1 } } } } },
}

const asked = (file: string) => ({ file, shown: 'b.json', again: 'b.json', mode: 'replace' }) as const
const known = (file: string) => knownBaseline({ baseline: asked(file) })

/** Replaces the baseline in a file with the observations of a conformant run. */
const keep = (file: string, redact: (text: string) => string = String, verdict = verdictWith()) =>
  keepBaseline(verdict, { asked: asked(file), known: null, seen: baseline, redact })

it('a baseline file is read as written, is null if missing, and contains no redacted values', async () => {
  const file = join(temporaryFolder(), 'b.json')

  expect(await known(file)).toEqual({ value: null, issues: [] })
  expect(await keep(file)).toMatchObject({ exitCode: 0, baseline: { file: 'b.json', did: 'written' } })
  expect(await known(file)).toEqual({ value: baseline, issues: [] })
  await keep(file, (text) => text.replaceAll('größe', 'masked'))
  expect(readFileSync(file, 'utf8')).toBe(baselineText(baseline).replaceAll('größe', 'masked'))
})

it.each([
  ['file', '{"name":"package"}', 'it does not name the format card-switch-conformance/baseline/1'],
  ['file', 'not JSON', 'it is not JSON'],
  ['file', '', 'it is empty'],
  ['.', '', 'EISDIR'],
  ['missing/b.json', '', 'ENOENT'],
  ['file/b.json', '', 'ENOTDIR'],
])('an unusable baseline file is reported and left unchanged: %s %j', async (name, text, why) => {
  const folder = temporaryFolder({ file: text })
  const { value, issues } = await known(join(folder, name))

  expect(value).toBeNull()
  expect(issues).toEqual([
    mistake('RUN_BASELINE', 'a baseline written by', expect.stringContaining(`(${why}`)),
  ])
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(text)
})

it('a baseline file replaces the old file, even through a link, and leaves no other file', async () => {
  const folder = temporaryFolder({ 'b.json': 'old' })
  linkSync(join(folder, 'b.json'), join(folder, 'old.json'))
  symlinkSync('b.json', join(folder, 'link.json'))
  await keep(join(folder, 'link.json'))

  expect(readlinkSync(join(folder, 'link.json'))).toBe('b.json')
  expect((await known(join(folder, 'b.json'))).value).toEqual(baseline)
  expect(readFileSync(join(folder, 'old.json'), 'utf8')).toBe('old')
  expect(readdirSync(folder).toSorted()).toEqual(['b.json', 'link.json', 'old.json'])
})

it.each([
  ['missing/b.json', 'ENOENT'],
  ['file/b.json', 'ENOTDIR'],
  ['taken', 'E'],
])('a baseline file that cannot be written ends the run in 4: %s', async (name, why) => {
  const folder = temporaryFolder({ file: '' })
  mkdirSync(join(folder, 'taken', 'inside'), { recursive: true })
  const { exitCode, because } = await keep(join(folder, name))

  expect(because[0]).toContain(`the baseline ${join(folder, name)} cannot be written: ${why}`)
  expect(exitCode).toBe(4)
  expect(readdirSync(folder).toSorted()).toEqual(['file', 'taken'])
})

it('a baseline file is unchanged after a run with a violation', async () => {
  const folder = temporaryFolder({ 'b.json': '{}' })
  const violated = verdictWith({ verdict: 'nonconformant', exitCode: 1 })
  const kept = await keep(join(folder, 'b.json'), String, violated)

  expect(kept.baseline?.did).toBe('left alone: only a run without violations writes it')
  expect(readFileSync(join(folder, 'b.json'), 'utf8')).toBe('{}')
})
