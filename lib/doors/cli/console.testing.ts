import type { Console } from './console.ts'

/** A console without a terminal, and the output written to it. */
export function capturedConsole(changes: Partial<Console> = {}) {
  const said = { stdout: '', stderr: '' }
  const out = (text: string) => void (said.stdout += text)
  const err = (text: string) => void (said.stderr += text)
  const plain = { colour: false, width: 100, terminal: null, canAsk: false }
  const around = { env: {}, cwd: '/', ending: {}, now: () => new Date() }
  const console: Console = { out, err, ...plain, ...around, ...changes }
  return { console, said }
}
