import { expect, it, vi } from 'vitest'
import { Pace } from './pace.ts'

it('lets the next one in where a pause ends just while it is looked at', async () => {
  const clock = [0, 10, 20, 200]
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock.shift() ?? 300)
  try {
    const pace = new Pace({ concurrency: 1, maxRps: null })
    pace.hold(100)
    const release = await pace.slot(new AbortController().signal, false, 0)

    expect(pace.active).toBe(1)
    release()
  } finally {
    now.mockRestore()
  }
})
