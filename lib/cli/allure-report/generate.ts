import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Allure could not make its page; the message holds what it printed. */
export class AllureError extends Error {
  override readonly name = 'AllureError'
}

/** What Allure makes a page of. */
export interface Generating {
  readonly results: string
  /** Earlier runs, oldest first. */
  readonly history: readonly string[]
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Longer than any report takes; what hangs must not hang for ever. */
const patienceMs = 300_000

/** Lets Allure make its page as one file, and the history with this run in it. Throws {@link AllureError}. */
export async function generate(
  generating: Generating,
): Promise<{ readonly html: string; readonly history: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'allure-report-'))
  const config = join(folder, 'allurerc.json')
  const history = join(folder, 'history.jsonl')
  const output = join(folder, 'page')
  try {
    await writeFile(history, generating.history.map((line) => `${line}\n`).join(''))
    await writeFile(config, JSON.stringify(await configuration(generating, { history, output })))
    await runAllure(['generate', '--config', config, generating.results], folder, generating.env)
    return {
      html: await readFile(join(output, 'index.html'), 'utf8'),
      history: await readFile(history, 'utf8'),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function configuration(
  { name, results }: Generating,
  { history, output }: { readonly history: string; readonly output: string },
): Promise<object> {
  // Allure 3 sorts by its configuration alone; the file is there for other tools that read the results.
  const categories = await readFile(join(results, 'categories.json'), 'utf8').catch(() => '[]')
  return {
    name,
    output,
    historyPath: history,
    categories: parsed(categories),
    plugins: {
      awesome: { options: { singleFile: true, reportLanguage: 'en', groupBy: ['epic'] } },
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AllureError("Allure's categories.json is not JSON; it was cut short, so make the run again")
  }
}

/** Nothing of the environment reaches Allure that could make it talk to a service, or print a credential. */
async function runAllure(
  args: readonly string[],
  cwd: string,
  { PATH, HOME, TMPDIR }: Generating['env'],
): Promise<void> {
  const program = fileURLToPath(new URL('../cli.js', import.meta.resolve('allure')))
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH, HOME, TMPDIR, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-4_000)
    })
  }
  const code = await new Promise<number | null>((ended, reject) => {
    child.once('error', reject)
    child.once('close', ended)
  })
  if (code !== 0) throw new AllureError(`Allure ended with ${code ?? 'a signal'}: ${said.trim()}`)
}
