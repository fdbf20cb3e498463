import { randomUUID } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { open, refusal } from '../session/testing/open.ts'
import { newsOf, openChannel, type RunNews } from './channel.ts'

const rule = 'authentication/api-key-missing'

describe('what is known of a run', () => {
  it('is its record, and the findings of rules that have any', async () => {
    const { session, plain } = await open({
      reply: ({ apiKey }) => (apiKey === undefined ? { status: 500, body: { oops: 1 } } : null),
    })
    await session.send(plain.without('x-api-key'), { rule, case: 'absent' })
    const { record, findings } = newsOf(session)

    expect(record).toEqual(session.record())
    expect(findings.map(([id, found]) => [id, found.length])).toEqual([
      ['errors/body-shape', 1],
      ['errors/documented-pairs', 1],
    ])
    expect(structuredClone(findings)).toEqual(findings)
  })

  it('is nothing yet before anything was sent', async () => {
    const { session } = await open({ reply: () => refusal(401, '1006') })

    expect(newsOf(session)).toMatchObject({ record: { sent: 0, ended: null, latencyMs: null }, findings: [] })
  })
})

describe('the channel', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('tells what is known at most once in a while, however much changes', async () => {
    const { session } = await open()
    const name = randomUUID()
    const listener = new BroadcastChannel(name)
    onTestFinished(() => listener.close())
    const heard: RunNews[] = []
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        const hear = (event: Event & { readonly data?: RunNews }): void => {
          if (event.data !== undefined) heard.push(event.data)
          resolve()
        }
        listener.addEventListener('message', hear, { once: true })
      })
    const { changed } = openChannel(name, { session: () => session, cancel: () => {} })

    const first = next()
    for (let times = 0; times < 1_000; times += 1) changed()
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1_000)
    await first
    expect(heard).toEqual([newsOf(session)])

    const second = next()
    changed()
    vi.advanceTimersByTime(1_000)
    await second
    expect(heard).toHaveLength(2)
  })

  it('is silent where nobody listens', () => {
    const { changed } = openChannel(null, {
      session: () => {
        throw new Error('nobody asked')
      },
      cancel: () => {},
    })
    changed()

    expect(vi.getTimerCount()).toBe(0)
  })
})
