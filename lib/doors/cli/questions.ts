import { PassThrough } from 'node:stream'
import { isCancel, PasswordPrompt, settings, TextPrompt, type TextOptions } from '@clack/core'

/** A question on the terminal. */
export interface Question {
  readonly text: string
  /** Whether nothing of the answer may be seen, not even its length. */
  readonly hidden: boolean
  /** Lines that say what is wrong with an answer; empty if it is right. */
  readonly wrong: (answer: string) => readonly string[]
}

/** Asks until the answer is right, and gives it, trimmed; null if there is none: Ctrl-C, Ctrl-D, or the end of the input. */
type Ask = (question: Question) => Promise<string | null>

/** Asks on this process's terminal. */
export function terminalQuestions(): { readonly ask: Ask; readonly end: () => void } {
  const { stdin, stdout } = process
  // A key of its own, since Escape is also the beginning of an arrow key, which a slow line may cut off.
  settings.aliases.delete('escape')
  settings.aliases.set('\u0004', 'cancel')
  // The terminal echoes nothing from the first question to the last, so that no early key is seen between two.
  const input = new PassThrough()
  const gone = new AbortController()
  stdin.once('end', () => gone.abort())
  stdin.setRawMode(true).pipe(input)

  const ask: Ask = async ({ text, hidden, wrong }) => {
    const validate = (answer = ''): string | undefined =>
      wrong(answer.trim())
        .map((line) => `\n  ${line}`)
        .join('') || undefined
    const options = { input, output: stdout, signal: gone.signal, validate }
    const answer = await (hidden ? hiddenPrompt(text, options) : shownPrompt(text, options)).prompt()
    if (answer === undefined || isCancel(answer)) return null
    // What was pasted behind a secret, as further lines of a key, must not show as the next answer.
    if (hidden) while (input.read() !== null);
    return answer.trim()
  }
  const end = (): void => {
    stdin.unpipe(input).setRawMode(false).pause()
  }
  return { ask, end }
}

// While it is open, a prompt ends in a line end: the library loses its place where a text shrinks to its first lines.

type Options = Pick<TextOptions, 'input' | 'output' | 'signal' | 'validate'>

function shownPrompt(text: string, options: Options): TextPrompt {
  return new TextPrompt({
    ...options,
    render() {
      if (this.state === 'submit' || this.state === 'cancel') return `${text} ${this.userInput}`
      return `${text} ${this.userInputWithCursor}${this.state === 'error' ? this.error : ''}\n`
    },
  })
}

/** Starts again after a wrong answer, since nobody sees what is left of it. */
function hiddenPrompt(text: string, options: Options): PasswordPrompt {
  return new PasswordPrompt({
    ...options,
    mask: '',
    render() {
      if (this.state === 'error') this.clear()
      if (this.state === 'cancel') return text
      if (this.state === 'submit') return `${text} (${takenAs(this.userInput)})`
      return `${text} █${this.state === 'error' ? this.error : ''}\n`
    },
  })
}

/** What became of a hidden answer: nobody sees what is left of it. */
function takenAs(answer: string): string {
  const value = answer.trim()
  const taken = value === '' ? 'left empty' : 'taken'
  return value === answer ? taken : `${taken}, without the white space around it`
}
