import { it } from 'vitest'
import { spentUntil, type CpuProfile } from './profile.ts'

const profile: CpuProfile = {
  startTime: 10_000,
  nodes: [
    { id: 1, callFrame: { functionName: '(root)', url: '', lineNumber: 1 }, children: [2, 4] },
    { id: 2, callFrame: { functionName: 'plan', url: 'engine', lineNumber: 1 }, children: [3] },
    { id: 3, callFrame: { functionName: 'join', url: 'path', lineNumber: 1 } },
    { id: 4, callFrame: { functionName: 'somewhere', url: 'else', lineNumber: 1 } },
  ],
  samples: [2, 3, 4, 2],
  timeDeltas: [1_000, 2_000, 3_000, 4_000],
}
const engine = (frame: { readonly url: string }) => (frame.url === 'engine' ? 'engine' : null)

it('counts a sample until the next one, for the innermost function that is known', ({ expect }) => {
  const spent = spentUntil(profile, Infinity, engine)

  expect(Object.fromEntries(spent)).toEqual({ engine: 5, other: 4 })
})

it('counts nothing after the end, and a part of what lasts beyond it', ({ expect }) => {
  expect(Object.fromEntries(spentUntil(profile, 15, engine))).toEqual({ engine: 4 })
  expect(Object.fromEntries(spentUntil(profile, 5, engine))).toEqual({})
})
