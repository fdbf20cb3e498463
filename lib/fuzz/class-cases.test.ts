import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fieldsOf, valueOf } from '../http/request.ts'
import { allowed, certainFlaws } from '../judge/allowed.ts'
import { versionFact } from '../judge/facts.ts'
import { success } from '../specification/answers.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { bases, type CaseClass, type GeneratorInput } from './case-class.ts'
import { caseClasses, headerLineClasses } from './case-classes.ts'
import { combinedFlawClasses } from './combined-flaws.ts'
import { duplicateClasses } from './header-lines.ts'
import { strangerClasses } from './header-lines.ts'
import { doubledSlash, nearPaths } from './path-classes.ts'
import { percentEncoded } from './queries.ts'
import { arrivedIn } from './testing/credentials.ts'
import { baseOf, inputOf, inputs, sentBy, type Sent } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const both = Object.values(inputs)

/** The first cases of the classes with this name. */
function named(name: string, classes: readonly CaseClass[], count: number, of = input): readonly Sent[] {
  const found = classes.filter((one) => one.name === name)
  return sentBy(found, of, count)
}

function targetsOf(all: readonly Sent[]): readonly string[] {
  return all.map(({ request }) => request.target)
}

describe('header lines', () => {
  test.each(['name-case', 'field-order', 'unrelated-fields', 'many-unrelated-fields'])(
    'of %s begin on a valid request and come to every base',
    (name) => {
      const found = named(name, headerLineClasses(input), 100).map(({ base = 'valid' }) => base)
      expect(found[0]).toBe('valid')
      expect(new Set(found)).toEqual(new Set(bases))
    },
  )

  it('come in every order of the three, each unlike the usual one, whatever is absent', () => {
    const usual = requiredFields.join()
    const drawn = named('field-order', headerLineClasses(input), 400).map(({ request, base = 'valid' }) => {
      const order = request.fields.map(({ name }) => name).filter((name) => usual.includes(name))
      return { base, order: order.join() }
    })
    const onValid = drawn.filter(({ base }) => base === 'valid').map(({ order }) => order)

    expect(drawn.filter(({ order }) => usual.includes(order) || order === 'x-api-key,x-version')).toEqual([])
    expect([new Set(onValid).size, onValid.length]).toEqual([5, 200])
  })

  it('come with the same parameters in another order, compared with the order before', () => {
    const of = { ...input, query: 'page=1&filter[]=a&to=3' }
    const sorted = (target = ''): readonly string[] => target.split(/[?&]/).toSorted()
    const pairs = named('parameter-order', headerLineClasses(of), 100, of)

    expect(pairs.length).toBeGreaterThan(0)
    for (const { request, pairedRequest, drawn } of pairs) {
      const before = pairedRequest?.apply(baseOf(of, drawn.mutated)).target
      expect(request.target).not.toBe(before)
      expect(sorted(request.target)).toEqual(sorted(before))
    }
  })

  it('permute only flat parameters that stand once', () => {
    const of = { ...input, path: '/api/x', query: 'a=1&b[]=2&c=3&d=4&D=5' }
    expect(targetsOf(named('parameter-order', headerLineClasses(of), 1, of))).toEqual([
      '/api/x?c=3&b[]=2&a=1&d=4&D=5',
    ])
  })

  it('are duplicated as observations call them', () => {
    const duplicated = both.flatMap((of) => named('duplicates', duplicateClasses(of), 27, of))
    for (const { input: of, observe, request } of duplicated) {
      const values: Readonly<Record<string, readonly [valid: string, wrong: string]>> = {
        'x-api-key': [of.target.apiKey.reveal(), of.wrongKey],
        'x-secret-key': [of.target.secretKey.reveal(), of.wrongSecret],
        'x-version': [of.servedVersion, of.unsupportedVersion],
      }
      const [name = '', as = ''] = observe?.as.split(': ') ?? []
      const [valid, wrong] = values[name] ?? []
      const other = as.startsWith('valid twice') ? valid : wrong
      const sent = as.startsWith('valid') ? [valid, other] : [wrong, valid]
      expect(fieldsOf(request, name)).toEqual(as.includes('a comma') ? [sent.join(', ')] : sent)
    }
  })

  it('hold two wrong values that are nobody’s', () => {
    for (const { input: of, request } of both.flatMap((one) =>
      named('two-wrong', duplicateClasses(one), 30, one),
    )) {
      const clients = [of.target, of.second ?? of.target]
      const issued = clients.flatMap(({ apiKey, secretKey }) => [apiKey.reveal(), secretKey.reveal()])
      const repeated = requiredFields
        .map((name) => fieldsOf(request, name))
        .filter(({ length }) => length > 1)
      expect(repeated.flat()).toHaveLength(2)
      expect(repeated.flat().filter((one) => [...issued, of.servedVersion].includes(one))).toEqual([])
    }
    const near = { ...inputOf('ak0', 'secret'), wrongKey: 'ak' }
    const wrong = named('two-wrong', duplicateClasses(near), 3, near)
    expect(wrong.map(({ allowed: of }) => of?.map(({ errorCode }) => errorCode).join(' '))).toEqual([
      '1006 1030',
      '1007 1030',
      '1010 1030',
    ])
    // A credential may be the wrong value and one more digit.
    expect(fieldsOf(wrong[0]?.request ?? expect.fail(), 'x-api-key')).toEqual(['ak', 'ak1'])
  })
})

describe('queries', () => {
  const withQuery = { ...input, query: 'page=1&to=3' }
  test.each<readonly [string, GeneratorInput, readonly string[]]>([
    ['number-values', input, ['limit=-1', 'page=-1', 'limit=9007199254740993', 'offset=1e310']],
    ['repeated-parameter', withQuery, ['page=1&to=3&page=zz', 'page=1&to=3&page=1']],
  ])('of %s begin with those that tell most', (name, of, queries) => {
    const sent = targetsOf(named(name, caseClasses['fuzz/query'](of), queries.length, of))
    expect(sent).toEqual(queries.map((query) => `/api/customizations/list?${query}`))
  })

  it('leave unreserved characters alone, and write others as UTF-8', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
    expect(ascii.filter((character) => percentEncoded(character) === character).join('')).toBe(
      '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~',
    )
    expect(percentEncoded("a'(é🎨")).toBe('a%27%28%C3%A9%F0%9F%8E%A8')
    expect(() => percentEncoded('\uD800')).toThrow(URIError)
  })
})

describe('near misses of a path', () => {
  const list = '/api/customizations/list'
  test.each([
    ['/api/ab/c1', '/api/xb/c1', 'with its character 6 changed'],
    ['/api/ab/c1', '/api/ax/c1', 'with its character 7 changed'],
    ['/api/ab/c1', '/api/ab/x1', 'with its character 9 changed'],
    ['/api/a%C3', '/api/x%C3', 'with its character 6 changed'],
  ])('of %s change a letter: %s', (of, path, how) => {
    const changed = nearPaths(of).filter((one) => one.how.endsWith('changed'))
    expect(changed).toContainEqual({ path, how })
    expect(changed).toHaveLength(of === '/api/ab/c1' ? 3 : 1)
  })

  it('begin with those that services are most likely to serve', () => {
    expect(nearPaths(list).slice(0, 5)).toEqual([
      { path: `${list}/`, how: 'with a slash at its end' },
      { path: '/api/customizations/LIST', how: 'with its last segment in upper case' },
      { path: '/api/customizations/lis', how: 'without its last character' },
      { path: `${list}.json`, how: 'with .json at its end' },
      { path: `${list}/1`, how: 'with a further segment 1' },
    ])
  })

  test.each([list, '/api/x', '/api/cards/', '/api/%C3%A9/a%20b', '/api/x/%2E%2Ea', '/api/cards/.'])(
    'of %s are others, below /api/, and whole',
    (path) => {
      const paths = nearPaths(path).map((one) => one.path)
      expect(new Set([path, ...paths]).size).toBe(paths.length + 1)
      for (const one of paths) expect(one).toMatch(/^\/api\/(?!.*(?:\/\/|\/\.|\.\.|%(?![0-9a-f]{2})))[^/.]/i)
    },
  )

  test.each([
    ['/api/a%C3', '/api/a%x3'],
    ['/api/a.enx', '/api/a.env'],
    ['/api/a.phpx', '/api/a.php'],
  ])('of %s are not %s', (of, path) => {
    expect(nearPaths(of).map((one) => one.path)).not.toContain(path)
  })

  it('double the last slash, and are left to strangers where gateways refuse all others', () => {
    const names = caseClasses['fuzz/path']({ ...input, path: '/api/~x' }).map(({ name }) => name)
    expect(doubledSlash('/api/a/b').path).toBe('/api/a//b')
    expect(names).toContain('near-path-of-strangers')
    expect(names).not.toContain('near-path')
  })
})

describe('what strangers send', () => {
  const has = ({ request }: Sent, name: string): boolean => fieldsOf(request, name).length > 0
  const withoutKey = (one: Sent): boolean => has(one, 'x-api-key2') && !has(one, 'x-api-key')
  const withoutSecret = (one: Sent): boolean => has(one, 'xsecretkey') && !has(one, 'x-secret-key')
  const gatewayFields = ['range', 'if-none-match', 'origin', 'x-forwarded-for', 'cookie'].map(
    (name) => [name, (one: Sent) => has(one, name) && one.treatment === 'refused'] as const,
  )

  test.each<readonly [string, (one: Sent) => boolean]>([
    ['a name with a digit', withoutKey],
    ['a name without hyphens', withoutSecret],
    ...gatewayFields,
  ])('%s comes among the 40 cases of an acceptance', (_, belongs) => {
    expect(sentBy(strangerClasses, input, 40).some(belongs)).toBe(true)
  })

  it('is never served, to the oracle, and lacks a field under a similar name', () => {
    for (const { facts, name, treatment } of sentBy(strangerClasses, input, 400)) {
      expect(allowed(facts)).not.toContainEqual(success)
      if (!name.startsWith('look-alike')) continue
      expect([facts.apiKey, facts.secretKey, facts.version].filter((one) => one === 'absent')).toHaveLength(1)
      expect(treatment).toBe('oracle')
    }
  })
})

describe('a version', () => {
  const served = fc.oneof(fc.nat(12), fc.integer({ min: 0, max: 2 ** 31 - 1 })).map(String)
  const versionsOf = (servedVersion: string, count: number, seed = 1): readonly Sent[] => {
    const of = { ...input, servedVersion }
    return sentBy(caseClasses['fuzz/version'](of), of, count, seed)
  }
  const valueIn = ({ drawn, input: of }: Sent): string | null => arrivedIn('x-version', of, drawn)

  it('is never the one that is served, as it arrives, but with white space around it', () => {
    fc.assert(
      fc.property(served, fc.integer(), (version, seed) => {
        for (const one of versionsOf(version, 200, seed)) {
          expect(valueIn(one) === version).toBe(one.name.startsWith('white-space'))
          expect(one.treatment).toBe('oracle')
        }
      }),
    )
  })

  test.each([
    ['7', ['8', '6', '07', '+7', '7.0', '0x7', '7e0', '\xef\xbc\x97', '4294967303', '4294967297']],
    ['10', ['0xa']],
  ])('is about the version that is served: %s', (version, values) => {
    expect(versionsOf(version, 200).map(valueIn)).toEqual(expect.arrayContaining(values))
  })

  test.each(['1', '7'])('is one that nobody offers, and %s where it is cut', (version) => {
    const cut = [10 ** 8, 2 ** 28].map((more) => String(more + Number(version)))
    const known = { served: version, unsupported: '2147483647' }

    expect(versionsOf(version, 200).map(valueIn)).toEqual(expect.arrayContaining(cut))
    expect(cut.map((value) => versionFact(value, known))).toEqual(['unsupported', 'unsupported'])
  })

  const all = versionsOf('1', 2_000)
  test.each([
    ['boundary', ['other', 'out-of-range', 'unsupported']],
    ['nine-digits', ['unsupported']],
    ['small-integer', ['other']],
    ['long-integer', ['out-of-range']],
    ['written-oddly', ['odd']],
    ['presence', ['absent', 'blank']],
    ['white-space-around', ['served']],
    ['white-space-before', ['served']],
    ['white-space-behind', ['served']],
  ])('of the class %s is to the oracle: %s', (name, facts) => {
    const found = all.filter(({ drawn }) => drawn.of === name).map((one) => one.facts.version)
    expect([...new Set(found)].toSorted()).toEqual(facts)
  })

  it('has white space around it on flawed requests, too', () => {
    const around = all.filter(({ name }) => name.startsWith('white-space'))

    expect(new Set(around.map(({ base }) => base))).toEqual(
      new Set(['valid', 'api-key-wrong', 'secret-key-wrong', 'api-key-absent', 'secret-key-absent']),
    )
    for (const { facts, base } of around) {
      expect(allowed(facts)).toHaveLength(1)
      expect(allowed(facts).includes(success)).toBe(base === 'valid')
    }
  })

  it('may be refused by the transport only where it holds bytes beyond ASCII, or a tab', () => {
    for (const { request, transportMayRefuse } of all) {
      const value = request.fields.find(({ name }) => name === 'x-version')
      expect(transportMayRefuse).toBe(!/^[ -~]*$/.test(value === undefined ? '' : valueOf(value)))
    }
  })

  test.each([
    'no x-version',
    'x-version 2',
    'x-version -1',
    'x-version 2^32+1 (4294967297)',
    'x-version 2^31-2 (2147483646)',
    'x-version 10^309',
    'x-version 01',
    'x-version 1 in full-width digits (ef bc 91)',
  ])('is said without the digits of long ones: %s', (says) => {
    expect(all.map((one) => one.says)).toContain(says)
    expect(all.filter((one) => one.says.length >= 80)).toEqual([])
  })

  it('comes within 20 cases of a gate, each class of it', () => {
    expect(new Set(versionsOf('1', 20).map(({ drawn }) => drawn.of)).size).toBe(9)
  })
})

describe('combined flaws', () => {
  it('are mostly two or more', () => {
    const counts = sentBy(combinedFlawClasses(input), input, 1_000).map(
      ({ facts }) => certainFlaws(facts).length,
    )
    expect(counts.filter((count) => count >= 2).length).toBeGreaterThan(800)
    expect(counts.filter((count) => count >= 3).length).toBeGreaterThan(300)
  })

  test.each(Object.entries(inputs))('are flaws for certain when one is said: %s', (_, of) => {
    for (const { facts, says } of sentBy(combinedFlawClasses(of), of, 2_000)) {
      const isFlawed = certainFlaws(facts).length > 0 || facts.version === 'blank'
      expect(isFlawed).toBe(/x-|unknown path/.test(says.replace(/in the order[^;]*/, '')))
    }
  })

  const [key, secret] = ['ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc']
  const near = inputOf(key.slice(0, -1), secret.slice(0, -1)).target
  const [uuid, base64] = ['3f2a9c0d-1e4b-5a67-89ab-cdef01234567', 'c2VjcmV0IG9mIHRoZSBjbGllbnQ=']
  test.each<readonly [string, GeneratorInput, readonly string[]]>([
    [
      'no client’s, also where another one’s nearly are',
      { ...input, second: near },
      [near.apiKey.reveal(), near.secretKey.reveal()],
    ],
    [
      'none that a service may rightly read as valid',
      inputOf(uuid, base64),
      [uuid.toUpperCase(), base64.slice(0, -1)],
    ],
  ])('hold invented values that are %s', (_, of, values) => {
    const sent = sentBy(combinedFlawClasses(of), of, 2_000)
    const fields = sent.flatMap(({ request }) =>
      ['x-api-key', 'x-secret-key'].map((name) => fieldsOf(request, name).join()),
    )
    expect(fields.filter((value) => values.includes(value))).toEqual([])
  })

  it('leave the exchanged credentials out where they are the same', () => {
    const of = inputOf('the-same-for-both', 'the-same-for-both')
    const says = sentBy(combinedFlawClasses(of), of, 500).map((one) => one.says)
    expect(says.filter((one) => /x-api-key: TARGET_SECRET_KEY(?:;|$)/.test(one))).toEqual([])
  })
})
