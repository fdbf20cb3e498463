import { describe, expect, it } from 'vitest'
import { fieldsOf, type Request } from '../http/request.ts'
import { allowed } from '../judge/allowed.ts'
import { success } from '../specification/answers.ts'
import { ruleOf } from '../specification/rules.ts'
import type { MutatedRequest } from './case-class.ts'
import { caseClasses } from './case-classes.ts'
import { strangerClasses } from './misplaced-fields.ts'
import { casesOf, inGate, knownOf, inputOf, requestOf } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const classList = strangerClasses

interface Sent {
  readonly mutated: MutatedRequest
  readonly request: Request
}

function sentBy(count: number, some = classList): readonly Sent[] {
  return casesOf(some, count).map(({ mutated }) => ({ mutated, request: requestOf(input, mutated) }))
}

function has({ request }: Sent, name: string): boolean {
  return fieldsOf(request, name).length > 0
}

const classes: Readonly<Record<string, (one: Sent) => boolean>> = {
  'a name with a digit': (one) => has(one, 'x-api-key2') && !has(one, 'x-api-key'),
  'a name without hyphens': (one) => has(one, 'xsecretkey') && !has(one, 'x-secret-key'),
  ...Object.fromEntries(
    ['range', 'if-none-match', 'origin', 'x-forwarded-for', 'cookie'].map((name) => [
      name,
      (one: Sent) => has(one, name) && one.mutated.treatment === 'refused',
    ]),
  ),
}

describe('what strangers send', () => {
  const first = sentBy(40)

  it.each(Object.entries(classes))('%s comes among the 40 cases of an acceptance', (_, belongs) => {
    expect(first.some(belongs)).toBe(true)
  })

  it('is never served, to the oracle', () => {
    for (const { request } of sentBy(400)) {
      expect(allowed(knownOf(request, input))).not.toContainEqual(success)
    }
  })

  it.each(['look-alike-names'])('lacks one required field: %s', (name) => {
    for (const { request, mutated } of sentBy(
      30,
      classList.filter((caseClass) => caseClass.name === name),
    )) {
      const { apiKey, secretKey, version } = knownOf(request, input)
      expect([apiKey, secretKey, version].filter((fact) => fact === 'absent')).toHaveLength(1)
      expect(mutated.treatment).toBe('oracle')
    }
  })

  it('belongs to a rule that is documented, and fits with its other classes into a gate', () => {
    const all = caseClasses['fuzz/combined-flaws'](input)

    expect(ruleOf('fuzz/combined-flaws').level).toBe('documented')
    expect(all).toEqual(
      expect.arrayContaining(classList.map(({ name }) => expect.objectContaining({ name }))),
    )
    expect(all.reduce((sum, { weight }) => sum + weight, 0)).toBe(19)
    expect(inGate('fuzz/combined-flaws', classList).map(({ name }) => name)).toEqual(['look-alike-names'])
  })
})
