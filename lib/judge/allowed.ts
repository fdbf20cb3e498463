import {
  documentedPairs,
  success,
  type Answer,
  type ErrorCode,
  type Refusal,
} from '../specification/answers.ts'
import { factNames, type Facts } from './facts.ts'

/**
 * Every answer that the specification allows for these facts; never empty. The specification sets no order among flaws, so any
 * of them may answer; nothing succeeds once one flaw is certain. Source: Authentication, Errors, Limits, Versioning.
 */
export function allowed(facts: Facts): readonly Answer[] {
  let set = maySucceed
  for (const fact of factNames) {
    const row = rowOf(fact, facts)
    if (row === null) continue
    set |= row.set
    if (!row.mayHold) set &= ~maySucceed
  }
  return answersIn(set)
}

/** Sets of answers as bits: one for each documented pair, in order, and one for success. */
const maySucceed = 1 << documentedPairs.length

function answersIn(set: number): readonly Answer[] {
  const refusals = documentedPairs
    .filter((_, at) => (set & (1 << at)) !== 0)
    .map(({ status, errorCode }): Refusal => ({ status, errorCode }))
  return (set & maySucceed) === 0 ? refusals : [success, ...refusals]
}

function setOf(codes: readonly ErrorCode[]): number {
  return documentedPairs.reduce(
    (set, { errorCode }, at) => (codes.includes(errorCode) ? set | (1 << at) : set),
    0,
  )
}

/** The documented codes for each certain flaw of a request, with the fact that shows it. */
export function certainFlaws(facts: Facts): readonly {
  readonly fact: keyof Facts
  readonly codes: readonly ErrorCode[]
}[] {
  const flaws: { readonly fact: keyof Facts; readonly codes: readonly ErrorCode[] }[] = []
  for (const fact of factNames) {
    const row = rowOf(fact, facts)
    if (row !== null && !row.mayHold) flaws.push({ fact, codes: row.codes })
  }
  return flaws
}

/** Whether a request has anything that may or may not be a flaw. */
export function hasUncertainFlaw(facts: Facts): boolean {
  return factNames.some((fact) => rowOf(fact, facts)?.mayHold === true)
}

/** The codes that may refuse a flaw, and whether it may be no flaw at all. */
interface Row {
  readonly codes: readonly ErrorCode[]
  readonly set: number
  readonly mayHold: boolean
}

function rowOf(fact: keyof Facts, facts: Facts): Row | null {
  return rowsOf[fact](facts)
}

const rowsOf: Readonly<Record<keyof Facts, (facts: Facts) => Row | null>> = {
  apiKey: ({ apiKey }) => rows.apiKey[apiKey],
  secretKey: secretKeyRow,
  version: ({ version }) => rows.version[version],
  endpoint: ({ endpoint }) => rows.endpoint[endpoint],
  state: ({ state }) => rows.state[state],
  customer: customerRow,
  permission: ({ permission }) => rows.permission[permission],
  quota: ({ quota }) => rows.quota[quota],
  input: ({ input }) => rows.input[input],
}

const allCodes = documentedPairs.map((pair) => pair.errorCode)

const rows: {
  readonly [Fact in Exclude<keyof Facts, 'secretKey' | 'customer'>]: Readonly<Record<Facts[Fact], Row | null>>
} = {
  apiKey: { valid: null, absent: flaw('1001'), blank: flaw('1001', '1006'), invalid: flaw('1006') },
  version: {
    served: null,
    absent: flaw('1003'),
    blank: maybe('1003', '1010', '1030'),
    malformed: flaw('1010', '1030'),
    odd: maybe('1010', '1030'),
    unsupported: flaw('1010'),
    'out-of-range': flaw('1010', '1030'),
    other: maybe('1010', '1030', '1011', '1013'),
  },
  endpoint: { exists: null, unknown: flaw('1010'), uncertain: maybe(...allCodes) },
  state: { active: null, inactive: flaw('1011') },
  permission: { permitted: null, denied: flaw('1013') },
  quota: { left: null, 'used-up': flaw('1020') },
  input: { valid: null, uncertain: maybe('1030'), invalid: flaw('1030') },
}
const unknownPair = flaw('1012')
const unknownHalf = flaw('1006', '1007', '1012')
const blankSecret = flaw('1002', '1007')
const blankHalf = flaw('1002', '1007', '1012')
const absentSecret = flaw('1002')
const wrongSecret = flaw('1007')
const wrongHalf = flaw('1007', '1012')

/** Credentials without a customer may be entirely unknown; with another flaw of theirs, that may be reported. */
function customerRow({ apiKey, secretKey, customer }: Facts): Row | null {
  if (customer === 'found') return null
  return apiKey === 'valid' && secretKey === 'valid' ? unknownPair : unknownHalf
}

/** A service that looks up the pair at once may answer 1012 if it knows neither half. */
function secretKeyRow({ apiKey, secretKey }: Facts): Row | null {
  const keyIsWrong = apiKey === 'invalid' || apiKey === 'blank'

  switch (secretKey) {
    case 'valid':
      return null
    case 'absent':
      return absentSecret
    case 'blank':
      return keyIsWrong ? blankHalf : blankSecret
    case 'nobodys':
      return keyIsWrong ? wrongHalf : wrongSecret
    case 'another-clients':
      return apiKey === 'valid' ? wrongHalf : null
  }
}

function flaw(...codes: readonly ErrorCode[]): Row {
  return { codes, set: setOf(codes), mayHold: false }
}

function maybe(...codes: readonly ErrorCode[]): Row {
  return { codes, set: setOf(codes), mayHold: true }
}
