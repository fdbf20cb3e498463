import type { OwnRuleError } from '../../engine/plan/errors.ts'
import { lateOwnError } from '../../engine/plan/own-rules.ts'

/** What the command says to the program's entry (`bin/card-switch-conformance.mjs`), in case the process ends before the command does. */
export interface Ending {
  /**
   * Folder whose verdict would pass for that of this run, if the run ended now; null if there is none such. Until it is known, the entry
   * goes by the command line and the environment.
   */
  folder?: string | null
  /** Locked folder in which the reports of an earlier run are out of the way. */
  aside?: string
  /** Inode of the verdict that says that this run did not finish; from then on the run has the folder to itself. */
  begun?: number
  /** Text for an error that nobody caught, of which `text` tells; null if the command tells of it, and goes on to its end. */
  uncaught?: (error: unknown, text: string) => string | null
  /** Moves the earlier verdict away at once, for an end by a signal. */
  readonly setAside?: () => void
}

/** How a command tells of errors that nobody caught. */
interface Telling {
  readonly redact: (text: string) => string
  /** Ends the run, which tells of the error; absent where nothing is judged. */
  readonly end?: (error: OwnRuleError) => void
}

/** Tells of errors that nobody caught without credentials, and with the rule or file of the user's own that threw them. */
export function tellUncaught(ending: Ending, { redact, end }: Telling): void {
  ending.uncaught = (error, text) => {
    const own = lateOwnError(error, redact)
    if (own === null) return redact(text)
    if (end === undefined) return own.message
    end(own)
    return null
  }
}
