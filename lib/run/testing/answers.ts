import { TransportError } from '../../http/transport-error.ts'
import { answers, type Check, holds } from '../../judge/judge.ts'
import { answer, refused } from '../../judge/testing/exchanges.ts'
import type { Meets } from './in-memory.ts'

/** The documented answer to a request without an API key. */
export const right = refused(400, '1001')
/** A wrong answer to it. */
export const wrong = refused(401, '1006')
/** An answer that breaks every rule for errors. */
export const failure = answer(500, {})
/** The answer to a client that is locked out as if its secret were wrong. */
export const locked = refused(401, '1007')
/** A lockout that is over after a pause. */
export const lockedOnce: readonly Meets[] = [locked, locked, null]
/** A used-up quota. */
export const quota = refused(429, '1020')
export const timeout = new TransportError('timeout', 'no answer')

/** The documented answer to a request without an API key. */
export const missing = answers({ status: 400, errorCode: '1001' })
/** The documented answer to a wrong secret. */
export const invalidSecret = answers({ status: 401, errorCode: '1007' })
export const anything: Check = { allowed: [], judge: () => holds }
export const unclear: Check = { allowed: [], judge: () => ({ kind: 'unclear', because: 'nobody knows' }) }
