import { describe, expect, it } from 'vitest'
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

describe('a request is read', () => {
  it.each(['key', '', ' key', 'a\tb', 'x'.repeat(2_000), 'a b', '~'])('in one way: %j', (value) => {
    expect(lines(key(value))).toEqual([asSent(value)])
    expect(isReadInOneWay(key(value))).toBe(true)
    expect(hasMalformedLine(key(value))).toBe(false)
  })

  it.each(['key ', 'key\t', '\tkey', '  \tkey', ' key '])('with the white space kept, too: %j', (value) => {
    expect(lines(key(value))).toEqual([asSent(value), asSent(`.${value}.`)])
    expect(isReadInOneWay(key(value))).toBe(false)
    expect(hasMalformedLine(key(value))).toBe(false)
  })

  it.each(['k\u0080', '\u00ff', 'a\u00e9b'])(
    'without the field, where it has bytes beyond ASCII: %j',
    (value) => {
      expect(lines(key(value))).toEqual([asSent(value), asSent(value).slice(1)])
      expect(hasMalformedLine(key(value))).toBe(false)
    },
  )

  it.each(['k\0', 'a\u0001', 'a\u0008b', 'a\nb', 'a\u001fb', '\u007f', 'x'.repeat(2_001)])(
    'without any required field, where its line may end the head: %j',
    (value) => {
      expect(lines(key(value))).toEqual([asSent(value), ['accept: application/json']])
      expect(hasMalformedLine(key(value))).toBe(true)
      expect(isReadInOneWay(key(value))).toBe(false)
    },
  )

  it('in several further ways at once, each apart from the others', () => {
    expect(lines(key('\u00e9\0 '))).toEqual([
      asSent('\u00e9\0 '),
      asSent('.\u00e9\0 .'),
      asSent('').slice(1),
      ['accept: application/json'],
    ])
  })

  it('in one way, whatever other fields hold', () => {
    for (const value of ['key ', 'k\u0080', 'k\0', 'x'.repeat(2_001)])
      expect(isReadInOneWay(key(value, 'x-other'))).toBe(true)
  })

  it('in a further way where only one of several fields may be', () => {
    expect(
      isReadInOneWay(request({ name: 'x-api-key', value: 'key' }, { name: 'x-secret-key', value: 's ' })),
    ).toBe(false)
    expect(
      hasMalformedLine(request({ name: 'x-api-key', value: 'key' }, { name: 'x-secret-key', value: '\0' })),
    ).toBe(true)
  })
})
