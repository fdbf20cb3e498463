import type { PlannedRule } from '../../engine/plan/allot.ts'
import type { PlanningEvent } from '../../engine/plan/plan.ts'
import type { RunEvent } from '../../engine/run/events.ts'
import { grouped, plural } from '../../text/counts.ts'
import { areaOf } from '../../specification/rules.ts'
import type { Console } from './console.ts'

/** Progress of a run. */
export interface Progress {
  /** Area of the rule started last, or null. */
  readonly area: string | null
  readonly cases: { readonly done: number; readonly planned: number }
  readonly requests: { readonly sent: number; readonly budget: number }
}

/** Minimum interval between changes of the terminal's line, in milliseconds. */
const rewrittenEveryMs = 250
const second = 1_000
const minute = 60 * second

const [carriageReturn, eraseToEnd] = ['\r', '\u001B[K']

/** Shows progress on standard error: a rewritten line on a terminal; in a log, plain lines, less and less often. */
export class ProgressDisplay {
  readonly #console: Console
  readonly #startedAt = performance.now()
  #shown = ''
  #timer: NodeJS.Timeout | null = null
  /** When a note is shown again, and a plain line, in milliseconds from the start. */
  #nextNote = rewrittenEveryMs
  #nextLine = nextAfter(0)

  constructor(console: Console) {
    this.#console = console
  }

  /** The same console, which removes the line before other output. */
  get console(): Console {
    return {
      ...this.#console,
      err: (text) => {
        this.#clear()
        this.#console.err(text)
      },
    }
  }

  watch(progress: () => Progress): void {
    const look = (): void => this.#show(progressText(progress()), performance.now() - this.#startedAt)
    const every = this.#console.terminal === null ? second : rewrittenEveryMs
    this.#timer = setInterval(look, every).unref()
  }

  /** Shows how far a step has come that lets no timer fire; the step itself says so, as often as it likes. */
  note(text: string): void {
    const elapsedMs = performance.now() - this.#startedAt
    if (elapsedMs < this.#nextNote) return
    this.#nextNote = elapsedMs + rewrittenEveryMs
    this.#show(text, elapsedMs)
  }

  /** Stops, and removes the line. */
  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    this.#clear()
  }

  #show(text: string, elapsedMs: number): void {
    const { terminal } = this.#console
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

  #clear(): void {
    if (this.#shown === '') return
    this.#shown = ''
    this.#console.err(`${carriageReturn}${eraseToEnd}`)
  }
}

/** Time of the next plain line: every ten seconds at first, every minute after ten minutes, to keep long logs readable. */
function nextAfter(elapsedMs: number): number {
  const every = elapsedMs < minute ? 10 * second : elapsedMs < 10 * minute ? 30 * second : minute
  return (Math.floor(elapsedMs / every) + 1) * every
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / second)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Progress of a run, from its events. */
export class RunProgress {
  #plan: readonly PlannedRule[] = []
  #budget = 0
  #area: string | null = null
  #sent = 0
  readonly #settled = new Set<string>()
  readonly #cases: Record<string, number> = {}

  note(event: RunEvent): void {
    if (event.kind === 'planned') {
      this.#plan = event.rules
      this.#budget = event.budget
    } else if (event.kind === 'rule-started') this.#area = areaOf(event.rule)
    else if (event.kind === 'case-done') this.#cases[event.rule] = (this.#cases[event.rule] ?? 0) + 1
    else if (event.kind === 'request-done') this.#sent = event.sent
    else if (event.kind === 'rule-settled') this.#settled.add(event.result.id)
  }

  get now(): Progress {
    return {
      area: this.#area,
      cases: casesDone(this.#plan, this.#settled, this.#cases),
      requests: { sent: this.#sent, budget: this.#budget },
    }
  }
}

/** Counts finished cases; those of an ended rule count even if not sent. */
export function casesDone(
  plan: readonly { readonly id: string; readonly cases: number }[],
  ended: ReadonlySet<string>,
  casesEnded: Readonly<Record<string, number>>,
): Progress['cases'] {
  const done = plan.map(({ id, cases }) => (ended.has(id) ? cases : Math.min(cases, casesEnded[id] ?? 0)))
  return { done: sum(done), planned: sum(plan.map(({ cases }) => cases)) }
}

/** `planning: 12 of 40 rules`. */
export function planningText({ done, of }: PlanningEvent): string {
  return `planning: ${grouped(done)} of ${plural(of, 'rule')}`
}

/** `fuzz: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests`. */
export function progressText({ area, cases, requests }: Progress): string {
  const done = `${grouped(cases.done)} of ${grouped(cases.planned)} cases`
  const sent = `${grouped(requests.sent)} of at most ${grouped(requests.budget)} requests`
  return `${area ?? 'beginning'}: ${done}, ${sent}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
