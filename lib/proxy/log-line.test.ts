import { expect, it } from 'vitest'
import { logLine } from './log-line.ts'

const passed = {
  startedAt: new Date('2026-11-20T02:00:00Z'),
  number: 3,
  method: 'GET',
  target: '/api/customizations/list?key=hush',
  status: 200,
  durationMs: 12.4,
  says: 'added 2 properties; seed 7; answer 3',
}

it('says when, what, how it ended, how long it took and what was changed', () => {
  expect(logLine(passed)).toBe(
    '2026-11-20T02:00:00.000Z #3 GET /api/customizations/list 200 12 ms: added 2 properties; seed 7; answer 3',
  )
})

it('has no status where nobody got one', () => {
  expect(logLine({ ...passed, status: null, says: 'the client left before the end' })).toContain(
    'list - 12 ms: the client left',
  )
})

it('does not let a path steer the terminal or fill it', () => {
  const line = logLine({ ...passed, target: `/\u009b31m${'a'.repeat(5_000)}` })

  expect(line).toContain('/\\u009b31maaa')
  expect(line.length).toBeLessThan(400)
})
