import { describe, expect, it } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { TransportError, type TransportErrorKind } from '../http/transport-error.ts'
import { exchange, refused, requestWith } from '../judge/testing/exchanges.ts'
import { AttemptsFailed } from './deliver.ts'
import { Insistence } from './insistence.ts'
import type { Flaws } from './observations.ts'
import { TestRequest } from './test-request.ts'
import { TransportRejected, NoResponse } from './no-response.ts'

const context = { rule: 'fuzz/headers', case: 'a' } as const
const answered = exchange(refused(400, '1010'))
const unknownPath: Flaws = { certain: ['endpoint unknown'], all: ['endpoint unknown'] }

function stimulus(target: string, transportMayRefuse: boolean): TestRequest {
  return new TestRequest(requestWith({ target }), {
    client: 'target',
    endpoint: 'an unknown path under /api/',
    plain: false,
    observed: false,
    transportMayRefuse,
    mayRedirect: false,
    asksForQuota: false,
  })
}

interface Played {
  readonly insistence: Insistence
  /** What was sent, in order: the target, or `control`. */
  readonly sent: string[]
}

/** Requests that meet trouble of these kinds, or an answer (null), one after the other, the last one for ever. */
function meeting(
  outcomes: readonly (TransportErrorKind | null)[],
  { controls = true, flaws = unknownPath }: { controls?: boolean; flaws?: Flaws | null } = {},
): Played {
  const sent: string[] = []
  let met = 0
  const serves = (): Promise<boolean> => {
    sent.push('control')
    return Promise.resolve(controls)
  }
  const insistence = new Insistence({
    deliver: async ({ request }): Promise<Exchange> => {
      sent.push(request.target)
      const kind = outcomes[Math.min(met, outcomes.length - 1)] ?? null
      met += 1
      await Promise.resolve()
      if (kind !== null) throw new AttemptsFailed(new TransportError(kind, 'no answer'), 1)
      return answered
    },
    serves,
    servesFromNow: serves,
    servesAlone: serves,
    flawsOf: () => flaws,
    over: () => null,
  })
  return { insistence, sent }
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error)
}

describe('a request that the transport may refuse', () => {
  it('is refused by a closed connection, at once', async () => {
    const { insistence, sent } = meeting(['connection-closed'])

    expect(await outcomeOf(insistence.send(stimulus('/a', true), context))).toBeInstanceOf(TransportRejected)
    expect(sent).toEqual(['/a'])
  })

  it.each(['gateway', 'timeout'] as const)(
    'is refused by: %s, every time while a control is served; others of its kind are tried once',
    async (kind) => {
      const { insistence, sent } = meeting([kind])

      for (const target of ['/a', '/b', '/c']) {
        expect(await outcomeOf(insistence.send(stimulus(target, true), context))).toBeInstanceOf(
          TransportRejected,
        )
      }
      expect(sent).toEqual(['/a', 'control', '/a', '/b', 'control', '/c', 'control'])
    },
  )

  it('is tried twice for each kind of trouble, and for each kind of request', async () => {
    const { insistence, sent } = meeting(['gateway', 'gateway', 'timeout'])
    await outcomeOf(insistence.send(stimulus('/a', true), context))
    await outcomeOf(insistence.send(stimulus('/b', true), context))

    expect(sent).toEqual(['/a', 'control', '/a', '/b', 'control', '/b'])
  })

  it.each(['gateway', 'timeout'] as const)(
    'is not judged where no control is served meanwhile: %s',
    async (kind) => {
      const { insistence, sent } = meeting([kind], { controls: false })

      expect(await outcomeOf(insistence.send(stimulus('/a', true), context))).toBeInstanceOf(AttemptsFailed)
      expect(sent).toEqual(['/a', 'control'])
    },
  )

  it('is answered where the trouble does not come again', async () => {
    const { insistence } = meeting(['gateway', null])

    expect(await insistence.send(stimulus('/a', true), context)).toBe(answered)
  })

  it('is left unanswered by other trouble, like any request', async () => {
    const { insistence } = meeting(['not-http'])

    expect(await outcomeOf(insistence.send(stimulus('/a', true), context))).toBeInstanceOf(NoResponse)
  })
})

describe('a request that the transport may not refuse', () => {
  it.each(['connection-closed', 'gateway', 'timeout'] as const)('is left unanswered: %s', async (kind) => {
    const { insistence } = meeting([kind])

    expect(await outcomeOf(insistence.send(stimulus('/a', false), context))).toBeInstanceOf(NoResponse)
  })

  it('is like none but itself where nobody knows what is wrong with it', async () => {
    const { insistence, sent } = meeting(['connection-closed'], { flaws: null })
    const triesOf = async (target: string): Promise<number> => {
      const before = sent.length
      await outcomeOf(insistence.send(stimulus(target, false), context))
      return sent.slice(before).filter((one) => one === target).length
    }

    expect([await triesOf('/a'), await triesOf('/b'), await triesOf('/a')]).toEqual([3, 3, 1])
  })

  it('lets others with the same flaws go on by themselves where it is answered after all', async () => {
    const { insistence, sent } = meeting(['connection-closed', 'connection-closed', null])
    const all = ['/a', '/b'].map((target) => insistence.send(stimulus(target, false), context))

    expect(await Promise.all(all)).toEqual([answered, answered])
    expect(sent.filter((one) => one === 'control').length).toBeGreaterThan(0)
  })
})
