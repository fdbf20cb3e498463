import { describe, expect, it } from 'vitest'
import { fieldsOf, type Request, valueOf } from '../http/request.ts'
import { requiredFields } from '../spec/endpoints.ts'
import { draw } from './draw.ts'
import { bases, type Fuzzed, type Kind, type Material } from './fuzzed.ts'
import { headerLineKinds } from './header-line-kinds.ts'
import { baseOf, casesOf, knownOf, materialOf, materials, requestOf, simplest } from './testing/requests.ts'

const material = materialOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const withQuery = { ...material, query: 'page=1&filter[]=a&to=3' }
const kinds = headerLineKinds(material)

function kindNamed(name: string): Kind {
  const found = kinds.find((kind) => kind.name === name)
  if (found === undefined) throw new RangeError(`no kind ${name}`)
  return found
}

interface Sent {
  readonly name: string
  readonly fuzzed: Fuzzed
  readonly request: Request
  readonly names: readonly string[]
}

function sentBy(some: readonly Kind[], count: number, of: Material = material): readonly Sent[] {
  return casesOf(some, count).map(({ name, fuzzed }) => {
    const request = requestOf(of, fuzzed)
    return { name, fuzzed, request, names: request.fields.map((field) => field.name) }
  })
}

function has({ request }: Sent, name: string): boolean {
  return fieldsOf(request, name).length > 0
}

const key = material.target.apiKey.reveal()

/** The classes of the catalogue's table, by what is on the wire. */
const classes: Readonly<Record<string, (one: Sent) => boolean>> = {
  'names in upper case': ({ names }) => names.includes('X-SECRET-KEY'),
  'names in mixed case': ({ names }) =>
    names.some((name) => /^X-.*[a-z].*[A-Z]/.test(name) && name !== 'X-Api-Key'),
  'another order': ({ names }) =>
    names.indexOf('x-version') < names.indexOf('x-api-key') && names.includes('x-version'),
  'a flawed base': ({ fuzzed }) => fuzzed.base === 'secret-key-wrong' && fuzzed.treatment === 'oracle',
  'the same twice': ({ request }) => fieldsOf(request, 'x-api-key').join() === `${key},${key}`,
  'valid then wrong': ({ request }) =>
    fieldsOf(request, 'x-api-key').join() === `${key},${material.wrongKey}`,
  'wrong then valid': ({ request }) =>
    fieldsOf(request, 'x-api-key').join() === `${material.wrongKey},${key}`,
  'duplicates apart': ({ names }) => names.at(-1) === 'x-api-key' && names[0] === 'x-api-key',
  'duplicates in another case': ({ names }) => names.includes('x-api-key') && names.includes('X-API-KEY'),
  'joined by a comma': ({ request }) =>
    fieldsOf(request, 'x-api-key').join() === `${key}, ${material.wrongKey}`,
  'two wrong ones': ({ fuzzed }) => fuzzed.allowed?.[0]?.errorCode === '1007',
  'zero-width space in a name': ({ names }) => names.includes('x-\u00E2\u0080\u008Bversion'),
  'space before the colon': ({ names }) => names.includes('x-api-key '),
  underscores: (one) => has(one, 'x_api_key') && one.fuzzed.treatment === 'observed',
  ...Object.fromEntries(
    ['accept-language', 'traceparent', 'x-request-id', 'content-type'].map((name) => [
      name,
      (one: Sent) => has(one, name) && one.fuzzed.treatment === 'oracle',
    ]),
  ),
  '50 random fields': ({ names }) => names.filter((name) => name.startsWith('x-zz')).length === 50,
  ...Object.fromEntries(
    ['range', 'if-none-match', 'origin', 'x-forwarded-for', 'cookie'].map((name) => [
      name,
      (one: Sent) => has(one, name) && one.fuzzed.treatment === 'observed',
    ]),
  ),
  'an unusual user-agent': ({ request }) => fieldsOf(request, 'user-agent').join().startsWith('Mozilla'),
  'another accept': ({ request }) => fieldsOf(request, 'accept').join() === 'text/html',
  'hop by hop': ({ request }) => fieldsOf(request, 'connection').join() === 'x-api-key',
  'parameters in another order': ({ fuzzed }) => fuzzed.sameAs !== undefined,
}

describe('the classes of the catalogue', () => {
  const first = sentBy(kinds, 200)

  it.each(Object.entries(classes))('%s comes within 200 cases', (_, belongs) => {
    expect(first.some(belongs)).toBe(true)
  })

  it('begin on a valid request and come to every base', () => {
    for (const name of ['name-case', 'field-order', 'unrelated-fields', 'many-unrelated-fields']) {
      const drawn = sentBy([kindNamed(name)], 100)
      expect(drawn[0]?.fuzzed.base ?? 'valid').toBe('valid')
      expect(new Set(drawn.map(({ fuzzed }) => fuzzed.base ?? 'valid'))).toEqual(new Set(bases))
    }
  })
})

describe('what must change no outcome', () => {
  it.each(Object.entries(materials))('keeps names and values of the required fields: %s', (_, of) => {
    const kept = ({ fields }: Request): readonly string[] =>
      fields
        .filter(({ name }) => requiredFields.some((required) => required === name.toLowerCase()))
        .map((field) => `${field.name.toLowerCase()}: ${valueOf(field)}`)
        .toSorted()
    const equivalent = headerLineKinds(of).filter(({ name }) =>
      ['name-case', 'field-order', 'unrelated-fields', 'many-unrelated-fields', 'parameter-order'].includes(
        name,
      ),
    )
    for (const { fuzzed } of casesOf(equivalent, 1_000)) {
      const base = baseOf(of, fuzzed)
      expect(kept(fuzzed.apply(base))).toEqual(kept(base))
      expect(knownOf(fuzzed.apply(base), of)).toMatchObject({
        ...knownOf(base, of),
        input: expect.any(String),
      })
    }
  })

  it('shows every order of the three, each unlike the usual one, whatever is absent', () => {
    const usual = requiredFields.join()
    const drawn = sentBy([kindNamed('field-order')], 400).map(({ fuzzed, request }) => {
      const order = request.fields.map(({ name }) => name).filter((name) => usual.includes(name))
      return { base: fuzzed.base ?? 'valid', order: order.join() }
    })
    const onValid = drawn.filter(({ base }) => base === 'valid').map(({ order }) => order)

    expect(drawn.filter(({ order }) => usual.includes(order) || order === 'x-api-key,x-version')).toEqual([])
    expect(new Set(onValid).size).toBe(5)
    expect(onValid.length).toBe(200)
  })

  it('sends the same parameters in another order, and compares with the order before', () => {
    for (const of of [material, withQuery]) {
      const [parameterOrder] = headerLineKinds(of).filter(({ name }) => name === 'parameter-order')
      for (const { fuzzed } of casesOf(parameterOrder === undefined ? [] : [parameterOrder], 100)) {
        const [one, other] = [requestOf(of, fuzzed).target, fuzzed.sameAs?.(baseOf(of, fuzzed)).target ?? '']
        const sorted = (target: string): readonly string[] => target.split(/[?&]/).toSorted()
        expect(one).not.toBe(other)
        expect(sorted(one)).toEqual(sorted(other))
      }
    }
  })

  it('permutes only flat parameters that stand once', () => {
    const first = headerLineKinds({ ...material, query: 'a=1&b[]=2&c=3&d=4&D=5' }).find(
      ({ name }) => name === 'parameter-order',
    )
    const [drawn] = casesOf(first === undefined ? [] : [first], 1)
    const target = drawn?.fuzzed.apply({
      method: 'GET',
      target: '/api/x?a=1&b[]=2&c=3&d=4&D=5',
      fields: [],
    }).target
    expect(target).toBe('/api/x?c=3&b[]=2&a=1&d=4&D=5')
  })
})

describe('what is absent', () => {
  it('is absent to the oracle', () => {
    for (const { request, fuzzed } of sentBy([kindNamed('look-alike-names-raw')], 30)) {
      const { apiKey, secretKey, version } = knownOf(request, material)
      expect([apiKey, secretKey, version].filter((fact) => fact === 'absent')).toHaveLength(1)
      expect(fuzzed.treatment).toBe('oracle')
    }
  })
})

describe('a finding', () => {
  it('names the one letter whose case matters', () => {
    const first = draw({ kind: kindNamed('name-case'), nth: 0 }, 1, 'r')
    const namesOf = (fuzzed: Fuzzed): readonly string[] =>
      requestOf(material, fuzzed).fields.map((field) => field.name)
    const minimal = simplest(first, (fuzzed) => /[A-Z]/.test(namesOf(fuzzed)[1] ?? ''))
    expect(namesOf(minimal).join('').match(/[A-Z]/g)).toHaveLength(1)
  })

  it('names the one unrelated field that matters', () => {
    const first = draw({ kind: kindNamed('unrelated-fields'), nth: 0 }, 1, 'r')
    const minimal = simplest(
      first,
      (fuzzed) => fieldsOf(requestOf(material, fuzzed), 'x-request-id').length > 0,
    )
    expect(minimal.says).toBe('with x-request-id')
  })

  it('names how many fields are too many, on a valid request', () => {
    const first = draw({ kind: kindNamed('many-unrelated-fields'), nth: 3 }, 1, 'r')
    const minimal = simplest(first, (fuzzed) => requestOf(material, fuzzed).fields.length >= 22)
    expect(minimal).toMatchObject({ says: 'with 17 unrelated fields x-zz…', base: 'valid' })
  })
})
