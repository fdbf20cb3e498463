import type { ReferenceOptions, ReferenceService } from '../../lib/serve/reference/service.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'
import { settingsFor, type Texts } from '../../tests/support/program.ts'
import type { Expectation, Service, Started } from '../judge/service.ts'
import { startService } from '../service/start.ts'

/**
 * Texts of which the verdict must contain each, so that users know the reason; how the target starts; the rules of
 * which at least one is violated, if any; and additional expectations.
 */
type Row = readonly [
  says: string | readonly [string, ...string[]],
  start: Service['start'],
  rules?: readonly SpecRuleId[],
  also?: Pick<Expectation, 'requests'>,
]

/** Targets that cannot be judged, unless they violate a rule, by name in kebab case. */
export function targets(rows: Readonly<Record<string, Row>>): readonly Service[] {
  return Object.entries(rows).map(([name, [says, start, by = [], also]]) => ({
    of: 'targets',
    name,
    expects: { exit: by.length > 0 ? 1 : 3, by, says: [says].flat(), inPart: true, ...also },
    profiles: ['gate', 'acceptance'],
    over: 'process',
    start,
  }))
}

/** A target that violates these rules, the first of which the verdict names. */
export const violating = (start: Service['start'], ...rules: readonly SpecRuleId[]): Row => {
  return [`${rules[0]} is violated: `, start, rules]
}

/** A target that serves whom it must, and harms everybody else. */
export const harming = (says: string, start: Service['start']): Row => {
  return [says, start, ['authentication/api-key-missing']]
}

/** The expected result for a target that is easily misread. */
type Comes = Pick<Expectation, 'exit' | 'by' | 'mayBeIncomplete' | 'requests'> & {
  readonly says?: string | readonly string[]
  readonly profile?: 'gate' | 'acceptance'
}

type Misread = readonly [start: Service['start'], comes: Comes]

/**
 * Services that are easily blamed or missed, by name: how each starts, and what comes. If it must not be blamed,
 * only the named rules may warn.
 */
export function easilyMisread(rows: Readonly<Record<string, Misread>>): readonly Service[] {
  return Object.entries(rows).map(([name, [start, { says = [], profile = 'gate', ...comes }]]) => ({
    of: 'targets',
    name,
    expects: { ...comes, says: [says].flat(), inPart: true, ...(comes.exit === 0 ? { only: true } : {}) },
    profiles: [profile],
    over: 'program',
    start,
  }))
}

/** For targets that keep a run waiting: enough time for any server that answers at all on a busy machine. */
export const impatient = { RUN_TIMEOUT_MS: '500' }
/** What a run says if it waited in vain. */
export const neverBegins = 'no answer came within 500 ms (RUN_TIMEOUT_MS)'

/** For targets that answer everything: more requests would not reveal anything new. */
export const few = { RUN_MAX_REQUESTS: '200' }

/** For targets whose every answer is expensive: even fewer requests. */
export const veryFew = { RUN_MAX_REQUESTS: '60' }

const absentOrInvalid = 'authentication/*-missing,authentication/*-invalid'
/** For targets with costly retries or delays at every refusal: a few rules are enough. */
export const aPart = { RUN_ONLY: `${absentOrInvalid},versioning/version-missing,versioning/unknown-endpoint` }

/** Whether it answered a request instead of the service. */
export type Intervene = (...given: [...Parameters<Usual>, ReferenceService]) => ReturnType<Usual>
type Usual = NonNullable<ReferenceOptions['intervene']>

type Changes = Omit<ReferenceOptions, 'intervene'> & Readonly<{ intervene?: Intervene }>

/** Settings of a run in addition to those with every fixture, or what becomes of these. */
type Settings = Texts | ((env: Texts) => Texts)

/** A target that is the reference service, changed in this way. */
export async function onReference(changes: Changes = {}, settings: Settings = {}): Promise<Started> {
  const { intervene = () => false, ...options } = changes
  const ours: Usual = (request, response) => intervene(request, response, service)
  const service: ReferenceService = await startService({ ...options, intervene: ours })
  const env = settingsFor(service)
  const given = typeof settings === 'function' ? settings(env) : { ...env, ...settings }
  return { env: given, close: () => service.close() }
}

/** The reference service, of which a run has these settings. */
export const withEnv = (settings: Settings): Service['start'] => intervening(() => false, settings)

/** Settings without those whose names begin so. */
export const lacking = (env: Texts, prefix: string): Texts =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(prefix)))

/** The reference service, some of whose requests are answered otherwise. */
export function intervening(intervene: Intervene, settings: Settings = {}): () => Promise<Started> {
  return () => onReference({ intervene }, settings)
}
