// What the table of what profiles send can say of a rule.

type Names = readonly string[]

/** What is sent for a rule; without rows, all that it lists. */
export interface RuleRow {
  /** The most telling case if it is not the first one: that of the most faults of the proof, or one that shares its requests. */
  readonly mostTelling?: string
  /** The listed cases that a gate sends to further endpoints; few, so that two further endpoints fit the budget. */
  readonly further?: Names
  /** Of the cases that a gate is asked for, the share that it sends: rows of factors stand in the place of others; above 1, what is always sent takes the place of none. */
  readonly share?: number
}
