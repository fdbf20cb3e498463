import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable } from '../../text/printable.ts'
import { hostileText } from '../testing/hostile.ts'
import { bounded, code, prose } from './markdown.ts'

describe('text in Markdown', () => {
  it.each([
    'answered 401 / 1006 where 400 / 1001 is documented',
    'needs FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY',
    'Grüße, 漢字: nothing (yet)…',
    ' a',
  ])('stays prose if it is harmless: %s', (text) => {
    expect(prose(text)).toBe(text)
  })

  it.each([
    '@someone',
    'see www.evil.example',
    'https://evil.example',
    'a | b',
    '*a*',
    '_a_',
    '<b>',
    '&lt;',
    '[a](b)',
    '![a](b)',
    '# a',
    '- a',
    '1. a',
    'a#1',
    '~a~',
    'so :tada: good',
    'as of 0123abc4',
    'a$b$',
    'a\\b',
    'C:\n# a',
  ])('becomes code if Markdown, GitHub or GitLab would interpret it: %j', (text) => {
    expect(prose(text)).toBe(`\`${printable(text)}\``)
  })

  it('uses as many backticks as it needs', () => {
    expect(code('a`b')).toBe('``a`b``')
    expect(code('``')).toBe('``` `` ```')
    expect(code('')).toBe('(empty)')
    expect(code('  ')).toBe('(blank)')
  })

  it('leaves no markup outside code, whatever it contains', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = prose(text)
        // CommonMark 0.31, 6.1: a run of backticks ends at the next run of the same length.
        const outside = line.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gs, '')
        expect(line).not.toContain('\n')
        expect(outside).toMatch(/^(?:[\p{L}\p{N}_ ,;.:'"()/+=…-]*)$/u)
        expect(outside).not.toMatch(/:\/\/|www\./i)
      }),
    )
  })
})

it('a long document is cut at a line end, by its size in bytes', () => {
  const text = `${'ü'.repeat(100)}\n`.repeat(100)
  const cut = bounded(text, 1_000)

  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_000)
  expect(cut).toMatch(/^(?:ü{100}\n){4}… cut here; the rest is in verdict\.json\n$/)
  expect(bounded('short', 1_000)).toBe('short')
})
