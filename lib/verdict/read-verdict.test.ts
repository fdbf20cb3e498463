import { describe, expect, it } from 'vitest'
import { readVerdictBytes, verdictMistakes } from './read-verdict.ts'
import { errorVerdict, nonconformantVerdict, ruleWith, verdictWith } from './verdict.testing.ts'

describe('a verdict that is held against its schema', () => {
  it.each([
    ['a conformant one', verdictWith()],
    ['a nonconformant one, with rules of every status', nonconformantVerdict()],
    ['one of a run that never began', errorVerdict()],
  ])('%s fits, also as it is read from a file', (_, verdict) => {
    expect(verdictMistakes(verdict)).toEqual([])
    expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  })

  it('may lack samples, further examples and curl lines, which are added', () => {
    const whole = nonconformantVerdict()
    const kept = JSON.stringify(whole, (name, value: unknown) =>
      ['sample', 'examples', 'curl'].includes(name) ? undefined : value,
    )
    const read = readVerdictBytes(Buffer.from(kept))

    const added = whole.rules.map(({ findings }) => ({
      sample: null,
      findings: findings.map(() => ({ examples: [], curl: null })),
    }))
    expect(kept).not.toMatch(/"sample"|"examples"|"curl"/)
    expect(read.kind === 'value' && read.value.rules).toMatchObject(added)
  })

  const ofRule = (changes: Parameters<typeof ruleWith>[1]) =>
    verdictWith({ rules: [ruleWith('quota/exhausted', changes)] })
  const format = '/format must be equal to constant: "card-switch-conformance/verdict/1"'
  const words = '["conformant","nonconformant","incomplete","error"]'

  it.each([
    ['no object', null, 'the verdict must be object'],
    ['another format', { ...verdictWith(), format: 'x' }, format],
    [
      'an unknown word',
      { ...verdictWith(), verdict: 'fine' },
      `/verdict must be equal to one of the allowed values: ${words}`,
    ],
    ['a rule that passed without an answer', ofRule({ answers: 0 }), '/rules/0/answers must be >= 1'],
    [
      'a failed rule without a finding',
      ofRule({ status: 'failed' }),
      '/rules/0/findings must NOT have fewer than 1 items',
    ],
    ['an untested rule without a reason', ofRule({ status: 'untested' }), '/rules/0/because must be string'],
  ])('%s does not fit, and the place is named', (_, value, expected) => {
    expect(verdictMistakes(value)).toEqual([expected])
  })

  it.each([
    ['', 'specification', { title: 'not said', version: null, sha256: '0'.repeat(64) }],
    ['/target', 'endpoints', []],
    ['/target', 'notJudged', []],
    ['', 'causes', []],
    ['/rules/0', 'says', 'not said'],
    ['/rules/0', 'durationMs', 0],
  ])('may lack what the contract does not demand, which is added: %s/%s', (place, member, expected) => {
    const cut: unknown = JSON.parse(JSON.stringify(nonconformantVerdict()))
    const holderIn = (value: unknown): object =>
      Object(
        place
          .split('/')
          .slice(1)
          .reduce((at: unknown, part) => Reflect.get(Object(at), part), value),
      )
    Reflect.deleteProperty(holderIn(cut), member)

    const read = readVerdictBytes(Buffer.from(JSON.stringify(cut)))

    expect(read.kind === 'value' && Reflect.get(holderIn(read.value), member)).toEqual(expected)
  })

  it('reports all mistakes at once', () => {
    expect(verdictMistakes({}).length).toBeGreaterThan(15)
  })
})
