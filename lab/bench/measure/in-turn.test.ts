import { it } from 'vitest'
import { inTurn } from './in-turn.ts'

it('measures every work once a round, every other round backwards, never two at once', async ({ expect }) => {
  const order: string[] = []
  const work = (name: string) => async (round: number) => {
    order.push(`${name}${round} begins`)
    await Promise.resolve()
    order.push(`${name}${round} ends`)
    return `${name}${round}`
  }

  const results = await inTurn(3, { a: work('a'), b: work('b') })

  const runs = ['a0', 'b0', 'b1', 'a1', 'a2', 'b2']
  expect(order).toEqual(runs.flatMap((run) => [`${run} begins`, `${run} ends`]))
  expect([results('a'), results('b')]).toEqual([
    ['a0', 'a1', 'a2'],
    ['b0', 'b1', 'b2'],
  ])
})
