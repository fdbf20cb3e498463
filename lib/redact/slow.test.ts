// In a file of its own, since it takes seconds: mutation leaves it out.
import { deflateRawSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ordinaryTexts } from '../../tests/leaks/ordinary.ts'
import { packedKey } from '../../tests/leaks/packed.ts'
import { growth, linear, timesAsLong } from '../../tests/support/processor-time.ts'
import { redactorFor } from './redact.ts'
import { Secret } from './secret.ts'

const secret = 'ak_live_9f8E7d6C5b4A/3210+xyz"Q'
const redactor = redactorFor([new Secret('KEY', secret)], ['/api/customizations/list', 'error_code', '1006'])
const base64 = (bytes: Buffer): string => bytes.toString('base64')

test.each([
  '{"id":"a1b2c3d4"},',
  'QUJDREVGRw',
  '%',
  '\\u0061',
  '&#x61;',
  '%2525',
  '\\\\',
  '&',
  '0x41,',
  '97,',
  '<b',
  'a\n',
  '"',
  '[',
  '\n    ',
  '=41',
  '\t',
  'H4sIAAAAAAAAA ',
  'eJwAAAAAAAAAA ',
  `${'1'.repeat(200)} `,
  secret,
  secret.slice(8, 15),
])('the time is linear in a text of %j', async (unit) => {
  const redact = (size: number): string => redactor.redact(unit.repeat(size / unit.length))

  // Measured: 0.5 to 5 MB a second.
  expect(await growth(redact, 32 * 1024)).toBeLessThan(linear)
})

test('the time is linear in a text of public words', async () => {
  const own = redactorFor([new Secret('K', 'list-endpoint-7q')], ['the list endpoint may need an api key'])
  const redact = (times: number): string => own.redact('list endpoint, '.repeat(times))

  expect(redact(5_000)).toHaveLength(75_000)
  expect(await growth(redact, 5_000)).toBeLessThan(linear)
})

// Each layer is read a bounded number of times: the work grows with the text alone, whatever it unpacks to.
test.each([
  ['gzip', base64(gzipSync(Buffer.alloc(8 * 1024 * 1024)))],
  ['short deflate', base64(deflateRawSync(Buffer.alloc(8_000, 'ab'), { strategy: 4 })).slice(0, 80)],
])('many bombs of %s take no longer than as much ordinary text', async (_, bomb) => {
  const bombs = JSON.stringify(Array.from({ length: Math.ceil(8_192 / bomb.length) }, () => bomb))
  const ordinary = JSON.stringify(ordinaryTexts).repeat(4).slice(0, bombs.length)
  const redact = (text: string) => () =>
    redactorFor([new Secret('KEY', packedKey)])
      .ofAnswer()
      .redact(text)

  // Unpacked, they would take a hundred times as long.
  expect(await timesAsLong(redact(bombs), redact(ordinary), 40)).toBeLessThan(40)
})

test('what is withheld is found again in nothing that is shown', () => {
  const parts = fc.constantFrom(...'\\%5c&#;2<K>a"', '\\u005c', '&#37;')
  const made = fc.array(parts, { maxLength: 40 }).map((list) => list.join(''))
  fc.assert(
    fc.property(
      made.filter((one) => one.length >= 4),
      made,
      (value, text) => {
        const own = redactorFor([new Secret('K', value)])
        const once = own.redact(text + value)

        expect(own.redact(once)).toBe(once)
      },
    ),
  )
})
