import { memberNames } from '../text/members.ts'
import { refusalOf, type ErrorCode } from './answers.ts'
import { clientNames, type ClientName } from './client-rows.ts'
import type { RequiredField } from './endpoints.ts'
import type { SpecRuleId } from './rules.ts'

/** The flawed part of a request. A client's state is separate from the request; any other part has only one flaw at a time. */
type FlawedPart = RequiredField | 'endpoint' | 'client' | 'input'

/** The setting that a flaw needs, either a client or an invalid query. */
export type FlawSource = ClientName | 'invalidQuery'

/** The properties of a flaw. The oracle decides which answers it allows. */
export interface Flaw {
  /** Its name in a list of flaws: `no x-api-key`. */
  readonly name: string
  /** Its phrase after "A request": `without x-api-key`. */
  readonly phrase: string
  /** The setting that it needs; absent if every run can send it. */
  readonly needs?: FlawSource
  /** False if it is never sent by the exhausted client, which gets only a few requests. */
  readonly besideQuota?: false
  /** The rule that is about exactly this flaw. */
  readonly rule?: SpecRuleId
  /** The only code for a request with this flaw alone; absent if several codes or a success are allowed. */
  readonly code?: ErrorCode
  /** The request with this flaw alone, from which others are made: its name in cases, and its phrase after a change. */
  readonly base?: { readonly name: string; readonly says: string }
}

function flaw<const More extends Omit<Flaw, 'name' | 'phrase'>>(name: string, phrase: string, more: More) {
  return { name, phrase, ...more }
}

/** One row per flaw, by its fact and the fact's value. Source: Authentication, Errors, Versioning, Limits. */
export const flaws = {
  apiKey: {
    absent: flaw('no x-api-key', 'without x-api-key', {
      rule: 'authentication/api-key-missing',
      code: '1001',
      base: { name: 'api-key-absent', says: 'without x-api-key' },
    }),
    blank: flaw('blank x-api-key', 'with an empty x-api-key', {}),
    invalid: flaw('wrong x-api-key', 'with a wrong API key', {
      rule: 'authentication/api-key-invalid',
      code: '1006',
      base: { name: 'api-key-wrong', says: 'with an invented x-api-key' },
    }),
  },
  secretKey: {
    absent: flaw('no x-secret-key', 'without x-secret-key', {
      rule: 'authentication/secret-key-missing',
      code: '1002',
      base: { name: 'secret-key-absent', says: 'without x-secret-key' },
    }),
    blank: flaw('blank x-secret-key', 'with an empty x-secret-key', {}),
    nobodys: flaw('wrong x-secret-key', 'with a wrong secret key', {
      rule: 'authentication/secret-key-invalid',
      code: '1007',
      base: { name: 'secret-key-wrong', says: 'with an invented x-secret-key' },
    }),
    'another-clients': flaw('x-secret-key of another client', "with another client's secret key", {
      needs: 'second',
      rule: 'authentication/secret-key-invalid',
    }),
  },
  version: {
    absent: flaw('no x-version', 'without x-version', {
      rule: 'versioning/version-missing',
      code: '1003',
      base: { name: 'version-absent', says: 'without x-version' },
    }),
    blank: flaw('blank x-version', 'with an empty x-version', { besideQuota: false }),
    malformed: flaw('x-version is not an integer', 'with a version that is not an integer', {
      besideQuota: false,
      rule: 'versioning/malformed-version',
    }),
    odd: flaw('x-version written oddly', 'with an unusual spelling of the version', { besideQuota: false }),
    unsupported: flaw('unsupported x-version', 'with a version that is not served', {
      rule: 'versioning/endpoint-not-in-version',
      code: '1010',
      base: { name: 'version-unsupported', says: 'with an unsupported x-version' },
    }),
    'out-of-range': flaw('x-version out of range', 'with a version out of range', {
      besideQuota: false,
    }),
    other: flaw('another x-version', 'with another version', { besideQuota: false }),
  },
  endpoint: {
    unknown: flaw('unknown endpoint', 'to an unknown path', {
      rule: 'versioning/unknown-endpoint',
      code: '1010',
      base: { name: 'endpoint-unknown', says: 'to an unknown path' },
    }),
    uncertain: flaw('near miss of a path', 'to a near miss of a known path', {
      besideQuota: false,
    }),
  },
  state: {
    inactive: flaw('inactive', 'to an inactive endpoint', {
      needs: 'inactive',
      rule: 'authentication/endpoint-inactive',
      code: '1011',
      base: { name: 'client-inactive', says: 'by the inactive client' },
    }),
  },
  customer: {
    none: flaw('no customer', 'from a client without a customer', {
      needs: 'noCustomer',
      rule: 'authentication/customer-not-found',
      code: '1012',
      base: { name: 'client-no-customer', says: 'by the client without a customer' },
    }),
  },
  permission: {
    denied: flaw('not permitted', 'from a client without permission', {
      needs: 'unauthorized',
      rule: 'authentication/endpoint-unauthorized',
      code: '1013',
      base: { name: 'client-unauthorized', says: 'by the client that is not permitted' },
    }),
  },
  quota: {
    'used-up': flaw('quota used up', 'from a client whose quota is used up', {
      needs: 'exhausted',
      rule: 'quota/exhausted',
      code: '1020',
    }),
  },
  input: {
    uncertain: flaw('undocumented input', 'with undocumented parameters', {}),
    invalid: flaw('invalid input', 'with invalid input', {
      needs: 'invalidQuery',
      rule: 'input/invalid-parameters',
      code: '1030',
      base: { name: 'input-invalid', says: 'with a query that is known to be invalid' },
    }),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Flaw>>>>

/** The facts that can show flaws. */
type FlawFact = keyof typeof flaws

const parts: Readonly<Record<FlawFact, FlawedPart>> = {
  apiKey: 'x-api-key',
  secretKey: 'x-secret-key',
  version: 'x-version',
  endpoint: 'endpoint',
  state: 'client',
  customer: 'client',
  permission: 'client',
  quota: 'client',
  input: 'input',
}

/** A flaw and its place in the table. */
export interface FlawRow extends Flaw {
  /** Its name in `verdict.json`, such as `version absent`. */
  readonly id: string
  readonly fact: FlawFact
  readonly value: string
  readonly part: FlawedPart
}

/** All flaws, in table order. */
export const flawRows: readonly FlawRow[] = memberNames(flaws).flatMap((fact) =>
  Object.entries<Flaw>(flaws[fact]).map(([value, row]) => ({
    ...row,
    id: flawId(fact, value),
    fact,
    value,
    part: parts[fact],
  })),
)

/** The name of a flaw in `verdict.json`. */
export function flawId(fact: FlawFact, value: string): string {
  return `${fact} ${value}`
}

const rowsById = new Map(flawRows.map((row) => [row.id, row]))

/** The row for a flaw, or null for any other text. */
export function flawNamed(id: string): FlawRow | null {
  return rowsById.get(id) ?? null
}

/** The flaw in every request from a client; null if its plain requests are served. */
export function flawOf(client: ClientName): FlawRow | null {
  return flawRows.find(({ needs, part }) => needs === client && part === 'client') ?? null
}

type Row = { [Fact in FlawFact]: (typeof flaws)[Fact][keyof (typeof flaws)[Fact]] }[FlawFact]
const rows = Object.values<Readonly<Record<string, Row>>>(flaws).flatMap((values) => Object.values(values))

/** The name of a request with exactly one certain flaw. */
export type FlawBase = Extract<Row, { readonly base: object }>['base']['name']

/** The clients that are refused every day because of their state, in client order. */
export const refusedClients = clientNames.flatMap((client) =>
  rows.flatMap((row) =>
    'base' in row && 'needs' in row && row.needs !== 'invalidQuery' && row.needs === client
      ? [{ client: row.needs, name: row.base.name, rule: row.rule, refusal: refusalOf(row.code) }]
      : [],
  ),
)
