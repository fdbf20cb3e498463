import { spawn, type ChildProcess } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { runShell } from '../../tests/recipes/steps.ts'
import { installedCopy, quietNpm, tarball } from '../../tests/recipes/user-repository.ts'
import { emptyFolder, settingsFor } from '../../tests/support/program.ts'
import { filesIn, textOf } from '../../tests/support/syntax.ts'
import { startService } from '../service/start.ts'

/** The page that starts in an empty folder with the tarball. The others start with the package installed. */
const firstPage = 'docs/first-five-minutes.md'

/** The pages whose commands are played. */
export const playedPages = filesIn('docs', '.md').filter((page) => textOf(page).includes('```console\n'))

/** A block of commands, optionally with their duration; or the behaviour of the service in `.env` from here on. */
const parts = /^( *)```console\n([^]*?)^ *```\n(\nTook [^\n]*\n)?|^<!-- service: (.*) -->$/gm
/** Commands that serve until they are interrupted. */
const serving = /\bcard-switch-conformance (?:serve|proxy)\b(?! --list)/

/**
 * Plays a page from the start, and returns it with the current output of its commands. If the page replaces
 * lines by a line `…`, the number of lines before and after it stays the same. `more` is passed to every
 * command.
 */
export async function playedPage(page: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = page === firstPage ? await folderWithTarball() : await installedCopy()
  // Under CI the program does not read .env.
  const env = { CI: 'false', ...more }
  const servers: ChildProcess[] = []
  /** The address of each service, in the order of starting. Pages show ports from 8080 on. */
  const addresses: string[] = []
  const bent: { service: ReferenceService | null } = { service: null }
  let code = 0

  const type = async (line: string): Promise<string> => {
    const real = addresses.reduce((text, address, at) => text.replaceAll(shownAddress(at), address), line)
    if (serving.test(line)) {
      const { server, text, address } = await served(real, cwd, env)
      servers.push(server)
      addresses.push(address)
      return text
    }
    // A line in its own shell must still see the exit code of the previous line.
    const ended = await runShell(['-c', `(exit ${code}); ${real}`], { cwd, env })
    code = ended.code
    return ended.output
  }
  const played = async (block: string): Promise<string> => {
    const lines: string[] = []
    for (const step of block.split(/^(?=\$ )/m)) {
      const [line = '', ...held] = step.trimEnd().split('\n')
      const printed = (await type(line.replace(/^\$ /, '')))
        // Progress lines depend on the clock.
        .replaceAll(/^\[(?:\d+ min )?[\d.]+ m?s\] .*\n/gm, '')
        .replaceAll(cwd, '~/cards')
        .replaceAll(/127\.0\.0\.1:\d{4,5}/g, (address) => shownAddress(addresses.indexOf(address)))
      lines.push(line, ...shortened(printed, held))
    }
    return lines.join('\n')
  }
  const become = async (faults: readonly string[]): Promise<void> => {
    const { service: before } = bent
    await before?.close()
    const port = Number(new URL(before?.baseUrl ?? 'http://a:0').port)
    const service = await startService({ faults, port })
    bent.service = service
    if (before !== null) return
    addresses.push(new URL(service.baseUrl).host)
    const settings = Object.entries(settingsFor(service)).map(([name, value]) => `${name}="${value}"\n`)
    await writeFile(join(cwd, '.env'), settings.join(''))
  }

  const text = textOf(page)
  let [made, end] = ['', 0]
  try {
    for (const part of text.matchAll(parts)) {
      const [whole, indent = '', block = '', took, faults] = part
      made += text.slice(end, part.index)
      end = part.index + whole.length
      const started = performance.now()
      if (faults === undefined) {
        const lines = `\`\`\`console\n${await played(block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))}\n\`\`\`\n`
        made += lines.replaceAll(/^(?=.)/gm, indent)
        if (took !== undefined) made += `\nTook ${((performance.now() - started) / 1_000).toFixed(1)} s.\n`
      } else {
        await become(faults === 'no fault' ? [] : faults.split(', '))
        made += whole
      }
    }
  } finally {
    for (const { pid } of servers) if (pid !== undefined) process.kill(-pid)
    await bent.service?.close()
  }
  return made + text.slice(end)
}

async function folderWithTarball(): Promise<string> {
  const [cwd, file] = [await emptyFolder(), await tarball()]
  await cp(file, join(cwd, basename(file)))
  return cwd
}

/** Starts a line that serves, and returns its output so far. */
async function served(line: string, cwd: string, more: Readonly<Record<string, string>>) {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...quietNpm, ...more }
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
  const server = spawn('bash', ['-c', line], { cwd, env, stdio, detached: true })
  let text = ''
  for await (const piece of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(piece)
    if (text.includes('Ctrl-C')) break
  }
  const address = /127\.0\.0\.1:\d+/.exec(text)?.[0]
  if (address === undefined) throw new Error(`${line} does not serve: ${text}`)
  return { server, text, address }
}

/** The embedded service is not one of the services on the page. */
const shownAddress = (at: number): string => `127.0.0.1:${at < 0 ? 50_000 : 8080 + at}`

/** The output, without the lines that the page leaves out. */
function shortened(printed: string, held: readonly string[]): readonly string[] {
  const text = printed
    .replaceAll(/[ \t]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd()
  const lines = text === '' ? [] : text.split('\n')
  const at = held.indexOf('…')
  if (at < 0 || lines.length <= held.length) return lines
  return [...lines.slice(0, at), '…', ...lines.slice(lines.length - (held.length - at - 1))]
}
