import { describe, expect, it } from 'vitest'
import { type Field, fieldsOf, type Request, valueOf } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import { requiredFields, unknownSegment } from '../spec/endpoints.ts'
import { combinedFlawKinds } from './flaw-kinds.ts'
import type { Fuzzed, Kind, Material } from './fuzzed.ts'
import { headerLineKinds } from './header-line-kinds.ts'
import { pathKinds } from './path-kinds.ts'
import { queryKinds } from './query-kinds.ts'
import { casesOf, knownOf, materials, requestOf } from './testing/requests.ts'

const rules: Readonly<Record<string, (material: Material) => readonly Kind[]>> = {
  'header lines': headerLineKinds,
  paths: pathKinds,
  queries: queryKinds,
  'combined flaws': combinedFlawKinds,
}

interface Sent {
  readonly name: string
  readonly fuzzed: Fuzzed
  readonly request: Request
}

const each = Object.entries(rules).flatMap(([rule, kindsOf]) =>
  Object.entries(materials).map(([about, material]) => ({ rule, about, material, kinds: kindsOf(material) })),
)

function sentBy(kinds: readonly Kind[], material: Material, seed = 1): readonly Sent[] {
  return casesOf(kinds, 2_000, seed).map(({ name, fuzzed }) => ({
    name,
    fuzzed,
    request: requestOf(material, fuzzed),
  }))
}

describe.each(each)('$rule for $about', ({ kinds, material }) => {
  const all = sentBy(kinds, material)
  const namesOf = (cases: readonly Sent[]): readonly string[] => cases.map(({ name }) => name)
  const thatBreak = (breaks: (one: Sent) => boolean): readonly string[] => namesOf(all.filter(breaks))
  const withoutExcuse = all.filter(({ fuzzed }) => !fuzzed.transportMayRefuse)

  it('only ask, and always name the suite', () => {
    const names = (request: Request): string => fieldsOf(request, 'user-agent').join()
    expect(thatBreak(({ request }) => request.method !== 'GET')).toEqual([])
    expect(thatBreak(({ request }) => !names(request).includes('card-switch-conformance'))).toEqual([])
  })

  it('send no field that frames a message, or asks for another method, path, host or protocol', () => {
    const forbidden =
      /^(?:host|content-length|transfer-encoding|content-encoding|expect|upgrade|te|trailer|keep-alive|proxy-.*|x-http-method.*|x-method-override|x-original-.*|x-rewrite-.*|x-forwarded-(?:host|path|prefix|proto)|http2-settings)$/i
    const isForbidden = (field: Field): boolean =>
      forbidden.test(field.name.trim()) || /[\r\n\0]/.test(field.name + valueOf(field))
    expect(thatBreak(({ request }) => request.fields.some(isForbidden))).toEqual([])
  })

  it('put no valid secret into a target, a cookie or authorization, no valid key into a target or a cookie', () => {
    const key = material.target.apiKey.reveal()
    const secret = material.target.secretKey.reveal()
    const anywhere = (request: Request): string => [request.target, ...fieldsOf(request, 'cookie')].join('\n')
    expect(thatBreak(({ request }) => anywhere(request).includes(key))).toEqual([])
    expect(thatBreak(({ request }) => anywhere(request).includes(secret))).toEqual([])
    expect(
      thatBreak(({ request }) => fieldsOf(request, 'authorization').join('\n').includes(secret)),
    ).toEqual([])
  })

  it('hold what is made from a credential as a secret', () => {
    const parts = partsOf(material)
    const isOpen = ({ value }: Field): boolean => {
      if (value instanceof Secret) return false
      const rest = value.replaceAll(material.wrongKey, '').replaceAll(material.wrongSecret, '')
      return parts.some((part) => rest.includes(part))
    }
    expect(thatBreak(({ request }) => request.fields.some(isOpen))).toEqual([])
  })

  it('say what was done, briefly, and without a credential or a part of one', () => {
    const parts = partsOf(material)
    expect(thatBreak(({ fuzzed }) => fuzzed.says === '' || fuzzed.says.length > 300)).toEqual([])
    expect(thatBreak(({ fuzzed }) => parts.some((part) => fuzzed.says.includes(part)))).toEqual([])
  })

  it('stay small where the transport has no excuse', () => {
    const sizeOf = ({ fields }: Request): number =>
      fields.reduce((sum, field) => sum + field.name.length + valueOf(field).length + 4, 0)
    // A request line of 2,000 bytes holds the method, the version and the base URL's path besides.
    expect(namesOf(withoutExcuse.filter(({ request }) => request.target.length > 1_900))).toEqual([])
    expect(namesOf(withoutExcuse.filter(({ request }) => sizeOf(request) > 6_000))).toEqual([])
  })

  it('take the raw socket exactly where no client sends them', () => {
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
    const there = all.filter(({ fuzzed }) => fuzzed.toUnknownPath === true)
    const isKnown = ({ target }: Request): boolean => !unknownSegment.test(target.split(/[/?]/)[2] ?? '')
    expect(
      thatBreak(({ request, fuzzed }) => belongsThere(request) !== (fuzzed.toUnknownPath === true)),
    ).toEqual([])
    expect(
      namesOf(there.filter(({ request, fuzzed }) => isKnown(request) || !fuzzed.transportMayRefuse)),
    ).toEqual([])
  })

  it('are percent-encoded where the transport has no excuse', () => {
    const own = (material.query ?? '').split('&')
    const isEncoded = ({ target }: Request): boolean => {
      const rest = own.reduce((left, parameter) => left.replace(parameter, ''), target)
      return /^(?:[\w.~/?&=-]|%[0-9a-f]{2})*$/i.test(rest) && canBeDecoded(target)
    }
    expect(namesOf(withoutExcuse.filter(({ request }) => !isEncoded(request)))).toEqual([])
  })

  it('are judged by the oracle, or against a list of answers where a field is repeated', () => {
    const isRepeated = (request: Request): boolean =>
      requiredFields.some((name) => fieldsOf(request, name).length > 1)
    const judged = all.filter(({ fuzzed }) => fuzzed.treatment === 'oracle')
    expect(
      namesOf(judged.filter(({ fuzzed, request }) => isRepeated(request) !== (fuzzed.allowed !== undefined))),
    ).toEqual([])
  })

  it('let nobody in but by valid credentials, where nobody must get in', () => {
    const facts = all
      .filter(({ fuzzed }) => fuzzed.treatment === 'refused')
      .map(({ request }) => knownOf(request, material))
    expect(facts.filter(({ apiKey, secretKey }) => apiKey === 'valid' && secretKey === 'valid')).toEqual([])
  })

  it('are the same again, and pure', () => {
    expect(sentBy(kinds, material).map(shown)).toEqual(all.map(shown))
    expect(all.map((one) => shown({ ...one, request: requestOf(material, one.fuzzed) }))).toEqual(
      all.map(shown),
    )
  })

  it('differ from one root seed to another', () => {
    expect(sentBy(kinds, material, 2).map(shown)).not.toEqual(all.map(shown))
  })
})

/** Sequences of six characters of the target's credentials. */
function partsOf({ target }: Material): readonly string[] {
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

function shown({ name, fuzzed, request }: Sent): unknown {
  const { says, treatment, base } = fuzzed
  return [
    name,
    says,
    treatment,
    base,
    request.target,
    request.fields.map((field) => [field.name, valueOf(field)]),
  ]
}

describe('kinds', () => {
  const sumOf = (kinds: readonly Kind[]): number => kinds.reduce((sum, { weight }) => sum + weight, 0)

  it.each([
    ['header lines', 12],
    ['paths', 20],
    ['queries', 20],
    ['combined flaws', 20],
  ])('of %s fit into a gate', (rule, most) => {
    for (const { kinds } of each.filter((one) => one.rule === rule)) {
      expect(sumOf(kinds.filter(({ gate }) => gate))).toBeLessThanOrEqual(most)
      expect(sumOf(kinds)).toBeLessThanOrEqual(50)
    }
  })

  it('have stable names of their own', () => {
    for (const { kinds } of each) {
      const names = kinds.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      for (const name of names) expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    }
  })
})
