import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { areaOf, ruleIds, ruleOf } from '../lib/specification/rules.ts'
import { suites } from '../suites/index.ts'
import { filesIn, textOf } from './support/syntax.ts'

const sharedSchema = fileURLToPath(new URL('../../shared/verdict.schema.json', import.meta.url))

describe('the rules of the catalogue', () => {
  it('are each implemented exactly once in the suites', () => {
    const declared = suites.flatMap(({ rules }) => rules.map(({ id }) => id))

    expect(declared.toSorted()).toEqual(ruleIds.toSorted())
  })

  it('are grouped by area, with one suite file per area', () => {
    const areas = suites.map(({ rules }) => [...new Set(rules.map(({ id }) => areaOf(id)))])

    expect(areas.flat()).toEqual([...new Set(ruleIds.map(areaOf))])
    expect(areas.every((names) => names.length === 1)).toBe(true)
    expect(filesIn('suites', '.suite.ts').toSorted()).toEqual(
      areas
        .flat()
        .map((area) => `suites/${area}.suite.ts`)
        .toSorted(),
    )
  })

  it('are judged in phases: rules that use up a quota after rules that need it, summaries at the end', () => {
    const idsIn = (phase: string): readonly string[] => ruleIds.filter((id) => ruleOf(id).phase === phase)

    expect(idsIn('quota').map((id) => id.split('/')[0])).toEqual(['quota', 'quota', 'quota'])
    expect(idsIn('last')).toEqual([
      'conventions/http-messages',
      'authentication/stays-refused',
      'authentication/no-side-door',
    ])
    expect(idsIn('summary')).toContain('endpoints/list-succeeds')
  })
})

describe('the schema of the verdict', () => {
  it.skipIf(!existsSync(sharedSchema))('extends the agreed schema with optional properties only', () => {
    const shipped: unknown = JSON.parse(textOf('lib/verdict/verdict.schema.json'))

    expect(shipped).toMatchObject(JSON.parse(readFileSync(sharedSchema, 'utf8')))
  })
})
