import { memberNames } from '../text/members.ts'
import { documentedPairs, refusalOf, type ErrorCode } from './answers.ts'
import { ofClients, type ClientName } from './client-rows.ts'
import type { SpecRuleId } from './rules.ts'

/** The setting that a flaw needs, either a client or an invalid query. */
export type FlawSource = ClientName | 'invalidQuery'

/** The codes with which a flaw may be refused; empty if it is not a flaw with these credentials. */
type CodesOf = (facts: Readonly<{ apiKey: string; secretKey: string }>) => readonly ErrorCode[]

/** The properties of a flaw. */
export type Flaw = Readonly<{
  /** Its name in a list of flaws: `no x-api-key`. */
  name: string
  /** Its phrase after "A request": `without x-api-key`. */
  phrase: string
  codes: CodesOf
  /** Whether it may be acceptable, so that a success is also allowed. */
  mayHold?: true
  /** The setting that it needs; absent if every run can send it. */
  needs?: FlawSource
  /** False if it is never sent by the exhausted client, which gets only a few requests. */
  besideQuota?: false
  /** The rule that is about exactly this flaw. */
  rule?: SpecRuleId
  /** The name in cases of the request with only this flaw, from which further requests are made. */
  base?: string
}>

function flaw<const More extends Omit<Flaw, 'name' | 'phrase' | 'codes'>>(
  name: string,
  phrase: string,
  codes: readonly ErrorCode[] | CodesOf,
  more: More,
) {
  return { name, phrase, codes: typeof codes === 'function' ? codes : () => codes, ...more }
}

const maybe = { mayHold: true } as const
/** Unclear flaws that the exhausted client never sends. */
const unsure = { ...maybe, besideQuota: false } as const

/** A service that looks up the pair as a whole may answer 1012 if neither half is known to it. */
function orNoCustomer(...codes: readonly ErrorCode[]): CodesOf {
  return ({ apiKey }) => (apiKey === 'invalid' || apiKey === 'blank' ? [...codes, '1012'] : codes)
}

/** A service might not recognise credentials without a customer. A second flaw may be reported instead. */
const orOfWrongPair: CodesOf = ({ apiKey, secretKey }) =>
  apiKey === 'valid' && secretKey === 'valid' ? ['1012'] : ['1006', '1007', '1012']

const allCodes = documentedPairs.map(({ errorCode }) => errorCode)

/** One row per flaw, by its fact and the fact's value. Source: Authentication, Errors, Versioning, Limits. */
export const flaws = {
  apiKey: {
    absent: flaw('no x-api-key', 'without x-api-key', ['1001'], {
      rule: 'authentication/api-key-missing',
      base: 'api-key-absent',
    }),
    blank: flaw('blank x-api-key', 'with an empty x-api-key', ['1001', '1006'], {}),
    invalid: flaw('wrong x-api-key', 'with a wrong API key', ['1006'], {
      rule: 'authentication/api-key-invalid',
      base: 'api-key-wrong',
    }),
  },
  secretKey: {
    absent: flaw('no x-secret-key', 'without x-secret-key', ['1002'], {
      rule: 'authentication/secret-key-missing',
      base: 'secret-key-absent',
    }),
    blank: flaw('blank x-secret-key', 'with an empty x-secret-key', orNoCustomer('1002', '1007'), {}),
    nobodys: flaw('wrong x-secret-key', 'with a wrong secret key', orNoCustomer('1007'), {
      rule: 'authentication/secret-key-invalid',
      base: 'secret-key-wrong',
    }),
    'another-clients': flaw(
      'x-secret-key of another client',
      "with another client's secret key",
      ({ apiKey }) => (apiKey === 'valid' ? ['1007', '1012'] : []),
      { needs: 'second', rule: 'authentication/secret-key-invalid' },
    ),
  },
  version: {
    absent: flaw('no x-version', 'without x-version', ['1003'], {
      rule: 'versioning/version-missing',
      base: 'version-absent',
    }),
    blank: flaw('blank x-version', 'with an empty x-version', ['1003', '1010', '1030'], unsure),
    malformed: flaw(
      'x-version is not an integer',
      'with a version that is not an integer',
      ['1010', '1030'],
      { besideQuota: false, rule: 'versioning/malformed-version' },
    ),
    odd: flaw('x-version written oddly', 'with an unusual spelling of the version', ['1010', '1030'], unsure),
    unsupported: flaw('unsupported x-version', 'with a version that is not served', ['1010'], {
      rule: 'versioning/endpoint-not-in-version',
      base: 'version-unsupported',
    }),
    'out-of-range': flaw('x-version out of range', 'with a version out of range', ['1010', '1030'], {
      besideQuota: false,
    }),
    other: flaw('another x-version', 'with another version', ['1010', '1030', '1011', '1013'], unsure),
  },
  endpoint: {
    unknown: flaw('unknown endpoint', 'to an unknown path', ['1010'], {
      rule: 'versioning/unknown-endpoint',
      base: 'endpoint-unknown',
    }),
    uncertain: flaw('near miss of a path', 'to a near miss of a known path', allCodes, unsure),
  },
  state: {
    inactive: flaw('inactive', 'to an inactive endpoint', ['1011'], {
      needs: 'inactive',
      rule: 'authentication/endpoint-inactive',
      base: 'client-inactive',
    }),
  },
  customer: {
    none: flaw('no customer', 'from a client without a customer', orOfWrongPair, {
      needs: 'noCustomer',
      rule: 'authentication/customer-not-found',
      base: 'client-no-customer',
    }),
  },
  permission: {
    denied: flaw('not permitted', 'from a client without permission', ['1013'], {
      needs: 'unauthorized',
      rule: 'authentication/endpoint-unauthorized',
      base: 'client-unauthorized',
    }),
  },
  quota: {
    'used-up': flaw('quota used up', 'from a client whose quota is used up', ['1020'], {
      needs: 'exhausted',
      rule: 'quota/exhausted',
    }),
  },
  input: {
    uncertain: flaw('undocumented input', 'with undocumented parameters', ['1030'], maybe),
    invalid: flaw('invalid input', 'with invalid input', ['1030'], {
      needs: 'invalidQuery',
      rule: 'input/invalid-parameters',
      base: 'input-invalid',
    }),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Flaw>>>>

/** The facts about a plain valid request. */
export const flawless = {
  apiKey: 'valid',
  secretKey: 'valid',
  version: 'served',
  endpoint: 'exists',
  state: 'active',
  customer: 'found',
  permission: 'permitted',
  quota: 'left',
  input: 'valid',
} as const

/**
 * The facts about a request when it arrives: for each, the flawless value or a flaw. They are independent unions, so every combination
 * has a meaning. `secretKey` is relative to the API key: `valid` is the key's own secret, or any client's secret if the key is not valid.
 */
export type Facts = {
  readonly [Name in keyof typeof flaws]: (typeof flawless)[Name] | keyof (typeof flaws)[Name]
}

export const factNames: readonly (keyof Facts)[] = memberNames(flawless)

/** The facts about a client, which is separate from its request. */
const factsOfClient: readonly (keyof Facts)[] = ['state', 'customer', 'permission', 'quota']

/** A flaw and its place in the table. */
export type FlawRow = Flaw &
  Readonly<{
    /** Its name in `verdict.json`, such as `version absent`. */
    id: string
    fact: keyof Facts
    value: string
    /** The flawed part of a request, which has only one flaw at a time, or its client. */
    part: keyof Facts | 'client'
    /** The only code for a request with this flaw alone; null if several codes or a success are allowed. */
    code: ErrorCode | null
  }>

/** All flaws, in table order. */
export const flawRows: readonly FlawRow[] = memberNames(flaws).flatMap((fact) =>
  Object.entries<Flaw>(flaws[fact]).map(([value, row]) => ({
    ...row,
    id: flawId(fact, value),
    fact,
    value,
    part: factsOfClient.includes(fact) ? 'client' : fact,
    code: onlyCode(row),
  })),
)

function onlyCode({ codes, mayHold }: Flaw) {
  const [only, ...others] = codes({ apiKey: 'valid', secretKey: 'valid' })
  return mayHold === true || others.length > 0 ? null : (only ?? null)
}

/** The name of a flaw in `verdict.json`. */
export function flawId(fact: keyof Facts, value: string) {
  return `${fact} ${value}`
}

const rowsById = new Map(flawRows.map((row) => [row.id, row]))

/** The row for a flaw, or null for any other text. */
export function flawNamed(id: string) {
  return rowsById.get(id) ?? null
}

/** The flaw in every request from each client; null if its plain requests are served. */
export const flawOfClient = ofClients(
  (client) => flawRows.find(({ needs, part }) => needs === client && part === 'client') ?? null,
)

type Row = { [Fact in keyof Facts]: (typeof flaws)[Fact][keyof (typeof flaws)[Fact]] }[keyof Facts]

/** The name of a request with exactly one certain flaw. */
export type FlawBase = Extract<Row, { readonly base: string }>['base']

/** The clients that are refused every day because of their state, in client order. */
export const refusedClients = [flaws.customer.none, flaws.state.inactive, flaws.permission.denied].flatMap(
  (row) => {
    const code = onlyCode(row)
    return code === null
      ? []
      : [{ client: row.needs, name: row.base, rule: row.rule, refusal: refusalOf(code) }]
  },
)
