import { afterEach, expect, it, vi } from 'vitest'
import { endBy } from './signals.ts'

afterEach(() => vi.restoreAllMocks())

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  'after %s, the process exits with %i on Windows, not with the code for a violation',
  (signal, code) => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('ended')
    })
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)

    expect(() => endBy(signal, 'win32')).toThrow('ended')
    expect(exit).toHaveBeenCalledWith(code)
    expect(kill).not.toHaveBeenCalled()
  },
)

it('after a signal, the process runs the exit handlers and sends the signal to the process itself on other systems', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const emit = vi.spyOn(process, 'emit').mockReturnValue(process)

  endBy('SIGINT', 'linux')

  expect(emit).toHaveBeenCalledWith('exit', 130)
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGINT')
})
