import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../settings/testing/read.ts'
import { VerdictFileError, readVerdict, readVerdictBytes, verdictMistakes } from './read-verdict.ts'
import { asWritten, verdictJson } from './verdict-json.ts'
import { nonconformantVerdict, ruleWith, targetWith, verdictWith } from './verdict.testing.ts'
import { partsOf } from './verdict.ts'

const remedy = '; give a verdict.json or its folder'
const noFormat = `is not a verdict: it does not name the format card-switch-conformance/verdict/1${remedy}`

describe('a verdict that is checked against its schema', () => {
  it('can lack optional parts, which get defaults', () => {
    const { rules, ...whole } = nonconformantVerdict()
    const optional = [
      'specification',
      'endpoints',
      'notJudged',
      'causes',
      'says',
      'sample',
      'examples',
      'curl',
    ]
    const untimed = { ...whole, rules: rules.map((rule) => ({ ...rule, durationMs: undefined })) }
    const kept = JSON.stringify(untimed, (name, value: unknown) =>
      optional.includes(name) ? undefined : value,
    )
    const ofFinding = { examples: [], curl: null }
    const ofRule = { says: 'not said', durationMs: 0, sample: null }

    expect(readVerdictBytes(Buffer.from(kept))).toMatchObject({
      kind: 'value',
      value: {
        specification: { title: 'not said', version: null, sha256: '0'.repeat(64) },
        target: { endpoints: [], notJudged: [] },
        causes: [],
        rules: rules.map(({ findings }) => ({ ...ofRule, findings: findings.map(() => ofFinding) })),
      },
    })
  })

  const ofRule = (changes: Parameters<typeof ruleWith>[1]) =>
    verdictWith({ rules: [ruleWith('quota/exhausted', changes)] })
  const allowed = 'must be equal to one of the allowed values: '
  const words = `/verdict ${allowed}["conformant","nonconformant","incomplete","error"]`
  const format = '/format must be equal to constant: "card-switch-conformance/verdict/1"'
  const fewer = '/rules/0/findings must NOT have fewer than 1 items'

  it.each([
    ['null instead of an object', null, 'the verdict must be object'],
    ['another format', { ...verdictWith(), format: 'x' }, format],
    ['an unknown word', { ...verdictWith(), verdict: 'fine' }, words],
    ['a rule that passed without an answer', ofRule({ answers: 0 }), '/rules/0/answers must be >= 1'],
    ['a failed rule without a finding', ofRule({ status: 'failed' }), fewer],
    ['an untested rule without a reason', ofRule({ status: 'untested' }), '/rules/0/because must be string'],
  ])('does not fit with %s, and the mistake names the place', (_, value, expected) => {
    expect(verdictMistakes(value)).toEqual([expected])
  })
})

const folder = temporaryFolder({
  'verdict.json': verdictJson(nonconformantVerdict()),
  'other.json': '{}',
})

it('a file that is read as a verdict is the named file, or verdict.json in a named folder', async () => {
  for (const path of [folder, `${folder}/verdict.json`])
    expect(await readVerdict(path)).toEqual(JSON.parse(verdictJson(nonconformantVerdict())))
})

it.each([
  ['other.json', noFormat],
  ['none.json', /^cannot be read: .*; give a verdict\.json or its folder$/],
])('a file that is read as a verdict is refused with its path and a remedy: %s', async (name, says) => {
  const error: unknown = await readVerdict(`${folder}/${name}`).catch((one: unknown) => one)
  const message = error instanceof VerdictFileError ? error.message : ''

  expect(error).toMatchObject({ name: 'VerdictFileError' })
  expect(message.replace(`${folder}/${name}`, '').trimStart()).toMatch(says)
})

describe('bytes that are not a verdict', () => {
  const cut = '; it was changed by hand or cut short, so repeat the run'
  const good = verdictWith()
  const text = verdictJson(good)
  const other = '{"format":"card-switch-conformance/verdict/2\\u0007"}'

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', `is not JSON${cut}`],
    ['half a verdict', text.slice(0, -10), `is not JSON${cut}`],
    ['another encoding', Buffer.from(text, 'utf16le'), `is not JSON${cut}`],
    ['deep nesting', '['.repeat(1_000), `is nested deeper than 200 levels, unlike any verdict${remedy}`],
    ['null', 'null', noFormat],
    ['a text', '"format"', noFormat],
    ['an invalid format', '{"format":7}', noFormat],
    [
      'another format',
      other,
      'has the format "card-switch-conformance/verdict/2\\\\u0007", but this program reads card-switch-conformance/verdict/1: use the suite version that wrote it',
    ],
    [
      'several mistakes, of which the first is named',
      JSON.stringify({ ...good, rules: [{}, {}] }),
      `does not match its format: /rules/0 must have required property 'id'${cut}`,
    ],
    [
      'a contradiction',
      JSON.stringify({ ...good, exitCode: 1 }),
      'contradicts itself: it says conformant with exit code 1, but by its rules it is conformant; it was changed by hand, so repeat the run',
    ],
  ])('are refused with a reason and a remedy: %s', (_, given, says) => {
    const read = readVerdictBytes(Buffer.from(given))

    expect(read.kind === 'wrong' ? read.wrong + read.remedy : null).toBe(says)
  })
})

it('half characters are replaced in a written verdict and in its reports', () => {
  const whole = verdictWith({ target: targetWith({ label: 'build 😀' }) })
  const half = verdictWith({ target: targetWith({ label: 'build \ud83d' }) })

  expect(asWritten(whole)).toBe(whole)
  expect(asWritten(half).target.label).toBe('build \ufffd')
  expect(verdictJson(asWritten(half))).toBe(verdictJson(half))
})

it.each([
  [{ only: null }, []],
  [{ only: ['quota/*', 'fuzz/query'] }, ['only quota/*, fuzz/query']],
  [{ only: ['quota/*'], essential: true }, ['only quota/*', 'one case a rule']],
])('a selection is described in a few words: %j', (selection, parts) => {
  expect(partsOf({ selection })).toEqual(parts)
})
