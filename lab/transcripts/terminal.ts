import { spawn, type ChildProcess } from 'node:child_process'
import { runShell } from '../../tests/recipes/steps.ts'
import { quietNpm } from '../../tests/recipes/user-repository.ts'

/** Commands that serve until they are interrupted. */
const serving = /\bcard-switch-conformance (?:serve|proxy)\b(?! --list)/
/** Without CI, under which .env would not be read. */
const userEnv = { CI: 'false' }

/** What a command printed, and how long it took. */
export interface Printed {
  readonly text: string
  readonly seconds: number
}

/** A user's terminal in a folder: runs command lines one by one, and those that serve in the background until `close`. */
export class Terminal {
  readonly #cwd: string
  readonly #env: Readonly<Record<string, string>>
  readonly #serving: ChildProcess[] = []
  /** The address of each service, in the order in which they were started. */
  readonly #services: string[] = []
  #code = 0

  constructor(cwd: string, env: Readonly<Record<string, string>> = {}) {
    this.#cwd = cwd
    this.#env = { ...userEnv, ...env }
  }

  /** Shows a service that listens at `host:port` as the next one. */
  knowService(host: string): void {
    this.#services.push(host)
  }

  /** Types a line, in which services have the addresses that pages show, and waits for its end, or until it serves. */
  async type(line: string): Promise<Printed> {
    const started = performance.now()
    const real = this.#services.reduce(
      (text, address, index) => text.replaceAll(shownAddress(index), address),
      line,
    )
    const text = serving.test(line) ? await this.#serve(real) : await this.#run(real)
    return { text: this.#shown(text), seconds: (performance.now() - started) / 1_000 }
  }

  close(): void {
    for (const { pid } of this.#serving) if (pid !== undefined) process.kill(-pid)
  }

  async #run(line: string): Promise<string> {
    // A line of its own shell still knows the exit code of the line before.
    const args = ['-c', `(exit ${this.#code}); ${line}`]
    const { code, output } = await runShell(args, { cwd: this.#cwd, env: this.#env })
    this.#code = code
    return output
  }

  async #serve(line: string): Promise<string> {
    const { PATH, HOME } = process.env
    const child = spawn('bash', ['-c', line], {
      cwd: this.#cwd,
      env: { PATH, HOME, ...quietNpm, ...this.#env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    this.#serving.push(child)
    let text = ''
    for await (const part of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += String(part)
      if (text.includes('Ctrl-C')) break
    }
    const address = /127\.0\.0\.1:\d+/.exec(text)?.[0]
    if (address === undefined) throw new Error(`${line} does not serve: ${text}`)
    this.#services.push(address)
    return text
  }

  /** A text with the folder and the ports as pages show them, and without lines of progress, which come by the clock. */
  #shown(text: string): string {
    return text
      .replaceAll(/^\[(?:\d+ min )?\d+ s\] .*\n/gm, '')
      .replaceAll(this.#cwd, '~/cards')
      .replaceAll(/127\.0\.0\.1:\d{4,5}/g, (address) => {
        const index = this.#services.indexOf(address)
        return index < 0 ? '127.0.0.1:50000' : shownAddress(index)
      })
  }
}

function shownAddress(index: number): string {
  return `127.0.0.1:${8080 + index}`
}
