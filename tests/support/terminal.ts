import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { emptyFolder } from './program.ts'

const run = promisify(execFile)

/** A question that takes longer will not come, however busy the machine. */
const patienceMs = 120_000

interface Opened {
  readonly command: readonly string[]
  readonly cwd: string
  /** Nothing else but PATH and HOME reaches the command. */
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
}

/** A terminal in which a command runs; what it shows is read from its screen, as a user does, and not from the bytes. */
export interface Terminal {
  /** Waits until the screen, or what was scrolled off it, holds a text, wherever lines end, and gives all of that. */
  readonly shows: (text: string) => Promise<string>
  /** Types characters as they are. */
  readonly type: (text: string) => Promise<void>
  /** Presses a key by tmux's name, as `Enter` or `C-c`. */
  readonly press: (key: string) => Promise<void>
  /** Waits for the end of the command, and gives its exit code and whether the terminal echoes again. */
  readonly ended: () => Promise<{ readonly code: number; readonly echoes: boolean }>
  /** Everything that was on the screen whenever it was read. */
  readonly seen: () => string
}

/** The line behind the command says how it ended, and how it left the terminal. */
const afterwards = `"$@"; printf 'ended in %s, %s\\n' "$?" "$(stty -a | grep -wo -e '-*echo')"`

/** A text without line ends, which a narrow terminal adds. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** Opens a terminal of its own in tmux, on a private socket; it is closed with the test. */
export async function openTerminal(
  { command, cwd, env = {}, columns = 100 }: Opened,
  onTestFinished: (close: () => Promise<void>) => void,
): Promise<Terminal> {
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
      if (performance.now() > until) throw new Error(`the terminal shows no ${text}, but:\n${screen}`)
      await sleep(50)
    }
  }
  return {
    shows,
    type: async (text) => void (await tmux('send-keys', '-l', '--', text)),
    press: async (key) => void (await tmux('send-keys', key)),
    ended: async () => {
      const [, code = '', echo] = /ended in (\d+), (-?echo)/.exec(await shows('ended in ')) ?? []
      return { code: Number(code), echoes: echo === 'echo' }
    },
    seen: () => screens.join('\n'),
  }
}
