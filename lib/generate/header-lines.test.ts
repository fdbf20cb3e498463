import { describe, expect, it } from 'vitest'
import { type Request, valueOf } from '../http/request.ts'
import { fieldsOf } from '../http/request.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { draw } from './case-schedule.ts'
import { bases, type CaseClass, type GeneratorInput, type MutatedRequest } from './case-class.ts'
import { headerLineClasses } from './case-classes.ts'
import { baseOf, casesOf, inputOf, inputs, knownOf, requestOf, simplest } from './testing/requests.ts'
import { duplicateClasses } from './duplicates.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const withQuery = { ...input, query: 'page=1&filter[]=a&to=3' }
const classList = headerLineClasses(input)

function classNamed(name: string): CaseClass {
  const found = classList.find((caseClass) => caseClass.name === name)
  if (found === undefined) throw new RangeError(`no class ${name}`)
  return found
}

interface Sent {
  readonly name: string
  readonly mutated: MutatedRequest
  readonly request: Request
  readonly names: readonly string[]
}

function sentBy(some: readonly CaseClass[], count: number, of: GeneratorInput = input): readonly Sent[] {
  return casesOf(some, count).map(({ name, mutated }) => {
    const request = requestOf(of, mutated)
    return { name, mutated, request, names: request.fields.map((field) => field.name) }
  })
}

describe('the classes of the catalogue', () => {
  it('begin on a valid request and come to every base', () => {
    for (const name of ['name-case', 'field-order', 'unrelated-fields', 'many-unrelated-fields']) {
      const drawn = sentBy([classNamed(name)], 100)
      expect(drawn[0]?.mutated.base ?? 'valid').toBe('valid')
      expect(new Set(drawn.map(({ mutated }) => mutated.base ?? 'valid'))).toEqual(new Set(bases))
    }
  })
})

describe('what must change no outcome', () => {
  it.each(Object.entries(inputs))('keeps names and values of the required fields: %s', (_, of) => {
    const kept = ({ fields }: Request): readonly string[] =>
      fields
        .filter(({ name }) => requiredFields.some((required) => required === name.toLowerCase()))
        .map((field) => `${field.name.toLowerCase()}: ${valueOf(field)}`)
        .toSorted()
    const equivalent = headerLineClasses(of).filter(({ name }) =>
      ['name-case', 'field-order', 'unrelated-fields', 'many-unrelated-fields', 'parameter-order'].includes(
        name,
      ),
    )
    for (const { mutated } of casesOf(equivalent, 1_000)) {
      const base = baseOf(of, mutated)
      expect(kept(mutated.apply(base))).toEqual(kept(base))
      expect(knownOf(mutated.apply(base), of)).toMatchObject({
        ...knownOf(base, of),
        input: expect.any(String),
      })
    }
  })

  it('shows every order of the three, each unlike the usual one, whatever is absent', () => {
    const usual = requiredFields.join()
    const drawn = sentBy([classNamed('field-order')], 400).map(({ mutated, request }) => {
      const order = request.fields.map(({ name }) => name).filter((name) => usual.includes(name))
      return { base: mutated.base ?? 'valid', order: order.join() }
    })
    const onValid = drawn.filter(({ base }) => base === 'valid').map(({ order }) => order)

    expect(drawn.filter(({ order }) => usual.includes(order) || order === 'x-api-key,x-version')).toEqual([])
    expect(new Set(onValid).size).toBe(5)
    expect(onValid.length).toBe(200)
  })

  it('sends the same parameters in another order, and compares with the order before', () => {
    for (const of of [input, withQuery]) {
      const [parameterOrder] = headerLineClasses(of).filter(({ name }) => name === 'parameter-order')
      for (const { mutated } of casesOf(parameterOrder === undefined ? [] : [parameterOrder], 100)) {
        const [one, other] = [
          requestOf(of, mutated).target,
          mutated.pairedRequest?.apply(baseOf(of, mutated)).target ?? '',
        ]
        const sorted = (target: string): readonly string[] => target.split(/[?&]/).toSorted()
        expect(one).not.toBe(other)
        expect(sorted(one)).toEqual(sorted(other))
      }
    }
  })

  it('permutes only flat parameters that stand once', () => {
    const first = headerLineClasses({ ...input, query: 'a=1&b[]=2&c=3&d=4&D=5' }).find(
      ({ name }) => name === 'parameter-order',
    )
    const [drawn] = casesOf(first === undefined ? [] : [first], 1)
    const target = drawn?.mutated.apply({
      method: 'GET',
      target: '/api/x?a=1&b[]=2&c=3&d=4&D=5',
      fields: [],
    }).target
    expect(target).toBe('/api/x?c=3&b[]=2&a=1&d=4&D=5')
  })
})

describe('what is absent', () => {
  it('is absent to the oracle', () => {
    for (const { request, mutated } of sentBy([classNamed('look-alike-names-raw')], 30)) {
      const { apiKey, secretKey, version } = knownOf(request, input)
      expect([apiKey, secretKey, version].filter((fact) => fact === 'absent')).toHaveLength(1)
      expect(mutated.treatment).toBe('oracle')
    }
  })
})

describe('a finding', () => {
  it('names the one letter whose case matters', () => {
    const first = draw({ caseClass: classNamed('name-case'), nth: 0 }, 1, 'r')
    const namesOf = (mutated: MutatedRequest): readonly string[] =>
      requestOf(input, mutated).fields.map((field) => field.name)
    const minimal = simplest(first, (mutated) => /[A-Z]/.test(namesOf(mutated)[1] ?? ''))
    expect(namesOf(minimal).join('').match(/[A-Z]/g)).toHaveLength(1)
  })

  it('names the one unrelated field that matters', () => {
    const first = draw({ caseClass: classNamed('unrelated-fields'), nth: 0 }, 1, 'r')
    const minimal = simplest(
      first,
      (mutated) => fieldsOf(requestOf(input, mutated), 'x-request-id').length > 0,
    )
    expect(minimal.says).toBe('with x-request-id')
  })

  it('names how many fields are too many, on a valid request', () => {
    const first = draw({ caseClass: classNamed('many-unrelated-fields'), nth: 3 }, 1, 'r')
    const minimal = simplest(first, (mutated) => requestOf(input, mutated).fields.length >= 22)
    expect(minimal).toMatchObject({ says: 'with 17 unrelated fields x-zz…', base: 'valid' })
  })
})

describe('duplicates', () => {
  it.each(Object.entries(inputs))('are on the wire as observations call them: %s', (_, of) => {
    const values: Readonly<Record<string, readonly [valid: string, wrong: string]>> = {
      'x-api-key': [of.target.apiKey.reveal(), of.wrongKey],
      'x-secret-key': [of.target.secretKey.reveal(), of.wrongSecret],
      'x-version': [of.servedVersion, of.unsupportedVersion],
    }
    const duplicates = duplicateClasses(of).filter(({ name }) => name === 'duplicates')
    for (const { mutated } of casesOf(duplicates, 27)) {
      const [name = '', as = ''] = mutated.observe?.as.split(': ') ?? []
      const [valid, wrong] = values[name] ?? []
      const [one, other] = as.startsWith('valid twice')
        ? [valid, valid]
        : as.startsWith('valid')
          ? [valid, wrong]
          : [wrong, valid]
      const expected = as.includes('a comma') ? [`${one}, ${other}`] : [one, other]
      expect(fieldsOf(requestOf(of, mutated), name)).toEqual(expected)
    }
  })
})

describe('two wrong values', () => {
  it.each(Object.entries(inputs))('are nobody’s: %s', (_, of) => {
    const wrong = duplicateClasses(of).filter(({ name }) => name === 'two-wrong')
    const issued = [of.target, of.second ?? of.target].flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
    for (const { mutated } of casesOf(wrong, 30)) {
      const request = requestOf(of, mutated)
      const repeated = requiredFields.flatMap((name) => {
        const values = fieldsOf(request, name)
        return values.length > 1 ? values : []
      })
      expect(repeated).toHaveLength(2)
      for (const secret of issued) expect(repeated).not.toContain(secret.reveal())
      expect(repeated).not.toContain(of.servedVersion)
    }
  })

  it('may be refused for being repeated, too', () => {
    const wrong = duplicateClasses(inputOf('ak0', 'secret')).filter(({ name }) => name === 'two-wrong')
    const codes = casesOf(wrong, 3).map(({ mutated }) => mutated.allowed?.map(({ errorCode }) => errorCode))
    expect(codes).toEqual([
      ['1006', '1030'],
      ['1007', '1030'],
      ['1010', '1030'],
    ])
  })

  it('are nobody’s where a credential is the wrong value with a digit behind it', () => {
    const of = { ...inputOf('ak0', 'secret'), wrongKey: 'ak' }
    const wrong = duplicateClasses(of).filter(({ name }) => name === 'two-wrong')
    const values = casesOf(wrong, 1).map(({ mutated }) => fieldsOf(requestOf(of, mutated), 'x-api-key'))
    expect(values).toEqual([['ak', 'ak1']])
  })
})
