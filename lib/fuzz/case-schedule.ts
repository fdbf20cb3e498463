import { hash } from 'node:crypto'
import { Random, type Arbitrary, type Value } from 'fast-check'
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus'
import type { CaseClass, MutatedRequest } from './case-class.ts'

/** A generated case, or a simpler case shrunk from it. */
export interface Drawn {
  readonly mutated: MutatedRequest
  /** The case's name, such as `doubled-character.3`, followed by any shrink path: `doubled-character.3:0:2`. */
  readonly name: string
  /** Simpler cases, simplest first, drawn on demand. */
  readonly simpler: () => Iterable<Drawn>
}

/** A case's class and its number in that class, counting from 0. */
export interface Place {
  readonly caseClass: CaseClass
  readonly nth: number
}

/** Draws a case, seeded only by the root seed, rule and case name, so its bytes are the same for any concurrency, profile and number of cases. */
export function draw({ caseClass, nth }: Place, rootSeed: number, rule: string): Drawn {
  const name = `${caseClass.name}.${nth}`
  const arbitrary = caseClass.nth(nth)
  const random = new Random(xorshift128plus(seedOf(`${rootSeed}:${rule}:${name}`)))
  return drawn(arbitrary, arbitrary.generate(random, undefined), name)
}

/** The first 32 bits of a text's SHA-256, signed. */
function seedOf(text: string): number {
  return hash('sha256', text, 'buffer').readInt32BE(0)
}

/** The case with a name that came from {@link draw} or shrinking; null if no class has that name. */
export function drawNamed(
  name: string,
  classes: readonly CaseClass[],
  rootSeed: number,
  rule: string,
): Drawn | null {
  const parsed = /^(?<of>[a-z0-9-]+)\.(?<nth>\d+)(?<path>(?::\d+)*)$/.exec(name)?.groups
  const caseClass = classes.find((one) => one.name === parsed?.['of'])
  if (caseClass === undefined || parsed === undefined) return null

  const path = parsed['path']?.split(':').slice(1).map(Number) ?? []
  let found: Drawn | null = draw({ caseClass, nth: Number(parsed['nth']) }, rootSeed, rule)
  for (const step of path) found = at(found?.simpler() ?? [], step)
  return found
}

/** The classes, with every listed case. */
export function whole(classes: readonly CaseClass[]): readonly CaseClass[] {
  return classes.map((one) => (one.always === undefined ? one : { ...one, always: one.count ?? 0 }))
}

/** Schedules the cases that each class always sends, then `more` cases, each from the class that is furthest behind its weight. */
export function* schedule(classes: readonly CaseClass[], more: number): Generator<Place> {
  for (const caseClass of classes)
    for (let nth = 0; nth < (caseClass.always ?? 0); nth += 1) yield { caseClass, nth }
  const due = classes
    .filter(({ weight }) => weight > 0)
    .map((caseClass) => ({ caseClass, sent: caseClass.always ?? 0 }))
  if (due.length === 0) return

  for (let index = 0; index < more; index += 1) {
    const next = due.reduce((best, one) => (nextTurn(one) < nextTurn(best) ? one : best))
    yield { caseClass: next.caseClass, nth: next.sent }
    next.sent += 1
  }
}

/** When the next case in a class is due, in turns; the first is due after half of its interval. */
function nextTurn({ caseClass, sent }: { readonly caseClass: CaseClass; readonly sent: number }): number {
  return (sent + 0.5) / caseClass.weight
}

function drawn(arbitrary: Arbitrary<MutatedRequest>, value: Value<MutatedRequest>, name: string): Drawn {
  return {
    mutated: value.value,
    name,
    simpler: function* simpler() {
      let step = 0
      for (const simplerValue of arbitrary.shrink(value.value, value.context)) {
        yield drawn(arbitrary, simplerValue, `${name}:${step}`)
        step += 1
      }
    },
  }
}

function at(cases: Iterable<Drawn>, step: number): Drawn | null {
  let index = 0
  for (const one of cases) {
    if (index === step) return one
    index += 1
  }
  return null
}
