import type { Exchange } from '../../http/exchange.ts'
import { isSuccessStatus } from '../../judge/answered.ts'
import { succeeds, type Breach } from '../../judge/judge.ts'
import { blamesClient } from '../../specification/answers.ts'
import { BudgetSpent, ClientLockedOut } from '../plan/errors.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { Accuser } from './accuser.ts'
import { askPlain, plainContext, type Ask } from './ask.ts'
import type { Guesses } from './guesses.ts'
import type { Lockouts } from './lockouts.ts'

interface SingleRefusalParts {
  readonly run: RunLifecycle
  readonly ask: Pick<Ask, 'alone'>
  readonly lockouts: Pick<Lockouts, 'isServedAlone' | 'isServedAfterPauses'>
  readonly guesses: Pick<Guesses, 'leaveOut'>
  readonly accuser: Pick<Accuser, 'accuse'>
  readonly plain: TestRequest
  /** The plain request with a wrong secret. */
  readonly wrong: TestRequest
}

/** Times that a valid request must be refused after a single wrong secret, each after it was served again. */
const timesToBlame = 3
const context: Context = { rule: plainContext.rule, case: 'after-one-wrong-secret', replayable: false }
const options = { rule: context.rule, purpose: 'health-check' } as const

/**
 * Measures whether one wrong secret, with nothing else sent, has the valid pair refused for a flaw that it has not; later lockouts may
 * count others, too. Sent before all cases. Records the breach; throws what ends the run if the client is not served again.
 */
export async function measureSingleRefusal(parts: SingleRefusalParts): Promise<void> {
  try {
    await measure(parts)
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error
  }
}

async function measure(parts: SingleRefusalParts): Promise<void> {
  const { run, guesses, accuser, lockouts, plain: request } = parts
  for (let time = 1; ; time += 1) {
    const exchange = await refusedAfterOne(parts)
    if (exchange === null) return
    const isServedAgain = (await lockouts.isServedAlone()) || (await lockouts.isServedAfterPauses())
    if (!isServedAgain) throw run.end(new ClientLockedOut(lasting))
    if (time < timesToBlame) continue
    guesses.leaveOut()
    const breach = breachOf(exchange)
    const reproduced = { seen: timesToBlame, of: timesToBlame }
    if (breach !== null)
      await accuser.accuse({ request, exchange, context, breach }, { kind: 'known', reproduced })
    return
  }
}

/** The answer to a valid request right after a wrong secret, if it blames the client. */
async function refusedAfterOne({ ask, wrong, plain }: SingleRefusalParts): Promise<Exchange | null> {
  const guess = await askPlain(ask.alone, wrong, options)
  if (guess.kind !== 'answered') return null
  const control = await askPlain(ask.alone, plain)
  if (control.kind !== 'answered') return null
  const { status, errorCode } = control.answered
  return !isSuccessStatus(status) && blamesClient(errorCode) ? control.exchange : null
}

const lasting =
  'after a single wrong secret a plain valid request is refused for longer than the run waits: the client may have been locked out'

function breachOf(exchange: Exchange): Breach | null {
  const judgement = succeeds().judge(exchange)
  if (judgement.kind !== 'violates') return null
  const { breach } = judgement
  return {
    ...breach,
    difference: 'refused after a single wrong secret',
    summary: `${breach.summary}, right after one wrong secret, ${timesToBlame} times, each after the client was served again: the valid secret is not invalid, and one wrong one is no series of guesses`,
  }
}
