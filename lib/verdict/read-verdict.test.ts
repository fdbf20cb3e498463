import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../settings/testing/read.ts'
import { readVerdict, readVerdictBytes, VerdictFileError, verdictMistakes } from './read-verdict.ts'
import { verdictJson } from './verdict-json.ts'
import { errorVerdict, nonconformantVerdict, ruleWith, verdictWith } from './verdict.testing.ts'

describe('a verdict that is checked against its schema', () => {
  it.each([
    ['conformant', verdictWith()],
    ['nonconformant, with rules in every status', nonconformantVerdict()],
    ['from a run that never began', errorVerdict()],
  ])('fits if it is %s, also after being written and read', (_, verdict) => {
    expect(verdictMistakes(verdict)).toEqual([])
    expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  })

  it('can lack samples, further examples and curl lines, which get defaults', () => {
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
    ['null instead of an object', null, 'the verdict must be object'],
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
  ])('does not fit with %s, and the mistake names the place', (_, value, expected) => {
    expect(verdictMistakes(value)).toEqual([expected])
  })

  it.each([
    ['', 'specification', { title: 'not said', version: null, sha256: '0'.repeat(64) }],
    ['/target', 'endpoints', []],
    ['/target', 'notJudged', []],
    ['', 'causes', []],
    ['/rules/0', 'says', 'not said'],
    ['/rules/0', 'durationMs', 0],
  ])('can lack optional parts, which get defaults: %s/%s', (place, member, expected) => {
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
})

describe('a file that is read as a verdict', () => {
  const folder = temporaryFolder({
    'verdict.json': verdictJson(nonconformantVerdict()),
    'other.json': '{}',
  })

  it('is the named file, or verdict.json in a named folder', async () => {
    for (const path of [folder, `${folder}/verdict.json`])
      expect(await readVerdict(path)).toEqual(JSON.parse(verdictJson(nonconformantVerdict())))
  })

  it.each([
    [
      'other.json',
      'is not a verdict: it does not name the format card-switch-conformance/verdict/1; give a verdict.json or its folder',
    ],
    ['none.json', /^cannot be read: .*; give a verdict\.json or its folder$/],
  ])('is refused with its path and a remedy: %s', async (name, says) => {
    const error: unknown = await readVerdict(`${folder}/${name}`).catch((one: unknown) => one)
    const message = error instanceof VerdictFileError ? error.message : ''

    expect(error).toMatchObject({ name: 'VerdictFileError' })
    expect(message.replace(`${folder}/${name}`, '').trimStart()).toMatch(says)
  })
})

describe('bytes that are not a verdict', () => {
  const noFormat =
    'is not a verdict: it does not name the format card-switch-conformance/verdict/1; give a verdict.json or its folder'
  const cut = '; it was changed by hand or cut short, so repeat the run'
  const text = verdictJson(verdictWith())
  const withRules = (...rules: readonly unknown[]): string => JSON.stringify({ ...verdictWith(), rules })
  const mistaken = "/rules/0 must have required property 'id'"

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', `is not JSON${cut}`],
    ['half a verdict', text.slice(0, -10), `is not JSON${cut}`],
    ['another encoding', Buffer.from(text, 'utf16le'), `is not JSON${cut}`],
    [
      'deep nesting',
      '['.repeat(1_000),
      'is nested deeper than 200 levels, unlike any verdict; give a verdict.json or its folder',
    ],
    ['null', 'null', noFormat],
    ['a text', '"format"', noFormat],
    ['an invalid format', '{"format":7}', noFormat],
    [
      'another format',
      '{"format":"card-switch-conformance/verdict/2\\u0007"}',
      'has the format "card-switch-conformance/verdict/2\\\\u0007", but this program reads card-switch-conformance/verdict/1: use the suite version that wrote it',
    ],
  ])('are refused with a reason and a remedy: %s', (_, given, says) => {
    const read = readVerdictBytes(Buffer.from(given))

    expect(read.kind === 'wrong' ? read.wrong + read.remedy : null).toBe(says)
  })

  it('are refused with the first mistake', () => {
    const read = readVerdictBytes(Buffer.from(withRules({}, {})))

    expect(read.kind === 'wrong' ? read.wrong + read.remedy : null).toBe(
      `does not match its format: ${mistaken}${cut}`,
    )
  })

  it('are refused with the contradiction if they contradict themselves', () => {
    const read = readVerdictBytes(Buffer.from(JSON.stringify({ ...verdictWith(), exitCode: 1 })))

    expect(read).toEqual({
      kind: 'wrong',
      wrong: 'contradicts itself: it says conformant with exit code 1, but by its rules it is conformant',
      remedy: '; it was changed by hand, so repeat the run',
    })
  })
})
