import { randomSegment } from '../../lib/fuzz/seeded.ts'
import { wholeValue } from '../../lib/http/body.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { answeredBy, isServed } from '../../lib/judge/answered.ts'
import { describeAnswered, outcomeOf } from '../../lib/judge/differences.ts'
import { holds, type Judgement } from '../../lib/judge/judge.ts'
import { scenario, type Case, type JudgedExchange, type Stage } from '../../lib/run/plan/cases.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/run/plan/suite-context.ts'
import type { NamedRequest } from './credentials.ts'

/** A random name near the list, with its exchange. */
type Neighbour = NamedRequest & { readonly exchange: Exchange }

/** Random names next to and under the list. Endpoints may exist at some of them, but not at every depth, and they are never the list. */
export function besideAndBelow({ list, byProfile, seed }: SuiteContext): readonly Case[] {
  const all = neighboursOf(list, seed)
  const first = byProfile({
    all,
    gate: all.slice(0, 2),
    essential: [],
    because: 'all depths cover a service that serves a random end or a grandchild',
  })
  if (list.method !== 'GET' || first.length === 0) return []
  const others = all.filter((one) => !first.includes(one))
  const play = async (stage: Stage): Promise<readonly JudgedExchange[]> => {
    const asked = await attempts(stage, first)
    if (!asked.some(({ exchange }) => isServed(exchange)))
      return asked.map((one) => ({ ...one, judgement: holds }))

    const met = [...asked, ...(await attempts(stage, others))]
    const { exchange: plain } = await stage.served(list.request)
    const isEverywhere = met.length === all.length && met.every(({ exchange }) => isServed(exchange))
    return met.map((one) => ({ ...one, judgement: judgementOf(one, { met, plain, isEverywhere }) }))
  }
  return [scenario('beside-and-below', first.length, play)]
}

function neighboursOf({ path, query, request }: JudgedEndpoint, seed: number): readonly NamedRequest[] {
  const parent = path.slice(0, path.lastIndexOf('/'))
  const random = (name: string): string => randomSegment(seed, `beside and below: ${name}`)
  return [
    { name: 'random-end', at: `${path}${random('end')}` },
    { name: 'grandchild', at: `${path}/${random('parent')}/${random('grandchild')}` },
    { name: 'child', at: `${path}/${random('child')}` },
    { name: 'sibling', at: `${parent}/${random('sibling')}` },
  ].map(({ name, at }) => ({
    name,
    request: request
      .to(query === null ? at : `${at}?${query}`)
      .trait({ observed: true, transportMayRefuse: true }),
  }))
}

async function attempts(stage: Stage, asked: readonly NamedRequest[]): Promise<readonly Neighbour[]> {
  const met: Neighbour[] = []
  for (const { name, request } of asked) {
    const exchange = await stage.attempt(request)
    if (exchange === null) continue
    stage.observations.note('beside and below the list', name, outcomeOf(exchange))
    met.push({ name, request, exchange })
  }
  return met
}

interface Compared {
  readonly met: readonly Neighbour[]
  readonly plain: Exchange
  readonly isEverywhere: boolean
}

function judgementOf({ name, exchange }: Neighbour, { met, plain, isEverywhere }: Compared): Judgement {
  if (!isServed(exchange)) return holds
  const isSibling = met.some((one) => one.name === 'sibling' && isServed(one.exchange))
  // An empty list equals any other empty list. Only the list's own path can lead from a random end of its name to the list alone.
  const [list, value] = [valueOf(plain), valueOf(exchange)]
  const isTelling = holdsItems(list) || (name === 'random-end' && !isSibling)
  if (isTelling && value !== undefined && formOf(value) === formOf(list))
    return served(exchange, 'the list itself', 'the body of the list')
  return isEverywhere
    ? served(exchange, 'at every depth', 'as at every depth beside and below the list')
    : holds
}

/** The specification does not mention these paths. Only their random names suggest that nothing exists there. */
function served(exchange: Exchange, what: string, how: string): Judgement {
  const answered = answeredBy(exchange.response)
  const allowed = [{ status: 400, errorCode: '1010' }] as const
  const summary = `answered ${describeAnswered(answered)}, ${how}, to a random name where 400 / 1010 is documented for an endpoint that does not exist`
  return {
    kind: 'violates',
    breach: { allowed, answered, difference: `a random name served: ${what}`, summary, implied: true },
  }
}

/** The value of a JSON body; undefined if the answer was too large to keep. */
function valueOf({ response }: Exchange): unknown {
  try {
    return response.body.kind === 'json' ? wholeValue(response) : undefined
  } catch {
    return undefined
  }
}

/** Maximum number of levels of a value to visit, because a hostile body has thousands. */
const deepest = 20

/** The value with types in place of strings and numbers, which may be times or identifiers. */
function formOf(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  if (depth === deepest) return 'deeper'
  if (Array.isArray(value)) return `[${value.map((item) => formOf(item, depth + 1)).join()}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${formOf(member, depth + 1)}`,
  )
  return `{${members.toSorted().join()}}`
}

function holdsItems(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth === deepest) return false
  return (
    (Array.isArray(value) && value.length > 0) ||
    Object.values(value).some((member) => holdsItems(member, depth + 1))
  )
}
