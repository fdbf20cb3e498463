import { expect, it } from 'vitest'
import { maskFor } from './patterns.ts'
import { Secret } from './secret.ts'

const long = Array.from({ length: 200 }, (_, at) => String.fromCharCode(0x30 + ((at * 7) % 10))).join('')
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const hex = (text: string): string => Buffer.from(text).toString('hex')

it.each([
  ['a longer one first', ['abcd', 'abcdef'], 'abcdef abcd', '<B> <A>'],
  ['none that is empty', ['', 'abcdef'], 'a b', 'a b'],
  ['its parts, of a long one', [`k-${long}`], `k-${long.slice(0, 99)}`, '<A>'],
  ['the whole, of a long one', [`k-${long}`], `(k-${long})`, '(<A>)'],
  ['four characters within a word', ['deve'], 'development', '<A>lopment'],
  ['three as a word of its own', ['dev'], 'development of dev', 'development of <A>'],
  ['six characters in base64', ['abcdef'], `(${base64('abcdef')})`, '(<A>)'],
  ['six characters in hexadecimal', ['abcdef'], `(${hex('abcdef')})`, '(<A>)'],
  ['no five in base64', ['abcde'], `(${base64('abcde')})`, `(${base64('abcde')})`],
  ['no five in hexadecimal', ['abcde'], `(${hex('abcde')})`, `(${hex('abcde')})`],
  ['one behind other bytes in base64', ['abcdef'], base64('-abcdef'), 'L<A>=='],
  ['one behind another byte, with a digit that is cut', ['abcdefg'], base64('-abcdefg'), 'L<A>='],
  ['base64 alone, before and after other digits', ['abcdef'], `x${base64('abcdef')}x`, 'x<A>x'],
  [
    'base64 whose last digit others decide, too',
    ['abcdefg'],
    `${base64('abcdefg')}, ${base64('abcdefgh')}`,
    '<A>==, <A>g=',
  ],
  ['base64 of URLs', ['~~~???>>>'], base64('~~~???>>>').replaceAll('+', '-').replaceAll('/', '_'), '<A>'],
  ['base64 in JSON', ['~~~???>>>'], base64('~~~???>>>').replaceAll('/', '\\/'), '<A>'],
  ['named entities', ['a&b"c<d'], 'a&amp;b&quot;c&lt;d', '<A>'],
  ['numbers of entities', ['a&b"c<d'], 'a&#38;b&#x22;c&#0060;d', '<A>'],
  ['entities of entities', ['a&b"c<d'], 'a&amp;amp;b&amp;quot;c&amp;lt;d', '<A>'],
  ['a space as a plus, beside one as it is', ['a b c d'], 'a+b+c+d a b c d', '<A> <A>'],
  ['no other sign as a plus', ['abcdef'], 'ab+def abcdef', 'ab+def <A>'],
  ['backslashes, doubled', ['a\\b\\c'], 'a\\\\b\\\\c', '<A>'],
  ['quotes and slashes behind backslashes', ['a"b/c'], 'a\\"b\\/c', '<A>'],
  ['signs of patterns as they are', ['a.b*c(d'], 'axb*c(d a.b*c(d', 'axb*c(d <A>'],
  ['what lies beyond ASCII, as its bytes', ['schlüssel'], Buffer.from('schlüssel').toString('latin1'), '<A>'],
  [
    'what lies beyond ASCII, escaped',
    ['schlüssel'],
    'schl\\u00fcssel schl%C3%BCssel schl\\xfcssel',
    '<A> <A> <A>',
  ],
  ['what takes two units, escaped', ['key😀word'], 'key\\ud83d\\ude00word', '<A>'],
  ['the last character of one byte, escaped', ['abcÿef'], 'abc\\xffef', '<A>'],
])('%s', (_, values, text, masked) => {
  const secrets = values.map((value, at) => new Secret('AB'[at] ?? '', value))

  expect(maskFor(secrets)(text)).toBe(masked)
})

it('names of other credentials stay, though they hold a value', () => {
  const mask = maskFor(
    [new Secret('KEY', 'first')],
    [new Secret('KEY with its first character changed', 'x')],
  )

  expect(mask('<KEY with its first character changed> first')).toBe(
    '<KEY with its first character changed> <KEY>',
  )
})
