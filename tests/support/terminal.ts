import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { emptyFolder } from './program.ts'

const run = promisify(execFile)

/** Maximum wait for a text, in milliseconds. Long enough for a busy machine. */
const patienceMs = 120_000

interface Opened {
  readonly command: readonly string[]
  readonly cwd: string
  /** The command gets only these variables, PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
}

/** An open terminal. */
export type Terminal = Awaited<ReturnType<typeof openTerminal>>

/** Prints the exit code of the command and the echo mode of the terminal. */
const afterwards = `"$@"; printf 'ended in %s, %s\\n' "$?" "$(stty -a | grep -wo -e '-*echo')"`

/** A text without the line breaks that a narrow terminal adds. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/**
 * Opens a separate terminal in tmux, on a private socket, in which a command runs. It is closed when the test ends. Tests read its
 * screen, as a user does, instead of the bytes.
 */
export async function openTerminal({ command, cwd, env = {}, columns = 100 }: Opened) {
  const folder = await emptyFolder()
  const [socket, configuration] = [join(folder, 'socket'), join(folder, 'tmux.conf')]
  await writeFile(configuration, 'set -g remain-on-exit on\nset -g history-limit 10000\nset -g status off\n')
  const { PATH = '', HOME = '' } = process.env
  const tmux = async (...words: readonly string[]): Promise<string> => {
    const args = ['-u', '-S', socket, '-f', configuration, ...words]
    const { stdout } = await run('tmux', args, { env: { PATH, HOME, LANG: 'C.UTF-8', TERM: 'xterm' } })
    return stdout
  }
  const variables = Object.entries({ PATH, HOME, TERM: 'screen', ...env }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const words = ['env', '-i', ...variables, 'sh', '-c', afterwards, 'sh', ...command]
  await tmux('new-session', '-d', '-x', `${columns}`, '-y', '30', '-c', cwd, '--', ...words)
  onTestFinished(async () => void (await tmux('kill-server')))

  const screens: string[] = []
  const shows = async (text: string): Promise<string> => {
    const until = performance.now() + patienceMs
    for (;;) {
      const screen = await tmux('capture-pane', '-p', '-J', '-S', '-')
      if (screen !== screens.at(-1)) screens.push(screen)
      if (inOneLine(screen).includes(inOneLine(text))) return screen
      if (performance.now() > until) throw new Error(`the terminal does not show ${text}, but:\n${screen}`)
      await sleep(50)
    }
  }
  return {
    /** Waits until the screen or its scrollback contains a text, ignoring line breaks, and returns both. */
    shows,
    /** Types characters as they are. */
    type: (text: string) => tmux('send-keys', '-l', '--', text),
    /** Presses a key by its tmux name, such as `Enter` or `C-c`. */
    press: (key: string) => tmux('send-keys', key),
    /** Waits for the command to end. Returns its exit code and whether the terminal echoes again. */
    ended: async () => {
      const [, code = '', echo] = /ended in (\d+), (-?echo)/.exec(await shows('ended in ')) ?? []
      return { code: Number(code), echoes: echo === 'echo' }
    },
    /** All screens that were read. */
    seen: () => screens.join('\n'),
  }
}
