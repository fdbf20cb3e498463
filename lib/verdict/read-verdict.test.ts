import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding, Reason } from '../judge/record.ts'
import { historyText, parsedLine } from '../report/history/history.ts'
import { ruleStatus } from '../run/rule-status.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import { isSelected } from '../settings/selection.ts'
import { temporaryFolder } from '../settings/testing/read.ts'
import type { Waiver } from '../settings/waivers.ts'
import { ruleOf, specCatalogue, type RuleId } from '../specification/rules.ts'
import { assemble, unfinishedVerdict } from './assemble.ts'
import { forged, honest } from './forged-verdicts.testing.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { VerdictFileError, readVerdict, readVerdictBytes, verdictMistakes } from './read-verdict.ts'
import { asWritten, verdictJson } from './verdict-json.ts'
import {
  errorVerdict,
  findingWith,
  metadataWith,
  nonconformantVerdict,
  recordWith,
  ruleWith,
  targetWith,
  verdictWith,
} from './verdict.testing.ts'
import { partsOf, type Verdict } from './verdict.ts'

const remedy = '; give a verdict.json or its folder'
const noFormat = `is not a verdict: it does not name the format card-switch-conformance/verdict/1${remedy}`

describe('a verdict that is checked against its schema', () => {
  it('can lack optional parts, which get defaults', () => {
    const { rules, ...whole } = nonconformantVerdict()
    const optional = 'specification endpoints notJudged causes says sample examples curl'.split(' ')
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

const folder = temporaryFolder({ 'verdict.json': verdictJson(nonconformantVerdict()), 'other.json': '{}' })

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

  expect(message.replace(`${folder}/${name} `, '')).toMatch(says)
})

const cut = '; it was changed by hand or cut short, so repeat the run'
const text = verdictJson(verdictWith())
const other = '{"format":"card-switch-conformance/verdict/2\\u0007"}'
const named =
  'has the format "card-switch-conformance/verdict/2\\\\u0007", but this program reads card-switch'
const twice = JSON.stringify({ ...verdictWith(), rules: [{}, {}] })
const mistake = `does not match its format: /rules/0 must have required property 'id'${cut}`

it.each<[string, string | Buffer, string]>([
  ['nothing', '', `is not JSON${cut}`],
  ['half a verdict', text.slice(0, -10), `is not JSON${cut}`],
  ['another encoding', Buffer.from(text, 'utf16le'), `is not JSON${cut}`],
  ['deep nesting', '['.repeat(1_000), `is nested deeper than 200 levels, unlike any verdict${remedy}`],
  ['null', 'null', noFormat],
  ['a text', '"format"', noFormat],
  ['an invalid format', '{"format":7}', noFormat],
  ['another format', other, `${named}-conformance/verdict/1: use the suite version that wrote it`],
  ['several mistakes, of which the first is named', twice, mistake],
  [
    'a contradiction',
    JSON.stringify({ ...verdictWith(), exitCode: 1 }),
    'contradicts itself: it says conformant with exit code 1, but by its rules it is conformant; it was changed by hand, so repeat the run',
  ],
])('bytes that are not a verdict are refused with a reason and a remedy: %s', (_, given, says) => {
  const read = readVerdictBytes(Buffer.from(given))

  expect(read.kind === 'wrong' ? read.wrong + read.remedy : null).toBe(says)
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
  [{ only: ['quota/*'], essential: true }, ['only quota/*', 'one case per rule']],
])('a selection is described in a few words: %j', (selection, parts) => {
  expect(partsOf({ selection })).toEqual(parts)
})

/** The time at which verdicts are read, and at which drawn runs begin. */
const now = new Date('2026-11-20T12:00:00Z')

/** The reason why readers refuse a verdict, or null. */
function refusalOf(verdict: Verdict): string | null {
  const read = readVerdictBytes(Buffer.from(verdictJson(verdict)), now)
  return read.kind === 'wrong' ? read.wrong : null
}

it.each(forged)('an unusual verdict is refused if no run can produce it: %s', (_, says, verdict) => {
  expect(refusalOf(verdict)).toContain(says)
})

it.each(honest)('an unusual verdict is accepted if a run can produce it: %s', (_, verdict) => {
  expect(refusalOf(verdict)).toBeNull()
})

const own: RuleId = 'acme/own'
const fingerprints = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'] as const

const finding = fc.record({
  fingerprint: fc.constantFrom(...fingerprints),
  warns: fc.boolean(),
  blames: fc.constantFrom('suite', 'endpoints-file', 'service'),
})

/** Areas whose rules may warn. Rules supplied by the user may also warn. */
const mayWarn = /^(?:acme|fuzz|quota|tolerance|versioning)\//

/** The result of a rule, and its place among the rules. */
const course = fc.record({
  place: fc.nat(),
  answers: fc.nat({ max: 3 }),
  findings: fc.uniqueArray(finding, { maxLength: 2, selector: (one) => one.fingerprint }),
  reasons: fc.array(
    fc.record({
      kind: fc.constantFrom('inconclusive', 'untested', 'ended', 'cut-short'),
      text: fc.constantFrom('the budget', 'no answer'),
      follows: fc.array(fc.nat(), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
})

const drawnWaiver = fc.record({
  place: fc.option(fc.nat()),
  names: fc.subarray([...fingerprints]),
  owner: fc.constantFrom('Kim', 'Lee \uD800'),
  expires: fc.constantFrom('2026-11-19', '2026-11-20', '2027-01-31'),
})

/** Usually the first value, and only rarely one of the others. */
function seldom<Usual, Other>(usual: Usual, ...others: readonly Other[]): fc.Arbitrary<Usual | Other> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}

/** The events in a run and its settings. Most rules pass. */
const drawnRun = fc.record({
  profile: fc.constantFrom<ProfileName>('gate', 'acceptance', 'nightly'),
  strict: fc.boolean(),
  ownLevel: fc.constantFrom(null, 'documented', 'implied', 'requested', 'expectation'),
  only: seldom(null, ['authentication/*'], ['acme/*', 'fuzz/*']),
  essential: seldom(false, true),
  courses: fc.array(course, { maxLength: 4 }),
  nothing: seldom(false, true),
  before: fc.option(fc.array(course, { maxLength: 5 })),
  waivers: fc.array(drawnWaiver, { maxLength: 3 }),
  ended: seldom(null, 'the quota is used up'),
  cancelled: seldom(null, 'interrupted (SIGINT)'),
  errors: seldom([], ['a rule threw']),
  ownErrors: seldom([], ['acme/own threw']),
  lost: seldom(0, 8),
  endpoints: fc.array(seldom(true, false), { maxLength: 2 }),
})

type DrawnRun = typeof drawnRun extends fc.Arbitrary<infer Run> ? Run : never

/** The verdict for a randomly drawn run, with statuses determined by the engine's own functions. */
function verdictOfRun({ ownLevel, profile, only, essential, nothing, ...run }: DrawnRun): Verdict {
  const { ended, cancelled, errors, ownErrors } = run
  const entry = ownLevel === null ? [] : [[own, { ...ruleOf('fuzz/query'), level: ownLevel }] as const]
  const catalogue = new Map([...specCatalogue, ...entry])
  const ids = [...catalogue.keys()].filter((id) => isSelected(only, id))
  const idAt = (place: number): RuleId => ids[place % ids.length] ?? own
  const waivers = run.waivers.map(({ place, names: [first, ...others], owner, expires }): Waiver => {
    const several = first === undefined || others.length === 0 ? {} : { fingerprints: [first, ...others] }
    return {
      rule: place === null && first !== undefined ? null : idAt(place ?? 0),
      fingerprint: others.length === 0 ? (first ?? null) : null,
      ...several,
      reason: 'agreed',
      owner,
      expires,
    }
  })
  const hasEnded = ended !== null || cancelled !== null
  const mayBe: Readonly<Record<string, boolean>> = {
    ended: hasEnded,
    'cut-short': cancelled !== null || errors.length > 0,
  }
  const head = metadataWith({
    profile,
    strict: run.strict || profile === 'acceptance',
    only,
    essential,
    startedAt: now,
  })
  const resultsOf = (courses: DrawnRun['courses']) => {
    // A reason follows from something that was found, possibly by a rule that was not selected.
    const known = ids
      .flatMap((rule) => {
        const met = courses.find(({ place }) => idAt(place) === rule)
        return (met?.findings ?? []).map(({ fingerprint }) => ({ rule, fingerprint }))
      })
      .concat(only === null ? [] : [{ rule: 'endpoints/list-succeeds', fingerprint: fingerprints[0] }])
    return ids.map((id) => {
      const { level = 'documented' } = catalogue.get(id) ?? {}
      const met = courses.find(({ place }) => idAt(place) === id)
      const findings = (met?.findings ?? []).map(({ fingerprint, warns, blames }): Finding => ({
        ...findingWith({ fingerprint }),
        ...(warns && mayWarn.test(id) ? { warning: true } : {}),
        ...(level === 'expectation' && blames !== 'service' ? { blames } : {}),
      }))
      const untested = [{ kind: 'untested', text: 'not given', follows: [] }] as const
      const reasons = (nothing ? untested : (met?.reasons ?? []))
        .filter(({ kind }) => mayBe[kind] ?? true)
        .map(({ kind, text: why, follows }): Reason => {
          const breaches = follows.flatMap((place) => known[place % known.length] ?? [])
          return { kind, text: why, ...(breaches.length === 0 ? {} : { follows: breaches }) }
        })
      const answers = met?.answers ?? (nothing ? 0 : 3)
      return ruleStatus(
        { id, level, findings, answers, sample: null, reasons },
        {
          strict: head.strict,
          waivers,
          today: '2026-11-20',
          waivesUntested: profiles[profile].demandsEveryRule,
        },
      )
    })
  }
  const assembled = (courses: DrawnRun['courses'], earlier: readonly HistoryLine[]): Verdict =>
    assemble(head, {
      results: resultsOf(courses),
      catalogue,
      record: recordWith({ ended, retriedFor: run.lost === 0 ? {} : { '503': run.lost } }),
      endpoints: run.endpoints.map((isJudged, index) => ({
        name: `/api/${index}`,
        fingerprint: fingerprints[index] ?? '',
        judgedBy: isJudged ? ['fuzz/query' as const] : [],
        otherwise: { kind: hasEnded ? 'ended' : 'untested', text: 'no rule sends requests to it' },
      })),
      errors,
      ownErrors,
      cancelled,
      waivers,
      today: '2026-11-20',
      earlier,
    })
  return assembled(run.courses, run.before === null ? [] : [historyLine(assembled(run.before, []))])
}

it('a verdict from a run is accepted, whatever happened in the run', () => {
  const met = new Map<string, number>()
  const note = (what: string): unknown => met.set(what, (met.get(what) ?? 0) + 1)
  fc.assert(
    fc.property(drawnRun, (run) => {
      const verdict = verdictOfRun(run)
      note(`${verdict.verdict} ${verdict.profile}`)
      for (const { status } of verdict.rules) note(status)
      for (const { gone } of verdict.waivers) if (gone === true) note('gone')

      expect(refusalOf(verdict)).toBeNull()
      expect(parsedLine(historyText(historyLine(verdict)))).not.toBeNull()
      // The verdict that a run writes if a file cannot be written.
      const failed = { ...verdict, verdict: 'error', exitCode: 4, because: ['the disk is full'] } as const
      expect(refusalOf(failed)).toBeNull()
      expect(refusalOf({ ...failed, rules: [], waivers: [] })).toBeNull()
    }),
    { numRuns: 100 },
  )
  const outcomes = ['conformant', 'nonconformant', 'incomplete', 'error'].flatMap((word) =>
    Object.keys(profiles).map((profile) => `${word} ${profile}`),
  )
  const wanted = [...outcomes, 'gone', 'failed', 'warned', 'waived', 'inconclusive', 'untested']
  expect(wanted.filter((what) => !met.has(what))).toEqual([])
})

it('a verdict from a run is accepted if the run never began or never finished', () => {
  for (const verdict of [unfinishedVerdict(metadataWith({ startedAt: now })), errorVerdict()])
    expect(refusalOf(verdict)).toBeNull()
})
