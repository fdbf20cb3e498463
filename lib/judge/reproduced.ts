import type { Finding } from './record.ts'

/** How often a breach was seen, of how many tries: the numbers of `2 of 3`. */
interface Reproduced {
  readonly seen: number
  readonly tried: number
}

/** How often the breach of a finding was seen; zeros where it does not say. */
function reproducedOf({ reproduced }: Pick<Finding, 'reproduced'>): Reproduced {
  const [seen = 0, tried = 0] = reproduced.split(' of ').map(Number)
  return { seen, tried }
}

/** Whether a breach was seen every time, of at least two. */
export function isSteady(finding: Pick<Finding, 'reproduced'>): boolean {
  const { seen, tried } = reproducedOf(finding)
  return seen === tried && tried > 1
}

/** Whether a breach was met only now and then. */
export function isIntermittent(finding: Pick<Finding, 'reproduced'>): boolean {
  const { seen, tried } = reproducedOf(finding)
  return seen !== tried
}
