import type { OwnRuleError } from '../../run/plan/errors.ts'
import { lateOwnError } from '../../run/plan/own-rules.ts'

/** Instructions for the program's entry point (`bin/card-switch-conformance.mjs`) in case the process ends before the command. */
export interface Ending {
  /**
   * Folder with an earlier verdict that could be mistaken for this run's; null if there is none. While undefined, the entry point uses the
   * command line and the environment.
   */
  folder?: string | null
  /** Locked folder whose earlier reports have been moved away. */
  aside?: string
  /** Inode of the provisional verdict; once it is set, this run owns the folder. */
  begun?: number
  /** Returns the text to print for an uncaught error described by `text`; null if the command reports it and continues. */
  uncaught?: (error: unknown, text: string) => string | null
  /** Moves the earlier verdict away immediately, before a signal ends the process. */
  readonly setAside?: () => void
}

/** How a command reports uncaught errors. */
interface Telling {
  readonly redact: (text: string) => string
  /** Ends the run, which then reports the error; absent if nothing is judged. */
  readonly end?: (error: OwnRuleError) => void
}

/** Reports uncaught errors without credentials, and names the user's rule or file that threw them. */
export function tellUncaught(ending: Ending, { redact, end }: Telling): void {
  ending.uncaught = (error, text) => {
    const own = lateOwnError(error, redact)
    if (own === null) return redact(text)
    if (end === undefined) return own.message
    end(own)
    return null
  }
}
