import { grouped } from './words.ts'

/** Progress of a run. */
export interface Progress {
  /** Area of the rule started last, or null. */
  readonly area: string | null
  readonly cases: { readonly done: number; readonly planned: number }
  readonly requests: { readonly sent: number; readonly budget: number }
}

/** Counts finished cases; those of an ended rule count even if not sent. */
export function casesDone(
  plan: readonly { readonly id: string; readonly cases: number }[],
  ended: ReadonlySet<string>,
  casesEnded: Readonly<Record<string, number>>,
): Progress['cases'] {
  const done = plan.map(({ id, cases }) => (ended.has(id) ? cases : Math.min(cases, casesEnded[id] ?? 0)))
  return { done: sum(done), planned: sum(plan.map(({ cases }) => cases)) }
}

/** `fuzz: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests`. */
export function progressText({ area, cases, requests }: Progress): string {
  const done = `${grouped(cases.done)} of ${grouped(cases.planned)} cases`
  const sent = `${grouped(requests.sent)} of at most ${grouped(requests.budget)} requests`
  return `${area ?? 'beginning'}: ${done}, ${sent}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
