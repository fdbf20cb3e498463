import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** The user left the questions unanswered: Ctrl-C, Ctrl-D, or the end of the input. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

/** Asks a question on the terminal and gives the answer, trimmed. Throws {@link Unanswered}. */
export type Ask = (question: string, options?: { readonly hidden: boolean }) => Promise<string>

/** Asks on this process's terminal. What is typed to a hidden question is not shown. */
export function terminalQuestions(): { readonly ask: Ask; readonly end: () => void } {
  const { stdin, stdout } = process
  let isHidden = false
  const shown = new Writable({
    write(chunk, _, done) {
      if (!isHidden) stdout.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input: stdin, output: shown, terminal: true, historySize: 0 })
  const ask: Ask = async (question, { hidden } = { hidden: false }) => {
    stdout.write(question)
    isHidden = hidden
    try {
      return await new Promise<string>((resolve, reject) => {
        const leave = (): void => reject(new Unanswered())
        lines.once('close', leave)
        lines.once('SIGINT', () => lines.close())
        lines.question('', (answer) => {
          lines.off('close', leave)
          resolve(answer.trim())
        })
      })
    } finally {
      isHidden = false
      if (hidden) stdout.write('\n')
    }
  }
  return { ask, end: () => lines.close() }
}
