/** The runs that Allure knows of, a line each. */
export interface AllureHistory {
  /** The lines of earlier runs of the same kind, oldest first: what a trend is made of. */
  readonly comparable: readonly string[]
  /** The other lines, which are kept for their own reports. */
  readonly others: readonly string[]
}

/** So many points make a trend; every one of them makes the page larger. */
const mostPoints = 30
/** Of all kinds together. */
const mostLines = 300

/**
 * Splits Allure's history by what the names of its runs begin with. What a crash or a hand left otherwise is dropped, and so is this
 * very run, of which a report may be made again.
 */
export function historyFor(text: string, { subject, name }: RunName): AllureHistory {
  const lines = text.split('\n').flatMap((line) => {
    const named = nameOf(line)
    return named === null || named === name ? [] : [{ line, named }]
  })
  const isComparable = ({ named }: { readonly named: string }): boolean => named.startsWith(`${subject}, `)
  return {
    comparable: lines
      .filter(isComparable)
      .map(({ line }) => line)
      .slice(-mostPoints),
    others: lines.filter((one) => !isComparable(one)).map(({ line }) => line),
  }
}

/** The whole history again, once Allure has added its line. */
export function historyText({ others }: AllureHistory, written: string): string {
  const lines = [...others, ...written.split('\n')].filter((line) => line !== '').slice(-mostLines)
  return lines.map((line) => `${line}\n`).join('')
}

/** How a run is called in Allure's history: of what it is a run, and which. */
export interface RunName {
  readonly subject: string
  readonly name: string
}

function nameOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line)
    const isPoint =
      typeof value === 'object' &&
      value !== null &&
      'name' in value &&
      'testResults' in value &&
      typeof value.testResults === 'object' &&
      value.testResults !== null
    return isPoint && typeof value.name === 'string' ? value.name : null
  } catch {
    return null
  }
}
