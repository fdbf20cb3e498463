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
 * flaw may decide the answer. A request with a certain flaw never succeeds. Source: Authentication, Errors, Limits, Versioning.
 */
export function allowed(facts: Facts): readonly Answer[] {
  const rows = factNames.flatMap((fact) => rowOf(fact, facts) ?? [])
  const codes = new Set(rows.flatMap((row) => row.codes))
  const refusals = documentedPairs
    .filter(({ errorCode }) => codes.has(errorCode))
    .map(({ status, errorCode }): Refusal => ({ status, errorCode }))
  return rows.every(({ mayHold }) => mayHold) ? [success, ...refusals] : refusals
}

/** The documented codes for each certain flaw of a request, with its fact. */
export function certainFlaws(facts: Facts): readonly {
  readonly fact: keyof Facts
  readonly codes: readonly ErrorCode[]
}[] {
  return factNames.flatMap((fact) => {
    const row = rowOf(fact, facts)
    return row === null || row.mayHold ? [] : [{ fact, codes: row.codes }]
  })
}

/** Whether a request has an uncertain flaw. */
export function hasUncertainFlaw(facts: Facts): boolean {
  return factNames.some((fact) => rowOf(fact, facts)?.mayHold === true)
}

/** The codes that may refuse a flaw, and whether it may be acceptable. */
interface Row {
  readonly codes: readonly ErrorCode[]
  readonly mayHold: boolean
}

function rowOf(fact: keyof Facts, facts: Facts): Row | null {
  if (fact === 'secretKey') return secretKeyRow(facts)
  if (fact === 'customer') return customerRow(facts)
  const row: Readonly<Record<string, Row | null>> = rows[fact]
  return row[facts[fact]] ?? null
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

/** Credentials without a customer may be unknown to the service. If they have a second flaw, it may be reported instead. */
function customerRow({ apiKey, secretKey, customer }: Facts): Row | null {
  if (customer === 'found') return null
  return apiKey === 'valid' && secretKey === 'valid' ? flaw('1012') : flaw('1006', '1007', '1012')
}

/** A service that looks up the pair as a whole may answer 1012 if it knows neither half. */
function secretKeyRow({ apiKey, secretKey }: Facts): Row | null {
  const keyIsWrong = apiKey === 'invalid' || apiKey === 'blank'

  switch (secretKey) {
    case 'valid':
      return null
    case 'absent':
      return flaw('1002')
    case 'blank':
      return keyIsWrong ? flaw('1002', '1007', '1012') : flaw('1002', '1007')
    case 'nobodys':
      return keyIsWrong ? flaw('1007', '1012') : flaw('1007')
    case 'another-clients':
      return apiKey === 'valid' ? flaw('1007', '1012') : null
  }
}

function flaw(...codes: readonly ErrorCode[]): Row {
  return { codes, mayHold: false }
}

function maybe(...codes: readonly ErrorCode[]): Row {
  return { codes, mayHold: true }
}
