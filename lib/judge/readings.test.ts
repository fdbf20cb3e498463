import { expect, test } from 'vitest'
import type { Field, Request } from '../http/request.ts'
import { hasMalformedLine, isReadInOneWay, readingsOf } from './readings.ts'

const others: readonly Field[] = [
  { name: 'accept', value: 'application/json' },
  { name: 'x-version', value: '1' },
]

function request(...fields: readonly Field[]): Request {
  return { method: 'GET', target: '/', fields: [...fields, ...others] }
}

function key(value: string, name = 'X-Api-Key'): Request {
  return request({ name, value })
}

/** The fields of every reading, as lines. */
function lines(one: Request): readonly (readonly string[])[] {
  return readingsOf(one).map(({ fields }) => fields.map(({ name, value }) => `${name}: ${String(value)}`))
}

const asSent = (value: string): readonly string[] => [
  `X-Api-Key: ${value}`,
  'accept: application/json',
  'x-version: 1',
]

type Further = (value: string) => readonly (readonly string[])[]

const kept: Further = (value) => [asSent(`.${value}.`)]
const without: Further = (value) => [asSent(value).slice(1)]
const cut: Further = () => [['accept: application/json']]
const inOneWay: Further = () => []

test.each<[about: string, further: Further, isMalformed: boolean, values: readonly string[]]>([
  ['in only one way', inOneWay, false, ['key', '', ' key', 'a\tb', 'x'.repeat(2_000), 'a b', '~']],
  ['also with the white space kept', kept, false, ['key ', 'key\t', '\tkey', '  \tkey', ' key ']],
  ['also without the field, if it goes beyond ASCII', without, false, ['k\u0080', '\u00ff', 'a\u00e9b']],
  [
    'also without any required field',
    cut,
    true,
    ['k\0', 'a\u0001', 'a\u0008b', 'a\nb', 'a\u001fb', '\u007f'],
  ],
  ['also without any required field', cut, true, ['x'.repeat(2_001)]],
  ['in several ways', (value) => [...kept(value), ...without(value), ...cut(value)], true, ['\u00e9\0 ']],
])('a service may read a request %s: %#', (_, further, isMalformed, values) => {
  for (const value of values) {
    const ways = further(value)
    expect(lines(key(value)), value).toEqual([asSent(value), ...ways])
    expect([isReadInOneWay(key(value)), hasMalformedLine(key(value))]).toEqual([
      ways.length === 0,
      isMalformed,
    ])
    expect(isReadInOneWay(key(value, 'x-other'))).toBe(true)
  }
})

test('a request has several readings if any of its fields has several', () => {
  const both = (secret: string): Request =>
    request({ name: 'x-api-key', value: 'key' }, { name: 'x-secret-key', value: secret })

  expect([isReadInOneWay(both('s ')), hasMalformedLine(both('\0'))]).toEqual([false, true])
})
