import * as fc from 'fast-check'
import type { Finding, Reason } from '../judge/record.ts'
import { redactorFor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { ruleStatus } from '../run/rule-status.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import { isSelected } from '../settings/selection.ts'
import type { Waiver } from '../settings/waivers.ts'
import { specCatalogue, type Catalogue } from '../specification/catalogue.ts'
import { ruleOf, type RuleId } from '../specification/rules.ts'
import { assemble, type RunOutcome } from './assemble.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { show } from './show.ts'
import { findingWith, metadataWith } from './verdict.testing.ts'
import type { Verdict } from './verdict.ts'

/** The time at which randomly drawn runs begin and their verdicts are read. */
export const startOfRuns = new Date('2026-11-20T12:00:00Z')

const own: RuleId = 'acme/own'
const fingerprints = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'] as const
const [plain, masking] = [redactorFor([]), redactorFor([new Secret('TARGET_API_KEY', 'staging')])]
const bases = [
  'https://staging.example',
  'https://vendor.example:8443/cards',
  'https://vendor.example/cards/',
  'http://[::1]:8080',
  'http://127.0.0.1:3000/a/b',
] as const
const targets = [
  '/api/customizations/list?page=1#x',
  '/',
  '*',
  'http://other.example/x',
  '@other.example',
  '',
]

const finding = fc.record({
  fingerprint: fc.constantFrom(...fingerprints),
  warns: fc.boolean(),
  blames: fc.constantFrom('suite', 'endpoints-file', 'service'),
})

/** Areas whose rules may warn. Rules supplied by the user may also warn. */
const mayWarn = /^(?:acme|fuzz|quota|tolerance|versioning)\//

/** The result of a rule. Most rules pass. */
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

const waiver = fc.record({
  place: fc.option(fc.nat()),
  named: fc.subarray([...fingerprints]),
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
export const drawnRun = fc.record({
  profile: fc.constantFrom<ProfileName>('gate', 'acceptance', 'nightly'),
  strict: fc.boolean(),
  ownLevel: fc.constantFrom(null, 'documented', 'implied', 'requested', 'expectation'),
  only: seldom(null, ['authentication/*'], ['acme/*', 'fuzz/*']),
  essential: seldom(false, true),
  base: fc.constantFrom(...bases),
  target: fc.constantFrom(...targets),
  masks: fc.boolean(),
  courses: fc.array(course, { maxLength: 4 }),
  nothing: seldom(false, true),
  before: fc.option(fc.array(course, { maxLength: 5 })),
  waivers: fc.array(waiver, { maxLength: 3 }),
  ended: seldom(null, 'the quota is used up'),
  cancelled: seldom(null, 'interrupted (SIGINT)'),
  errors: seldom([], ['a rule threw']),
  ownErrors: seldom([], ['acme/own threw']),
  lost: seldom(0, 8),
  endpoints: fc.array(seldom(true, false), { maxLength: 2 }),
})

type DrawnRun = typeof drawnRun extends fc.Arbitrary<infer Run> ? Run : never

/** The verdict for a randomly drawn run, with statuses determined by the engine's own functions. */
export function verdictOfRun(run: DrawnRun): Verdict {
  const { ownLevel, profile, only, waivers: drawn } = run
  const entry = ownLevel === null ? [] : [[own, { ...ruleOf('fuzz/query'), level: ownLevel }] as const]
  const catalogue = new Map([...specCatalogue, ...entry])
  const ids = [...catalogue.keys()].filter((id) => isSelected(only, id))
  const waivers = drawn.map(({ place, named: [first, ...others], owner, expires }): Waiver => {
    const rule = place === null && first !== undefined ? null : idAt(ids, place ?? 0)
    const several = first === undefined || others.length === 0 ? {} : { fingerprints: [first, ...others] }
    const one = others.length === 0 ? (first ?? null) : null
    return { rule, fingerprint: one, ...several, reason: 'agreed', owner, expires }
  })
  const head = metadataWith({
    baseUrl: run.base,
    embedded: run.masks,
    profile,
    strict: run.strict || profile === 'acceptance',
    only,
    essential: run.essential,
    startedAt: startOfRuns,
  })
  const outcome = (courses: DrawnRun['courses'], earlier: readonly HistoryLine[]): RunOutcome => ({
    results: resultsOf({ run, ids, catalogue, waivers, strict: head.strict }, courses),
    catalogue,
    record: {
      sent: 10,
      retried: 0,
      confirming: 0,
      byRule: {},
      byClient: {},
      retriedFor: run.lost === 0 ? {} : { '503': run.lost },
      msByRule: {},
      latencyMs: null,
      ended: run.ended,
      observations: [],
    },
    endpoints: run.endpoints.map((isJudged, index) => ({
      name: `/api/${index}`,
      fingerprint: fingerprints[index] ?? '',
      judgedBy: isJudged ? ['fuzz/query' as const] : [],
      otherwise: { kind: hasEnded(run) ? 'ended' : 'untested', text: 'no rule sends to it' },
    })),
    errors: run.errors,
    ownErrors: run.ownErrors,
    cancelled: run.cancelled,
    waivers,
    today: '2026-11-20',
    earlier,
  })
  const earlier = run.before === null ? [] : [historyLine(assemble(head, outcome(run.before, [])))]
  return assemble(head, outcome(run.courses, earlier))
}

function hasEnded({ ended, cancelled }: DrawnRun): boolean {
  return ended !== null || cancelled !== null
}

function idAt(ids: readonly RuleId[], place: number): RuleId {
  return ids[place % ids.length] ?? own
}

interface Judging {
  readonly run: DrawnRun
  readonly ids: readonly RuleId[]
  readonly catalogue: Catalogue
  readonly waivers: readonly Waiver[]
  readonly strict: boolean
}

function resultsOf(
  { run, ids, catalogue, waivers, strict }: Judging,
  courses: DrawnRun['courses'],
): RunOutcome['results'] {
  const redactor = run.masks ? masking : plain
  const request = { method: 'GET', target: run.target, fields: [] }
  const exchange = show({ request, response: null, durationMs: 1 }, { baseUrl: run.base, redactor })
  const mayBe = (kind: Reason['kind']): boolean =>
    kind === 'ended' ? hasEnded(run) : kind !== 'cut-short' || run.cancelled !== null || run.errors.length > 0
  // A reason follows from something that was found, possibly by a rule that was not selected.
  const known = ids
    .flatMap((rule) => {
      const met = courses.find(({ place }) => idAt(ids, place) === rule)
      return (met?.findings ?? []).map(({ fingerprint }) => ({ rule, fingerprint }))
    })
    .concat(run.only === null ? [] : [{ rule: 'endpoints/list-succeeds', fingerprint: fingerprints[0] }])
  return ids.map((id) => {
    const { level = 'documented' } = catalogue.get(id) ?? {}
    const met = courses.find(({ place }) => idAt(ids, place) === id)
    const findings = (met?.findings ?? []).map(({ fingerprint, warns, blames }): Finding => ({
      ...findingWith({ fingerprint, exchange }),
      ...(warns && mayWarn.test(id) ? { warning: true } : {}),
      ...(level === 'expectation' && blames !== 'service' ? { blames } : {}),
    }))
    const untested = [{ kind: 'untested', text: 'not given', follows: [] }] as const
    const reasons = (run.nothing ? untested : (met?.reasons ?? []))
      .filter(({ kind }) => mayBe(kind))
      .map(({ kind, text, follows }): Reason => {
        const breaches = follows.flatMap((place) => known[place % known.length] ?? [])
        return { kind, text, ...(breaches.length === 0 ? {} : { follows: breaches }) }
      })
    return ruleStatus(
      {
        id,
        level,
        findings,
        answers: met?.answers ?? (run.nothing ? 0 : 3),
        sample: exchange,
        reasons,
      },
      { strict, waivers, today: '2026-11-20', waivesUntested: profiles[run.profile].demandsEveryRule },
    )
  })
}
