import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { built } from '../bin/build.mjs'
import { parseBaseline } from '../lib/drift/parse-baseline.ts'
import { bent } from '../lib/report/testing/bent.ts'
import { parseWaivers } from '../lib/settings/waivers-file.ts'
import { specCatalogue } from '../lib/specification/rules.ts'
import { readVerdict } from '../lib/verdict/read-verdict.ts'
import { nonconformantVerdict } from '../lib/verdict/verdict.testing.ts'
import { expectEnds, run } from './support/program-test.ts'
import { emptyFolder } from './support/program.ts'

// The build replaces the validators of the program's schemas with code from Ajv, so that no run loads Ajv for them.

const chunk = (name: string): string => new URL(`lib/chunks/${name}.js`, built()).href

/** The value, sometimes with one part replaced. */
const altered = (value: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constant(value),
    fc.tuple(fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined))).map(([at, other]) => {
      const copies = [...bent(value, () => [other])]
      return copies[at % copies.length]?.[1]
    }),
  )

const text = (value: unknown): string => JSON.stringify(value) ?? ''

test('the built program reads waivers and baselines as its sources do', async () => {
  const ofWaivers: { parseWaivers: typeof parseWaivers } = await import(chunk('waivers-file'))
  const ofBaseline: { parseBaseline: typeof parseBaseline } = await import(chunk('parse-baseline'))
  const byRule = { rule: 'quota/exhausted', reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }
  const waivers = [{ ...byRule, fingerprint: '3f2a9c' }, byRule, { ...byRule, expires: '2027-02-30' }]
  const answer = { seen: 2, shape: { $: { object: 2 }, '$.a': { string: 1, cut: true } } }
  const stimuli = { one: { '200/': answer, '400/1001': answer } }
  const baseline = { format: 'card-switch-conformance/baseline/1', stimuli }

  fc.assert(
    fc.property(altered(waivers), altered(baseline), (given, known) => {
      const source = { setting: 'RUN_WAIVERS', file: 'w.json', text: text(given) }
      expect(ofWaivers.parseWaivers(source, specCatalogue)).toEqual(parseWaivers(source, specCatalogue))
      expect(ofBaseline.parseBaseline(text(known))).toEqual(parseBaseline(text(known)))
    }),
  )
})

test('the built program reads verdicts as its sources do', async () => {
  const file = join(await emptyFolder(), 'verdict.json')

  await fc.assert(
    fc.asyncProperty(altered(nonconformantVerdict()), async (value) => {
      await writeFile(file, text(value))
      const failure = await readVerdict(file).catch((error: Error) => error)
      const wrong = failure instanceof Error ? failure.message : ''

      expectEnds(await run(['compare', file, file]), wrong === '' ? 0 : 2, wrong)
    }),
  )
})
