import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { suites } from '../../suites/index.ts'
import { startReference } from '../serve/reference/service.ts'
import { withEmbedded } from '../doors/judge-target.ts'
import type { Settings } from '../settings/settings.ts'
import { read, settingsOf } from '../settings/testing/read.ts'
import { judge, type JudgeOptions } from './run.ts'

async function reference(): Promise<Settings> {
  const service = await startReference()
  onTestFinished(() => service.close())
  const settings = settingsOf(
    await read({ TARGET_BASE_URL: 'embedded', RUN_ONLY: 'authentication/api-key-missing' }),
  )
  return withEmbedded(settings, service.baseUrl)
}

function secretOf({ target }: Settings): string {
  return target.client?.secretKey.reveal() ?? ''
}

/** What judge throws, with all that it holds. */
async function thrownBy(settings: Settings, options: JudgeOptions): Promise<string> {
  const error: unknown = await judge(settings, suites, options).then(
    () => 'nothing was thrown',
    (reason: unknown) => reason,
  )
  const all = inspect(error, { depth: Infinity, showHidden: true, maxStringLength: Infinity })
  return error instanceof Error ? `${error.message} ${error.stack} ${all}` : all
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('the reason of a signal', () => {
  it.each<readonly [string, (secret: string) => Error]>([
    ['whole', (secret) => new Error(`the queue gave up: ${secret}`)],
    ['in base64', (secret) => new Error(`authorization: Basic ${base64(`a:${secret}`)}`)],
    ['in an exception of the platform', (secret) => new DOMException(`of ${secret}`, 'AbortError')],
    ['most of it', (secret) => new TypeError(secret.slice(2))],
  ])('is told without a credential in it: %s', async (_, reasonOf) => {
    const settings = await reference()
    const secret = secretOf(settings)
    const events: unknown[] = []
    for (const isEarly of [true, false]) {
      const ending = new AbortController()
      if (isEarly) ending.abort(reasonOf(secret))
      const { verdict } = await judge(settings, suites, {
        signal: ending.signal,
        onEvent: (event) => {
          if (event.kind === 'answered') ending.abort(reasonOf(secret))
          else events.push(event)
        },
      })

      expect(verdict).toMatchObject({ verdict: 'incomplete' })
      const all = JSON.stringify([verdict, events])
      expect(all).toContain('TARGET_SECRET_KEY')
      for (const text of [secret, secret.slice(2), base64(`a:${secret}`)]) expect(all).not.toContain(text)
    }
  })

  it('is told as it is without one', async () => {
    const signal = AbortSignal.abort(new Error('the deploy was called off'))
    const { verdict } = await judge(await reference(), suites, { signal })

    expect(verdict.because.join()).toContain('the deploy was called off')
  })
})

describe('an error that leaves a run', () => {
  it.each<readonly [string, (secret: string) => unknown]>([
    ['in its message', (secret) => new Error(`no such row: ${secret}`)],
    ['in its cause', (secret) => new Error('not stored', { cause: new Error(base64(secret)) })],
    [
      'in a property',
      (secret) => Object.assign(new TypeError('not sent'), { options: { headers: [secret] } }),
    ],
    [
      'in a property that is hidden',
      (secret) => Object.defineProperty(new Error('x'), 'key', { value: secret }),
    ],
    ['among several', (secret) => new AggregateError([new Error(secret)], 'all failed')],
    ['as a text', (secret) => `no such row: ${secret}`],
  ])('shows no credential %s', async (_, errorOf) => {
    const settings = await reference()
    const secret = secretOf(settings)
    for (const late of ['planned', 'rule-started', 'run-ended']) {
      const thrown = await thrownBy(settings, {
        onEvent: ({ kind }) => {
          // oxlint-disable-next-line typescript/only-throw-error -- what a listener throws is its own affair.
          if (kind === late) throw errorOf(secret)
        },
      })

      expect(thrown).not.toBe('nothing was thrown')
      expect(thrown).not.toContain(secret)
      expect(thrown).not.toContain(base64(secret))
    }
  })

  it('is the same without one', async () => {
    const error = new RangeError('the disk is full')
    const judging = judge(await reference(), suites, {
      onEvent: () => {
        throw error
      },
    })

    await expect(judging).rejects.toBe(error)
  })
})

test('what an event hands out of answers is raw', async () => {
  const settings = await reference()
  const sent: string[] = []
  await judge(settings, suites, {
    onEvent: (event) => {
      if (event.kind === 'answered')
        sent.push(
          ...event.request.request.fields.map(({ value }) =>
            typeof value === 'string' ? value : value.reveal(),
          ),
        )
    },
  })

  expect(sent).toContain(secretOf(settings))
})
