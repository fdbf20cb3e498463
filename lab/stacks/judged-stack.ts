import { join } from 'node:path'
import {
  judge,
  readSettings,
  type JudgeOptions,
  type Settings,
  type Verdict,
} from '../../lib/doors/library/library.ts'
import { credentialsOf, type StackCredentials } from './credentials.ts'
import type { StackFolder } from './running-stack.ts'
import { stacksFolder } from './stack.ts'

/** Profiles, and `acceptance` with an endpoints file that describes the parameter of the list. */
export const setups = ['gate', 'acceptance', 'nightly', 'described'] as const

/** How a stack is judged. */
export type Setup = (typeof setups)[number]

/** A run to make. */
export interface StackRun {
  readonly stack: string
  /** Null for the stack as it is. */
  readonly fault: string | null
  readonly profile: Setup
}

/** A rule that is not green. */
interface RedRule {
  readonly rule: string
  readonly status: string
  /** What was found, a line each (with a fault, the first), or why it could not be judged. */
  readonly says: readonly string[]
}

/** What a run came to. */
export interface StackOutcome extends StackRun {
  readonly verdict: Verdict['verdict']
  readonly red: readonly RedRule[]
  readonly requests: number
  readonly seconds: number
  /** Gives the same credentials again. */
  readonly seed: string
}

/** Nightly sends 2,000 generated cases a rule, which takes minutes for some of these servers. */
const fuzzCases: Readonly<Partial<Record<Setup, number>>> = { nightly: 400 }

/** The endpoints file of what the contract of the stacks says of `limit`. */
const describedList = join(stacksFolder, 'endpoints.json')

/** Rules that need what no stack has: a baseline. */
const cannotBeJudged = new Set<string>(['tolerance/no-breaking-change'])
/** Rules that an acceptance alone judges. */
const inAcceptance = new Set<string>(['conventions/http-messages'])

/** Starts a stack, judges it with every fixture, with options that may depend on the settings and with further settings, and ends it. */
export async function judgeStack(
  { stack, fault, profile }: StackRun,
  folder: StackFolder,
  seed: string,
  optionsFor: (settings: Settings) => JudgeOptions = () => ({}),
  further: Readonly<Record<string, string>> = {},
): Promise<{ readonly outcome: StackOutcome; readonly verdict: Verdict }> {
  const clients = credentialsOf(seed)
  const running = await folder.start(fault, clients)
  const started = performance.now()
  try {
    const read = await readSettings({
      env: { ...settingsFor(running.baseUrl, profile, clients), ...further },
    })
    if (read.kind === 'issues') throw new Error(read.issues.map(({ expected }) => expected).join('; '))
    const { verdict } = await judge(read.settings, read.suites, optionsFor(read.settings))
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const { sent: requests } = verdict.requests
    const outcome = {
      stack,
      fault,
      profile,
      verdict: verdict.verdict,
      red: redIn(verdict, fault === null ? undefined : 1),
      requests,
      seconds,
    }
    return { outcome: { ...outcome, seed }, verdict }
  } finally {
    await running.close()
  }
}

function settingsFor(
  baseUrl: string,
  profile: Setup,
  { permitted, second, noCustomer, inactive, unauthorized, exhausted }: StackCredentials,
): Readonly<Record<string, string>> {
  const prefixed = {
    TARGET: permitted,
    FIXTURE_SECOND: second,
    FIXTURE_NO_CUSTOMER: noCustomer,
    FIXTURE_INACTIVE: inactive,
    FIXTURE_UNAUTHORIZED: unauthorized,
    FIXTURE_EXHAUSTED: exhausted,
  }
  const cases = fuzzCases[profile]
  return {
    TARGET_BASE_URL: baseUrl,
    FIXTURE_INVALID_QUERY: 'limit=abc',
    ...(profile === 'described'
      ? { RUN_PROFILE: 'acceptance', TARGET_ENDPOINTS: describedList }
      : { RUN_PROFILE: profile }),
    ...(cases === undefined ? {} : { RUN_FUZZ_CASES: String(cases) }),
    ...Object.fromEntries(
      Object.entries(prefixed).flatMap(([prefix, { apiKey, secretKey }]) => [
        [`${prefix}_API_KEY`, apiKey],
        [`${prefix}_SECRET_KEY`, secretKey],
      ]),
    ),
  }
}

function redIn({ rules }: Verdict, most?: number): readonly RedRule[] {
  return rules
    .filter(({ id, status }) => status !== 'passed' && !cannotBeJudged.has(id))
    .filter(({ id, status }) => status !== 'untested' || !inAcceptance.has(id))
    .map(({ id, status, because, findings }) => ({
      rule: id,
      status,
      says: findings.length > 0 ? findings.slice(0, most).map(told) : [because ?? ''],
    }))
}

function told({
  summary,
  case: name,
  count,
  reproduced,
}: Verdict['rules'][number]['findings'][number]): string {
  return `${summary} (${name}; ${count} times, again ${reproduced})`
}

/** The rules that a run says are violated. */
export function failedRules({ red }: Pick<StackOutcome, 'red'>): readonly string[] {
  return red.filter(({ status }) => status === 'failed').map(({ rule }) => rule)
}
