import type { OnEvent, PlannedRule, RunEvent } from '../../run/plan/plan.ts'
import { areaOf } from '../../specification/rules.ts'
import { duration, grouped, plural } from '../../text/printable.ts'
import type { Console } from './console.ts'

/** Minimum interval between changes of the terminal line, in milliseconds. */
const rewrittenEveryMs = 250
const minute = 60_000

/** Shows progress on standard error, as one rewritten line on a terminal, or as plain lines in a log, less and less often. */
export class ProgressDisplay {
  /** A console that removes the line before other output. */
  readonly console: Console
  readonly #write: Console['err']
  readonly #startedAt = performance.now()
  #shown = ''
  #text = () => ''
  #timer: NodeJS.Timeout | undefined
  /** Times of the next change and of the next plain line, in milliseconds from the start. */
  #nextChange = rewrittenEveryMs
  #nextLine = nextAfter(0)

  constructor(console: Console) {
    this.#write = console.err
    const err = (text: string) => {
      this.#rewrite('')
      console.err(text)
    }
    this.console = { ...console, err }
  }

  /** Shows the current progress from now on. Work that blocks timers may call this as often as it likes. */
  note(text: () => string): void {
    this.#text = text
    this.#timer ??= setInterval(() => this.#change(), rewrittenEveryMs).unref()
    this.#change()
  }

  /** Shows the progress of a plan or a run from its events until it ends, unless told to be quiet. */
  async during<Result>(
    quiet: boolean,
    work: (onEvent: OnEvent) => Result | Promise<Result>,
  ): Promise<Result> {
    const textAfter = runProgress()
    try {
      return await work(quiet ? () => {} : (event) => this.note(textAfter(event)))
    } finally {
      this.end()
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
    const { terminal } = this.console
    const text = this.#text()
    if (terminal !== null) return this.#rewrite(text.slice(0, Math.max(0, terminal.columns() - 1)))
    if (elapsedMs < this.#nextLine) return
    this.#nextLine = nextAfter(elapsedMs)
    this.#write(`[${duration(Math.round(elapsedMs))}] ${text}\n`)
  }

  #rewrite(text: string): void {
    if (text === this.#shown) return
    this.#shown = text
    this.#write(`\r${text}\u001B[K`)
  }
}

/** Time of the next plain line. Lines are ten seconds apart at first and a minute apart later, so that long logs stay readable. */
function nextAfter(elapsedMs: number) {
  const every = elapsedMs < minute ? 10_000 : minute
  return (Math.floor(elapsedMs / every) + 1) * every
}

/**
 * The progress of a plan or a run, derived from its events: `planning: 12 of 40 rules`, then `fuzz: 1,204 of 8,410 cases, 2,310 of at most
 * 10,000 requests`.
 */
export function runProgress(): (event: RunEvent) => () => string {
  let plan: Pick<Extract<RunEvent, { kind: 'planned' }>, 'rules' | 'budget'> = { rules: [], budget: 0 }
  let area = 'beginning'
  let sent = 0
  const done: Record<string, number> = {}

  const text = () => {
    const sum = (of: (rule: PlannedRule) => number) =>
      grouped(plan.rules.reduce((total, rule) => total + of(rule), 0))
    const ended = sum(({ id, cases }) => Math.min(cases, done[id] ?? 0))
    const requests = `${grouped(sent)} of at most ${grouped(plan.budget)} requests`
    return `${area}: ${ended} of ${sum(({ cases }) => cases)} cases, ${requests}`
  }
  return (event) => {
    if (event.kind === 'planning')
      return () => `planning: ${grouped(event.done)} of ${plural(event.of, 'rule')}`
    if (event.kind === 'planned') plan = event
    else if (event.kind === 'rule-started') area = areaOf(event.rule)
    else if (event.kind === 'case-done') done[event.rule] = (done[event.rule] ?? 0) + 1
    else if (event.kind === 'request-done') sent = event.sent
    // The cases of a settled rule count as done even if they were not sent.
    else if (event.kind === 'rule-settled') done[event.result.id] = Infinity
    return text
  }
}
