import { describe, expect, it } from 'vitest'
import { credentials, fieldsWith } from '../../judge/testing/exchanges.ts'
import { GuessLeftOut } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { noModel, requestOf } from '../testing/layers.ts'
import { Guesses, TurnOver } from './guesses.ts'

const model = { ...noModel, clients: [{ name: 'target', credentials } as const] }
const valid = requestOf({}, { fields: fieldsWith({}) })
const wrong = requestOf({}, { fields: fieldsWith({ 'x-secret-key': 'invented' }) })
const twoKeys = requestOf({}, { fields: [...fieldsWith({}), { name: 'x-api-key', value: 'other' }] })

interface Guessing {
  readonly guesses: Guesses
  /** What was done, in order. */
  readonly done: string[]
  /** Admits a request, writes it down, and lets it be answered in the next turn of the event loop. */
  readonly send: (name: string, request?: TestRequest) => Promise<void>
}

const ignore: (guesses: Guesses) => unknown = () => null

/** Guesses of a client whose plain valid requests meet this. */
function guessing({ mayTakeLong = true, check = ignore } = {}): Guessing {
  const done: string[] = []
  const guesses = new Guesses({
    model,
    mayTakeLong,
    check: async () => {
      done.push('control')
      await check(guesses)
    },
  })
  const send = async (name: string, request = wrong): Promise<void> => {
    const turn = await guesses.admit(request)
    done.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    done.push(`${name} answered`)
    turn?.end(true)
  }
  return { guesses, done, send }
}

describe('requests with wrong credentials', () => {
  it('are sent freely as long as nobody is locked out', async () => {
    const { send, done } = guessing()
    await Promise.all([send('one'), send('two')])

    expect(done).toEqual(['one', 'two', 'one answered', 'two answered'])
  })

  it('are sent one by one after a lockout, each after the client was served', async () => {
    const { guesses, send, done } = guessing({ check: (one) => one.served() })
    await send('before')
    guesses.lockedOut()
    guesses.served()
    await Promise.all([send('one'), send('two'), send('valid', valid)])

    expect(done.slice(2)).toEqual([
      'valid',
      'one',
      'valid answered',
      'one answered',
      'control',
      'two',
      'two answered',
    ])
  })

  it('lose their turn in a lockout if they are not sent yet, fields that come twice included', async () => {
    const { guesses } = guessing()
    const turns = await Promise.all([wrong, twoKeys, valid].map(async (one) => guesses.admit(one)))
    guesses.lockedOut()

    expect(turns.map((turn) => turn?.until.aborted)).toEqual([true, true, undefined])
    expect(turns[0]?.until.reason).toBeInstanceOf(TurnOver)
    for (const turn of turns) turn?.end(false)
    expect(guesses.maySuspend).toBe(false)
  })

  it('are left out after the second lockout, those that wait included', async () => {
    const { guesses, send } = guessing({ check: (one) => one.lockedOut() })
    guesses.lockedOut()
    const sent = await Promise.allSettled([send('one'), send('two'), send('three'), send('valid', valid)])

    expect(sent.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(sent[1]).toMatchObject({ reason: expect.any(GuessLeftOut) })
    expect(String(sent[1]?.status === 'rejected' && sent[1].reason)).toContain('after one request with wrong')
  })

  it('are left out at once where one locks the client', async () => {
    const { guesses, send } = guessing()
    guesses.leaveOut()

    await expect(send('one')).rejects.toBeInstanceOf(GuessLeftOut)
  })

  it('are as before after the first lockout of a run that must not take long', async () => {
    const { guesses, send, done } = guessing({ mayTakeLong: false })
    guesses.lockedOut()
    await Promise.all([send('one'), send('two')])
    guesses.lockedOut()

    expect(done).toEqual(['one', 'two', 'one answered', 'two answered'])
    await expect(send('three')).rejects.toThrow('after 2 requests with wrong credentials')
  })

  it('name the client whose key was sent', async () => {
    const { guesses, send } = guessing()
    await send('valid', valid)
    expect(guesses.wereSentFor('target')).toBe(false)

    await send('one')
    expect([guesses.wereSentFor('target'), guesses.wereSentFor('second')]).toEqual([true, false])
  })

  it('may have a quota suspended once one was sent, where waiting is worth while', async () => {
    const [long, short] = [guessing(), guessing({ mayTakeLong: false })]

    expect(long.guesses.maySuspend).toBe(false)
    for (const { send } of [long, short]) await send('one')
    expect([long.guesses.maySuspend, short.guesses.maySuspend]).toEqual([true, false])
  })
})
