import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Tell } from './subject.ts'

const asked = 300

/** The largest resident memory of a process that judges a million cases, and how it grew from half of them to all. */
export async function memory(tell: Tell): Promise<boolean> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('million.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const parts: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => parts.push(text))
  let highest = 0
  const timer = setInterval(() => {
    highest = Math.max(highest, peakOf(child.pid))
  }, 100)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(timer)
  for (const line of parts.join('').trim().split('\n')) tell(line)
  tell(`at most ${Math.round(highest)} MiB resident (asked: below ${asked})`)
  return code === 0 && highest > 0 && highest < asked
}

/** As Linux counts it; 0 elsewhere, and once the process has ended. */
function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
