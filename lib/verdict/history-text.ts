import { isObject, jsonValue } from '../json/json-value.ts'
import { memberNames } from '../json/members.ts'
import { severities } from '../explain/causes.ts'
import { profiles } from '../settings/profiles.ts'
import { beginning } from '../text/printable.ts'
import { placeOfRule } from '../specification/catalogue.ts'
import { groupBy } from '../text/counts.ts'
import type { HistoryLine, HistoryRest, HistoryRule } from './history-line.ts'
import { jsonText } from '../json/json-text.ts'
import { statuses, type ExitCode, type VerdictWord } from './verdict.ts'

const formatName = 'card-switch-conformance/history/'
/** The name of the format of a line. */
const historyFormat = `${formatName}2`

/** A line of the history: a run without what can be left out. */
interface StoredRun extends Omit<HistoryLine, 'target' | 'rules' | 'observations'> {
  readonly format: string
  readonly target: Omit<HistoryLine['target'], 'notJudged'>
  /** Names of the rules by status and area. */
  readonly rules: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** Fingerprints by rule, each behind its marks, and `…` at the end if there are more. */
  readonly findings: Readonly<Record<string, readonly string[]>>
  readonly follows: Readonly<Record<string, readonly string[]>>
}

/** Maximum length of a line, in bytes, where the texts of the settings and the rules of the user's own leave room. */
export const longestLine = 3_000
/** Maximum length of a sentence in a line. */
const longestSentence = 140
const rest = '…'

/** Causes, and fingerprints a rule, that a line keeps: the first that fit. A cause has a fingerprint of its own, so it goes last. */
const keeps = [
  ...[Infinity, 32, 16, 8, 4, 2, 1, 0].map((most) => [Infinity, most] as const),
  [8, 8],
  [5, 8],
  [3, 4],
  [2, 2],
  [1, 1],
  [1, 0],
  [0, 0],
] as const

/** A run as a line of the history; what does not fit is left out, and a rule says so. */
export function historyText(line: HistoryLine): string {
  let text = ''
  for (const [causes, fingerprints] of keeps) {
    text = jsonText(storedRun(line, causes, fingerprints))
    if (Buffer.byteLength(text) <= longestLine) break
  }
  return text
}

function storedRun(line: HistoryLine, causes: number, fingerprints: number): StoredRun {
  const { observations: _, rules, target, digest, ...head } = line
  const leftOut = (line.causesLeftOut ?? 0) + Math.max(0, line.causes.length - causes)
  const { notJudged: __, ...known } = target
  const found = rules.filter((rule) => rule.fingerprints.length > 0)
  return {
    format: historyFormat,
    ...(digest === undefined ? {} : { digest }),
    ...head,
    target: known,
    causes: line.causes.slice(0, causes).map((cause) => ({
      ...cause,
      sentence: beginning(cause.sentence, longestSentence),
    })),
    rules: Object.fromEntries([...groupBy(rules, ({ status }) => status)].map(byArea)),
    findings: Object.fromEntries(found.map((rule) => [rule.id, storedFindings(rule, fingerprints)])),
    ...(leftOut === 0 ? {} : { causesLeftOut: leftOut }),
    follows: Object.fromEntries(
      rules.flatMap(({ id, follows }) => (follows === undefined ? [] : [[id, follows]])),
    ),
  }
}

function byArea([status, rules]: readonly [string, readonly HistoryRule[]]) {
  const areas = [...groupBy(rules, ({ id }) => id.slice(0, id.indexOf('/')))]
  const names = areas.map(([area, members]) => [area, members.map(({ id }) => id.slice(area.length + 1))])
  return [status, Object.fromEntries(names)] as const
}

/** What is said of a finding before its fingerprint. */
const marks = { intermittent: '~', unconfirmed: '?', underConditions: '+', waived: '!' } as const

function storedFindings(rule: HistoryRule, most: number): readonly string[] {
  const marked = (some: readonly string[], shown: string): string => {
    const met = memberNames(marks).filter((name) => some.some((one) => rule[name]?.includes(one)))
    return [...met.map((name) => marks[name]), shown].join('')
  }
  const sorted = rule.fingerprints.toSorted()
  const others = sorted.slice(most)
  const stored = sorted.slice(0, most).map((one) => marked([one], one))
  return others.length === 0 ? stored : [...stored, marked(others, rest)]
}

/** Parses a line of the history; null if a crash, a hand or another version left something else. */
export function parsedLine(text: string): HistoryLine | null {
  const value = jsonValue(text)
  return isStoredRun(value) && exitCodes[value.verdict].includes(value.exitCode) ? lineOf(value) : null
}

const exitCodes: Readonly<Record<VerdictWord, readonly ExitCode[]>> = {
  conformant: [0],
  nonconformant: [1],
  incomplete: [3],
  error: [2, 4],
}

/** Name of another format of the history that a line is of, or null. */
export function unreadFormat(text: string): string | null {
  const name = /^\{"format":"([^"]+)"/.exec(text)?.[1] ?? ''
  return name.startsWith(formatName) && name !== historyFormat ? name : null
}

function lineOf(stored: StoredRun): HistoryLine {
  const { format: _, findings, follows, rules, target, ...head } = stored
  const all = statuses.flatMap((status) =>
    Object.entries(rules[status] ?? {}).flatMap(([area, names]) =>
      names.map((name): HistoryRule => {
        const id = `${area}/${name}`
        return {
          id,
          status,
          ...foundOf(findings[id] ?? []),
          ...(id in follows ? { follows: follows[id] ?? [] } : {}),
        }
      }),
    ),
  )
  return {
    ...head,
    target: { ...target, notJudged: [] },
    rules: all.toSorted((a, b) => placeOfRule(a.id) - placeOfRule(b.id)),
  }
}

function foundOf(stored: readonly string[]): Omit<HistoryRule, 'id' | 'status' | 'follows'> {
  const all = stored.map((one) => {
    const [, own = '', name = ''] = /^([~?+!]*)(.*)$/s.exec(one) ?? []
    return { own, name }
  })
  const kept = all.filter(({ name }) => name !== rest)
  const others = all.find(({ name }) => name === rest)
  const marked = (mark: string): readonly string[] =>
    kept.filter(({ own }) => own.includes(mark)).map(({ name }) => name)
  const optional = (['waived', 'unconfirmed', 'underConditions'] as const).flatMap((name) => {
    const own = marked(marks[name])
    return own.length === 0 ? [] : [[name, own] as const]
  })
  return {
    fingerprints: kept.map(({ name }) => name),
    intermittent: marked(marks.intermittent),
    ...Object.fromEntries(optional),
    ...(others === undefined ? {} : { rest: restOf(others.own, kept.at(-1)?.name) }),
  }
}

function restOf(own: string, upTo = ''): HistoryRest {
  return {
    upTo,
    intermittent: own.includes(marks.intermittent) || own.includes(marks.unconfirmed),
    underConditions: own.includes(marks.underConditions),
  }
}

type Guard = (value: unknown) => boolean

const isText: Guard = (value) => typeof value === 'string'
const isNumber: Guard = (value) => typeof value === 'number'
const isFlag: Guard = (value) => typeof value === 'boolean'
const texts = listOf(isText)

/** What readers of the history rely on; later versions may add anything else. */
const fits = shapeOf({
  format: (value) => value === historyFormat,
  digest: orAbsent(isText),
  suite: shapeOf({ version: isText }),
  target: shapeOf({
    baseUrl: orNull(isText),
    embedded: isFlag,
    version: isText,
    label: orNull(isText),
    build: orNull(isText),
    endpoints: texts,
  }),
  profile: (value) => Object.keys(profiles).some((name) => name === value),
  strict: isFlag,
  seed: isNumber,
  fuzzCases: isNumber,
  selection: shapeOf({ only: orNull(texts), essential: orAbsent(isFlag) }),
  startedAt: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  durationMs: isNumber,
  verdict: (value) => ['conformant', 'nonconformant', 'incomplete', 'error'].some((word) => word === value),
  exitCode: (value) => [0, 1, 2, 3, 4].some((code) => code === value),
  latencyMs: orNull(shapeOf({ p50: isNumber, p95: isNumber, p99: isNumber, max: isNumber })),
  requests: shapeOf({ sent: isNumber, budget: isNumber }),
  exceptions: orAbsent(isNumber),
  causesLeftOut: orAbsent(isNumber),
  causes: listOf(
    shapeOf({
      severity: (value) => severities.some((severity) => severity === value),
      warning: isFlag,
      sentence: isText,
      rule: isText,
      fingerprint: isText,
    }),
  ),
  rules: (value) =>
    isObject(value) &&
    Object.keys(value).every((name) => statuses.some((status) => status === name)) &&
    mapOf(mapOf(texts))(value),
  findings: mapOf(texts),
  follows: mapOf(texts),
})

function isStoredRun(value: unknown): value is StoredRun {
  return fits(value)
}

function shapeOf(guards: Readonly<Record<string, Guard>>): Guard {
  const entries = Object.entries(guards)
  return (value) => isObject(value) && entries.every(([name, guard]) => guard(value[name]))
}

function mapOf(guard: Guard): Guard {
  return (value) => isObject(value) && Object.values(value).every(guard)
}

function listOf(guard: Guard): Guard {
  return (value) => Array.isArray(value) && value.every(guard)
}

function orNull(guard: Guard): Guard {
  return (value) => value === null || guard(value)
}

function orAbsent(guard: Guard): Guard {
  return (value) => value === undefined || guard(value)
}
