import { inject } from 'vitest'
import { userAgent } from '../session/plain-request.ts'
import type { Case } from '../session/cases.ts'
import type { Session } from '../session/session.ts'
import { SharedRequests } from '../session/shared-requests.ts'
import type { Allotment } from '../session/budget.ts'
import { unsealSettings, type SealedSettings } from '../settings/seal-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { openChannel } from './channel.ts'
import type { RuleId } from '../spec/rules.ts'
import { suiteContext, type SuiteContext, type Told } from './suite-context.ts'

/** What the main process hands to the worker; plain data. */
export interface ProvidedRun extends Told {
  readonly settings: SealedSettings
  /** The name of the channel that carries the run's record out, or null where nobody listens. */
  readonly channel: string | null
  readonly version: string
  /** The day of the run, for waivers: `2026-11-20` (UTC). */
  readonly today: string
}

declare module 'vitest' {
  interface ProvidedContext {
    run: ProvidedRun
    allotment: Allotment
    /** The requests that rules will ask for: {@link SharedRequests}. */
    asked: readonly string[]
  }
}

/** The one run of a worker: suites, which share it, are loaded one after the other into the same worker. */
export interface RunOfWorker {
  readonly settings: Settings
  readonly context: SuiteContext
  readonly today: string
  /** The cases of a rule, of which those that another rule sends already cost nothing. */
  readonly sharing: (rule: RuleId, cases: readonly Case[]) => readonly Case[]
  /** Opened by the first rule that sends; none is opened while suites are only collected. */
  readonly session: () => Promise<Session>
  /** Nothing more is sent. */
  readonly cancel: (reason: unknown) => void
}

let known: RunOfWorker | null = null

/** The run of this worker, made at the first call. */
export function runOfWorker(): RunOfWorker {
  known ??= makeRun()
  return known
}

function makeRun(): RunOfWorker {
  const provided = inject('run')
  const settings = unsealSettings(provided.settings)
  const agent = userAgent(provided.version)
  const cancelled = new AbortController()
  let session: Promise<Session> | null = null
  const shared = new SharedRequests(inject('asked'))

  return {
    sharing: (rule, cases) => cases.map((one) => shared.planned(rule, one)),
    settings,
    context: suiteContext(settings, agent, provided),
    today: provided.today,
    session: () => {
      session ??= open(settings, { agent, cancelled, shared }, provided)
      return session
    },
    cancel: (reason) => cancelled.abort(reason),
  }
}

/** HTTP is loaded here, and not while suites are only collected: it takes longer than all of them. */
async function open(
  settings: Settings,
  {
    agent,
    cancelled,
    shared,
  }: { readonly agent: string; readonly cancelled: AbortController; readonly shared: SharedRequests },
  { channel: channelName, replayed }: ProvidedRun,
): Promise<Session> {
  const { openSession } = await import('../session/open-session.ts')
  const channel = openChannel(channelName, {
    session: () => session,
    cancel: () => cancelled.abort(new Error('the run was cancelled')),
  })
  const session = openSession({
    settings,
    allotment: inject('allotment'),
    userAgent: agent,
    signal: cancelled.signal,
    changed: channel.changed,
    shared,
    replaying: replayed !== null,
  })
  return session
}
