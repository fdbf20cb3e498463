import type { Answer, Code } from '../../../lib/serve/reference/answer.ts'
import { onAnswer, type Change } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** A change of errors under one condition. */
interface Slip {
  readonly under: (call: Call) => boolean
  /** The affected errors. Default: all. */
  readonly hits?: readonly Code[]
  readonly change: Change
}

/** A fault that shows only if a flaw meets a condition that must not matter. */
export function slip(name: string, about: string, { under, hits, change }: Slip): Fault {
  const isHit = ({ refusal }: Answer): boolean =>
    refusal !== null && (hits === undefined || hits.includes(refusal))
  return {
    name,
    about,
    rules: ['fuzz/combined-flaws'],
    bend: () => onAnswer((answer, call) => isHit(answer) && under(call), change),
  }
}

/** A fault that violates only HTTP, or that frameworks are known for, so a gate only warns. */
export function warnedInGate(fault: Fault): Fault {
  return { ...fault, implied: true }
}

/** The codes that a slip affects. */
export const codesOf = {
  absentHeaders: ['1001', '1002', '1003'],
  wrongCredentials: ['1006', '1007'],
  credentials: ['1001', '1002', '1006', '1007'],
  versions: ['1003', '1010'],
  refusedClients: ['1011', '1012', '1013'],
} as const satisfies Readonly<Record<string, readonly Code[]>>

/** Whether a header is sent, with this value if one is given. */
export function sends(name: string, value?: string): Slip['under'] {
  return (call) => (value === undefined ? field(call, name) !== undefined : field(call, name) === value)
}

/** An error in a notation other than JSON. */
export function notation(contentType: string, write: (payload: Answer['payload']) => string): Change {
  return ({ payload }) => ({ contentType, text: write(payload) })
}

/** An error as XML. */
export const asXml = notation(
  'application/xml',
  (payload) => `<error><error_code>${String(payload['error_code'])}</error_code></error>`,
)
