import { describe, expect, it } from 'vitest'
import { parseCaseName, replayLine } from './replay-line.ts'

describe('the name of a case', () => {
  it.each([
    ['fuzz/api-key:7:near-miss.3', { rule: 'fuzz/api-key', seed: 7, case: 'near-miss.3' }],
    ['fuzz/path:0:random.12:0:1', { rule: 'fuzz/path', seed: 0, case: 'random.12:0:1' }],
    ["fuzz/query:9007199254740991:it's", { rule: 'fuzz/query', seed: 9_007_199_254_740_991, case: "it's" }],
    ['quota/exhausted:1:two\nlines', { rule: 'quota/exhausted', seed: 1, case: 'two\nlines' }],
  ])('is read: %j', (text, expected) => {
    expect(parseCaseName(text)).toEqual(expected)
  })

  it.each([
    ['nothing', ''],
    ['a rule alone', 'fuzz/api-key'],
    ['no case', 'fuzz/api-key:7:'],
    ['no seed', 'fuzz/api-key::near-miss.3'],
    ['a seed that is no number', 'fuzz/api-key:x7:near-miss.3'],
    ['a seed with more behind it', 'fuzz/api-key:7x:near-miss.3'],
    ['a negative seed', 'fuzz/api-key:-7:near-miss.3'],
    ['a seed beyond what a double holds', 'fuzz/api-key:9007199254740992:near-miss.3'],
    ['an unknown rule', 'fuzz/none:7:near-miss.3'],
    ['a name that every object has', 'constructor:7:near-miss.3'],
    ['no rule', ':7:near-miss.3'],
    ['more before the rule', 'a:fuzz/api-key:7:near-miss.3'],
  ])('is none: %s', (_, text) => {
    expect(parseCaseName(text)).toBeNull()
  })
})

describe('the line that sends a case again', () => {
  it('holds the name as one word of a shell', () => {
    expect(replayLine('fuzz/api-key:7:near-miss.3')).toBe(
      "npx card-switch-conformance replay 'fuzz/api-key:7:near-miss.3'",
    )
    expect(replayLine("fuzz/query:7:it's $HOME 'here'")).toBe(
      String.raw`npx card-switch-conformance replay 'fuzz/query:7:it'\''s $HOME '\''here'\'''`,
    )
  })

  it('holds further words, quoted where a shell would read them in another way', () => {
    const flags = [
      '--base-url',
      'https://a.example:8443/v1',
      '--query',
      "q=it's&page=1",
      '--env-file',
      'a b.env',
    ]

    expect(replayLine('fuzz/query:7:near-miss.3', flags)).toBe(
      String.raw`npx card-switch-conformance replay 'fuzz/query:7:near-miss.3' --base-url https://a.example:8443/v1 --query 'q=it'\''s&page=1' --env-file 'a b.env'`,
    )
  })
})
