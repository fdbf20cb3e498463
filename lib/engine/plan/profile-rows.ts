// What the table of what profiles send can say of a rule.

type Names = readonly string[]

/** Those of a class that are sent, by name. */
export type Portion = 'all' | 'none' | { readonly only: Names } | { readonly except: Names }

/** What is sent of a class of listed cases, or of what they are made from. */
export interface ClassRow {
  readonly gate: Portion
  /** Where one case a rule is sent; by default what a gate sends. */
  readonly essential?: Portion
  /** In all other runs; by default all. */
  readonly all?: Portion
  /** Whether an acceptance alone sends it. */
  readonly inAcceptance?: true
  /** Whether its requests do not name the suite: sent by acceptance alone, and not if each must name it. */
  readonly unnamed?: true
  /** What a gate sends first. */
  readonly leads?: Names
  readonly because: string
}

/** How many are sent. */
export interface CountRow {
  readonly all: number
  readonly gate: number
  readonly essential: number
  readonly because: string
}

/** What is sent for a rule; without rows, all that it lists. */
export interface RuleRow {
  /** The most telling case if it is not the first one: that of the most faults of the proof, or one that shares its requests. */
  readonly mostTelling?: string
  /** The listed cases that a gate sends to further endpoints; few, so that two further endpoints fit the budget. */
  readonly further?: Names
  readonly classes?: Readonly<Record<string, ClassRow>>
  readonly counts?: Readonly<Record<string, CountRow>>
  /** Of the cases that a gate is asked for, the share that it sends: rows of factors stand in the place of others; above 1, what is always sent takes the place of none. */
  readonly share?: number
}

/** Those of these names alone, in a gate. */
export function only(names: Names, because: string, more: Partial<ClassRow> = {}): ClassRow {
  return { gate: { only: names }, because, ...more }
}

/** All but those of these names, in a gate. */
export function except(names: Names, because: string): ClassRow {
  return { gate: { except: names }, because }
}

/** None in a gate. */
export function none(because: string): ClassRow {
  return { gate: 'none', because }
}

/** All in a gate, and none where one case a rule is sent. */
export function unlessEssential(because: string): ClassRow {
  return { gate: 'all', essential: 'none', because }
}

/** So many where all is sent; else none. */
export function onlyWhole(all: number, because: string): CountRow {
  return { all, gate: 0, essential: 0, because }
}
