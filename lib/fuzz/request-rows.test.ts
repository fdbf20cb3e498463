import { describe, expect, it } from 'vitest'
import type { Request } from '../http/exchange.ts'
import { allowed } from '../judge/facts.ts'
import type { Base, CaseClass, GeneratorInput, MutatedRequest } from './case-class.ts'
import { bases, draw, type Drawn } from './case-class.ts'
import type { Condition, Factor } from './request-rows.ts'
import { behind, everyCondition, factorsOf, flaw, flawedRows } from './request-rows.ts'
import { fieldsOfClients, isExcuse, servedRows } from './request-rows.ts'
import { classOfDrawn, moreBases, inputOf, inputs, knownOf, requestOf, simplest } from './testing/requests.ts'

/** A row, or a shrunk form of it, and its request. */
type Row = ReturnType<typeof rowOf>

const [ofInputs, seeds] = [Object.entries(inputs), [0, 79_933_837]]
const given = ofInputs.flatMap(([about, one]) =>
  seeds.map((seed) => ({ about, seed, input: { ...one, furtherBases: moreBases, seed } })),
)

const known = new WeakMap<GeneratorInput, readonly Condition[]>()

function rowOf(drawn: Drawn, input: GeneratorInput) {
  const every = known.get(input) ?? everyCondition(input)
  known.set(input, every)
  const { mutated } = drawn
  const named = (condition: Condition): boolean => mutated.conditions?.includes(condition.says) === true
  return { drawn, mutated, request: requestOf(input, mutated), conditions: every.filter(named) }
}

function rowsOf(classes: readonly CaseClass[], input: GeneratorInput): readonly Row[] {
  return classes.flatMap((caseClass) => {
    const drawn = (nth: number) => rowOf(draw({ caseClass, nth }, 1, 'fuzz/tests'), input)
    return Array.from({ length: caseClass.count ?? 0 }, (_, nth) => drawn(nth))
  })
}

/** The row without its conditions. */
function bare({ drawn, request }: Row, input: GeneratorInput): Row {
  const left = simplest(drawn, () => true)
  return left === drawn ? { drawn, mutated: drawn.mutated, request, conditions: [] } : rowOf(left, input)
}

function answersTo({ request, mutated }: Row, input: GeneratorInput): ReadonlySet<string> {
  const answers = [...allowed(knownOf(request, input)), ...(mutated.also ?? [])]
  return new Set(answers.map(({ status, errorCode }) => `${status} ${errorCode}`))
}

const maySucceed = (row: Row, of: GeneratorInput): boolean => answersTo(row, of).has('2xx null')

/** The names of the rows that break something. */
const thatBreak = (rows: readonly Row[], breaks: (row: Row) => boolean): readonly string[] =>
  rows.filter(breaks).map(({ drawn, mutated }) => `${drawn.name} ${mutated.says}`)

describe.each(given)('rows for $about, with seed $seed', ({ input }) => {
  const flawed = rowsOf(flawedRows(input), input)
  const served = rowsOf([servedRows(input)], input)
  const all = [...flawed, ...served]

  it('may succeed only without a flaw, with and without their conditions', () => {
    for (const form of [(row: Row): Row => row, (row: Row): Row => bare(row, input)]) {
      expect(thatBreak(flawed, (row) => maySucceed(form(row), input))).toEqual([])
      expect(thatBreak(served, (row) => !maySucceed(form(row), input))).toEqual([])
    }
  })

  it('have at most one condition that excuses an answer if they have no flaw', () => {
    const mayExcuse = (one: Condition) => isExcuse(one) || one.mayBePartial === true
    const excuses = ({ conditions }: Row) => conditions.filter(mayExcuse).length
    expect(thatBreak(served, (row) => excuses(row) > 1)).toEqual([])
    expect(served.some((row) => excuses(row) === 1)).toBe(true)
    // A flaw has its own code, and a malformed field leaves it no other code.
    expect(thatBreak(flawed, ({ mutated }) => mutated.fieldMayBeRefused === true)).toEqual([])
  })

  it('have only conditions with known names', () => {
    const isUnknown = (row: Row): boolean => row.conditions.length !== row.mutated.conditions?.length
    expect(thatBreak(all, isUnknown)).toEqual([])
  })

  it('are excused if conditions allow more than the flaw, and are as weak as the weakest condition', () => {
    const isTolerated = ({ transportMayRefuse, fieldMayBeRefused, mayBePartial }: MutatedRequest): boolean =>
      transportMayRefuse || fieldMayBeRefused === true || mayBePartial === true
    const allowsMore = (row: Row): boolean => {
      const before = answersTo(bare(row, input), input)
      return isTolerated(row.mutated) || [...answersTo(row, input)].some((one) => !before.has(one))
    }
    const isExcused = ({ mutated }: Row): boolean => mutated.excused === true
    expect(thatBreak(all, (row) => allowsMore(row) && !isExcused(row))).toEqual([])
    // Where 1010 or 1030 is documented anyway, a condition that allows it adds nothing.
    const telling = all.filter(({ drawn, mutated: { also } }) => {
      return classOfDrawn(drawn) !== 'conditions-of-cells' && also?.length === 0
    })
    expect(thatBreak(telling, (row) => isExcused(row) && !allowsMore(row))).toEqual([])

    const weakest = ({ conditions }: Row) =>
      ['warning', 'implied'].find((one) => conditions.some(({ weakness }) => weakness === one))
    expect(thatBreak(all, (row) => row.mutated.weakness !== weakest(row))).toEqual([])
  })

  it('combine each flaw with each level of each factor that fits it', () => {
    const flawedBases = [...bases, ...moreBases].filter((base) => base !== 'valid')
    expect(missing(factorsOf(flaw('valid'), input), served)).toEqual([])
    for (const base of flawedBases) {
      const rows = rowsIn('conditions', base, flawed)
      expect([base, missing(factorsOf(flaw(base), input), rows)]).toEqual([base, []])
      expect([base, missing([behind], rowsIn('conditions-behind', base, flawed))]).toEqual([base, []])
    }
  })

  it('include each flaw that every run can send once in HTTP/1.0, where the transport may refuse it', () => {
    const inHttp10 = flawed.filter(({ drawn }) => classOfDrawn(drawn) === 'conditions-in-http-1-0')
    const isOfRaw = ({ form, route }: Request): boolean => form?.version === '1.0' && route === 'raw'

    expect(inHttp10.map(({ mutated }) => mutated.base)).toEqual(bases.filter((base) => base !== 'valid'))
    expect(thatBreak(inHttp10, ({ mutated }) => !mutated.transportMayRefuse)).toEqual([])
    expect(all.filter(({ request }) => isOfRaw(request))).toEqual(inHttp10)
  })
})

const rowsIn = (of: string, base: Base, rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ drawn, mutated }) => classOfDrawn(drawn) === of && mutated.base === base)

/** The levels that no row has. A row without any of the other levels has the plain one. */
function missing(factors: readonly Factor[], rows: readonly Row[]): readonly string[] {
  return factors.flatMap(([factor, levels]) => {
    const names = levels.map((level) => level?.says ?? null)
    const metBy = (sent: readonly string[]) =>
      names.find((name) => name !== null && sent.includes(name)) ?? null
    const met = new Set(rows.map(({ mutated }) => metBy(mutated.conditions ?? [])))
    return names.filter((name) => !met.has(name)).map((name) => `${factor}: ${name ?? 'plain'}`)
  })
}

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc', { furtherBases: moreBases })

it('a row shrinks by dropping conditions, then by reducing sets to single fields, to every combination', () => {
  const linesOf = new Map(Object.entries(fieldsOfClients))
  const [most] = rowsOf(flawedRows(input), input)
    .filter(({ conditions }) => conditions.some(({ says }) => linesOf.has(says)))
    .toSorted((a, b) => b.conditions.length - a.conditions.length)
  const reached = new Set<string>()
  const walk = ({ mutated: { conditions = [] }, simpler }: Drawn): void => {
    if (reached.has(conditions.join())) return
    reached.add(conditions.join())
    const next = [...simpler()]
    const dropped = conditions.map((_, at) => conditions.toSpliced(at, 1))
    const reduced = conditions.flatMap((name, at) => {
      return (linesOf.get(name) ?? []).map((line) => conditions.toSpliced(at, 1, line))
    })
    expect(next.map(({ mutated }) => mutated.conditions)).toEqual([...dropped, ...reduced])
    next.forEach(walk)
  }
  if (most !== undefined) walk(most.drawn)
  const lines = most?.conditions.flatMap(({ says }) => linesOf.get(says) ?? []) ?? []

  expect(most?.conditions.length).toBe(9)
  expect(lines.length).toBeGreaterThan(1)
  // Each subset of the eight others, with the set, without it, or with one of its fields.
  expect(reached.size).toBe(2 ** 8 * (2 + lines.length))
})
