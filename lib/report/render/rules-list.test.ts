import { expect, it } from 'vitest'
import { countedRules, ruleIds, ruleOf } from '../../specification/rules.ts'
import { rulesJson, rulesText } from './rules-list.ts'

const counted = countedRules(ruleIds.map((id) => ({ id })))

it('the list of rules contains every rule about the service with its sentence, source and needs', () => {
  const blocks = counted.map(({ id }) => {
    const { level, says, section, needs } = ruleOf(id)
    return `${id} (${level})\n  ${says}\n  source  ${section}${needs === undefined ? '' : `\n  needs   ${needs}`}`
  })

  expect(
    rulesText()
      .trimEnd()
      .split('\n\n')
      .filter((text) => !/^\w+ \(/.test(text)),
  ).toEqual(blocks)
  expect(JSON.parse(rulesJson())).toMatchObject(
    counted.map(({ id }) => {
      const { level, section, says, phase, needs = null } = ruleOf(id)
      return { id, level, section, says, phase, needs }
    }),
  )
})
