import { describe, expect, it } from 'vitest'
import { fieldsOf, valueOf, type Field, type Request } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import { requiredFields, unknownSegment } from '../specification/endpoints.ts'
import { combinedFlawClasses } from './combined-flaws.ts'
import type { MutatedRequest, CaseClass, GeneratorInput } from './case-class.ts'
import { caseClasses, headerLineClasses } from './case-classes.ts'
import { casesOf, inGate, knownOf, inputs, requestOf } from './testing/requests.ts'

const rules: Readonly<Record<string, (input: GeneratorInput) => readonly CaseClass[]>> = {
  'header lines': headerLineClasses,
  paths: caseClasses['fuzz/path'],
  queries: caseClasses['fuzz/query'],
  'combined flaws': combinedFlawClasses,
}

interface Sent {
  readonly name: string
  readonly mutated: MutatedRequest
  readonly request: Request
}

const each = Object.entries(rules).flatMap(([rule, classesOf]) =>
  Object.entries(inputs).map(([about, input]) => ({ rule, about, input, classList: classesOf(input) })),
)

function sentBy(classList: readonly CaseClass[], input: GeneratorInput, seed = 1): readonly Sent[] {
  return casesOf(classList, 600, seed).map(({ name, mutated }) => ({
    name,
    mutated,
    request: requestOf(input, mutated),
  }))
}

describe.each(each)('$rule for $about', ({ classList, input }) => {
  const all = sentBy(classList, input)
  const namesOf = (cases: readonly Sent[]): readonly string[] => cases.map(({ name }) => name)
  const thatBreak = (breaks: (one: Sent) => boolean): readonly string[] => namesOf(all.filter(breaks))
  const withoutExcuse = all.filter(({ mutated }) => !mutated.transportMayRefuse)

  it('hold what is made from a credential as a secret', () => {
    const parts = partsOf(input)
    const isOpen = ({ value }: Field): boolean => {
      if (value instanceof Secret) return false
      const rest = value.replaceAll(input.wrongKey, '').replaceAll(input.wrongSecret, '')
      return parts.some((part) => rest.includes(part))
    }
    expect(thatBreak(({ request }) => request.fields.some(isOpen))).toEqual([])
  })

  it('say what was done, briefly, and without a credential or a part of one', () => {
    const parts = partsOf(input)
    expect(thatBreak(({ mutated }) => mutated.says === '' || mutated.says.length > 300)).toEqual([])
    expect(thatBreak(({ mutated }) => parts.some((part) => mutated.says.includes(part)))).toEqual([])
  })

  it('take the raw route exactly where no client sends them', () => {
    const isSent = (field: Field): boolean =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(field.name) &&
      (field.name.toLowerCase() !== 'connection' || valueOf(field) === 'close') &&
      /^[\t\x20-\x7e\x80-\xff]*$/.test(valueOf(field))
    const needsRaw = ({ target, fields }: Request): boolean =>
      !/^[!-\xff]+$/.test(target) || !fields.every(isSent)
    expect(thatBreak(({ request }) => needsRaw(request) !== (request.route === 'raw'))).toEqual([])
  })

  it('go to an unknown path exactly where they are raw or oversized, and may be refused there', () => {
    const belongsThere = ({ target, route }: Request): boolean => route === 'raw' || target.length > 2_000
    const there = all.filter(({ mutated }) => mutated.toUnknownPath === true)
    const isKnown = ({ target }: Request): boolean => !unknownSegment.test(target.split(/[/?]/)[2] ?? '')
    expect(
      thatBreak(({ request, mutated }) => belongsThere(request) !== (mutated.toUnknownPath === true)),
    ).toEqual([])
    expect(
      namesOf(there.filter(({ request, mutated }) => isKnown(request) || !mutated.transportMayRefuse)),
    ).toEqual([])
  })

  it('are percent-encoded where the transport has no excuse', () => {
    const own = (input.query ?? '').split('&')
    const isEncoded = ({ target }: Request): boolean => {
      const rest = own.reduce((left, parameter) => left.replace(parameter, ''), target)
      return /^(?:[\w.~/?&=-]|%[0-9a-f]{2})*$/i.test(rest) && canBeDecoded(target)
    }
    expect(namesOf(withoutExcuse.filter(({ request }) => !isEncoded(request)))).toEqual([])
  })

  it('are judged by the oracle, or against a list of answers where a field is repeated', () => {
    const isRepeated = (request: Request): boolean =>
      requiredFields.some((name) => fieldsOf(request, name).length > 1)
    const judged = all.filter(({ mutated }) => mutated.treatment === 'oracle')
    expect(
      namesOf(
        judged.filter(({ mutated, request }) => isRepeated(request) !== (mutated.allowed !== undefined)),
      ),
    ).toEqual([])
  })

  it('let nobody in but by valid credentials, where nobody must get in', () => {
    const facts = all
      .filter(({ mutated }) => mutated.treatment === 'refused')
      .map(({ request }) => knownOf(request, input))
    expect(facts.filter(({ apiKey, secretKey }) => apiKey === 'valid' && secretKey === 'valid')).toEqual([])
  })

  it('are the same again, and pure', () => {
    expect(sentBy(classList, input).map(shown)).toEqual(all.map(shown))
    expect(all.map((one) => shown({ ...one, request: requestOf(input, one.mutated) }))).toEqual(
      all.map(shown),
    )
  })

  it('differ from one root seed to another', () => {
    expect(sentBy(classList, input, 2).map(shown)).not.toEqual(all.map(shown))
  })
})

/** Sequences of six characters of the target's credentials. */
function partsOf({ target }: GeneratorInput): readonly string[] {
  return [target.apiKey, target.secretKey].flatMap((secret) => {
    const text = secret.reveal()
    return Array.from({ length: text.length - 5 }, (_, at) => text.slice(at, at + 6))
  })
}

function canBeDecoded(target: string): boolean {
  try {
    decodeURIComponent(target)
    return true
  } catch {
    return false
  }
}

function shown({ name, mutated, request }: Sent): unknown {
  const { says, treatment, base } = mutated
  return [
    name,
    says,
    treatment,
    base,
    request.target,
    request.fields.map((field) => [field.name, valueOf(field)]),
  ]
}

describe('the classes of a rule', () => {
  const sumOf = (classList: readonly CaseClass[]): number =>
    classList.reduce((sum, { weight }) => sum + weight, 0)

  it.each([
    ['header lines', 'fuzz/headers', 12],
    ['paths', 'fuzz/path', 20],
    ['queries', 'fuzz/query', 20],
    ['combined flaws', 'fuzz/combined-flaws', 20],
  ] as const)('of %s fit into a gate', (rule, id, most) => {
    for (const { classList } of each.filter((one) => one.rule === rule)) {
      expect(sumOf(inGate(id, classList))).toBeLessThanOrEqual(most)
      expect(sumOf(classList)).toBeLessThanOrEqual(50)
    }
  })

  it('have stable names of their own', () => {
    for (const { classList } of each) {
      const names = classList.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    }
  })
})
