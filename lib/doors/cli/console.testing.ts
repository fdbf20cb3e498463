import type { Console } from './console.ts'

/** A console without a terminal, and the output written to it. */
export function capturedConsole(changes: Partial<Console> = {}) {
  const said = { stdout: '', stderr: '' }
  const console: Console = {
    out: (text) => void (said.stdout += text),
    err: (text) => void (said.stderr += text),
    env: {},
    cwd: '/',
    colour: false,
    width: 100,
    terminal: null,
    canAsk: false,
    ending: {},
    now: () => new Date(),
    ...changes,
  }
  return { console, said }
}
