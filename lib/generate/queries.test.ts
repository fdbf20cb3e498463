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

function judged(pattern: RegExp): (one: Sent) => boolean {
  return ({ query, mutated }) => pattern.test(query) && !mutated.transportMayRefuse
}

function excused(pattern: RegExp): (one: Sent) => boolean {
  return ({ query, mutated }) => pattern.test(query) && mutated.transportMayRefuse
}

const classes: Readonly<Record<string, (one: Sent) => boolean>> = {
  zero: judged(/^[a-z]+=0$/),
  one: judged(/^[a-z]+=1$/),
  'below zero': judged(/=-1$/),
  '2^31': judged(/=2147483649$/),
  'beyond 2^53': judged(/=9007199254740993$/),
  'an exponent': judged(/=1e310$/),
  hexadecimal: judged(/=0x10$/),
  separators: judged(/=1(?:_|%2C)000$/),
  'full-width': judged(/=%EF%BC%91%EF%BC%92$/),
  'a digit that is no number': judged(/^limit=%C2%B2$/),
  NaN: judged(/=NaN$/),
  empty: judged(/^[a-z]+=$/),
  '1,000 characters': judged(/^[a-z]+=a{1000}$/),
  'a quote': judged(/^[a-z]+=%27$/),
  'UTF-8': judged(/=%F0%9F%8E%A8$/),
  'an unknown name': judged(/^zzunknown=/),
  'an empty name': judged(/^=/),
  __proto__: excused(/^__proto__=/),
  constructor: judged(/^constructor=/),
  'a[]': judged(/^a%5B%5D=/),
  'a[b]': judged(/^a%5Bb%5D=/),
  'a.b': judged(/^a\.b=/),
  'a likely name in another case': judged(/^LIMIT=/),
  '%00': excused(/=%00$/),
  '%0a': excused(/=%0a$/),
  '%ff': excused(/=%ff$/),
  'a truncated %': excused(/=%$/),
  '%zz': excused(/=%zz$/),
  'double encoding': excused(/=%2527$/),
  'a raw reserved character': excused(/=a[[\]{}|\\^`"<>';:@,$()*!/?]b$/),
  'a second question mark': excused(/^zz=1\?zz=2$/),
  'a tautology': excused(/%27%20OR%20%271%27%3D%271/),
  'an operator of NoSQL': excused(/%24ne/),
  'wildcards of LDAP': excused(/%2A%29%28uid%3D%2A/),
  'template arithmetic': excused(/7%2A7/),
  'path traversal': excused(/\.\.%2F/),
  'an encoded line end': excused(/%0D%0A/),
  markup: excused(/%3Cb%3E/),
  'the same twice': judged(/^([a-z]+=1)&\1$/),
  'different values': judged(/^([a-z]+)=1&\1=2$/),
  '50 parameters': ({ query, mutated }) => query.split('&').length === 50 && !mutated.transportMayRefuse,
  'a query of 6 KiB': ({ query, mutated }) => query.length > 6_100 && mutated.toUnknownPath === true,
}

describe('the classes of the catalogue', () => {
  const first = sentBy(classList, 200)

  it.each(Object.entries(classes))('%s comes within 200 cases', (_, belongs) => {
    expect(first.some(belongs)).toBe(true)
  })

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
