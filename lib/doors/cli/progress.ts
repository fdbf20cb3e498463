import type { RunEvent } from '../../run/events.ts'
import type { PlannedRule, PlanningEvent } from '../../run/plan/plan.ts'
import { areaOf } from '../../specification/rules.ts'
import { grouped, plural } from '../../text/counts.ts'
import type { Console } from './console.ts'

/** Minimum interval between changes of the terminal line, in milliseconds. */
const rewrittenEveryMs = 250
const second = 1_000
const minute = 60 * second

const [carriageReturn, eraseToEnd] = ['\r', '\u001B[K']

/** Shows progress on standard error, as one rewritten line on a terminal, or as plain lines in a log, less and less often. */
export class ProgressDisplay {
  readonly #console: Console
  readonly #startedAt = performance.now()
  #shown = ''
  #text = (): string => ''
  #timer: NodeJS.Timeout | undefined
  /** Times of the next change and of the next plain line, in milliseconds from the start. */
  #nextChange = rewrittenEveryMs
  #nextLine = nextAfter(0)

  constructor(console: Console) {
    this.#console = console
  }

  /** A console that removes the line before other output. */
  get console(): Console {
    const err = (text: string): void => {
      this.#rewrite('')
      this.#console.err(text)
    }
    return { ...this.#console, err }
  }

  /** Shows the current progress from now on. Work that blocks timers may call this as often as it likes. */
  note(text: () => string): void {
    this.#text = text
    this.#timer ??= setInterval(() => this.#change(), rewrittenEveryMs).unref()
    this.#change()
  }

  /** Shows the progress of a plan or a run from its events, unless told to be quiet. */
  follow(quiet: boolean): (event: RunEvent) => void {
    const sofar = new RunProgress()
    return (event) => {
      sofar.note(event)
      if (!quiet) this.note(() => sofar.text)
    }
  }

  /** Stops showing progress and removes the line. */
  end(): void {
    clearInterval(this.#timer)
    this.#rewrite('')
  }

  #change(): void {
    const elapsedMs = performance.now() - this.#startedAt
    if (elapsedMs < this.#nextChange) return
    this.#nextChange = elapsedMs + rewrittenEveryMs
    const { terminal } = this.#console
    const text = this.#text()
    if (terminal !== null) return this.#rewrite(text.slice(0, Math.max(0, terminal.columns() - 1)))
    if (elapsedMs < this.#nextLine) return
    this.#nextLine = nextAfter(elapsedMs)
    this.#console.err(`[${clock(elapsedMs)}] ${text}\n`)
  }

  #rewrite(text: string): void {
    if (text === this.#shown) return
    this.#shown = text
    this.#console.err(`${carriageReturn}${text}${eraseToEnd}`)
  }
}

/** Time of the next plain line. Lines are ten seconds apart at first and a minute apart later, so that long logs stay readable. */
function nextAfter(elapsedMs: number): number {
  const every = elapsedMs < minute ? 10 * second : elapsedMs < 10 * minute ? 30 * second : minute
  return (Math.floor(elapsedMs / every) + 1) * every
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / second)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** The progress of a plan or a run, derived from its events. */
export class RunProgress {
  #planning: PlanningEvent | null = null
  #plan: readonly Pick<PlannedRule, 'id' | 'cases'>[] = []
  #budget = 0
  #area = 'beginning'
  #sent = 0
  readonly #done: Record<string, number> = {}

  note(event: RunEvent): void {
    this.#planning = event.kind === 'planning' ? event : null
    if (event.kind === 'planned') [this.#plan, this.#budget] = [event.rules, event.budget]
    else if (event.kind === 'rule-started') this.#area = areaOf(event.rule)
    else if (event.kind === 'case-done') this.#done[event.rule] = (this.#done[event.rule] ?? 0) + 1
    else if (event.kind === 'request-done') this.#sent = event.sent
    // The cases of a settled rule count as done even if they were not sent.
    else if (event.kind === 'rule-settled') this.#done[event.result.id] = Infinity
  }

  /** `planning: 12 of 40 rules`, then `fuzz: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests`. */
  get text(): string {
    if (this.#planning !== null)
      return `planning: ${grouped(this.#planning.done)} of ${plural(this.#planning.of, 'rule')}`
    const sum = (of: (rule: Pick<PlannedRule, 'id' | 'cases'>) => number): string =>
      grouped(this.#plan.reduce((total, rule) => total + of(rule), 0))
    const done = sum(({ id, cases }) => Math.min(cases, this.#done[id] ?? 0))
    const requests = `${grouped(this.#sent)} of at most ${grouped(this.#budget)} requests`
    return `${this.#area}: ${done} of ${sum(({ cases }) => cases)} cases, ${requests}`
  }
}
