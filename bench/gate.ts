import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startReference } from '../lib/reference/service.ts'
import { settingsOf } from '../lib/cli/serve-command.ts'

/** How often each run is repeated; the median counts. */
const times = 5
const root = fileURLToPath(new URL('..', import.meta.url))
const inCheckout = [join(root, 'bin/card-switch-conformance.mjs')]

interface Run {
  readonly what: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Seconds from start to exit of one run, which must end in 0. */
async function seconds({ args, env }: Run): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'bench-'))
  const started = performance.now()
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(process.execPath, args, {
        cwd,
        env: { PATH: process.env['PATH'], ...env },
        stdio: 'ignore',
      })
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (code !== 0) throw new Error(`the run ended with ${code}`)
    return (performance.now() - started) / 1_000
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

async function median(run: Run): Promise<number> {
  const all: number[] = []
  for (let time = 0; time < times; time += 1) all.push(await seconds(run))
  return all.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN
}

const slow = await startReference({ latencyMs: 100 })
const runs: readonly Run[] = [
  { what: 'the embedded gate, in a checkout', args: [...inCheckout, '--base-url', 'embedded'], env: {} },
  { what: 'a gate at 100 ms an answer', args: inCheckout, env: settingsOf(slow) },
]
for (const run of runs) {
  process.stdout.write(
    `${run.what}: ${(await median(run)).toFixed(2)} s (median of ${times}, start to exit)\n`,
  )
}
await slow.close()
