import type { Finding, Reproduced } from '../../judge/record.ts'
import { blamesClient } from '../../specification/answers.ts'
import type { Level, RuleId } from '../../specification/rules.ts'

// What a breach is worth that may have been met while the client was locked out.

/** Whether a breach is one even while a client is locked out: a code that is not documented, or not with its status. */
export function isWrongInLockout(rule: RuleId, { answered }: Pick<Finding, 'answered'>): boolean {
  return rule === 'errors/documented-pairs' && answered !== null && answered.errorCode !== null
}

/** Whether a breach of a rule of this level is the service's: others need no health check. */
export function blamesService(level: Level): boolean {
  return level !== 'expectation' && level !== 'requested'
}

/** Whether a health check succeeded during confirmation: it precedes the third try. Breaches that blame others need none. */
export function hadHealthCheck(level: Level, { of }: Reproduced): boolean {
  return !blamesService(level) || of >= 3
}

/** Whether a breach may come of a lockout so short that it began and ended between two tries. */
export function mayBeShortLockout(
  { answered }: Pick<Finding, 'answered'>,
  { seen, of }: Reproduced,
): boolean {
  return of >= 3 && seen < of && blamesClient(answered?.errorCode)
}
