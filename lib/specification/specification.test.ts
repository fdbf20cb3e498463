import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentedPairs } from './answers.ts'
import { promiseOf, ruleIds, ruleOf } from './rules.ts'
import { specification } from './specification.ts'

/**
 * The text of the specification, which is not part of this repository: SPECIFICATION_FILE, or a file in
 * `shared/` above it.
 */
function specificationText(): Buffer | null {
  const named = process.env['SPECIFICATION_FILE']
  if (named !== undefined && named !== '') return readFileSync(named)
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'shared', 'specification.md')
    if (existsSync(file)) return readFileSync(file)
  }
  return null
}

const text = specificationText()

describe.skipIf(text === null)('the text of the specification', () => {
  it('has the hash and the title that the suite names', () => {
    expect(
      createHash('sha256')
        .update(text ?? '')
        .digest('hex'),
    ).toBe(specification.sha256)
    expect(text?.toString().split('\n')[0]).toBe(`# ${specification.title}`)
  })

  it('contains the sections that documented rules name, and the codes as reports show them', () => {
    const headings = (text?.toString() ?? '').split('\n').filter((line) => line.startsWith('#'))
    const named = ruleIds
      .map(ruleOf)
      .filter(({ level }) => level === 'documented')
      .flatMap(({ section }) => section.split('; ').map((part) => part.split(',')[0] ?? ''))
    for (const section of named) expect(headings).toContain(`## ${section}`)
    for (const { errorCode, errorMessage } of documentedPairs) {
      expect(text?.toString()).toContain(`| ${errorCode} | ${errorMessage} |`)
    }
  })
})

describe('the promise of the specification', () => {
  it('is one or two short sentences with full stops for every rule', () => {
    for (const id of ruleIds) {
      const promise = promiseOf(id) ?? ''
      expect(promise, id).toMatch(/^[A-Z].{20,210}\.$/)
    }
    expect(promiseOf('another/rule')).toBeNull()
  })

  it('states for a rule from an RFC that the specification does not say so', () => {
    for (const id of ruleIds.filter((one) => ruleOf(one).section.startsWith('RFC'))) {
      expect(promiseOf(id)).toContain('The specification does not say so.')
    }
  })
})
