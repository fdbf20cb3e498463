/** Minimum length of a run, in characters, and the length of a piece. */
export const MIN_RUN = 4
export const PIECE = 4

/** A credential in one of its writings. */
export interface Value {
  readonly name: string
  readonly text: string
}

/** A run of characters of a value, and its place. */
export interface Gram {
  readonly text: string
  readonly of: Value
  readonly start: number
}

/** The runs of a value from each place on, as short as possible but at least `width` characters, that are not left out. */
export function gramsOf(
  of: Value,
  width: number,
  isLeftOut: (text: string) => boolean = () => false,
): readonly Gram[] {
  const { text } = of
  const grams: Gram[] = []
  for (let start = 0; start + width <= text.length; start += 1) {
    let end = start + width
    while (end < text.length && isLeftOut(text.slice(start, end))) end += 1
    const gram = text.slice(start, end)
    if (!isLeftOut(gram)) grams.push({ text: gram, of, start })
  }
  return grams
}

const FILTER_BITS = 18

/** Rules out most texts by any four of their characters in a row. */
export class GramFilter {
  readonly #slots = new Uint8Array(2 ** FILTER_BITS)

  add(text: string): void {
    let window = 0
    for (let last = 0; last < text.length; last += 1) {
      window = shifted(window, text, last)
      if (last >= MIN_RUN - 1) this.#slots[slotOf(window)] = 1
    }
  }

  mayHold(text: string): boolean {
    let window = 0
    for (let last = 0; last < text.length; last += 1) {
      window = shifted(window, text, last)
      if (last >= MIN_RUN - 1 && !this.mayHoldWindow(window)) return false
    }
    return true
  }

  mayHoldWindow(window: number): boolean {
    return this.#slots[slotOf(window)] === 1
  }
}

/** Runs of characters by text. */
export class GramIndex {
  readonly widths: readonly number[]
  readonly #grams = new Map<string, Gram[]>()
  readonly #filter = new GramFilter()

  constructor(grams: readonly Gram[]) {
    for (const gram of grams) {
      const same = this.#grams.get(gram.text)
      if (same === undefined) this.#grams.set(gram.text, [gram])
      else same.push(gram)
      this.#filter.add(gram.text.slice(0, MIN_RUN))
    }
    this.widths = [...new Set([...this.#grams.keys()].map(({ length }) => length))]
  }

  first(text: string): Value | null {
    return this.find(text, ([gram]) => gram?.of ?? null)
  }

  /** Calls the listener where grams begin, until it returns a value. */
  find(text: string, listener: (grams: readonly Gram[], at: number) => Value | null): Value | null {
    let window = 0
    for (let last = 0; last < text.length; last += 1) {
      window = shifted(window, text, last)
      if (!this.#filter.mayHoldWindow(window)) continue
      const at = last - MIN_RUN + 1
      for (const width of this.widths) {
        const grams = this.#grams.get(text.slice(Math.max(0, at), at + width))
        const found = grams === undefined ? null : listener(grams, at)
        if (found !== null) return found
      }
    }
    return null
  }
}

/** The last four characters, one byte each. */
function shifted(window: number, text: string, at: number): number {
  return (window << 8) | (text.charCodeAt(at) & 0xff)
}

function slotOf(window: number): number {
  return Math.imul(window, 0x9e3779b1) >>> (32 - FILTER_BITS)
}
