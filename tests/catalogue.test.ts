import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { areaOf, ruleIds, ruleOf } from '../lib/specification/rules.ts'
import { suites } from '../suites/index.ts'
import { filesIn, textOf } from './support/syntax.ts'

const sharedSchema = fileURLToPath(new URL('../../shared/verdict.schema.json', import.meta.url))

describe('the rules of the catalogue', () => {
  it('are each judged by exactly one rule of the suites', () => {
    const declared = suites.flatMap(({ rules }) => rules.map(({ id }) => id))

    expect(declared.toSorted()).toEqual(ruleIds.toSorted())
  })

  it('stand in the suites area by area, in a file each', () => {
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

  it('are judged in phases: what uses a quota up after what needs it, and what sums up at the end', () => {
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
  it.skipIf(!existsSync(sharedSchema))(
    'is the one that was agreed, with further properties that are optional',
    () => {
      const shipped: unknown = JSON.parse(textOf('lib/verdict/verdict.schema.json'))

      expect(shipped).toMatchObject(JSON.parse(readFileSync(sharedSchema, 'utf8')))
    },
  )
})
