import type { Exchange } from '../http/exchange.ts'
import { answeredBy, isSuccess } from '../judge/answered.ts'
import type { Context, TestRequest } from './test-request.ts'
import { looksLockedOut } from './controls.ts'
import { AttemptsFailed } from './deliver.ts'
import type { Reproduced } from './findings.ts'
import { ClientLockedOut, Inconclusive } from './inconclusive.ts'

/** What repeating a stimulus came to: how often the breach was seen, and whether the control between was served. */
export interface Confirmation extends Reproduced {
  readonly served: boolean
}

/** What confirming needs of the session. */
export interface ConfirmationsOptions {
  /** Sends once more, with nothing else in flight. */
  readonly sendAlone: (stimulus: TestRequest, context: Context) => Promise<Exchange>
  readonly sendControl: (context: Context) => Promise<Exchange>
  /** Whether the client was locked out, and is served again; ends the run, by throwing, where it stays locked out. */
  readonly checkLockout: () => Promise<boolean>
  /** Whether nothing is repeated: where a case is sent again anyway. */
  readonly isOff: boolean
}

interface Repeats {
  readonly exchanges: readonly Exchange[]
  readonly served: boolean
}

/** Sends what was answered wrongly twice more, alone, with a control between: once, however many rules ask. */
export class Confirmations {
  readonly #options: ConfirmationsOptions
  readonly #repeats = new WeakMap<TestRequest, Promise<Repeats>>()

  constructor(options: ConfirmationsOptions) {
    this.#options = options
  }

  /** How often the breach is seen, the first time included. */
  async confirm(
    stimulus: TestRequest,
    context: Context,
    violates: (exchange: Exchange) => boolean,
  ): Promise<Confirmation> {
    if (this.#options.isOff) return { seen: 1, of: 1, served: true }
    const repeats = this.#repeats.get(stimulus) ?? this.#repeat(stimulus, context)
    this.#repeats.set(stimulus, repeats)

    const { exchanges, served } = await repeats
    return { seen: 1 + exchanges.filter(violates).length, of: 1 + exchanges.length, served }
  }

  async #repeat(stimulus: TestRequest, { rule, case: name }: Context): Promise<Repeats> {
    const onAnyConnection: Context = { rule, case: name }
    let exchanges: readonly Exchange[] = []
    let served = true
    try {
      for (;;) {
        const first = await this.#options.sendAlone(stimulus, onAnyConnection)
        exchanges = [first]
        const control = await this.#control(onAnyConnection)
        // What was seen while the client was locked out says nothing.
        if (control === 'locked out') continue
        served = control === 'served'
        exchanges = [first, await this.#options.sendAlone(stimulus, onAnyConnection)]
        break
      }
    } catch (error) {
      // What could not be repeated is said in "1 of 1"; the breach itself was seen.
      if (!(error instanceof Inconclusive) || error instanceof ClientLockedOut) throw error
    }
    return { exchanges, served }
  }

  /** A control in trouble is not served; one that the budget did not let out says nothing. */
  async #control(context: Context): Promise<'served' | 'not served' | 'locked out'> {
    try {
      const answered = answeredBy((await this.#options.sendControl(context)).response)
      if (looksLockedOut(answered) && (await this.#options.checkLockout())) return 'locked out'
      return isSuccess(answered) ? 'served' : 'not served'
    } catch (error) {
      if (error instanceof AttemptsFailed) return 'not served'
      throw error
    }
  }

  /** Lets go of what was repeated for a stimulus: its answers may be large. */
  forget(stimulus: TestRequest): void {
    this.#repeats.delete(stimulus)
  }
}
