import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import type { Breach } from '../judge/judge.ts'
import { answer, exchange, refused, served } from '../judge/testing/exchanges.ts'
import type { ClientName } from '../spec/clients.ts'
import { QuotaWatch } from './quota-watch.ts'

const quota = refused(429, '1020')

interface Watched {
  readonly watch: QuotaWatch
  /** For whom a plain valid request was sent. */
  readonly sent: ClientName[]
  readonly accused: { readonly client: ClientName; readonly breach: Breach }[]
}

/** A watch over a service that answers plain valid requests so; undefined is a client that is not configured. */
function watchOver(answers: Partial<Record<ClientName, Response | readonly Response[]>>): Watched {
  const sent: ClientName[] = []
  const accused: { readonly client: ClientName; readonly breach: Breach }[] = []
  const watch = new QuotaWatch({
    plain: (client) => {
      const given = [answers[client] ?? []].flat()
      const asked = sent.filter((one) => one === client).length
      const response = given[Math.min(asked, given.length - 1)]
      if (response === undefined) return null
      sent.push(client)
      return new Promise((resolve) => setImmediate(() => resolve(exchange(response))))
    },
    accuse: ({ client, breach }) => {
      accused.push({ client, breach })
      return Promise.resolve()
    },
  })
  return { watch, sent, accused }
}

describe('a 1020 that nobody asked for', () => {
  it('is a used-up quota when a plain valid request of the client gets it, too', async () => {
    const { watch, sent } = watchOver({ target: quota })

    expect(await watch.unasked('target')).toBe(true)
    expect(await watch.isUsedUp('target')).toBe(true)
    expect(await watch.unasked('target')).toBe(true)
    // Twice: the second time with nothing else in flight.
    expect(sent).toEqual(['target', 'target'])
  })

  it('is judged like any other answer when a plain valid request does not', async () => {
    const { watch, sent } = watchOver({ target: served })

    expect(await watch.unasked('target')).toBe(false)
    expect(await watch.isUsedUp('target')).toBe(false)
    expect(await watch.unasked('target')).toBe(false)
    expect(sent).toEqual(['target', 'target'])
  })

  it.each([
    ['a bare 429', answer(429, '')],
    ['1020 under another status', refused(403, '1020')],
    ['another code', refused(429, '1006')],
    ['a failure', answer(500, '')],
  ])('is not confirmed by %s', async (_, response) => {
    const { watch } = watchOver({ target: response })

    expect(await watch.unasked('target')).toBe(false)
  })

  it('is found out once for all that meet it at the same time', async () => {
    const { watch, sent } = watchOver({ second: quota })

    expect(await Promise.all([1, 2, 3].map(() => watch.unasked('second')))).toEqual([true, true, true])
    expect(sent).toEqual(['second', 'second'])
  })

  it('concerns that client only', async () => {
    const { watch } = watchOver({ second: quota, target: served })
    await watch.unasked('second')

    expect(await watch.isUsedUp('second')).toBe(true)
    expect(await watch.isUsedUp('target')).toBe(false)
    expect(await watch.unasked('target')).toBe(false)
  })

  it('says nothing about a client that is not configured', async () => {
    const { watch } = watchOver({})

    expect(await watch.unasked('second')).toBe(false)
  })
})

describe("another client's quota that runs out", () => {
  it('must leave the clients served before served', async () => {
    const { watch, sent, accused } = watchOver({ target: served, second: served })
    watch.notePlain('target', exchange(served))
    watch.notePlain('second', exchange(served))
    await watch.ranOut('exhausted')

    expect(new Set(sent)).toEqual(new Set(['target', 'second']))
    expect(accused).toEqual([])
  })

  it.each(['target', 'second'] as const)(
    'is a breach when the client %s, served before, gets 1020 from then on',
    async (client) => {
      const { watch, accused } = watchOver({ target: served, second: served, [client]: quota })
      watch.notePlain('target', exchange(served))
      watch.notePlain('second', exchange(served))
      await watch.ranOut('exhausted')

      expect(accused).toEqual([
        {
          client,
          breach: {
            allowed: [{ status: '2xx', errorCode: null }],
            answered: { status: 429, errorCode: '1020', flaw: null },
            difference: 'refused for the quota of another client',
            summary:
              "answered 429 / 1020 where success is documented: this client was served just before, until another client's quota ran out, or its own ran out just then",
          },
        },
      ])
    },
  )

  it('blames nobody for a client that was not served before', async () => {
    const { watch, accused } = watchOver({ target: quota })
    watch.notePlain('target', exchange(answer(500, '')))
    await watch.ranOut('exhausted')

    expect(accused).toEqual([])
  })

  it('blames nobody for the client itself, whose quota was to run out', async () => {
    const { watch, accused } = watchOver({ target: quota })
    watch.notePlain('target', exchange(served))
    await watch.ranOut('target')

    expect(accused).toEqual([])
  })

  it('costs no request of the client itself, which has none left', async () => {
    const { watch, sent } = watchOver({ target: quota })
    watch.notePlain('target', exchange(served))
    await watch.ranOut('target')

    expect(sent).toEqual([])
  })

  it('leaves any other wrong answer to be judged', async () => {
    const { watch, accused } = watchOver({ target: answer(500, '') })
    watch.notePlain('target', exchange(served))
    await watch.ranOut('exhausted')

    expect(accused).toEqual([])
  })

  it('is looked at once for each client whose quota runs out', async () => {
    const { watch, sent } = watchOver({ target: served })
    watch.notePlain('target', exchange(served))
    await Promise.all([watch.ranOut('exhausted'), watch.ranOut('exhausted'), watch.ranOut('exhausted')])
    await watch.ranOut('exhausted')
    expect(sent).toEqual(['target'])

    await watch.ranOut('disposable')
    expect(sent).toEqual(['target', 'target'])
  })

  it('is looked into before anybody is taken for having used up a quota', async () => {
    const order: string[] = []
    let answered: (() => void) | null = null
    const watch = new QuotaWatch({
      plain: (client) => {
        order.push(`plain request of ${client}`)
        return new Promise((resolve) => {
          answered = () => resolve(exchange(quota))
        })
      },
      accuse: ({ client }) => {
        order.push(`${client} accused`)
        return Promise.resolve()
      },
    })
    const answerWith = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve))
      answered?.()
    }
    watch.notePlain('target', exchange(served))
    const both = Promise.all([watch.ranOut('exhausted'), watch.unasked('target')])
    for (let times = 0; times < 4; times += 1) await answerWith()
    await both

    const asked = 'plain request of target'
    expect(order).toEqual([asked, asked, 'target accused', asked, asked])
  })
})
