import type { RequiredField } from '../specification/endpoints.ts'
import { memberNames } from '../text/members.ts'
import { droppable } from './arbitraries.ts'
import {
  bases,
  caseClass,
  judged,
  type Base,
  type CaseClass,
  type ClientInput,
  type MutatedRequest,
} from './case-class.ts'
import { factorsOf, isExcuse, type Condition, type RowFlaw } from './factors.ts'
import { inTurn, setting, unchanged, without, type RequestChange } from './request-changes.ts'
import { seededNumber } from './seeded.ts'

/** The states of each of the three required fields, with the change that leads to each. */
const cellStates = {
  valid: () => unchanged,
  absent: (name) => without(name),
  blank: (name) => setting(name, ''),
  wrong: (name, wrong) => setting(name, wrong),
} as const satisfies Readonly<Record<string, (name: RequiredField, wrong: string) => RequestChange>>

const states = memberNames(cellStates)

/** A combination of states. */
export type Cell = (typeof cells)[number]

/** All 64 combinations of {valid, absent, blank, wrong} for the key, secret and version. */
export const cells = states.flatMap((key) =>
  states.flatMap((secret) =>
    states.map((version) => ({
      /** Its name in case names, which never changes. */
      name: `key-${key}-secret-${secret}-version-${version}` as const,
      /** The number of flawed fields. */
      flaws: [key, secret, version].filter((state) => state !== 'valid').length,
      /** Puts the three fields of a request into these states. */
      change: (wrong: Pick<ClientInput, 'wrongKey' | 'wrongSecret' | 'unsupportedVersion'>) =>
        inTurn(
          cellStates[key]('x-api-key', wrong.wrongKey),
          cellStates[secret]('x-secret-key', wrong.wrongSecret),
          cellStates[version]('x-version', wrong.unsupportedVersion),
        ),
    })),
  ),
)

/** The cells with more than one flawed field. */
export const multiFlawedCells: readonly Cell[] = cells.filter(({ flaws }) => flaws > 1)

/** Each flaw crossed with conditions; a row takes one level of each factor. Further rows, which a gate leaves out, follow an earlier request or use HTTP/1.0. */
export function flawedRows(input: ClientInput): readonly CaseClass[] {
  const flaws = flawsOf(input)
  const further = (how: string, connection: RowFlaw['connection'], rows: number): readonly Rows[] =>
    flaws.map((one) => ({ ...one, name: `${one.name} ${how}`, connection, rows, telling: 0 }))
  const behind = rowsOf('conditions-behind', further('behind', 'behind', 2), {
    input,
    because: 'authentication/not-cached sends each flaw after a success',
  })
  const inHttp10 = further('in HTTP/1.0', 'HTTP/1.0', 1).filter(
    ({ base }) => base !== 'valid' && bases.includes(base),
  )
  return [
    rowsOf('conditions', flaws, { input, because: 'three rows per flaw find most of what ten find' }),
    rowsOf('conditions-of-cells', cellsOf(input), { input, because: 'other rules send them anyway' }),
    { ...behind, requests: 2 },
    rowsOf('conditions-in-http-1-0', inHttp10, {
      input,
      because: 'few clients use it, and some gateways refuse it',
    }),
  ]
}

/** The valid request under conditions, of which at most one may change the answer. */
export function servedRows(input: ClientInput): CaseClass {
  const rows = flaw('valid', { isServed: true, rows: 24, telling: 2 })
  return rowsOf('conditions-served', [rows], { input, because: 'refusals meet the conditions more often' })
}

interface Rows extends RowFlaw {
  readonly rows: number
  /** The number of first rows, which a gate sends. */
  readonly telling: number
}

function flaw(base: Base, more: Partial<Rows> = {}): Rows {
  const row = { name: base, base, change: unchanged, isServed: false, connection: 'any' } as const
  return { ...row, rows: 10, telling: 3, ...more }
}

function flawsOf({ target, furtherBases }: ClientInput): readonly Rows[] {
  const exchanged = inTurn(setting('x-api-key', target.secretKey), setting('x-secret-key', target.apiKey))
  return [
    // If a credential is absent, there are more places in which to look for it.
    flaw('api-key-absent', { rows: 14, telling: 4 }),
    flaw('secret-key-absent', { rows: 14 }),
    flaw('version-absent'),
    flaw('api-key-wrong'),
    flaw('secret-key-wrong'),
    flaw('version-unsupported'),
    ...furtherBases.map((base) => flaw(base, { telling: 2 })),
    // Gateways log the field in which the secret is then sent.
    flaw('valid', { name: 'exchanged', change: exchanged, rows: 2, telling: 1 }),
  ]
}

/** The cells with more than one flaw, in the order of `multiFlawedCells`. */
function cellsOf(input: ClientInput): readonly Rows[] {
  const more = { connection: 'shared', rows: 1, telling: 1 } as const
  return multiFlawedCells.map(({ name, change }) => flaw('valid', { name, change: change(input), ...more }))
}

/** Crosses flaws with conditions. A gate sends only the most telling rows, for this reason. */
function rowsOf(
  name: string,
  flaws: readonly Rows[],
  { input, because }: { readonly input: ClientInput; readonly because: string },
): CaseClass {
  const all = flaws.flatMap((one) =>
    Array.from({ length: one.rows }, (_, row) => ({ one, row, isLate: row >= one.telling })),
  )
  const always = all.filter(({ isLate }) => !isLate).length
  const ordered = all.toSorted((a, b) => Number(a.isLate) - Number(b.isLate) || a.row - b.row)
  const cases = ordered.map(({ one, row }) =>
    droppable(() => conditionsOf(one, row, input)).map((kept) => underConditions(one, kept)),
  )
  return caseClass(name, { always, because }, cases)
}

/** The levels for a row. The next row takes the next levels, starting from a level that the seed determines for each flaw and factor. */
function conditionsOf(one: Rows, row: number, input: ClientInput): readonly Condition[] {
  const levels = factorsOf(one, input).flatMap(({ name, levels: all, isRanked = false }) => {
    const shift = isRanked ? 0 : seededNumber(input.seed, `${name}:${one.name}`, all.length)
    return all[(row + shift) % all.length] ?? []
  })
  return one.isServed ? withOneThatWidens(levels, row) : levels
}

/** The number of rows in which each query occurs once. The first rows keep their query; the next rows keep their range request. */
const eachQuery = 10

function withOneThatWidens(levels: readonly Condition[], row: number): readonly Condition[] {
  const isQuery = ({ widens }: Condition): boolean => widens === true
  const isPartial = ({ mayBePartial }: Condition): boolean => mayBePartial === true
  const dropped = Math.floor(row / eachQuery) % 2 === 0 ? isPartial : isQuery
  return levels.some(isQuery) && levels.some(isPartial) ? levels.filter((one) => !dropped(one)) : levels
}

function underConditions(one: Rows, conditions: readonly Condition[]): MutatedRequest {
  const names = conditions.map(({ name }) => name)
  const has = (trait: 'transportMayRefuse' | 'fieldMayBeRefused' | 'mayBePartial'): boolean =>
    conditions.some((each) => each[trait] === true)
  const weaknesses = conditions.flatMap(({ weakness }) => weakness ?? [])
  const weakness = weaknesses.find((each) => each === 'warning') ?? weaknesses[0]
  const mayBePartial = has('mayBePartial') && one.isServed
  const connection = conditions.findLast((each) => each.connection !== undefined)?.connection
  // A flaw has its own code. A service that refuses a malformed field first says so without a code, or with the code for invalid input.
  const mayRefuseField = has('fieldMayBeRefused')
  return judged(
    names.length === 0 ? 'with nothing besides' : `with ${names.join(', ')}`,
    inTurn(one.change, ...conditions.map(({ apply }) => apply)),
    {
      base: one.base,
      conditions: names,
      also: conditions.flatMap(({ also = [] }) => also),
      transportMayRefuse: has('transportMayRefuse') || (mayRefuseField && !one.isServed),
      ...(mayRefuseField && one.isServed ? { fieldMayBeRefused: true } : {}),
      ...(mayBePartial ? { mayBePartial } : {}),
      ...(mayBePartial || conditions.some(isExcuse) ? { excused: true } : {}),
      ...(weakness === undefined ? {} : { weakness }),
      ...(connection === undefined ? {} : { connection }),
    },
  )
}
