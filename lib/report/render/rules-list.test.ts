import { describe, expect, it } from 'vitest'
import { ruleIds, ruleOf } from '../../specification/rules.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import { markdownCell, rulesJson, rulesText } from './rules-list.ts'

const counted = countedRules(ruleIds.map((id) => ({ id })))

describe('the list of rules', () => {
  it('contains every rule with its sentence, source and needs as text', () => {
    const text = rulesText()
    for (const { id } of counted) {
      const { level, says, section, needs } = ruleOf(id)
      const block = `${id} (${level})\n  ${says}\n  source  ${section}${needs === undefined ? '' : `\n  needs   ${needs}`}\n`
      expect(text).toContain(block)
    }
  })

  it('is a JSON array of plain objects', () => {
    const list: unknown = JSON.parse(rulesJson())

    expect(list).toHaveLength(counted.length)
    expect(list).toContainEqual({
      id: 'authentication/api-key-missing',
      level: 'documented',
      section: 'Authentication, rule 2',
      says: 'a request without x-api-key is refused with 400 and 1001',
      phase: 'together',
      needs: null,
    })
  })

  it('escapes characters that would end a cell', () => {
    expect(markdownCell(String.raw`a|b\|c` + '\n  <br>')).toBe(String.raw`a\|b\\\|c \<br>`)
  })
})
