import { droppable } from './arbitraries.ts'
import {
  bases,
  caseOfEach,
  judged,
  type Base,
  type CaseClass,
  type ClientInput,
  type MutatedRequest,
} from './case-class.ts'
import { inCell, multiFlawedCells, nameOfCell } from './cells.ts'
import { factorsOf, isExcuse, type Condition, type RowFlaw } from './factors.ts'
import { inTurn, setting, unchanged } from './request-changes.ts'
import { seededNumber } from './seeded.ts'

/** Each flaw crossed with conditions; a row takes one level of each factor. Further rows, which a gate leaves out, follow an earlier request or use HTTP/1.0. */
export function flawedRows(input: ClientInput): readonly CaseClass[] {
  const flaws = flawsOf(input)
  const behind = flaws.map(
    (one) => ({ ...one, name: `${one.name} behind`, connection: 'behind', rows: 2, telling: 0 }) as const,
  )
  const ofEveryRun = flaws.filter(({ base }) => bases.some((one) => one !== 'valid' && one === base))
  const inHttp10 = ofEveryRun.map(
    ({ name, ...one }) =>
      ({ ...one, name: `${name} in HTTP/1.0`, connection: 'HTTP/1.0', rows: 1, telling: 0 }) as const,
  )
  const classOf = (name: string, rows: readonly Rows[], because: string): CaseClass =>
    rowsOf(name, rows, { input, because })
  return [
    classOf('conditions', flaws, 'three rows per flaw find most of what ten find'),
    classOf('conditions-of-cells', cellsOf(input), 'other rules send them anyway'),
    {
      ...classOf('conditions-behind', behind, 'authentication/not-cached sends each flaw after a success'),
      requests: 2,
    },
    classOf('conditions-in-http-1-0', inHttp10, 'few clients use it, and some gateways refuse it'),
  ]
}

/** The valid request under conditions, of which at most one may change the answer. */
export function servedRows(input: ClientInput): CaseClass {
  const rows = flaw('valid', { isServed: true, rows: 24, telling: 2 })
  return rowsOf('conditions-served', [rows], { input, because: 'refusals meet the conditions more often' })
}

interface Rowed {
  readonly input: ClientInput
  /** Why a gate sends only the most telling rows. */
  readonly because: string
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

function flawsOf(input: ClientInput): readonly Rows[] {
  const { apiKey, secretKey } = input.target
  return [
    ...bases.filter((base) => base !== 'valid').map((base) => flaw(base, moreRows[base])),
    ...input.furtherBases.map((base) => flaw(base, { telling: 2 })),
    // Gateways log the field in which the secret is then sent.
    flaw('valid', {
      name: 'exchanged',
      change: inTurn(setting('x-api-key', secretKey), setting('x-secret-key', apiKey)),
      rows: 2,
      telling: 1,
    }),
  ]
}

/** If a credential is absent, there are more places in which to look for it. */
const moreRows: Partial<Record<Base, Partial<Rows>>> = {
  'api-key-absent': { rows: 14, telling: 4 },
  'secret-key-absent': { rows: 14 },
}

/** The cells with more than one flaw, in the order of `multiFlawedCells`. */
function cellsOf(input: ClientInput): readonly Rows[] {
  return multiFlawedCells.map((cell) =>
    flaw('valid', {
      name: nameOfCell(cell),
      change: inCell(cell, input),
      connection: 'shared',
      rows: 1,
      telling: 1,
    }),
  )
}

function rowsOf(name: string, flaws: readonly Rows[], { input, because }: Rowed): CaseClass {
  const most = Math.max(...flaws.map(({ rows }) => rows))
  const all = Array.from({ length: most }, (_, row) =>
    flaws.flatMap((one) => (row < one.rows ? [{ one, row }] : [])),
  ).flat()
  const isTelling = ({ one, row }: (typeof all)[number]): boolean => row < one.telling
  const telling = all.filter(isTelling)
  const ordered = [...telling, ...all.filter((each) => !isTelling(each))]
  return caseOfEach(name, { always: telling.length, because }, ordered, ({ one, row }) =>
    droppable(
      () => conditionsOf(one, row, input),
      (kept) => underConditions(one, kept),
    ),
  )
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
