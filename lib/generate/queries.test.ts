import { describe, expect, it } from 'vitest'
import { allowed } from '../judge/allowed.ts'
import { success } from '../specification/answers.ts'
import type { MutatedRequest, CaseClass } from './case-class.ts'
import { percentEncoded } from './queries.ts'
import { caseClasses } from './case-classes.ts'
import { casesOf, knownOf, inputOf, inputs, requestOf, simplest } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const classList = caseClasses['fuzz/query'](input)

interface Sent {
  readonly mutated: MutatedRequest
  readonly query: string
}

function sentBy(some: readonly CaseClass[], count: number): readonly Sent[] {
  return casesOf(some, count).map(({ mutated }) => ({ mutated, query: queryOf(mutated) }))
}

function queryOf(mutated: MutatedRequest): string {
  return requestOf(input, mutated).target.split('?').slice(1).join('?')
}

describe('the classes of the catalogue', () => {
  it('begin with the numbers that tell most of what counts and searches', () => {
    const gate = sentBy(
      classList.filter(({ name }) => name === 'number-values'),
      4,
    )

    expect(gate.map(({ query }) => query)).toEqual([
      'limit=-1',
      'page=-1',
      'limit=9007199254740993',
      'offset=1e310',
    ])
  })

  it('hold none of the numbers that firewalls know by heart', () => {
    const known =
      /=(?:-?2147483648|2147483647|-2147483649|429496729[56]|1e309|2\.225073858507\d+e-308|-?0000\d+)$/
    const sent = Object.values({ ...inputs, plain: input }).flatMap((of) =>
      casesOf(caseClasses['fuzz/query'](of), 1_000).map(({ mutated }) => requestOf(of, mutated)),
    )

    expect(sent.map(({ target }) => target).filter((target) => known.test(target))).toEqual([])
  })
})

describe.each(Object.entries(inputs))('queries for %s', (_, of) => {
  const all = casesOf(caseClasses['fuzz/query'](of), 2_000).map(({ mutated }) => ({
    mutated,
    request: requestOf(of, mutated),
  }))

  it('are valid or invalid input, and nothing else is wrong', () => {
    for (const { request, mutated } of all) {
      if (mutated.toUnknownPath === true) continue
      expect(allowed(knownOf(request, of))).toEqual([success, { status: 400, errorCode: '1030' }])
    }
  })

  it('are said in a line', () => {
    for (const { mutated } of all) expect(mutated.says.length).toBeLessThan(140)
  })

  it('keep the query that the endpoint needs before them', () => {
    for (const { request, mutated } of all) {
      if (mutated.toUnknownPath === true) continue
      expect(request.target.startsWith(of.query === null ? `${of.path}?` : `${of.path}?${of.query}&`)).toBe(
        true,
      )
    }
  })

  it('name no parameter that is known to choose a method, nor one for a format or a function but to observe it', () => {
    for (const { request, mutated } of all) {
      expect(request.target).not.toMatch(/[?&](?:_?method|_method|debug)=/i)
      if (mutated.treatment !== 'observed')
        expect(request.target).not.toMatch(/[?&](?:callback|jsonp|format)=/i)
      expect(request.target).not.toMatch(/__proto__(?:%5B|\.)|constructor(?:%5B|\.)/i)
    }
  })
})

describe('a parameter of the endpoint’s own query', () => {
  it('is repeated with the same value and with another', () => {
    const of = { ...input, query: 'page=1&to=3' }
    const repeated = caseClasses['fuzz/query'](of).filter(({ name }) => name === 'repeated-parameter')
    expect(casesOf(repeated, 2).map(({ mutated }) => requestOf(of, mutated).target)).toEqual([
      '/api/customizations/list?page=1&to=3&page=zz',
      '/api/customizations/list?page=1&to=3&page=1',
    ])
  })
})

describe('a finding', () => {
  it('names the one character that matters', () => {
    const holds = (mutated: MutatedRequest): boolean => queryOf(mutated).includes('%27')
    const random = classList.filter(({ name }) => name === 'random-parameters')
    const found = casesOf(random, 200).filter(({ mutated }) => holds(mutated))
    expect(found.length).toBeGreaterThan(5)
    for (const one of found) expect(queryOf(simplest(one, holds))).toMatch(/^(?:%27=|=%27)$/)
  })

  it('names the fewest parameters that matter', () => {
    const many = classList.filter(({ name }) => name === 'many-parameters')
    const [first] = casesOf(many, 1)
    const minimal = first && simplest(first, (mutated) => queryOf(mutated).split('&').length > 30)
    expect(minimal?.says).toBe('31 parameters')
  })
})

describe('percent-encoding', () => {
  it('leaves unreserved characters alone, and no others', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
    expect(ascii.filter((character) => percentEncoded(character) === character).join('')).toBe(
      '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~',
    )
  })

  it('writes UTF-8', () => {
    expect(percentEncoded("a'(é🎨")).toBe('a%27%28%C3%A9%F0%9F%8E%A8')
    expect(() => percentEncoded('\uD800')).toThrow(URIError)
  })
})
