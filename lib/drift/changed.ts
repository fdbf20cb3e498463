/** The tolerated changes by name. */
export type ChangeName = 'added' | 'order' | 'opaque'

/** What a tolerated change did, without any value. */
export interface Done {
  readonly name: ChangeName
  /** How many properties were added, objects reordered, strings changed. */
  readonly count: number
  /** The same in words: `added 12 properties`. */
  readonly says: string
}

/** A JSON text after a tolerated change, and what was done to it. */
export interface Changed {
  readonly text: string
  readonly done: Done
}
