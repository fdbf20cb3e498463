import { WriteStream } from 'node:tty'
import { expect, it } from 'vitest'
import { wantsColour } from './console.ts'

const forced = ['', 'true', '1', '2', '3', 'false', '0', '4', 'no', 'TRUE']

it.each(forced)(
  'colour follows FORCE_COLOR=%j as in Node, on any output and regardless of NO_COLOR',
  (FORCE_COLOR) => {
    const isColoured = WriteStream.prototype.getColorDepth({ FORCE_COLOR }) > 1

    expect(wantsColour({ FORCE_COLOR }, false)).toBe(isColoured)
    expect(wantsColour({ FORCE_COLOR, TERM: 'dumb' }, true)).toBe(isColoured)
    expect(wantsColour({ FORCE_COLOR, NO_COLOR: '1' }, true)).toBe(isColoured)
  },
)

it.each([
  [{}, true],
  [{ NO_COLOR: '' }, true],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '0' }, false],
  [{ NODE_DISABLE_COLORS: '1' }, false],
  [{ TERM: 'dumb' }, false],
])('colour with %j is %s on a terminal, and is off on other outputs', (env, expected) => {
  expect(wantsColour(env, true)).toBe(expected)
  expect(wantsColour(env, false)).toBe(false)
})
