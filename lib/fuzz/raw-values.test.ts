import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { whyNotRaw } from '../http/sendable.ts'
import { fieldsOf, type Request, valueOf } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import { allowed } from '../judge/allowed.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { success } from '../specification/answers.ts'
import { anyCredential, arrivedIn } from './testing/credentials.ts'
import { baseOf, inputOf, sentBy, type Sent } from './testing/requests.ts'
import { controlCharacters } from './unicode.ts'
import { oddValueClasses } from './case-classes.ts'

const plainInput = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk-Vb93mQx7_Lw20ZpTd')
const cases = sentBy(oddValueClasses(plainInput), plainInput, 3_000)

/** A line break, or a control character. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const broken = /\r?\n[ \t]|[\0-\x1f\x7f]|\xc2[\x80-\x9f]/

function isOfVersion({ name }: Sent): boolean {
  return name.startsWith('version-')
}

function isBehindKey({ name }: Sent): boolean {
  return name.startsWith('byte-behind-key')
}

/** Whether a control character other than a tab is in a value. */
function isControlled({ request }: Sent): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return request.fields.some((field) => /[\0-\x08\x0a-\x1f\x7f]/.test(valueOf(field)))
}

function changedBetween(one: Request, other: Request): Request['fields'] {
  return one.fields.filter((field, at) => valueOf(field) !== valueOf(other.fields[at] ?? field))
}

/** Whether one value is changed, and is a secret where it is made from one. */
function changesOne({ input, drawn, request, name }: Sent): boolean {
  const [field, ...more] = changedBetween(request, baseOf(input, drawn.mutated))
  const isInvented = /^(?:version-|oversized)/.test(name) || field?.name === 'x-version'
  return field !== undefined && more.length === 0 && field.value instanceof Secret === !isInvented
}

/** Whether the paired request is altered alike, in the same field and route, from what nobody was issued. */
function isPairedAlike({ input, drawn, request, pairedRequest }: Sent): boolean {
  const paired = pairedRequest?.apply(baseOf(input, drawn.mutated))
  if (paired === undefined) return true
  const [field, ...more] = changedBetween(request, paired)
  const { apiKey, secretKey } = input.target
  const isKey = field?.name === 'x-api-key'
  const [valid, invented] = isKey
    ? [apiKey.reveal(), input.wrongKey]
    : [secretKey.reveal(), input.wrongSecret]
  const isMadeOf = (one: Request, from: string): boolean =>
    [from, from.repeat(2)].includes(
      fieldsOf(one, field?.name ?? '')
        .join()
        .replace(broken, ''),
    )
  return (
    [paired.target, paired.route].join() === [request.target, request.route].join() &&
    more.length === 0 &&
    isMadeOf(request, valid) &&
    isMadeOf(paired, invented)
  )
}

type Claim = readonly [claim: string, holds: (one: Sent) => boolean]

describe('odd values', () => {
  it.each<Claim>([
    [
      'take the raw socket exactly where a control character other than a tab is in them',
      (one) => isBehindKey(one) || (one.request.route === 'raw') === isControlled(one),
    ],
    [
      'go to an unknown path, but for versions that every client sends',
      (one) => (one.toUnknownPath === true) === (!isOfVersion(one) && !isBehindKey(one)),
    ],
    ['may be refused by the transport', (one) => isOfVersion(one) || one.transportMayRefuse],
    ['are never served', ({ facts }) => !allowed(facts).includes(success)],
    ['change one value, and are a secret where they are made from one', changesOne],
    [
      'can be written by the raw socket: no line break ends one, hides a field or leaves an empty line',
      ({ request }) =>
        (request.route !== 'raw' || whyNotRaw(request) === null) &&
        request.fields.every((field) => !/[\r\n][ \t]*$/.test(valueOf(field))),
    ],
    ['come with a paired request that is altered alike', isPairedAlike],
  ])('%s', (_, holds) => {
    const versions = fc.constantFrom('1', '0', '12', '2147483647')
    fc.assert(
      fc.property(anyCredential, anyCredential, versions, fc.integer(), (apiKey, secretKey, served, seed) => {
        const more = { servedVersion: served, unsupportedVersion: '2147483646' }
        const input = inputOf(apiKey, secretKey, more)
        const others = sentBy(oddValueClasses(input), input, 60, seed).filter((one) => !holds(one))
        expect(others.map(({ name, says }) => `${name}: ${says}`)).toEqual([])
      }),
    )
  })

  it.each<Claim>([
    [
      'hold one control character, or one line break',
      ({ name, request }) =>
        !/^(?:control|line)/.test(name) ||
        request.fields.map(valueOf).join('').split(new RegExp(broken, 'g')).length === 2,
    ],
    [
      'are judged by the oracle, but where a service may strip them off the ends',
      ({ name, treatment }) => (treatment === 'observed') === name.startsWith('control-character-at-end'),
    ],
    [
      'say at which size they are refused',
      ({ name, observe, says }) =>
        name.startsWith('oversized')
          ? observe?.id === 'value-size' && observe.as === says
          : observe === undefined,
    ],
    [
      'need no T where a version is of ASCII and of a usual size',
      (one) =>
        !isOfVersion(one) ||
        one.name.startsWith('version-injection') ||
        one.transportMayRefuse !== /^[\x20-\x7e]*$/.test(arrivedIn('x-version', plainInput, one.drawn) ?? ''),
    ],
    [
      'leave every other field as it is',
      ({ request }) => requiredFields.every((name) => fieldsOf(request, name).length === 1),
    ],
  ])('%s', (_, holds) => {
    expect(cases.filter((one) => !holds(one)).map(({ name, says }) => `${name}: ${says}`)).toEqual([])
  })

  it.each(['control-character', 'control-character-at-end', 'line-break', 'oversized'])(
    'of the class %s come for every field',
    (name) => {
      const says = cases.filter(({ drawn }) => drawn.of === name).map((one) => one.says)
      for (const field of [
        /^TARGET_API_KEY |^x-api-key /,
        /^TARGET_SECRET_KEY |^x-secret-key /,
        /^x-version /,
      ])
        expect(says.filter((one) => field.test(one))).not.toEqual([])
    },
  )

  it('come with every control character in the first round', () => {
    const first = cases
      .filter(({ name }) => name.startsWith('control-character.'))
      .slice(0, controlCharacters.length)
    const missing = controlCharacters.filter(({ says }) => !first.some((one) => one.says.includes(says)))
    expect(missing).toEqual([])
  })
})

test('a byte behind the key goes to the real path on the raw socket and alone, with a query that no cache knows', () => {
  const classes = oddValueClasses(plainInput).filter(({ name }) => name === 'byte-behind-key')
  const drawn = sentBy(classes, plainInput, 2)
  const valuesIn = (name: string): readonly string[] =>
    drawn.flatMap(({ request }) => fieldsOf(request, name))

  expect(drawn.map(({ connection, mayBeStripped }) => [connection, mayBeStripped])).toEqual([
    ['fresh', true],
    ['fresh', undefined],
  ])
  for (const { request } of drawn) {
    expect(request.route).toBe('raw')
    expect(request.target).toMatch(/^\/api\/customizations\/list\?_=zz[a-z]{14}$/)
  }
  expect(valuesIn('x-api-key')).toEqual(['ak_live_7Qm2vXk1Rb84TzNe\xa0', 'ak_live_7Qm2vXk1Rb84TzNe\0x'])
  expect(new Set(valuesIn('x-secret-key')).size).toBe(1)
})

test('a paired request is longer where the valid value has nothing to exchange', () => {
  const input = inputOf('----', '++++')
  const paired = sentBy(oddValueClasses(input), input, 100).flatMap(({ pairedRequest, drawn }) =>
    pairedRequest === undefined ? [] : [pairedRequest.apply(baseOf(input, drawn.mutated))],
  )

  expect(paired.length).toBeGreaterThan(5)
  for (const one of paired) expect(one.fields.map(valueOf).join()).toContain('0')
})

test('a paired request comes with every break and control character inside of a credential, and with nothing else', () => {
  const isInside = ({ name, says }: Sent): boolean =>
    /^TARGET_.*(?:a bare CR|a fold \(|U\+00).* after character/.test(says) && !name.includes('-at-end')

  expect(cases.filter(isInside).length).toBeGreaterThan(50)
  expect(cases.filter(({ pairedRequest }) => pairedRequest !== undefined)).toEqual(cases.filter(isInside))
})
